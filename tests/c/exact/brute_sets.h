/* Sets of rows as the bits of a number, for searches by trying all. */
#ifndef CT_TEST_BRUTE_SETS_H
#define CT_TEST_BRUTE_SETS_H

#include "data/data.h"

static inline uint32_t brute_count(uint32_t rows)
{
    uint32_t n = 0;
    for (; rows; rows &= rows - 1) n++;
    return n;
}

/* The rows below the value of row `at`. */
static inline uint32_t brute_below(const ct_data *data, uint32_t rows, uint32_t col, uint32_t at)
{
    double cut = ct_column_value(&data->columns[col], at);
    uint32_t left = 0;
    for (uint32_t i = 0; i < data->n_rows; i++)
        if ((rows >> i & 1) && ct_column_value(&data->columns[col], i) < cut)
            left |= UINT32_C(1) << i;
    return left;
}

#endif
