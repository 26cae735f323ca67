#include "base/compact.h"

#include "exact/cost/weighing.h"

#include <float.h>
#include <math.h>

#include "exact/cost/decimals.h"

enum {
    SCAN_BITS = 30,       /* of the sum, where weights are whole, and of scans; */
    FULL_WHOLE_BITS = 48, /* the same in full */
    ROUNDED_BITS = 14,    /* of a mean weight in scans where they are rounded */
    MOST_DECIMALS = 4
};

/* What weights that are rounded add up to in full, nearly: all that a word holds, or, where that
 * rounds by more than so much of the squares of all rows, more; and the largest of them then. */
static const double MOST_IN_WORD = 0x1.fffp62, ENOUGH = 0x1p-36, MOST_IN_TWO = 0x1.fffp70,
                    MOST_WEIGHT = 0x1p62;

/* A weight is whole if it is as near as that to one. */
static const double WHOLE_WEIGHT = 0x1p-5;

/* More than the relative error of a sum over rows. */
static const double NOISE = 1e-12;

/* ---- what rounding changes ---- */

/* Shares of weights are told apart by their powers of two: from 2^-i to twice that, from 0 on. */
enum { N_SHARES = 100 };

static size_t share_at(double share)
{
    int i = -ilogb(share);
    return i < 0 ? 0 : i < N_SHARES ? (size_t) i : N_SHARES - 1;
}

/* By how much rounded weights may change the SSE of a partition: a row lies within the range of y
 * from any mean, and rows of whose weights less than a share of q is off change it by less than
 * that share of it. So, for any q, that and what the rows of larger shares do at most. */
static double rounding_of(const ct_data *data, const ct_spread *spread, const ct_weighing *w)
{
    int exponent;
    double far_off[N_SHARES] = {0}, beyond = 0, least = INFINITY,
           lost = frexp(w->unit, &exponent) == 0.5 ? 0 : 4 * DBL_EPSILON;
    for (uint32_t row = 0; row < data->n_rows; row++) {
        if (!ct_data_counts(data, row)) continue;
        double weight = data->weights[row], y = data->response[row],
               far = fmax(y - spread->low, spread->high - y),
               off = fabs(weight - (double) w->whole[row] * w->unit) + lost * weight;
        if (off > 0) far_off[share_at(off / weight)] += off * far * far;
    }
    for (int i = 0; i < N_SHARES; i++) {
        if (i) least = fmin(least, beyond + ldexp(spread->sse, 1 - i));
        beyond += far_off[i];
    }
    return fmin(least, beyond) * (1 + NOISE);
}

/* ---- whole numbers ---- */

static void take(const ct_data *data, const ct_spread *spread, double scale, ct_weighing *w)
{
    w->sum = 0;
    for (uint32_t row = 0; row < data->n_rows; row++) {
        w->whole[row] = (int64_t) llround(data->weights[row] * scale);
        w->sum += w->whole[row];
    }
    w->unit = 1 / scale;
    w->rounding = rounding_of(data, spread, w);
    CT_ASSERT(w->sum > 0);
}

/* What makes whole numbers of all weights, decimals or multiples of the least of them, of a sum of
 * 2^bits or less; 0: nothing does. */
static double whole_scale(const ct_data *data, double sum, int bits)
{
    int decimals = ct_decimals_of(data, data->weights, 0, MOST_DECIMALS, WHOLE_WEIGHT);
    double scale = ct_decimals_shift(1, decimals), most = ldexp(1, bits), least = INFINITY;
    if (decimals <= MOST_DECIMALS && sum * scale <= most) return scale;
    for (uint32_t row = 0; row < data->n_rows; row++)
        if (ct_data_counts(data, row)) least = fmin(least, data->weights[row]);
    if (!(sum / least <= most)) return 0;
    for (uint32_t row = 0; row < data->n_rows; row++) {
        double x = data->weights[row] / least;
        if (fabs(x - nearbyint(x)) > ldexp(x, -50)) return 0;
    }
    return isfinite(1 / least) ? 1 / least : 0;
}

/* Rounds weights that are not whole. */
static void round_in_full(const ct_data *data, const ct_spread *spread, double sum, ct_weighing *w)
{
    double largest = 0;
    for (uint32_t row = 0; row < data->n_rows; row++) largest = fmax(largest, data->weights[row]);
    /* a power of two, by which doubles that are large are whole */
    take(data, spread, ldexp(1, ilogb(MOST_IN_WORD / 2) - ilogb(sum)), w);
    if (w->rounding == 0) return;
    take(data, spread, MOST_IN_WORD / sum, w);
    if (w->rounding <= ENOUGH * spread->sse) return;
    double scale = fmin(MOST_IN_TWO / sum, MOST_WEIGHT / largest);
    take(data, spread, fmax(scale, MOST_IN_WORD / sum), w);
}

ct_status ct_weighing_init(ct_weighing *w, const ct_data *data, const ct_spread *spread,
                           int one_word, ct_arena *arena, ct_error *error)
{
    double sum = 0;
    *w = (ct_weighing){NULL, data->n_rows, 1, 1, 0};
    if (!data->weights) return CT_OK;
    w->whole = CT_ARENA_NEW(arena, int64_t, data->n_rows);
    if (!w->whole) return ct_fail(error, CT_NO_MEMORY, "not enough memory for the weights");
    for (uint32_t row = 0; row < data->n_rows; row++) sum += data->weights[row];
    double scale = whole_scale(data, sum, SCAN_BITS),
           most = fmin(ldexp(1, SCAN_BITS), ldexp(data->n_rows, ROUNDED_BITS));
    w->exact = scale > 0;
    if (!w->exact && !one_word) scale = whole_scale(data, sum, FULL_WHOLE_BITS);
    if (scale > 0) take(data, spread, scale, w);
    else if (one_word) take(data, spread, most / sum, w);
    else round_in_full(data, spread, sum, w);
    CT_ASSERT(w->sum >> (w->exact || one_word ? SCAN_BITS + 2 : CT_FULL_WEIGHT_BITS) == 0);
    return CT_OK;
}
