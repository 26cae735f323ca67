#include "base/compact.h"

#include "forest/split/call_learner.h"

#include <string.h>

typedef struct {
    const ct_grower *grower;
    const ct_split_level *level;
    ct_learner_pool own;
} pool;

static void draw_pool(pool *p, ct_split_memory *memory)
{
    const ct_grower *g = p->grower;
    ct_rng rng = ct_forest_pool_rng(g, p->level->tree, p->level->tasks[0].depth);
    for (uint32_t i = 0; i < p->own.n_features; i++) {
        p->own.features[i] = ct_forest_draw_next(memory, &rng, i);
        p->own.n_bins[i] = g->codes->columns[p->own.features[i]].n_bins;
    }
    ct_forest_put_back(memory, p->own.n_features);
}

static int32_t *cells_of(const pool *p, uint32_t leaf, uint32_t feature)
{
    return p->own.histogram + ((size_t) leaf * p->own.n_features + feature) * p->own.n_classes *
        CT_LEARNER_BINS;
}

static void count_leaf(const pool *p, uint32_t leaf, const ct_hist_task *task)
{
    const ct_view *view = p->level->view;
    const ct_hist_run *runs = task->runs;
    memset(cells_of(p, leaf, 0), 0, ct_learner_leaf_cells(&p->own) * sizeof *p->own.histogram);
    for (uint32_t f = 0; f < p->own.n_features; f++) {
        const uint8_t *bins = view->bins + p->own.features[f] * view->bin_stride;
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
    for (uint32_t k = 0; k < p->own.n_classes; k++)
        weight += (uint32_t) cells[(size_t) k * CT_LEARNER_BINS + bin];
    return weight;
}

/* As for built-in rules the cut goes into the middle of the gap. 0: there is no such split. */
static int split_of(const pool *p, uint32_t leaf, const ct_learner_answer *answer,
                    ct_hist_split *split)
{
    if (answer->feature < 0 || (uint32_t) answer->feature >= p->own.n_features) return 0;
    uint32_t f = (uint32_t) answer->feature, n_bins = p->own.n_bins[f], left = 0;
    if (answer->bin >= n_bins) return 0;
    const ct_hist_code_column *column = &p->grower->codes->columns[p->own.features[f]];
    uint32_t missing = bin_weight(p, leaf, f, CT_LEARNER_BINS - 1), next = answer->bin + 1,
             last = answer->bin;
    for (uint32_t bin = 0; bin <= answer->bin; bin++) {
        uint32_t weight = bin_weight(p, leaf, f, bin);
        left += weight;
        if (weight) last = bin;
    }
    if (answer->missing_left) left += missing;
    if (!left || left == p->own.weights[leaf]) return 0;
    while (next < n_bins && !bin_weight(p, leaf, f, next)) next++;
    split->column = p->own.features[f];
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
    for (uint32_t i = 0; i < n; i++) {
        p->own.rows[i] = tasks[i].n;
        p->own.weights[i] = tasks[i].weight;
        count_leaf(p, i, &tasks[i]);
    }
    return ct_learner_pool_call(&p->own, options->learn, options->calls, p->level->tree,
                                tasks[0].depth, n);
}

ct_learner_end ct_forest_call_learner(const ct_grower *grower, ct_split_memory *memory,
                                      const ct_split_level *level, ct_hist_split *splits,
                                      uint8_t *found)
{
    CT_ASSERT(level->n > 0 && grower->options->learn && grower->n_classes);
    pool p = {.grower = grower, .level = level};
    const uint32_t n = level->n;
    const int fine = ct_learner_pool_init(&p.own, grower->options->mtry, grower->n_classes, n);
    ct_learner_end end = fine ? CT_LEARNER_DONE : CT_LEARNER_NO_MEMORY;
    if (end == CT_LEARNER_DONE) draw_pool(&p, memory);
    for (uint32_t from = 0; end == CT_LEARNER_DONE && from < n; from += p.own.most) {
        uint32_t some = n - from < p.own.most ? n - from : p.own.most;
        if (!call_for(&p, level->tasks + from, some)) end = CT_LEARNER_STOPPED;
        for (uint32_t i = 0; end == CT_LEARNER_DONE && i < some; i++)
            found[from + i] = (uint8_t) split_of(&p, i, &p.own.answers[i], &splits[from + i]);
    }
    ct_learner_pool_free(&p.own);
    return end;
}
