#include "base/compact.h"

#include "data/data.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Limits of the sums of weights and of losses, so that their products, and the factors that make
 * integers of them, are finite. */
static const double LEAST_SUM = 1e-100, LARGEST_SUM = 1e100;

/* Least weight or loss other than 0, so that the product of two keeps all its digits. */
static const double LEAST_COST = 1e-150;

/* Largest response, so that sums of squares are finite. */
static const double LARGEST_RESPONSE = 1e100;

/* An exponent of all ones, infinity or NaN, carries into the sign bit. Without a way out of the
 * loop, which compilers turn into vector code. */
static int all_finite(const double *values, uint32_t n)
{
    const uint64_t exponent = UINT64_C(0x7ff) << 52;
    uint64_t carries = 0;
    for (uint32_t row = 0; row < n; row++) {
        uint64_t bits;
        memcpy(&bits, &values[row], sizeof bits);
        carries |= (bits & exponent) + (UINT64_C(1) << 52);
    }
    return !(carries >> 63);
}

static int all_below(const int32_t *codes, uint32_t n, uint32_t n_classes)
{
    uint32_t wrong = 0;
    for (uint32_t row = 0; row < n; row++) wrong |= (uint32_t) codes[row] >= n_classes;
    return !wrong;
}

/* Levels without rows, too: they are sorted with the others. */
static ct_status check_coded(const ct_coded_column *coded, uint32_t n_rows, uint32_t col,
                             ct_error *error)
{
    uint32_t largest = 0;
    for (uint32_t row = 0; row < n_rows; row++)
        largest = coded->codes[row] > largest ? coded->codes[row] : largest;
    if (largest >= coded->n_levels || !all_finite(coded->levels, coded->n_levels))
        return ct_fail(error, CT_BAD_INPUT,
                       "column %lu has a code without a level, or a level that is not finite",
                       (unsigned long) col + 1);
    return CT_OK;
}

static ct_status check_column(const ct_data *data, uint32_t col, ct_error *error)
{
    CT_ASSERT(col < data->n_cols);
    const ct_column *column = &data->columns[col];
    const double *values = (const double *) column->values;
    if (column->type == CT_CODED)
        return check_coded((const ct_coded_column *) column->values, data->n_rows, col, error);
    if (column->type == CT_INT32 || all_finite(values, data->n_rows)) return CT_OK;
    for (uint32_t row = 0; row < data->n_rows; row++)
        if (!isfinite(values[row]))
            return ct_fail(error, CT_BAD_INPUT,
                           "column %lu has a value that is missing or not finite in row %lu",
                           (unsigned long) col + 1, (unsigned long) row + 1);
    return CT_OK;
}

static ct_status check_classes(const ct_data *data, ct_error *error)
{
    if (all_below(data->classes, data->n_rows, data->n_classes)) return CT_OK;
    uint32_t row = 0;
    while ((uint32_t) data->classes[row] < data->n_classes) row++;
    CT_ASSERT(row < data->n_rows);
    return ct_fail(error, CT_BAD_INPUT, "the class code of row %lu is not in 0 .. n_classes - 1",
                   (unsigned long) row + 1);
}

static ct_status check_response(const ct_data *data, ct_error *error)
{
    if (data->classes || data->loss)
        return ct_fail(error, CT_BAD_INPUT, "there are either classes or a response, without loss");
    for (uint32_t row = 0; row < data->n_rows; row++)
        if (!(fabs(data->response[row]) <= LARGEST_RESPONSE))
            return ct_fail(error, CT_BAD_INPUT,
                           "the response of row %lu is not a number between -%g and %g",
                           (unsigned long) row + 1, LARGEST_RESPONSE, LARGEST_RESPONSE);
    return CT_OK;
}

/* Whether a weight or a loss is allowed; NaN is not. */
static int may_cost(double x)
{
    return x == 0 || x >= LEAST_COST;
}

static ct_status check_costs(const ct_data *data, ct_error *error)
{
    double sum = 0;
    for (uint32_t row = 0; data->weights && row < data->n_rows; row++) {
        if (!may_cost(data->weights[row]))
            return ct_fail(error, CT_BAD_INPUT,
                           "the weight of row %lu is neither 0 nor a number of at least %g",
                           (unsigned long) row + 1, LEAST_COST);
        sum += data->weights[row];
    }
    if (data->weights && !(sum >= LEAST_SUM && sum <= LARGEST_SUM))
        return ct_fail(error, CT_BAD_INPUT, "the sum of the weights must be between %g and %g",
                       LEAST_SUM, LARGEST_SUM);
    size_t n = data->n_classes;
    sum = 0;
    for (size_t i = 0; data->loss && i < n * n; i++) {
        int same = i % (n + 1) == 0;
        if (!may_cost(data->loss[i]) || (same && data->loss[i] != 0))
            return ct_fail(error, CT_BAD_INPUT,
                           "losses must be 0 or numbers of at least %g, and 0 for the right class",
                           LEAST_COST);
        sum += data->loss[i];
    }
    if (data->loss && n > 1 && !(sum >= LEAST_SUM && sum <= LARGEST_SUM))
        return ct_fail(error, CT_BAD_INPUT, "the sum of the losses must be between %g and %g",
                       LEAST_SUM, LARGEST_SUM);
    return CT_OK;
}

ct_status ct_data_check(const ct_data *data, ct_error *error)
{
    if (data->n_rows < 1 || data->n_rows > INT32_MAX)
        return ct_fail(error, CT_BAD_INPUT, "the number of rows must be between 1 and 2147483647");
    if (data->n_cols < 1 || data->n_cols > INT32_MAX)
        return ct_fail(error, CT_BAD_INPUT,
                       "the number of columns must be between 1 and 2147483647");
    if (ct_data_classes(data) < 1 || ct_data_classes(data) > INT32_MAX)
        return ct_fail(error, CT_BAD_INPUT,
                       "the number of classes must be between 1 and 2147483647");
    CT_TRY((data->response ? check_response : check_classes)(data, error));
    CT_TRY(check_costs(data, error));
    for (uint32_t col = 0; col < data->n_cols; col++) CT_TRY(check_column(data, col, error));
    return CT_OK;
}
