/* What coarse costs cannot reject, in full costs: see ct_coarse.
 *
 * Coarsely, some blocks of a side may hold splits that cost less than is needed. That of the highest bound is looked into in
 * 64 bits, then every other one that, coarsely, may still be better. For that full costs are summed up along the order of g
 * from where the last sum ended, from the beginning or from the end, whichever is nearest. What is found takes the place
 * of a coarse score: the cost, rounded up.
 *
 * A row costs its weight times `gain`, the same for all classes, or what rows of its class do. x_k are sums of the weights
 * or of the latter, of active class k. Scratch, behind that of many_body.h: the x up to the word that was reached
 * (job->reached), then, a vector each, those within a block. */

CT_INLINE int FN(is_rounded)(const scan_job *job) { return !job->all->rows->coarse->exact; }

CT_INLINE int64_t FN(full_gain)(const scan_job *job) { return job->weights ? job->all->rows->gains[0] : 1; }

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
    int64_t count = 0;
    for (size_t w = from; w < to; w++) {
        uint64_t members = FN(full_set)(job, derived, k, w);
        if (job->weights) sum = weight_sum_add(sum, members, job->weights + 64 * w);
        else count += (int64_t) word_count(members);
    }
    return job->weights ? weight_sum_total(sum) : count * class_gain(job->all, job->all->active[k]);
}

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

/* What the rows of active class k from row j of word w on sum up to, one a lane; 0 for those that are not members. */
CT_INLINE vec FN(full_rows)(const scan_job *job, uint64_t members, uint32_t k, size_t w, unsigned j)
{
    vec costs = job->weights ? v_load((const uint64_t *) (const void *) (job->weights + 64 * w + j))
                             : l64_set(class_gain(job->all, job->all->active[k]));
    return l64_where(costs, l64_of_bits(members >> j));
}

/* x of active class k before row `start` of word w. */
CT_INLINE int64_t FN(full_start)(const scan_job *job, uint64_t members, uint32_t k, size_t w, unsigned start)
{
    int64_t sum = start ? mass_of(members & ct_low_bits(start), weights_at(job->weights, w)) : 0;
    return FN(full_x)(job)[k] + (job->weights ? sum : sum * class_gain(job->all, job->all->active[k]));
}

/* What the best split at a legal place of a block spares: 32 rows of word w. The same label on both sides is allowed, it is
 * the leaf. */
static int64_t FN(full_many)(const scan_job *job, int side, int derived, size_t w, unsigned start)
{
    uint64_t *before = (uint64_t *) (void *) (FN(full_x)(job) + job->n_active);
    vec best = v_fill(0);
    for (uint32_t k = 0; k < job->n_active; k++)
        v_store(before + k * VEC_WORDS, l64_set(FN(full_start)(job, FN(full_set)(job, derived, k, w), k, w, start)));
    for (unsigned j = start; j < start + CT_LANE; j += VEC_WORDS) {
        vec most = v_fill(0), rest = v_fill(0);
        for (uint32_t k = 0; k < job->n_active; k++) {
            vec x = l64_scan(FN(full_rows)(job, FN(full_set)(job, derived, k, w), k, w, j));
            x = l64_add(x, v_load(before + k * VEC_WORDS));
            v_store(before + k * VEC_WORDS, l64_last(x));
            most = l64_max(most, x);
            rest = l64_max(rest, l64_sub(l64_set(full_total(job->all, side, job->all->active[k])), x));
        }
        best = l64_max_where(best, l64_add(most, rest), l64_of_bits(job->ties[w] >> j));
    }
    return l64_top(best);
}

/* The same for two classes, as in pair_body.h. */
static int64_t FN(full_pair)(const scan_job *job, int side, int derived, size_t w, unsigned start)
{
    const uint32_t *active = job->all->active;
    uint64_t a = FN(full_set)(job, derived, 0, w), b = FN(full_set)(job, derived, 1, w);
    vec t0 = l64_set(full_total(job->all, side, active[0])), t1 = l64_set(full_total(job->all, side, active[1]));
    vec best = v_fill(0);
    vec before = l64_set(FN(full_start)(job, a, 0, w, start) - FN(full_start)(job, b, 1, w, start));
    for (unsigned j = start; j < start + CT_LANE; j += VEC_WORDS) {
        vec net = l64_sub(FN(full_rows)(job, a, 0, w, j), FN(full_rows)(job, b, 1, w, j));
        net = l64_add(l64_scan(net), before);
        before = l64_last(net);
        best = l64_max_where(best, l64_max(l64_add(t1, net), l64_sub(t0, net)), l64_of_bits(job->ties[w] >> j));
    }
    return l64_top(best);
}

/* The score that stands for what a block costs in full. */
static int FN(full_score)(scan_job *job, int side, int derived, size_t w, unsigned block)
{
    int64_t *found = &job->found[job->confined >> side & 1][side];
    unsigned start = block % (64 / CT_LANE) * CT_LANE;
    w += block / (64 / CT_LANE);
    FN(reach)(job, side, derived, w);
    int64_t best = job->n_active == 2 ? FN(full_pair)(job, side, derived, w, start)
                                      : FN(full_many)(job, side, derived, w, start);
    int64_t cost = (job->dearest[side] - best) * FN(full_gain)(job);
    if (cost < *found) *found = cost;
    return (int) ((int64_t) job->size[side] - FN(own)(job, cost));
}

CT_INLINE int FN(coarse_score)(const scan_job *job, int side, int derived, size_t w, unsigned block);

/* The score of a block; it matters only if it is above `limit`. */
CT_INLINE int FN(block_score)(scan_job *job, int side, int derived, size_t w, unsigned block, int limit)
{
    (void) limit;
    if (job->all->rows->coarse->exact) return FN(coarse_score)(job, side, derived, w, block);
    return FN(full_score)(job, side, derived, w, block);
}

#include "exact/kernels/look_body.h"
