/* Reads the caller's columns as an ensemble defines. */
#ifndef CT_FORGE_INPUT_H
#define CT_FORGE_INPUT_H

#include "data/data.h"
#include "forge/ensemble.h"

/* The value of a row, cast as the contract has it. */
static inline double ct_forge_input(const ct_column *column, uint32_t row, ct_forge_number number)
{
    CT_ASSERT(column->type == CT_DOUBLE || column->type == CT_INT32);
    double x = column->type == CT_DOUBLE
                   ? ((const double *) column->values)[row]
                   : ct_integer_number(((const int32_t *) column->values)[row]);
    return number == CT_FORGE_F32 ? (double) (float) x : x;
}

#endif
