/* An independent check that no policy tree has less regret than some number: as certify.h does it,
 * for costs by row and action.
 *
 * The evidence (policy/prove.h says what stands in it) names cuts. At each the best trees of one
 * split of both sides are counted here, in integers made here of the rewards; whatever unit the
 * evidence names, what rounding to it may change is counted too. All other cuts are bounded by
 * their neighbours. Let a < p < b be cuts of the rows in the order of a column, and l(.), r(.)
 * lower bounds of what trees cost on their left and right sides. A tree for some rows can be used
 * for fewer, and costs of disjoint rows add up:
 *
 *     trees with the root p cost at least  l(a) + r(b) + split price,
 *     and, of two levels, by G(.) more of the rows of all cells between a and b that do not hold p,
 *
 * where a cell is 64 rows in the order of the column, and G(.) what any two actions, of the rows of
 * a cell each the better, cost at least: the tree of a side has no more than two. */
#ifndef CT_CERTIFY_REWARDS_H
#define CT_CERTIFY_REWARDS_H

#include "certify/certify.h"

typedef struct {
    const ct_column *columns;
    uint32_t n_rows, n_cols;
    const double *rewards; /* [action][row], finite and within +-1e100 */
    uint32_t n_actions;
} ct_certify_rewards;

typedef struct {
    unsigned depth;
    uint32_t min_bucket;
    double price;            /* of a split, as a sum of rewards */
    const uint32_t *actions; /* [n_rows] that a tree gives; NULL: no tree is said to be the best */
    uint32_t n_splits;       /* of that tree */
    int (*stop)(void *);     /* as in ct_certify_claim */
    void *stop_data;
} ct_certify_policy;

/* Writes the beginning of a certificate for these data and rules; the evidence follows. */
void ct_certify_policy_begin(const ct_certify_rewards *data, const ct_certify_policy *claim,
                             ct_bytes *certificate);

/* result->bound: no tree has less regret, prices of its splits included; ->attained: the tree has
 * no more than this but for twice the rounding. Errors: as ct_certify. */
ct_status ct_certify_policy_check(const ct_certify_rewards *data, const ct_certify_policy *claim,
                                  const uint8_t *bytes, size_t n_bytes, ct_certify_result *result,
                                  ct_error *error);

#endif
