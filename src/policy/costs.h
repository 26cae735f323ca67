/* What an action costs in a row: the best reward of the row less its own, in integers.
 *
 * Exact costs have 64 bits, in units of 2^exponent of a reward, or, where rewards are multiples of
 * something larger, as whole numbers of such units; `rounding` says how far that is from the
 * rewards. Below the unit there are bits for the number of splits: each adds 1 to the price of a
 * split, so that of trees of the same cost the smallest is the cheapest. Coarse costs are exact
 * ones without their lowest bits, so that those of all rows add up in 32 bits: what they say of a
 * tree is never more than it costs. */
#ifndef CT_POLICY_COSTS_H
#define CT_POLICY_COSTS_H

#include <string.h>

#include "base/arena.h"
#include "base/status.h"

/* Rewards are numbers up to this, so that differences and sums of them are, too. */
#define CT_POLICY_LARGEST 1e100
/* Lanes of coarse costs and their span lie side by side. */
#define CT_POLICY_MOST_ACTIONS 1023

typedef struct {
    uint32_t n_rows, n_actions;
    uint32_t lanes;    /* 4, 8, 16 or a multiple of 32, above n_actions */
    int exponent;
    unsigned tie_bits; /* below the unit */
    unsigned shift;    /* from exact to coarse costs */
    int64_t *exact;    /* [n_rows][n_actions] */
    int64_t *span;     /* [n_rows] the largest cost of the row */
    int32_t *coarse;   /* [n_rows][lanes]; lanes without an action hold the span */
    int64_t price;     /* of a split, at least 1 */
    double rounding;   /* two trees compare as their mean rewards do, to within this */
} ct_policy_costs;

/* rewards[action][row]; a split costs `price` of the sum of rewards; trees have at most 2^depth - 1
 * splits. Memory of the arena. CT_BAD_INPUT if a reward is not within +-CT_POLICY_LARGEST. */
ct_status ct_policy_costs_init(ct_policy_costs *costs, const double *rewards, uint32_t n_rows,
                               uint32_t n_actions, unsigned depth, double price, ct_arena *arena,
                               ct_error *error);

/* A sum of rewards as an exact cost, rounded down. */
int64_t ct_policy_cost_of(const ct_policy_costs *costs, double reward);

/* An exact cost as a sum of rewards. */
double ct_policy_reward_of(const ct_policy_costs *costs, int64_t cost);

/* Coarse costs of at least this are those of exact costs of at least `exact`. */
static inline int32_t ct_policy_coarse_cap(const ct_policy_costs *costs, int64_t exact)
{
    const int64_t most = INT64_C(1) << 30;
    if (exact <= 0) return 0;
    const int64_t cap = ((exact - 1) >> costs->shift) + 1;
    return (int32_t) (cap < most ? cap : most);
}

/* A row of coarse costs; the shortest need no call. */
static inline void ct_policy_row_copy(int32_t *to, const int32_t *from, uint32_t lanes)
{
    if (lanes == 4) memcpy(to, from, 4 * sizeof *to);
    else memcpy(to, from, lanes * sizeof *to);
}

#endif
