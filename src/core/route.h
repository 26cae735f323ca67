/* Prediction: the leaf of each row of new data. */
#ifndef CT_CORE_ROUTE_H
#define CT_CORE_ROUTE_H

#include "core/data.h"
#include "core/forest.h"

/* Writes the node of each row's leaf in the first tree. NaN, and the smallest integer in integer columns (R's NA), are
 * missing and follow default_left. Columns of codes are integer columns. The tree must be sound: see ct_forest_check. */
void ct_route(const ct_forest *tree, const ct_column *columns, uint32_t n_rows, uint32_t *leaf_of_row);

/* CT_BAD_INPUT unless every node of the forest is a leaf or has a column below n_cols and two later nodes as children:
 * then every walk ends. For trees that come from outside. */
ct_status ct_forest_check(const ct_forest *forest, uint32_t n_cols, ct_error *error);

#endif
