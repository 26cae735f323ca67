/* The two passes of a scan (see children_body.h) in lanes. */

/* The best score at the legal places of one block, in lanes. */
CT_INLINE int FN(coarse_score)(const scan_job *job, int side, int derived, size_t w, unsigned block)
{
    if (job->n_active == 2) return FN(pair_block)(job, side, derived, w, block);
    return FN(many_block)(job, side, derived, w, block);
}

/* Looks into the blocks of one side: the least errors if below `need`, else a lower bound. `best` is the best score that is
 * known exactly, `closed` and `passed` the best bounds of the blocks that were not looked into. */
CT_INLINE int64_t FN(open_blocks)(scan_job *job, int side, int derived, int best)
{
    int size = (int) job->size[side], floor = size - (int) job->need[side];
    int every = job->all->refine_all, passed = 0;
    vec closed = v_fill(0);
    const uint64_t *bounds = job->all->scratch;
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS) {
        vec limits = v_load(bounds + w);
        MASK legal = L(occupied)(v_load(job->ties + w)), open = legal;
        if (!every) open = L(both)(legal, L(above)(limits, L(set)(ct_larger(best, floor))));
        closed = L(max_where)(closed, limits, L(except)(legal, open));
        for (uint32_t blocks = L(bits)(open); blocks; blocks &= blocks - 1) {
            unsigned block = ct_trailing_zeros(blocks);
            int limit = FN(lane)(bounds + w, block);
            if (limit <= ct_larger(best, floor) && !every) {
                passed = ct_larger(passed, limit);
                continue;
            }
            best = ct_larger(best, FN(block_score)(job, side, derived, w, block));
            job->refined++;
        }
    }
    return size - (best > floor ? best : ct_larger(ct_larger(best, passed), L(top)(closed)));
}

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
