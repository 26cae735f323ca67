/* A template, see lane.h: a wrong row costs 1. What these functions are for: see classes.h. */
#include "exact/kernels/job.h"

#ifndef CT_KIND
#define CT_LANE 32
#define CT_KIND rows32
#endif

typedef int FN(row_costs);

CT_INLINE FN(row_costs) FN(costs_of)(const scan_job *job, uint32_t c)
{
    return (void) job, (void) c, 0;
}

CT_INLINE FN(row_costs) FN(costs_of_side)(const ct_split *s, uint32_t c)
{
    return (void) s, (void) c, 0;
}

CT_INLINE vec FN(cost)(FN(row_costs) costs, vec members, size_t w)
{
    (void) costs, (void) w;
    return L(count)(members);
}

CT_INLINE int FN(row_cost)(const scan_job *job, uint32_t c, size_t position)
{
    (void) job, (void) c, (void) position;
    return 1;
}

CT_INLINE int FN(block_cost)(const scan_job *job, uint32_t members, uint32_t c, size_t position)
{
    (void) job, (void) c, (void) position;
    return (int) word_count(members);
}

CT_INLINE void FN(extremes16)(const scan_job *job, uint32_t a, uint32_t b, uint32_t ties,
                              size_t position, int *high, int *low)
{
    (void) job, (void) position;
    extremes16(a, b, ties, high, low);
}

/* Lanes of 16 bits hold the sum of all three, since ct_lane_limit is so low; those of 32 bits may
 * not. */
CT_INLINE vec FN(middle)(vec start, vec end, vec members)
{
    if (CT_LANE == 16) return L(half)(L(add)(L(add)(start, end), members));
    vec both = L(add)(v_and(start, end), L(half)(v_xor(start, end)));
    return L(add)(both, L(half)(L(add)(members, L(set)(1))));
}

CT_INLINE void FN(sum_costs)(const ct_split *s) { (void) s; }

CT_INLINE void FN(aim_costs)(scan_job *job, uint32_t g) { (void) job, (void) g; }

static void FN(start_costs)(scan_job *job)
{
    for (int side = 0; side < 2; side++) {
        job->totals[side] = job->all->totals[side];
        job->size[side] = job->all->size[side];
    }
}

CT_INLINE int64_t FN(own_cost)(const scan_job *job, int64_t cost) { return (void) job, cost; }

CT_INLINE void FN(in_full)(scan_job *job, const int64_t need[2], int64_t error[2],
                           int64_t allowed[2])
{
    (void) job, (void) need, (void) error, (void) allowed;
}

CT_INLINE int FN(is_rounded)(const scan_job *job) { return (void) job, 0; }

/* Never asked for: nothing is rounded. */
CT_INLINE int FN(full_score)(scan_job *job, int side, int derived, size_t w, unsigned block)
{
    (void) job, (void) side, (void) derived, (void) w, (void) block;
    return CT_LOWEST;
}
