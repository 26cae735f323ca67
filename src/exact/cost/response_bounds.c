/* What numbers of scans say of costs, and costs of squared errors, rounded the safe way. */
#include <math.h>

#include "exact/cost/response.h"

/* ---- from scans to costs ---- */

/* More than the relative errors of the sums below, and than what leaves are rounded by. */
static const double SHARE = 0x1p-46, FLOORS = 5;

/* By how much the root of a sum of squares may be off in scans, of rows that weigh so much. */
static double off_of(const ct_exact_response *response, int64_t weight)
{
    return sqrt(fmin(response->off * (double) weight, response->off_all));
}

int64_t ct_response_surely(const ct_exact_response *response, int64_t cost, int64_t weight)
{
    if (!response->rounded) return cost;
    double root = sqrt((double) cost * response->ratio) - off_of(response, weight),
           least = root > 0 ? root * root * (1 - SHARE) - FLOORS : 0;
    return least > 0x1p61 ? INT64_C(1) << 61 : least > 0 ? (int64_t) least : 0;
}

int64_t ct_response_needed(const ct_exact_response *response, int64_t cost, int64_t weight)
{
    if (!response->rounded || cost <= 0) return cost;
    double root = sqrt(((double) cost + FLOORS + 1) * (1 + 2 * SHARE)) +
                  off_of(response, weight),
           least = root * root / response->ratio * (1 + SHARE);
    return least < 0x1p61 ? (int64_t) least + 1 : INT64_C(1) << 61;
}

int64_t ct_response_at_most(const ct_exact_response *response, int64_t least, int64_t n_rows)
{
    CT_ASSERT(response->rounded && least >= 0);
    double off = off_of(response, n_rows),
           root = sqrt(((double) least + FLOORS + 1) * (1 + 2 * SHARE)) + 2 * off,
           most = root * root * (1 + SHARE) + 1;
    return most < 0x1p61 ? (int64_t) most : INT64_MAX;
}

/* ---- back to y ---- */

double ct_response_bound(const ct_exact_costs *costs, int64_t cost)
{
    const ct_exact_response *response = costs->response;
    double least = (double) cost * costs->unit - response->excess * costs->most_splits;
    double root = least > 0 ? sqrt(least * (1 - costs->noise)) - response->error : 0;
    return root > 0 ? fmax(root * root - costs->rounding, 0) : 0;
}

double ct_response_hidden(const ct_exact_costs *costs)
{
    const ct_exact_response *response = costs->response;
    if (costs->rounding > 0 || response->error > 0) return INFINITY;
    return response->excess * costs->most_splits / costs->noise;
}

int64_t ct_response_above(const ct_exact_costs *costs, double most)
{
    const ct_exact_response *response = costs->response;
    double root = sqrt(most + costs->rounding) + response->error;
    double units = (root * root * (1 + costs->noise) + response->excess * costs->most_splits) /
                   costs->unit;
    return units < 0x1p62 ? (int64_t) units + 2 : INT64_MAX; /* trees of many splits cost so much */
}

int64_t ct_response_gap(const ct_exact_costs *costs, double gap)
{
    const ct_exact_response *response = costs->response;
    double off = response->excess * costs->most_splits + 2 * costs->rounding +
                 4 * response->error * sqrt(response->total);
    double units = (gap - off) / costs->unit;
    return !(units > 0) ? 0 : units < 0x1p60 ? (int64_t) units : INT64_MAX / 4;
}

double ct_response_rounding(const ct_exact_costs *costs)
{
    const ct_exact_response *response = costs->response;
    return costs->rounding +
           2 * response->error * (sqrt(response->total) + response->error) +
           (response->excess + costs->unit) * costs->most_splits + costs->unit;
}

int64_t ct_response_proving(const ct_exact_costs *costs, double bound)
{
    int64_t low = 0, high = INT64_C(1) << 60;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (ct_response_bound(costs, middle) >= bound) high = middle;
        else low = middle + 1;
    }
    return low;
}
