/* What rows cost in few bits, and how that relates to full costs: see ct_quantised. */
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

/* extremes16 where each row counts as much as its byte. */
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

/* extremes16 where each row of a counts of_a, and each row of b of_b. */
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

/* What rows cost in lanes. By value, like less_than. */
typedef struct {
    const uint64_t *planes;
    size_t words;
    unsigned n_planes; /* 0: all rows of the class cost `gain` */
    int gain;
} row_costs;

/* NULL: they cost 1. */
CT_INLINE row_costs row_costs_in(const ct_quantised *quantised, const uint64_t *planes,
                                 size_t words, uint32_t c)
{
    row_costs costs = {planes, words, quantised ? quantised->n_planes : 0, 1};
    if (quantised && quantised->gains) costs.gain = (int) quantised->gains[c];
    return costs;
}

CT_INLINE row_costs row_costs_of(const scan_job *job, uint32_t c)
{
    return row_costs_in(job->all->rows->quantised, job->quantised_planes, job->words, c);
}

/* One class in the order of a child. By value, too. */
typedef struct {
    const uint64_t *set, *lanes;
    row_costs costs;
} class_rows;

CT_INLINE class_rows class_rows_of(const scan_job *job, uint32_t c)
{
    size_t place = c * job->words;
    class_rows rows = {job->sets + place, job->lanes + place, row_costs_of(job, c)};
    return rows;
}

/* Points the job at the costs of the rows of child g. */
CT_INLINE void aim_row_costs(scan_job *job, uint32_t g)
{
    const ct_rows *rows = job->all->rows;
    size_t place = (size_t) g * rows->words * 64;
    job->weights = rows->weights ? rows->weights + place : NULL;
    job->quantised_bytes = rows->quantised_bytes ? rows->quantised_bytes + place : NULL;
    job->quantised_planes = rows->quantised_planes;
    if (job->quantised_planes) job->quantised_planes += g * rows->quantised->n_planes * rows->words;
}

/* Weights before each word, and where costs are rounded these too. */
static void split_costs(const ct_exact_split *s)
{
    uint32_t n_classes = s->n_classes;
    split_masses(s);
    if (!s->sums) return;
    uint32_t *sums = s->sums + s->begin * n_classes;
    for (uint32_t c = 0; c < n_classes; c++) sums[c] = 0;
    for (size_t w = s->begin; w < s->end; w++, sums += n_classes) {
        for (uint32_t c = 0; c < n_classes; c++) {
            uint64_t members = s->sets[c * s->words + w];
            const uint8_t *bytes = s->quantised_bytes + w * 64;
            int sum = bytes_where((uint32_t) members, bytes) +
                      bytes_where((uint32_t) (members >> 32), bytes + 32);
            sums[n_classes + c] = sums[c] + (uint32_t) sum;
        }
    }
}

/* ---- full costs ---- */

/* What the rows of class c in a side weigh. */
CT_INLINE int64_t mass_of_class(const ct_children *all, int side, uint32_t c)
{
    return all->masses[side] ? all->masses[side][c] : (int64_t) all->totals[side][c];
}

/* Totals of one side in quantised costs. */
static void quantise_totals(scan_job *job, int side)
{
    const ct_children *all = job->all;
    const ct_quantised *quantised = all->rows->quantised;
    uint32_t *totals = all->quantised + (uint32_t) side * all->rows->n_classes;
    job->totals[side] = totals;
    job->size[side] = 0;
    job->most_cost[side] = 0;
    for (uint32_t c = 0; c < all->rows->n_classes; c++) {
        int64_t cost = mass_of_class(all, side, c) * all->rows->most[c];
        if (quantised->exact) totals[c] = (uint32_t) (cost >> quantised->shift);
        else if (all->sums[side]) totals[c] = all->sums[side][c];
        else totals[c] = all->totals[side][c] * quantised->gains[c];
        job->size[side] += totals[c];
        job->most_cost[side] += cost;
    }
}

/* Forgets what was found of the last child. */
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

#endif
