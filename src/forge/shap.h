/* Path-dependent TreeSHAP (Lundberg et al. 2020): what each feature adds to the sums of a row, as
 * the Shapley value of the game whose players are the features, where a tree that does not know a
 * feature goes both ways, in the proportions of cover.
 *
 * For a leaf of value v whose path asks for the features 1 .. m let o_j be 1 if the row meets all
 * of the path's tests of feature j, else 0, and z_j the product of the proportions of these tests'
 * sides. The leaf's game is v times the product of o_j over known and of z_j over unknown features.
 * By Owen's formula the Shapley value of feature i is
 *
 *   v (o_i - z_i) times the integral over t from 0 to 1 of the product over j other than i of
 *   o_j t + z_j (1 - t),
 *
 * a polynomial of degree m - 1, for which Gauss-Legendre quadrature of (m + 1) / 2 points is exact.
 * At each point the products of all leaves are built downwards, edge by edge, and the sums over
 * the leaves below an edge upwards; what an edge adds to its feature is such a sum times a factor
 * that depends on nothing but the edge, the point, and whether o is 1. Hence each edge costs a few
 * operations a point, for rows side by side, and all quantities are positive multiples of leaves'
 * values: nothing cancels. */
#ifndef CT_FORGE_SHAP_H
#define CT_FORGE_SHAP_H

#include "forge/run.h"

enum { CT_FORGE_SHAP_FEATURES = 256 }; /* of a path, at most */

/* out[n_outputs][n_features + 1][n_rows]: of each feature, then what the sum is without knowing
 * any. For each output they add up to the margin but for rounding, in doubles. run->way does not
 * matter. CT_BAD_INPUT where covers are not known or a path asks for too much, CT_NO_MEMORY.
 *
 * interactions 1: Shapley interaction values of two features of the same game, times two, in their
 * place: out[n_outputs][n_features][n_features][n_rows], filled where the first feature is below
 * the second, else 0. Of a leaf they are v (o_i - z_i) (o_j - z_j) times the integral over the
 * product of the others. */
ct_status ct_forged_shap(const ct_forged *forged, const ct_column *columns, uint32_t n_rows,
                         int interactions, const ct_forge_run *run, double *out, ct_error *error);

#endif
