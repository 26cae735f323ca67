/* The tree of a set that is best by a value which adds up over its leaves, or joins over its
 * splits.
 *
 * Of the trees of each node it is known which values they have and what the cheapest tree of each
 * costs, or, where the least value is asked for, only those that are not both dearer and larger
 * than another. Two sides are put together pair by pair. Rows that are counted travel down all
 * paths, as in ranges.c. */
#ifndef CT_EXACT_SETS_VALUES_H
#define CT_EXACT_SETS_VALUES_H

#include "exact/sets/set.h"

typedef enum {
    CT_VALUE_LEAST,     /* the least value */
    CT_VALUE_NEAREST,   /* that nearest to zero */
    CT_VALUE_PREDICTORS /* the fewest groups of columns that are split on; up to 62 of them */
} ct_set_value_goal;

typedef struct {
    ct_set_value_goal goal;
    const ct_column *columns; /* as many and in the order of the training data's */
    uint32_t n_rows;
    const double *gain;       /* [n_rows][n_classes] what a row adds under a label; whole numbers */
    int64_t per_leaf;         /* added for each leaf */
    /* A column that is exchanged: rows are counted with its value of each of the rows in turn.
     * UINT32_MAX: none */
    uint32_t exchanged;
    /* A group of columns, numbered as in ct_set_without(): what its splits spare, in the search's
     * integers, is added `sign` times. UINT32_MAX: none's */
    uint32_t sparing;
    int sign;
} ct_set_question;

/* *value: of the tree; of several the cheapest, and of these the first. With `result` also the
 * tree, as in ct_set_tree. CT_BAD_INPUT: there are too many different values to go through. */
ct_status ct_set_best(ct_set *set, const ct_set_question *question, int64_t *value,
                      ct_exact_result *result, uint32_t *leaf_of_row, ct_error *error);

#endif
