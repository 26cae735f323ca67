/* The table of kernels where the package was built without CUDA: they run on the host twin
 * alone. */
#include "forest/offload/kernels.h"

#define ON_HOST(id, ...) {ct_forest_host_##id, NULL},
const ct_gpu_kernel ct_forest_kernels[CT_FOREST_N_KERNELS] = {CT_FOREST_KERNELS(ON_HOST)};
