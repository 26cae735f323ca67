/* The table of kernels where the package was built without CUDA: they run on the host twin
 * alone. */
#include "exact/offload/kernels.h"

#define ON_HOST(id, body, item) {ct_offload_host_##id, NULL},
const ct_gpu_kernel ct_offload_kernels[CT_OFFLOAD_N_KERNELS] = {CT_OFFLOAD_KERNELS(ON_HOST)};
