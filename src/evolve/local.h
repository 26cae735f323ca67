/* Local search over model trees, exact in each step: every node in turn gets the best of all tests
 * (split_search.h), or is removed, until no node can be improved. */
#ifndef CT_EVOLVE_LOCAL_H
#define CT_EVOLVE_LOCAL_H

#include "base/rng.h"
#include "evolve/split_cache.h"

/* What one worker owns: trees to undo and try changes, and working memory. */
typedef struct {
    const ct_tree_limits *limits;
    ct_model_tree undo, trial;
    ct_split_scratch **scratch; /* [threads] */
    ct_split_cache *cache;
    unsigned threads; /* that share a split search */
    uint32_t without; /* short cuts, see ct_gmt_split_options */
    int shift_only;   /* splits keep their splitter, leaves stay leaves */
    unsigned worker;  /* for ct_halt_now */
    ct_halt *halt;
    int64_t touched; /* rows of the nodes that were searched */
} ct_local;

ct_status ct_gmt_local_init(ct_local *local, const ct_model_tree *like,
                            const ct_tree_limits *limits, unsigned threads, ct_error *error);
void ct_gmt_local_free(ct_local *local);

/* n log(SSE / n) + complexity * log(n) * (coefficients + splits). An SSE of less than 1e-11 of the
 * total counts as that: what is below is rounding. */
double ct_gmt_tree_bic(const ct_model_tree *tree, double complexity);
/* The slope of BIC in SSE and size: SSE + lambda * size is a bound of BIC that touches it at this
 * tree, so that what lowers the one lowers the other. */
double ct_gmt_tree_lambda(const ct_model_tree *tree, double complexity);

/* Improves the tree until no dirty node is left, in random order, looking at `steps` nodes at most.
 * *clean: whether no dirty node is left. Fails only with CT_NO_MEMORY; the tree is sound in any
 * case. */
ct_status ct_gmt_local_search(ct_local *local, ct_model_tree *tree, double lambda,
                              uint32_t open_max, uint32_t steps, ct_rng *rng, int *clean,
                              ct_error *error);

/* For each split whose child is a split: the child's test on top and its own below it, on both
 * sides, then a short local search. Keeps what is better; *better: whether anything was. */
ct_status ct_gmt_rotate(ct_local *local, ct_model_tree *tree, double lambda, uint32_t open_max,
                        ct_rng *rng, int *better, ct_error *error);

/* Expands the leaf that gains most, whatever a split costs, as long as the limits allow. */
ct_status ct_gmt_grow_greedily(ct_local *local, ct_model_tree *tree, uint32_t open_max,
                               ct_error *error);

#endif
