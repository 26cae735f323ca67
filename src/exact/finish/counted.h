/* What a search says in the integers that it compares, so that its answers are compared in them and
 * not in doubles, which lose small differences of large costs. */
#ifndef CT_EXACT_FINISH_COUNTED_H
#define CT_EXACT_FINISH_COUNTED_H

#include "exact/cost/costs.h"

/* Whole numbers, each the sum of two doubles: a multiple of 2^30 and what is left, so that sums of
 * many lose nothing on either side. `rest` is NULL where doubles have all digits of the numbers. */
typedef struct {
    double *high, *rest; /* owned */
} ct_whole_numbers;

typedef struct {
    /* all errors are whole numbers of it; 0: they had to be rounded, or are of a response */
    double unit;
    ct_whole_numbers nodes; /* [n_nodes] errors of each node as a leaf, in units of the search */
    /* [n_least] proven: no tree of that many splits has fewer errors, in units of the search */
    ct_whole_numbers least;
    double *surely; /* [n_least] the same in the objective, less all that rounding may add; owned */
    uint32_t n_least;
    int within;        /* the tree costs no more than options->max_cost, or `beside` and `within` */
} ct_exact_counted;

/* The errors of a tree of `units` as they are added up: see ct_exact_counted. */
static inline int ct_is_counted(const ct_exact_costs *costs)
{
    return ct_exact_cost_grain(costs) > 0;
}

/* For costs that are counted: the least cost of those that exceed a tree of these units and
 * splits by more than `within`, in the objective. INT64_MAX if there is none. */
int64_t ct_cost_beyond(const ct_exact_costs *costs, int64_t units, uint32_t n_splits,
                       double within);

/* Sets all but `within`: from what each node would cost as a leaf, and what no tree costs less
 * than. ct_counted_free() after any outcome. */
ct_status ct_counted_set(ct_exact_counted *counted, const ct_exact_costs *costs,
                         const int64_t *leaf_cost, uint32_t n_nodes, int64_t proven,
                         ct_error *error);
void ct_counted_free(ct_exact_counted *counted);

#endif
