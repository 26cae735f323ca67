#include "base/learner.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"

int ct_learner_pool_init(ct_learner_pool *p, uint32_t n_features, uint32_t n_classes,
                         uint32_t n_leaves)
{
    CT_ASSERT(n_features > 0 && n_classes > 0 && n_leaves > 0);
    memset(p, 0, sizeof *p);
    p->n_features = n_features;
    p->n_classes = n_classes;
    const size_t cells = ct_learner_leaf_cells(p), most = CT_LEARNER_CELLS / cells;
    p->most = most < 1 ? 1 : most < n_leaves ? (uint32_t) most : n_leaves;
    p->features = (uint32_t *) ct_alloc(n_features * sizeof *p->features);
    p->n_bins = (uint32_t *) ct_alloc(n_features * sizeof *p->n_bins);
    p->rows = (uint32_t *) ct_alloc(p->most * sizeof *p->rows);
    p->weights = (uint32_t *) ct_alloc(p->most * sizeof *p->weights);
    p->histogram = (int32_t *) ct_alloc(p->most * cells * sizeof *p->histogram);
    p->answers = (ct_learner_answer *) ct_alloc(p->most * sizeof *p->answers);
    return p->features && p->n_bins && p->rows && p->weights && p->histogram && p->answers;
}

int ct_learner_pool_call(const ct_learner_pool *p, ct_learner learn, void *calls, uint32_t tree,
                         uint32_t depth, uint32_t n)
{
    CT_ASSERT(n > 0 && n <= p->most);
    const ct_learner_round round = {
        .tree = tree, .depth = depth, .n_leaves = n, .n_features = p->n_features,
        .n_classes = p->n_classes, .features = p->features, .n_bins = p->n_bins, .rows = p->rows,
        .weights = p->weights, .histogram = p->histogram};
    for (uint32_t i = 0; i < n; i++) p->answers[i].feature = -1;
    return learn(calls, &round, p->answers);
}

void ct_learner_pool_free(ct_learner_pool *p)
{
    ct_free(p->features);
    ct_free(p->n_bins);
    ct_free(p->rows);
    ct_free(p->weights);
    ct_free(p->histogram);
    ct_free(p->answers);
}
