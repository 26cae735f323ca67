/* A template, see lane.h: scans where labels are classes, each right on its own rows alone. Both
 * passes of a scan, and the lanes of a side.
 *
 * A scan for one or both sides counts one of them: the left one, unless only the right one is
 * wanted. The other one follows by subtraction from the row set's own sets and lanes: its bounds in
 * the first pass, and in the second one what is kept of it. */
#ifndef CT_KIND
#define CT_LANE 32
#define CT_QUANTISED 0
#define CT_KIND rows32
#endif
#include "exact/kernels/costs.h"

/* ---- two active classes ----
 *
 * With net = (cost of class 0) - (cost of class 1) up to a place and T their totals, the label pair
 * (0, 1) spares T_1 + net and the pair (1, 0) T_0 - net. Inside a block that ends at `net` and
 * holds a and b of the classes, the first spares at most T_1 + u with u = net + b and the second
 * T_0 + v with v = a - net. Sums of the active classes kept: the nets alone. */

CT_INLINE vec FN(pair_bound)(vec u, vec v, const scan_job *job, int side)
{
    const uint32_t *totals = job->totals[side], *active = job->all->active;
    return L(max)(L(add)(u, L(set)((int) totals[active[1]])),
                  L(add)(v, L(set)((int) totals[active[0]])));
}

/* u and v of the whole row set. `two`: it has two classes altogether, and its lanes are these. */
CT_INLINE void FN(pair_whole)(const class_rows first, const class_rows second, int two, size_t w,
                              vec *u, vec *v)
{
    *u = v_load(first.lanes + w), *v = v_load(second.lanes + w);
    if (two) return;
    vec net = L(sub)(*u, *v);
    *u = L(add)(net, FN(cost)(second.costs, v_load(second.set + w), w));
    *v = L(sub)(FN(cost)(first.costs, v_load(first.set + w), w), net);
}

/* Leaves the bounds of one side's blocks in the scratch memory; returns the best score at legal
 * block ends, if costs in lanes are scores. `turn`: what is kept there is of the other side, and
 * becomes that of this one. */
static int FN(pair_bounds)(const scan_job *job, int side, int turn)
{
    const uint32_t *totals = job->totals[side], *active = job->all->active;
    class_rows first = class_rows_of(job, active[0]), second = class_rows_of(job, active[1]);
    uint64_t *in_a = job_members(job, 0), *in_b = job_members(job, 1);
    uint64_t *us = job_sums(job, 0), *vs = job_sums(job, 1);
    vec t0 = L(set)((int) totals[active[0]]), t1 = L(set)((int) totals[active[1]]);
    vec best = L(set)(CT_LOWEST);
    int two = job->all->rows->n_classes == 2, rounded = FN(is_rounded)(job);
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS) {
        vec u = v_load(us + w), v = v_load(vs + w), b = v_load(in_b + w);
        if (turn) {
            vec u_all, v_all;
            FN(pair_whole)(first, second, two, w, &u_all, &v_all);
            v_store(in_a + w, v_xor(v_load(in_a + w), v_load(first.set + w)));
            v_store(in_b + w, b = v_xor(b, v_load(second.set + w)));
            v_store(us + w, u = L(sub)(u_all, u));
            v_store(vs + w, v = L(sub)(v_all, v));
        }
        v_store(job->all->scratch + w, FN(pair_bound)(u, v, job, side));
        if (rounded) continue;
        vec net = L(sub)(u, FN(cost)(second.costs, b, w));
        MASK at_end = L(negative)(v_load(job->ties + w));
        best = L(max_where)(best, L(max)(L(add)(t1, net), L(sub)(t0, net)), at_end);
    }
    return L(top)(best);
}

/* The largest and the smallest (cost of a) - (cost of b) over the prefixes of a block that end at a
 * bit of `ties`. */
CT_INLINE void FN(pair_extremes)(const scan_job *job, uint32_t a, uint32_t b, uint32_t ties,
                                 size_t position, int *high, int *low)
{
    enum { LOW = 0xffff };
    const uint32_t *active = job->all->active;
    int high2, low2;
    FN(extremes)(job, a & LOW, b & LOW, ties & LOW, position, high, low);
    if (CT_LANE == 16) return;
    int net = FN(block_cost)(job, a & LOW, active[0], position) -
              FN(block_cost)(job, b & LOW, active[1], position);
    FN(extremes)(job, a >> 16, b >> 16, ties >> 16, position + 16, &high2, &low2);
    *high = ct_larger(*high, net + high2);
    *low = -ct_larger(-*low, -(net + low2));
}

/* The best score at the legal places of one block. */
CT_INLINE int FN(pair_block)(const scan_job *job, int side, size_t w, unsigned block)
{
    const uint32_t *totals = job->totals[side], *active = job->all->active;
    uint32_t a = BLOCK(job_members(job, 0) + w, block), b = BLOCK(job_members(job, 1) + w, block);
    size_t position = w * 64 + block * CT_LANE;
    int start = NUMBER(job_sums(job, 0) + w, block) - FN(block_cost)(job, a, active[0], position);
    int high, low;
    FN(pair_extremes)(job, a, b, BLOCK(job->ties + w, block), position, &high, &low);
    return ct_larger((int) totals[active[1]] + start + high, (int) totals[active[0]] - start - low);
}

/* The best block bounds of the wanted sides. `two`: as above. */
CT_INLINE void FN(pair_count)(const scan_job *job, const int sides, const int two, int top[2])
{
    const uint32_t *active = job->all->active;
    class_rows first = class_rows_of(job, active[0]), second = class_rows_of(job, active[1]);
    uint64_t *in_a = job_members(job, 0), *in_b = job_members(job, 1);
    uint64_t *us = job_sums(job, 0), *vs = job_sums(job, 1);
    vec lowest = L(set)(CT_LOWEST), before = v_fill(0);
    vec u_top = lowest, v_top = lowest, u_rest = lowest, v_rest = lowest;
    const uint64_t *ties = job->ties;
    less_than less = less_make(job->planes, job->words, &job->all->threshold);
    for (size_t w = job->begin, end = job->end; w < end; w += VEC_WORDS) {
        vec keep = v_less(less, w), of0 = v_load(first.set + w), of1 = v_load(second.set + w);
        vec a = sides == RIGHT ? v_and_not(of0, keep) : v_and(of0, keep);
        vec b = sides == RIGHT ? v_and_not(of1, keep) : v_and(of1, keep);
        vec of_a = FN(cost)(first.costs, a, w), of_b = FN(cost)(second.costs, b, w);
        vec net = L(add)(L(scan)(L(sub)(of_a, of_b)), before);
        vec u = L(add)(net, of_b), v = L(sub)(of_a, net);
        MASK legal = L(occupied)(v_load(ties + w));
        before = L(last)(net);
        u_top = L(max_where)(u_top, u, legal);
        v_top = L(max_where)(v_top, v, legal);
        if (sides == BOTH) {
            vec u_all, v_all;
            FN(pair_whole)(first, second, two, w, &u_all, &v_all);
            u_rest = L(max_where)(u_rest, L(sub)(u_all, u), legal);
            v_rest = L(max_where)(v_rest, L(sub)(v_all, v), legal);
        }
        v_store(in_a + w, a);
        v_store(in_b + w, b);
        v_store(us + w, u);
        v_store(vs + w, v);
    }
    top[sides == RIGHT] = L(top)(FN(pair_bound)(u_top, v_top, job, sides == RIGHT));
    if (sides == BOTH) top[1] = L(top)(FN(pair_bound)(u_rest, v_rest, job, 1));
}

/* ---- more active classes ----
 *
 * With x_c the cost of class c up to a place and T_c that of the side, a split there spares max_i
 * x_i + max_j (T_j - x_j). Within a block: at most max over i != j of x_i(end) + T_j - x_j(start)
 * (the same label on both sides is the leaf), and at most half of (score at the start + score at
 * the end + what the block costs), since a row moves the score by at most what it costs. */

typedef struct {
    vec x_end, x_start;       /* largest x at the block's ends */
    vec rest_end, rest_start; /* largest T - x at the block's ends */
    vec pairs;                /* largest x_i(end) + T_j - x_j(start), i != j, so far */
    vec members;
} FN(many_bound);

CT_INLINE FN(many_bound) FN(many_start)(void)
{
    vec lowest = L(set)(CT_LOWEST / 4);
    FN(many_bound) m = {lowest, lowest, lowest, lowest, lowest, v_fill(0)};
    return m;
}

CT_INLINE void FN(many_add)(FN(many_bound) *m, vec x, vec count, vec total)
{
    vec x_start = L(sub)(x, count), rest = L(sub)(total, x), rest_start = L(sub)(total, x_start);
    m->pairs = L(max)(m->pairs, L(max)(L(add)(x, m->rest_start), L(add)(rest_start, m->x_end)));
    m->x_end = L(max)(m->x_end, x);
    m->x_start = L(max)(m->x_start, x_start);
    m->rest_end = L(max)(m->rest_end, rest);
    m->rest_start = L(max)(m->rest_start, rest_start);
    m->members = L(add)(m->members, count);
}

CT_INLINE vec FN(many_top)(const FN(many_bound) *m)
{
    vec start = L(add)(m->x_start, m->rest_start), end = L(add)(m->x_end, m->rest_end);
    return L(min)(m->pairs, FN(middle)(start, end, m->members));
}

/* pair_bounds() on the side that is kept. */
static int FN(many_bounds)(const scan_job *job, int side)
{
    const uint32_t *active = job->all->active;
    const uint64_t *in = job_members(job, 0), *sums = job_sums(job, 0);
    vec best = L(set)(CT_LOWEST);
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS) {
        FN(many_bound) m = FN(many_start)();
        for (uint32_t k = 0; k < job->n_active; k++) {
            vec members = v_load(in + k * job->words + w), x = v_load(sums + k * job->words + w);
            FN(many_add)(&m, x, FN(cost)(row_costs_of(job, active[k]), members, w),
                         L(set)((int) job->totals[side][active[k]]));
        }
        best = L(max_where)(best, L(add)(m.x_end, m.rest_end), L(negative)(v_load(job->ties + w)));
        v_store(job->all->scratch + w, FN(many_top)(&m));
    }
    return L(top)(best);
}

/* The best score at the legal places of one block. */
static int FN(many_block)(const scan_job *job, int side, size_t w, unsigned block)
{
    const unsigned shift = CT_QUANTISED ? job->all->rows->quantised->shift : 0;
    size_t at = w * (64 / CT_LANE) + block;
    int64_t *x = job_spared(job, 0), *rest = job_spared(job, 1);
    for (uint32_t a = 0; a < job->n_active; a++) {
        x[a] = (int64_t) FN(sum_before)(job, a, at) << shift;
        rest[a] = (int64_t) job->totals[side][job->all->active[a]] << shift;
    }
    block_rows b = {0, 0, {0}, {0}}; /* other rows than members cost nothing */
    rows_in_block(job, !CT_QUANTISED, CT_LANE, w, block, &b);
    return (int) (best_of_classes(job, &b, CT_LANE, x, rest) >> shift);
}

/* The best block bounds of the wanted sides. Rounded costs leave all of them in the scratch
 * memory. */
CT_INLINE void FN(many_count)(const scan_job *job, const int sides, int top[2])
{
    const ct_children *all = job->all;
    const size_t words = job->words;
    uint64_t *in = job_members(job, 0), *sums = job_sums(job, 0), *before = job_numbers(job);
    uint64_t *others = job_other_bounds(job);
    int counted = sides == RIGHT, rounded = FN(is_rounded)(job);
    vec top_here = L(set)(CT_LOWEST), top_rest = top_here;
    for (uint32_t k = 0; k < job->n_active; k++) v_store(before + k * VEC_WORDS, v_fill(0));
    less_than less = less_make(job->planes, words, &all->threshold);
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS) {
        vec keep = v_less(less, w);
        FN(many_bound) here = FN(many_start)(), rest = here;
        for (uint32_t k = 0; k < job->n_active; k++) {
            uint32_t c = all->active[k];
            row_costs costs = row_costs_of(job, c);
            vec set = v_load(job->sets + c * words + w);
            vec members = counted ? v_and_not(set, keep) : v_and(set, keep);
            vec count = FN(cost)(costs, members, w);
            vec x = L(add)(L(scan)(count), v_load(before + k * VEC_WORDS));
            v_store(before + k * VEC_WORDS, L(last)(x));
            v_store(in + k * words + w, members);
            v_store(sums + k * words + w, x);
            FN(many_add)(&here, x, count, L(set)((int) job->totals[counted][c]));
            if (sides != BOTH) continue;
            FN(many_add)(&rest, L(sub)(v_load(job->lanes + c * words + w), x),
                         FN(cost)(costs, v_xor(set, members), w), L(set)((int) job->totals[1][c]));
        }
        MASK legal = L(occupied)(v_load(job->ties + w));
        vec bound = FN(many_top)(&here), rest_bound = sides == BOTH ? FN(many_top)(&rest) : bound;
        top_here = L(max_where)(top_here, bound, legal);
        if (sides == BOTH) top_rest = L(max_where)(top_rest, rest_bound, legal);
        if (!rounded) continue;
        v_store(all->scratch + w, bound);
        v_store(others + w, rest_bound);
    }
    top[counted] = L(top)(top_here);
    if (sides == BOTH) top[1] = L(top)(top_rest);
}

/* ---- what blocks.h and children.h ask for ---- */

CT_INLINE int FN(block_score)(scan_job *job, int side, size_t w, unsigned block, int limit)
{
    (void) limit;
    if (FN(is_rounded)(job)) return full_score(job, side, w, block);
    if (job->n_active == 2) return FN(pair_block)(job, side, w, block);
    return FN(many_block)(job, side, w, block);
}

#include "exact/kernels/blocks.h"

/* All but the choice of sides: with these as constants the compiler makes a variant each. */
CT_INLINE void FN(count)(const scan_job *job, const int sides, int top[2])
{
    if (job->n_active > 2) FN(many_count)(job, sides, top);
    else if (job->all->rows->n_classes > 2) FN(pair_count)(job, sides, 0, top);
    else FN(pair_count)(job, sides, 1, top);
}

static void FN(first_pass)(scan_job *job, int sides, int64_t error[2])
{
    int top[2] = {0, 0};
    job->n_kept = job->n_active;
    job->kept = job->all->active;
    job->turned = 0;
    if (sides == LEFT) FN(count)(job, LEFT, top);
    else if (sides == RIGHT) FN(count)(job, RIGHT, top);
    else FN(count)(job, BOTH, top);
    for (int side = 0; side < 2; side++)
        if (job->need[side] > 0) error[side] = (int64_t) job->size[side] - ct_larger(top[side], 0);
}

static int64_t FN(second_pass)(scan_job *job, int side, int derived)
{
    int turn = derived && !job->turned, best = CT_LOWEST;
    int kept = FN(is_rounded)(job) && job->n_active > 2;
    if (turn && job->n_active > 2) FN(turn)(job);
    if (job->n_active == 2) best = FN(pair_bounds)(job, side, turn);
    else if (!kept) best = FN(many_bounds)(job, side);
    job->bounds = kept && derived ? job_other_bounds(job) : job->all->scratch;
    job->turned |= turn;
    return FN(open)(job, side, best);
}

static void FN(start)(scan_job *job)
{
    forget_found(job);
    for (int side = 0; side < 2; side++) {
        job->totals[side] = job->all->totals[side];
        job->size[side] = job->all->size[side];
        if (CT_QUANTISED) quantise_totals(job, side);
        if (job->all->rows->n_classes > 2) /* of two, both are counted */
            two_largest(job->totals[side], job->all->rows->n_classes, job->largest[side]);
    }
}

CT_INLINE void FN(choose)(scan_job *job) { choose_active(job); }

#include "exact/kernels/children.h"

/* The lanes of a side: see ct_exact_split. */
static void FN(split)(ct_exact_split *s)
{
    size_t words = s->words;
    split_sets(s);
    if (CT_QUANTISED) split_costs(s);
    for (uint32_t c = 0; c < s->n_classes; c++) {
        vec before = v_fill(0);
        row_costs costs = row_costs_in(s->quantised, s->quantised_planes, words, c);
        for (size_t w = s->begin; w < s->end; w += VEC_WORDS) {
            vec x = L(add)(L(scan)(FN(cost)(costs, v_load(s->sets + c * words + w), w)), before);
            before = L(last)(x);
            v_store(s->lanes + c * words + w, x);
        }
    }
    if (s->n_classes != 2) return;
    row_costs costs0 = row_costs_in(s->quantised, s->quantised_planes, words, 0);
    row_costs costs1 = row_costs_in(s->quantised, s->quantised_planes, words, 1);
    for (size_t w = s->begin; w < s->end; w += VEC_WORDS) {
        vec a = FN(cost)(costs0, v_load(s->sets + w), w);
        vec b = FN(cost)(costs1, v_load(s->sets + words + w), w);
        vec net = L(sub)(v_load(s->lanes + w), v_load(s->lanes + words + w));
        v_store(s->lanes + w, L(add)(net, b));
        v_store(s->lanes + words + w, L(sub)(a, net));
    }
}

#undef CT_LANE
#undef CT_QUANTISED
#undef CT_KIND
