/* Scans in coarse costs: see ct_coarse. In lanes of 16 bits these are exact, in those of 32 bits they may not be: what such
 * scans reject is done then, the others are scanned in full costs. The bodies that follow count with these:
 *
 *   cost        what members cost, by lane; w: the vector's first word; prices: those of their class
 *   row_cost    what the row of class c at a place costs, block_cost the members of a block that begins there
 *   middle      see many_body.h
 *   own         a cost in these numbers, rounded up */

/* Kept by value, like less_than. */
typedef struct {
    const uint64_t *planes;
    size_t words;
    unsigned n_planes;
    int is_short; /* without planes: */
    vec gain;
} FN(prices);

CT_INLINE FN(prices) FN(prices_in)(const ct_coarse *coarse, const uint64_t *planes, size_t words, uint32_t c)
{
    uint32_t gain = coarse->n_planes ? 0 : coarse->gains[c];
    return (FN(prices)){planes, words, coarse->n_planes, gain >> 15 == 0, L(set)((int) gain)};
}

CT_INLINE FN(prices) FN(prices_of)(const scan_job *job, uint32_t c)
{
    return FN(prices_in)(job->all->rows->coarse, job->coarse_planes, job->words, c);
}

CT_INLINE FN(prices) FN(split_prices)(const ct_split *s, uint32_t c)
{
    return FN(prices_in)(s->coarse, s->coarse_planes, s->words, c);
}

CT_INLINE vec FN(cost)(FN(prices) p, vec members, size_t w)
{
    if (p.n_planes == 0)
        return p.is_short ? L(times_short)(L(count)(members), p.gain) : L(times)(L(count)(members), p.gain);
    vec sum = v_fill(0);
    for (unsigned i = p.n_planes; i-- > 0;)
        sum = L(add)(L(add)(sum, sum), L(count)(v_and_not(members, v_load(p.planes + i * p.words + w))));
    return sum;
}

CT_INLINE int FN(row_cost)(const scan_job *job, uint32_t c, size_t place)
{
    return job->coarse_bytes ? job->coarse_bytes[place] : (int) job->all->rows->coarse->gains[c];
}

CT_INLINE int FN(block_cost)(const scan_job *job, uint32_t members, uint32_t c, size_t place)
{
    if (job->coarse_bytes) return bytes_where(members, job->coarse_bytes + place);
    return (int) (word_count(members) * job->all->rows->coarse->gains[c]);
}

/* The largest and the smallest (cost of a) - (cost of b) over the prefixes of a block that end at a bit of `ties`. */
CT_INLINE void FN(pair_extremes)(const scan_job *job, uint32_t a, uint32_t b, uint32_t ties, size_t place, int *high,
                                 int *low)
{
    enum { LOW = 0xffff };
    const uint32_t *active = job->all->active, *gains = job->all->rows->coarse->gains;
    const uint8_t *bytes = job->coarse_bytes ? job->coarse_bytes + place : NULL;
    int of_a = bytes ? 0 : (int) gains[active[0]], of_b = bytes ? 0 : (int) gains[active[1]];
    if (bytes) extremes16_by_row(a & LOW, b & LOW, ties & LOW, bytes, high, low);
    else extremes16_by_class(a & LOW, b & LOW, ties & LOW, of_a, of_b, high, low);
#if CT_LANE == 32
    int high2, low2;
    int net = FN(block_cost)(job, a & LOW, active[0], place) - FN(block_cost)(job, b & LOW, active[1], place);
    if (bytes) extremes16_by_row(a >> 16, b >> 16, ties >> 16, bytes + 16, &high2, &low2);
    else extremes16_by_class(a >> 16, b >> 16, ties >> 16, of_a, of_b, &high2, &low2);
    *high = ct_larger(*high, net + high2);
    *low = -ct_larger(-*low, -(net + low2));
#endif
}

/* As in unit_body.h. A block of 16 rows may cost as much as all of them, and the sum more than a lane holds where nearly all
 * rows are of one class: then it becomes the largest number of a lane, which is above all costs. */
CT_INLINE vec FN(middle)(vec start, vec end, vec members)
{
#if CT_LANE == 16
    vec both = L(add)(v_and(start, end), L(half)(v_xor(start, end))), most = L(sub)(L(set)(32767), both);
    return L(add)(both, L(min)(L(half)(L(add)(members, L(set)(1))), most));
#else
    return L(half)(L(add)(L(add)(start, end), members));
#endif
}

CT_INLINE void FN(split_masses)(const ct_split *s)
{
    split_masses(s);
    split_sums(s);
}

static void FN(begin)(scan_job *job)
{
    const ct_children *all = job->all;
    const ct_coarse *coarse = all->rows->coarse;
    uint32_t n_classes = all->rows->n_classes;
    job->size[0] = job->size[1] = 0;
    job->dearest[0] = job->dearest[1] = 0;
    forget(job);
    for (uint32_t c = 0; c < n_classes; c++) {
        int64_t gain = all->rows->gains[c * (n_classes + 1)];
        for (int side = 0; side < 2; side++) {
            uint32_t sum;
            if (!coarse->n_planes) sum = all->totals[side][c] * coarse->gains[c];
            else if (coarse->exact) sum = (uint32_t) (all->masses[side][c] * gain >> coarse->shift);
            else sum = all->sums[side][c];
            all->coarse[(uint32_t) side * n_classes + c] = sum;
            job->size[side] += sum;
            job->dearest[side] += full_total(all, side, c);
        }
    }
    for (int side = 0; side < 2; side++) job->totals[side] = all->coarse + (uint32_t) side * n_classes;
}

CT_INLINE void FN(aim_costs)(scan_job *job, uint32_t g) { aim_costs(job, g); }

#include "exact/kernels/settle_body.h"
