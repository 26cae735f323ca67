#include "exact/cost/response.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/sum.h"

enum {
    MOST_BITS = 23,      /* of z: sums of 64 rows fit into 32 bits, also beside their mean */
    COST_BITS = 59,      /* of Q */
    DEAREST_BITS = 61,   /* of what all rows cost with D, in the units of costs */
    WEIGHT_BITS = 30,    /* of W where weights are whole */
    ROUNDED_BITS = 14,   /* of a mean weight where they are rounded */
    LEAST_DECIMALS = -9, /* powers of ten that are tried as the step of y */
    MOST_DECIMALS = 12,
    WEIGHT_DECIMALS = 4
};

/* Relative errors of doubles added up, generously. */
static const double NOISE = 1e-12;

/* A weight is whole if it is as near as that to one. */
static const double WHOLE_WEIGHT = 0x1p-5;

/* Responses nearer to each other are the same: their squares would vanish. */
static const double LEAST_RANGE = 1e-140;

static ct_status no_memory(ct_error *error)
{
    return ct_fail(error, CT_NO_MEMORY, "not enough memory for the response");
}

/* x * 10^decimals, at most a rounding away. */
static double shifted(double x, int decimals)
{
    return decimals < 0 ? x / pow(10, -decimals) : x * pow(10, decimals);
}

/* Whether a row has a weight: others decide nothing. */
static int counts(const ct_data *data, uint32_t row)
{
    return !data->weights || data->weights[row] > 0;
}

/* Whether all values, of rows that count, are multiples of 10^-decimals, but for the last bits of
 * doubles and for `near`. Far from zero the last bits of x * 10^decimals, which a rounded product
 * has lost, may be all that there is. */
static int all_multiples(const ct_data *data, const double *values, int decimals, double near)
{
    double power = pow(10, abs(decimals));
    for (uint32_t row = 0; row < data->n_rows; row++) {
        double y = values[row], x = decimals < 0 ? y / power : y * power, whole = nearbyint(x),
               off = decimals < 0 ? fma(whole, -power, y) : fma(y, power, -whole) / power;
        if (!counts(data, row)) continue;
        if (!(fabs(x) < 0x1p53) || fabs(x - whole) > ldexp(fabs(x), -50) || fabs(off) > near)
            return 0;
    }
    return 1;
}

/* The fewest decimals that all values have; `most` + 1 if they have more. */
static int decimals_of(const ct_data *data, const double *values, int least, int most, double near)
{
    int decimals = least;
    while (decimals <= most && !all_multiples(data, values, decimals, near)) decimals++;
    return decimals;
}

/* ---- weights ---- */

/* Whole numbers of `unit` each; their sum is at least 1 and below 2^32. */
typedef struct {
    int64_t *whole; /* [row]; NULL: 1 each */
    int64_t sum;
    double unit;
    int exact;      /* no weight is off by more than its own last bits */
} weighing;

static int64_t round_weights(const ct_data *data, double scale, int64_t *whole)
{
    int64_t sum = 0;
    for (uint32_t row = 0; row < data->n_rows; row++) {
        whole[row] = (int64_t) llround(data->weights[row] * scale);
        sum += whole[row];
    }
    return sum;
}

/* What makes whole numbers of all weights, decimals or multiples of the least of them, of a sum of
 * 2^WEIGHT_BITS or less; 0: nothing does. */
static double whole_scale(const ct_data *data, double sum)
{
    int decimals = decimals_of(data, data->weights, 0, WEIGHT_DECIMALS, WHOLE_WEIGHT);
    double scale = shifted(1, decimals), most = ldexp(1, WEIGHT_BITS), least = INFINITY;
    if (decimals <= WEIGHT_DECIMALS && sum * scale <= most) return scale;
    for (uint32_t row = 0; row < data->n_rows; row++)
        if (counts(data, row)) least = fmin(least, data->weights[row]);
    if (!(sum / least <= most)) return 0;
    for (uint32_t row = 0; row < data->n_rows; row++) {
        double x = data->weights[row] / least;
        if (fabs(x - nearbyint(x)) > ldexp(x, -50)) return 0;
    }
    return isfinite(1 / least) ? 1 / least : 0;
}

static ct_status weigh(const ct_data *data, ct_arena *arena, weighing *w, ct_error *error)
{
    double sum = 0;
    *w = (weighing){NULL, data->n_rows, 1, 1};
    if (!data->weights) return CT_OK;
    w->whole = CT_ARENA_NEW(arena, int64_t, data->n_rows);
    if (!w->whole) return no_memory(error);
    for (uint32_t row = 0; row < data->n_rows; row++) sum += data->weights[row];
    double scale = whole_scale(data, sum);
    w->exact = scale > 0;
    if (!w->exact)
        scale = fmin(ldexp(1, WEIGHT_BITS), ldexp(data->n_rows, ROUNDED_BITS)) / sum;
    w->sum = round_weights(data, scale, w->whole);
    w->unit = 1 / scale;
    CT_ASSERT(w->sum > 0 && w->sum < (int64_t) 1 << 32);
    return CT_OK;
}

static int64_t weight_at(const weighing *w, uint32_t row) { return w->whole ? w->whole[row] : 1; }

/* By how much rounded weights may change the SSE of a partition: a row lies within the range of y
 * from any mean. */
static double rounding_of(const ct_data *data, const weighing *w, double low, double high)
{
    int exponent;
    double sum = 0, lost = frexp(w->unit, &exponent) == 0.5 ? 0 : 4 * DBL_EPSILON;
    for (uint32_t row = 0; w->whole && row < data->n_rows; row++) {
        if (!counts(data, row)) continue;
        double weight = data->weights[row], y = data->response[row], far = fmax(y - low, high - y),
               off = fabs(weight - (double) w->whole[row] * w->unit) + lost * weight;
        sum += off * far * far;
    }
    return sum * (1 + NOISE);
}

/* ---- the grid ---- */

/* Of the rows that count. */
static void range_of(const ct_data *data, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (uint32_t row = 0; row < data->n_rows; row++) {
        if (!counts(data, row)) continue;
        *low = fmin(*low, data->response[row]);
        *high = fmax(*high, data->response[row]);
    }
    CT_ASSERT(*low <= *high);
}

/* A grid of 2^bits steps to either side of its centre. */
typedef struct {
    const ct_data *data;
    double low, high; /* the range of the response */
    int bits;
    int32_t *z;       /* [row] */
} grid;

/* Rows that do not count are at the centre. */
static void put(const grid *g, uint32_t row, double z)
{
    CT_ASSERT(!counts(g->data, row) || fabs(z) <= ldexp(1, g->bits));
    g->z[row] = counts(g->data, row) ? (int32_t) z : 0;
}

/* All decimals of y, and as many binary places more as there is room for; 0 if there is none, or if
 * decimals that are near y are further away than a grid of equal steps would be. */
static int fit_decimals(const grid *g, ct_exact_response *response)
{
    const double *y = g->data->response;
    int decimals = decimals_of(g->data, y, LEAST_DECIMALS, MOST_DECIMALS,
                               ldexp(g->high - g->low, -g->bits - 2));
    if (decimals > MOST_DECIMALS) return 0;
    double first = nearbyint(shifted(g->low, decimals)),
           last = nearbyint(shifted(g->high, decimals)), middle = first + floor((last - first) / 2),
           most = fmax(last - middle, middle - first);
    if (most >= ldexp(1, g->bits)) return 0;
    int places = g->bits - (int) ct_bit_width((uint64_t) most);
    for (uint32_t row = 0; row < g->data->n_rows; row++)
        put(g, row, ldexp(nearbyint(shifted(y[row], decimals)) - middle, places));
    response->centre = shifted(middle, -decimals);
    response->step = ldexp(shifted(1, -decimals), -places);
    return 1;
}

/* Differences of y that are multiples of a power of two, all of them; 0 if they are none. */
static int fit_binary(const grid *g, ct_exact_response *response)
{
    int exponent;
    (void) frexp(g->high - g->low, &exponent);
    double step = ldexp(1, exponent - g->bits - 1);
    if (!(step > 0)) return 0;
    response->step = step;
    response->centre = g->low + floor((g->high - g->low) / step / 2) * step;
    for (uint32_t row = 0; row < g->data->n_rows; row++) {
        double x = (g->data->response[row] - response->centre) / step;
        if (counts(g->data, row) && (x != nearbyint(x) || fabs(x) > ldexp(1, g->bits))) return 0;
        put(g, row, nearbyint(x));
    }
    return 1;
}

static void fit_range(const grid *g, ct_exact_response *response)
{
    response->centre = g->low / 2 + g->high / 2;
    response->step = ldexp(fmax(g->high - response->centre, response->centre - g->low), -g->bits);
    for (uint32_t row = 0; row < g->data->n_rows; row++)
        put(g, row, nearbyint((g->data->response[row] - response->centre) / response->step));
}

/* Sets error to how far y is from the grid, with what doubles lose of y less the centre. By no more
 * than `noise` of how far it is from the centre is not at all; there is some of decimals alone. */
static void set_distance(const ct_data *data, ct_exact_response *response, const weighing *w,
                         const int32_t *z, double noise)
{
    double sum = 0, all = 0;
    for (uint32_t row = 0; row < data->n_rows; row++) {
        if (!counts(data, row)) continue;
        double weight = (double) weight_at(w, row) * w->unit, y = data->response[row],
               x = y - response->centre, back = x - y,
               lost = (y - (x - back)) - (response->centre + back),
               off = fabs(x - response->step * z[row]) + fabs(lost);
        sum += weight * off * off;
        all += weight * x * x;
    }
    double distance = sqrt(sum) * (1 + NOISE);
    response->error = sqrt(sum) > noise * sqrt(all) ? distance : 0;
    response->blur = noise > 0 ? distance : 0;
}

/* As many bits as there is room for: see `fine`. */
static void set_units(ct_exact_response *response, int64_t weight)
{
    double most = (double) weight * response->range * response->range;
    int room = DEAREST_BITS - (most > 0 ? ilogb(most) + 1 : DEAREST_BITS);
    response->fine = room < 0 ? 0 : room < CT_FINE_BITS ? (unsigned) room : CT_FINE_BITS;
    response->scale = ldexp(1, (int) response->fine);
}

/* Sets z, centre, step, error, range and the unit of costs. */
static void fit_grid(const ct_data *data, ct_exact_response *response, const weighing *w,
                     int32_t *z, double low, double high)
{
    grid g = {data, low, high, (COST_BITS - (int) ct_bit_width((uint64_t) w->sum)) / 2, z};
    if (g.bits > MOST_BITS) g.bits = MOST_BITS;
    CT_ASSERT(g.bits > 8);
    double noise = 0; /* decimals have last bits of doubles that are none of theirs */
    if (high / 2 - low / 2 < LEAST_RANGE) {
        response->centre = low;
        response->step = 1;
        memset(z, 0, data->n_rows * sizeof *z);
    } else if (fit_decimals(&g, response)) {
        noise = NOISE;
    } else if (!fit_binary(&g, response)) {
        fit_range(&g, response);
    }
    set_distance(data, response, w, z, noise);
    int32_t least = z[0], most = z[0];
    for (uint32_t row = 1; row < data->n_rows; row++) {
        if (z[row] < least) least = z[row];
        if (z[row] > most) most = z[row];
    }
    response->z = z;
    response->range = most - least;
    set_units(response, w->sum);
}

/* ---- the whole ---- */

static int64_t cost_of_all(const ct_exact_response *response, const weighing *w, uint32_t n_rows)
{
    int64_t sum = 0, squares = 0;
    for (uint32_t row = 0; row < n_rows; row++) {
        int64_t wz = weight_at(w, row) * response->z[row];
        sum += wz;
        squares += wz * response->z[row];
    }
    CT_ASSERT(squares >= 0 && squares <= (int64_t) 1 << COST_BITS);
    return ct_response_cost(response->fine, w->sum, sum, squares);
}

/* The SSE of all rows, of y itself. */
static double sse_of_all(const ct_data *data, const ct_exact_response *response)
{
    ct_sum weight = {0, 0}, sum = {0, 0}, squares = {0, 0};
    for (uint32_t row = 0; row < data->n_rows; row++) {
        double w = data->weights ? data->weights[row] : 1, x = data->response[row];
        if (!counts(data, row)) continue;
        ct_sum_add(&weight, w);
        ct_sum_add(&sum, w * (x - response->centre));
    }
    double mean = ct_sum_value(&sum) / ct_sum_value(&weight);
    for (uint32_t row = 0; row < data->n_rows; row++) {
        double w = data->weights ? data->weights[row] : 1,
               x = data->response[row] - response->centre - mean;
        if (counts(data, row)) ct_sum_add(&squares, w * x * x);
    }
    return ct_sum_value(&squares);
}

static void set_split_cost(ct_exact_costs *costs, ct_exact_response *response, double complexity,
                           int64_t total, double sse)
{
    int64_t leaves = (int64_t) costs->most_splits + 1;
    double price = floor(complexity * (double) total);
    costs->split = (price < (double) total ? (int64_t) price : total + 1) + leaves;
    costs->penalty = fmin(complexity * sse, DBL_MAX); /* times no splits it is 0 */
    response->excess = fmax((double) costs->split * costs->unit - costs->penalty, 0);
}

/* The tables that scans look up. */
static ct_status set_tables(ct_exact_response *response, uint32_t n_rows, ct_arena *arena,
                              ct_error *error)
{
    size_t room = (size_t) n_rows + CT_INVERSE_PAD;
    float *inverse = CT_ARENA_ZEROED(arena, float, room),
          *falling = CT_ARENA_ZEROED(arena, float, room);
    float *shares = CT_ARENA_ZEROED(arena, float, 64);
    uint64_t *places = CT_ARENA_ZEROED(arena, uint64_t, 256);
    if (!inverse || !falling || !shares || !places) return no_memory(error);
    for (unsigned n = 4; n < 64; n *= 2)
        for (unsigned i = 1; i < n; i++) shares[n + i] = (float) n / (float) (i * (n - i));
    response->shares = shares;
    for (unsigned byte = 0; byte < 256; byte++)
        for (unsigned bit = 0, n = 0; bit < 8; bit++)
            if (byte >> bit & 1) places[byte] |= (uint64_t) bit << 8 * n++;
    response->places = places;
    for (uint32_t k = 1; k <= n_rows; k++) {
        inverse[k] = 1.0F / (float) k;
        falling[n_rows - k] = inverse[k];
    }
    for (size_t k = (size_t) n_rows + 1; k < room; k++) inverse[k] = 1.0F / (float) k;
    response->inverse = inverse;
    response->falling = falling;
    response->n_rows = n_rows;
    return CT_OK;
}

ct_status ct_response_init(ct_exact_costs *costs, const ct_data *data, unsigned depth,
                           double complexity, ct_arena *arena, ct_error *error)
{
    double low, high;
    weighing w;
    memset(costs, 0, sizeof *costs);
    ct_exact_response *response = CT_ARENA_ZEROED(arena, ct_exact_response, 1);
    int32_t *z = CT_ARENA_NEW(arena, int32_t, data->n_rows);
    int64_t *most = CT_ARENA_NEW(arena, int64_t, 1);
    if (!response || !z || !most) return no_memory(error);
    CT_TRY(weigh(data, arena, &w, error));
    range_of(data, &low, &high);
    fit_grid(data, response, &w, z, low, high);
    CT_TRY(set_tables(response, data->n_rows, arena, error));
    int64_t total = cost_of_all(response, &w, data->n_rows);
    costs->n_classes = 1;
    costs->response = response;
    costs->weights = w.whole;
    costs->unit = response->step * response->step * w.unit / response->scale;
    costs->most_splits = ct_most_splits(data->n_rows, depth);
    /* last bits of weights that are decimals count only beside what is rounded anyway */
    costs->rounding = w.exact && response->error == 0 ? 0 : rounding_of(data, &w, low, high);
    costs->noise = NOISE;
    *most = (int64_t) response->range * response->range * ((int64_t) 1 << response->fine);
    costs->most = costs->least = most;
    response->total = (double) total * costs->unit;
    costs->total = response->total;
    set_split_cost(costs, response, complexity, total, sse_of_all(data, response));
    return CT_OK;
}

/* ---- back to y ---- */

double ct_response_bound(const ct_exact_costs *costs, int64_t cost)
{
    const ct_exact_response *response = costs->response;
    double least = (double) cost * costs->unit - response->excess * costs->most_splits;
    double root = least > 0 ? sqrt(least * (1 - costs->noise)) - response->error : 0;
    return root > 0 ? fmax(root * root - costs->rounding, 0) : 0;
}

int ct_response_hides(const ct_exact_costs *costs, double cost)
{
    const ct_exact_response *response = costs->response;
    return costs->rounding > 0 || response->error > 0 ||
           response->excess * costs->most_splits > costs->noise * cost;
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

int64_t ct_response_of_tree(const ct_exact_costs *costs, uint32_t n_rows, const ct_outcome *tree,
                            ct_arena *arena)
{
    size_t n_leaves = (size_t) tree->n_splits + 1;
    int64_t *moments = CT_ARENA_ZEROED(arena, int64_t, 2 * n_leaves),
            *weight = CT_ARENA_ZEROED(arena, int64_t, n_leaves),
            cost = costs->split * tree->n_splits;
    if (!moments || !weight) return INT64_MAX;
    for (uint32_t row = 0; row < n_rows; row++) {
        size_t leaf = (size_t) tree->labels[row];
        CT_ASSERT(leaf < n_leaves);
        ct_response_add(costs, row, moments + 2 * leaf);
        weight[leaf] += costs->weights ? costs->weights[row] : 1;
    }
    for (size_t leaf = 0; leaf < n_leaves; leaf++)
        cost += ct_response_cost(costs->response->fine, weight[leaf], moments[2 * leaf],
                                 moments[2 * leaf + 1]);
    return cost;
}
