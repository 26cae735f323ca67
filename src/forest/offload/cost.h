/* What work with forests takes on the CPU and on a device, in seconds: models whose numbers are
 * marked measured or estimated. */
#ifndef CT_FOREST_OFFLOAD_COST_H
#define CT_FOREST_OFFLOAD_COST_H

#include "forest/hist_forest.h"
#include "pixels/forest.h"
#include "gpu/choice.h"

ct_gpu_cost ct_forest_grow_cost(const ct_hist_data *data, const ct_hist_options *options);
ct_gpu_cost ct_forest_walk_cost(const ct_hist_forest *forest, uint32_t n_rows, unsigned threads);
ct_gpu_cost ct_pixel_grow_cost(const ct_pixel_source *source, const ct_pixel_options *options);
ct_gpu_cost ct_pixel_walk_cost(const ct_pixel_forest *forest, double n_pixels, unsigned threads);

#endif
