/* The best test for a node, given all that is below it: every threshold of every splitter is tried,
 * each with the models of all leaves below refitted to the rows that they would have.
 *
 * The rows of the node are sent down both subtrees once; for each splitter their Gram matrices are
 * summed by bin and leaf, and prefix sums from either end give the cost of every edge between bins.
 * A bin is opened, its rows sorted and cut into smaller ones, where
 *
 *     SSE(rows below the bin) + SSE(rows above the bin) < cost to be beaten,
 *
 * since the SSE of a row set is never above that of a superset; so it ends at single rows. `most`
 * limits how many bins of a splitter are opened, those of the least bound first: without a limit
 * the answer is exact. The rows without a value are tried on both sides. */
#ifndef CT_EVOLVE_LINE_SEARCH_H
#define CT_EVOLVE_LINE_SEARCH_H

#include "base/parallel.h"
#include "evolve/model_tree.h"

enum { CT_SUBSET_LEVELS = 8 }; /* factors of at most as many in a node are split by any set */

/* Short cuts: bins ruled out by a bound (open_bound.h); splitters ruled out by some of the rows,
 * which cost no more than all; answers remembered (line_memory.h). */
enum { CT_LINE_BOUND = 1, CT_LINE_SOME_ROWS = 2, CT_LINE_MEMORY = 4 };

typedef struct {
    uint32_t minbucket;
    uint32_t open_max; /* bins of a splitter and of each bin within; UINT32_MAX: as many as pay */
    double lambda;     /* what a coefficient or a split costs */
    int32_t only;      /* this splitter alone; -1: all */
    uint32_t without;  /* CT_LINE_...: short cuts that are not taken, which changes no answer */
    uint32_t min_n;    /* rows of a split below the node at least; it has as many itself */
} ct_line_options;

/* What would be below the node; `terms` has the splits as well. */
typedef struct {
    double sse, terms;
    ct_gmt_test test; /* splitter -1: there is none */
} ct_line_best;

typedef struct ct_line_scratch ct_line_scratch; /* of one thread; NULL if memory ends */
ct_line_scratch *ct_gmt_line_scratch_new(const ct_model_table *table, uint32_t leaves_max);
void ct_gmt_line_scratch_free(ct_line_scratch *scratch);

typedef struct {
    ct_line_best best;       /* the best test */
    ct_line_best kept[2];    /* the left, or right, subtree in the node's place */
} ct_line_answer;

/* Searches the tests of `node` for the least sse + lambda * terms, of those below `limit`; equal to
 * 1e-12 of the table's total are taken in the order of splitters and thresholds. `scratch`: one for
 * each of `threads`, which share the splitters. CT_NO_MEMORY alone can go wrong. */
ct_status ct_gmt_line_search(const ct_model_tree *tree, int32_t node, double limit,
                             const ct_line_options *options, ct_line_scratch *const *scratch,
                             unsigned threads, ct_line_answer *answer, ct_error *error);

#endif
