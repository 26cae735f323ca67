#include "forest/codes/encode.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { FEWEST_CODES = 16, INTERVALS_PER_CODE = 4, MOST_INTERVALS = 16384, STEP = 256 };

/* The interval of a value. It rises with the value, also when rounded: a value in a lower interval
 * is less. */
static inline uint32_t interval_of(const ct_coder *c, double value)
{
    double interval = (value - c->low) * c->scale;
    interval = interval > 0 ? interval : 0;
    return (uint32_t) (interval < c->last ? interval : c->last);
}

/* Divides the range of a column; 0 if there is not enough memory. */
static int cut_range(ct_coder *c, const ct_hist_code_column *column)
{
    uint32_t n = column->n_codes, n_intervals = n * INTERVALS_PER_CODE, begun = 0;
    if (n_intervals > MOST_INTERVALS) n_intervals = MOST_INTERVALS;
    c->low = column->edges[1];
    c->last = n_intervals - 1;
    c->scale = c->last / (column->edges[n - 1] - c->low);
    if (!isfinite(c->low) || !(c->scale > 0) || !isfinite(c->scale)) return 1;
    c->start = (uint16_t *) ct_alloc(n_intervals * sizeof *c->start);
    if (!c->start) return 0;
    for (uint32_t interval = 0, code = 1; interval < n_intervals; interval++) {
        c->start[interval] = (uint16_t) (code - 1);
        for (begun = 0; code < n && interval_of(c, column->edges[code]) == interval; code++)
            begun++;
        if (begun > c->most) c->most = begun;
    }
    c->edges = (double *) ct_alloc((n + c->most) * sizeof *c->edges);
    if (!c->edges) return 0;
    memcpy(c->edges, column->edges, n * sizeof *c->edges);
    for (uint32_t i = 0; i < c->most; i++) c->edges[n + i] = INFINITY;
    return 1;
}

ct_coder *ct_forest_coders_new(const ct_hist_code_column *columns, uint32_t n_cols, uint32_t n_rows)
{
    CT_ASSERT(columns || !n_cols);
    ct_coder *coders = (ct_coder *) ct_alloc_zeroed(n_cols ? n_cols : 1, sizeof *coders);
    if (!coders) return NULL;
    for (uint32_t col = 0; col < n_cols; col++) {
        uint32_t n = columns[col].n_codes;
        if (n < FEWEST_CODES || n / 2 > n_rows || cut_range(&coders[col], &columns[col])) continue;
        ct_forest_coders_free(coders, n_cols);
        return NULL;
    }
    return coders;
}

void ct_forest_coders_free(ct_coder *coders, uint32_t n_cols)
{
    for (uint32_t col = 0; coders && col < n_cols; col++) {
        ct_free(coders[col].start);
        ct_free(coders[col].edges);
    }
    ct_free(coders);
}

/* Values as numbers, a missing one as NaN. */
static void read_values(const ct_column *column, uint32_t from, uint32_t n, double *values)
{
    if (column->type == CT_DOUBLE) {
        memcpy(values, (const double *) column->values + from, n * sizeof *values);
        return;
    }
    const int32_t *own = (const int32_t *) column->values + from;
    for (uint32_t i = 0; i < n; i++) values[i] = ct_integer_number(own[i]);
}

/* Searches all values in step: low[i] plus the codes from the one after it that begin at or below
 * the value, which are fewer than `rest`. */
static void search_codes(const double *edges, uint32_t rest, const double *values, uint32_t n,
                         uint32_t *low)
{
    for (; rest > 1; rest -= rest / 2) {
        uint32_t half = rest / 2;
        for (uint32_t i = 0; i < n; i++) low[i] += values[i] >= edges[low[i] + half] ? half : 0;
    }
}

int ct_forest_encode(const ct_hist_code_column *codes, const ct_coder *coder,
                     const ct_column *column, uint32_t from, uint32_t n, uint16_t *to,
                     size_t stride)
{
    CT_ASSERT(codes->n_codes <= CT_HIST_CODES && stride > 0);
    double values[STEP];
    uint32_t low[STEP];
    int missing = 0;
    for (uint32_t begin = 0; begin < n; begin += STEP) {
        uint32_t m = n - begin < STEP ? n - begin : STEP;
        read_values(column, from + begin, m, values);
        if (coder->start) {
            for (uint32_t i = 0; i < m; i++) low[i] = coder->start[interval_of(coder, values[i])];
            search_codes(coder->edges, coder->most + 1, values, m, low);
        } else {
            memset(low, 0, m * sizeof *low);
            search_codes(codes->edges, codes->n_codes, values, m, low);
        }
        for (uint32_t i = 0; i < m; i++) {
            int there = values[i] == values[i];
            to[(begin + i) * stride] = (uint16_t) (there ? low[i] : CT_CODE_MISSING);
            missing |= !there;
        }
    }
    return missing;
}
