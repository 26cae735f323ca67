/* The kernels of model trees with CUDA. */
#include "evolve/offload/kernels.h"

#include "evolve/offload/body.h"
#include "gpu/kernel.cuh"

namespace {

/* Without the 2 the compiler spills some numbers to get by with as few as 32 registers. */
#define WARPS_ON_CUDA(id, body, item)                                                    \
    CT_GPU_BOUND_WARPS_ON_CUDA(__launch_bounds__(CT_GPU_BLOCK, 2), kernel_##id, ct_evolve_views, \
                               body)
CT_EVOLVE_KERNELS(WARPS_ON_CUDA)

} /* namespace */

#define ON_BOTH(id, body, item) {ct_evolve_host_##id, ct_gpu_start<ct_evolve_views, kernel_##id>},
const ct_gpu_kernel ct_evolve_kernels[CT_EVOLVE_N_KERNELS] = {CT_EVOLVE_KERNELS(ON_BOTH)};
