/* Whether predictions are for a device: seconds on the CPU and there, by a model of few numbers. */
#ifndef CT_FORGE_OFFLOAD_PLACING_H
#define CT_FORGE_OFFLOAD_PLACING_H

#include "forge/forged.h"

typedef struct {
    double cpu, device;
} ct_forged_seconds;

/* Rows of a forest without a schedule: `threads` on the CPU against a device that is open, or must
 * be opened first. */
ct_forged_seconds ct_forged_estimate(const ct_forged *forged, uint32_t n_rows, unsigned threads,
                                     int open);

/* Whether the device takes less; 0 where it does not do it at all. */
int ct_forged_pays(const ct_forged *forged, uint32_t n_rows, unsigned threads, int open);

#endif
