/* Solving in tests: a failure is a failed check. */
#ifndef CT_TEST_SOLVE_H
#define CT_TEST_SOLVE_H

#include <float.h>
#include <math.h>

#include "check.h"
#include "exact/run/worker.h"
#include "random.h"

static inline void release_result(void *of) { ct_exact_result_free((ct_exact_result *) of); }

static inline void keep_result(const ct_exact_result *result)
{
    keep_parts(result, sizeof *result, release_result);
}

/* Each row's leaf into leaf[], unless that is NULL. */
static inline int solve_rows(const ct_data *data, const ct_exact_options *options,
                             ct_exact_result *result, uint32_t *leaf)
{
    int solved = CHECK_OK(ct_exact_solve(data, options, result, leaf, &reason));
    if (solved) keep_result(result);
    return solved;
}

static inline int solve(const ct_data *data, const ct_exact_options *options,
                        ct_exact_result *result)
{
    return solve_rows(data, options, result, NULL);
}

static inline int same_tree(const ct_forest *a, const ct_forest *b)
{
    size_t n = a->n_nodes;
    return n == b->n_nodes && !memcmp(a->feature, b->feature, n * sizeof *a->feature) &&
           !memcmp(a->threshold, b->threshold, n * sizeof *a->threshold) &&
           !memcmp(a->left, b->left, n * sizeof *a->left) &&
           !memcmp(a->right, b->right, n * sizeof *a->right) &&
           (!a->label || !memcmp(a->label, b->label, n * sizeof *a->label));
}

static inline ct_exact_start start_of(const ct_forest *tree)
{
    return (ct_exact_start){tree->n_nodes, tree->feature, tree->threshold, tree->left, tree->right};
}

/* What a search asks: stop after so many looks at the clock. */
static inline int stop_after(void *left) { return --*(int *) left < 0; }

/* One that stops, and looks after every so many rows of work (0: as it does). */
static inline int solve_stopped(const ct_data *data, ct_exact_options options, int looks,
                                uint64_t every, ct_exact_result *result)
{
    options.stop = stop_after;
    options.stop_data = &looks;
    ct_exact_worker_poll_every(every);
    int solved = solve(data, &options, result);
    ct_exact_worker_poll_every(0);
    return solved;
}

/* A solve that memory may not be enough for; then it is an error. */
static inline int solve_if_enough(const ct_data *data, const ct_exact_options *options,
                                  ct_exact_result *result)
{
    ct_status status = ct_exact_solve(data, options, result, NULL, &reason);
    if (status == CT_NO_MEMORY || !CHECK_OK(status)) return 0;
    keep_result(result);
    return 1;
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
    return result.cost;
}

/* No tree of a root costs less than what the result says of that root, which is no less than what
 * it says of all. `cost_of`: what the best tree costs. */
static inline void check_root_bounds(const ct_data *data, const ct_exact_options *options,
                                     const ct_exact_result *result,
                                     double (*cost_of)(const ct_data *, const ct_exact_options *))
{
    uint8_t allowed[8] = {0};
    REQUIRE(data->n_cols <= sizeof allowed);
    for (uint32_t col = 0; col < data->n_cols; col++) {
        ct_exact_options rooted = *options;
        rooted.roots = allowed;
        rooted.max_cost = INFINITY;
        allowed[col] = 1;
        double cost = cost_of(data, &rooted);
        allowed[col] = 0;
        CHECK(result->root_bounds[col] <= cost && result->root_bounds[col] >= result->bound);
    }
}

/* Every use is a CHECK, so that a failure names its line. */
static inline int is_refused(const ct_data *data, const ct_exact_options *options)
{
    ct_exact_result result;
    reason = NO_REASON;
    return ct_exact_solve(data, options, &result, NULL, &reason) == CT_BAD_INPUT &&
           reason.message[0];
}

#endif
