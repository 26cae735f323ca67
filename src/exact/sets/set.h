/* All trees that cost no more than a budget, as a graph (graph.h).
 *
 * A tree has at each inner node a column and a cut between two neighbouring values of the node's
 * own rows; its leaves have the best label, the first of equals. Two trees are one if they split
 * each node's rows by the same column, or by columns of the same group, in the same way. Splits
 * into two leaves of one label are left out. The budget is the cap of the options, less one: see
 * max_cost, beside and within in exact/run/options.h.
 *
 * The search is that for the best tree with a limit that does not fall (search/survivors.h). A
 * split that costs s less than the budget of its node leaves s to each side beyond the best that it
 * can have: what is left never grows on the way down. */
#ifndef CT_EXACT_SETS_SET_H
#define CT_EXACT_SETS_SET_H

#include "exact/exact.h"

typedef struct ct_set ct_set;

/* What a set is, once it is made. */
typedef struct {
    int64_t least;         /* of all its trees */
    int64_t budget;        /* trees cost this at most */
    int64_t complete;      /* no tree that costs this or less is missing; less than `least`: any
                            * may be */
    uint32_t n_costs;      /* different costs of its trees */
    ct_exact_end end;      /* why the search ended, CT_END_OPTIMAL: it is complete */
    size_t n_nodes, n_options, n_counts, bytes;
    double seconds;
} ct_set_facts;

enum { CT_SET_MOST_DEPTH = 4 };

/* Finds the set. groups[n_cols]: see ct_set_stumps_list(); NULL: each column is of its own.
 * most_nodes: of the graph, 0: any number. Borrows the values of the columns, weights and loss as
 * long as the set lives; all else is copied. Freed by ct_set_free, which takes NULL. Errors: those
 * of ct_exact_solve, CT_BAD_INPUT for a depth above CT_SET_MOST_DEPTH. */
ct_status ct_set_new(const ct_data *data, const ct_exact_options *options, const uint32_t *groups,
                     size_t most_nodes, ct_set **set, ct_error *error);
void ct_set_free(ct_set *set);

ct_set_facts ct_set_about(const ct_set *set);
/* Words of the counts of all trees. */
unsigned ct_set_words(const ct_set *set);
/* The objective of trees of the i-th cost, from the least on, and how many there are. */
double ct_set_cost(const ct_set *set, uint32_t i, const uint64_t **count);
/* The i-th cost in the search's integers, and how many trees have it. */
int64_t ct_set_cost_count(const ct_set *set, uint32_t i, const uint64_t **count);
/* What one of the search's integers is in the objective. */
double ct_set_unit(const ct_set *set);
/* The objective of a cost in the search's integers. */
double ct_set_objective(const ct_set *set, int64_t cost);
/* No tree of that objective or less is missing. */
double ct_set_surely(const ct_set *set);

/* The k-th tree from 0, k of ct_set_words() words: by cost, of equal ones by the first feature and
 * its first threshold, and so on down. *cost may be NULL. CT_BAD_INPUT if there are no more than k.
 * leaf_of_row as in ct_exact_solve. Not for several threads at a time, as all that follows. */
ct_status ct_set_tree(ct_set *set, const uint64_t *k, ct_exact_result *result,
                      uint32_t *leaf_of_row, ct_error *error);

/* For each row of `columns` (as many and in the order of the training data's) and each class the
 * least objective of a tree that predicts it: least[n_rows][n_classes], infinite if none of the set
 * does; with a response least[n_rows][2], the lowest and the highest number that trees predict.
 * Thresholds lie in the middle, and missing values go where most rows go, as in the trees. */
ct_status ct_set_ranges(ct_set *set, const ct_column *columns, uint32_t n_rows, double *least,
                        ct_error *error);

/* How many groups of columns there are. */
uint32_t ct_set_groups(const ct_set *set);
/* For each group of columns, numbered from 0 by their first columns, how many trees do not split on
 * any of it, counts[n_groups][words], and the least objective of one, least[n_groups], infinite if
 * there is none. */
ct_status ct_set_without(ct_set *set, uint64_t *counts, double *least, ct_error *error);

#endif
