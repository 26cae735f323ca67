/* The kernels of forests with CUDA. */
#include "forest/offload/kernels.h"

#include "gpu/kernel.cuh"

namespace {

#define THREADS_ON_CUDA(id, view, body) CT_GPU_THREADS_ON_CUDA(kernel_##id, view, body)
CT_FOREST_THREAD_KERNELS(THREADS_ON_CUDA)

} /* namespace */

#define ON_BOTH(id, view, body) {ct_forest_host_##id, ct_gpu_start<view, kernel_##id>},
const ct_gpu_kernel ct_forest_kernels[CT_FOREST_N_KERNELS] = {CT_FOREST_KERNELS(ON_BOTH)};
