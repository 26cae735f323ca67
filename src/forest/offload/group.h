/* The threads that work on one item together: a block on the device, one on the host. A body runs
 * on each of them and takes element `thread`, `thread + width`, ... of its task; with one thread it
 * is plain C, so that the host twin of a kernel is the same text. What all must reach: functions of
 * the group, and for the lanes of a warp those of the lanes (base/lanes.h). */
#ifndef CT_FOREST_OFFLOAD_GROUP_H
#define CT_FOREST_OFFLOAD_GROUP_H

#include <string.h>

#include "base/lanes.h"

typedef struct {
    uint32_t thread, width; /* this one, of how many */
    uint32_t warp, n_warps;
    ct_lanes lanes; /* of its warp */
} ct_group;

CT_HD ct_group ct_group_alone(void)
{
    ct_group g;
    g.thread = g.warp = 0;
    g.width = g.n_warps = 1;
    g.lanes = ct_lanes_alone();
    return g;
}

#ifdef __CUDACC__
/* The block that the calling thread belongs to. */
__device__ static inline ct_group ct_group_block(void)
{
    ct_group g;
    g.thread = threadIdx.x;
    g.width = blockDim.x;
    g.warp = threadIdx.x / 32u;
    g.n_warps = blockDim.x / 32u;
    g.lanes = ct_lanes_warp();
    return g;
}
#endif

/* What threads have written before, all threads of the group see behind. */
CT_HD void ct_group_sync(ct_group g)
{
#ifdef __CUDA_ARCH__
    (void) g;
    __syncthreads();
#else
    (void) g;
#endif
}

/* ---- what many threads do to one number ---- */

/* Returns what it was. */
CT_HD uint32_t ct_shared_add(uint32_t *number, uint32_t more)
{
#ifdef __CUDA_ARCH__
    return atomicAdd(number, more);
#else
    uint32_t before = *number;
    *number += more;
    return before;
#endif
}

CT_HD void ct_shared_add_64(int64_t *number, int64_t more)
{
#ifdef __CUDA_ARCH__
    (void) atomicAdd((unsigned long long *) number, (unsigned long long) more);
#else
    *number += more;
#endif
}

CT_HD void ct_shared_max(uint32_t *number, uint32_t other)
{
#ifdef __CUDA_ARCH__
    (void) atomicMax(number, other);
#else
    if (other > *number) *number = other;
#endif
}

/* ---- what the lanes of a warp find together ---- */

CT_HD uint32_t ct_lanes_min(ct_lanes lanes, uint32_t value) { return ~ct_lanes_max(lanes, ~value); }

CT_HD uint32_t ct_lanes_sum(ct_lanes lanes, uint32_t value)
{
    uint32_t total;
    (void) ct_lanes_scan(lanes, value, &total);
    return total;
}

/* As ct_lanes_scan(), modulo 2^64: by parts of 22 bits, whose sums over 32 lanes have 32. */
CT_HD int64_t ct_lanes_scan_64(ct_lanes lanes, int64_t value, int64_t *total)
{
    const uint64_t bits = (uint64_t) value;
    uint64_t before = 0, all = 0;
    for (unsigned shift = 0; shift < 66; shift += 22) {
        uint32_t part_total,
            part = ct_lanes_scan(lanes, (uint32_t) (bits >> shift) & 0x3fffff, &part_total);
        before += (uint64_t) part << shift;
        all += (uint64_t) part_total << shift;
    }
    *total = (int64_t) all;
    return (int64_t) before;
}

/* The best of what lanes have found: the largest score, of equal ones that of the lowest order. */
typedef struct {
    double score; /* at least 0; -1: there is none */
    uint32_t order;
} ct_found;

CT_HD ct_found ct_found_none(void)
{
    ct_found none;
    none.score = -1;
    none.order = 0xffffffffu;
    return none;
}

/* NaN is no score. */
CT_HD void ct_found_add(ct_found *best, double score, uint32_t order)
{
    if (score > best->score || (score == best->score && order < best->order)) {
        best->score = score;
        best->order = order;
    }
}

/* All lanes come to know it. */
CT_HD ct_found ct_lanes_best(ct_lanes lanes, ct_found own)
{
    for (uint32_t step = lanes.width / 2; step; step /= 2) {
        uint32_t half[2], order = ct_lanes_exchange(lanes, own.order, step);
        double score;
        memcpy(half, &own.score, sizeof half);
        half[0] = ct_lanes_exchange(lanes, half[0], step);
        half[1] = ct_lanes_exchange(lanes, half[1], step);
        memcpy(&score, half, sizeof half);
        ct_found_add(&own, score, order);
    }
    return own;
}

#endif
