/* The functions of gpu_functions.h with CUDA. */
#include "gpu/gpu_functions.h"

#include "gpu/kernel.cuh"

namespace {

CT_GPU_THREADS_ON_CUDA(scale_on_cuda, scale_arguments, scale)
CT_GPU_WARPS_ON_CUDA(sum_on_cuda, sum_arguments, sum)

__global__ void reverse_on_cuda(const reverse_arguments a, size_t)
{
    extern __shared__ __align__(16) unsigned char memory[];
    uint32_t *mine = (uint32_t *) (void *) memory,
             *values = a.values + (size_t) blockIdx.x * REVERSED;
    mine[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = mine[REVERSED - 1 - threadIdx.x];
}

} /* namespace */

const ct_gpu_kernel gpu_functions[N_FUNCTIONS] = {
    {scale_on_host, ct_gpu_start<scale_arguments, scale_on_cuda>},
    {sum_on_host, ct_gpu_start<sum_arguments, sum_on_cuda>},
    {reverse_on_host, ct_gpu_start<reverse_arguments, reverse_on_cuda>}};
