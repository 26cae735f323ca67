/* What the .Call entries of forests share about devices. */
#ifndef CT_R_FOREST_H
#define CT_R_FOREST_H

#include "forest/offload/device.h"
#include "r/glue.h"

/* The device of that name; names are those of r_device(). */
ct_forest_device r_forest_device(SEXP name);

/* A list of `answer`, which need not be protected, `device` (who did the work) and `device_note`
 * (why a device did not, or ""). */
SEXP r_answer_of(SEXP answer, const ct_forest_used *used);

#endif
