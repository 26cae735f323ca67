#include "exact/cost/quantised.h"

#include "base/bits.h"

enum { MOST = 255, SUM_BITS = 29, LOSS_BITS = 15 };

/* What a row costs under a wrong label. */
static int64_t cost_of(const ct_costs *costs, const ct_data *data, uint32_t row)
{
    size_t c = (size_t) data->classes[row];
    CT_ASSERT(row < data->n_rows && c < costs->n_classes);
    return (costs->weights ? costs->weights[row] : 1) * costs->most[c];
}

/* What all rows cost in multiples of 2^shift, none more than `most`. */
static int64_t quantised_sum(const ct_costs *costs, const ct_data *data, unsigned shift,
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
 * 2^29; 0 if none is. */
static int choose_shift(const ct_costs *costs, const ct_data *data, int64_t most,
                        ct_quantised *quantised)
{
    enum { CUT_BITS = 8 }; /* the row of maximum costs may be cut to 2^-8 of what they cost */
    int64_t all = 0, sum = 0, least = INT64_MAX;
    for (uint32_t row = 0; row < data->n_rows; row++) {
        all |= cost_of(costs, data, row);
        sum += cost_of(costs, data, row);
    }
    if (!all) return 0;
    CT_ASSERT(all > 0 && sum >= all / 2 /* none is negative */);
    unsigned shift = ct_trailing_zeros((uint64_t) all),
             width = ct_bit_width((uint64_t) most) + CUT_BITS;
    if (ct_bit_width((uint64_t) all) > shift + width) shift = ct_bit_width((uint64_t) all) - width;
    if (most > MOST && ct_bit_width((uint64_t) sum) > shift + SUM_BITS)
        shift = ct_bit_width((uint64_t) sum) - SUM_BITS;
    for (; all >> shift; shift++) {
        int64_t kept = quantised_sum(costs, data, shift, most),
                lost = sum - kept * ((int64_t) 1 << shift);
        CT_ASSERT(kept >= 0 && lost >= 0);
        if (kept >> SUM_BITS) continue;
        if (lost >= least) break; /* cutting loses less and less, rounding more and more */
        least = lost;
        quantised->shift = shift;
        quantised->exact = lost == 0;
    }
    return least < INT64_MAX;
}

static ct_status no_memory(ct_error *error)
{
    return ct_fail(error, CT_NO_MEMORY, "not enough memory for the quantised costs of the rows");
}

/* The least shift with which losses are below 2^15 and the rows cost less than 2^29 together, but
 * no less than leaves all losses whole; 64 if there is none, or nothing costs anything. */
static unsigned loss_shift(const ct_costs *costs, const uint64_t *rows)
{
    uint64_t all = 0;
    size_t n = costs->n_classes;
    for (size_t i = 0; i < n * n; i++) all |= (uint64_t) costs->loss[i];
    if (!all) return 64;
    for (unsigned shift = ct_trailing_zeros(all); all >> shift; shift++) {
        uint64_t sum = 0;
        for (size_t c = 0; c < n; c++)
            sum += rows[c] * ((uint64_t) costs->most[c] >> shift);
        if (!(sum >> SUM_BITS) && !(all >> shift >> LOSS_BITS)) return shift;
    }
    return 64;
}

/* Losses rounded down, and gains from these. */
static ct_status set_by_label(ct_costs *costs, const ct_data *data, ct_arena *arena,
                              ct_error *error)
{
    size_t n = costs->n_classes;
    ct_quantised *quantised = CT_ARENA_ZEROED(arena, ct_quantised, 1);
    int32_t *gains = CT_ARENA_NEW(arena, int32_t, n * n);
    uint64_t *rows = CT_ARENA_ZEROED(arena, uint64_t, n);
    if (!quantised || !gains || !rows) return no_memory(error);
    for (uint32_t row = 0; row < data->n_rows; row++) rows[data->classes[row]]++;
    unsigned shift = loss_shift(costs, rows);
    if (shift == 64) return CT_OK;
    CT_ASSERT(shift < 64);
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
    quantised->shift = shift;
    quantised->by_label = gains;
    costs->quantised = quantised;
    return CT_OK;
}

ct_status ct_quantised_init(ct_costs *costs, const ct_data *data, ct_arena *arena, ct_error *error)
{
    costs->quantised = NULL;
    if (costs->plain) return CT_OK;
    if (ct_costs_by_label(costs))
        return costs->weights ? CT_OK : set_by_label(costs, data, arena, error);
    uint32_t n = costs->n_classes;
    ct_quantised *quantised = CT_ARENA_ZEROED(arena, ct_quantised, 1);
    uint32_t *gains = CT_ARENA_NEW(arena, uint32_t, n);
    uint8_t *rows = costs->weights ? CT_ARENA_NEW(arena, uint8_t, data->n_rows) : NULL, all = 0;
    if (!quantised || !gains || (costs->weights && !rows))
        return no_memory(error);
    if (!choose_shift(costs, data, rows ? MOST : (int64_t) 1 << SUM_BITS, quantised)) return CT_OK;
    for (uint32_t row = 0; rows && row < data->n_rows; row++) {
        int64_t cost = cost_of(costs, data, row) >> quantised->shift;
        rows[row] = (uint8_t) (cost < MOST ? cost : MOST);
        all |= rows[row];
        CT_ASSERT(cost >= 0 && rows[row] <= MOST);
    }
    for (uint32_t c = 0; c < n; c++)
        gains[c] = (uint32_t) (costs->most[c] >> quantised->shift);
    quantised->rows = rows;
    quantised->gains = rows ? NULL : gains;
    CT_ASSERT(!rows || (all && ct_bit_width(all) <= 8));
    quantised->n_planes = ct_bit_width(all);
    costs->quantised = quantised;
    return CT_OK;
}
