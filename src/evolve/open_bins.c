#include <math.h>
#include <string.h>

#include "evolve/open_bins.h"
#include "evolve/open_bound.h"

/* Opening a bin with fewer rows for each column takes less time than a bound. */
enum { BOUND_ROWS = 30 };

/* The base of both sides within bin order[k] of `above`: its own base and the bins on that side. */
static void bases_within(const ct_splitter_search *s, const ct_bin_level *above, uint32_t n,
                         uint32_t k, ct_bin_level *level)
{
    const ct_node_search *of = s->of;
    const size_t size = of->table->size;
    for (int side = 0; side < 2; side++)
        for (uint32_t leaf = 0; leaf < of->n_leaves[side]; leaf++) {
            double *base = level->base[side] + leaf * size;
            uint32_t count = above->base_n[side][leaf];
            memcpy(base, above->base[side] + leaf * size, size * sizeof *base);
            for (uint32_t i = side ? k + 1 : 0; i < (side ? n : k); i++) {
                uint32_t index = above->order[i] * of->n_slots + of->slot[side] + leaf;
                ct_gmt_add_gram(base, above->sums + index * size, size);
                count += above->counts[index];
            }
            level->base_n[side][leaf] = count;
        }
}

/* The rows of a bin as keys, by rank and then by number. Returns how many. */
static uint32_t sort_bin(ct_splitter_search *s, uint32_t top_bin)
{
    const ct_splitter *splitter = s->splitter;
    const uint8_t *leaf = s->of->leaf[0];
    uint64_t *keys = s->scratch->keys;
    uint32_t n = 0, first = splitter->first_rank[top_bin], end = splitter->bin_begin[top_bin + 1];
    for (uint32_t i = splitter->bin_begin[top_bin]; i < end; i++) {
        uint32_t row = splitter->order[i];
        keys[n] = (uint64_t) (splitter->rank[row] - first) << 32 | row;
        n += leaf[row] != CT_NOT_IN_NODE;
    }
    return n;
}

static uint32_t rank_of(uint64_t key) { return (uint32_t) (key >> 32); }

/* Divides the sorted rows begin .. end - 1 into smaller bins where the value changes: each has one
 * value or at most 1 / CT_SUB_BINS of the rows. Returns how many there are. */
static uint32_t cut_bin(const ct_splitter_search *s, ct_bin_level *level, uint32_t begin,
                        uint32_t end)
{
    const uint64_t *keys = s->scratch->keys;
    uint32_t n = 0, step = (end - begin + CT_SUB_BINS - 1) / CT_SUB_BINS;
    for (uint32_t i = begin; i < end;) {
        level->first[n] = i;
        level->order[n] = n;
        uint32_t at = end - i <= step ? end : i + step;
        while (at < end && at > i && rank_of(keys[at]) == rank_of(keys[at - 1])) at--;
        if (at == i) /* all of one value */
            for (at = i + 1; at < end && rank_of(keys[at]) == rank_of(keys[i]);) at++;
        i = at;
        CT_ASSERT(n < level->room);
        n++;
    }
    level->first[n] = end;
    return n;
}

static void sum_sub_bins(const ct_splitter_search *s, ct_bin_level *level, uint32_t n)
{
    uint32_t rows[CT_SPLIT_BLOCK], bin[CT_SPLIT_BLOCK], filled = 0;
    ct_gmt_clear_sums(s, level, n);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = level->first[k]; i < level->first[k + 1]; i++) {
            rows[filled] = (uint32_t) s->scratch->keys[i];
            bin[filled++] = k;
            if (filled == CT_SPLIT_BLOCK) {
                ct_gmt_add_rows(s, level, rows, bin, filled);
                filled = 0;
            }
        }
    ct_gmt_add_rows(s, level, rows, bin, filled);
}

static void open_sub_bins(ct_splitter_search *s, uint32_t depth, uint32_t n, uint32_t top_bin);

/* Tries the thresholds among sorted rows, which are of bin `top_bin` of level 0; the base of level
 * `depth` is set. */
static void search_rows(ct_splitter_search *s, uint32_t depth, uint32_t begin, uint32_t end,
                        uint32_t top_bin)
{
    ct_bin_level *level = &s->scratch->levels[depth];
    uint32_t n = cut_bin(s, level, begin, end);
    if (n < 2) return;
    sum_sub_bins(s, level, n);
    ct_gmt_scan_cuts(s, level, n);
    for (uint32_t k = level->cut > 1 ? level->cut : 1; k < n && k < level->cut_end; k++)
        if (ct_gmt_offer_cut(s, level, k))
            s->best.test.cut = s->splitter->first_rank[top_bin] +
                               rank_of(s->scratch->keys[level->first[k]]);
    open_sub_bins(s, depth, n, top_bin);
}

static int may_open(const ct_splitter_search *s, const ct_bin_level *level, uint32_t depth,
                    uint32_t k)
{
    const uint64_t *keys = s->scratch->keys;
    /* if the cuts beside the bin leave too few rows on one side, so do all within it */
    if (s->splitter->n_levels || k + 1 < level->cut || k >= level->cut_end) return 0;
    if (depth) return rank_of(keys[level->first[k]]) != rank_of(keys[level->first[k + 1] - 1]);
    uint32_t top_bin = level->order[k];
    return s->splitter->first_rank[top_bin + 1] - s->splitter->first_rank[top_bin] > 1;
}

/* Whether the rows of a bin cost too much, on whichever side they are, for a threshold within it to
 * be better. Only where every bin that pays is to be opened, and both sides are leaves. */
static int is_ruled_out(const ct_splitter_search *s, const ct_bin_level *level, uint32_t k,
                        double bound, const ct_bin_level *within)
{
    const ct_node_search *of = s->of;
    const uint32_t p = of->table->p, bin = level->order[k];
    if (of->options->without & CT_GMT_BOUND || of->n_slots > 1 ||
        of->options->open_max != UINT32_MAX || level->counts[bin] < BOUND_ROWS * p)
        return 0;
    double more = ct_gmt_open_bound(within->base[0], within->base[1],
                                    level->sums + bin * of->table->size, p, s->scratch->bound);
    return bound + more > s->least;
}

/* Opens bins in the order of their bounds, while these are below the best cost. `top_bin`: of level
 * 0, that they are within. */
static void open_sub_bins(ct_splitter_search *s, uint32_t depth, uint32_t n, uint32_t top_bin)
{
    ct_bin_level *level = &s->scratch->levels[depth];
    double last = -1;
    uint32_t last_k = 0;
    for (uint32_t opened = 0; opened < s->of->options->open_max; opened++) {
        double least = INFINITY;
        uint32_t chosen = n;
        for (uint32_t k = 0; k < n; k++) {
            double bound = ct_gmt_cut_cost(s, level, k, k + 1);
            int later = bound > last || (bound == last && k > last_k);
            if (later && bound < least && may_open(s, level, depth, k)) least = bound, chosen = k;
        }
        if (chosen == n || !(least < s->least - 1e-12 * s->of->table->total)) return;
        bases_within(s, level, n, chosen, &s->scratch->levels[depth + 1]);
        if (is_ruled_out(s, level, chosen, least, &s->scratch->levels[depth + 1])) {
            /* no threshold within it is better */
        } else if (depth) {
            search_rows(s, depth + 1, level->first[chosen], level->first[chosen + 1], top_bin);
        } else {
            uint32_t rows = sort_bin(s, level->order[chosen]);
            search_rows(s, 1, 0, rows, level->order[chosen]);
        }
        last = least;
        last_k = chosen;
    }
}

void ct_gmt_open_bins(ct_splitter_search *s, uint32_t n) { open_sub_bins(s, 0, n, 0); }
