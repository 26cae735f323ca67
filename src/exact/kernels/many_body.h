/* Scans with more than two active classes.
 *
 * With x_c the rows of class c up to a point and T_c those of the side, a split there gets max_i x_i + max_j (T_j - x_j)
 * right. Within a block: at most max over i != j of x_i(end) + T_j - x_j(start) (the same label on both sides is the
 * leaf), and at most half of (score at the start + score at the end + rows of the block), since a row moves the score
 * by at most one.
 *
 * Scratch: bounds of the blocks [words], members [n_active][words] and sums [n_active][words] of the side that was
 * counted (see pair_body.h), then a vector or two numbers a class. Of rounded costs no scores are asked for: the first two
 * sums are the blocks' bounds then, of the side that was counted and of the other one. */

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
            FN(many_add)(&m, x, FN(cost)(FN(prices_of)(job, all->active[k]), members, w),
                         L(set)((int) job->totals[side][all->active[k]]));
        }
        best = L(max_where)(best, L(add)(m.x_end, m.rest_end), L(negative)(v_load(job->ties + w)));
        v_store(all->scratch + w, FN(many_top)(&m));
    }
    return L(top)(best);
}

/* The best score at the legal positions of one block: x grows along the block, T - x grows against it. */
static int FN(many_block)(const scan_job *job, int side, int derived, size_t w, unsigned block)
{
    const ct_children *all = job->all;
    const uint64_t *all_in = all->scratch + job->words + w, *sums = all_in + job->n_active * job->words;
    int32_t *x = (int32_t *) (void *) (all->scratch + (1 + 2 * (size_t) job->n_active) * job->words);
    int32_t *rest = x + job->n_active;
    int best_x = 0, best_rest = 0, best = 0, before[CT_LANE];
    uint32_t of[CT_LANE], occupied = 0;
    size_t place = FN(place)(w, block);
    for (uint32_t k = 0; k < job->n_active; k++) {
        uint32_t in = FN(block)(all_in + k * job->words, block);
        int end = FN(lane)(sums + k * job->words, block);
        if (derived) {
            in ^= FN(block)(job->sets + all->active[k] * job->words + w, block);
            end = FN(lane)(job->lanes + all->active[k] * job->words + w, block) - end;
        }
        x[k] = end - FN(block_cost)(job, in, all->active[k], place);
        rest[k] = (int) job->totals[side][all->active[k]] - end;
        best_x = ct_larger(best_x, x[k]);
        best_rest = ct_larger(best_rest, rest[k]);
        occupied |= in;
        for (; in; in &= in - 1) of[ct_trailing_zeros(in)] = k;
    }
    for (unsigned j = 0; j < CT_LANE; j++) {
        if (occupied >> j & 1) {
            x[of[j]] += FN(row_cost)(job, all->active[of[j]], place + j);
            best_x = ct_larger(best_x, x[of[j]]);
        }
        before[j] = best_x;
    }
    uint32_t ties = FN(block)(job->ties + w, block);
    for (unsigned j = CT_LANE; j-- > 0;) {
        if (ties >> j & 1) best = ct_larger(best, before[j] + best_rest);
        if (!(occupied >> j & 1)) continue;
        rest[of[j]] += FN(row_cost)(job, all->active[of[j]], place + j);
        best_rest = ct_larger(best_rest, rest[of[j]]);
    }
    return best;
}

/* The best block bounds of the wanted sides. */
CT_INLINE void FN(many_count)(const scan_job *job, const int sides, int top[2])
{
    const ct_children *all = job->all;
    size_t words = job->words;
    uint64_t *in = all->scratch + words, *sums = in + job->n_active * words, *before = sums + job->n_active * words;
    int counted = sides == RIGHT, rounded = FN(is_rounded)(job);
    vec top_here = L(set)(CT_LOWEST), top_rest = top_here;
    for (uint32_t k = 0; k < job->n_active; k++) v_store(before + k * VEC_WORDS, v_fill(0));
    less_than less = less_make(job->planes, words, &all->threshold);
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS) {
        vec keep = v_less(less, w);
        FN(many_bound) here = FN(many_start)(), rest = here;
        for (uint32_t k = 0; k < job->n_active; k++) {
            uint32_t c = all->active[k];
            vec set = v_load(job->sets + c * words + w), members = counted ? v_and_not(set, keep) : v_and(set, keep);
            FN(prices) prices = FN(prices_of)(job, c);
            vec count = FN(cost)(prices, members, w), x = L(add)(L(scan)(count), v_load(before + k * VEC_WORDS));
            v_store(before + k * VEC_WORDS, L(last)(x));
            v_store(in + k * words + w, members);
            if (!rounded) v_store(sums + k * words + w, x);
            FN(many_add)(&here, x, count, L(set)((int) job->totals[counted][c]));
            if (sides == BOTH)
                FN(many_add)(&rest, L(sub)(v_load(job->lanes + c * words + w), x), FN(cost)(prices, v_xor(set, members), w),
                             L(set)((int) job->totals[1][c]));
        }
        MASK legal = L(occupied)(v_load(job->ties + w));
        vec here_top = FN(many_top)(&here), rest_top = sides == BOTH ? FN(many_top)(&rest) : here_top;
        top_here = L(max_where)(top_here, here_top, legal);
        if (sides == BOTH) top_rest = L(max_where)(top_rest, rest_top, legal);
        if (!rounded) continue;
        v_store(sums + w, here_top);
        v_store(sums + words + w, rest_top);
    }
    top[counted] = L(top)(top_here);
    if (sides == BOTH) top[1] = L(top)(top_rest);
}

static void FN(many_count_any)(const scan_job *job, int sides, int top[2])
{
    if (sides == LEFT) FN(many_count)(job, LEFT, top);
    else if (sides == RIGHT) FN(many_count)(job, RIGHT, top);
    else FN(many_count)(job, BOTH, top);
}
