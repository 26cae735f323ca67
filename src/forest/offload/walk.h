/* Predictions of a forest on a device. */
#ifndef CT_FOREST_OFFLOAD_WALK_H
#define CT_FOREST_OFFLOAD_WALK_H

#include "gpu/choice.h"
#include "forest/walk/walk.h"

/* As ct_hist_predict(), on the CPU or on a device, whose answers are the same to the last bit.
 * CT_NO_DEVICE with CT_ON_CUDA. */
ct_status ct_hist_predict_at(const ct_gpu_choice *device, const ct_hist_forest *forest,
                             const ct_hist_code_column *codes, const ct_column *columns,
                             uint32_t n_rows, ct_hist_output what, unsigned threads, ct_halt *stop,
                             void *out, ct_gpu_used *used, ct_error *error);

#endif
