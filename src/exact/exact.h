/* Exact classification and regression trees: data and options in, a proven tree out.
 *
 * Minimises misclassified rows + complexity * n_rows * splits (with weights and losses: their
 * products summed over the rows + complexity * sum of the weights * splits) over all binary trees
 * of at most the given depth whose splits compare one column with one threshold (ConTree: Brita,
 * van der Linden, Demirovic, AAAI-25, with the search of src/exact/search/). The tree is the same
 * for any number of threads and on any device: of equally good ones the smallest, of these that
 * whose root splits on the first column, there at the lowest threshold, and so on down (unless
 * options->any_of_ties, which keeps to the smallest alone, a gap is accepted, or the search was
 * stopped; with options->any_size the first in that order of trees of any size). With a response
 * (see data/data.h) it minimises the weighted sum of squared distances from the means of the leaves
 * + complexity * that of all rows * splits, compared to within result->grid_error, as
 * exact/cost/response.h says. The library keeps no state between calls; concurrent calls do not
 * share anything. */
#ifndef CT_EXACT_EXACT_H
#define CT_EXACT_EXACT_H

#include "data/data.h"
#include "tree/forest.h"
#include "exact/run/options.h"
#include "exact/run/statistics.h"
#include "exact/run/worker.h"
#include "exact/finish/counted.h"

typedef struct {
    ct_forest tree;     /* a forest of one, owned: ct_exact_result_free */
    /* misclassified rows; with weights and losses, the sum of their products; with a response, the
     * squared error. The leaves of the tree are then values; counts and weights, of one class, are
     * all rows of a node */
    double errors;
    double cost;        /* errors + split_cost * splits */
    /* proven: no tree costs less; if the end is CT_END_OPTIMAL, cost less what rounding may have
     * hidden: nothing but with some weights and losses, see exact/cost/costs.h and penalty.h */
    double bound;
    /* of one split: complexity * n_rows, or the sum of the weights, or the squared error of all
     * rows */
    double split_cost;
    /* with a response: by how much the root of the squared error of a tree may differ from that of
     * the integers that were compared; 0: not at all */
    double grid_error;
    /* [n_nodes] with a response: the squared error of each node as a leaf; else NULL. Owned */
    double *deviance;
    double *saved;      /* [n_nodes] with a response: what each split takes off it. Owned */
    /* [n_cols] proven: no tree whose root splits on the column costs less; owned */
    double *root_bounds;
    ct_exact_counted counted;  /* errors, and what is proven of them, in integers; owned */
    /* CT_END_COST: nothing up to max_cost was found; the tree is a leaf that costs more */
    ct_exact_end end;
    int capped;         /* max_thresholds left thresholds out: optimal within those kept */
    ct_exact_statistics statistics;
    /* [n_history] whenever a better tree was found and some moments between; owned */
    ct_exact_progress *history;
    uint32_t n_history;
    const char *simd;   /* instruction set used; static text */
    unsigned threads;   /* that searched */
    char device[16];    /* "cpu", "cuda:0", "twin" */
    char device_note[256]; /* why a device was not used, or not to the end; empty: nothing to say */
    double seconds;
} ct_exact_result;

/* Solves and checks. On CT_OK the caller frees *result; on a failure nothing is left to free.
 * leaf_of_row[n_rows], which may be NULL, receives the node of each row's leaf. Errors:
 * CT_BAD_INPUT (data or options), CT_NO_DEVICE (the device asked for is not there, or failed),
 * CT_NO_MEMORY (no room to begin the search; once begun it ends with CT_END_MEMORY and its best
 * tree), CT_INTERNAL (the answer did not pass its check). */
ct_status ct_exact_solve(const ct_data *data, const ct_exact_options *options,
                         ct_exact_result *result, uint32_t *leaf_of_row, ct_error *error);
void ct_exact_result_free(ct_exact_result *result);

/* "optimal", "gap reached", "time limit", "memory limit", "interrupted" or "cost limit". */
const char *ct_exact_end_name(ct_exact_end end);

#endif
