/* gpu/kernel.h for CUDA: functions of the device, and how they are started. */
#ifndef CT_GPU_KERNEL_CUH
#define CT_GPU_KERNEL_CUH

#include <cuda_runtime.h>

#include "gpu/kernel.h"

/* Before a parameter that a function reads where it was handed, without a copy of its own. */
#if CUDART_VERSION >= 11070
#define CT_GPU_CONSTANT __grid_constant__
#else
#define CT_GPU_CONSTANT
#endif

/* The device's function of a body, as CT_GPU_THREADS_ON_HOST and CT_GPU_WARPS_ON_HOST have it.
 * Whole warps leave together. */
#define CT_GPU_THREADS_ON_CUDA(name, type, body)                                      \
    __global__ void __launch_bounds__(CT_GPU_BLOCK)                                   \
        name(CT_GPU_CONSTANT const type arguments, size_t items)                      \
    {                                                                                 \
        size_t item = (size_t) blockIdx.x * blockDim.x + threadIdx.x;                 \
        if (item < items) body(&arguments, item);                                     \
    }
#define CT_GPU_WARPS_ON_CUDA(name, type, body) \
    CT_GPU_BOUND_WARPS_ON_CUDA(__launch_bounds__(CT_GPU_BLOCK), name, type, body)
/* A kernel with other bounds than the threads of a block. */
#define CT_GPU_BOUND_WARPS_ON_CUDA(bounds, name, type, body)                          \
    __global__ void bounds                                                            \
        name(CT_GPU_CONSTANT const type arguments, size_t items)                      \
    {                                                                                 \
        size_t item = ((size_t) blockIdx.x * blockDim.x + threadIdx.x) / 32;          \
        if (item < items) body(ct_lanes_warp(), &arguments, item);                     \
    }

/* A member `on_cuda` of ct_gpu_kernel. */
template <class Arguments, void (*function)(const Arguments, size_t)>
int ct_gpu_start(const ct_gpu_grid *grid, void *stream, const void *arguments)
{
    size_t items = grid->items;
    void *handed[] = {const_cast<void *>(arguments), &items};
    static_assert(sizeof(Arguments) + sizeof items <= CT_GPU_ARGUMENTS,
                  "too much to hand to a function");
    return (int) cudaLaunchKernel(function, dim3(grid->blocks), dim3(grid->threads), handed,
                                  grid->shared, (cudaStream_t) stream);
}

#endif
