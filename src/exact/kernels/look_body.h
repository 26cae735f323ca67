/* Where coarse costs may be rounded: the block of the highest bound is looked into first, in full costs. */

CT_INLINE int64_t FN(open_blocks)(scan_job *job, int side, int derived, int best);
CT_INLINE const uint64_t *FN(bounds)(const scan_job *job, int derived);

/* The score of the block of the highest bound. */
static int FN(first_score)(scan_job *job, int side, int derived)
{
    const uint64_t *bounds = FN(bounds)(job, derived);
    vec top = L(set)(CT_LOWEST);
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS)
        top = L(max_where)(top, v_load(bounds + w), L(occupied)(v_load(job->ties + w)));
    vec below = L(set)(ct_larger(L(top)(top), 0) - 1);
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS) {
        MASK highest = L(both)(L(occupied)(v_load(job->ties + w)), L(above)(v_load(bounds + w), below));
        if (L(bits)(highest)) return FN(full_score)(job, side, derived, w, ct_trailing_zeros(L(bits)(highest)));
    }
    return CT_LOWEST;
}

/* In full costs, unless coarse ones are exact: below the need if what was found is, which all else that was not looked into
 * reaches. */
static int64_t FN(look)(scan_job *job, int side, int derived, int best)
{
    if (job->all->rows->coarse->exact) return FN(open_blocks)(job, side, derived, best);
    job->reached = SIZE_MAX / 2;
    int64_t error = FN(open_blocks)(job, side, derived, FN(first_score)(job, side, derived)), need = job->need[side];
    int improved = job->found[job->confined >> side & 1][side] < job->all->need[side];
    return improved ? need - 1 : ct_larger64(error, need);
}
