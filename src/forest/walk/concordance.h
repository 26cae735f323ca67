/* Harrell's concordance: of all pairs of rows of which the one is known to have had its event
 * before the other, those where it was predicted to have it earlier. */
#ifndef CT_FOREST_WALK_CONCORDANCE_H
#define CT_FOREST_WALK_CONCORDANCE_H

#include <stdint.h>

#include "base/status.h"

typedef struct {
    int64_t pairs, concordant, tied; /* tied: predictions are equal */
} ct_forest_concordance;

/* Rows in order of `survival` (ct_hist_data); ranks[row]: of predictions, below n, equal ones the
 * same, the earliest event highest. CT_NO_MEMORY. */
ct_status ct_forest_concordance_of(const uint32_t *survival, const uint32_t *ranks, uint32_t n,
                                   ct_forest_concordance *answer);

#endif
