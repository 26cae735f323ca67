/* What rows cost in bytes, one a row, and what they cost in full. */
#ifndef CT_EXACT_KERNELS_ROW_COSTS_H
#define CT_EXACT_KERNELS_ROW_COSTS_H

#include "exact/kernels/job.h"

/* Stands for no legal place: its negative is below, itself above all that rows cost. */
enum { NOWHERE = 1 << 29 };

#ifndef CT_BYTES_WHERE
/* The sum of the bytes where `members` has bits. */
CT_INLINE int bytes_where(uint32_t members, const uint8_t *bytes)
{
    int sum = 0;
    for (; members; members &= members - 1) sum += bytes[ct_trailing_zeros(members)];
    return sum;
}

/* As extremes16 where rows count as much as their bytes. */
CT_INLINE void extremes16_by_row(uint32_t a, uint32_t b, uint32_t ties, const uint8_t *bytes,
                                 int *high, int *low)
{
    int net = 0;
    *high = -NOWHERE, *low = NOWHERE;
    for (uint32_t done = 0; ties; ties &= ties - 1) {
        uint32_t upto = ties ^ (ties - 1);
        net += bytes_where(a & upto & ~done, bytes) - bytes_where(b & upto & ~done, bytes);
        done = upto;
        *high = ct_larger(*high, net);
        *low = -ct_larger(-*low, -net);
    }
}
#endif

/* As extremes16 where the rows of a count of_a each, those of b of_b. */
CT_INLINE void extremes16_by_class(uint32_t a, uint32_t b, uint32_t ties, int of_a, int of_b,
                                   int *high, int *low)
{
    *high = -NOWHERE, *low = NOWHERE;
    for (; ties; ties &= ties - 1) {
        uint32_t upto = ties ^ (ties - 1);
        int net = (int) word_count(a & upto) * of_a - (int) word_count(b & upto) * of_b;
        *high = ct_larger(*high, net);
        *low = -ct_larger(-*low, -net);
    }
}

/* What a wrong row of class c costs. */
CT_INLINE int64_t class_gain(const ct_children *all, uint32_t c) { return all->rows->most[c]; }

/* What the rows of class c in a side weigh, or cost where rows have no weights. */
CT_INLINE int64_t full_total(const ct_children *all, int side, uint32_t c)
{
    return all->masses[side] ? all->masses[side][c] : all->totals[side][c] * class_gain(all, c);
}

/* Of the last child nothing is known any more. */
CT_INLINE void forget_found(scan_job *job)
{
    job->windowed = job->narrowed = 0;
    for (int side = 0; side < 2; side++) job->found[0][side] = job->found[1][side] = INT64_MAX;
}

/* A full cost in quantised ones, rounded up. */
CT_INLINE int64_t quantised_up(const scan_job *job, int64_t cost)
{
    const int64_t most = (int64_t) 1 << 30; /* above all that rows cost */
    if (cost <= 0) return 0;
    cost = ((cost - 1) >> job->all->rows->quantised->shift) + 1;
    return cost < most ? cost : most;
}

/* An error in full costs, of the quantised one and of what was found in full, if it was. */
CT_INLINE int64_t full_error(const scan_job *job, int64_t quantised, int64_t found, int64_t need)
{
    unsigned shift = job->all->rows->quantised->shift;
    if (found < need) return found;
    int64_t error = quantised < INT64_MAX >> shift ? quantised << shift : INT64_MAX;
    return error < found ? error : found;
}

/* The answers to a scan in full costs. */
CT_INLINE void full_errors(scan_job *job, const int64_t need[2], int64_t error[2],
                           int64_t allowed[2])
{
    for (int side = 0; side < 2; side++) {
        if (need[side] <= 0) continue;
        error[side] = full_error(job, error[side], job->found[0][side], need[side]);
        allowed[side] = full_error(job, allowed[side], job->found[job->windowed >> side & 1][side],
                                   need[side]);
    }
    forget_found(job);
}

/* Notes what a split found in full costs; returns the score that stands for it. */
CT_INLINE int score_of_found(scan_job *job, int side, int64_t cost)
{
    int64_t *found = &job->found[job->windowed >> side & 1][side];
    if (cost < *found) *found = cost;
    return (int) ((int64_t) job->size[side] - quantised_up(job, cost));
}

#endif
