/* The table of kernels where the package was built without CUDA: they run on the host twin
 * alone. */
#include "evolve/offload/kernels.h"

#define ON_HOST(id, body, item) {ct_evolve_host_##id, NULL},
const ct_gpu_kernel ct_evolve_kernels[CT_EVOLVE_N_KERNELS] = {CT_EVOLVE_KERNELS(ON_HOST)};
