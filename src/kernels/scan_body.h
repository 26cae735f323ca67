/* One root threshold against one child feature: see ct_scan.
 *
 * Pass 1 counts each class in each block of the left side, sums the counts up along the order of g, and takes from the
 * sums at a block's two ends an upper bound of the rows that any split inside the block gets right ("score"). The
 * right side follows by subtraction from the row set's own sums. A side whose best block bound leaves at least `need`
 * errors is done: that is its lower bound. Pass 2 looks at scores that are known exactly (at block ends where the
 * value of g changes), then into those blocks whose bound still exceeds the best score, in order.
 *
 * Blocks within which the value of g never changes hold no split and are passed over.
 *
 * Scratch: bounds of the blocks [words]; then, for two active classes, their members in the left side and the net
 * [3][words]; for more, members [n_active][words], sums [n_active][words] and a vector or two numbers a class. */

/* ---- two classes -------------------------------------------------------------------------------------------------
 * With net = (rows of class 0) - (rows of class 1) up to a point, the label pair (0, 1) gets T_1 + net right and the
 * pair (1, 0) gets T_0 - net. Inside a block that ends at `net` and holds a and b rows of the classes, the first is at
 * most T_1 + net + b and the second at most T_0 + a - net. */

CT_INLINE vec FN(pair_bound)(vec u, vec v, const uint32_t *totals, const uint32_t *active)
{
    return L(max)(L(add)(u, L(set)((int) totals[active[1]])), L(add)(v, L(set)((int) totals[active[0]])));
}

/* Leaves the bounds of one side's blocks in the scratch memory; returns the best score at legal block ends. */
static int FN(pair_bounds)(const ct_scan *s, int side)
{
    const uint64_t *in_a = s->scratch + s->words, *in_b = in_a + s->words, *nets = in_b + s->words;
    const uint64_t *set0 = s->sets + s->active[0] * s->words, *lane0 = s->lanes + s->active[0] * s->words;
    const uint64_t *set1 = s->sets + s->active[1] * s->words, *lane1 = s->lanes + s->active[1] * s->words;
    vec t0 = L(set)((int) s->totals[side][s->active[0]]), t1 = L(set)((int) s->totals[side][s->active[1]]);
    vec best = L(set)(CT_LOWEST);
    for (size_t w = s->begin; w < s->end; w += VEC_WORDS) {
        vec a = v_load(in_a + w), b = v_load(in_b + w), net = v_load(nets + w);
        if (side) {
            vec of1 = v_load(set1 + w), minus = s->n_classes == 2 ? L(count)(of1) : v_load(lane1 + w);
            a = v_xor(a, v_load(set0 + w));
            b = v_xor(b, of1);
            net = L(sub)(L(sub)(v_load(lane0 + w), minus), net);
        }
        best = L(max_where)(best, L(max)(L(add)(t1, net), L(sub)(t0, net)), L(negative)(v_load(s->ties + w)));
        v_store(s->scratch + w, FN(pair_bound)(L(add)(net, L(count)(b)), L(sub)(L(count)(a), net), s->totals[side],
                                               s->active));
    }
    return L(top)(best);
}

/* The best score at the legal positions of one block. */
static int FN(pair_block)(const ct_scan *s, int side, size_t w, unsigned block)
{
    const uint64_t *in_a = s->scratch + s->words + w, *in_b = in_a + s->words, *nets = in_b + s->words;
    uint32_t a = FN(block)(in_a, block), b = FN(block)(in_b, block);
    int net = FN(lane)(nets, block), high, low;
    if (side) {
        const uint64_t *lane0 = s->lanes + s->active[0] * s->words + w, *lane1 = s->lanes + s->active[1] * s->words + w;
        uint32_t of1 = FN(block)(s->sets + s->active[1] * s->words + w, block);
        a ^= FN(block)(s->sets + s->active[0] * s->words + w, block);
        b ^= of1;
        net = FN(lane)(lane0, block) - (s->n_classes == 2 ? (int) word_count(of1) : FN(lane)(lane1, block)) - net;
    }
    int start = net - (int) word_count(a) + (int) word_count(b);
    FN(pair_extremes)(a, b, FN(block)(s->ties + w, block), &high, &low);
    return ct_larger((int) s->totals[side][s->active[1]] + start + high,
                     (int) s->totals[side][s->active[0]] - start - low);
}

static void FN(pair_count)(const ct_scan *s, int top[2])
{
    size_t words = s->words;
    const uint64_t *set0 = s->sets + s->active[0] * words, *set1 = s->sets + s->active[1] * words;
    const uint64_t *lane0 = s->lanes + s->active[0] * words, *lane1 = s->lanes + s->active[1] * words;
    uint64_t *in_a = s->scratch + words, *in_b = in_a + words, *nets = in_b + words;
    vec lowest = L(set)(CT_LOWEST), before = v_fill(0);
    vec u_left = lowest, v_left = lowest, u_right = lowest, v_right = lowest;
    for (size_t w = s->begin; w < s->end; w += VEC_WORDS) {
        vec less = v_less(s->planes + w, words, s->threshold), of0 = v_load(set0 + w), of1 = v_load(set1 + w);
        vec a = v_and(less, of0), b = v_and(less, of1), count_a = L(count)(a), count_b = L(count)(b);
        vec net = L(add)(L(scan)(L(sub)(count_a, count_b)), before);
        before = L(last)(net);
        vec u = L(add)(net, count_b), v = L(sub)(count_a, net);
        vec u_all = v_load(lane0 + w), v_all = v_load(lane1 + w);
        if (s->n_classes > 2) {
            vec x0 = u_all, x1 = v_all;
            u_all = L(add)(L(sub)(x0, x1), L(count)(of1));
            v_all = L(add)(L(sub)(x1, x0), L(count)(of0));
        }
        FN(mask) legal = L(occupied)(v_load(s->ties + w));
        u_left = L(max_where)(u_left, u, legal);
        v_left = L(max_where)(v_left, v, legal);
        u_right = L(max_where)(u_right, L(sub)(u_all, u), legal);
        v_right = L(max_where)(v_right, L(sub)(v_all, v), legal);
        v_store(in_a + w, a);
        v_store(in_b + w, b);
        v_store(nets + w, net);
    }
    top[0] = L(top)(FN(pair_bound)(u_left, v_left, s->totals[0], s->active));
    top[1] = L(top)(FN(pair_bound)(u_right, v_right, s->totals[1], s->active));
}

/* ---- more classes ------------------------------------------------------------------------------------------------
 * With x_c the rows of class c up to a point and T_c those of the side, a split there gets max_i x_i + max_j (T_j - x_j)
 * right. Within a block: at most max over i != j of x_i(end) + T_j - x_j(start) (the same label on both sides is the
 * leaf), and at most half of (score at the start + score at the end + rows of the block), since a row moves the score
 * by at most one. */

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
#if CT_LANE == 16
    vec middle = L(half)(L(add)(L(add)(start, end), m->members));
#else /* start + end may not fit into the lane */
    vec middle = L(add)(v_and(start, end), L(half)(v_xor(start, end)));
    middle = L(add)(middle, L(half)(L(add)(m->members, L(set)(1))));
#endif
    return L(min)(m->pairs, middle);
}

static int FN(many_bounds)(const ct_scan *s, int side)
{
    const uint64_t *in = s->scratch + s->words, *sums = in + s->n_active * s->words;
    vec best = L(set)(CT_LOWEST);
    for (size_t w = s->begin; w < s->end; w += VEC_WORDS) {
        FN(many_bound) m = FN(many_start)();
        for (uint32_t k = 0; k < s->n_active; k++) {
            vec members = v_load(in + k * s->words + w), x = v_load(sums + k * s->words + w);
            if (side) {
                members = v_xor(v_load(s->sets + s->active[k] * s->words + w), members);
                x = L(sub)(v_load(s->lanes + s->active[k] * s->words + w), x);
            }
            FN(many_add)(&m, x, L(count)(members), L(set)((int) s->totals[side][s->active[k]]));
        }
        best = L(max_where)(best, L(add)(m.x_end, m.rest_end), L(negative)(v_load(s->ties + w)));
        v_store(s->scratch + w, FN(many_top)(&m));
    }
    return L(top)(best);
}

/* The best score at the legal positions of one block: x grows along the block, T - x grows against it. */
static int FN(many_block)(const ct_scan *s, int side, size_t w, unsigned block)
{
    const uint64_t *all_in = s->scratch + s->words + w, *sums = all_in + s->n_active * s->words;
    int32_t *x = (int32_t *) (void *) (s->scratch + (1 + 2 * (size_t) s->n_active) * s->words);
    int32_t *rest = x + s->n_active;
    int best_x = 0, best_rest = 0, best = 0, before[CT_LANE];
    uint32_t of[CT_LANE], occupied = 0;
    for (uint32_t k = 0; k < s->n_active; k++) {
        uint32_t in = FN(block)(all_in + k * s->words, block);
        int end = FN(lane)(sums + k * s->words, block);
        if (side) {
            in ^= FN(block)(s->sets + s->active[k] * s->words + w, block);
            end = FN(lane)(s->lanes + s->active[k] * s->words + w, block) - end;
        }
        x[k] = end - (int) word_count(in);
        rest[k] = (int) s->totals[side][s->active[k]] - end;
        best_x = ct_larger(best_x, x[k]);
        best_rest = ct_larger(best_rest, rest[k]);
        occupied |= in;
        for (; in; in &= in - 1) of[ct_trailing_zeros(in)] = k;
    }
    for (unsigned j = 0; j < CT_LANE; j++) {
        if (occupied >> j & 1) best_x = ct_larger(best_x, ++x[of[j]]);
        before[j] = best_x;
    }
    uint32_t ties = FN(block)(s->ties + w, block);
    for (unsigned j = CT_LANE; j-- > 0;) {
        if (ties >> j & 1) best = ct_larger(best, before[j] + best_rest);
        if (occupied >> j & 1) best_rest = ct_larger(best_rest, ++rest[of[j]]);
    }
    return best;
}

static void FN(many_count)(const ct_scan *s, int top[2])
{
    size_t words = s->words;
    uint64_t *in = s->scratch + words, *sums = in + s->n_active * words, *before = sums + s->n_active * words;
    vec top_left = L(set)(CT_LOWEST), top_right = top_left;
    for (uint32_t k = 0; k < s->n_active; k++) v_store(before + k * VEC_WORDS, v_fill(0));
    for (size_t w = s->begin; w < s->end; w += VEC_WORDS) {
        vec less = v_less(s->planes + w, words, s->threshold);
        FN(many_bound) left = FN(many_start)(), right = left;
        for (uint32_t k = 0; k < s->n_active; k++) {
            uint32_t c = s->active[k];
            vec set = v_load(s->sets + c * words + w), members = v_and(less, set), count = L(count)(members);
            vec x = L(add)(L(scan)(count), v_load(before + k * VEC_WORDS));
            v_store(before + k * VEC_WORDS, L(last)(x));
            v_store(in + k * words + w, members);
            v_store(sums + k * words + w, x);
            FN(many_add)(&left, x, count, L(set)((int) s->totals[0][c]));
            FN(many_add)(&right, L(sub)(v_load(s->lanes + c * words + w), x), L(count)(v_xor(set, members)),
                         L(set)((int) s->totals[1][c]));
        }
        FN(mask) legal = L(occupied)(v_load(s->ties + w));
        top_left = L(max_where)(top_left, FN(many_top)(&left), legal);
        top_right = L(max_where)(top_right, FN(many_top)(&right), legal);
    }
    top[0] = L(top)(top_left);
    top[1] = L(top)(top_right);
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

/* Pass 2 for one side: the least errors if below `need`, else a lower bound. `best` is the best score that is known
 * exactly, `closed` the best bound of the blocks that were not looked into. */
static int32_t FN(refine)(ct_scan *s, int side)
{
    int size = (int) s->size[side], floor = size - s->need[side], closed = 0;
    int best = s->n_active == 2 ? FN(pair_bounds)(s, side) : FN(many_bounds)(s, side);
    for (size_t w = s->begin; w < s->end; w += VEC_WORDS) {
        vec bounds = v_load(s->scratch + w);
        FN(mask) legal = L(occupied)(v_load(s->ties + w)), open = legal;
        if (!s->refine_all) open = L(both)(legal, L(above)(bounds, L(set)(ct_larger(best, floor))));
        closed = ct_larger(closed, L(top)(L(max_where)(v_fill(0), bounds, L(except)(legal, open))));
        for (uint32_t blocks = L(bits)(open); blocks; blocks &= blocks - 1) {
            unsigned block = ct_trailing_zeros(blocks);
            int bound = FN(lane)(s->scratch + w, block);
            if (bound <= ct_larger(best, floor) && !s->refine_all) {
                closed = ct_larger(closed, bound);
                continue;
            }
            best = ct_larger(best, s->n_active == 2 ? FN(pair_block)(s, side, w, block)
                                                    : FN(many_block)(s, side, w, block));
            s->refined++;
        }
    }
    return size - (best > floor ? best : ct_larger(best, closed));
}

static void FN(scan)(ct_scan *s)
{
    int top[2];
    s->refined = 0;
    if (s->n_active == 2) FN(pair_count)(s, top);
    else FN(many_count)(s, top);
    for (int side = 0; side < 2; side++) {
        if (s->need[side] <= 0) continue;
        s->error[side] = (int32_t) s->size[side] - ct_larger(top[side], 0);
        if (s->error[side] < s->need[side] || s->refine_all) s->error[side] = FN(refine)(s, side);
    }
}
