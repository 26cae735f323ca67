/* Routing: the leaf of each row of new data. */
#ifndef CT_TREE_ROUTE_H
#define CT_TREE_ROUTE_H

#include "data/data.h"
#include "tree/forest.h"

/* Writes for each row what `values` (one a node of the forest) has for its leaf in a tree. NaN, and
 * the smallest integer in integer columns (R's NA), are missing and follow default_left. The tree
 * must be sound: see ct_forest_check. CT_BAD_INPUT if it splits a column by level that is not of
 * integers. With one thread OpenMP is not called. */
ct_status ct_route(const ct_forest *forest, uint32_t tree, const ct_column *columns,
                   uint32_t n_cols, uint32_t n_rows, const int32_t *values, uint32_t n_threads,
                   int32_t *value_of_row, ct_error *error);

/* CT_BAD_INPUT unless every tree has a root and every node of the forest is a leaf or has a column
 * below n_cols and two later nodes as children, which no other node has: then every walk ends; and
 * unless the terms of linear models are of columns below n_cols. For trees that come from outside.
 */
ct_status ct_forest_check(const ct_forest *forest, uint32_t n_cols, ct_error *error);

#endif
