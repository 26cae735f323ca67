/* A forest over pixels whose histograms a device counts. */
#ifndef CT_FOREST_OFFLOAD_PIXEL_GROW_H
#define CT_FOREST_OFFLOAD_PIXEL_GROW_H

#include "gpu/choice.h"
#include "pixels/forest.h"

/* As ct_pixel_grow(), on the CPU or with a device, which give the same forest. A device that fails
 * on the way leaves the rest to the CPU. CT_NO_DEVICE with CT_ON_CUDA. options->counter must be
 * NULL. */
ct_status ct_pixel_grow_at(const ct_gpu_choice *device, const ct_pixel_source *source,
                           const int16_t *const *labels, uint32_t n_classes,
                           const ct_pixel_options *options, ct_pixel_forest *forest,
                           ct_pixel_end *end, ct_gpu_used *used, ct_error *error);

#endif
