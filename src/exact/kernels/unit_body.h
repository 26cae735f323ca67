/* Where a wrong row costs 1: what coarse_body.h says of rows with costs. */

typedef int FN(prices);

CT_INLINE FN(prices) FN(prices_of)(const scan_job *job, uint32_t c) { return (void) job, (void) c, 0; }
CT_INLINE FN(prices) FN(split_prices)(const ct_split *s, uint32_t c) { return (void) s, (void) c, 0; }

CT_INLINE vec FN(cost)(FN(prices) prices, vec members, size_t w)
{
    (void) prices, (void) w;
    return L(count)(members);
}

CT_INLINE int FN(row_cost)(const scan_job *job, uint32_t c, size_t position)
{
    (void) job, (void) c, (void) position;
    return 1;
}

CT_INLINE int FN(block_cost)(const scan_job *job, uint32_t members, uint32_t c, size_t position)
{
    (void) job, (void) c, (void) position;
    return (int) word_count(members);
}

CT_INLINE void FN(pair_extremes)(const scan_job *job, uint32_t a, uint32_t b, uint32_t ties, size_t position, int *high,
                                 int *low)
{
    (void) job, (void) position;
#if CT_LANE == 16
    extremes16(a, b, ties, high, low);
#else
    int net = (int) word_count(a & 0xffff) - (int) word_count(b & 0xffff), high2, low2;
    extremes16(a & 0xffff, b & 0xffff, ties & 0xffff, high, low);
    extremes16(a >> 16, b >> 16, ties >> 16, &high2, &low2);
    *high = ct_larger(*high, net + high2);
    *low = -ct_larger(-*low, -(net + low2));
#endif
}

/* Half of start + end + members, rounded up where the sum may not fit into the lane. */
CT_INLINE vec FN(middle)(vec start, vec end, vec members)
{
#if CT_LANE == 16
    return L(half)(L(add)(L(add)(start, end), members));
#else
    vec both = L(add)(v_and(start, end), L(half)(v_xor(start, end)));
    return L(add)(both, L(half)(L(add)(members, L(set)(1))));
#endif
}

CT_INLINE void FN(split_masses)(const ct_split *s) { (void) s; }

static void FN(begin)(scan_job *job)
{
    for (int side = 0; side < 2; side++) {
        job->totals[side] = job->all->totals[side];
        job->size[side] = job->all->size[side];
    }
}

CT_INLINE void FN(aim_costs)(scan_job *job, uint32_t g) { (void) job, (void) g; }

CT_INLINE int64_t FN(own)(const scan_job *job, int64_t cost)
{
    (void) job;
    return cost;
}

CT_INLINE void FN(settle)(scan_job *job, const int64_t need[2], int64_t error[2], int64_t allowed[2])
{
    (void) job, (void) need, (void) error, (void) allowed;
}
