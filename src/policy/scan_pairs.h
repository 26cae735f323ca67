/* The scan of a side with up to three actions, which have four lanes: splits inside of a block are
 * bounded for each two different actions by themselves, one below the split and one above. Who
 * takes the same on both sides has made no split. */
#ifndef CT_POLICY_SCAN_PAIRS_H
#define CT_POLICY_SCAN_PAIRS_H

#include "policy/kernels.h"
#include "policy/least.h"

#ifdef CT_VEC_AVX512
/* Actions, and the spans: of sixteen blocks. */
typedef struct {
    __m512i of[4];
} block_sums;

/* Up to the end of each of sixteen blocks, lane by lane. */
CT_ALWAYS block_sums transpose_blocks(const ct_policy_side *s, size_t block)
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const sum_rows x = from_lane((sum_rows){s->sums, s->all, NULL, NULL}, 4 * block);
    const __m512i a = costs512(x, 0, 4), b = costs512(x, 16, 4), c = costs512(x, 32, 4),
                  d = costs512(x, 48, 4);
    const __m512i low = _mm512_unpacklo_epi32(a, b), high = _mm512_unpackhi_epi32(a, b),
                  low_2 = _mm512_unpacklo_epi32(c, d), high_2 = _mm512_unpackhi_epi32(c, d);
    block_sums transposed = {{_mm512_unpacklo_epi64(low, low_2), _mm512_unpackhi_epi64(low, low_2),
                          _mm512_unpacklo_epi64(high, high_2),
                          _mm512_unpackhi_epi64(high, high_2)}};
    for (int lane = 0; lane < 4; lane++)
        transposed.of[lane] = _mm512_permutexvar_epi32(order, transposed.of[lane]);
    return transposed;
}

CT_ALWAYS __m512i least_action(block_sums x)
{
    return _mm512_min_epi32(_mm512_min_epi32(x.of[0], x.of[1]), x.of[2]);
}

/* From the sums at the beginning and the end of blocks: of the rows behind, too. */
CT_ALWAYS __m512i bound_pairs(block_sums begin, block_sums end, block_sums behind_begin,
                              block_sums behind_end)
{
    const __m512i span = _mm512_sub_epi32(end.of[3], begin.of[3]);
    __m512i least = _mm512_set1_epi32(INT32_MAX);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            if (a == b) continue;
            const __m512i outer = _mm512_add_epi32(begin.of[a], behind_end.of[b]),
                          inner = _mm512_add_epi32(end.of[a], behind_begin.of[b]);
            least = _mm512_min_epi32(least, _mm512_max_epi32(outer, _mm512_sub_epi32(inner, span)));
        }
    return least;
}

static void scan_pairs(ct_policy_side *s)
{
    const __m512i most = _mm512_set1_epi32(INT32_MAX);
    __m512i least_end = most, least_inside = most;
    block_sums last = {{_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(),
                        _mm512_setzero_si512()}};
    for (size_t i = 0; i < s->n_blocks; i += CT_POLICY_STEP) {
        const size_t n = s->n_blocks - i;
        const __mmask16 there = (__mmask16) (n < CT_POLICY_STEP ? (1U << n) - 1 : 0xffffU);
        const block_sums end = transpose_blocks(s, i);
        block_sums begin, behind_begin, behind_end;
        for (int lane = 0; lane < 4; lane++) {
            const __m512i total = _mm512_set1_epi32(s->total[lane]);
            begin.of[lane] = _mm512_alignr_epi32(end.of[lane], last.of[lane], 15);
            behind_begin.of[lane] = _mm512_sub_epi32(total, begin.of[lane]);
            behind_end.of[lane] = _mm512_sub_epi32(total, end.of[lane]);
        }
        const __m512i low = least_action(end), high = least_action(behind_end),
                      closed = _mm512_mask_loadu_epi32(most, there, s->closed + i),
                      bound = bound_pairs(begin, end, behind_begin, behind_end),
                      inside = _mm512_max_epi32(closed, bound);
        _mm512_storeu_si512(s->low + 1 + i, low);
        _mm512_storeu_si512(s->high + 1 + i, high);
        _mm512_storeu_si512(s->inside + i, inside);
        least_end = _mm512_mask_min_epi32(least_end, there, least_end, _mm512_add_epi32(low, high));
        least_inside = _mm512_min_epi32(least_inside, inside);
        last = end;
    }
    s->least_end = _mm512_reduce_min_epi32(least_end);
    s->least_inside = _mm512_reduce_min_epi32(least_inside);
}
#else
/* Up to the end of a block, and of the rows behind it. */
static inline void sums_at(const ct_policy_side *s, size_t block, int32_t *restrict upto,
                           int32_t *restrict behind)
{
    for (size_t lane = 0, at = 4 * block; lane < 4; lane++, at++) {
        upto[lane] = s->all ? s->all[at] - s->sums[at] : s->sums[at];
        behind[lane] = s->total[lane] - upto[lane];
    }
}

static inline int32_t least_action(const int32_t *x)
{
    const int32_t least = x[0] < x[1] ? x[0] : x[1];
    return least < x[2] ? least : x[2];
}

static inline int32_t bound_pairs(const int32_t *begin, const int32_t *end,
                                  const int32_t *behind_begin, const int32_t *behind_end)
{
    const int32_t span = end[3] - begin[3];
    int32_t least = INT32_MAX;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            const int32_t outer = begin[a] + behind_end[b], inner = end[a] + behind_begin[b] - span,
                          bound = outer > inner ? outer : inner;
            if (a != b && bound < least) least = bound;
        }
    return least;
}

static void scan_pairs(ct_policy_side *s)
{
    int32_t upto[2][4] = {{0}}, behind[2][4];
    s->least_end = s->least_inside = INT32_MAX;
    for (size_t lane = 0; lane < 4; lane++) behind[1][lane] = s->total[lane];
    for (size_t i = 0; i < s->n_blocks; i++) {
        const size_t now = i & 1;
        sums_at(s, i, upto[now], behind[now]);
        s->low[i + 1] = least_action(upto[now]);
        s->high[i + 1] = least_action(behind[now]);
        const int32_t at_end = s->low[i + 1] + s->high[i + 1],
                      bound = bound_pairs(upto[1 - now], upto[now], behind[1 - now], behind[now]);
        s->inside[i] = bound > s->closed[i] ? bound : s->closed[i];
        if (at_end < s->least_end) s->least_end = at_end;
        if (s->inside[i] < s->least_inside) s->least_inside = s->inside[i];
    }
}
#endif

#endif
