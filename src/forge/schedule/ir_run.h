/* The loop IR taken literally, node after node, on one thread: what targets are held to. What runs
 * at once runs backwards here, so that whoever depends on an order gets other sums. It also watches
 * that each tree and row meet once, and that walks stay within what was cached. */
#ifndef CT_FORGE_SCHEDULE_IR_RUN_H
#define CT_FORGE_SCHEDULE_IR_RUN_H

#include "forge/schedule/loop_ir.h"

/* x[n_rows][n_features]; out[n_outputs][n_rows], the margins. Low level. CT_INTERNAL if the IR is
 * wrong, CT_NO_MEMORY. */
ct_status ct_ir_run(const ct_ir *ir, const ct_forge_ensemble *ensemble, const double *x,
                    uint32_t n_rows, double *out, ct_error *error);

#endif
