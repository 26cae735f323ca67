#include "core/data.h"

#include <math.h>
#include <stddef.h>

static ct_status check_column(const ct_data *data, uint32_t col, ct_error *error)
{
    const ct_column *column = &data->columns[col];
    if (column->type == CT_INT32) return CT_OK;
    const double *values = (const double *) column->values;
    for (uint32_t row = 0; row < data->n_rows; row++)
        if (!isfinite(values[row]))
            return ct_fail(error, CT_BAD_INPUT, "column %lu has a value that is missing or not finite in row %lu",
                           (unsigned long) col + 1, (unsigned long) row + 1);
    return CT_OK;
}

ct_status ct_data_check(const ct_data *data, ct_error *error)
{
    if (data->n_rows < 1 || data->n_rows > INT32_MAX)
        return ct_fail(error, CT_BAD_INPUT, "the number of rows must be between 1 and 2147483647");
    if (data->n_cols < 1 || data->n_cols > INT32_MAX)
        return ct_fail(error, CT_BAD_INPUT, "the number of columns must be between 1 and 2147483647");
    if (data->n_classes < 1 || data->n_classes > INT32_MAX)
        return ct_fail(error, CT_BAD_INPUT, "the number of classes must be between 1 and 2147483647");
    for (uint32_t row = 0; row < data->n_rows; row++)
        if (data->classes[row] < 0 || (uint32_t) data->classes[row] >= data->n_classes)
            return ct_fail(error, CT_BAD_INPUT, "the class code of row %lu is not in 0 .. n_classes - 1",
                           (unsigned long) row + 1);
    for (uint32_t col = 0; col < data->n_cols; col++) CT_TRY(check_column(data, col, error));
    return CT_OK;
}
