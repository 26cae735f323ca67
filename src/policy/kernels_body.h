/* The kernels for CT_WIDTH lanes, under names that end in that number; or for any, CT_WIDTH being
 * `lanes`, under names that end in "any". Included several times by kernels_isa.h. */
#define CT_JOIN2(a, b) a##b
#define CT_JOIN(a, b) CT_JOIN2(a, b)
#ifdef CT_POLICY_ANY_WIDTH
#define NAME(word) word##_any
#define CT_WIDTH_MOST CT_POLICY_MOST_LANES
#else
#define NAME(word) CT_JOIN(word##_, CT_WIDTH)
#define CT_WIDTH_MOST CT_WIDTH
#endif

#if defined(CT_POLICY_ANY_WIDTH) || CT_WIDTH > 16
CT_ALWAYS void NAME(add)(int32_t *restrict to, const int32_t *restrict from, uint32_t lanes)
{
    const size_t width = CT_WIDTH;
    (void) lanes;
    for (size_t lane = 0; lane < width; lane++) to[lane] += from[lane];
}
#else
/* All lanes of a row, which compilers take apart otherwise. */
typedef int32_t NAME(row) __attribute__((vector_size(4 * CT_WIDTH), aligned(4), may_alias));

CT_ALWAYS void NAME(add)(int32_t *to, const int32_t *from, uint32_t lanes)
{
    (void) lanes;
    *(NAME(row) *) to += *(const NAME(row) *) from;
}
#endif

static void NAME(sweep)(int32_t *restrict sums, const int32_t *restrict costs, const uint32_t *rows,
                        const uint16_t *block, uint32_t begin, uint32_t end, uint32_t lanes)
{
    const size_t width = CT_WIDTH;
    for (size_t i = begin; i < end; i++)
        NAME(add)(sums + block[rows[i]] * width, costs + i * width, lanes);
}

#if defined(CT_POLICY_ANY_WIDTH) || CT_WIDTH > 16
static void NAME(prefix)(const int32_t *restrict sums, uint32_t n_blocks, uint32_t lanes,
                         int32_t *restrict upto)
{
    const size_t width = CT_WIDTH, n = n_blocks * width;
    (void) lanes;
    for (size_t i = 0; i < width && i < n; i++) upto[i] = sums[i];
    for (size_t i = width; i < n; i++) upto[i] = upto[i - width] + sums[i];
}
#else
static void NAME(prefix)(const int32_t *restrict sums, uint32_t n_blocks, uint32_t lanes,
                         int32_t *restrict upto)
{
    const size_t width = CT_WIDTH;
    NAME(row) so_far = {0};
    (void) lanes;
    for (size_t i = 0; i < n_blocks; i++) {
        so_far += *(const NAME(row) *) (sums + i * width);
        *(NAME(row) *) (upto + i * width) = so_far;
    }
}
#endif

static void NAME(scan)(ct_policy_side *s)
{
    const uint32_t lanes = s->lanes;
    const size_t width = CT_WIDTH;
    (void) lanes;
    if (width == 4 && s->lift) {
        scan_pairs(s);
        s->low[0] = 0, s->high[0] = s->low[s->n_blocks];
        return;
    }
    for (size_t i = 0; i < s->n_blocks; i += CT_POLICY_STEP) {
        sum_rows x = from_lane((sum_rows){s->sums, s->all, NULL, NULL}, i * width);
        least_lanes(x, CT_WIDTH, s->low + 1 + i);
        x.total = s->total;
        least_lanes(x, CT_WIDTH, s->high + 1 + i);
        if (!s->lift) continue;
        x.lift = s->lift;
        least_lanes(x, CT_WIDTH, s->high_other + 1 + i);
        x.total = NULL;
        least_lanes(x, CT_WIDTH, s->low_other + 1 + i);
    }
    find_spans(s, width);
    bound_blocks(s);
}

CT_ALWAYS int32_t NAME(split)(const int32_t *restrict sums, const int32_t *restrict total,
                              uint32_t lanes, int32_t *least)
{
    const size_t width = CT_WIDTH;
    int32_t low = INT32_MAX, high = INT32_MAX;
    (void) lanes;
#ifdef CT_QUADS
    if (width == 4) {
        const quad upto = quad_at(sums), rest = quad_less(quad_at(total), upto);
        int32_t leasts[4];
        quad_put(leasts, quad_leasts(upto, rest, upto, rest));
        *least = leasts[0];
        return leasts[0] + leasts[1];
    }
#endif
    for (size_t lane = 0; lane < width; lane++) {
        const int32_t x = sums[lane], rest = total[lane] - x;
        low = x < low ? x : low;
        high = rest < high ? rest : high;
    }
    *least = low;
    return low + high;
}

/* A row changes what a split costs by no more than its span; behind a split, the rows up to it and
 * those behind the block are a part of the sides of any other. */
static int32_t NAME(walk)(const ct_policy_walk *w)
{
    const uint32_t lanes = w->lanes;
    const size_t width = CT_WIDTH;
    int32_t limit = w->limit, value = w->value, *restrict sums = w->sums;
    (void) lanes;
    for (uint32_t begin = 0; begin < w->n; begin += 64) {
        uint64_t members, changes, before = 0;
        walk_masks(w, begin, &members, &changes);
        for (;; members &= members - 1) {
            const uint64_t upto = members ? (members & (0 - members)) - 1 : UINT64_MAX;
            if (value < limit && (changes & upto & ~before)) {
                int32_t low;
                value = NAME(split)(sums, w->total, lanes, &low);
                limit = smaller(value, limit);
                if (low + w->high_end >= limit) return limit;
            }
            if (!members) break;
            const int32_t *restrict costs =
                w->costs + w->rows[begin + (uint32_t) __builtin_ctzll(members)] * width;
            NAME(add)(sums, costs, lanes);
            value -= costs[width - 1];
            before = upto;
        }
    }
    return limit;
}

static int32_t NAME(pairs)(const int32_t *restrict costs, uint32_t n, uint32_t n_actions,
                           uint32_t lanes)
{
    const size_t width = CT_WIDTH;
    int32_t least = INT32_MAX, sums[CT_WIDTH_MOST];
    (void) lanes;
    for (uint32_t a = 0; a < n_actions; a++) {
        for (size_t lane = 0; lane < width; lane++) sums[lane] = 0;
        for (size_t row = 0; row < n; row++)
            for (size_t lane = 0; lane < width; lane++) {
                const int32_t own = costs[row * width + a], x = costs[row * width + lane];
                sums[lane] += x < own ? x : own;
            }
        for (size_t lane = 0; lane < width; lane++) least = smaller(least, sums[lane]);
    }
    return least;
}

#undef CT_WIDTH
#undef CT_WIDTH_MOST
#undef NAME
#undef CT_JOIN
#undef CT_JOIN2
