/* What the .Call entries of forests share about devices. */
#ifndef CT_R_FOREST_H
#define CT_R_FOREST_H

#include "r/glue.h"

/* A list of `answer`, which need not be protected, `device` (who did the work) and `device_note`
 * (why a device did not, or ""). */
SEXP r_answer_of(SEXP answer, const ct_gpu_used *used);

#endif
