/* The door: a forged ensemble on a device. Margins have the bits of ct_forged_predict. A device
 * that fails is lost, and costs what it had under way and nothing else. */
#ifndef CT_FORGE_OFFLOAD_OFFLOAD_H
#define CT_FORGE_OFFLOAD_OFFLOAD_H

#include "forge/run.h"
#include "forge/schedule/calls.h"

typedef struct ct_forged_device ct_forged_device;

/* By functions compiled before. number: of the CUDA device; -1: the twin. The ensemble is borrowed.
 * way: CT_FORGE_WAY_PLANES, which takes trees of up to CT_FORGE_NETWORK_DEPTH splits above a leaf,
 * CT_FORGE_WAY_WALK, or CT_FORGE_WAY_AUTO, the first where it can. any_order: sums are the same in
 * any order of the trees. CT_BAD_INPUT with what a device does not do, CT_NO_DEVICE where none can
 * be used, CT_NO_MEMORY where it, or the host, has none for the trees. */
ct_status ct_forged_device_open(const ct_forged *forged, int number, ct_forge_way way,
                                int any_order, ct_forged_device **device, ct_error *error);
/* The CUDA text of a schedule, compiled by NVRTC for CUDA device `number` and run there; the
 * schedule is borrowed. CUDA's driver and NVRTC are opened at run time. Fails in the same way. */
ct_status ct_forged_device_open_text(const ct_forge_scheduled *scheduled, int number,
                                     ct_forged_device **device, ct_error *error);
void ct_forged_device_close(ct_forged_device *device); /* takes NULL */

/* As ct_forged_predict; run->threads read the columns. CT_NO_DEVICE: the device is lost, and to be
 * closed; CT_NO_MEMORY: it has none for rows. `out` may be anything then. */
ct_status ct_forged_device_predict(ct_forged_device *device, const ct_column *columns,
                                   uint32_t n_rows, const ct_forge_run *run, double *out,
                                   ct_error *error);

/* Seconds that the device takes for rows that it has: see ct_forge_passes_time. */
ct_status ct_forged_device_time(ct_forged_device *device, const ct_column *columns,
                                uint32_t n_rows, const ct_forge_run *run, double seconds,
                                double *taken, ct_error *error);

#endif
