/* Predictions from the rows that leaves have kept (Meinshausen: Quantile regression forests, 2006):
 * a training row weighs how often it was drawn divided by the weight of the leaf, in the mean of
 * the trees.
 *
 * Weights are integers: each tree has 2^31 to give, and the first rows of a leaf together have what
 * is theirs, rounded down. So they do not depend on the order of trees, and no sum is off by more
 * than 2^-31. */
#ifndef CT_FOREST_WALK_MEMBERS_H
#define CT_FOREST_WALK_MEMBERS_H

#include "forest/walk/walk.h"

enum { CT_MEMBER_UNIT = 31 };

/* What predictions of rows are wanted. */
typedef struct {
    const ct_hist_forest *forest;
    uint32_t n_rows, n_ranks; /* rows that walk; rows the forest was grown from */
    /* [n_rows] the rows are those the forest was grown from, with these places in the order of the
     * response, and trees that were grown from a row do not count; NULL: new ones */
    const uint32_t *own;
    const double *probabilities; /* [n_probabilities] increasing, within 0 and 1 */
    uint32_t n_probabilities;
    /* int32_t [n_probabilities][n_rows] the lowest place, from 1, up to which the weights sum up to
     * the probability; 0: no tree counts. NULL: not wanted */
    int32_t *quantiles;
    double *weights; /* [n_ranks][n_rows], sum 1 or 0. NULL: not wanted */
} ct_forest_members_request;

/* Whether all leaves have sound members of n_ranks rows. */
int ct_forest_members_are_valid(const ct_hist_forest *forest, uint32_t n_ranks);

/* Whether a row is one of n members. */
int ct_forest_members_have(const uint32_t *members, uint32_t n, uint32_t rank);

/* Rows that trees were grown from, summed over trees. */
int64_t ct_forest_members_rows(const ct_hist_forest *forest);

/* As ct_hist_predict(). CT_BAD_INPUT: rows that are said to be those the forest was grown from are
 * not where these are. */
ct_status ct_forest_members_predict(const ct_forest_members_request *request,
                                    const ct_hist_code_column *codes, const ct_column *columns,
                                    unsigned threads, ct_halt *stop, ct_error *error);

#endif
