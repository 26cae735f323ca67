/* Predictions of a forest for new rows, for every kind of leaf. */
#ifndef CT_TREE_PREDICT_H
#define CT_TREE_PREDICT_H

#include "data/data.h"
#include "tree/forest.h"

/* Number of values predicted for a row: one proportion for each class, the numbers of a leaf, or 1
 * for the value of a linear model. */
uint32_t ct_forest_outputs(const ct_forest *forest);

/* Writes them to out[output * n_rows + row]: the sums over all trees, added in the order of the
 * trees, so that they are the same for any number of threads. A linear model of a missing value
 * (see ct_route) is NaN. The forest must be sound: see ct_forest_check. `out` is the caller's. */
ct_status ct_predict(const ct_forest *forest, const ct_column *columns, uint32_t n_cols,
                     uint32_t n_rows, uint32_t n_threads, double *out, ct_error *error);

#endif
