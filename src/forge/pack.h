/* Compiles an ensemble for prediction. */
#ifndef CT_FORGE_PACK_H
#define CT_FORGE_PACK_H

#include "forge/forged.h"

/* Checks the ensemble, which must stay where it is, and makes it ready. Freed by ct_forged_free,
 * also after a failure. */
ct_status ct_forge(const ct_forge_ensemble *ensemble, ct_forged *forged, ct_error *error);
void ct_forged_free(ct_forged *forged);

#endif
