/* The second look at every answer: walks each row of the raw data down the finished tree and recounts. Shares nothing
 * with the search but the types of data and tree. */
#ifndef CT_SEARCH_CHECK_H
#define CT_SEARCH_CHECK_H

#include "core/data.h"
#include "core/forest.h"

/* Counts the misclassified rows and the splits of a forest of one. Writes each row's leaf to leaf_of_row[n_rows] unless
 * that is NULL. CT_INTERNAL if the tree is malformed, deeper than max_depth, holds a node that no row reaches, or its
 * class counts or labels are not those of the rows. */
ct_status ct_check(const ct_data *data, const ct_forest *tree, unsigned max_depth, uint32_t *leaf_of_row,
                   uint64_t *errors, uint32_t *splits, ct_error *error);

#endif
