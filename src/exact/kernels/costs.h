/* A template, see lane.h: what rows cost in lanes, 1 each or quantised costs (see ct_quantised).
 *
 * CT_QUANTISED says which; it is 0 or 1. In lanes of 16 bits quantised costs are exact, and at most
 * CT_COST_LIMIT together; in those of 32 bits they may be rounded down. What such scans reject is
 * done then, the rest is a matter of full_costs.h. */
#include "exact/kernels/full_costs.h"

#ifndef CT_KIND
#define CT_LANE 32
#define CT_QUANTISED 1
#define CT_KIND quantised32
#endif

/* By lane, what the members in the vector at word w cost. */
CT_INLINE vec FN(cost)(row_costs costs, vec members, size_t w)
{
    vec count = L(count)(members), sum = v_fill(0);
    if (!CT_QUANTISED) return count;
    if (costs.n_planes == 0) return costs.gain == 1 ? count : L(times)(count, L(set)(costs.gain));
    for (unsigned i = costs.n_planes; i-- > 0;) {
        vec plane = v_load(costs.planes + i * costs.words + w);
        sum = L(add)(L(add)(sum, sum), L(count)(v_and_not(members, plane)));
    }
    return sum;
}

/* The cost of one row of class c; of the members of a block that begins there. */
CT_INLINE int FN(row_cost)(const scan_job *job, uint32_t c, size_t position)
{
    if (!CT_QUANTISED) return 1;
    return job->quantised_bytes ? job->quantised_bytes[position]
                                : (int) job->all->rows->quantised->gains[c];
}

CT_INLINE int FN(block_cost)(const scan_job *job, uint32_t members, uint32_t c, size_t position)
{
    if (!CT_QUANTISED) return (int) word_count(members);
    if (job->quantised_bytes) return bytes_where(members, job->quantised_bytes + position);
    return (int) (word_count(members) * job->all->rows->quantised->gains[c]);
}

/* extremes16() of base/simd/vec.h in costs, where a and b are members of the two active classes
 * from the position on. */
CT_INLINE void FN(extremes)(const scan_job *job, uint32_t a, uint32_t b, uint32_t ties,
                            size_t position, int *high, int *low)
{
    const uint32_t *active = job->all->active;
    if (!CT_QUANTISED) extremes16(a, b, ties, high, low);
    else if (job->quantised_bytes)
        extremes16_by_row(a, b, ties, job->quantised_bytes + position, high, low);
    else
        extremes16_by_class(a, b, ties, FN(row_cost)(job, active[0], 0),
                            FN(row_cost)(job, active[1], 0), high, low);
}

/* (start + end + members) / 2 by lane, or up to 1 more. Rows that cost 1 are so few in lanes of 16
 * bits that these hold the sum, see ct_lane_limit. Others may cost as much in one block as all
 * together, and the sum be more than that where nearly all rows are of one class: then it becomes
 * the largest number of a lane, which is above all costs. */
CT_INLINE vec FN(middle)(vec start, vec end, vec members)
{
    if (CT_LANE == 16 && !CT_QUANTISED) return L(half)(L(add)(L(add)(start, end), members));
    vec both = L(add)(v_and(start, end), L(half)(v_xor(start, end)));
    vec rest = L(half)(L(add)(members, L(set)(1)));
    if (CT_LANE == 16) rest = L(min)(rest, L(sub)(L(set)(SHRT_MAX), both));
    return L(add)(both, rest);
}

/* Whether costs in lanes may be below the full ones: they are no scores then. */
CT_INLINE int FN(is_rounded)(const scan_job *job)
{
    return CT_QUANTISED && CT_LANE == 32 && !job->all->rows->quantised->exact;
}

CT_INLINE void FN(aim_costs)(scan_job *job, uint32_t g)
{
    if (CT_QUANTISED) aim_row_costs(job, g);
}

/* A cost in the numbers that lanes count in, rounded up. */
CT_INLINE int64_t FN(own_cost)(const scan_job *job, int side, int64_t cost)
{
    (void) side;
    return CT_QUANTISED ? quantised_up(job, cost) : cost;
}

CT_INLINE void FN(in_full)(scan_job *job, const int64_t need[2], int64_t error[2],
                           int64_t allowed[2])
{
    if (CT_QUANTISED) full_errors(job, need, error, allowed);
}

/* What the first pass has kept of one side becomes that of the other. */
static void FN(turn)(scan_job *job)
{
    for (uint32_t k = 0; k < job->n_kept; k++) {
        const uint64_t *set = job->sets + job->kept[k] * job->words;
        uint64_t *members = job_members(job, k);
        for (size_t w = job->begin; w < job->end; w += VEC_WORDS)
            v_store(members + w, v_xor(v_load(members + w), v_load(set + w)));
    }
    for (uint32_t a = 0; a < job->n_active; a++) {
        const uint64_t *lanes = job->lanes + job->all->active[a] * job->words;
        uint64_t *sums = job_sums(job, a);
        for (size_t w = job->begin; w < job->end; w += VEC_WORDS)
            v_store(sums + w, L(sub)(v_load(lanes + w), v_load(sums + w)));
    }
    job->turned = 1;
}

/* What active label a spares before a block of the order. */
CT_INLINE int FN(sum_before)(const scan_job *job, uint32_t a, size_t at)
{
    return at > job->begin * (64 / CT_LANE) ? NUMBER(job_sums(job, a), at - 1) : 0;
}
