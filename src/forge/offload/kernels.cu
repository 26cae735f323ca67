/* The functions with CUDA. */
#include "forge/offload/kernels.h"

#include "forge/offload/sums_body.h"
#include "gpu/kernel.cuh"

namespace {

#define WARPS_ON_CUDA(id, body, item) CT_GPU_WARPS_ON_CUDA(kernel_##id, ct_forest_views, body)
CT_FOREST_WARP_KERNELS(WARPS_ON_CUDA)
#undef WARPS_ON_CUDA

#define THREADS_ON_CUDA(id, body, item) CT_GPU_THREADS_ON_CUDA(kernel_##id, ct_forest_views, body)
CT_FOREST_THREAD_KERNELS(THREADS_ON_CUDA)
#undef THREADS_ON_CUDA

} /* namespace */

#define ON_BOTH(id, body, item) {ct_forest_host_##id, ct_gpu_start<ct_forest_views, kernel_##id>},
const ct_gpu_kernel ct_forest_kernels[CT_FOREST_N_KERNELS] = {CT_FOREST_KERNELS(ON_BOTH)};
