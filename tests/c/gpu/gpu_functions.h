/* A system that is no system, for tests of gpu/: three functions with arguments of their own, one
 * for each kind of grid. */
#ifndef CT_GPU_FUNCTIONS_H
#define CT_GPU_FUNCTIONS_H

#include "gpu/kernel.h"

enum { SCALE, SUM, REVERSE, N_FUNCTIONS };
enum { REVERSED = 64 }; /* values of a block */

/* to[item] = factor * from[item] */
typedef struct {
    const uint32_t *from;
    uint32_t *to;
    uint32_t factor;
} scale_arguments;

CT_HD void scale(const scale_arguments *a, size_t item)
{
    a->to[item] = a->factor * a->from[item];
}

/* sums[item] = the sum of row `item` */
typedef struct {
    uint32_t width;
    const uint32_t *rows;
    uint32_t *sums;
} sum_arguments;

CT_HD void sum(ct_lanes lanes, const sum_arguments *a, size_t item)
{
    uint32_t all = 0;
    for (uint32_t start = 0; start < a->width; start += lanes.width) {
        uint32_t i = start + lanes.lane, total;
        (void) ct_lanes_scan(lanes, i < a->width ? a->rows[item * a->width + i] : 0, &total);
        all += total;
    }
    if (lanes.lane == 0) a->sums[item] = all;
}

/* Each block of REVERSED values backwards, in memory of the block. */
typedef struct {
    uint32_t *values;
} reverse_arguments;

static inline CT_GPU_THREADS_ON_HOST(scale_on_host, scale_arguments, scale)
static inline CT_GPU_WARPS_ON_HOST(sum_on_host, sum_arguments, sum)

static inline void reverse_on_host(const void *arguments, size_t items, void *shared)
{
    uint32_t *memory = (uint32_t *) shared;
    for (size_t item = 0; item < items; item++) {
        uint32_t *values = ((const reverse_arguments *) arguments)->values + item * REVERSED;
        for (uint32_t i = 0; i < REVERSED; i++) memory[i] = values[i];
        for (uint32_t i = 0; i < REVERSED; i++) values[i] = memory[REVERSED - 1 - i];
    }
}

#ifdef __cplusplus
extern "C" {
#endif
/* In a build with CUDA: those of gpu_functions.cu. */
extern const ct_gpu_kernel gpu_functions[N_FUNCTIONS];
#ifdef __cplusplus
}
#endif

#endif
