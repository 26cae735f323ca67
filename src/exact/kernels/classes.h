/* A template, see lane.h: scans where labels are classes, each right on its own rows alone. Both
 * passes of a scan, and the lanes of a side.
 *
 * What a row costs comes from a header included before, cost_rows.h or cost_quantised.h. It has:
 *
 *   row_costs                  a type, by value: what rows of one class cost
 *   costs_of(job, c)           ... class c in a scan; costs_of_side(split, c): in a side made
 *   cost(costs, members, w)    by lane, what the members in the vector at word w cost
 *   row_cost(job, c, position), block_cost(job, members, c, position)
 *                              what one row costs, or the members of a block that begins there
 *   extremes16(job, a, b, ties, position, &high, &low)
 *                              extremes16() of base/simd/vec.h in costs, where a and b are members
 *                              of the two active classes from the position on
 *   middle(start, end, members)  (start + end + members) / 2 by lane, rounded up where the sum does
 *                              not fit
 *   sum_costs(split)           what is summed up once a side, by word
 *   start_costs(job)           before the first scan of a threshold: totals, sizes
 *   aim_costs(job, g)          before the scan of child g: the costs of its rows
 *   own_cost(job, cost)        a cost in the numbers that lanes count in, rounded up
 *   in_full(job, need, error, allowed)  the answers to a scan, from these numbers to costs
 *   is_rounded(job)            costs in lanes may be below the full ones: they are no scores
 *   full_score(job, side, derived, w, block)  then, of one block: see block_score() below
 *
 * A scan for one or both sides counts one of them: the left one, unless only the right one is
 * wanted. `derived` says that a side is the other one, which follows by subtraction from the row
 * set's own sets and lanes. */
#include "exact/kernels/job.h"

#ifndef CT_KIND
#include "exact/kernels/cost_rows.h"
#endif

/* ---- two active classes ----
 *
 * With net = (cost of class 0) - (cost of class 1) up to a place and T their totals, the label pair
 * (0, 1) spares T_1 + net and the pair (1, 0) T_0 - net. Inside a block that ends at `net` and
 * holds a and b of the classes, the first spares at most T_1 + net + b and the second T_0 + a -
 * net.
 *
 * Scratch: bounds of the blocks [words], then [3][words]: members of the two classes and the net at
 * each block's end, of the side that was counted. Where costs are rounded [2][words] keep net + b
 * and a - net instead of the net. */

CT_INLINE vec FN(pair_bound)(vec u, vec v, const scan_job *job, int side)
{
    const uint32_t *totals = job->totals[side], *active = job->all->active;
    return L(max)(L(add)(u, L(set)((int) totals[active[1]])),
                  L(add)(v, L(set)((int) totals[active[0]])));
}

/* Where the classes' own sets are, and their lanes. */
#ifndef PAIR_SETS
#define PAIR_SETS(job)                                                         \
    const uint64_t *set0 = (job)->sets + (job)->all->active[0] * (job)->words; \
    const uint64_t *set1 = (job)->sets + (job)->all->active[1] * (job)->words
#define PAIR_LANES(job)                                            \
    const uint64_t *lane0 = (job)->lanes + (set0 - (job)->sets);   \
    const uint64_t *lane1 = (job)->lanes + (set1 - (job)->sets)
#endif

/* u and v of the whole row set's blocks; `two`: it has two classes altogether. */
CT_INLINE void FN(pair_whole)(const scan_job *job, FN(row_costs) costs0, FN(row_costs) costs1,
                              int two, size_t w, vec *u, vec *v)
{
    PAIR_SETS(job);
    PAIR_LANES(job);
    *u = v_load(lane0 + w), *v = v_load(lane1 + w);
    if (two) return;
    vec net = L(sub)(*u, *v);
    *u = L(add)(net, FN(cost)(costs1, v_load(set1 + w), w));
    *v = L(sub)(FN(cost)(costs0, v_load(set0 + w), w), net);
}

/* Leaves the bounds of one side's blocks in the scratch memory, by the u and v that pass 1 has
 * kept. */
static void FN(pair_kept_bounds)(const scan_job *job, int side, int derived)
{
    uint64_t *bounds = job->all->scratch;
    const uint64_t *us = bounds + 3 * job->words, *vs = us + job->words;
    const uint32_t *active = job->all->active;
    FN(row_costs) costs0 = FN(costs_of)(job, active[0]), costs1 = FN(costs_of)(job, active[1]);
    int two = job->all->rows->n_classes == 2;
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS) {
        vec u = v_load(us + w), v = v_load(vs + w), u_all, v_all;
        if (derived) {
            FN(pair_whole)(job, costs0, costs1, two, w, &u_all, &v_all);
            u = L(sub)(u_all, u);
            v = L(sub)(v_all, v);
        }
        v_store(bounds + w, FN(pair_bound)(u, v, job, side));
    }
}

/* Leaves the bounds of one side's blocks in the scratch memory, by what pass 1 has counted; returns
 * the best score at legal block ends, where that is asked for. */
static int FN(pair_bounds)(const scan_job *job, int side, int derived)
{
    if (FN(is_rounded)(job)) {
        FN(pair_kept_bounds)(job, side, derived);
        return CT_LOWEST;
    }
    size_t words = job->words;
    PAIR_SETS(job);
    PAIR_LANES(job);
    uint64_t *bounds = job->all->scratch;
    const uint64_t *in_a = bounds + words, *in_b = in_a + words, *nets = in_b + words;
    const uint32_t *totals = job->totals[side], *active = job->all->active;
    FN(row_costs) costs0 = FN(costs_of)(job, active[0]), costs1 = FN(costs_of)(job, active[1]);
    vec t0 = L(set)((int) totals[active[0]]), t1 = L(set)((int) totals[active[1]]);
    vec best = L(set)(CT_LOWEST);
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS) {
        vec a = v_load(in_a + w), b = v_load(in_b + w), net = v_load(nets + w);
        if (derived) {
            vec of1 = v_load(set1 + w), minus = v_load(lane1 + w);
            if (job->all->rows->n_classes == 2) minus = FN(cost)(costs1, of1, w);
            a = v_xor(a, v_load(set0 + w));
            b = v_xor(b, of1);
            net = L(sub)(L(sub)(v_load(lane0 + w), minus), net);
        }
        MASK at_end = L(negative)(v_load(job->ties + w));
        best = L(max_where)(best, L(max)(L(add)(t1, net), L(sub)(t0, net)), at_end);
        vec u = L(add)(net, FN(cost)(costs1, b, w)), v = L(sub)(FN(cost)(costs0, a, w), net);
        v_store(bounds + w, FN(pair_bound)(u, v, job, side));
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
    FN(extremes16)(job, a & LOW, b & LOW, ties & LOW, position, high, low);
    if (CT_LANE == 16) return;
    int net = FN(block_cost)(job, a & LOW, active[0], position) -
              FN(block_cost)(job, b & LOW, active[1], position);
    FN(extremes16)(job, a >> 16, b >> 16, ties >> 16, position + 16, &high2, &low2);
    *high = ct_larger(*high, net + high2);
    *low = -ct_larger(-*low, -(net + low2));
}

/* The best score at the legal places of one block. */
CT_INLINE int FN(pair_block)(const scan_job *job, int side, int derived, size_t w, unsigned block)
{
    PAIR_SETS(job);
    PAIR_LANES(job);
    const uint64_t *in_a = job->all->scratch + job->words + w, *in_b = in_a + job->words;
    const uint64_t *nets = in_b + job->words;
    const uint32_t *totals = job->totals[side], *active = job->all->active;
    uint32_t a = BLOCK(in_a, block), b = BLOCK(in_b, block);
    int net = NUMBER(nets, block), high, low;
    size_t position = w * 64 + block * CT_LANE;
    if (derived) {
        uint32_t of1 = BLOCK(set1 + w, block);
        int two = job->all->rows->n_classes == 2;
        int minus = two ? FN(block_cost)(job, of1, active[1], position) : NUMBER(lane1 + w, block);
        a ^= BLOCK(set0 + w, block);
        b ^= of1;
        net = NUMBER(lane0 + w, block) - minus - net;
    }
    int start = net - FN(block_cost)(job, a, active[0], position) +
                FN(block_cost)(job, b, active[1], position);
    FN(pair_extremes)(job, a, b, BLOCK(job->ties + w, block), position, &high, &low);
    return ct_larger((int) totals[active[1]] + start + high, (int) totals[active[0]] - start - low);
}

/* The best block bounds of the wanted sides. `two`: the row set has two classes altogether. */
CT_INLINE void FN(pair_count)(const scan_job *job, const int sides, const int two, int top[2])
{
    size_t words = job->words;
    PAIR_SETS(job);
    uint64_t *in_a = job->all->scratch + words, *in_b = in_a + words, *nets = in_b + words;
    const uint32_t *active = job->all->active;
    FN(row_costs) costs0 = FN(costs_of)(job, active[0]), costs1 = FN(costs_of)(job, active[1]);
    vec lowest = L(set)(CT_LOWEST), before = v_fill(0);
    vec u_top = lowest, v_top = lowest, u_rest = lowest, v_rest = lowest;
    const uint64_t *ties = job->ties;
    const int rounded = FN(is_rounded)(job);
    less_than less = less_make(job->planes, words, &job->all->threshold);
    for (size_t w = job->begin, end = job->end; w < end; w += VEC_WORDS) {
        vec keep = v_less(less, w), of0 = v_load(set0 + w), of1 = v_load(set1 + w);
        vec a = sides == RIGHT ? v_and_not(of0, keep) : v_and(of0, keep);
        vec b = sides == RIGHT ? v_and_not(of1, keep) : v_and(of1, keep);
        vec of_a = FN(cost)(costs0, a, w), of_b = FN(cost)(costs1, b, w);
        vec net = L(add)(L(scan)(L(sub)(of_a, of_b)), before);
        vec u = L(add)(net, of_b), v = L(sub)(of_a, net);
        MASK legal = L(occupied)(v_load(ties + w));
        before = L(last)(net);
        u_top = L(max_where)(u_top, u, legal);
        v_top = L(max_where)(v_top, v, legal);
        if (sides == BOTH) {
            vec u_all, v_all;
            FN(pair_whole)(job, costs0, costs1, two, w, &u_all, &v_all);
            u_rest = L(max_where)(u_rest, L(sub)(u_all, u), legal);
            v_rest = L(max_where)(v_rest, L(sub)(v_all, v), legal);
        }
        v_store(in_a + w, a);
        v_store(in_b + w, b);
        v_store(nets + w, rounded ? u : net);
        if (rounded) v_store(nets + words + w, v);
    }
    top[sides == RIGHT] = L(top)(FN(pair_bound)(u_top, v_top, job, sides == RIGHT));
    if (sides == BOTH) top[1] = L(top)(FN(pair_bound)(u_rest, v_rest, job, 1));
}

/* The variants that the compiler is to make. */
static void FN(pair_count_any)(const scan_job *job, int sides, int top[2])
{
    int two = job->all->rows->n_classes == 2;
    if (sides == LEFT) FN(pair_count)(job, LEFT, 1, top);
    else if (sides == RIGHT) FN(pair_count)(job, RIGHT, 1, top);
    else if (two) FN(pair_count)(job, BOTH, 1, top);
    else FN(pair_count)(job, BOTH, 0, top);
}

/* ---- more active classes ----
 *
 * With x_c the cost of class c up to a place and T_c that of the side, a split there spares max_i
 * x_i + max_j (T_j - x_j). Within a block: at most max over i != j of x_i(end) + T_j - x_j(start)
 * (the same label on both sides is the leaf), and at most half of (score at the start + score at
 * the end + what the block costs), since a row moves the score by at most what it costs.
 *
 * Scratch: bounds of the blocks [words], members [n_active][words] and sums [n_active][words] of
 * the side that was counted, then a vector or two numbers a class. Where costs are rounded the
 * first two sums are the blocks' bounds, of the side that was counted and of the other one. */

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

/* As pair_bounds(). */
static int FN(many_bounds)(const scan_job *job, int side, int derived)
{
    const ct_children *all = job->all;
    const uint64_t *in = all->scratch + job->words, *sums = in + job->n_active * job->words;
    if (FN(is_rounded)(job)) {
        for (size_t w = job->begin; w < job->end; w += VEC_WORDS)
            v_store(all->scratch + w, v_load(sums + (derived ? job->words : 0) + w));
        return CT_LOWEST;
    }
    vec best = L(set)(CT_LOWEST);
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS) {
        FN(many_bound) m = FN(many_start)();
        for (uint32_t k = 0; k < job->n_active; k++) {
            vec members = v_load(in + k * job->words + w), x = v_load(sums + k * job->words + w);
            if (derived) {
                members = v_xor(v_load(job->sets + all->active[k] * job->words + w), members);
                x = L(sub)(v_load(job->lanes + all->active[k] * job->words + w), x);
            }
            FN(many_add)(&m, x, FN(cost)(FN(costs_of)(job, all->active[k]), members, w),
                         L(set)((int) job->totals[side][all->active[k]]));
        }
        best = L(max_where)(best, L(add)(m.x_end, m.rest_end), L(negative)(v_load(job->ties + w)));
        v_store(all->scratch + w, FN(many_top)(&m));
    }
    return L(top)(best);
}

/* The best score at the legal places of one block: x grows along the block, T - x grows against
 * it. */
static int FN(many_block)(const scan_job *job, int side, int derived, size_t w, unsigned block)
{
    const ct_children *all = job->all;
    const uint64_t *all_in = all->scratch + job->words + w,
                   *sums = all_in + job->n_active * job->words;
    int32_t *x = (int32_t *) (void *) (all->scratch +
                                       (1 + 2 * (size_t) job->n_active) * job->words);
    int32_t *rest = x + job->n_active;
    int best_x = 0, best_rest = 0, best = 0, before[CT_LANE];
    uint32_t of[CT_LANE], occupied = 0;
    size_t position = w * 64 + block * CT_LANE;
    for (uint32_t k = 0; k < job->n_active; k++) {
        uint32_t in = BLOCK(all_in + k * job->words, block);
        int end = NUMBER(sums + k * job->words, block);
        if (derived) {
            in ^= BLOCK(job->sets + all->active[k] * job->words + w, block);
            end = NUMBER(job->lanes + all->active[k] * job->words + w, block) - end;
        }
        x[k] = end - FN(block_cost)(job, in, all->active[k], position);
        rest[k] = (int) job->totals[side][all->active[k]] - end;
        best_x = ct_larger(best_x, x[k]);
        best_rest = ct_larger(best_rest, rest[k]);
        occupied |= in;
        for (; in; in &= in - 1) of[ct_trailing_zeros(in)] = k;
    }
    for (unsigned j = 0; j < CT_LANE; j++) {
        if (occupied >> j & 1) {
            x[of[j]] += FN(row_cost)(job, all->active[of[j]], position + j);
            best_x = ct_larger(best_x, x[of[j]]);
        }
        before[j] = best_x;
    }
    uint32_t ties = BLOCK(job->ties + w, block);
    for (unsigned j = CT_LANE; j-- > 0;) {
        if (ties >> j & 1) best = ct_larger(best, before[j] + best_rest);
        if (!(occupied >> j & 1)) continue;
        rest[of[j]] += FN(row_cost)(job, all->active[of[j]], position + j);
        best_rest = ct_larger(best_rest, rest[of[j]]);
    }
    return best;
}

/* The best block bounds of the wanted sides. */
CT_INLINE void FN(many_count)(const scan_job *job, const int sides, int top[2])
{
    const ct_children *all = job->all;
    size_t words = job->words;
    uint64_t *in = all->scratch + words, *sums = in + job->n_active * words;
    uint64_t *before = sums + job->n_active * words;
    int counted = sides == RIGHT, rounded = FN(is_rounded)(job);
    vec top_here = L(set)(CT_LOWEST), top_rest = top_here;
    for (uint32_t k = 0; k < job->n_active; k++) v_store(before + k * VEC_WORDS, v_fill(0));
    less_than less = less_make(job->planes, words, &all->threshold);
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS) {
        vec keep = v_less(less, w);
        FN(many_bound) here = FN(many_start)(), rest = here;
        for (uint32_t k = 0; k < job->n_active; k++) {
            uint32_t c = all->active[k];
            vec set = v_load(job->sets + c * words + w);
            vec members = counted ? v_and_not(set, keep) : v_and(set, keep);
            FN(row_costs) costs = FN(costs_of)(job, c);
            vec count = FN(cost)(costs, members, w);
            vec x = L(add)(L(scan)(count), v_load(before + k * VEC_WORDS));
            v_store(before + k * VEC_WORDS, L(last)(x));
            v_store(in + k * words + w, members);
            if (!rounded) v_store(sums + k * words + w, x);
            FN(many_add)(&here, x, count, L(set)((int) job->totals[counted][c]));
            if (sides != BOTH) continue;
            FN(many_add)(&rest, L(sub)(v_load(job->lanes + c * words + w), x),
                         FN(cost)(costs, v_xor(set, members), w), L(set)((int) job->totals[1][c]));
        }
        MASK legal = L(occupied)(v_load(job->ties + w));
        vec here_top = FN(many_top)(&here),
            rest_top = sides == BOTH ? FN(many_top)(&rest) : here_top;
        top_here = L(max_where)(top_here, here_top, legal);
        if (sides == BOTH) top_rest = L(max_where)(top_rest, rest_top, legal);
        if (!rounded) continue;
        v_store(sums + w, here_top);
        v_store(sums + words + w, rest_top);
    }
    top[counted] = L(top)(top_here);
    if (sides == BOTH) top[1] = L(top)(top_rest);
}

/* The variants that the compiler is to make. */
static void FN(many_count_any)(const scan_job *job, int sides, int top[2])
{
    if (sides == LEFT) FN(many_count)(job, LEFT, top);
    else if (sides == RIGHT) FN(many_count)(job, RIGHT, top);
    else FN(many_count)(job, BOTH, top);
}

/* ---- what blocks.h and children.h ask for ---- */

CT_INLINE const uint64_t *FN(bounds)(const scan_job *job, int derived)
{
    return (void) derived, job->all->scratch;
}

CT_INLINE int FN(block_score)(scan_job *job, int side, int derived, size_t w, unsigned block,
                              int limit)
{
    (void) limit;
    if (FN(is_rounded)(job)) return FN(full_score)(job, side, derived, w, block);
    if (job->n_active == 2) return FN(pair_block)(job, side, derived, w, block);
    return FN(many_block)(job, side, derived, w, block);
}

#include "exact/kernels/blocks.h"

static void FN(first_pass)(scan_job *job, int sides, int64_t error[2])
{
    int top[2] = {0, 0};
    if (job->n_active == 2) FN(pair_count_any)(job, sides, top);
    else FN(many_count_any)(job, sides, top);
    for (int side = 0; side < 2; side++)
        if (job->need[side] > 0) error[side] = (int64_t) job->size[side] - ct_larger(top[side], 0);
}

static int64_t FN(second_pass)(scan_job *job, int side, int derived)
{
    int best = job->n_active == 2 ? FN(pair_bounds)(job, side, derived)
                                  : FN(many_bounds)(job, side, derived);
    return FN(open)(job, side, derived, best);
}

static void FN(start)(scan_job *job)
{
    FN(start_costs)(job);
    if (job->all->rows->n_classes > 2) find_largest(job);
}

CT_INLINE void FN(choose)(scan_job *job) { choose_active(job); }

/* ---- the lanes of a side: see ct_split ---- */

static void FN(split)(ct_split *s)
{
    size_t words = s->words;
    split_sets(s);
    FN(sum_costs)(s);
    if (s->n_classes == 2) {
        vec before = v_fill(0);
        FN(row_costs) costs0 = FN(costs_of_side)(s, 0), costs1 = FN(costs_of_side)(s, 1);
        for (size_t w = s->begin; w < s->end; w += VEC_WORDS) {
            vec a = FN(cost)(costs0, v_load(s->sets + w), w),
                b = FN(cost)(costs1, v_load(s->sets + words + w), w);
            vec net = L(add)(L(scan)(L(sub)(a, b)), before);
            before = L(last)(net);
            v_store(s->lanes + w, L(add)(net, b));
            v_store(s->lanes + words + w, L(sub)(a, net));
        }
        return;
    }
    for (uint32_t c = 0; c < s->n_classes; c++) {
        vec before = v_fill(0);
        FN(row_costs) costs = FN(costs_of_side)(s, c);
        for (size_t w = s->begin; w < s->end; w += VEC_WORDS) {
            vec x = L(add)(L(scan)(FN(cost)(costs, v_load(s->sets + c * words + w), w)), before);
            before = L(last)(x);
            v_store(s->lanes + c * words + w, x);
        }
    }
}
