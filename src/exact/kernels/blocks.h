/* A template, see lane.h: which blocks of a side are looked into in the second pass of a scan.
 *
 * Of a kind this asks for is_rounded(job), see costs.h, and
 *
 *   block_score(job, side, w, block, limit)
 *                          the best score of a split inside a block, in the numbers that lanes
 *                          count in; at most `limit` if that is all it could reach. Where lanes
 *                          are rounded, the score that stands for the full cost */
#ifndef CT_KIND
#include "exact/kernels/classes.h" /* this file among its parts */
#else

/* The least errors of one side if below `need`, else a lower bound of them. `best` is the best
 * score that is known exactly, `closed` and `passed` the best bounds of blocks that were not looked
 * into. */
CT_INLINE int64_t FN(open_blocks)(scan_job *job, int side, int best)
{
    int size = (int) job->size[side], floor = size - (int) job->need[side];
    int every = job->all->refine_all, passed = 0;
    vec closed = v_fill(0);
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS) {
        vec limits = v_load(job->bounds + w);
        MASK legal = L(occupied)(v_load(job->ties + w)), open = legal;
        if (!every) open = L(both)(legal, L(above)(limits, L(set)(ct_larger(best, floor))));
        closed = L(max_where)(closed, limits, L(except)(legal, open));
        for (uint32_t blocks = L(bits)(open); blocks; blocks &= blocks - 1) {
            unsigned block = ct_trailing_zeros(blocks);
            int limit = NUMBER(job->bounds + w, block);
            if (limit <= ct_larger(best, floor) && !every) {
                passed = ct_larger(passed, limit);
                continue;
            }
            best = ct_larger(best, FN(block_score)(job, side, w, block, ct_larger(best, floor)));
            job->refined++;
        }
    }
    return size - (best > floor ? best : ct_larger(ct_larger(best, passed), L(top)(closed)));
}

/* The score of the first block of the highest bound. */
static int FN(highest_score)(scan_job *job, int side)
{
    int highest = -1;
    size_t at = 0;
    unsigned which = 0;
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS) {
        MASK legal = L(occupied)(v_load(job->ties + w)),
             above = L(above)(v_load(job->bounds + w), L(set)(highest));
        for (uint32_t bits = L(bits)(L(both)(legal, above)); bits; bits &= bits - 1) {
            unsigned block = ct_trailing_zeros(bits);
            if (NUMBER(job->bounds + w, block) <= highest) continue;
            highest = NUMBER(job->bounds + w, block), at = w, which = block;
        }
    }
    return highest < 0 ? CT_LOWEST : FN(block_score)(job, side, at, which, CT_LOWEST);
}

/* The second pass over one side, from a score that is known exactly. Where costs in lanes are
 * rounded, the block of the highest bound comes first, so that few others need be asked for their
 * full costs; the answer is below the need only if that is so in full. */
static int64_t FN(open)(scan_job *job, int side, int best)
{
    if (!FN(is_rounded)(job)) return FN(open_blocks)(job, side, best);
    job->reached = SIZE_MAX / 2;
    best = FN(highest_score)(job, side);
    int64_t error = FN(open_blocks)(job, side, best), need = job->need[side];
    int improved = job->found[job->windowed >> side & 1][side] < job->all->need[side];
    return improved ? need - 1 : ct_larger64(error, need);
}
#endif
