/* Solving in tests: a failure is a failed check. */
#ifndef CT_TEST_SOLVE_H
#define CT_TEST_SOLVE_H

#include <float.h>
#include <math.h>

#include "check.h"
#include "random.h"

static inline int solve(const ct_data *data, const ct_exact_options *options,
                        ct_exact_result *result)
{
    ct_error error = {CT_OK, ""};
    ct_status status = ct_exact_solve(data, options, result, NULL, &error);
    if (status != CT_OK) printf("    %s\n", error.message);
    return CHECK_INT(status, CT_OK);
}

/* What the help page of contree() allows a tree to cost more than the optimum, as a share of what
 * all rows cost at most: costs are rounded to 2^(depth - 58) of it a row. Weights and losses are
 * both rounded: if the sum of the weights is S units, the largest loss L, and S * L is
 * 2^(58 - depth), then n / S + 1 / L is least for L = sqrt(2^(58 - depth) / n), and 5 / 4 of that
 * for half or twice that L, one of which powers of two come to. */
static inline double rounding_share(const ct_data *data, unsigned depth)
{
    double each = data->n_rows / ldexp(1, 58 - (int) (depth > 1 ? depth : 1));
    if (!data->weights && !data->loss) return 0;
    return data->weights && data->loss && data->n_classes > 2 ? 2.5 * sqrt(each) : each;
}

/* What a cost or a bound may be off by: rounding_share(), and what doubles and their sums are off
 * by; with complexity cost and bound are sums of two, rounded each. */
static inline double rounded_off(const ct_data *data, const ct_exact_options *options, double cost)
{
    double sum = options->complexity > 0 ? 4 * DBL_EPSILON * cost : 0,
           noise = ldexp(1, -47) + data->n_rows * DBL_EPSILON;
    if (!data->weights && !data->loss) return sum;
    return sum + (rounding_share(data, options->depth) + noise) * dearest_of(data);
}

/* The cost, or -1 after a failure; the answer must be proven. */
static inline double solved_cost(const ct_data *data, const ct_exact_options *options)
{
    ct_exact_result result;
    if (!solve(data, options, &result)) return -1;
    CHECK(result.end == CT_END_OPTIMAL && result.bound <= result.cost &&
          result.cost - result.bound <= rounded_off(data, options, result.cost));
    double cost = result.cost;
    ct_exact_result_free(&result);
    return cost;
}

/* Every use is a CHECK, so that a failure names its line. */
static inline int is_refused(const ct_data *data, const ct_exact_options *options, ct_error *error)
{
    ct_exact_result result;
    return ct_exact_solve(data, options, &result, NULL, error) == CT_BAD_INPUT;
}

#endif
