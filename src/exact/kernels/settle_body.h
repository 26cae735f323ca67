/* From full costs to coarse ones and back: see ct_coarse. */

CT_INLINE int64_t FN(own)(const scan_job *job, int64_t cost)
{
    const int64_t most = (int64_t) 1 << 30; /* above all that rows cost */
    unsigned shift = job->all->rows->coarse->shift;
    if (cost <= 0) return 0;
    cost = ((cost - 1) >> shift) + 1;
    return cost < most ? cost : most;
}

/* An error in full costs, of the coarse one and of what was found in full, if it was. */
CT_INLINE int64_t FN(full)(const scan_job *job, int64_t coarse, int64_t found, int64_t need)
{
    unsigned shift = job->all->rows->coarse->shift;
    if (found < need) return found;
    coarse = coarse < INT64_MAX >> shift ? coarse << shift : INT64_MAX;
    return coarse < found ? coarse : found;
}

CT_INLINE void FN(settle)(scan_job *job, const int64_t need[2], int64_t error[2], int64_t allowed[2])
{
    for (int side = 0; side < 2; side++) {
        if (need[side] <= 0) continue;
        error[side] = FN(full)(job, error[side], job->found[0][side], need[side]);
        allowed[side] = FN(full)(job, allowed[side], job->found[job->confined >> side & 1][side], need[side]);
    }
    forget(job);
}
