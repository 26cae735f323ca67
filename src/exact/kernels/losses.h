/* Scans where what a row costs depends on its label: quantised costs (see ct_quantised) of rows
 * without weights, in lanes of 32 bits.
 *
 * What label k spares of a block is the sum over the classes of (members) * (what k spares of one):
 * the members of two classes lie in one lane, and one multiplication and addition serves both.
 * Summed up along the order of the child that is x_k; T_k is that of the whole side.
 *
 * Let x be the largest x_k of the active labels up to some place, rest the largest T_k - x_k. A
 * split within a block spares at most
 *   - x(end) + rest(start), less what every row of the block spares at least, counted twice here;
 *   - x(start) + rest(end) and what every row of the block spares at most;
 *   - half of (x(start) + rest(start) + x(end) + rest(end) + what the rows can change by moving
 *     over: the most less the least that each spares).
 * What holds at the start of a block is what holds at the end of the one before it.
 *
 * Limits. All rows spare less than 2^29 together, and none of these bounds more than twice as much.
 * One row spares less than 2^15, a block's rows less than 2^20.
 *
 * Scratch: bounds of the blocks of the side that was counted and of the other one [2][words],
 * members [n_present][words], x [n_active][words]; then what the last words leave for each label,
 * and pairs of counts. */
#ifndef CT_EXACT_KERNELS_LOSSES_H
#define CT_EXACT_KERNELS_LOSSES_H

#include "exact/kernels/loss_labels.h"
#include "exact/kernels/row_costs.h"

#define CT_LANE 32
#define CT_KIND losses

/* Of the last vector and this one: what the best label spares before the blocks' ends, and behind
 * them. */
typedef struct {
    vec x, rest, last_x, last_rest;
} loss_best;

CT_INLINE loss_best loss_start(const scan_job *job, int side)
{
    const uint32_t *active = job->all->active;
    const int32_t *totals = label_totals(job, side);
    int most = totals[active[0]];
    for (uint32_t a = 1; a < job->n_active; a++) most = ct_larger(most, totals[active[a]]);
    return (loss_best){v_fill(0), v_fill(0), v_fill(0), l32_set(most)};
}

CT_INLINE void loss_add(loss_best *b, vec x, int total)
{
    b->x = l32_max(b->x, x);
    b->rest = l32_max(b->rest, l32_sub(l32_set(total), x));
}

/* The bounds of a vector of blocks. `least` and `most`: what a block's rows spare under active
 * labels. */
CT_INLINE vec loss_top(loss_best *b, vec least, vec most)
{
    vec x_start = l32_after(b->x, b->last_x), rest_start = l32_after(b->rest, b->last_rest);
    vec start = l32_add(x_start, rest_start), end = l32_add(b->x, b->rest);
    vec middle = l32_add(v_and(start, end), l32_half(v_xor(start, end))); /* lest the sum not fit */
    middle = l32_add(middle, l32_half(l32_add(l32_sub(most, least), l32_set(1))));
    vec twice = l32_sub(l32_add(b->x, rest_start), least),
        apart = l32_add(l32_add(x_start, b->rest), most);
    b->last_x = b->x;
    b->last_rest = b->rest;
    return l32_min(l32_min(twice, apart), middle);
}

/* ---- scratch ---- */

CT_INLINE uint64_t *loss_members(const scan_job *job, uint32_t p)
{
    return job->all->scratch + (2 + p) * job->words;
}

CT_INLINE uint64_t *loss_x(const scan_job *job, uint32_t a)
{
    return job->all->scratch + (2 + job->n_present + a) * job->words;
}

/* Vectors: n_active, then those of the pairs; numbers of single blocks when these are no longer
 * needed. */
CT_INLINE uint64_t *loss_rest(const scan_job *job)
{
    return job->all->scratch + (2 + 2 * (size_t) job->all->rows->n_classes) * job->words;
}

CT_INLINE const uint64_t *FN(bounds)(const scan_job *job, int derived)
{
    return job->all->scratch + (derived ? job->words : 0);
}

/* ---- counting ---- */

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

/* What a scan reads and writes, by value: compilers see that no store changes it. */
typedef struct {
    size_t words;
    const uint64_t *sets, *lanes;
    uint64_t *members, *x, *before, *pairs, *rest_pairs;
    const uint32_t *classes, *active;
    const int32_t *gains, *totals[2];
    uint32_t n_present, n_active, n_pairs;
} loss_view;

CT_INLINE loss_view loss_look_at(const scan_job *job, int counted)
{
    uint64_t *before = loss_rest(job), *pairs = before + job->n_active * VEC_WORDS;
    uint64_t *rest_pairs = pairs + job->n_pairs * VEC_WORDS;
    loss_view v = {job->words,
                   job->sets,
                   job->lanes,
                   loss_members(job, 0),
                   loss_x(job, 0),
                   before,
                   pairs,
                   rest_pairs,
                   label_classes(job),
                   job->all->active,
                   label_gain_pairs(job, 0),
                   {label_totals(job, counted), label_totals(job, 1)},
                   job->n_present,
                   job->n_active,
                   job->n_pairs};
    return v;
}

/* Counts the members of each class in the vector at w, of the side that `keep` marks and, where
 * both are wanted, of the other one. */
CT_INLINE void loss_pairs(const loss_view v, const int both, size_t w, vec keep)
{
    const uint64_t *sets = v.sets + w;
    uint64_t *members = v.members + w;
    for (uint32_t p = 0; p < v.n_present; p += 2, members += 2 * v.words) {
        vec set = v_load(sets + v.classes[p] * v.words), in = v_and(set, keep), other = v_fill(0),
            other_in = other;
        v_store(members, in);
        if (p + 1 < v.n_present) {
            other = v_load(sets + v.classes[p + 1] * v.words), other_in = v_and(other, keep);
            v_store(members + v.words, other_in);
        }
        v_store(v.pairs + p / 2 * VEC_WORDS, l32_pair(l32_count(in), l32_count(other_in)));
        if (!both) continue;
        vec rest = l32_pair(l32_count(v_xor(set, in)), l32_count(v_xor(other, other_in)));
        v_store(v.rest_pairs + p / 2 * VEC_WORDS, rest);
    }
}

/* `both`: both sides are wanted, and the left one is counted; else one of them. */
CT_INLINE void loss_count(scan_job *job, const int both, int counted, int top[2])
{
    const loss_view v = loss_look_at(job, counted);
    const uint32_t least_at = v.n_active * v.n_pairs, most_at = least_at + v.n_pairs;
    vec lowest = l32_set(INT_MIN / 2), zero = v_fill(0), flip = counted ? v_not(zero) : zero;
    vec top_here = lowest, top_rest = lowest, best_here = lowest, best_rest = lowest;
    for (uint32_t i = 0; i < v.n_active; i++) v_store(v.before + i * VEC_WORDS, zero);
    for (uint32_t i = 0; i < 2 * v.n_pairs; i++) v_store(v.pairs + i * VEC_WORDS, zero);
    loss_best here = loss_start(job, counted), rest = loss_start(job, 1);
    less_than less = less_make(job->planes, v.words, &job->all->threshold);
    uint64_t *bounds = job->all->scratch;
    const uint64_t *ties = job->ties;
    for (size_t w = job->begin, end = job->end; w < end; w += VEC_WORDS) {
        loss_pairs(v, both, w, v_xor(v_less(less, w), flip));
        here.x = here.rest = rest.x = rest.rest = zero;
        const int32_t *gains = v.gains;
        const uint64_t *lanes = v.lanes + w;
        uint64_t *xs = v.x + w;
        for (uint32_t a = 0; a < v.n_active; a++, gains += v.n_pairs, xs += v.words) {
            vec x = l32_add(l32_scan(spared(v.pairs, v.n_pairs, gains)),
                            v_load(v.before + a * VEC_WORDS));
            v_store(v.before + a * VEC_WORDS, l32_last(x));
            v_store(xs, x);
            loss_add(&here, x, v.totals[0][v.active[a]]);
            if (both)
                loss_add(&rest, l32_sub(v_load(lanes + v.active[a] * v.words), x),
                         v.totals[1][v.active[a]]);
        }
        mask32 legal = l32_occupied(v_load(ties + w)), at_end = l32_negative(v_load(ties + w));
        vec least = spared(v.pairs, v.n_pairs, v.gains + least_at);
        vec bound = loss_top(&here, least, spared(v.pairs, v.n_pairs, v.gains + most_at));
        v_store(bounds + w, bound);
        top_here = l32_max_where(top_here, bound, legal);
        best_here = l32_max_where(best_here, l32_add(here.x, here.rest), at_end);
        if (!both) continue;
        least = spared(v.rest_pairs, v.n_pairs, v.gains + least_at);
        bound = loss_top(&rest, least, spared(v.rest_pairs, v.n_pairs, v.gains + most_at));
        v_store(bounds + v.words + w, bound);
        top_rest = l32_max_where(top_rest, bound, legal);
        best_rest = l32_max_where(best_rest, l32_add(rest.x, rest.rest), at_end);
    }
    top[counted] = l32_top(top_here);
    job->best_end[counted] = l32_top(best_here);
    if (!both) return;
    top[1] = l32_top(top_rest);
    job->best_end[1] = l32_top(best_rest);
}

/* ---- single blocks ---- */

/* The members of class p of those that the sides have, in the words of the vector at w. */
CT_INLINE uint32_t loss_set(const scan_job *job, int derived, uint32_t p, size_t w, unsigned block)
{
    uint32_t members = BLOCK(loss_members(job, p) + w, block);
    return derived ? members ^ BLOCK(job->sets + label_classes(job)[p] * job->words + w, block)
                   : members;
}

/* x of active label a at the end of block `place` of the row set's order; 0 before the first. */
CT_INLINE int loss_x_at(const scan_job *job, int derived, uint32_t a, size_t place)
{
    if (place == SIZE_MAX || place < job->begin * (64 / CT_LANE)) return 0;
    int x = NUMBER(loss_x(job, a), (unsigned) place);
    return derived ? NUMBER(job->lanes + job->all->active[a] * job->words, (unsigned) place) - x
                   : x;
}

/* Of a block, the labels that can be on one side of a split that spares more than `limit`. */
typedef struct {
    uint32_t n[2], *label[2];
    int *x[2];  /* what each spares on its side of the split, at the block's start */
    int closed; /* what splits with other labels spare at most */
} contest;

CT_INLINE contest loss_contest(const scan_job *job, int side, int derived, size_t place, int limit)
{
    uint32_t n = job->n_active;
    int *lists = (int *) (void *) loss_rest(job), *start = lists + 4 * n, *end = start + n;
    uint32_t *labels = (uint32_t *) lists;
    contest c = {{0, 0}, {labels, labels + n}, {lists + 2 * n, lists + 3 * n}, 0};
    two_largest most = {-1, 0, 0}, rest = most;
    for (uint32_t a = 0; a < n; a++) {
        start[a] = loss_x_at(job, derived, a, place - 1);
        end[a] = loss_x_at(job, derived, a, place);
        take_in(&most, (int) a, end[a]);
        take_in(&rest, (int) a, label_totals(job, side)[job->all->active[a]] - start[a]);
    }
    for (uint32_t a = 0; a < n; a++) {
        uint32_t label = job->all->active[a];
        int spared = label_totals(job, side)[label] - start[a];
        int left = end[a] + largest_but(&rest, (int) a),
            right = spared + largest_but(&most, (int) a);
        if (left > limit) c.label[0][c.n[0]] = label, c.x[0][c.n[0]++] = start[a];
        else c.closed = ct_larger(c.closed, left);
        if (right > limit) c.label[1][c.n[1]] = label, c.x[1][c.n[1]++] = spared;
        else c.closed = ct_larger(c.closed, right);
    }
    return c;
}

CT_INLINE int most_of(const int *x, uint32_t n)
{
    int most = x[0];
    for (uint32_t i = 1; i < n; i++) most = ct_larger(most, x[i]);
    return most;
}

/* What the best split at a legal place of a block spares, if that is more than `limit`; else no
 * less, and at most that. */
static int loss_block(const scan_job *job, int side, int derived, size_t w, unsigned block,
                      int limit)
{
    contest c = loss_contest(job, side, derived, w * (64 / CT_LANE) + block, limit);
    uint32_t occupied = 0, ties = BLOCK(job->ties + w, block);
    const int32_t *of[CT_LANE];
    int best = c.closed;
    if (!c.n[0] || !c.n[1]) return best;
    for (uint32_t p = 0; p < job->n_present; p++) {
        uint32_t in = loss_set(job, derived, p, w, block);
        const int32_t *gains = label_gains(job, label_classes(job)[p]);
        occupied |= in;
        for (; in; in &= in - 1) of[ct_trailing_zeros(in)] = gains;
    }
    for (uint32_t rows = occupied | ties; rows; rows &= rows - 1) {
        unsigned j = ct_trailing_zeros(rows);
        if (occupied >> j & 1) {
            for (uint32_t i = 0; i < c.n[0]; i++) c.x[0][i] += of[j][c.label[0][i]];
            for (uint32_t i = 0; i < c.n[1]; i++) c.x[1][i] -= of[j][c.label[1][i]];
        }
        if (ties >> j & 1)
            best = ct_larger(best, most_of(c.x[0], c.n[0]) + most_of(c.x[1], c.n[1]));
    }
    return best;
}

/* ---- in full costs ---- */

CT_INLINE int FN(is_rounded)(const scan_job *job) { return !job->all->rows->quantised->exact; }

/* What the best split at a legal place of a block spares, and what it costs. */
static int64_t full_cost(const scan_job *job, int side, int derived, size_t w, unsigned block)
{
    uint32_t n = job->all->rows->n_classes;
    int64_t *x = (int64_t *) (void *) loss_rest(job), *rest = x + job->n_active, best = 0;
    size_t word = w + block / (64 / CT_LANE);
    unsigned start = block % (64 / CT_LANE) * CT_LANE;
    uint64_t ties = job->ties[word] >> start & ct_low_bits(CT_LANE), occupied = 0;
    const int64_t *of[CT_LANE] = {NULL};
    for (uint32_t a = 0; a < job->n_active; a++) x[a] = rest[a] = 0;
    for (uint32_t p = 0; p < job->n_present; p++) {
        uint32_t c = label_classes(job)[p];
        const uint64_t *members = loss_members(job, p), *sets = job->sets + c * job->words;
        const int64_t *gains = job->all->rows->gains + c * n;
        int64_t count = 0;
        for (size_t i = job->begin; i < word; i++)
            count += word_count(derived ? members[i] ^ sets[i] : members[i]);
        uint64_t last = derived ? members[word] ^ sets[word] : members[word];
        count += word_count(last & ct_low_bits(start));
        for (uint32_t a = 0; a < job->n_active; a++) {
            int64_t gain = gains[job->all->active[a]];
            x[a] += count * gain;
            rest[a] += ((int64_t) job->all->totals[side][c] - count) * gain;
        }
        last = last >> start & ct_low_bits(CT_LANE);
        occupied |= last;
        for (; last; last &= last - 1) of[ct_trailing_zeros(last)] = gains;
    }
    for (uint64_t rows = occupied | ties; rows; rows &= rows - 1) {
        unsigned j = ct_trailing_zeros(rows);
        int64_t most_x = 0, most_rest = 0;
        for (uint32_t a = 0; a < job->n_active; a++) {
            int64_t gain = occupied >> j & 1 ? of[j][job->all->active[a]] : 0;
            x[a] += gain;
            rest[a] -= gain;
            most_x = ct_larger64(most_x, x[a]);
            most_rest = ct_larger64(most_rest, rest[a]);
        }
        if (ties >> j & 1) best = ct_larger64(best, most_x + most_rest);
    }
    return job->most_cost[side] - best;
}

CT_INLINE int FN(block_score)(scan_job *job, int side, int derived, size_t w, unsigned block,
                              int limit)
{
    int score = loss_block(job, side, derived, w, block, limit);
    if (!FN(is_rounded)(job) || score <= limit) return score;
    return score_of_found(job, side, full_cost(job, side, derived, w, block));
}

#include "exact/kernels/blocks.h"

/* ---- what children.h asks for ---- */

static void FN(start)(scan_job *job)
{
    forget_found(job);
    sum_labels(job);
    job->wanted = UINT32_MAX;
    pair_labels(job);
}

CT_INLINE void FN(choose)(scan_job *job) { choose_labels(job); }

CT_INLINE void FN(aim_costs)(scan_job *job, uint32_t g) { (void) job, (void) g; }

CT_INLINE int64_t FN(own_cost)(const scan_job *job, int64_t cost)
{
    return quantised_up(job, cost);
}

static void FN(first_pass)(scan_job *job, int sides, int64_t error[2])
{
    int top[2] = {0, 0};
    if (sides == BOTH) loss_count(job, 1, 0, top);
    else loss_count(job, 0, sides == RIGHT, top);
    for (int side = 0; side < 2; side++)
        if (job->need[side] > 0) error[side] = (int64_t) job->size[side] - ct_larger(top[side], 0);
}

static int64_t FN(second_pass)(scan_job *job, int side, int derived)
{
    int known = !FN(is_rounded)(job) && !(job->narrowed >> side & 1);
    return FN(open)(job, side, derived, known ? job->best_end[side] : CT_LOWEST);
}

CT_INLINE void FN(in_full)(scan_job *job, const int64_t need[2], int64_t error[2],
                           int64_t allowed[2])
{
    full_errors(job, need, error, allowed);
}

#include "exact/kernels/children.h"

/* The lanes of a side, for all labels: see ct_split. */
static void FN(split)(ct_split *s)
{
    size_t words = s->words;
    uint32_t n = s->n_classes;
    split_sets(s);
    for (uint32_t k = 0; k < n; k++) {
        vec before = v_fill(0);
        for (size_t w = s->begin; w < s->end; w += VEC_WORDS) {
            vec gain = v_fill(0);
            for (uint32_t c = 0; c < n; c++)
                gain = l32_add(gain, l32_times_short(l32_count(v_load(s->sets + c * words + w)),
                                                   l32_set(s->quantised->by_label[c * n + k])));
            vec x = l32_add(l32_scan(gain), before);
            before = l32_last(x);
            v_store(s->lanes + k * words + w, x);
        }
    }
}

#undef CT_LANE
#undef CT_KIND
#endif
