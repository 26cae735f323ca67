#include "forest/codes/distinct.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "forest/codes/codes.h"

/* Columns of fewer rows are sorted as fast. Values that need more steps share their slots, by
 * chance or by design, and the table would be slow. */
enum { SLOTS = 2 * CT_HIST_DISTINCT, FEWEST_ROWS = 512, MOST_STEPS = 64 };

/* Bits of a product that all bits of the value reach: the low half of a double is often 0. Adding
 * zero turns -0 into +0. */
static uint32_t slot_of(double value)
{
    uint64_t bits;
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    return (uint32_t) (((bits ^ bits >> 32) * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % SLOTS;
}

/* Whether a new value in this row is one too many. Where most rows have new ones, the first 256
 * tell, so that little is lost. */
static int is_full(uint32_t n_levels, uint32_t most, uint32_t row)
{
    return n_levels > most || n_levels > 64 + row - row / 4;
}

/* The level of a value that is not missing; 0 if there are too many. Level 0 equals no value. */
CT_HOT uint32_t level_of(ct_hist_distinct *distinct, double value, uint32_t row, uint32_t most,
                         uint32_t *n_levels)
{
    uint32_t at = slot_of(value);
    for (int step = 0; step < MOST_STEPS; step++, at = (at + 1) % SLOTS) {
        uint32_t level = distinct->slots[at];
        if (distinct->levels[level] == value) return level;
        if (level) continue;
        if (is_full(*n_levels, most, row)) return 0;
        distinct->levels[*n_levels] = value;
        distinct->slots[at] = (uint16_t) *n_levels;
        return (*n_levels)++;
    }
    return 0;
}

CT_HOT uint32_t code_rows(ct_hist_distinct *distinct, const ct_column *column, uint32_t n_rows,
                          uint32_t most, uint16_t *codes)
{
    uint32_t n_levels = 1;
    for (uint32_t row = 0; row < n_rows; row++) {
        uint32_t level = 0;
        if (ct_column_missing(column, row))
            distinct->has_missing = 1;
        else if (!(level = level_of(distinct, ct_column_value(column, row), row, most, &n_levels)))
            return 0;
        codes[row] = (uint16_t) level;
    }
    return n_levels;
}

uint32_t ct_hist_distinct_values(ct_hist_distinct *distinct, const ct_column *column,
                                 uint32_t n_rows, uint32_t most, uint16_t *codes)
{
    CT_ASSERT(column->type != CT_CODED);
    if (n_rows < FEWEST_ROWS) return 0;
    if (most >= CT_HIST_DISTINCT) most = CT_HIST_DISTINCT - 1;
    memset(distinct->slots, 0, sizeof distinct->slots);
    distinct->levels[0] = NAN;
    distinct->has_missing = 0;
    /* two calls, so that neither loop tests the type */
    const ct_column doubles = {column->values, CT_DOUBLE}, integers = {column->values, CT_INT32};
    return column->type == CT_DOUBLE ? code_rows(distinct, &doubles, n_rows, most, codes)
                                     : code_rows(distinct, &integers, n_rows, most, codes);
}
