/* The caller's data, borrowed for the duration of a call: the library neither copies nor frees
 * them. */
#ifndef CT_DATA_DATA_H
#define CT_DATA_DATA_H

#include <math.h>
#include <stdint.h>

#include "base/status.h"

typedef enum { CT_DOUBLE, CT_INT32, CT_CODED } ct_type;

/* Two bytes a row: its value is levels[codes[row]]. Levels come in any order, some may be equal,
 * and some may have no row. */
typedef struct {
    const uint16_t *codes;
    const double *levels;
    uint32_t n_levels; /* 1 .. 65536, above every code */
} ct_coded_column;

typedef struct {
    const void *values; /* n_rows values of the type; of CT_CODED, a ct_coded_column */
    ct_type type;
} ct_column;

typedef struct {
    uint32_t n_rows;          /* 1 .. 2^31 - 1 */
    uint32_t n_cols;          /* 1 .. 2^31 - 1 */
    uint32_t n_classes;       /* 1 .. 2^31 - 1; not looked at where there is a response */
    const ct_column *columns; /* n_cols of them */
    const int32_t *classes;   /* n_rows codes in 0 .. n_classes - 1 */
    /* [n_rows], 0 or >= 1e-150, their sum within 1e-100 .. 1e100; NULL: 1 each */
    const double *weights;
    /* [class][label], 0 or >= 1e-150, 0 where they are the same, their sum as that of weights;
     * NULL: 1 wherever they differ */
    const double *loss;
    /* [n_rows] numbers to predict, within +-1e100, in place of classes and loss, which are then
     * NULL; NULL: classes are */
    const double *response;
} ct_data;

/* Classes that a search tells apart; rows with a response are all of one. */
static inline uint32_t ct_data_classes(const ct_data *data)
{
    return data->response ? 1 : data->n_classes;
}

/* Whether a row has a weight. */
static inline int ct_data_counts(const ct_data *data, uint32_t row)
{
    return !data->weights || data->weights[row] > 0;
}

/* The smallest integer is missing: R's NA. */
static inline int ct_integer_missing(int32_t value) { return value == INT32_MIN; }

/* An integer as a number, NaN if it is missing. */
static inline double ct_integer_number(int32_t value)
{
    return ct_integer_missing(value) ? (double) NAN : (double) value;
}

/* A missing integer stays the smallest one. */
static inline double ct_column_value(const ct_column *column, uint32_t row)
{
    if (column->type == CT_DOUBLE) return ((const double *) column->values)[row];
    if (column->type == CT_INT32) return (double) ((const int32_t *) column->values)[row];
    const ct_coded_column *coded = (const ct_coded_column *) column->values;
    return coded->levels[coded->codes[row]];
}

/* Whether the value is missing: NaN, or a missing integer. */
static inline int ct_column_missing(const ct_column *column, uint32_t row)
{
    if (column->type == CT_INT32)
        return ct_integer_missing(((const int32_t *) column->values)[row]);
    const double value = ct_column_value(column, row);
    return value != value;
}

/* CT_BAD_INPUT with a message if a size is out of range, a class code is, a value is not finite, or
 * weights, losses or responses are not as they must be. */
ct_status ct_data_check(const ct_data *data, ct_error *error);

/* What a tree costs depends on no more than this. */
typedef struct {
    /* [n_rows] the class that each row is given or, of a regression tree, its leaf, from 0; the
     * caller's */
    const int32_t *labels;
    uint32_t n_splits;
} ct_outcome;

#endif
