/* Rows' weights as integers, beside a numeric response: exactly where they have few decimals, else
 * as finely as there is room for, and by how much that may change squares. */
#ifndef CT_EXACT_COST_WEIGHING_H
#define CT_EXACT_COST_WEIGHING_H

#include "base/arena.h"
#include "data/data.h"
#include "exact/cost/full.h"

/* Of the response of rows that count: the lowest, the highest, and its squares about the mean. */
typedef struct {
    double low, high, sse;
} ct_spread;

/* Whole numbers of `unit` each. */
typedef struct {
    int64_t *whole;  /* [row] NULL: 1 each */
    ct_wide sum;     /* at least 1 */
    double unit;
    int exact;       /* no weight is off by more than its own last bits */
    double rounding; /* by how much an SSE may change, last bits and all */
} ct_weighing;

/* From the arena. one_word: sums fit into the numbers of scans. */
ct_status ct_weighing_init(ct_weighing *weighing, const ct_data *data, const ct_spread *spread,
                           int one_word, ct_arena *arena, ct_error *error);

static inline int64_t ct_weighing_at(const ct_weighing *weighing, uint32_t row)
{
    return weighing->whole ? weighing->whole[row] : 1;
}

#endif
