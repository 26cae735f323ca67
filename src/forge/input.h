/* Reads the caller's columns as an ensemble defines. */
#ifndef CT_FORGE_INPUT_H
#define CT_FORGE_INPUT_H

#include <limits.h>
#include <math.h>

#include "data/data.h"
#include "forge/ensemble.h"

/* The value of a row, cast as the contract has it. The least integer is missing. */
static inline double ct_forge_input(const ct_column *column, uint32_t row, ct_forge_number number)
{
    double x;
    if (column->type == CT_DOUBLE) {
        x = ((const double *) column->values)[row];
    } else {
        int32_t code = ((const int32_t *) column->values)[row];
        x = code == INT32_MIN ? (double) NAN : code;
    }
    return number == CT_F32 ? (double) (float) x : x;
}

#endif
