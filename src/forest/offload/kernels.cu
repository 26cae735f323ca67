/* The kernels of forests with CUDA. */
#include "forest/offload/kernels.h"

#include "gpu/kernel.cuh"

namespace {

#define THREADS_ON_CUDA(id, view, body) CT_GPU_THREADS_ON_CUDA(kernel_##id, view, body)
#define WARPS_ON_CUDA(id, view, body) CT_GPU_WARPS_ON_CUDA(kernel_##id, view, body)
/* Whole blocks leave together. */
#define GROUPS_ON_CUDA(id, view, body, threads, blocks)                                      \
    __global__ void __launch_bounds__(threads, blocks)                                       \
        kernel_##id(CT_GPU_CONSTANT const view arguments, size_t items)                      \
    {                                                                                        \
        extern __shared__ __align__(16) unsigned char memory[];                              \
        if (blockIdx.x < items) body(ct_group_block(), &arguments, blockIdx.x, memory);       \
    }
CT_FOREST_THREAD_KERNELS(THREADS_ON_CUDA)
CT_FOREST_WARP_KERNELS(WARPS_ON_CUDA)
CT_FOREST_GROUP_KERNELS(GROUPS_ON_CUDA)

} /* namespace */

#define ON_BOTH(id, view, ...) {ct_forest_host_##id, ct_gpu_start<view, kernel_##id>},
const ct_gpu_kernel ct_forest_kernels[CT_FOREST_N_KERNELS] = {CT_FOREST_KERNELS(ON_BOTH)};
