/* Where what the lanes count is exact: what confirm_body.h says of rounded costs. */

CT_INLINE int FN(is_rounded)(const scan_job *job) { return (void) job, 0; }

CT_INLINE int64_t FN(open_blocks)(scan_job *job, int side, int derived, int best);

CT_INLINE int64_t FN(look)(scan_job *job, int side, int derived, int best)
{
    return FN(open_blocks)(job, side, derived, best);
}

CT_INLINE int FN(coarse_score)(const scan_job *job, int side, int derived, size_t w, unsigned block);

CT_INLINE int FN(block_score)(scan_job *job, int side, int derived, size_t w, unsigned block, int limit)
{
    (void) limit;
    return FN(coarse_score)(job, side, derived, w, block);
}
