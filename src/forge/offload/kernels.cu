/* The functions with CUDA. */
#include "forge/offload/kernels.h"

#include "forge/offload/sums_body.h"
#include "gpu/kernel.cuh"

namespace {

#define WARPS_ON_CUDA(id, body, item) \
    CT_GPU_WARPS_ON_CUDA(kernel_FORGE_##id, ct_forged_views, body)
CT_FORGED_WARP_KERNELS(WARPS_ON_CUDA)
#undef WARPS_ON_CUDA

#define THREADS_ON_CUDA(id, body, item) \
    CT_GPU_THREADS_ON_CUDA(kernel_FORGE_##id, ct_forged_views, body)
CT_FORGED_THREAD_KERNELS(THREADS_ON_CUDA)
#undef THREADS_ON_CUDA

} /* namespace */

#define ON_BOTH(id, body, item) \
    {ct_forged_host_##id, ct_gpu_start<ct_forged_views, kernel_FORGE_##id>},
const ct_gpu_kernel ct_forged_kernels[CT_FORGED_N_KERNELS] = {CT_FORGED_KERNELS(ON_BOTH)};
