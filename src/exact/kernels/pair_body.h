/* Scans with two active classes.
 *
 * With net = (rows of class 0) - (rows of class 1) up to a point, the label pair (0, 1) gets T_1 + net right and the
 * pair (1, 0) gets T_0 - net. Inside a block that ends at `net` and holds a and b rows of the classes, the first is at
 * most T_1 + net + b and the second at most T_0 + a - net.
 *
 * Scratch: bounds of the blocks [words], then [3][words]: members of the two classes and the net at each block's end,
 * of the side that was counted. Where both sides are wanted the left one is counted, and the right one follows by
 * subtraction from the row set's own (`derived`). Of rounded costs no scores are asked for: [2][words] keep net + b and
 * a - net instead of the net. */

CT_INLINE vec FN(pair_bound)(vec u, vec v, const scan_job *job, int side)
{
    const uint32_t *totals = job->totals[side], *active = job->all->active;
    return L(max)(L(add)(u, L(set)((int) totals[active[1]])), L(add)(v, L(set)((int) totals[active[0]])));
}

/* Where the classes' own sets are, and their lanes. */
#define PAIR_SETS(job)                                                          \
    const uint64_t *set0 = (job)->sets + (job)->all->active[0] * (job)->words;  \
    const uint64_t *set1 = (job)->sets + (job)->all->active[1] * (job)->words
#define PAIR_LANES(job)                                                         \
    const uint64_t *lane0 = (job)->lanes + (set0 - (job)->sets);                \
    const uint64_t *lane1 = (job)->lanes + (set1 - (job)->sets)

/* u and v of the whole row set's blocks; `two`: it has two classes altogether. */
CT_INLINE void FN(pair_whole)(const scan_job *job, FN(prices) prices0, FN(prices) prices1, int two, size_t w, vec *u, vec *v)
{
    PAIR_SETS(job);
    PAIR_LANES(job);
    *u = v_load(lane0 + w), *v = v_load(lane1 + w);
    if (two) return;
    vec net = L(sub)(*u, *v);
    *u = L(add)(net, FN(cost)(prices1, v_load(set1 + w), w));
    *v = L(sub)(FN(cost)(prices0, v_load(set0 + w), w), net);
}

/* Leaves the bounds of one side's blocks in the scratch memory, by the u and v that pass 1 has kept there. */
static void FN(kept_bounds)(const scan_job *job, int side, int derived)
{
    uint64_t *bounds = job->all->scratch;
    const uint64_t *us = bounds + 3 * job->words, *vs = us + job->words;
    const uint32_t *active = job->all->active;
    FN(prices) prices0 = FN(prices_of)(job, active[0]), prices1 = FN(prices_of)(job, active[1]);
    int two = job->all->rows->n_classes == 2;
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS) {
        vec u = v_load(us + w), v = v_load(vs + w), u_all, v_all;
        if (derived) {
            FN(pair_whole)(job, prices0, prices1, two, w, &u_all, &v_all);
            u = L(sub)(u_all, u);
            v = L(sub)(v_all, v);
        }
        v_store(bounds + w, FN(pair_bound)(u, v, job, side));
    }
}

/* The same by what is counted; returns the best score at legal block ends, where that is asked for. */
static int FN(pair_bounds)(const scan_job *job, int side, int derived)
{
    if (FN(is_rounded)(job)) {
        FN(kept_bounds)(job, side, derived);
        return CT_LOWEST;
    }
    size_t words = job->words;
    PAIR_SETS(job);
    PAIR_LANES(job);
    uint64_t *bounds = job->all->scratch;
    const uint64_t *in_a = bounds + words, *in_b = in_a + words, *nets = in_b + words;
    const uint32_t *totals = job->totals[side], *active = job->all->active;
    FN(prices) prices0 = FN(prices_of)(job, active[0]), prices1 = FN(prices_of)(job, active[1]);
    vec t0 = L(set)((int) totals[active[0]]), t1 = L(set)((int) totals[active[1]]), best = L(set)(CT_LOWEST);
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS) {
        vec a = v_load(in_a + w), b = v_load(in_b + w), net = v_load(nets + w);
        if (derived) {
            vec of1 = v_load(set1 + w), minus = v_load(lane1 + w);
            if (job->all->rows->n_classes == 2) minus = FN(cost)(prices1, of1, w);
            a = v_xor(a, v_load(set0 + w));
            b = v_xor(b, of1);
            net = L(sub)(L(sub)(v_load(lane0 + w), minus), net);
        }
        best = L(max_where)(best, L(max)(L(add)(t1, net), L(sub)(t0, net)), L(negative)(v_load(job->ties + w)));
        vec u = L(add)(net, FN(cost)(prices1, b, w)), v = L(sub)(FN(cost)(prices0, a, w), net);
        v_store(bounds + w, FN(pair_bound)(u, v, job, side));
    }
    return L(top)(best);
}

/* The best score at the legal positions of one block. */
CT_INLINE int FN(pair_block)(const scan_job *job, int side, int derived, size_t w, unsigned block)
{
    PAIR_SETS(job);
    PAIR_LANES(job);
    const uint64_t *in_a = job->all->scratch + job->words + w, *in_b = in_a + job->words, *nets = in_b + job->words;
    const uint32_t *totals = job->totals[side], *active = job->all->active;
    uint32_t a = FN(block)(in_a, block), b = FN(block)(in_b, block);
    int net = FN(lane)(nets, block), high, low;
    size_t place = FN(place)(w, block);
    if (derived) {
        uint32_t of1 = FN(block)(set1 + w, block);
        int two = job->all->rows->n_classes == 2;
        int minus = two ? FN(block_cost)(job, of1, active[1], place) : FN(lane)(lane1 + w, block);
        a ^= FN(block)(set0 + w, block);
        b ^= of1;
        net = FN(lane)(lane0 + w, block) - minus - net;
    }
    int start = net - FN(block_cost)(job, a, active[0], place) + FN(block_cost)(job, b, active[1], place);
    FN(pair_extremes)(job, a, b, FN(block)(job->ties + w, block), place, &high, &low);
    return ct_larger((int) totals[active[1]] + start + high, (int) totals[active[0]] - start - low);
}

/* The best block bounds of the wanted sides. `two`: the row set has two classes altogether. */
CT_INLINE void FN(pair_count)(const scan_job *job, const int sides, const int two, int top[2])
{
    size_t words = job->words;
    PAIR_SETS(job);
    uint64_t *in_a = job->all->scratch + words, *in_b = in_a + words, *nets = in_b + words;
    const uint32_t *active = job->all->active;
    FN(prices) prices0 = FN(prices_of)(job, active[0]), prices1 = FN(prices_of)(job, active[1]);
    vec lowest = L(set)(CT_LOWEST), before = v_fill(0), u_top = lowest, v_top = lowest, u_rest = lowest, v_rest = lowest;
    const uint64_t *ties = job->ties;
    const int rounded = FN(is_rounded)(job);
    less_than less = less_make(job->planes, words, &job->all->threshold);
    for (size_t w = job->begin, end = job->end; w < end; w += VEC_WORDS) {
        vec keep = v_less(less, w), of0 = v_load(set0 + w), of1 = v_load(set1 + w);
        vec a = sides == RIGHT ? v_and_not(of0, keep) : v_and(of0, keep);
        vec b = sides == RIGHT ? v_and_not(of1, keep) : v_and(of1, keep);
        vec of_a = FN(cost)(prices0, a, w), of_b = FN(cost)(prices1, b, w);
        vec net = L(add)(L(scan)(L(sub)(of_a, of_b)), before), u = L(add)(net, of_b), v = L(sub)(of_a, net);
        MASK legal = L(occupied)(v_load(ties + w));
        before = L(last)(net);
        u_top = L(max_where)(u_top, u, legal);
        v_top = L(max_where)(v_top, v, legal);
        if (sides == BOTH) {
            vec u_all, v_all;
            FN(pair_whole)(job, prices0, prices1, two, w, &u_all, &v_all);
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
