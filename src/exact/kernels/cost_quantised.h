/* A template, see lane.h: rows cost their weights, or what rows of their class do, in few bits: see
 * ct_quantised. What these functions are for: see classes.h.
 *
 * In lanes of 16 bits quantised costs are exact, and at most CT_COST_LIMIT together; in those of 32
 * bits they may be rounded down. What such scans reject is done then. The others count in full the
 * blocks that may still be better: sums along the order from where the last sum ended, from the
 * beginning or from the end, whichever is nearest, then a block of rows by vectors of 64-bit lanes.
 * What is found takes the place of a score in lanes: the cost, rounded up.
 *
 * A row costs its weight times a number that is the same for all classes, or what rows of its class
 * do. x_k are sums of the former weights, or of the latter, of active class k. Scratch, behind that
 * of classes.h: the x up to the word that was reached (job->reached), then a vector each, those
 * within a block. */
#include "exact/kernels/job.h"
#include "exact/kernels/row_costs.h"

#ifndef CT_KIND
#define CT_LANE 32
#define CT_KIND quantised
#endif

/* By value, like less_than. */
typedef struct {
    const uint64_t *planes;
    size_t words;
    unsigned n_planes; /* 0: all rows cost `gain`, which is below 2^15 (short) or not */
    int is_short;
    vec gain;
} FN(row_costs);

CT_INLINE FN(row_costs)
    FN(costs_in)(const ct_quantised *quantised, const uint64_t *planes, size_t words, uint32_t c)
{
    uint32_t gain = quantised->n_planes ? 0 : quantised->gains[c];
    return (FN(row_costs)){planes, words, quantised->n_planes, gain >> 15 == 0, L(set)((int) gain)};
}

CT_INLINE FN(row_costs) FN(costs_of)(const scan_job *job, uint32_t c)
{
    return FN(costs_in)(job->all->rows->quantised, job->quantised_planes, job->words, c);
}

CT_INLINE FN(row_costs) FN(costs_of_side)(const ct_split *s, uint32_t c)
{
    return FN(costs_in)(s->quantised, s->quantised_planes, s->words, c);
}

CT_INLINE vec FN(cost)(FN(row_costs) costs, vec members, size_t w)
{
    if (costs.n_planes == 0) {
        vec count = L(count)(members);
        return costs.is_short ? L(times_short)(count, costs.gain) : L(times)(count, costs.gain);
    }
    vec sum = v_fill(0);
    for (unsigned i = costs.n_planes; i-- > 0;) {
        vec plane = v_load(costs.planes + i * costs.words + w);
        sum = L(add)(L(add)(sum, sum), L(count)(v_and_not(members, plane)));
    }
    return sum;
}

CT_INLINE int FN(row_cost)(const scan_job *job, uint32_t c, size_t position)
{
    return job->quantised_bytes ? job->quantised_bytes[position]
                                : (int) job->all->rows->quantised->gains[c];
}

CT_INLINE int FN(block_cost)(const scan_job *job, uint32_t members, uint32_t c, size_t position)
{
    if (job->quantised_bytes) return bytes_where(members, job->quantised_bytes + position);
    return (int) (word_count(members) * job->all->rows->quantised->gains[c]);
}

CT_INLINE void FN(extremes16)(const scan_job *job, uint32_t a, uint32_t b, uint32_t ties,
                              size_t position, int *high, int *low)
{
    const uint32_t *active = job->all->active, *gains = job->all->rows->quantised->gains;
    if (job->quantised_bytes)
        extremes16_by_row(a, b, ties, job->quantised_bytes + position, high, low);
    else extremes16_by_class(a, b, ties, (int) gains[active[0]], (int) gains[active[1]], high, low);
}

/* In lanes of 32 bits all fits. In those of 16 a block may cost as much as all rows, and the sum be
 * more than a lane holds where nearly all rows are of one class: then it becomes the largest number
 * of a lane, which is above all costs. */
CT_INLINE vec FN(middle)(vec start, vec end, vec members)
{
    if (CT_LANE == 32) return L(half)(L(add)(L(add)(start, end), members));
    vec both = L(add)(v_and(start, end), L(half)(v_xor(start, end)));
    vec most = L(sub)(L(set)(SHRT_MAX), both);
    return L(add)(both, L(min)(L(half)(L(add)(members, L(set)(1))), most));
}

/* Weights, and where costs are rounded these too. */
static void FN(sum_costs)(const ct_split *s)
{
    uint32_t n_classes = s->n_classes;
    split_masses(s);
    if (!s->sums) return;
    uint32_t *sums = s->sums + s->begin * n_classes;
    for (uint32_t c = 0; c < n_classes; c++) sums[c] = 0;
    for (size_t w = s->begin; w < s->end; w++, sums += n_classes) {
        for (uint32_t c = 0; c < n_classes; c++) {
            uint64_t members = s->sets[c * s->words + w];
            const uint8_t *bytes = s->quantised_bytes + w * 64;
            int sum = bytes_where((uint32_t) members, bytes) +
                      bytes_where((uint32_t) (members >> 32), bytes + 32);
            sums[n_classes + c] = sums[c] + (uint32_t) sum;
        }
    }
}

CT_INLINE void FN(aim_costs)(scan_job *job, uint32_t g)
{
    const ct_rows *rows = job->all->rows;
    size_t planes = rows->quantised->n_planes * rows->words;
    job->weights = rows->weights ? rows->weights + (size_t) g * rows->words * 64 : NULL;
    job->quantised_planes = rows->quantised_planes ? rows->quantised_planes + g * planes : NULL;
    job->quantised_bytes = rows->quantised_bytes ? rows->quantised_bytes + g * rows->words * 64
                                                 : NULL;
}

static void FN(start_costs)(scan_job *job)
{
    const ct_children *all = job->all;
    const ct_quantised *quantised = all->rows->quantised;
    uint32_t n_classes = all->rows->n_classes;
    forget_found(job);
    for (int side = 0; side < 2; side++) {
        uint32_t *totals = all->quantised + (uint32_t) side * n_classes;
        job->totals[side] = totals;
        job->size[side] = 0;
        job->most_cost[side] = 0;
        for (uint32_t c = 0; c < n_classes; c++) {
            if (!quantised->n_planes) totals[c] = all->totals[side][c] * quantised->gains[c];
            else if (quantised->exact)
                totals[c] = (uint32_t) (all->masses[side][c] * class_gain(all, c) >>
                                        quantised->shift);
            else totals[c] = all->sums[side][c];
            job->size[side] += totals[c];
            job->most_cost[side] += full_total(all, side, c);
        }
    }
}

CT_INLINE int64_t FN(own_cost)(const scan_job *job, int64_t cost)
{
    return quantised_up(job, cost);
}

CT_INLINE void FN(in_full)(scan_job *job, const int64_t need[2], int64_t error[2],
                           int64_t allowed[2])
{
    full_errors(job, need, error, allowed);
}

CT_INLINE int FN(is_rounded)(const scan_job *job) { return !job->all->rows->quantised->exact; }

/* ---- full costs ---- */

CT_INLINE int64_t *FN(full_x)(const scan_job *job)
{
    return (int64_t *) (void *) (job->all->scratch + (1 + 2 * (size_t) job->n_active) * job->words);
}

/* The members of active class k in word w of the side. */
CT_INLINE uint64_t FN(full_set)(const scan_job *job, int derived, uint32_t k, size_t w)
{
    uint64_t members = job->all->scratch[(1 + (size_t) k) * job->words + w];
    return derived ? members ^ job->sets[job->all->active[k] * job->words + w] : members;
}

/* What the members of active class k between two words sum up to. */
static int64_t FN(full_sum)(const scan_job *job, int derived, uint32_t k, size_t from, size_t to)
{
    weight_sum sum = weight_sum_of(0);
    int64_t n = 0;
    for (size_t w = from; w < to; w++) {
        uint64_t members = FN(full_set)(job, derived, k, w);
        if (job->weights) sum = weight_sum_add(sum, members, job->weights + 64 * w);
        else n += (int64_t) word_count(members);
    }
    return job->weights ? weight_sum_total(sum) : n * class_gain(job->all, job->all->active[k]);
}

/* The x up to word w. */
static void FN(reach)(scan_job *job, int side, int derived, size_t w)
{
    int64_t *x = FN(full_x)(job);
    size_t way = w < job->reached ? job->reached - w : w - job->reached;
    int from_begin = w - job->begin < way, from_end = job->end - w < way;
    if (from_begin || from_end) {
        from_begin = w - job->begin <= job->end - w;
        for (uint32_t k = 0; k < job->n_active; k++)
            x[k] = from_begin ? 0 : full_total(job->all, side, job->all->active[k]);
        job->reached = from_begin ? job->begin : job->end;
    }
    for (uint32_t k = 0; k < job->n_active; k++) {
        if (w >= job->reached) x[k] += FN(full_sum)(job, derived, k, job->reached, w);
        else x[k] -= FN(full_sum)(job, derived, k, w, job->reached);
    }
    job->reached = w;
}

/* What the rows of active class k from row j of word w on count, one a lane; 0 for those that are
 * not members. */
CT_INLINE vec FN(full_rows)(const scan_job *job, uint64_t members, uint32_t k, size_t w, unsigned j)
{
    vec costs = job->weights ? v_load((const uint64_t *) (const void *) (job->weights + 64 * w + j))
                             : l64_set(class_gain(job->all, job->all->active[k]));
    return l64_where(costs, l64_of_bits(members >> j));
}

/* x of active class k before row `start` of word w. */
CT_INLINE int64_t FN(full_start)(const scan_job *job, uint64_t members, uint32_t k, size_t w,
                                 unsigned start)
{
    int64_t sum = start ? mass_of(members & ct_low_bits(start), weights_at(job->weights, w)) : 0;
    return FN(full_x)(job)[k] +
           (job->weights ? sum : sum * class_gain(job->all, job->all->active[k]));
}

/* What the best split at a legal place of a block spares, from row `start` of word w on. (The same
 * label on both sides is allowed: it is the leaf.) */
static int64_t FN(full_many)(const scan_job *job, int side, int derived, size_t w, unsigned start)
{
    uint64_t *before = (uint64_t *) (void *) (FN(full_x)(job) + job->n_active);
    vec best = v_fill(0);
    for (uint32_t k = 0; k < job->n_active; k++) {
        int64_t x = FN(full_start)(job, FN(full_set)(job, derived, k, w), k, w, start);
        v_store(before + k * VEC_WORDS, l64_set(x));
    }
    for (unsigned j = start; j < start + CT_LANE; j += VEC_WORDS) {
        vec most = v_fill(0), rest = v_fill(0);
        for (uint32_t k = 0; k < job->n_active; k++) {
            vec x = l64_scan(FN(full_rows)(job, FN(full_set)(job, derived, k, w), k, w, j));
            x = l64_add(x, v_load(before + k * VEC_WORDS));
            v_store(before + k * VEC_WORDS, l64_last(x));
            most = l64_max(most, x);
            rest = l64_max(rest,
                           l64_sub(l64_set(full_total(job->all, side, job->all->active[k])), x));
        }
        best = l64_max_where(best, l64_add(most, rest), l64_of_bits(job->ties[w] >> j));
    }
    return l64_top(best);
}

/* As full_many() for two classes, by their net. */
static int64_t FN(full_pair)(const scan_job *job, int side, int derived, size_t w, unsigned start)
{
    const uint32_t *active = job->all->active;
    uint64_t a = FN(full_set)(job, derived, 0, w), b = FN(full_set)(job, derived, 1, w);
    vec t0 = l64_set(full_total(job->all, side, active[0]));
    vec t1 = l64_set(full_total(job->all, side, active[1])), best = v_fill(0);
    vec before = l64_set(FN(full_start)(job, a, 0, w, start) - FN(full_start)(job, b, 1, w, start));
    for (unsigned j = start; j < start + CT_LANE; j += VEC_WORDS) {
        vec net = l64_sub(FN(full_rows)(job, a, 0, w, j), FN(full_rows)(job, b, 1, w, j));
        net = l64_add(l64_scan(net), before);
        before = l64_last(net);
        vec spared = l64_max(l64_add(t1, net), l64_sub(t0, net));
        best = l64_max_where(best, spared, l64_of_bits(job->ties[w] >> j));
    }
    return l64_top(best);
}

/* The score that stands for what a block costs in full. */
static int FN(full_score)(scan_job *job, int side, int derived, size_t w, unsigned block)
{
    unsigned start = block % (64 / CT_LANE) * CT_LANE;
    w += block / (64 / CT_LANE);
    FN(reach)(job, side, derived, w);
    int64_t best = job->n_active == 2 ? FN(full_pair)(job, side, derived, w, start)
                                      : FN(full_many)(job, side, derived, w, start);
    int64_t gain = job->weights ? job->all->rows->most[0] : 1;
    return score_of_found(job, side, (job->most_cost[side] - best) * gain);
}
