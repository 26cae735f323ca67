/* A schedule on the CPU: its loops, down to calls of kernels that were compiled before. Each run of
 * an innermost loop is one call, so that what stands around walks costs next to nothing. Loops on
 * dimensions of a GPU run one iteration after another. */
#ifndef CT_FORGE_SCHEDULE_CALLS_H
#define CT_FORGE_SCHEDULE_CALLS_H

#include "forge/run.h"
#include "forge/schedule/layout.h"
#include "forge/schedule/loop_ir.h"

/* A schedule made ready for a forest. */
typedef struct {
    const ct_forged *forged; /* borrowed, as it was given */
    const ct_forge_shape *shape;
    ct_forge_nest *nest;
    ct_forge_ir *ir;
    ct_forge_model *model;
} ct_forge_scheduled;

/* Reads and checks the text, lowers it and packs the trees; all of it is the arena's. */
ct_status ct_forge_scheduled_new(const ct_forged *forged, const char *text, int any_order,
                                 ct_arena *arena, ct_forge_scheduled *scheduled, ct_error *error);

/* As ct_forged_predict; run->threads for parallel loops, run->way is the schedule's. */
ct_status ct_forge_scheduled_predict(const ct_forge_scheduled *scheduled, const ct_column *columns,
                                     uint32_t n_rows, const ct_forge_run *run, double *out,
                                         ct_error *error);

#endif
