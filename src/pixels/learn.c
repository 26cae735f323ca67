/* Splits of a level that a learner chooses: it is asked about some leaves at a time, with the
 * counts of all candidates. */
#include <string.h>

#include "pixels/conditions.h"

typedef struct {
    const ct_pixel_level *level;
    const ct_pixel_chunk *chunk;
    const uint32_t *cells;
    ct_learner_pool own;
} pool;

/* Of a leaf of the chunk: its counts by the first candidate. */
static const uint32_t *cells_of(const pool *p, uint32_t leaf)
{
    return p->cells + (size_t) leaf * p->level->n_classes * p->chunk->bins;
}

/* The i-th of those asked about is leaf `leaf` of the chunk. */
static void add_leaf(const pool *p, uint32_t i, uint32_t leaf)
{
    const uint32_t k = p->level->n_classes, bins = p->chunk->bins;
    const uint32_t *totals = p->level->totals + (size_t) (p->chunk->first_leaf + leaf) * k;
    int32_t *to = p->own.histogram + i * ct_learner_leaf_cells(&p->own);
    CT_ASSERT(i < p->own.most);
    ct_pixel_cells_are_sound(p->level, p->chunk, cells_of(p, leaf), p->chunk->first_leaf + leaf);
    memset(to, 0, ct_learner_leaf_cells(&p->own) * sizeof *to);
    for (uint32_t feature = 0; feature < p->own.n_features; feature++) {
        const uint32_t *from = cells_of(p, leaf) + feature * p->chunk->size;
        for (uint32_t c = 0; c < k; c++, to += CT_LEARNER_BINS, from += bins)
            memcpy(to, from, bins * sizeof *to);
    }
    p->own.weights[i] = 0;
    for (uint32_t c = 0; c < k; c++) p->own.weights[i] += totals[c];
    p->own.rows[i] = p->own.weights[i];
}

/* No split where there is no such candidate or bin, or a side would be empty. */
static void take_answer(const pool *p, uint32_t i, uint32_t leaf)
{
    const ct_learner_answer *answer = &p->own.answers[i];
    const uint32_t at = p->chunk->first_leaf + leaf, k = p->level->n_classes;
    ct_pixel_split *split = &p->level->splits[at];
    uint32_t right = 0;
    if (answer->feature < 0 || (uint32_t) answer->feature >= p->own.n_features ||
        answer->bin + 1 >= p->chunk->bins)
        return;
    split->candidate = (uint32_t) answer->feature;
    split->test = answer->bin + 1;
    ct_pixel_fill_inside(p->level, p->chunk, cells_of(p, leaf), at);
    for (uint32_t c = 0; c < k; c++) right += p->level->inside[(size_t) at * k + c];
    if (!right || right == p->own.weights[i]) split->candidate = CT_PIXEL_NONE;
}

/* 0: the learner wants no more. */
static int ask_about(const pool *p, uint32_t first, uint32_t n)
{
    const ct_pixel_level *level = p->level;
    for (uint32_t i = 0; i < n; i++) add_leaf(p, i, first + i);
    if (!ct_learner_pool_call(&p->own, level->options->learn, level->options->calls, level->tree,
                              level->depth, n))
        return 0;
    for (uint32_t i = 0; i < n; i++) take_answer(p, i, first + i);
    return 1;
}

int ct_pixel_call_learner(const ct_pixel_level *level, const ct_pixel_chunk *chunk,
                          const uint32_t *cells)
{
    const uint32_t n = level->options->features;
    CT_ASSERT(chunk->per == 1 && !chunk->first && chunk->n >= n);
    pool p = {level, chunk, cells, {0}};
    const int fine = ct_learner_pool_init(&p.own, n, level->n_classes, chunk->n_leaves);
    for (uint32_t i = 0; fine && i < n; i++) {
        p.own.features[i] = i;
        p.own.n_bins[i] = level->options->bins;
    }
    for (uint32_t from = 0; fine && from < chunk->n_leaves; from += p.own.most) {
        const uint32_t rest = chunk->n_leaves - from;
        if (ask_about(&p, from, rest < p.own.most ? rest : p.own.most)) continue;
        ct_halt_set(level->stop);
        break;
    }
    ct_learner_pool_free(&p.own);
    return fine;
}
