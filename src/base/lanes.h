/* The lanes that work on one task together: a warp on the device, one lane on the host.
 *
 * A body runs once on every lane and takes item `lane`, `lane + width`, ... of its task. Where
 * lanes need each other they meet in a function of the group, which every lane of the group must
 * reach. With one lane each body is plain C, so the host twin of a kernel is the same text;
 * tests/c/exact/simulated_lanes.h makes each lane a thread, to try the others. */
#ifndef CT_BASE_LANES_H
#define CT_BASE_LANES_H

#include "base/hd.h"

typedef struct {
    uint32_t lane;  /* this worker, 0 <= lane < width */
    uint32_t width; /* workers in the group: 32 on the device, 1 on the host */
} ct_lanes;

CT_HD ct_lanes ct_lanes_alone(void)
{
    ct_lanes lanes;
    lanes.lane = 0;
    lanes.width = 1;
    return lanes;
}

#ifdef __CUDACC__
/* The warp that the calling thread belongs to. */
__device__ static inline ct_lanes ct_lanes_warp(void)
{
    ct_lanes lanes;
    lanes.lane = threadIdx.x % 32u;
    lanes.width = 32;
    return lanes;
}
#endif

#ifdef CT_LANES_SIMULATED
static uint32_t ct_lanes_simulated_scan(ct_lanes lanes, uint32_t value, uint32_t *total);
static uint32_t ct_lanes_simulated_read(ct_lanes lanes, uint32_t value, uint32_t from);
#endif

/* Sum of `value` over the lanes before this one; *total becomes the sum over all lanes. */
CT_HD uint32_t ct_lanes_scan(ct_lanes lanes, uint32_t value, uint32_t *total)
{
#ifdef __CUDA_ARCH__
    const unsigned all = 0xffffffffu;
    uint32_t sum = value;
    for (uint32_t step = 1; step < 32; step *= 2) {
        uint32_t lower = __shfl_up_sync(all, sum, step);
        if (lanes.lane >= step) sum += lower;
    }
    *total = __shfl_sync(all, sum, 31);
    return sum - value;
#elif defined(CT_LANES_SIMULATED)
    return ct_lanes_simulated_scan(lanes, value, total);
#else
    (void) lanes;
    *total = value;
    return 0;
#endif
}

/* The value of lane `from`. */
CT_HD uint32_t ct_lanes_read(ct_lanes lanes, uint32_t value, uint32_t from)
{
#ifdef __CUDA_ARCH__
    (void) lanes;
    return __shfl_sync(0xffffffffu, value, (int) from);
#elif defined(CT_LANES_SIMULATED)
    return ct_lanes_simulated_read(lanes, value, from);
#else
    (void) lanes, (void) from;
    return value;
#endif
}

/* The largest value of the lanes before this one, 0 if there is none; *all: of all lanes. */
CT_HD uint32_t ct_lanes_max_before(ct_lanes lanes, uint32_t value, uint32_t *all)
{
    const uint32_t last = lanes.width - 1;
    for (uint32_t step = 1; step < lanes.width; step *= 2) {
        uint32_t other =
            ct_lanes_read(lanes, value, lanes.lane >= step ? lanes.lane - step : lanes.lane);
        if (other > value) value = other;
    }
    *all = ct_lanes_read(lanes, value, last);
    value = ct_lanes_read(lanes, value, lanes.lane ? lanes.lane - 1 : last);
    return lanes.lane ? value : 0;
}

/* What the lanes have written before is there for all of them to read. */
CT_HD void ct_lanes_sync(ct_lanes lanes)
{
#ifdef __CUDA_ARCH__
    (void) lanes;
    __syncwarp();
#elif defined(CT_LANES_SIMULATED)
    (void) ct_lanes_simulated_read(lanes, 0, 0);
#else
    (void) lanes;
#endif
}

/* The value of lane `lane ^ step`, a lane of the lanes. */
CT_HD uint32_t ct_lanes_exchange(ct_lanes lanes, uint32_t value, uint32_t step)
{
#ifdef __CUDA_ARCH__
    (void) lanes;
    return __shfl_xor_sync(0xffffffffu, value, (int) step);
#else
    return ct_lanes_read(lanes, value, lanes.lane ^ step);
#endif
}

/* Which lanes of up to 32 say yes, a bit each. */
CT_HD uint32_t ct_lanes_ballot(ct_lanes lanes, int yes)
{
#ifdef __CUDA_ARCH__
    (void) lanes;
    return __ballot_sync(0xffffffffu, yes);
#else
    uint32_t bits = 0;
    for (uint32_t lane = 0; lane < lanes.width; lane++)
        bits |= (uint32_t) (ct_lanes_read(lanes, yes != 0, lane)) << lane;
    return bits;
#endif
}

/* The largest value, for a group of 32. */
CT_HD uint32_t ct_lanes_max(ct_lanes lanes, uint32_t value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    (void) lanes;
    return __reduce_max_sync(0xffffffffu, value);
#else
    for (uint32_t step = 16; step; step /= 2) {
        uint32_t other = ct_lanes_exchange(lanes, value, step);
        if (other > value) value = other;
    }
    return value;
#endif
}

/* The words of 32 lanes as a matrix of bits, transposed: bit i of lane j's becomes bit j of lane
 * i's. By halves, 16 to 1 lanes apart: of each pair of lanes the lower one keeps the low bits of
 * each group of its word and takes the other's in place of the high ones, which a rotation puts
 * there. What a lane keeps, and by how much it rotates, is made once. */
typedef struct {
    uint32_t keep[5], turn[5];
} ct_transposition;

CT_HD ct_transposition ct_transposition_of(uint32_t lane)
{
    ct_transposition t;
    uint32_t low = 0x0000ffffu;
    for (uint32_t k = 0; k < 5; k++) {
        const uint32_t step = 16u >> k;
        t.keep[k] = low << (lane & step); /* or ~low */
        t.turn[k] = lane & step ? 32 - step : step;
        low ^= low << step / 2;
    }
    return t;
}

CT_HD uint32_t ct_transpose_step(const ct_transposition *t, uint32_t k, uint32_t own,
                                 uint32_t other)
{
    return (own & t->keep[k]) | (ct_hd_rotate(other, t->turn[k]) & ~t->keep[k]);
}

/* For a group of 32. */
CT_HD uint32_t ct_lanes_transpose(ct_lanes lanes, const ct_transposition *t, uint32_t word)
{
    for (uint32_t k = 0; k < 5; k++)
        word = ct_transpose_step(t, k, word, ct_lanes_exchange(lanes, word, 16u >> k));
    return word;
}

#endif
