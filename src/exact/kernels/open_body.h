/* The blocks whose bounds leave a chance: see scan_body.h and loss_body.h. */

/* Looks into the blocks of one side: the least errors if below `need`, else a lower bound. `best` is the best score that is
 * known exactly, `closed` and `passed` the best bounds of the blocks that were not looked into. */
CT_INLINE int64_t FN(open_blocks)(scan_job *job, int side, int derived, int best)
{
    int size = (int) job->size[side], floor = size - (int) job->need[side];
    int every = job->all->refine_all, passed = 0;
    vec closed = v_fill(0);
    const uint64_t *bounds = FN(bounds)(job, derived);
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
            best = ct_larger(best, FN(block_score)(job, side, derived, w, block, ct_larger(best, floor)));
            job->refined++;
        }
    }
    return size - (best > floor ? best : ct_larger(ct_larger(best, passed), L(top)(closed)));
}
