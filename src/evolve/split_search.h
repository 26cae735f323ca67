/* The best split of a node, given all that is below it: every threshold of every splitter is tried,
 * each with the models of all leaves below refitted to the rows that they would have.
 *
 * The rows of the node are sent down both subtrees once; for each splitter their Gram matrices are
 * summed by bin and leaf, and prefix sums from either end give the cost of every edge between bins.
 * A bin is opened, its rows sorted and divided into smaller bins, where
 *
 *     SSE(rows below the bin) + SSE(rows above the bin) < cost to be beaten,
 *
 * since the SSE of a row set is never above that of a superset; so the search ends at single rows.
 * `open_max` limits how many bins of a splitter are opened, those of the least bound first: without
 * a limit the result is exact. The rows without a value are tried on both sides. */
#ifndef CT_EVOLVE_SPLIT_SEARCH_H
#define CT_EVOLVE_SPLIT_SEARCH_H

#include "base/parallel.h"
#include "evolve/model_tree.h"

/* Factors of at most as many levels in a node are split by any set of them. */
enum { CT_SUBSET_LEVELS = 8 };

/* Short cuts: bins ruled out by a bound (open_bound.h); splitters ruled out by some of the rows,
 * which cost no more than all; results remembered (split_cache.h). */
enum { CT_GMT_BOUND = 1, CT_GMT_SOME_ROWS = 2, CT_GMT_CACHE = 4 };

typedef struct {
    uint32_t minbucket;
    uint32_t open_max; /* bins opened of a splitter and of each bin; UINT32_MAX: no limit */
    double lambda;     /* what a coefficient or a split costs */
    int32_t only;      /* this splitter alone; -1: all */
    uint32_t without; /* the short cuts that are not taken, which changes no result */
    uint32_t min_n;   /* least rows of a split below the node, which has as many itself */
} ct_gmt_split_options;

/* A split of the node, and the models and splits that would then be below it. */
typedef struct {
    double sse, terms;
    ct_gmt_test test; /* splitter -1: no split was found */
} ct_gmt_split;

/* The working memory of one thread; NULL if there is not enough memory. */
typedef struct ct_split_scratch ct_split_scratch;
ct_split_scratch *ct_gmt_split_scratch_new(const ct_model_table *table, uint32_t leaves_max);
void ct_gmt_split_scratch_free(ct_split_scratch *scratch);

typedef struct {
    ct_gmt_split best;    /* the best test */
    ct_gmt_split kept[2]; /* the left or the right subtree in the node's place */
} ct_gmt_split_result;

/* Searches the splits of `node` for the least sse + lambda * terms below `limit`. Of splits equal
 * to within 1e-12 of the table's total the first one is taken, in the order of splitters and
 * thresholds. `scratch`: one for each of `threads`, which share the splitters. Fails only with
 * CT_NO_MEMORY. */
ct_status ct_gmt_split_search(const ct_model_tree *tree, int32_t node, double limit,
                              const ct_gmt_split_options *options, ct_split_scratch *const *scratch,
                              unsigned threads, ct_gmt_split_result *result, ct_error *error);

#endif
