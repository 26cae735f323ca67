/* Curves of survival forests: cumulative hazards from the rows that leaves have kept, each leaf's
 * the Nelson-Aalen estimate of its rows, in the mean of the trees. Steps are integers, in units of
 * 2^-32, so that curves do not depend on the order of trees. */
#ifndef CT_FOREST_WALK_CURVES_H
#define CT_FOREST_WALK_CURVES_H

#include "forest/walk/walk.h"

/* What predictions of rows are wanted. */
typedef struct {
    const ct_hist_forest *forest;
    uint32_t n_rows, n_ranks; /* as in ct_forest_members_request, as `own` */
    const uint32_t *own;
    const uint32_t *survival;  /* [n_ranks] as in ct_hist_data */
    /* [n_times + 1] by time as `survival` counts them: the first column of the hazards at or behind
     * it, or n_columns */
    const uint32_t *column_of;
    uint32_t n_columns;
    double *hazards; /* [n_columns][n_rows]; NaN where no tree counts */
} ct_forest_curves_request;

/* As ct_forest_members_predict(). */
ct_status ct_forest_curves_predict(const ct_forest_curves_request *request,
                                   const ct_hist_code_column *codes, const ct_column *columns,
                                   unsigned threads, ct_halt *stop, ct_error *error);

#endif
