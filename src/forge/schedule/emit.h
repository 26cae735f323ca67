/* A schedule as text for another compiler: C, or CUDA. The text knows the loops and the form of the
 * trees; the trees are data, handed by pointer (ct_forge_model), so that one text serves all
 * forests of that shape. Of bit planes a text has walks of as many rows at a time.
 *
 * C:     int NAME(const struct ct_model *m, const double *x, i64 n_rows, i64 row_step,
 *                 i64 column_step, double *out)
 *        Row r has feature f at x[r * row_step + f * column_step]; out is [n_outputs][n_rows].
 *        0, or 1 where memory is short. Parallel loops are OpenMP's.
 * CUDA:  NAME_begin(m, n_rows, sums, slots), NAME_nest(the same, x, row_step, column_step) and
 *        NAME_end(m, n_rows, sums, slots, out), launched one after the other, the first and the
 *        last by any threads of x, the second as ct_forge_launch_of says.
 *        sums is [n_rows][n_outputs]; slots, where there are any, are doubles,
 *        [ct_forge_ir_slots][n_rows][n_outputs]. */
#ifndef CT_FORGE_SCHEDULE_EMIT_H
#define CT_FORGE_SCHEDULE_EMIT_H

#include "forge/schedule/layout.h"
#include "forge/schedule/loop_ir.h"

typedef enum { CT_FORGE_IN_C, CT_FORGE_IN_CUDA } ct_forge_language;

/* The head of a text: types, and what a step of a walk is. */
void ct_forge_emit_prelude(ct_forge_language language, ct_forge_text *text);

/* The low level IR of a forest as a function of that name. CUDA: of loops on its dimensions. */
void ct_forge_emit(const ct_forge_ir *ir, const ct_forge_model *model, const char *name,
                   ct_forge_language language, ct_forge_text *text);

/* The trees as C, which follows the prelude: NAME_model. */
void ct_forge_emit_model(const ct_forge_model *model, const char *name, ct_forge_text *text);

/* How NAME_nest is launched for a number of rows: blocks and threads in x, y, z, and the bytes that
 * a block shares. */
typedef struct {
    uint32_t blocks[3], threads[3];
    uint32_t shared;
} ct_forge_launch;

ct_forge_launch ct_forge_launch_of(const ct_forge_ir *ir, uint32_t n_rows);

#endif
