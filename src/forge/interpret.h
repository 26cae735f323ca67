/* Predictions from the definition: one row and one tree at a time, without optimisation. All other
 * methods are tested against it. */
#ifndef CT_FORGE_INTERPRET_H
#define CT_FORGE_INTERPRET_H

#include "forge/ensemble.h"

/* Whether a row with this value goes left at a node that splits. */
int ct_forge_interpret_left(const ct_forge_ensemble *ensemble, uint32_t node, double value);

/* The leaf of a row, x[n_features]. */
uint32_t ct_forge_interpret_leaf(const ct_forge_ensemble *ensemble, uint32_t tree, const double *x);

/* Predicts a row: its sums, out[n_outputs]. */
void ct_forge_interpret_row(const ct_forge_ensemble *ensemble, const double *x, double *out);

#endif
