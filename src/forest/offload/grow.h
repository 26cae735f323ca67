/* Forests grown on a device. */
#ifndef CT_FOREST_OFFLOAD_GROW_H
#define CT_FOREST_OFFLOAD_GROW_H

#include "forest/hist_forest.h"
#include "gpu/choice.h"

/* As ct_hist_grow(), on the CPU or on a device, of which the forest is the same to the last bit. If
 * a device fails, what it has grown is lost, and the CPU grows all. CT_NO_DEVICE with
 * CT_ON_CUDA. */
ct_status ct_hist_grow_at(const ct_gpu_choice *device, const ct_hist_data *data,
                          const ct_hist_options *options, ct_hist_forest *forest,
                          ct_hist_extra *extra, ct_gpu_used *used, ct_error *error);

#endif
