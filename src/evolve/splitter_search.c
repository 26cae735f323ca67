#include <string.h>

#include "evolve/splitter_search.h"

/* ---- matrices in lanes ---- */

void ct_gmt_leaf_batch_solve(ct_leaf_batch *b)
{
    double sse[CT_GRAM_LANES], terms[CT_GRAM_LANES];
    if (!b->n) return;
    b->search->of->tree->kernels->pivots(b->search->scratch->lanes, b->search->of->table->p, sse,
                                         terms);
    for (unsigned lane = 0; lane < b->n; lane++) {
        b->level->sse[b->side][b->at[lane]] += sse[lane];
        b->level->terms[b->side][b->at[lane]] += terms[lane];
    }
    b->n = 0;
}

void ct_gmt_leaf_batch_add(ct_leaf_batch *b, const double *gram, uint32_t count, uint32_t at)
{
    double *lanes = b->search->scratch->lanes + b->n;
    const size_t size = b->search->of->table->size;
    /* a short loop takes longer where it crosses a line of the cache */
#pragma GCC unroll 4
    for (size_t i = 0; i < size; i++) lanes[i * CT_GRAM_LANES] = gram[i];
    if (count < b->search->of->options->minbucket) b->level->too_few[b->side][at] = 1;
    b->at[b->n++] = at;
    if (b->n == CT_GRAM_LANES) ct_gmt_leaf_batch_solve(b);
}

void ct_gmt_add_gram(double *sum, const double *more, size_t size)
{
    for (size_t i = 0; i < size; i++) sum[i] += more[i];
}

void ct_gmt_clear_costs(ct_bin_level *level, uint32_t n)
{
    for (int side = 0; side < 2; side++) {
        memset(level->sse[side], 0, n * sizeof(double));
        memset(level->terms[side], 0, n * sizeof(double));
        memset(level->too_few[side], 0, n);
    }
}

void ct_gmt_scan_side(ct_splitter_search *s, ct_bin_level *level, uint32_t n, int side,
                      uint32_t first, uint32_t last)
{
    const ct_node_search *of = s->of;
    const size_t size = of->table->size;
    const uint32_t skip = side ? n - last : first, end = side ? n - first : last;
    ct_leaf_batch b = {s, level, side, 0, {0}};
    double *run = s->scratch->run;
    CT_ASSERT(first <= last && last <= n);
    for (uint32_t leaf = 0; leaf < of->n_leaves[side]; leaf++) {
        uint32_t slot = of->slot[side] + leaf, count = level->base_n[side][leaf];
        memcpy(run, level->base[side] + leaf * size, size * sizeof *run);
        for (uint32_t i = 0;; i++) {
            if (i >= skip) ct_gmt_leaf_batch_add(&b, run, count, side ? n - i : i);
            if (i == end) break;
            uint32_t index = level->order[side ? n - 1 - i : i] * of->n_slots + slot;
            ct_gmt_add_gram(run, level->sums + index * size, size);
            count += level->counts[index];
        }
    }
    ct_gmt_leaf_batch_solve(&b);
}

uint32_t ct_gmt_base_rows(const ct_bin_level *level, int side, ct_leaf_range split)
{
    uint32_t n = 0;
    for (uint32_t leaf = split.begin; leaf < split.end; leaf++) n += level->base_n[side][leaf];
    return n;
}

uint32_t ct_gmt_bin_rows(const ct_splitter_search *s, const ct_bin_level *level, int side,
                         uint32_t bin, ct_leaf_range split)
{
    const uint32_t *counts = level->counts + bin * s->of->n_slots + s->of->slot[side];
    uint32_t n = 0;
    for (uint32_t leaf = split.begin; leaf < split.end; leaf++) n += counts[leaf];
    return n;
}

/* How many of the n bins the leaves together need on their side to have `least` rows; n + 1 if all
 * bins are too few. */
static uint32_t bins_needed(const ct_splitter_search *s, const ct_bin_level *level, uint32_t n,
                            int side, ct_leaf_range split, uint32_t least)
{
    uint32_t count = ct_gmt_base_rows(level, side, split), needed = 0;
    for (; count < least && needed < n; needed++)
        count += ct_gmt_bin_rows(s, level, side, level->order[side ? n - 1 - needed : needed],
                                 split);
    return count < least ? n + 1 : needed;
}

static void find_cuts(const ct_splitter_search *s, ct_bin_level *level, uint32_t n)
{
    const ct_gmt_split_options *options = s->of->options;
    uint32_t needed[2] = {0, 0}, needs;
    for (int side = 0; side < 2; side++) {
        for (uint32_t leaf = 0; leaf < s->of->n_leaves[side]; leaf++) {
            ct_leaf_range itself = {leaf, leaf + 1};
            needs = bins_needed(s, level, n, side, itself, options->minbucket);
            if (needs > needed[side]) needed[side] = needs;
        }
        for (uint32_t i = 0; i < s->of->n_splits[side]; i++) {
            needs = bins_needed(s, level, n, side, s->of->split[side][i], options->min_n);
            if (needs > needed[side]) needed[side] = needs;
        }
    }
    level->cut = needed[0];
    level->cut_end = n + 1 - needed[1];
}

void ct_gmt_scan_cuts(ct_splitter_search *s, ct_bin_level *level, uint32_t n)
{
    ct_gmt_clear_costs(level, n + 1);
    find_cuts(s, level, n);
    const uint32_t cut = level->cut, end = level->cut_end;
    /* between two k that are not cuts there may be a threshold within the bin */
    if (cut > end || cut > n || !end) return;
    ct_gmt_scan_side(s, level, n, 0, cut ? cut - 1 : 0, end - 1);
    ct_gmt_scan_side(s, level, n, 1, cut, end < n ? end : n);
}

double ct_gmt_cut_cost(const ct_splitter_search *s, const ct_bin_level *level, uint32_t left,
                       uint32_t right)
{
    double terms = level->terms[0][left] + level->terms[1][right] + s->of->splits;
    return level->sse[0][left] + level->sse[1][right] + s->of->options->lambda * terms;
}

int ct_gmt_offer_cut(ct_splitter_search *s, const ct_bin_level *level, uint32_t k)
{
    if (level->too_few[0][k] || level->too_few[1][k]) return 0;
    double cost = ct_gmt_cut_cost(s, level, k, k);
    if (!(cost < s->least - 1e-12 * s->of->table->total)) return 0;
    s->least = cost;
    s->best.sse = level->sse[0][k] + level->sse[1][k];
    s->best.terms = level->terms[0][k] + level->terms[1][k] + s->of->splits;
    memset(&s->best.test, 0, sizeof s->best.test);
    s->best.test.splitter = s->number;
    s->best.test.missing_left = s->missing_left;
    return 1;
}

/* ---- sums by bin ---- */

void ct_gmt_clear_sums(const ct_splitter_search *s, ct_bin_level *level, uint32_t n)
{
    memset(level->sums, 0, n * s->of->n_slots * s->of->table->size * sizeof(double));
    memset(level->counts, 0, n * s->of->n_slots * sizeof(uint32_t));
}

void ct_gmt_add_rows(const ct_splitter_search *s, ct_bin_level *level, const uint32_t *rows,
                     const uint32_t *bin, uint32_t n)
{
    const ct_node_search *of = s->of;
    const uint32_t n_slots = of->n_slots;
    uint32_t bucket[CT_SPLIT_BLOCK];
    for (int side = 0; side < (n_slots > 1 ? 2 : 1); side++) {
        const uint32_t slot = of->slot[side];
        const uint8_t *leaf = of->leaf[side];
        uint32_t *counts = level->counts;
        for (uint32_t i = 0; i < n; i++) {
            bucket[i] = bin[i] * n_slots + slot + (n_slots > 1 ? leaf[rows[i]] : 0);
            counts[bucket[i]]++;
        }
        of->tree->kernels->add(level->sums, bucket, of->table->z, rows, n, of->table->p);
    }
}
