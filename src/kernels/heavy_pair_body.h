/* Scans of two classes where rows do not all cost the same: see heavy_body.h. With two classes a label spares its own class
 * alone; net = x_0 - x_1, and as in pair_body.h the label pair (0, 1) spares T_1 + net, the pair (1, 0) T_0 - net. In the
 * scratch memory the nets take the place of the x. */

/* What the words of a vector weigh, times the gain of their class. */
CT_INLINE vec heavy_masses(vec members, const int64_t *weights, int64_t gain)
{
    uint64_t words[VEC_WORDS];
    if (!weights) return l64_times(l64_count(members), gain);
    v_store(words, members);
    for (size_t i = 0; i < VEC_WORDS; i++) words[i] = (uint64_t) (sum_where(words[i], weights + 64 * i) * gain);
    return v_load(words);
}

/* The x of the row set before each word of a vector: 0 before the first. */
CT_INLINE vec heavy_x_before(const uint64_t *x, size_t begin, size_t w)
{
    uint64_t words[VEC_WORDS];
    if (w > begin) return v_load(x + w - 1);
    words[0] = 0;
    for (size_t i = 1; i < VEC_WORDS; i++) words[i] = x[w + i - 1];
    return v_load(words);
}

CT_INLINE vec heavy_pair_bound(vec net, vec of0, vec of1, vec t0, vec t1)
{
    return l64_max(l64_add(l64_add(net, of1), t1), l64_add(l64_sub(of0, net), t0));
}

CT_INLINE void heavy_pair_count(const scan_job *job, const int sides, int64_t error[2])
{
    size_t words = job->words;
    const uint64_t *set0 = job->sets, *set1 = set0 + words, *x0 = job->lanes, *x1 = x0 + words;
    const int64_t *gains = job->all->rows->gains;
    int counted = sides == RIGHT;
    const int64_t *total = heavy_list(job, TOTALS + (unsigned) counted), *rest = heavy_list(job, TOTALS + 1);
    uint64_t *in_a = heavy_members(job), *in_b = in_a + words, *nets = in_b + words;
    uint64_t *bounds = job->all->scratch + (counted ? words : 0), *other = job->all->scratch + words;
    vec t0 = l64_set(total[0]), t1 = l64_set(total[1]), r0 = l64_set(rest[0]), r1 = l64_set(rest[1]);
    vec before = v_fill(0), top = before, top_rest = before;
    less_than less = less_make(job->planes, words, &job->all->threshold);
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS) {
        vec keep = v_less(less, w), of0 = v_load(set0 + w), of1 = v_load(set1 + w);
        vec a = sides == RIGHT ? v_and_not(of0, keep) : v_and(of0, keep);
        vec b = sides == RIGHT ? v_and_not(of1, keep) : v_and(of1, keep);
        const int64_t *weights = weights_at(job->weights, w);
        vec of_a = heavy_masses(a, weights, gains[0]), of_b = heavy_masses(b, weights, gains[3]);
        vec net = l64_add(l64_scan(l64_sub(of_a, of_b)), before), bound = heavy_pair_bound(net, of_a, of_b, t0, t1);
        mask64 legal = l64_occupied(v_load(job->ties + w));
        before = l64_last(net);
        top = l64_max_where(top, bound, legal);
        v_store(bounds + w, bound);
        v_store(in_a + w, a);
        v_store(in_b + w, b);
        v_store(nets + w, net);
        if (sides != BOTH) continue;
        vec all0 = v_load(x0 + w), all1 = v_load(x1 + w);
        vec rest0 = l64_sub(l64_sub(all0, heavy_x_before(x0, job->begin, w)), of_a);
        vec rest1 = l64_sub(l64_sub(all1, heavy_x_before(x1, job->begin, w)), of_b);
        bound = heavy_pair_bound(l64_sub(l64_sub(all0, all1), net), rest0, rest1, r0, r1);
        top_rest = l64_max_where(top_rest, bound, legal);
        v_store(other + w, bound);
    }
    error[counted] = job->dearest[counted] - l64_top(top);
    if (sides == BOTH) error[1] = job->dearest[1] - l64_top(top_rest);
}

/* The net of the side at the end of word w. */
CT_INLINE int64_t heavy_net(const scan_job *job, int derived, size_t w)
{
    const int64_t *x = (const int64_t *) (const void *) job->lanes;
    int64_t net = heavy_sums(job)[w];
    return derived ? x[w] - x[job->words + w] - net : net;
}

/* What the best split at a legal place of word w spares, if more than `best`; else at most that. Parts of 16 rows are
 * bounded before they are looked into. */
static int64_t heavy_pair_block(const scan_job *job, int side, int derived, size_t w, int64_t best)
{
    enum { PART = 16 };
    const int64_t *total = heavy_list(job, TOTALS + (unsigned) side), *gains = job->all->rows->gains;
    const int64_t *weights = weights_at(job->weights, w);
    uint64_t a = heavy_members(job)[w], b = heavy_members(job)[job->words + w], ties = job->ties[w];
    if (derived) a ^= job->sets[w], b ^= job->sets[job->words + w];
    int64_t net = w > job->begin ? heavy_net(job, derived, w - 1) : 0;
    for (unsigned start = 0; start < 64; start += PART) {
        uint64_t part = UINT64_C(0xffff) << start;
        int64_t of_a = mass_of(a & part, weights) * gains[0], of_b = mass_of(b & part, weights) * gains[3];
        int64_t end = net + of_a - of_b;
        int64_t bound = ct_larger64(total[1] + net + of_a, total[0] - net + of_b);
        int open = (ties & part) != 0 && (bound > best || job->all->refine_all);
        /* after each row: is there a legal place before the next one? */
        uint64_t rest = (a | b) & part, legal = ties & part, passed = part & (0 - part);
        while (open) {
            uint64_t next = rest ? rest & (0 - rest) : part + (part & (0 - part));
            if (legal & (next - passed)) best = ct_larger64(best, ct_larger64(total[1] + net, total[0] - net));
            if (!rest) break;
            unsigned j = ct_trailing_zeros(rest);
            uint64_t is_b = 0 - (b >> j & 1);
            int64_t cost = (weights ? weights[j] : 1) * gains[3 & is_b];
            net += (cost ^ (int64_t) is_b) - (int64_t) is_b; /* minus the cost if it is of b */
            rest &= rest - 1;
            passed = next;
        }
        net = end;
    }
    return best;
}

/* What the best split between two words spares. */
static int64_t heavy_pair_ends(const scan_job *job, int side, int derived)
{
    const int64_t *total = heavy_list(job, TOTALS + (unsigned) side);
    int64_t best = 0;
    for (size_t w = job->begin; w < job->end; w++) {
        if (!(job->ties[w] >> 63)) continue;
        int64_t net = heavy_net(job, derived, w);
        best = ct_larger64(best, ct_larger64(total[1] + net, total[0] - net));
    }
    return best;
}
