/* What devices that are played have: the host twin, and CUDA on the CPU. */
#ifndef CT_TEST_PLAYED_H
#define CT_TEST_PLAYED_H

#include "cuda_on_cpu/cuda_on_cpu.h"
#include "gpu/twin.h"

enum { TWIN = -1 }; /* else the number of a CUDA device */

/* What it has not had back. */
static inline long blocks_left(int device)
{
    return device == TWIN ? ct_gpu_twin_blocks() : cuda_on_cpu_left();
}

/* The memory that it has. */
static inline void set_memory(int device, size_t bytes)
{
    if (device == TWIN) ct_gpu_twin_memory(bytes);
    else cuda_on_cpu_memory(bytes);
}

#endif
