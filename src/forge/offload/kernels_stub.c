/* The table of functions where the package was built without CUDA: they run on the host twin
 * alone. */
#include "forge/offload/kernels.h"

#define ON_HOST(id, body, item) {ct_forged_host_##id, NULL},
const ct_gpu_kernel ct_forged_kernels[CT_FORGED_N_KERNELS] = {CT_FORGED_KERNELS(ON_HOST)};
