#include "forest/grow/quantise.h"

#include <math.h>
#include <string.h>

#include "base/hd.h"
#include "base/memory.h"
#include "forest/grow/nodes.h"
#include "forest/grow/survival.h"

enum {
    FEWEST_BITS = 23, /* of whole numbers, besides the sign */
    MOST_BITS = 30,
    /* a unit is at most 2^(1 + SLACK - FEWEST_BITS) of what numbers typically deviate, and rounding
     * costs half of it */
    SLACK = 3,
    CLOSE_BITS = 10, /* fewer than the whole numbers: what a node spans at least */
    LOCAL_BITS = 42, /* of the largest squared error; sums of 2^20 trees have 62 */
    LOWEST = -400,   /* exponent of the smallest deviations that count */
    EXPONENTS = 2048
};

/* ---- what numbers typically deviate ---- */

/* Whose order is that of the numbers; 0 has one. */
static uint64_t key_of(double value)
{
    uint64_t bits;
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double value_of(uint64_t key)
{
    double value;
    const uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The lower median: bits of its key are found from the highest on, eleven at a time. */
static double median_of(const double *y, uint32_t n)
{
    uint32_t counts[EXPONENTS], rank = (n - 1) / 2;
    uint64_t key = 0;
    for (int shift = 53, bits = 11; bits; bits = shift < 11 ? shift : 11, shift -= bits) {
        const uint64_t above = bits + shift == 64 ? 0 : UINT64_MAX << (bits + shift);
        uint64_t digit = 0;
        memset(counts, 0, sizeof counts);
        for (uint32_t i = 0; i < n; i++) {
            const uint64_t own = key_of(y[i]);
            if (!((own ^ key) & above)) counts[(own & ~above) >> shift]++;
        }
        while (rank >= counts[digit]) rank -= counts[digit++];
        key |= digit << shift;
    }
    return value_of(key);
}

/* Exponents, as of ilogb(), of distances from a centre that are not 0; where all are, numbers are
 * not far from each other. */
typedef struct {
    int low, typical, high;
} distances;

static distances distances_from(double centre, const double *y, uint32_t n)
{
    uint32_t counts[EXPONENTS] = {0}, all = 0, before = 0;
    distances d = {0, EXPONENTS, 0};
    for (uint32_t i = 0; i < n; i++) {
        const double distance = fabs(y[i] - centre);
        uint64_t bits;
        memcpy(&bits, &distance, sizeof bits);
        counts[bits >> 52] += distance > 0;
        all += distance > 0;
    }
    for (int i = EXPONENTS - 1; i >= 0; i--)
        if (counts[i]) d.low = i - 1023;
    for (int i = 0; i < EXPONENTS && before < all; before += counts[i++]) {
        if (!counts[i]) continue;
        d.high = i - 1023;
        if (before <= (all - 1) / 2) d.typical = d.high;
    }
    return d;
}

/* ---- units ---- */

/* Sums of whole numbers over a sample stay below 2^53. */
static int most_bits(const ct_grower *g)
{
    int bits = MOST_BITS;
    while (g->options->sample > UINT64_C(1) << (53 - bits)) bits--;
    return bits;
}

static double most_from(double centre, const double *y, uint32_t n)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++) most = fmax(most, fabs(y[i] - centre));
    return most;
}

static double mean_of(const double *y, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += y[i] / n;
    return sum;
}

/* Centre, unit, and whether the forest is wide. Returns the exponent of the largest deviation. */
static int choose_unit(ct_grower *g, double median, const distances *d)
{
    const double *y = g->data->numbers;
    g->centre = mean_of(y, g->n_rows);
    const double most = most_from(g->centre, y, g->n_rows);
    const int finer = most > 0 ? ilogb(most) - d->typical - SLACK : 0;
    g->bits = FEWEST_BITS + (finer > 0 ? finer : 0);
    g->is_wide = g->bits > most_bits(g);
    if (g->is_wide) {
        g->bits = most_bits(g);
        g->centre = median;
    }
    const int high = g->is_wide ? d->high : most > 0 ? ilogb(most) : g->bits - 1;
    g->exponent = high + 1 - g->bits;
    g->unit = ldexp(1, g->exponent);
    return high;
}

/* Of sums over trees. A word is enough unless numbers are far from each other; of squared errors,
 * which are a million times larger where numbers are a thousand times, unless these are rather
 * far. */
static void choose_words(ct_grower *g, const distances *d, int high)
{
    const int low = d->low < LOWEST ? LOWEST : d->low, is_plain = g->bits == FEWEST_BITS;
    g->out_words = (ct_words){g->exponent + g->bits - FEWEST_BITS - 16, 1};
    g->harm_words = (ct_words){2 * (g->exponent + FEWEST_BITS) - 20, 1};
    g->gain_words = (ct_words){0, 1};
    g->local_low = is_plain ? g->harm_words.low : 2 * high + 6 - LOCAL_BITS;
    if (!is_plain) g->harm_words = ct_words_between(2 * low - 40, 2 * high + 6);
    if (!g->is_wide) return;
    g->out_words = ct_words_between(low - 32, high + 2);
    g->gain_words = ct_words_between(2 * low - 40, 2 * high + 36);
}

/* Of scores, and hazards of leaves, which are from 0 to 22: harmonic numbers of up to 2^30. */
static int quantise_scores(ct_grower *g)
{
    g->bits = FEWEST_BITS;
    g->exponent = -CT_SCORE_BITS;
    g->unit = ldexp(1, g->exponent);
    g->has_own_quantised = 1;
    g->out_words = (ct_words){g->exponent - 16, 1};
    g->gain_words = g->harm_words = (ct_words){0, 1};
    g->gain_scale = ldexp(1, 1 - ilogb(g->options->sample));
    g->quantised = (int32_t *) ct_alloc_zeroed(g->n_rows, sizeof *g->quantised);
    return g->quantised != NULL;
}

/* ---- exposures ---- */

/* The largest exposure, and the median of rates. */
typedef struct {
    double most, median;
    distances rates, amounts; /* from the median, and from what rows have at it */
} rates;

/* 0 if memory ends. */
static int measure_rates(ct_grower *g, rates *r)
{
    const double *y = g->data->numbers, *exposure = g->data->exposure;
    const uint32_t n = g->n_rows;
    double sum = 0, all = 0, *values = (double *) ct_alloc(n * sizeof *values);
    if (!values) return 0;
    r->most = 0;
    for (uint32_t i = 0; i < n; i++) {
        r->most = fmax(r->most, exposure[i]);
        all += exposure[i];
        sum += y[i];
        values[i] = y[i] / exposure[i];
    }
    g->rate = sum / all;
    r->median = median_of(values, n);
    r->rates = distances_from(r->median, values, n);
    for (uint32_t i = 0; i < n; i++) values[i] = y[i] - r->median * exposure[i];
    r->amounts = distances_from(0, values, n);
    ct_free(values);
    return 1;
}

/* Of rates, which may be far from each other. */
static void words_of_rates(ct_grower *g, const rates *r)
{
    const double *y = g->data->numbers;
    double most = fabs(g->centre);
    g->gain_words = g->harm_words = (ct_words){0, 1};
    if (g->is_wide) {
        const int low = r->amounts.low < LOWEST ? LOWEST : r->amounts.low,
                  lowest = r->rates.low < LOWEST ? LOWEST : r->rates.low;
        g->out_words = ct_words_between(lowest - 32, r->rates.high + 2);
        /* whole exposures of a sample sum up to 2^53 */
        g->gain_words = ct_words_between(2 * low - 93, 2 * r->amounts.high + 36);
        return;
    }
    for (uint32_t i = 0; i < g->n_rows; i++)
        most = fmax(most, fabs(y[i] / g->data->exposure[i]));
    const int high = most > 0 ? ilogb(most) : 0, low = g->centre != 0 ? ilogb(g->centre) : high;
    g->out_words = ct_words_between((low < high ? low : high) - 32, high + 2);
}

static double far_from_rate(const ct_grower *g)
{
    double far = 0;
    for (uint32_t i = 0; i < g->n_rows; i++)
        far = fmax(far, fabs(g->data->numbers[i] - g->centre * g->data->exposure[i]));
    return far;
}

/* Whole numbers are what rows have more than their exposure at the rate of all, or at the median of
 * rates where some are far out, in as many bits as sums of the sample leave. */
static int quantise_rates(ct_grower *g)
{
    const double *y = g->data->numbers, *exposure = g->data->exposure;
    rates r;
    double squares = 0;
    g->quantised = (int32_t *) ct_alloc(g->n_rows * sizeof *g->quantised);
    g->exposure = (int32_t *) ct_alloc(g->n_rows * sizeof *g->exposure);
    if (!g->quantised || !g->exposure || !measure_rates(g, &r)) return 0;
    g->bits = most_bits(g);
    g->is_wide = g->has_own_quantised =
        FEWEST_BITS + r.amounts.high - r.amounts.typical - SLACK > g->bits;
    g->centre = g->is_wide ? r.median : g->rate;
    const double far = far_from_rate(g);
    g->exponent = (far > 0 ? ilogb(far) : 0) + 1 - g->bits;
    g->unit = ldexp(1, g->exponent);
    g->exposure_unit = ldexp(1, ilogb(r.most) + 1 - g->bits);
    words_of_rates(g, &r);
    for (uint32_t i = 0; i < g->n_rows; i++) {
        const double own = nearbyint(exposure[i] / g->exposure_unit);
        g->quantised[i] = (int32_t) lround((y[i] - g->centre * exposure[i]) / g->unit);
        g->exposure[i] = own > 1 ? (int32_t) own : 1;
        squares += (double) g->quantised[i] * g->quantised[i] / g->exposure[i];
    }
    g->gain_scale = squares > 0 ? ldexp(1, 39 - ilogb(squares)) : 1;
    return 1;
}

int ct_forest_quantise(ct_grower *g)
{
    CT_ASSERT(g->n_rows > 0 && !g->n_classes && !g->quantised);
    if (g->data->survival) return quantise_scores(g);
    if (g->data->exposure) return quantise_rates(g);
    const double *y = g->data->numbers, median = median_of(y, g->n_rows);
    const distances d = distances_from(median, y, g->n_rows);
    g->quantised = (int32_t *) ct_alloc(g->n_rows * sizeof *g->quantised);
    if (!g->quantised) return 0;
    choose_words(g, &d, choose_unit(g, median, &d));
    g->has_own_quantised = g->is_wide;
    double squares = 0;
    for (uint32_t i = 0; i < g->n_rows; i++) {
        g->quantised[i] = (int32_t) lround((y[i] - g->centre) / g->unit);
        squares += (double) g->quantised[i] * g->quantised[i];
    }
    g->gain_scale = squares > 0 ? ldexp(1, 39 - ilogb(squares)) : 1;
    return 1;
}

/* ---- units of a node's own ---- */

static int is_close(const ct_hist_scratch *scratch, const ct_hist_task *task)
{
    const int32_t *quantised = ct_view_of(scratch, task)->quantised;
    const ct_item *items = scratch->rows.items + task->begin;
    const int64_t first = quantised[items[0].row],
                  most = (int64_t) 1 << (scratch->grower->bits - CLOSE_BITS);
    uint32_t i = 1;
    while (i < task->n && quantised[items[i].row] - first < most &&
           first - quantised[items[i].row] < most)
        i++;
    return i == task->n;
}

static double number_of(const ct_hist_scratch *scratch, const ct_view *view, const ct_item *item)
{
    return scratch->grower->data->numbers[ct_table_row(view, item->row)];
}

/* From the middle of the lowest and the highest. */
static void quantise_numbers(ct_hist_scratch *scratch, ct_hist_task *task)
{
    const ct_view *view = ct_view_of(scratch, task);
    const ct_item *items = scratch->rows.items + task->begin;
    double low = number_of(scratch, view, items), high = low;
    for (uint32_t i = 1; i < task->n; i++) {
        low = fmin(low, number_of(scratch, view, items + i));
        high = fmax(high, number_of(scratch, view, items + i));
    }
    const double middle = low + (high - low) / 2;
    task->exponent = ilogb(high - low) - scratch->grower->bits;
    if (task->exponent < -1022) task->exponent = -1022;
    const double unit = ldexp(1, task->exponent);
    int32_t *quantised = ct_own_quantised(scratch, task->place);
    for (uint32_t i = 0; i < task->n; i++)
        quantised[items[i].row] = (int32_t) lround((number_of(scratch, view, items + i) -
                                                middle) / unit);
}

static double above_rate(const ct_hist_scratch *scratch, const ct_view *view, const ct_item *item,
                         double rate)
{
    const uint32_t row = ct_table_row(view, item->row);
    return scratch->grower->data->numbers[row] -
           ct_hd_product(rate, scratch->grower->data->exposure[row]);
}

/* From what rows have at the rate of the node. */
static void quantise_node_rates(ct_hist_scratch *scratch, ct_hist_task *task)
{
    const ct_view *view = ct_view_of(scratch, task);
    const ct_item *items = scratch->rows.items + task->begin;
    const double rate = ct_forest_rate_of(scratch, task, 0);
    double most = 0;
    for (uint32_t i = 0; i < task->n; i++)
        most = fmax(most, fabs(above_rate(scratch, view, items + i, rate)));
    if (!(most > 0)) return;
    task->exponent = ilogb(most) + 1 - scratch->grower->bits;
    if (task->exponent < -1022) task->exponent = -1022;
    const double unit = ldexp(1, task->exponent);
    int32_t *quantised = ct_own_quantised(scratch, task->place);
    for (uint32_t i = 0; i < task->n; i++)
        quantised[items[i].row] =
            (int32_t) lround(above_rate(scratch, view, items + i, rate) / unit);
}

void ct_forest_quantise_node(ct_hist_scratch *scratch, ct_hist_task *task)
{
    CT_ASSERT(scratch->grower->is_wide && task->n > 0);
    if (!is_close(scratch, task)) return;
    if (scratch->grower->exposure) quantise_node_rates(scratch, task);
    else quantise_numbers(scratch, task);
    if (scratch->grower->options->gains) task->purity = ct_forest_purity(scratch, task);
}
