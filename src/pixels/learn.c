/* Splits of a level that a learner chooses: it is asked about some leaves at a time, with the
 * counts of all candidates. */
#include <string.h>

#include "base/memory.h"
#include "pixels/conditions.h"

/* The leaves of a chunk, and those of them that are asked about at a time. */
typedef struct {
    const ct_pixel_level *level;
    const ct_pixel_chunk *chunk;
    const uint32_t *cells;
    uint32_t n, most;            /* candidates; leaves at a time */
    uint32_t *features, *n_bins; /* [n] owned, as all below */
    uint32_t *pixels;            /* [most] */
    int32_t *histogram;          /* [most][n][n_classes][CT_LEARNER_BINS] */
    ct_learner_answer *answers;  /* [most] */
} pool;

static size_t leaf_cells(const pool *p)
{
    return (size_t) p->n * p->level->n_classes * CT_LEARNER_BINS;
}

static void pool_free(pool *p)
{
    ct_free(p->features);
    ct_free(p->n_bins);
    ct_free(p->pixels);
    ct_free(p->histogram);
    ct_free(p->answers);
}

/* 0 if memory ends. */
static int pool_init(pool *p)
{
    p->n = p->level->options->features;
    const size_t most = CT_LEARNER_CELLS / leaf_cells(p);
    p->most = most < 1 ? 1 : most < p->chunk->n_leaves ? (uint32_t) most : p->chunk->n_leaves;
    p->features = (uint32_t *) ct_alloc(p->n * sizeof *p->features);
    p->n_bins = (uint32_t *) ct_alloc(p->n * sizeof *p->n_bins);
    p->pixels = (uint32_t *) ct_alloc(p->most * sizeof *p->pixels);
    p->histogram = (int32_t *) ct_alloc(p->most * leaf_cells(p) * sizeof *p->histogram);
    p->answers = (ct_learner_answer *) ct_alloc(p->most * sizeof *p->answers);
    if (!p->features || !p->n_bins || !p->pixels || !p->histogram || !p->answers) return 0;
    for (uint32_t i = 0; i < p->n; i++) {
        p->features[i] = i;
        p->n_bins[i] = p->level->options->bins;
    }
    return 1;
}

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
    int32_t *to = p->histogram + i * leaf_cells(p);
    CT_ASSERT(i < p->most);
    ct_pixel_cells_are_sound(p->level, p->chunk, cells_of(p, leaf), p->chunk->first_leaf + leaf);
    memset(to, 0, leaf_cells(p) * sizeof *to);
    for (uint32_t feature = 0; feature < p->n; feature++) {
        const uint32_t *from = cells_of(p, leaf) + feature * p->chunk->size;
        for (uint32_t c = 0; c < k; c++, to += CT_LEARNER_BINS, from += bins)
            memcpy(to, from, bins * sizeof *to);
    }
    p->pixels[i] = 0;
    for (uint32_t c = 0; c < k; c++) p->pixels[i] += totals[c];
    p->answers[i].feature = -1;
}

/* No split where there is no such candidate or bin, or a side would be empty. */
static void take_answer(const pool *p, uint32_t i, uint32_t leaf)
{
    const ct_learner_answer *answer = &p->answers[i];
    const uint32_t at = p->chunk->first_leaf + leaf, k = p->level->n_classes;
    ct_pixel_split *split = &p->level->splits[at];
    uint32_t right = 0;
    if (answer->feature < 0 || (uint32_t) answer->feature >= p->n ||
        answer->bin + 1 >= p->chunk->bins)
        return;
    split->candidate = (uint32_t) answer->feature;
    split->test = answer->bin + 1;
    ct_pixel_fill_inside(p->level, p->chunk, cells_of(p, leaf), at);
    for (uint32_t c = 0; c < k; c++) right += p->level->inside[(size_t) at * k + c];
    if (!right || right == p->pixels[i]) split->candidate = CT_PIXEL_NONE;
}

/* 0: the learner wants no more. */
static int ask_about(const pool *p, uint32_t first, uint32_t n)
{
    const ct_pixel_level *level = p->level;
    ct_learner_round round = {.tree = level->tree,
                              .depth = level->depth,
                              .n_leaves = n,
                              .n_features = p->n,
                              .n_classes = level->n_classes,
                              .features = p->features,
                              .n_bins = p->n_bins,
                              .rows = p->pixels,
                              .weights = p->pixels,
                              .histogram = p->histogram};
    for (uint32_t i = 0; i < n; i++) add_leaf(p, i, first + i);
    if (!level->options->learn(level->options->calls, &round, p->answers)) return 0;
    for (uint32_t i = 0; i < n; i++) take_answer(p, i, first + i);
    return 1;
}

int ct_pixel_call_learner(const ct_pixel_level *level, const ct_pixel_chunk *chunk,
                          const uint32_t *cells)
{
    pool p;
    CT_ASSERT(chunk->per == 1 && !chunk->first && chunk->n >= level->options->features);
    memset(&p, 0, sizeof p);
    p.level = level;
    p.chunk = chunk;
    p.cells = cells;
    const int fine = pool_init(&p);
    for (uint32_t from = 0; fine && from < chunk->n_leaves; from += p.most) {
        const uint32_t rest = chunk->n_leaves - from;
        if (ask_about(&p, from, rest < p.most ? rest : p.most)) continue;
        ct_halt_set(level->stop);
        break;
    }
    pool_free(&p);
    return fine;
}
