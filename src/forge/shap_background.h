/* Interventional Shapley values: what each feature adds to the sums of a row, where a feature that
 * is not known has the value of a row of a background, in the mean over these. Exact but for
 * rounding.
 *
 * By tables (as WOODELF, Nadel and Wettenstein 2025): the background is walked down each tree once,
 * counting patterns (shap_patterns.h); from the counts follows what each pattern of a row adds to
 * each feature (shap_tables.h); and then rows are walked down, each a look-up a unit and feature.
 * The time is that of rows and background, not of their product, but tables grow as 2 to the number
 * of features of a path: trees with many do it by pairs (shap_pairs.h). */
#ifndef CT_FORGE_SHAP_BACKGROUND_H
#define CT_FORGE_SHAP_BACKGROUND_H

#include "forge/run.h"

/* `out` is as of ct_forged_shap(); the last of each output is the mean over the background. Covers
 * need not be known; at least one row of background. */
ct_status ct_forged_shap_background(const ct_forged *forged, const ct_column *columns,
                                    uint32_t n_rows, const ct_column *background,
                                    uint32_t n_background, int interactions,
                                    const ct_forge_run *run, double *out, ct_error *error);

#endif
