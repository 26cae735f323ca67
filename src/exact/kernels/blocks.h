/* A template, see lane.h: which blocks of a side are looked into in the second pass of a scan.
 *
 * Of a kind this asks for
 *
 *   bounds(job, derived)   [words] in the scratch memory, by block: no split inside scores more
 *   block_score(job, side, derived, w, block, limit)
 *                          the best score of a split inside a block, in the numbers that lanes
 *                          count in; at most `limit` if that is all it could reach. Where lanes
 *                          are rounded (is_rounded), the score that stands for the full cost */
#ifndef CT_KIND
#include "exact/kernels/classes.h" /* this file among its parts */
#else

/* The least errors of one side if below `need`, else a lower bound of them. `best` is the best
 * score that is known exactly, `closed` and `passed` the best bounds of blocks that were not looked
 * into. */
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
            int limit = NUMBER(bounds + w, block);
            if (limit <= ct_larger(best, floor) && !every) {
                passed = ct_larger(passed, limit);
                continue;
            }
            int score = FN(block_score)(job, side, derived, w, block, ct_larger(best, floor));
            best = ct_larger(best, score);
            job->refined++;
        }
    }
    return size - (best > floor ? best : ct_larger(ct_larger(best, passed), L(top)(closed)));
}

/* The score of the block of the highest bound. */
static int FN(highest_score)(scan_job *job, int side, int derived)
{
    const uint64_t *bounds = FN(bounds)(job, derived);
    vec top = L(set)(CT_LOWEST);
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS)
        top = L(max_where)(top, v_load(bounds + w), L(occupied)(v_load(job->ties + w)));
    vec below = L(set)(ct_larger(L(top)(top), 0) - 1);
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS) {
        MASK legal = L(occupied)(v_load(job->ties + w)),
             above = L(above)(v_load(bounds + w), below);
        uint32_t highest = L(bits)(L(both)(legal, above));
        if (highest)
            return FN(block_score)(job, side, derived, w, ct_trailing_zeros(highest), CT_LOWEST);
    }
    return CT_LOWEST;
}

/* The second pass over one side, from a score that is known exactly. Where costs in lanes are
 * rounded, the block of the highest bound comes first, so that few others need be asked for their
 * full costs; the answer is below the need only if that is so in full. */
static int64_t FN(open)(scan_job *job, int side, int derived, int best)
{
    if (!FN(is_rounded)(job)) return FN(open_blocks)(job, side, derived, best);
    job->reached = SIZE_MAX / 2;
    best = FN(highest_score)(job, side, derived);
    int64_t error = FN(open_blocks)(job, side, derived, best), need = job->need[side];
    int improved = job->found[job->windowed >> side & 1][side] < job->all->need[side];
    return improved ? need - 1 : ct_larger64(error, need);
}
#endif
