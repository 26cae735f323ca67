/* What a forest says of an image, on a device. */
#ifndef CT_FOREST_OFFLOAD_IMAGE_H
#define CT_FOREST_OFFLOAD_IMAGE_H

#include "pixels/forest.h"
#include "gpu/choice.h"

/* Bytes of such an output. */
size_t ct_pixel_output_bytes(const ct_pixel_forest *forest, size_t n_pixels, ct_pixel_output what);

/* As ct_pixel_predict(), on the CPU or on a device, whose answers are the same to the last bit.
 * CT_NO_DEVICE with CT_ON_CUDA. */
ct_status ct_pixel_predict_at(const ct_gpu_choice *device, const ct_pixel_forest *forest,
                              const ct_pixel_source *source, uint32_t image, ct_pixel_output what,
                              unsigned threads, ct_halt *stop, void *out, ct_gpu_used *used,
                              ct_error *error);

#endif
