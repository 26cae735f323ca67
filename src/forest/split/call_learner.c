#include "forest/split/call_learner.h"

#include <string.h>

#include "base/memory.h"

/* The pool of a level, and the leaves that are end about at a time. */
typedef struct {
    const ct_grower *grower;
    const ct_split_level *level;
    uint32_t n_features, n_classes, most; /* leaves at a time */
    uint32_t *features, *n_bins;          /* [n_features] owned, as all below */
    uint32_t *rows, *weights;             /* [most] */
    int32_t *histogram;                   /* [most][n_features][n_classes][CT_LEARNER_BINS] */
    ct_learner_answer *answers;           /* [most] */
} pool;

static size_t leaf_cells(const pool *p)
{
    return (size_t) p->n_features * p->n_classes * CT_LEARNER_BINS;
}

static void pool_free(pool *p)
{
    ct_free(p->features);
    ct_free(p->n_bins);
    ct_free(p->rows);
    ct_free(p->weights);
    ct_free(p->histogram);
    ct_free(p->answers);
}

static int pool_init(pool *p, const ct_grower *grower, const ct_split_level *level)
{
    memset(p, 0, sizeof *p);
    p->grower = grower;
    p->level = level;
    p->n_features = grower->options->mtry;
    p->n_classes = grower->n_classes;
    size_t most = CT_LEARNER_CELLS / leaf_cells(p);
    p->most = most < 1 ? 1 : most < level->n ? (uint32_t) most : level->n;
    p->features = (uint32_t *) ct_alloc(p->n_features * sizeof *p->features);
    p->n_bins = (uint32_t *) ct_alloc(p->n_features * sizeof *p->n_bins);
    p->rows = (uint32_t *) ct_alloc(p->most * sizeof *p->rows);
    p->weights = (uint32_t *) ct_alloc(p->most * sizeof *p->weights);
    p->histogram = (int32_t *) ct_alloc(p->most * leaf_cells(p) * sizeof *p->histogram);
    p->answers = (ct_learner_answer *) ct_alloc(p->most * sizeof *p->answers);
    return p->features && p->n_bins && p->rows && p->weights && p->histogram && p->answers;
}

static void draw_pool(pool *p, ct_split_memory *memory)
{
    const ct_grower *g = p->grower;
    ct_rng rng = ct_forest_pool_rng(g, p->level->tree, p->level->tasks[0].depth);
    for (uint32_t i = 0; i < p->n_features; i++) {
        p->features[i] = ct_forest_draw_next(memory, &rng, i);
        p->n_bins[i] = g->codes->columns[p->features[i]].n_bins;
    }
    ct_forest_put_back(memory, p->n_features);
}

static int32_t *cells_of(const pool *p, uint32_t leaf, uint32_t feature)
{
    return p->histogram + ((size_t) leaf * p->n_features + feature) * p->n_classes *
        CT_LEARNER_BINS;
}

static void count_leaf(const pool *p, uint32_t leaf, const ct_hist_task *task)
{
    const ct_view *view = p->level->view;
    const ct_hist_run *runs = task->runs;
    memset(cells_of(p, leaf, 0), 0, leaf_cells(p) * sizeof *p->histogram);
    for (uint32_t f = 0; f < p->n_features; f++) {
        const uint8_t *bins = view->bins + p->features[f] * view->bin_stride;
        const ct_item *item = p->level->items + task->begin;
        for (uint32_t k = 0; k < task->n_runs; k++) {
            int32_t *cells = cells_of(p, leaf, f) + (size_t) runs[k].class_ * CT_LEARNER_BINS;
            for (const ct_item *end = item + runs[k].n; item < end; item++)
                cells[bins[item->row]] += (int32_t) item->weight;
        }
    }
}

static uint32_t bin_weight(const pool *p, uint32_t leaf, uint32_t feature, uint32_t bin)
{
    const int32_t *cells = cells_of(p, leaf, feature);
    uint32_t weight = 0;
    for (uint32_t k = 0; k < p->n_classes; k++)
        weight += (uint32_t) cells[(size_t) k * CT_LEARNER_BINS + bin];
    return weight;
}

/* As for built-in rules the cut goes into the middle of the gap. 0: there is no such split. */
static int split_of(const pool *p, uint32_t leaf, const ct_learner_answer *answer,
                    ct_hist_split *split)
{
    if (answer->feature < 0 || (uint32_t) answer->feature >= p->n_features) return 0;
    uint32_t f = (uint32_t) answer->feature, n_bins = p->n_bins[f], left = 0;
    if (answer->bin >= n_bins) return 0;
    const ct_hist_code_column *column = &p->grower->codes->columns[p->features[f]];
    uint32_t missing = bin_weight(p, leaf, f, CT_LEARNER_BINS - 1), next = answer->bin + 1,
             last = answer->bin;
    for (uint32_t bin = 0; bin <= answer->bin; bin++) {
        uint32_t weight = bin_weight(p, leaf, f, bin);
        left += weight;
        if (weight) last = bin;
    }
    if (answer->missing_left) left += missing;
    if (!left || left == p->weights[leaf]) return 0;
    while (next < n_bins && !bin_weight(p, leaf, f, next)) next++;
    split->column = p->features[f];
    split->is_set = 0;
    split->codes = NULL;
    split->weights = NULL;
    split->cut = column->first[next < n_bins ? (last + next + 1) / 2 : next];
    split->missing_left = answer->missing_left;
    split->knows_missing = missing > 0;
    return 1;
}

static int call_for(pool *p, const ct_hist_task *tasks, uint32_t n)
{
    const ct_hist_options *options = p->grower->options;
    ct_learner_round round = {.tree = p->level->tree,
                                   .depth = tasks[0].depth,
                                   .n_leaves = n,
                                   .n_features = p->n_features,
                                   .n_classes = p->n_classes,
                                   .features = p->features,
                                   .n_bins = p->n_bins,
                                   .rows = p->rows,
                                   .weights = p->weights,
                                   .histogram = p->histogram};
    for (uint32_t i = 0; i < n; i++) {
        p->rows[i] = tasks[i].n;
        p->weights[i] = tasks[i].weight;
        p->answers[i].feature = -1;
        count_leaf(p, i, &tasks[i]);
    }
    return options->learn(options->calls, &round, p->answers);
}

ct_learner_end ct_forest_call_learner(const ct_grower *grower, ct_split_memory *memory,
                                      const ct_split_level *level, ct_hist_split *splits,
                                      uint8_t *found)
{
    CT_ASSERT(level->n > 0 && grower->options->learn && grower->n_classes);
    pool p;
    const uint32_t n = level->n;
    ct_learner_end end = pool_init(&p, grower, level) ? CT_LEARNER_DONE : CT_LEARNER_NO_MEMORY;
    if (end == CT_LEARNER_DONE) draw_pool(&p, memory);
    for (uint32_t from = 0; end == CT_LEARNER_DONE && from < n; from += p.most) {
        uint32_t some = n - from < p.most ? n - from : p.most;
        if (!call_for(&p, level->tasks + from, some)) end = CT_LEARNER_STOPPED;
        for (uint32_t i = 0; end == CT_LEARNER_DONE && i < some; i++)
            found[from + i] = (uint8_t) split_of(&p, i, &p.answers[i], &splits[from + i]);
    }
    pool_free(&p);
    return end;
}
