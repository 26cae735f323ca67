/* A numeric response in a check: its grid comes from exact/cost/response.h and is held to the data,
 * row by row; squares are added up and divided here, in 192 bits. */
#ifndef CT_CERTIFY_RESPONSE_H
#define CT_CERTIFY_RESPONSE_H

#include "certify/problem.h"

/* A product of two numbers is `value` + `rest`; what lies below the least doubles is lost. */
typedef struct {
    double value, rest;
} ct_product;

ct_product ct_certify_product_of(double x, double y);

/* How far a whole number of units is from w * loss: 0 if the two are the same. Not below the truth.
 */
double ct_certify_distance(int64_t cost, double unit, double w, double loss);

/* floor(sum w (z - mean)^2 / 2^down) of rows with the sums `weight`, `sum` of w z and `squares` of
 * w z^2. */
int64_t ct_certify_grid_cost(int down, ct_grid_sum weight, ct_grid_sum sum, ct_grid_long squares);

/* The sums of a set, */
static inline ct_grid_sum ct_grid_mass(const ct_problem *problem, const int64_t *sums)
{
    if (!problem->grid.wide) return sums[CT_SUM_MASS];
    return sums[CT_SUM_MASS] + (ct_grid_sum) sums[CT_SUM_UPPER_MASS] * ((ct_grid_sum) 1 << 32);
}

static inline ct_grid_sum ct_grid_z(const ct_problem *problem, const int64_t *sums)
{
    if (!problem->grid.wide) return sums[CT_SUM_Z];
    return ct_wide_sum(sums + CT_SUM_Z, CT_WIDE_Z);
}

static inline ct_grid_long ct_grid_squares(const ct_problem *problem, const int64_t *sums)
{
    const int64_t *squares = sums + CT_SUM_Z + CT_WIDE_Z;
    if (!problem->grid.wide) return ct_grid_long_of(0, sums[CT_SUM_SQUARES]);
    return ct_grid_long_of(ct_wide_sum(squares + 2, CT_WIDE_SQUARES - 2), ct_wide_sum(squares, 2));
}

/* and what its rows cost beside their mean. */
int64_t ct_grid_cost_of_sums(const ct_problem *problem, const int64_t *sums);

/* Takes grid and weights, and measures how far both are from the data. CT_INTERNAL if sums of them
 * would not fit. */
ct_status ct_certify_grid_take(ct_problem *problem, const ct_exact_costs *costs, double complexity,
                               ct_error *error);

/* What the rows of a tree cost, each beside the mean of its leaf; -1: memory ended. */
int64_t ct_certify_grid_cost_of_tree(const ct_problem *problem, const ct_outcome *tree);

/* As ct_certify_objective_prove(), of the response itself, not of the grid: sqrt(SSE) is the
 * distance from a linear space, and so no further from that of the grid than the response is.
 * result->rounding is what a tree may cost more than it does on the grid, or less. */
void ct_certify_grid_prove(const ct_problem *problem, int64_t least, const ct_outcome *tree,
                           ct_certify_result *result);

#endif
