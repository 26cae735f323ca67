/* Solving in tests: a failure is a failed check. */
#ifndef CT_TEST_SOLVE_H
#define CT_TEST_SOLVE_H

#include <float.h>

#include "check.h"
#include "random.h"

static inline int solve(const ct_data *data, const ct_options *options, ct_result *result)
{
    ct_error error = {CT_OK, ""};
    ct_status status = ct_exact_solve(data, options, result, NULL, &error);
    if (status != CT_OK) printf("    %s\n", error.message);
    return CHECK_INT(status, CT_OK);
}

/* What rounding takes off a bound at most: losses beside weights have 24 bits, see
 * exact/cost/costs.h; with complexity cost and bound are sums of two doubles, rounded each. */
static inline double rounded_off(const ct_data *data, const ct_options *options, double cost)
{
    double sum = options->complexity > 0 ? 4 * DBL_EPSILON * cost : 0;
    if (!data->weights && !data->loss) return sum;
    return sum + (data->weights && data->loss ? 3e-7 : 1e-11) * dearest_of(data);
}

/* The cost, or -1 after a failure; the answer must be proven. */
static inline double solved_cost(const ct_data *data, const ct_options *options)
{
    ct_result result;
    if (!solve(data, options, &result)) return -1;
    CHECK(result.end == CT_END_OPTIMAL && result.bound <= result.cost &&
          result.cost - result.bound <= rounded_off(data, options, result.cost));
    double cost = result.cost;
    ct_result_free(&result);
    return cost;
}

/* Every use is a CHECK, so that a failure names its line. */
static inline int is_refused(const ct_data *data, const ct_options *options, ct_error *error)
{
    ct_result result;
    return ct_exact_solve(data, options, &result, NULL, error) == CT_BAD_INPUT;
}

#endif
