/* Which splits of one child leave enough rows on either side: see ct_children.
 *
 * In the order of g these are one contiguous range of places: from the side's min_rows-th row to before its
 * (size - min_rows + 1)-th. Both ends are found in a few words. */

/* The members of a side of all classes in one vector's words. */
CT_INLINE void side_words(const scan_job *job, int side, size_t w, uint64_t *members)
{
    vec keep = v_less(less_make(job->planes, job->words, &job->all->threshold), w), all = v_fill(0);
    for (uint32_t c = 0; c < job->all->rows->n_classes; c++) {
        vec set = v_load(job->sets + c * job->words + w);
        all = v_or(all, side == RIGHT ? v_and_not(set, keep) : v_and(set, keep));
    }
    v_store(members, all);
}

/* Place of the k-th member (k >= 1) of a side, which has as many. */
static size_t kth_member(const scan_job *job, int side, uint32_t k)
{
    uint64_t members[VEC_WORDS];
    for (size_t w = job->begin;; w += VEC_WORDS) {
        side_words(job, side, w, members);
        for (size_t i = 0; i < VEC_WORDS; i++) {
            unsigned count = ct_popcount(members[i]);
            if (count >= k) return (w + i) * 64 + word_select(members[i], k - 1);
            k -= count;
        }
    }
}

/* The same from the end. */
static size_t kth_last_member(const scan_job *job, int side, uint32_t k)
{
    uint64_t members[VEC_WORDS];
    for (size_t w = job->end - VEC_WORDS;; w -= VEC_WORDS) {
        side_words(job, side, w, members);
        for (size_t i = VEC_WORDS; i-- > 0;) {
            unsigned count = ct_popcount(members[i]);
            if (count >= k) return (w + i) * 64 + word_select(members[i], count - k);
            k -= count;
        }
    }
}

/* Points job->ties at those of the scratch memory that keep to min_rows in one side. */
static void confine(scan_job *job, int side)
{
    uint32_t least = job->all->min_rows[side];
    uint64_t *kept = job->all->scratch + ct_children_kept(job->words, job->all->rows->n_classes);
    size_t first = kth_member(job, side, least), last = kth_last_member(job, side, least);
    memset(kept + job->begin, 0, (job->end - job->begin) * sizeof *kept);
    if (first < last) {
        memcpy(kept + first / 64, job->ties + first / 64, (last / 64 - first / 64 + 1) * sizeof *kept);
        kept[first / 64] &= ~ct_low_bits(first % 64);
        kept[last / 64] &= ct_low_bits(last % 64);
    }
    job->ties = kept;
}
