/* Scans in lanes where what a row costs depends on its label: see heavy_body.h for what is counted, here in coarse costs
 * (see ct_coarse) of rows without weights.
 *
 * What label k spares of a block is the sum over the classes of (members) * (what k spares of one): the members of two
 * classes lie in one lane, and one multiplication and addition serves both. Summed up along the order of g that is x_k.
 *
 * With i, j of the active labels, a split within a block spares at most
 *   - x_i(end) + T_j - x_j(start), i != j (the same label on both sides is the leaf), less what every row of the block
 *     spares at least, which this counts twice;
 *   - x_i(start) + T_j - x_j(end) and what every row of the block spares at most;
 *   - half of (what one at the start spares + what one at the end spares + what the rows can change by moving over: the
 *     most less the least that each spares).
 *
 * Limits. All rows spare less than 2^29 together, in lanes of 16 bits at most 16000 (CT_LOSS_LIMIT), and none of these
 * bounds more than twice as much. One row spares less than 2^15, in lanes of 16 bits less than 2^7: a block's rows less
 * than 2^20 and 2^11. Labels count from `lowest`, below all sums: adding the largest sum leaves it below 0, and it
 * is never taken twice.
 *
 * Scratch: bounds of the blocks of the side that was counted and of the other one [2][words], members [n_present][words], x
 * [n_active][words]; then what the last words leave for each label, and pairs of counts. */

typedef struct {
    vec x_end, x_start;       /* largest x at the block's ends */
    vec rest_end, rest_start; /* largest T - x at the block's ends */
    vec pairs;                /* largest x_i(end) + T_j - x_j(start), i != j, so far */
} FN(loss_bound);

CT_INLINE FN(loss_bound) FN(loss_start)(void)
{
    vec lowest = L(set)(CT_LOWEST / 2);
    return (FN(loss_bound)){lowest, lowest, lowest, lowest, lowest};
}

CT_INLINE void FN(loss_add)(FN(loss_bound) *b, vec x, vec x_start, vec total)
{
    vec rest = L(sub)(total, x), rest_start = L(sub)(total, x_start);
    b->pairs = L(max)(b->pairs, L(max)(L(add)(x, b->rest_start), L(add)(rest_start, b->x_end)));
    b->x_end = L(max)(b->x_end, x);
    b->x_start = L(max)(b->x_start, x_start);
    b->rest_end = L(max)(b->rest_end, rest);
    b->rest_start = L(max)(b->rest_start, rest_start);
}

/* `least` and `most`: what the block's rows spare under active labels. */
CT_INLINE vec FN(loss_top)(const FN(loss_bound) *b, vec least, vec most)
{
    vec start = L(add)(b->x_start, b->rest_start), end = L(add)(b->x_end, b->rest_end);
    vec middle = L(add)(v_and(start, end), L(half)(v_xor(start, end))); /* their sum may not fit into the lane */
    middle = L(add)(middle, L(half)(L(add)(L(sub)(most, least), L(set)(1))));
    vec apart = L(add)(L(add)(b->x_start, b->rest_end), most);
    return L(min)(L(min)(L(sub)(b->pairs, least), apart), middle);
}

/* ---- scratch ---- */

CT_INLINE uint64_t *FN(loss_members)(const scan_job *job, uint32_t p) { return job->all->scratch + (2 + p) * job->words; }

CT_INLINE uint64_t *FN(loss_x)(const scan_job *job, uint32_t a)
{
    return job->all->scratch + (2 + job->n_present + a) * job->words;
}

/* Vectors: n_active, then those of the pairs; numbers of single blocks when these are no longer needed. */
CT_INLINE uint64_t *FN(loss_rest)(const scan_job *job)
{
    return job->all->scratch + (2 + 2 * (size_t) job->all->rows->n_classes) * job->words;
}

CT_INLINE const uint64_t *FN(bounds)(const scan_job *job, int derived)
{
    return job->all->scratch + (derived ? job->words : 0);
}

/* ---- counting ---- */

/* What the rows that `pairs` count spare at these prices. */
CT_INLINE vec FN(spared)(const uint64_t *pairs, uint32_t n, const int32_t *prices)
{
    vec sum = v_fill(0);
    for (uint32_t i = 0; i < n; i += 2, pairs += 2 * VEC_WORDS) {
        vec one = L(dot)(v_load(pairs), L(set)(prices[i])), two = L(dot)(v_load(pairs + VEC_WORDS), L(set)(prices[i + 1]));
        sum = L(add)(sum, L(add)(one, two));
    }
    return sum;
}

CT_INLINE void FN(loss_count)(scan_job *job, const int sides, int top[2])
{
    const ct_children *all = job->all;
    const uint32_t *classes = label_classes(job);
    const uint32_t n_present = job->n_present, n_active = job->n_active, n_prices = job->n_prices;
    size_t words = job->words;
    uint64_t *before = FN(loss_rest)(job), *pairs = before + n_active * VEC_WORDS;
    const int counted = sides == RIGHT;
    vec lowest = L(set)(CT_LOWEST / 2), zero = v_fill(0);
    vec top_here = lowest, top_rest = lowest, best_here = lowest, best_rest = lowest;
    for (uint32_t a = 0; a < n_active; a++) v_store(before + a * VEC_WORDS, zero);
    for (uint32_t p = n_present / 2; p < n_prices; p++) v_store(pairs + p * VEC_WORDS, zero);
    less_than less = less_make(job->planes, words, &all->threshold);
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS) {
        vec keep = v_less(less, w), ties = v_load(job->ties + w), even = zero, rest_even = zero;
        vec rest_least = zero, rest_most = zero;
        for (uint32_t p = 0; p < n_present; p++) {
            vec set = v_load(job->sets + classes[p] * words + w);
            vec members = counted ? v_and_not(set, keep) : v_and(set, keep);
            vec count = L(count)(members), rest = sides == BOTH ? L(count)(v_xor(set, members)) : zero;
            v_store(FN(loss_members)(job, p) + w, members);
            if (p % 2 == 0) {
                even = count, rest_even = rest;
                if (p + 1 < n_present) continue;
                count = rest = zero;
            }
            v_store(pairs + p / 2 * VEC_WORDS, L(pair)(even, count));
            if (sides != BOTH) continue;
            rest = L(pair)(rest_even, rest);
            rest_least = L(add)(rest_least, L(dot)(rest, L(set)(label_prices(job, n_active)[p / 2])));
            rest_most = L(add)(rest_most, L(dot)(rest, L(set)(label_prices(job, n_active + 1)[p / 2])));
        }
        FN(loss_bound) here = FN(loss_start)(), rest = here;
        for (uint32_t a = 0; a < n_active; a++) {
            const uint64_t *lanes = job->lanes + all->active[a] * words + w;
            vec gain = FN(spared)(pairs, n_prices, label_prices(job, a));
            vec x = L(add)(L(scan)(gain), v_load(before + a * VEC_WORDS)), x_start = L(sub)(x, gain);
            v_store(before + a * VEC_WORDS, L(last)(x));
            v_store(FN(loss_x)(job, a) + w, x);
            FN(loss_add)(&here, x, x_start, L(set)(label_totals(job, counted)[all->active[a]]));
            if (sides != BOTH) continue;
            vec every = v_load(lanes), every_start = L(after)(every, w > job->begin ? v_load(lanes - VEC_WORDS) : zero);
            FN(loss_add)(&rest, L(sub)(every, x), L(sub)(every_start, x_start), L(set)(label_totals(job, 1)[all->active[a]]));
        }
        MASK legal = L(occupied)(ties), at_end = L(negative)(ties);
        vec least = FN(spared)(pairs, n_prices, label_prices(job, n_active));
        vec most = FN(spared)(pairs, n_prices, label_prices(job, n_active + 1));
        vec bound = FN(loss_top)(&here, least, most);
        v_store(all->scratch + w, bound);
        top_here = L(max_where)(top_here, bound, legal);
        best_here = L(max_where)(best_here, L(add)(here.x_end, here.rest_end), at_end);
        if (sides != BOTH) continue;
        bound = FN(loss_top)(&rest, rest_least, rest_most);
        v_store(all->scratch + words + w, bound);
        top_rest = L(max_where)(top_rest, bound, legal);
        best_rest = L(max_where)(best_rest, L(add)(rest.x_end, rest.rest_end), at_end);
    }
    top[counted] = L(top)(top_here);
    job->best_end[counted] = L(top)(best_here);
    if (sides != BOTH) return;
    top[1] = L(top)(top_rest);
    job->best_end[1] = L(top)(best_rest);
}

/* Pass 1: the wanted sides' errors are at least error[]. */
static void FN(first_pass)(scan_job *job, int sides, int64_t error[2])
{
    int top[2] = {0, 0};
    if (sides == LEFT) FN(loss_count)(job, LEFT, top);
    else if (sides == RIGHT) FN(loss_count)(job, RIGHT, top);
    else FN(loss_count)(job, BOTH, top);
    for (int side = 0; side < 2; side++)
        if (job->need[side] > 0) error[side] = (int64_t) job->size[side] - ct_larger(top[side], 0);
}

/* ---- single blocks ---- */

/* The members of class p of those that the sides have, in the words of the vector at w. */
CT_INLINE uint32_t FN(loss_set)(const scan_job *job, int derived, uint32_t p, size_t w, unsigned block)
{
    uint32_t members = FN(block)(FN(loss_members)(job, p) + w, block);
    return derived ? members ^ FN(block)(job->sets + label_classes(job)[p] * job->words + w, block) : members;
}

/* x of active label a at the end of block `place` of the row set's order; 0 before the first. */
CT_INLINE int FN(loss_x_at)(const scan_job *job, int derived, uint32_t a, size_t place)
{
    if (place == SIZE_MAX || place < job->begin * (64 / CT_LANE)) return 0;
    int x = FN(lane)(FN(loss_x)(job, a), (unsigned) place);
    return derived ? FN(lane)(job->lanes + job->all->active[a] * job->words, (unsigned) place) - x : x;
}

/* Of a block, the labels that can be on one side of a split that spares more than `limit`. */
typedef struct {
    uint32_t n[2], *label[2];
    int *x[2];  /* what each spares on its side of the split, at the block's start */
    int closed; /* what splits with other labels spare at most */
} FN(contest);

CT_INLINE FN(contest) FN(loss_contest)(const scan_job *job, int side, int derived, size_t place, int limit)
{
    uint32_t n = job->n_active;
    int *lists = (int *) (void *) FN(loss_rest)(job), *start = lists + 4 * n, *end = start + n;
    FN(contest) c = {{0, 0}, {(uint32_t *) lists, (uint32_t *) lists + n}, {lists + 2 * n, lists + 3 * n}, 0};
    int most = 0, rest = 0;
    for (uint32_t a = 0; a < n; a++) {
        start[a] = FN(loss_x_at)(job, derived, a, place - 1);
        end[a] = FN(loss_x_at)(job, derived, a, place);
        most = ct_larger(most, end[a]);
        rest = ct_larger(rest, label_totals(job, side)[job->all->active[a]] - start[a]);
    }
    for (uint32_t a = 0; a < n; a++) {
        uint32_t label = job->all->active[a];
        int left = end[a] + rest, spared = label_totals(job, side)[label] - start[a], right = spared + most;
        if (left > limit) c.label[0][c.n[0]] = label, c.x[0][c.n[0]++] = start[a];
        else c.closed = ct_larger(c.closed, left);
        if (right > limit) c.label[1][c.n[1]] = label, c.x[1][c.n[1]++] = spared;
        else c.closed = ct_larger(c.closed, right);
    }
    return c;
}

CT_INLINE int FN(most_of)(const int *x, uint32_t n)
{
    int most = x[0];
    for (uint32_t i = 1; i < n; i++) most = ct_larger(most, x[i]);
    return most;
}

/* What the best split at a legal place of a block spares, if that is more than `limit`; else no less, and at most that. */
static int FN(loss_block)(const scan_job *job, int side, int derived, size_t w, unsigned block, int limit)
{
    FN(contest) c = FN(loss_contest)(job, side, derived, w * (64 / CT_LANE) + block, limit);
    uint32_t occupied = 0, ties = FN(block)(job->ties + w, block);
    const int32_t *of[CT_LANE];
    int best = c.closed;
    if (!c.n[0] || !c.n[1]) return best;
    for (uint32_t p = 0; p < job->n_present; p++) {
        uint32_t in = FN(loss_set)(job, derived, p, w, block);
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
        if (ties >> j & 1) best = ct_larger(best, FN(most_of)(c.x[0], c.n[0]) + FN(most_of)(c.x[1], c.n[1]));
    }
    return best;
}

/* ---- in full costs ---- */

CT_INLINE int FN(is_rounded)(const scan_job *job) { return !job->all->rows->coarse->exact; }

/* What the best split at a legal place of a block spares, and what it costs. */
static int64_t FN(full_cost)(const scan_job *job, int side, int derived, size_t w, unsigned block)
{
    uint32_t n = job->all->rows->n_classes;
    int64_t *x = (int64_t *) (void *) FN(loss_rest)(job), *rest = x + job->n_active, best = 0;
    size_t word = w + block / (64 / CT_LANE);
    unsigned start = block % (64 / CT_LANE) * CT_LANE;
    uint64_t ties = job->ties[word] >> start & ct_low_bits(CT_LANE), occupied = 0;
    const int64_t *of[CT_LANE];
    for (uint32_t a = 0; a < job->n_active; a++) x[a] = rest[a] = 0;
    for (uint32_t p = 0; p < job->n_present; p++) {
        uint32_t c = label_classes(job)[p];
        const uint64_t *members = FN(loss_members)(job, p), *sets = job->sets + c * job->words;
        const int64_t *gains = job->all->rows->gains + c * n;
        int64_t count = 0;
        for (size_t i = job->begin; i < word; i++) count += word_count(derived ? members[i] ^ sets[i] : members[i]);
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
    return job->dearest[side] - best;
}

/* The score that stands for what a block costs in full. */
static int FN(full_score)(scan_job *job, int side, int derived, size_t w, unsigned block)
{
    int64_t *found = &job->found[job->confined >> side & 1][side];
    int64_t cost = FN(full_cost)(job, side, derived, w, block);
    if (cost < *found) *found = cost;
    return (int) ((int64_t) job->size[side] - FN(own)(job, cost));
}

/* The score of a block; it matters only if it is above `limit`. */
CT_INLINE int FN(block_score)(scan_job *job, int side, int derived, size_t w, unsigned block, int limit)
{
    int score = FN(loss_block)(job, side, derived, w, block, limit);
    return FN(is_rounded)(job) && score > limit ? FN(full_score)(job, side, derived, w, block) : score;
}

#include "kernels/open_body.h"
#include "kernels/look_body.h"

/* Pass 2 for one side. */
static int64_t FN(refine)(scan_job *job, int side, int derived)
{
    int known = !FN(is_rounded)(job) && !(job->confined >> side & 1);
    return FN(look)(job, side, derived, known ? job->best_end[side] : CT_LOWEST);
}

/* ---- what all scans share ---- */

static void FN(begin)(scan_job *job)
{
    forget(job);
    sum_labels(job);
}

CT_INLINE void FN(know_labels)(scan_job *job)
{
    job->wanted = UINT32_MAX;
    pair_labels(job);
}

CT_INLINE void FN(choose)(scan_job *job) { choose_labels(job, CT_LANE / 2); }

CT_INLINE void FN(aim_costs)(scan_job *job, uint32_t g) { (void) job, (void) g; }

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
                gain = L(add)(gain, L(times_short)(L(count)(v_load(s->sets + c * words + w)),
                                                   L(set)(s->coarse->by_label[c * n + k])));
            vec x = L(add)(L(scan)(gain), before);
            before = L(last)(x);
            v_store(s->lanes + k * words + w, x);
        }
    }
}
