/* Reads the caller's columns as an ensemble defines. */
#ifndef CT_FORGE_INPUT_H
#define CT_FORGE_INPUT_H

#include "data/data.h"
#include "forge/forged.h"

/* The value of a row, cast as the contract has it. */
static inline double ct_forge_input(const ct_column *column, uint32_t row, ct_forge_number number)
{
    CT_ASSERT(column->type == CT_DOUBLE || column->type == CT_INT32);
    double x = column->type == CT_DOUBLE
                   ? ((const double *) column->values)[row]
                   : ct_integer_number(((const int32_t *) column->values)[row]);
    return number == CT_FORGE_F32 ? (double) (float) x : x;
}

/* n rows from `first` on, of the features that are used: x[row][n_used]. */
static inline void ct_forge_input_rows(const ct_forged *f, const ct_column *columns, uint32_t first,
                                       uint32_t n, double *x)
{
    for (uint32_t column = 0; column < f->n_used; column++) {
        const ct_column *from = &columns[f->used[column]];
        for (uint32_t row = 0; row < n; row++)
            x[(size_t) row * f->n_used + column] =
                ct_forge_input(from, first + row, f->ensemble->number);
    }
}

#endif
