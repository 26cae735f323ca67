/* One threshold of the root feature at work: what the scans of its child features share, whatever
 * rows cost. See ct_children. */
#ifndef CT_EXACT_KERNELS_JOB_H
#define CT_EXACT_KERNELS_JOB_H

#include "exact/kernels/lane.h"
#include "exact/kernels/rows.h"

enum { NONE = -1, LEFT, RIGHT, BOTH }; /* sides that a scan is for */

/* One child feature under scan. What each child sets lies apart from one another, or gcc makes
 * vectors of the addresses, with multiplications of 64 bits. */
typedef struct {
    const ct_children *all;
    const uint64_t *planes; /* of the child, see ct_rows, */
    const int64_t *weights;
    const uint64_t *sets;
    const uint64_t *quantised_planes;
    const uint64_t *lanes;
    const uint8_t *quantised_bytes;
    const uint64_t *ties; /* and where it may be split */
    size_t words, begin, end;
    const uint32_t *totals[2]; /* of the classes in either side: rows, or their quantised costs */
    uint32_t size[2];          /* the sums of the totals */
    uint32_t n_active;         /* classes or labels that are looked at: all->active[] */
    uint32_t largest[2][2];    /* the totals of the two largest classes of either side */
    int64_t need[2];           /* as all but most_cost and found in the numbers of the kind */
    int64_t dropped[2];        /* what splits with labels that are not active cost at least */
    int64_t most_cost[2];      /* of the sides, each row under the label that is worst for it */
    unsigned windowed;         /* 1 << side: the side was looked into within its leaf-size window */
    unsigned narrowed;         /* 1 << side: it is, within that or the window of its outer set, */
    size_t window[2];          /* behind rows from the first place on and before the second */
    const uint64_t *bounds;    /* [words] by block: no split inside scores more */
    int turned;                /* what the first pass has counted is now that of the other side */
    uint32_t n_kept;           /* classes whose members are kept: kept[] */
    const uint32_t *kept;
    size_t reached;            /* see full_costs.h; */
    int64_t found[2][2];       /* full costs found: [over splits that keep to min_rows][side] */
    uint32_t n_pairs, wanted;  /* see losses.h, */
    int best_end[2];
    uint32_t child;            /* see response.h; */
    const struct listed *of_sides; /* [2] see response/together.h; */
    unsigned listed;           /* 1 << side: its list and blocks are those of the child; */
    int noted;                 /* else its words are noted; */
    int64_t cap[2];            /* what is needed before the first child is scanned; */
    size_t best_word[2];       /* of the words noted, that of the largest gain or bound */
    uint32_t refined;          /* blocks looked into */
    uint64_t scanned;          /* words */
} scan_job;

/* ---- scratch memory, where labels are classes or have losses ----
 *
 * Of the side that was counted: bounds of the blocks [words]; for each kept class its members
 * [words]; sums up to the blocks' ends [words], for each active label or otherwise. Then bounds of
 * the other side [words], and numbers. */

CT_INLINE uint64_t *job_members(const scan_job *job, uint32_t k)
{
    return job->all->scratch + (1 + (size_t) k) * job->words;
}

CT_INLINE uint64_t *job_sums(const scan_job *job, uint32_t k)
{
    return job_members(job, job->all->rows->n_classes + k);
}

CT_INLINE uint64_t *job_other_bounds(const scan_job *job)
{
    return job_members(job, 2 * job->all->rows->n_classes);
}

CT_INLINE uint64_t *job_numbers(const scan_job *job)
{
    return job_members(job, 2 * job->all->rows->n_classes + 1);
}

/* Numbers of blocks that are looked into, by class or label, behind one for each kept class. */
CT_INLINE int64_t *job_spared(const scan_job *job, size_t slot)
{
    return (int64_t *) (void *) job_numbers(job) + (1 + slot) * job->all->rows->n_classes;
}

/* ---- bounds before and after the scans ---- */

enum { SCANNED = 1 }; /* in ct_children.done, SCANNED << side */

/* The sides that can gain from child g, by their bounds. */
CT_INLINE int wanted_sides(const ct_children *c, uint32_t g)
{
    return ct_child_wanted(c, 0, g) + 2 * ct_child_wanted(c, 1, g) - 1;
}

/* What the neighbours say about every child, in each side. */
static inline void bound(ct_children *c)
{
    size_t room = ct_children_room(c->rows->n_cols);
    for (int side = 0; side < 2; side++) {
        const uint64_t *near = (const uint64_t *) c->near[side],
                       *far = (const uint64_t *) c->far[side];
        uint64_t *errors = (uint64_t *) c->errors[side];
        vec far_rows = l64_set(c->far_rows[side]), floor = l64_set(c->floor[side]);
        for (size_t g = 0; g < room; g += VEC_WORDS) {
            vec by_far = l64_sub(v_load(far + g), far_rows);
            v_store(errors + g, l64_max(l64_max(v_load(near + g), by_far), floor));
        }
    }
}

/* The least of one side's errors. */
CT_INLINE int64_t least_error(const ct_children *c, int side)
{
    const uint64_t *errors = (const uint64_t *) c->errors[side];
    vec most = l64_sub(v_fill(0), v_load(errors));
    for (size_t g = VEC_WORDS; g < ct_children_room(c->rows->n_cols); g += VEC_WORDS)
        most = l64_max(most, l64_sub(v_fill(0), v_load(errors + g)));
    return -l64_top(most);
}

static inline void sum_up(ct_children *c)
{
    for (int side = 0; side < 2; side++) {
        c->least[side] = least_error(c, side);
        if (c->min_rows[side] <= 1) { /* every split is allowed */
            c->least_allowed[side] = c->least[side];
            continue;
        }
        for (uint32_t g = 0; g < c->rows->n_cols; g++)
            if (!(c->done[g] & SCANNED << side) && c->errors[side][g] < c->least_allowed[side])
                c->least_allowed[side] = c->errors[side][g];
    }
    memset(c->done, 0, c->rows->n_cols);
}

/* ---- which classes a scan has to count ----
 *
 * A split labels its two leaves with two classes, and is wrong on all rows of the others. So class
 * c can be one of them in a split with fewer than `need` errors only if T_c + (the largest other) >
 * size - need. The classes that can, in a wanted side, are counted; what the others can do at best
 * (`dropped`) bounds every answer from above, since it is no longer known to be a bound of
 * theirs. */

/* The two largest of n numbers; where there is one alone, 0 is the other. */
CT_INLINE void two_largest(const uint32_t *numbers, uint32_t n, uint32_t largest[2])
{
    uint32_t first = 0, second = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t lower = numbers[i] < first ? numbers[i] : first;
        if (numbers[i] > first) first = numbers[i];
        if (lower > second) second = lower;
    }
    largest[0] = first, largest[1] = second;
}

/* 1 if class c is counted; otherwise the errors it cannot stay below are noted in job->dropped. */
static inline int is_active(scan_job *job, uint32_t c)
{
    int64_t reach[2];
    int wanted = 0;
    for (int side = 0; side < 2; side++) {
        uint32_t rows = job->totals[side][c],
                 other = job->largest[side][rows == job->largest[side][0]];
        reach[side] = (int64_t) job->size[side] - rows - other;
        wanted |= reach[side] < job->need[side];
    }
    for (int side = 0; side < 2 && !wanted; side++)
        if (reach[side] < job->dropped[side]) job->dropped[side] = reach[side];
    return wanted;
}

static inline void choose_active(scan_job *job)
{
    uint32_t n_classes = job->all->rows->n_classes;
    int every = n_classes == 2 || job->all->count_all;
    job->dropped[0] = job->dropped[1] = INT64_MAX;
    job->n_active = 0;
    for (uint32_t c = 0; c < n_classes; c++)
        if (every || is_active(job, c)) job->all->active[job->n_active++] = c;
}

/* ---- leaf-size windows ----
 *
 * The splits of one child that leave enough rows on either side are, in its order, one contiguous
 * range of places: from the least-th row to before its (size - least + 1)-th. Both ends are found
 * in a few words. The rows are those of the side, or of its outer set. */

/* The rows of a side, or of its outer set, in one vector's words. */
CT_INLINE void side_words(const scan_job *job, int side, int outer, size_t w, uint64_t *members)
{
    const ct_children *c = job->all;
    vec all = v_fill(0);
    for (uint32_t k = 0; w >= job->begin && w < job->end && k < c->rows->n_classes; k++)
        all = v_or(all, v_load(job->sets + k * job->words + w));
    if (outer && c->rows->outer)
        all = v_or(all, v_load(c->rows->outer + (job->ties - c->rows->ties) + w));
    if (!outer || !c->outer_all[side]) {
        vec keep = v_less(less_make(job->planes, job->words,
                                    outer ? &c->outer[side] : &c->threshold), w);
        all = side == RIGHT ? v_and_not(all, keep) : v_and(all, keep);
    }
    v_store(members, all);
}

/* Position of the k-th of them (k >= 1), from the end if `back`; behind the last word, or 0, if
 * there are fewer. */
static inline size_t kth_member(const scan_job *job, int side, int outer, uint32_t k, int back)
{
    uint64_t members[VEC_WORDS];
    size_t begin = outer ? 0 : job->begin, end = outer ? job->words : job->end;
    for (size_t past = 0; past < end - begin; past += VEC_WORDS) {
        size_t w = back ? end - VEC_WORDS - past : begin + past;
        side_words(job, side, outer, w, members);
        for (size_t i = 0; i < VEC_WORDS; i++) {
            size_t at = back ? VEC_WORDS - 1 - i : i;
            unsigned n = word_count(members[at]);
            if (n >= k) return (w + at) * 64 + word_select(members[at], back ? n - k : k - 1);
            k -= n;
        }
    }
    return back ? 0 : end * 64;
}

/* Points job->ties at those in the window of one side, in the last part of the scratch memory. */
static inline void keep_window(scan_job *job, int side, int outer)
{
    uint32_t least = outer ? job->all->outer_rows : job->all->min_rows[side];
    size_t begin = job->begin, end = job->end, first = kth_member(job, side, outer, least, 0),
           last = kth_member(job, side, outer, least, 1);
    job->window[0] = first;
    job->window[1] = last;
    if (job->all->rows->response) return; /* goes by these alone */
    uint64_t *kept = job->all->scratch + ct_children_kept(job->words, job->all->rows->n_classes);
    memset(kept + begin, 0, (end - begin) * sizeof *kept);
    if (first < begin * 64) first = begin * 64;
    if (last > end * 64) last = end * 64;
    if (first < last) {
        size_t upto = (last - 1) / 64;
        memcpy(kept + first / 64, job->ties + first / 64, (upto - first / 64 + 1) * sizeof *kept);
        kept[first / 64] &= ~ct_low_bits(first % 64);
        if (last % 64) kept[upto] &= ct_low_bits(last % 64);
    }
    job->ties = kept;
}

#endif
