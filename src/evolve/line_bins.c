#include <math.h>
#include <string.h>

#include "evolve/line_bins.h"
#include "evolve/open_bound.h"

/* Parts with fewer rows for each column are opened sooner than bounded. */
enum { BOUND_ROWS = 30 };

/* The sides before the parts `order[k]` of a level: what it has itself, and the parts on either
 * side. */
static void bases_within(const ct_line *l, const ct_line_level *above, uint32_t n, uint32_t k,
                         ct_line_level *level)
{
    const ct_line_node *of = l->of;
    const size_t size = of->table->size;
    for (int side = 0; side < 2; side++)
        for (uint32_t leaf = 0; leaf < of->n_leaves[side]; leaf++) {
            double *base = level->base[side] + leaf * size;
            uint32_t count = above->base_n[side][leaf];
            memcpy(base, above->base[side] + leaf * size, size * sizeof *base);
            for (uint32_t i = side ? k + 1 : 0; i < (side ? n : k); i++) {
                uint32_t place = above->order[i] * of->n_slots + of->slot[side] + leaf;
                ct_gmt_line_add(base, above->sums + place * size, size);
                count += above->counts[place];
            }
            level->base_n[side][leaf] = count;
        }
}

/* The rows of a bin as keys, by rank and then by number. Returns how many. */
static uint32_t sort_bin(ct_line *l, uint32_t bin)
{
    const ct_splitter *splitter = l->splitter;
    const uint8_t *leaf = l->of->leaf[0];
    uint64_t *keys = l->scratch->keys;
    uint32_t n = 0, first = splitter->first_rank[bin], end = splitter->first_place[bin + 1];
    for (uint32_t i = splitter->first_place[bin]; i < end; i++) {
        uint32_t row = splitter->order[i];
        keys[n] = (uint64_t) (splitter->rank[row] - first) << 32 | row;
        n += leaf[row] != CT_LINE_OUTSIDE;
    }
    return n;
}

static uint32_t rank_of(uint64_t key) { return (uint32_t) (key >> 32); }

/* Cuts the sorted rows begin .. end - 1 where the value changes: a part has one value or at most a
 * 1 / CT_LINE_PARTS of the rows. Returns how many there are. */
static uint32_t cut_parts(const ct_line *l, ct_line_level *level, uint32_t begin, uint32_t end)
{
    const uint64_t *keys = l->scratch->keys;
    uint32_t n = 0, step = (end - begin + CT_LINE_PARTS - 1) / CT_LINE_PARTS;
    for (uint32_t i = begin; i < end;) {
        level->first[n] = i;
        level->order[n] = n;
        uint32_t at = end - i <= step ? end : i + step;
        while (at < end && at > i && rank_of(keys[at]) == rank_of(keys[at - 1])) at--;
        if (at == i) /* one value */
            for (at = i + 1; at < end && rank_of(keys[at]) == rank_of(keys[i]);) at++;
        i = at;
        CT_ASSERT(n < level->room);
        n++;
    }
    level->first[n] = end;
    return n;
}

static void sum_parts(const ct_line *l, ct_line_level *level, uint32_t n)
{
    uint32_t rows[CT_LINE_BLOCK], part[CT_LINE_BLOCK], filled = 0;
    ct_gmt_line_clear(l, level, n);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = level->first[k]; i < level->first[k + 1]; i++) {
            rows[filled] = (uint32_t) l->scratch->keys[i];
            part[filled++] = k;
            if (filled == CT_LINE_BLOCK) {
                ct_gmt_line_add_rows(l, level, rows, part, filled);
                filled = 0;
            }
        }
    ct_gmt_line_add_rows(l, level, rows, part, filled);
}

static void open_parts(ct_line *l, uint32_t depth, uint32_t n, uint32_t bin);

/* Tries the thresholds among sorted rows; the bases of level `depth` are set. */
static void search_rows(ct_line *l, uint32_t depth, uint32_t begin, uint32_t end, uint32_t bin)
{
    ct_line_level *level = &l->scratch->levels[depth];
    uint32_t n = cut_parts(l, level, begin, end);
    if (n < 2) return;
    sum_parts(l, level, n);
    ct_gmt_line_scan_cuts(l, level, n);
    for (uint32_t k = level->cut > 1 ? level->cut : 1; k < n && k < level->cut_end; k++)
        if (ct_gmt_line_offer(l, level, k))
            l->best.test.cut =
                l->splitter->first_rank[bin] + rank_of(l->scratch->keys[level->first[k]]);
    open_parts(l, depth, n, bin);
}

static int may_open(const ct_line *l, const ct_line_level *level, uint32_t depth, uint32_t k)
{
    const uint64_t *keys = l->scratch->keys;
    /* the cuts beside it leave too few rows on one side, all within it, too */
    if (l->splitter->n_levels || k + 1 < level->cut || k >= level->cut_end) return 0;
    if (depth) return rank_of(keys[level->first[k]]) != rank_of(keys[level->first[k + 1] - 1]);
    uint32_t bin = level->order[k];
    return l->splitter->first_rank[bin + 1] - l->splitter->first_rank[bin] > 1;
}

/* Whether the rows of a part cost so much, on whichever side, that nothing within is better. Asked
 * where every part that pays is to be opened, and both sides are leaves. */
static int is_ruled_out(const ct_line *l, const ct_line_level *level, uint32_t k, double bound,
                        const ct_line_level *within)
{
    const ct_line_node *of = l->of;
    const uint32_t p = of->table->p, part = level->order[k];
    if (of->options->without & CT_LINE_BOUND || of->n_slots > 1 ||
        of->options->open_max != UINT32_MAX ||
        level->counts[part] < BOUND_ROWS * p)
        return 0;
    double more = ct_gmt_open_bound(within->base[0], within->base[1],
                                    level->sums + part * of->table->size, p, l->scratch->bound);
    return bound + more > l->least;
}

/* Opens parts in the order of their bounds, while these leave room below the best. `bin`: that of
 * all, inside of it. */
static void open_parts(ct_line *l, uint32_t depth, uint32_t n, uint32_t bin)
{
    ct_line_level *level = &l->scratch->levels[depth];
    double last = -1;
    uint32_t last_k = 0;
    for (uint32_t opened = 0; opened < l->of->options->open_max; opened++) {
        double least = INFINITY;
        uint32_t chosen = n;
        for (uint32_t k = 0; k < n; k++) {
            double bound = ct_gmt_line_cost(l, level, k, k + 1);
            int later = bound > last || (bound == last && k > last_k);
            if (later && bound < least && may_open(l, level, depth, k)) least = bound, chosen = k;
        }
        if (chosen == n || !(least < l->least - 1e-12 * l->of->table->total)) return;
        bases_within(l, level, n, chosen, &l->scratch->levels[depth + 1]);
        if (is_ruled_out(l, level, chosen, least, &l->scratch->levels[depth + 1])) {
            /* nothing within */
        } else if (depth) {
            search_rows(l, depth + 1, level->first[chosen], level->first[chosen + 1], bin);
        } else {
            uint32_t rows = sort_bin(l, level->order[chosen]);
            search_rows(l, 1, 0, rows, level->order[chosen]);
        }
        last = least;
        last_k = chosen;
    }
}

void ct_gmt_line_open_bins(ct_line *l, uint32_t n)
{
    open_parts(l, 0, n, 0);
}
