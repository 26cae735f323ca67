/* The kernels for CT_WIDTH lanes, a number or `lanes`, under names that end in CT_KIND. Included
 * several times by kernels_isa.h. */
#define CT_JOIN2(a, b) a##b
#define CT_JOIN(a, b) CT_JOIN2(a, b)
#define NAME(word) CT_JOIN(word##_, CT_KIND)
/* what is left of a row before its least lane is looked for */
#define CT_REDUCED (CT_WIDTH < 16 ? CT_WIDTH : 16)

static void NAME(sweep)(int32_t *restrict sums, const int32_t *restrict costs,
                        const uint32_t *rows, const uint16_t *block, uint32_t begin, uint32_t end,
                        uint32_t lanes)
{
    const size_t width = CT_WIDTH;
    (void) lanes;
    for (size_t i = begin; i < end; i++) {
        int32_t *restrict to = sums + block[rows[i]] * width;
        for (size_t lane = 0; lane < width; lane++) to[lane] += costs[i * width + lane];
    }
}

static void NAME(prefix)(const int32_t *restrict sums, const int32_t *restrict all,
                         uint32_t n_blocks, uint32_t lanes, int32_t *restrict left,
                         int32_t *restrict right)
{
    const size_t width = CT_WIDTH, n = n_blocks * width;
    (void) lanes;
    for (size_t i = 0; i < width && i < n; i++) left[i] = sums[i];
    for (size_t i = width; i < n; i++) left[i] = left[i - width] + sums[i];
    for (size_t i = 0; i < n; i++) right[i] = all[i] - left[i];
}

/* The costs of sixteen blocks up to their ends, or from there to the end, in up to sixteen lanes;
 * `lift` is the least that they are taken for. */
CT_ALWAYS void NAME(reduce)(const int32_t *restrict sums, const int32_t *restrict total,
                            const int32_t *restrict lift, uint32_t lanes, int32_t *restrict out)
{
    const size_t width = CT_WIDTH, kept = CT_REDUCED;
    (void) lanes;
    for (size_t row = 0; row < CT_POLICY_STEP; row++, sums += width, out += kept)
        for (size_t from = 0; from < width; from += kept)
            for (size_t lane = 0; lane < kept; lane++) {
                int32_t x = sums[from + lane];
                if (total) x = total[from + lane] - x;
                if (lift && lift[from + lane] > x) x = lift[from + lane];
                out[lane] = from && out[lane] < x ? out[lane] : x;
            }
}

CT_ALWAYS void NAME(leasts)(const int32_t *sums, const int32_t *total, const int32_t *lift,
                            uint32_t lanes, int32_t *least)
{
    int32_t rows[CT_POLICY_STEP * 16];
    NAME(reduce)(sums, total, lift, lanes, rows);
    least_lanes(rows, CT_REDUCED, least);
}

static void NAME(scan)(const ct_policy_side *s)
{
    const uint32_t lanes = s->lanes;
    const size_t width = CT_WIDTH;
    (void) lanes;
    for (size_t i = 0; i < s->n_blocks; i += CT_POLICY_STEP) {
        NAME(leasts)(s->sums + i * width, NULL, NULL, lanes, s->low + 1 + i);
        NAME(leasts)(s->sums + i * width, s->total, NULL, lanes, s->high + 1 + i);
        if (!s->lift) continue;
        NAME(leasts)(s->sums + i * width, NULL, s->lift, lanes, s->low_other + 1 + i);
        NAME(leasts)(s->sums + i * width, s->total, s->lift, lanes, s->high_other + 1 + i);
    }
    bound_blocks(s, width);
}

CT_ALWAYS int32_t NAME(split)(const int32_t *restrict sums, const int32_t *restrict total,
                              uint32_t lanes)
{
    const size_t width = CT_WIDTH;
    int32_t low = INT32_MAX, high = INT32_MAX;
    (void) lanes;
    for (size_t lane = 0; lane < width; lane++) {
        const int32_t x = sums[lane], rest = total[lane] - x;
        low = x < low ? x : low;
        high = rest < high ? rest : high;
    }
    return low + high;
}

/* A row changes what a split costs by no more than its span. */
static int32_t NAME(walk)(const ct_policy_walk *w)
{
    const uint32_t lanes = w->lanes;
    const size_t width = CT_WIDTH;
    int32_t limit = w->limit, value = w->value, *restrict sums = w->sums;
    (void) lanes;
    for (uint32_t i = 0; i + 1 < w->n; i++) {
        if ((w->place[w->rows[i]] < w->cut) == w->left) {
            const int32_t *restrict costs = w->costs + w->rows[i] * width;
            for (size_t lane = 0; lane < width; lane++) sums[lane] += costs[lane];
            value -= costs[width - 1];
        }
        if (!w->last[i] || value >= limit) continue;
        value = NAME(split)(sums, w->total, lanes);
        if (value < limit) limit = value;
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

#undef CT_REDUCED
#undef NAME
#undef CT_JOIN
#undef CT_JOIN2
