/* Scans where what a row costs depends on its label: quantised costs (see ct_quantised) in lanes of
 * 32 bits.
 *
 * What label k spares of a block is the sum over the classes of (what its members weigh) * (what k
 * spares of one): the masses of two classes lie in one lane, and one multiplication and addition
 * serves both. Summed up along the order of the child that is x_k; T_k is that of the whole side.
 *
 * Let x be the largest x_k up to some place, rest the largest T_k - x_k. A split within a block
 * spares at most
 *   - x(end) + rest(start), less what every row of the block spares at least, counted twice here;
 *   - x(start) + rest(end) and what every row of the block spares at most;
 *   - half of (x(start) + rest(start) + x(end) + rest(end) + what the rows can change by moving
 *     over: the most less the least that each spares).
 * What holds at the start of a block is what holds at the end of the one before it.
 *
 * Limits. All rows spare less than 2^29 together, and none of these bounds more than twice as much.
 * A row spares less than 2^15 times its weight, a block's rows weigh less than 2^13. */
#ifndef CT_EXACT_KERNELS_LOSSES_H
#define CT_EXACT_KERNELS_LOSSES_H

#define CT_LANE 32
#define CT_QUANTISED 1
#define CT_KIND losses
#include "exact/kernels/costs.h"

/* ---- which labels a scan has to look at ----
 *
 * A split with labels i and j costs at least that of each row under the better of the two:
 * pair[i][j]. So label i can be one of them in a split that costs less than `need` only if
 * pair[i][j] is below that for some other j. (That with itself is the leaf.) What the other labels
 * can do at best (`dropped`) bounds every answer from above.
 *
 * Numbers in ct_children.labels: the classes that the sides have; pair[side][i][j], i < j; what
 * the rows of two classes spare, as the two halves of one number: [pair of kept classes] under each
 * active label, then under the one that spares least of each class, and under the one that spares
 * most. */

enum { MOST_PAIRED = 16 }; /* with more labels pairs would take longer than they spare */

CT_INLINE int32_t *loss_label_pairs(const scan_job *job, int side)
{
    size_t n = job->all->rows->n_classes;
    return job->all->labels + n + (size_t) side * n * n;
}

CT_INLINE int32_t *loss_gains(const scan_job *job) { return loss_label_pairs(job, 2); }

static void loss_fill_gains(scan_job *job)
{
    enum { HALF = 16 }; /* bits */
    uint32_t n = job->n_active;
    memset(loss_gains(job), 0, (size_t) (n + 2) * job->n_pairs * sizeof(int32_t));
    for (uint32_t k = 0; k < job->n_kept; k++) {
        const int32_t *gains = job->all->rows->quantised->by_label +
                               job->kept[k] * job->all->rows->n_classes;
        int32_t *pairs = loss_gains(job) + k / 2;
        uint32_t least = UINT32_MAX, most = 0, up = k % 2 * HALF;
        for (uint32_t a = 0; a < n; a++, pairs += job->n_pairs) {
            uint32_t gain = (uint32_t) gains[job->all->active[a]];
            if (gain < least) least = gain;
            if (gain > most) most = gain;
            *pairs |= (int32_t) (gain << up);
        }
        pairs[0] |= (int32_t) (least << up);
        pairs[job->n_pairs] |= (int32_t) (most << up);
    }
}

CT_INLINE void FN(choose)(scan_job *job)
{
    const ct_children *all = job->all;
    uint32_t n = all->rows->n_classes, wanted = 0;
    int every = n == 2 || n > MOST_PAIRED || all->count_all;
    for (int side = 0; side < 2 && !every; side++) {
        const int32_t *pairs = loss_label_pairs(job, side);
        int64_t need = job->need[side];
        for (uint32_t i = 0; i < n && need > 0; i++, pairs += n)
            for (uint32_t j = i + 1; j < n; j++)
                if (pairs[j] < need) wanted |= UINT32_C(1) << i | UINT32_C(1) << j;
    }
    if (wanted == job->wanted) return; /* what was dropped stays the same, too */
    job->wanted = wanted;
    job->n_active = 0;
    job->dropped[0] = job->dropped[1] = INT64_MAX;
    for (uint32_t k = 0; k < n; k++)
        if (every || wanted >> k & 1) all->active[job->n_active++] = k;
    for (int side = 0; side < 2 && !every; side++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = i + 1; j < n; j++)
                if (!(wanted >> i & wanted >> j & 1) &&
                    loss_label_pairs(job, side)[i * n + j] < job->dropped[side])
                    job->dropped[side] = loss_label_pairs(job, side)[i * n + j];
    loss_fill_gains(job);
}

/* Adds rows of class c to one side: to what labels spare of it and to what pairs of labels cost. */
CT_INLINE void loss_add_class(scan_job *job, uint32_t side, uint32_t c)
{
    const ct_children *all = job->all;
    uint32_t n = all->rows->n_classes, *totals = all->quantised + side * n;
    const int32_t *gains = all->rows->quantised->by_label + c * n;
    uint32_t rows = all->sums[side] ? all->sums[side][c] : all->totals[side][c];
    int32_t *pairs = loss_label_pairs(job, (int) side);
    for (uint32_t i = 0; i < n; i++) {
        totals[i] += rows * (uint32_t) gains[i];
        for (uint32_t j = i + 1; j < n && n <= MOST_PAIRED; j++)
            pairs[i * n + j] += (int32_t) rows * (gains[c] - ct_larger(gains[i], gains[j]));
    }
    job->size[side] += rows * (uint32_t) gains[c];
    job->most_cost[side] += mass_of_class(all, (int) side, c) * all->rows->most[c];
}

static void FN(start)(scan_job *job)
{
    const ct_children *all = job->all;
    uint32_t n = all->rows->n_classes, *kept = (uint32_t *) (void *) all->labels;
    forget_found(job);
    memset(all->quantised, 0, 2 * (size_t) n * sizeof *all->quantised);
    memset(loss_label_pairs(job, 0), 0, 2 * (size_t) n * n * sizeof(int32_t));
    for (uint32_t side = 0; side < 2; side++) {
        job->totals[side] = all->quantised + side * n;
        job->size[side] = 0, job->most_cost[side] = 0;
    }
    job->kept = kept, job->n_kept = 0;
    job->wanted = UINT32_MAX; /* chosen anew */
    for (uint32_t c = 0; c < n; c++) {
        if (all->totals[0][c] + all->totals[1][c] == 0) continue;
        kept[job->n_kept++] = c;
        for (uint32_t side = 0; side < 2; side++) loss_add_class(job, side, c);
    }
    job->n_pairs = (job->n_kept + 3) / 4 * 2;
}

/* ---- the first pass ---- */

/* A side: what the best label spares before the blocks' ends of this vector and of the last one,
 * and behind them; the best bound, and the best score at legal ends. */
typedef struct {
    vec x, rest, last_x, last_rest, top, best_end;
    const uint32_t *totals;
} loss_side;

CT_INLINE loss_side loss_start(const scan_job *job, int side)
{
    const uint32_t *totals = job->totals[side];
    vec lowest = l32_set(INT_MIN / 2);
    int most = 0;
    for (uint32_t a = 0; a < job->n_active; a++)
        most = ct_larger(most, (int) totals[job->all->active[a]]);
    loss_side s = {v_fill(0), v_fill(0), v_fill(0), l32_set(most), lowest, lowest, totals};
    return s;
}

CT_INLINE void loss_add(loss_side *s, vec x, uint32_t label)
{
    s->x = l32_max(s->x, x);
    s->rest = l32_max(s->rest, l32_sub(l32_set((int) s->totals[label]), x));
}

/* Ends a vector of blocks, whose rows spare so much; returns their bounds. */
CT_INLINE vec loss_bound(loss_side *s, vec least, vec most, vec ties)
{
    vec x_start = l32_after(s->x, s->last_x), rest_start = l32_after(s->rest, s->last_rest);
    vec start = l32_add(x_start, rest_start), end = l32_add(s->x, s->rest);
    vec middle = l32_add(v_and(start, end), l32_half(v_xor(start, end))); /* lest the sum not fit */
    middle = l32_add(middle, l32_half(l32_add(l32_sub(most, least), l32_set(1))));
    vec twice = l32_sub(l32_add(s->x, rest_start), least),
        apart = l32_add(l32_add(x_start, s->rest), most);
    vec bound = l32_min(l32_min(twice, apart), middle);
    s->top = l32_max_where(s->top, bound, l32_occupied(ties));
    s->best_end = l32_max_where(s->best_end, end, l32_negative(ties));
    s->last_x = s->x, s->last_rest = s->rest;
    s->x = s->rest = v_fill(0);
    return bound;
}

CT_INLINE vec spared_by_two(const uint64_t *pairs, const int32_t *gains)
{
    vec one = l32_dot(v_load(pairs), l32_set(gains[0])),
        two = l32_dot(v_load(pairs + VEC_WORDS), l32_set(gains[1]));
    return l32_add(one, two);
}

/* What the rows that `pairs` count spare at these gains: n of them, an even number. */
CT_INLINE vec spared(const uint64_t *pairs, uint32_t n, const int32_t *gains)
{
    vec sum = spared_by_two(pairs, gains);
    if (n == 2) return sum;
    sum = l32_add(sum, spared_by_two(pairs + 2 * VEC_WORDS, gains + 2));
    for (uint32_t i = 4; i < n; i += 2)
        sum = l32_add(sum, spared_by_two(pairs + i * VEC_WORDS, gains + i));
    return sum;
}

/* Weighs the members of each class in the vector at w, of the side that `keep` marks and, if `both`
 * are wanted, of the other one. */
CT_INLINE void loss_pairs(const scan_job *job, const row_costs weights, const int both, size_t w,
                          vec keep, uint64_t *pairs, uint64_t *rest_pairs)
{
    const uint64_t *sets = job->sets + w;
    uint64_t *members = job_members(job, 0) + w;
    const uint32_t *classes = job->kept, n = job->n_kept;
    const size_t words = job->words;
    for (uint32_t k = 0; k < n; k += 2, members += 2 * words) {
        vec set = v_load(sets + classes[k] * words), in = v_and(set, keep), other = v_fill(0),
            other_in = other;
        v_store(members, in);
        if (k + 1 < n) {
            other = v_load(sets + classes[k + 1] * words), other_in = v_and(other, keep);
            v_store(members + words, other_in);
        }
        v_store(pairs + k / 2 * VEC_WORDS,
                l32_pair(FN(cost)(weights, in, w), FN(cost)(weights, other_in, w)));
        if (!both) continue;
        vec rest = l32_pair(FN(cost)(weights, v_xor(set, in), w),
                            FN(cost)(weights, v_xor(other, other_in), w));
        v_store(rest_pairs + k / 2 * VEC_WORDS, rest);
    }
}

/* `both`: both sides are wanted, and the left one is counted; else one of them. */
CT_INLINE void loss_count(scan_job *job, const row_costs weights, const int both,
                          const int counted, int top[2])
{
    const size_t words = job->words;
    const uint32_t n_active = job->n_active, n_pairs = job->n_pairs, *active = job->all->active;
    const int32_t *all_gains = loss_gains(job), *least = all_gains + n_active * n_pairs,
                  *most = least + n_pairs;
    uint64_t *before = job_numbers(job), *pairs = before + n_active * VEC_WORDS,
             *rest_pairs = pairs + n_pairs * VEC_WORDS, *all_sums = job_sums(job, 0),
             *bounds = job->all->scratch, *other_bounds = job_other_bounds(job);
    const uint64_t *lanes = job->lanes;
    vec flip = counted ? v_not(v_fill(0)) : v_fill(0);
    loss_side here = loss_start(job, counted), rest = loss_start(job, 1);
    memset(before, 0, (n_active + 2 * n_pairs) * VEC_WORDS * sizeof *before);
    less_than less = less_make(job->planes, words, &job->all->threshold);
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS) {
        const int32_t *gains = all_gains;
        uint64_t *sums = all_sums + w;
        vec ties = v_load(job->ties + w);
        loss_pairs(job, weights, both, w, v_xor(v_less(less, w), flip), pairs, rest_pairs);
        for (uint32_t a = 0; a < n_active; a++, gains += n_pairs, sums += words) {
            uint32_t k = active[a];
            vec x = l32_scan(spared(pairs, n_pairs, gains));
            x = l32_add(x, v_load(before + a * VEC_WORDS));
            v_store(before + a * VEC_WORDS, l32_last(x));
            v_store(sums, x);
            loss_add(&here, x, k);
            if (both) loss_add(&rest, l32_sub(v_load(lanes + k * words + w), x), k);
        }
        v_store(bounds + w, loss_bound(&here, spared(pairs, n_pairs, least),
                                       spared(pairs, n_pairs, most), ties));
        if (both)
            v_store(other_bounds + w, loss_bound(&rest, spared(rest_pairs, n_pairs, least),
                                                 spared(rest_pairs, n_pairs, most), ties));
    }
    top[counted] = l32_top(here.top);
    job->best_end[counted] = l32_top(here.best_end);
    if (!both) return;
    top[1] = l32_top(rest.top);
    job->best_end[1] = l32_top(rest.best_end);
}

/* ---- the second pass ---- */

/* The best score at the legal places of one block where costs in lanes are the full ones, if it is
 * above `limit`: of the labels that may be to the left and to the right of such a place, by what
 * they and any other one spare at the block's ends. Else what splits there spare at most. */
static int loss_block(const scan_job *job, int side, size_t w, unsigned block, int limit)
{
    const unsigned shift = job->all->rows->quantised->shift;
    const uint32_t n = job->n_active, *active = job->all->active;
    size_t at = w * (64 / CT_LANE) + block;
    uint32_t *end = (uint32_t *) (void *) job_spared(job, 3), *rest = end + n;
    uint32_t of_end[2], of_rest[2];
    int closed = 0;
    block_labels l = no_labels(job);
    for (uint32_t a = 0; a < n; a++) {
        end[a] = (uint32_t) NUMBER(job_sums(job, a), at);
        rest[a] = job->totals[side][active[a]] - (uint32_t) FN(sum_before)(job, a, at);
    }
    two_largest(end, n, of_end);
    two_largest(rest, n, of_rest);
    for (uint32_t a = 0; a < n; a++) {
        int left = (int) (end[a] + of_rest[rest[a] == of_rest[0]]),
            right = (int) (rest[a] + of_end[end[a] == of_end[0]]);
        int64_t before = FN(sum_before)(job, a, at);
        if (left > limit) add_label(&l, 0, active[a], before << shift);
        else closed = ct_larger(closed, left);
        if (right > limit) add_label(&l, 1, active[a], (int64_t) rest[a] << shift);
        else closed = ct_larger(closed, right);
    }
    if (!l.n[0] || !l.n[1]) return closed;
    block_rows b;
    rows_in_block(job, 0, CT_LANE, w, block, &b);
    return ct_larger(closed, (int) (best_of_labels(job, &b, l) >> shift));
}

CT_INLINE int FN(block_score)(scan_job *job, int side, size_t w, unsigned block, int limit)
{
    return FN(is_rounded)(job) ? full_score(job, side, w, block)
                               : loss_block(job, side, w, block, limit);
}

#include "exact/kernels/blocks.h"

/* ---- what children.h asks for ---- */

static void FN(first_pass)(scan_job *job, int sides, int64_t error[2])
{
    int top[2] = {0, 0};
    job->turned = 0;
    row_costs weights = row_costs_of(job, 0);
    const row_costs one_each = {NULL, 0, 0, 1};
    if (weights.n_planes == 0 && sides == BOTH) loss_count(job, one_each, 1, 0, top);
    else if (weights.n_planes == 0) loss_count(job, one_each, 0, sides == RIGHT, top);
    else if (sides == BOTH) loss_count(job, weights, 1, 0, top);
    else loss_count(job, weights, 0, sides == RIGHT, top);
    for (int side = 0; side < 2; side++)
        if (job->need[side] > 0) error[side] = (int64_t) job->size[side] - ct_larger(top[side], 0);
}

static int64_t FN(second_pass)(scan_job *job, int side, int derived)
{
    int known = !FN(is_rounded)(job) && !(job->narrowed >> side & 1);
    if (derived && !job->turned) FN(turn)(job);
    job->bounds = derived ? job_other_bounds(job) : job->all->scratch;
    return FN(open)(job, side, known ? job->best_end[side] : CT_LOWEST);
}

#include "exact/kernels/children.h"

/* The lanes of a side, for all labels: see ct_exact_split. */
static void FN(split)(ct_exact_split *s)
{
    size_t words = s->words;
    uint32_t n = s->n_classes;
    const row_costs weights = row_costs_in(s->quantised, s->quantised_planes, words, 0);
    split_sets(s);
    split_costs(s);
    for (uint32_t k = 0; k < n; k++) {
        vec before = v_fill(0);
        for (size_t w = s->begin; w < s->end; w += VEC_WORDS) {
            vec gain = v_fill(0);
            for (uint32_t c = 0; c < n; c++) {
                vec mass = FN(cost)(weights, v_load(s->sets + c * words + w), w),
                    of_row = l32_set(s->quantised->by_label[c * n + k]);
                gain = l32_add(gain, l32_dot(mass, of_row)); /* both fit 16 bits */
            }
            vec x = l32_add(l32_scan(gain), before);
            before = l32_last(x);
            v_store(s->lanes + k * words + w, x);
        }
    }
}

#undef CT_LANE
#undef CT_QUANTISED
#undef CT_KIND
#endif
