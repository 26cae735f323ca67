/* The two passes of a scan (see children_body.h) in lanes. */

CT_INLINE const uint64_t *FN(bounds)(const scan_job *job, int derived) { return (void) derived, job->all->scratch; }

/* The best score at the legal places of one block, in lanes. */
CT_INLINE int FN(coarse_score)(const scan_job *job, int side, int derived, size_t w, unsigned block)
{
    if (job->n_active == 2) return FN(pair_block)(job, side, derived, w, block);
    return FN(many_block)(job, side, derived, w, block);
}

#include "exact/kernels/open_body.h"

/* Pass 2 for one side. */
static int64_t FN(refine)(scan_job *job, int side, int derived)
{
    int best = job->n_active == 2 ? FN(pair_bounds)(job, side, derived) : FN(many_bounds)(job, side, derived);
    return FN(look)(job, side, derived, best);
}

/* Pass 1: the wanted sides' errors are at least error[]. */
static void FN(first_pass)(const scan_job *job, int sides, int64_t error[2])
{
    int top[2] = {0, 0};
    if (job->n_active == 2) FN(pair_count_any)(job, sides, top);
    else FN(many_count_any)(job, sides, top);
    for (int side = 0; side < 2; side++)
        if (job->need[side] > 0) error[side] = (int64_t) job->size[side] - ct_larger(top[side], 0);
}
