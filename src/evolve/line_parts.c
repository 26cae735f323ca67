#include <string.h>

#include "evolve/line_parts.h"

/* ---- matrices in lanes ---- */

void ct_gmt_line_solve(ct_line_batch *b)
{
    double sse[CT_GRAM_LANES], terms[CT_GRAM_LANES];
    if (!b->n) return;
    b->l->of->tree->kernels->pivots(b->l->scratch->lanes, b->l->of->table->p, sse, terms);
    for (unsigned lane = 0; lane < b->n; lane++) {
        b->level->sse[b->side][b->at[lane]] += sse[lane];
        b->level->terms[b->side][b->at[lane]] += terms[lane];
    }
    b->n = 0;
}

void ct_gmt_line_put(ct_line_batch *b, const double *gram, uint32_t count, uint32_t at)
{
    double *lanes = b->l->scratch->lanes + b->n;
    for (size_t i = 0; i < b->l->of->table->size; i++) lanes[i * CT_GRAM_LANES] = gram[i];
    if (count < b->l->of->options->minbucket) b->level->few[b->side][at] = 1;
    b->at[b->n++] = at;
    if (b->n == CT_GRAM_LANES) ct_gmt_line_solve(b);
}

void ct_gmt_line_add(double *sum, const double *more, size_t size)
{
    for (size_t i = 0; i < size; i++) sum[i] += more[i];
}

void ct_gmt_line_clear_costs(ct_line_level *level, uint32_t n)
{
    for (int side = 0; side < 2; side++) {
        memset(level->sse[side], 0, n * sizeof(double));
        memset(level->terms[side], 0, n * sizeof(double));
        memset(level->few[side], 0, n);
    }
}

void ct_gmt_line_scan(ct_line *l, ct_line_level *level, uint32_t n, int side, uint32_t first,
                      uint32_t last)
{
    const ct_line_node *of = l->of;
    const size_t size = of->table->size;
    const uint32_t skip = side ? n - last : first, end = side ? n - first : last;
    ct_line_batch b = {l, level, side, 0, {0}};
    double *run = l->scratch->run;
    CT_ASSERT(first <= last && last <= n);
    for (uint32_t leaf = 0; leaf < of->n_leaves[side]; leaf++) {
        uint32_t slot = of->slot[side] + leaf, count = level->base_n[side][leaf];
        memcpy(run, level->base[side] + leaf * size, size * sizeof *run);
        for (uint32_t i = 0;; i++) {
            if (i >= skip) ct_gmt_line_put(&b, run, count, side ? n - i : i);
            if (i == end) break;
            uint32_t place = level->order[side ? n - 1 - i : i] * of->n_slots + slot;
            ct_gmt_line_add(run, level->sums + place * size, size);
            count += level->counts[place];
        }
    }
    ct_gmt_line_solve(&b);
}

uint32_t ct_gmt_line_base_rows(const ct_line_level *level, int side, ct_line_split split)
{
    uint32_t n = 0;
    for (uint32_t leaf = split.begin; leaf < split.end; leaf++) n += level->base_n[side][leaf];
    return n;
}

uint32_t ct_gmt_line_part_rows(const ct_line *l, const ct_line_level *level, int side,
                               uint32_t part, ct_line_split split)
{
    const uint32_t *counts = level->counts + part * l->of->n_slots + l->of->slot[side];
    uint32_t n = 0;
    for (uint32_t leaf = split.begin; leaf < split.end; leaf++) n += counts[leaf];
    return n;
}

/* How many of the n parts the leaves together need on their side for `least` rows; n + 1 if all are
 * too few. */
static uint32_t parts_needed(const ct_line *l, const ct_line_level *level, uint32_t n, int side,
                             ct_line_split split, uint32_t least)
{
    uint32_t count = ct_gmt_line_base_rows(level, side, split), needed = 0;
    for (; count < least && needed < n; needed++)
        count += ct_gmt_line_part_rows(l, level, side, level->order[side ? n - 1 - needed : needed],
                                       split);
    return count < least ? n + 1 : needed;
}

static void find_cuts(const ct_line *l, ct_line_level *level, uint32_t n)
{
    const ct_line_options *options = l->of->options;
    uint32_t needed[2] = {0, 0}, parts;
    for (int side = 0; side < 2; side++) {
        for (uint32_t leaf = 0; leaf < l->of->n_leaves[side]; leaf++) {
            ct_line_split itself = {leaf, leaf + 1};
            parts = parts_needed(l, level, n, side, itself, options->minbucket);
            if (parts > needed[side]) needed[side] = parts;
        }
        for (uint32_t i = 0; i < l->of->n_splits[side]; i++) {
            parts = parts_needed(l, level, n, side, l->of->split[side][i], options->min_n);
            if (parts > needed[side]) needed[side] = parts;
        }
    }
    level->cut = needed[0];
    level->cut_end = n + 1 - needed[1];
}

void ct_gmt_line_scan_cuts(ct_line *l, ct_line_level *level, uint32_t n)
{
    ct_gmt_line_clear_costs(level, n + 1);
    find_cuts(l, level, n);
    const uint32_t cut = level->cut, end = level->cut_end;
    /* a part between two k that are not cuts may have one within */
    if (cut > end || cut > n || !end) return;
    ct_gmt_line_scan(l, level, n, 0, cut ? cut - 1 : 0, end - 1);
    ct_gmt_line_scan(l, level, n, 1, cut, end < n ? end : n);
}

double ct_gmt_line_cost(const ct_line *l, const ct_line_level *level, uint32_t left, uint32_t right)
{
    double terms = level->terms[0][left] + level->terms[1][right] + l->of->splits;
    return level->sse[0][left] + level->sse[1][right] + l->of->options->lambda * terms;
}

int ct_gmt_line_offer(ct_line *l, const ct_line_level *level, uint32_t k)
{
    if (level->few[0][k] || level->few[1][k]) return 0;
    double cost = ct_gmt_line_cost(l, level, k, k);
    if (!(cost < l->least - 1e-12 * l->of->table->total)) return 0;
    l->least = cost;
    l->best.sse = level->sse[0][k] + level->sse[1][k];
    l->best.terms = level->terms[0][k] + level->terms[1][k] + l->of->splits;
    memset(&l->best.test, 0, sizeof l->best.test);
    l->best.test.splitter = l->number;
    l->best.test.missing_left = l->missing_left;
    return 1;
}

/* ---- sums by part ---- */

void ct_gmt_line_clear(const ct_line *l, ct_line_level *level, uint32_t n)
{
    memset(level->sums, 0, n * l->of->n_slots * l->of->table->size * sizeof(double));
    memset(level->counts, 0, n * l->of->n_slots * sizeof(uint32_t));
}

void ct_gmt_line_add_rows(const ct_line *l, ct_line_level *level, const uint32_t *rows,
                          const uint32_t *part, uint32_t n)
{
    const ct_line_node *of = l->of;
    const uint32_t n_slots = of->n_slots;
    uint32_t bucket[CT_LINE_BLOCK];
    for (int side = 0; side < (n_slots > 1 ? 2 : 1); side++) {
        const uint32_t slot = of->slot[side];
        const uint8_t *leaf = of->leaf[side];
        uint32_t *counts = level->counts;
        for (uint32_t i = 0; i < n; i++) {
            bucket[i] = part[i] * n_slots + slot + (n_slots > 1 ? leaf[rows[i]] : 0);
            counts[bucket[i]]++;
        }
        of->tree->kernels->add(level->sums, bucket, of->table->z, rows, n, of->table->p);
    }
}
