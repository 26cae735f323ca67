/* Regression trees: the splits of the lowest level, and the predictions of every node from the
 * original responses. */
#ifndef CT_EXACT_FINISH_RESPONSE_TREE_H
#define CT_EXACT_FINISH_RESPONSE_TREE_H

#include "exact/cost/response.h"
#include "exact/finish/check.h"

/* What rows[0 .. n) cost as a leaf. */
int64_t ct_response_leaf(const ct_exact_costs *costs, const uint32_t *rows, uint32_t n);

/* Splits rows[0 .. n) (n >= 1), sorted with their ranks, into two leaves of at least min_bucket
 * rows: the first place, as the number of rows to the left, where these cost least; 0 if there is
 * no place that may be. *spared: INT64_MAX / 2 less what they cost then. */
uint32_t ct_response_split(const ct_exact_costs *costs, const uint32_t *rows, const uint32_t *ranks,
                           uint32_t n, uint32_t min_bucket, int64_t *spared);

/* What a node says of its rows, beside their number and weight in the tree. */
typedef struct {
    /* [n_nodes] weighted squared distance of the response from its mean; owned by whoever calls */
    double *deviance;
    /* [n_nodes] what each split takes off it, 0 in leaves: all digits, where the difference of
     * deviances and that of means have none left; owned by whoever calls */
    double *saved;
    double sse;       /* of all leaves together */
    int64_t cost;     /* the same on the grid: the sum of their costs */
    uint32_t splits;
} ct_response_facts;

/* Walks every row of the data down the tree (ct_forest_add_values is done, for one value): sets the
 * values, facts->deviance[] and facts->saved[], and leaf_of_row[n_rows] unless that is NULL; counts
 * again how many rows and weights each node has. CT_INTERNAL if the tree is malformed, breaks a
 * rule, or a count is not the tree's. */
ct_status ct_response_check(const ct_data *data, const ct_exact_costs *costs, ct_forest *tree,
                            const ct_tree_rules *rules, uint32_t *leaf_of_row,
                            ct_response_facts *facts, ct_error *error);

#endif
