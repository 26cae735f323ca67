#include "base/compact.h"

#include "exact/cost/quantised.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"

enum { MOST_BITS = 8, MOST = (1 << MOST_BITS) - 1, SUM_BITS = 29, LOSS_BITS = 15 };

/* What a row costs under a wrong label. */
static int64_t cost_of(const ct_exact_costs *costs, const ct_data *data, uint32_t row)
{
    size_t c = (size_t) data->classes[row];
    CT_ASSERT(row < data->n_rows && c < costs->n_classes);
    return (costs->weights ? costs->weights[row] : 1) * costs->most[c];
}

/* What all rows cost in multiples of 2^shift, none more than `most`. */
static int64_t quantised_sum(const ct_exact_costs *costs, const ct_data *data, unsigned shift,
                             int64_t most)
{
    CT_ASSERT(shift < 64 && most > 0);
    int64_t sum = 0;
    for (uint32_t row = 0; row < data->n_rows; row++) {
        int64_t cost = cost_of(costs, data, row) >> shift;
        sum += cost < most ? cost : most;
    }
    return sum;
}

/* The shift with which least is lost, among those with which the rows' costs sum up to less than
 * 2^29: there is one, since all are 0 in the end. */
static void choose_shift(const ct_exact_costs *costs, const ct_data *data, int64_t most,
                        ct_quantised *quantised)
{
    enum { CUT_BITS = 8 }; /* the row of maximum costs may be cut to 2^-8 of what they cost */
    int64_t all = 0, sum = 0, least = INT64_MAX;
    for (uint32_t row = 0; row < data->n_rows; row++) {
        all |= cost_of(costs, data, row);
        sum += cost_of(costs, data, row);
    }
    CT_ASSERT(all >= 0 && sum >= all / 2 /* none is negative */);
    unsigned shift = all ? ct_trailing_zeros((uint64_t) all) : 0,
             width = ct_bit_width((uint64_t) most) + CUT_BITS;
    if (ct_bit_width((uint64_t) all) > shift + width) shift = ct_bit_width((uint64_t) all) - width;
    if (most > MOST && ct_bit_width((uint64_t) sum) > shift + SUM_BITS)
        shift = ct_bit_width((uint64_t) sum) - SUM_BITS;
    for (; shift <= ct_bit_width((uint64_t) all); shift++) {
        int64_t kept = quantised_sum(costs, data, shift, most),
                lost = sum - kept * ((int64_t) 1 << shift);
        CT_ASSERT(kept >= 0 && lost >= 0);
        if (kept >> SUM_BITS) continue;
        if (lost >= least) break; /* cutting loses less and less, rounding more and more */
        least = lost;
        quantised->shift = shift;
        quantised->exact = lost == 0;
    }
}

static ct_status no_memory(ct_error *error)
{
    return ct_fail(error, CT_NO_MEMORY, "not enough memory for the quantised costs of the rows");
}

/* ---- losses that depend on the label ---- */

/* What a row weighs in multiples of 2^shift, cut at MOST. */
static uint8_t weight_of(const ct_exact_costs *costs, uint32_t row, unsigned shift)
{
    int64_t weight = costs->weights ? costs->weights[row] >> shift : 1;
    return (uint8_t) (weight < MOST ? weight : MOST);
}

/* The least shift with which losses are below 2^15 and rows that weigh so much, by class, cost less
 * than 2^29 together, but no less than leaves all losses whole. */
static unsigned loss_shift(const ct_exact_costs *costs, const uint64_t *weights)
{
    uint64_t all = 0;
    size_t n = costs->n_classes;
    for (size_t i = 0; i < n * n; i++) all |= (uint64_t) costs->loss[i];
    for (unsigned shift = all ? ct_trailing_zeros(all) : 0;; shift++) {
        uint64_t sum = 0;
        for (size_t c = 0; c < n; c++) sum += weights[c] * ((uint64_t) costs->most[c] >> shift);
        if (!(sum >> SUM_BITS) && !(all >> shift >> LOSS_BITS)) return shift;
    }
}

/* The shifts of weights and of losses with which the rows' costs under all labels together keep
 * most. `sums`: scratch, [class]. */
static void choose_shifts(const ct_exact_costs *costs, const ct_data *data, uint64_t *sums,
                          unsigned *of_weights, unsigned *of_losses)
{
    size_t n = costs->n_classes;
    uint64_t all = 0;
    double most = -1;
    CT_ASSERT(n > 0);
    for (uint32_t row = 0; costs->weights && row < data->n_rows; row++)
        all |= (uint64_t) costs->weights[row];
    unsigned width = ct_bit_width(all), shift = all ? ct_trailing_zeros(all) : 0;
    if (width > shift + 2 * MOST_BITS) shift = width - 2 * MOST_BITS; /* cut no more than that */
    for (; shift <= width; shift++) {
        memset(sums, 0, n * sizeof *sums);
        for (uint32_t row = 0; row < data->n_rows; row++)
            sums[data->classes[row]] += weight_of(costs, row, shift);
        unsigned down = loss_shift(costs, sums);
        double kept = 0;
        for (size_t i = 0; i < n * n; i++) {
            size_t truth = i / n;
            kept += (double) (sums[truth] * ((uint64_t) costs->loss[i] >> down));
        }
        kept = ldexp(kept, (int) (shift + down));
        if (kept > most) most = kept, *of_weights = shift, *of_losses = down;
    }
}

/* Weights and losses rounded down, and gains from these. */
static ct_status set_by_label(ct_exact_costs *costs, const ct_data *data, ct_arena *arena,
                              ct_error *error)
{
    size_t n = costs->n_classes;
    ct_quantised *quantised = CT_ARENA_ZEROED(arena, ct_quantised, 1);
    int32_t *gains = CT_ARENA_NEW(arena, int32_t, n * n);
    uint64_t *sums = CT_ARENA_ZEROED(arena, uint64_t, n);
    uint8_t *rows = costs->weights ? CT_ARENA_NEW(arena, uint8_t, data->n_rows) : NULL, all = 0;
    if (!quantised || !gains || !sums || (costs->weights && !rows)) return no_memory(error);
    unsigned of_weights = 0, shift = 0;
    choose_shifts(costs, data, sums, &of_weights, &shift);
    quantised->exact = 1;
    for (size_t c = 0; c < n; c++) {
        int64_t most = costs->most[c] >> shift;
        for (size_t k = 0; k < n; k++) {
            int64_t loss = costs->loss[c * n + k];
            CT_ASSERT(loss >= 0 && loss >> shift <= most && most < 1 << LOSS_BITS);
            gains[c * n + k] = (int32_t) (most - (loss >> shift));
            quantised->exact = quantised->exact && loss >> shift << shift == loss;
        }
    }
    for (uint32_t row = 0; rows && row < data->n_rows; row++) {
        all |= rows[row] = weight_of(costs, row, of_weights);
        quantised->exact = quantised->exact &&
                           (int64_t) rows[row] << of_weights == costs->weights[row];
    }
    quantised->shift = of_weights + shift;
    CT_ASSERT(!rows || all); /* some row has a weight, and these are not cut to nothing */
    quantised->by_label = gains;
    quantised->rows = rows;
    quantised->n_planes = ct_bit_width(all);
    costs->quantised = quantised;
    return CT_OK;
}

ct_status ct_quantised_init(ct_exact_costs *costs, const ct_data *data, ct_arena *arena,
                            ct_error *error)
{
    costs->quantised = NULL;
    if (costs->plain) return CT_OK;
    if (ct_costs_by_label(costs)) return set_by_label(costs, data, arena, error);
    uint32_t n = costs->n_classes;
    ct_quantised *quantised = CT_ARENA_ZEROED(arena, ct_quantised, 1);
    uint32_t *gains = CT_ARENA_NEW(arena, uint32_t, n);
    uint8_t *rows = costs->weights ? CT_ARENA_NEW(arena, uint8_t, data->n_rows) : NULL, all = 0;
    if (!quantised || !gains || (costs->weights && !rows))
        return no_memory(error);
    choose_shift(costs, data, rows ? MOST : (int64_t) 1 << SUM_BITS, quantised);
    for (uint32_t row = 0; rows && row < data->n_rows; row++) {
        int64_t cost = cost_of(costs, data, row) >> quantised->shift;
        rows[row] = (uint8_t) (cost < MOST ? cost : MOST);
        all |= rows[row];
        CT_ASSERT(cost >= 0 && rows[row] <= MOST);
    }
    for (uint32_t c = 0; c < n; c++)
        gains[c] = (uint32_t) (costs->most[c] >> quantised->shift);
    quantised->rows = all ? rows : NULL; /* NULL: none costs anything */
    quantised->gains = all ? NULL : gains;
    quantised->n_planes = ct_bit_width(all);
    costs->quantised = quantised;
    return CT_OK;
}
