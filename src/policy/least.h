/* The least lane of each of sixteen rows of some lanes: 4, 8, 16 or 32, or any number where there
 * are no vectors. */
#ifndef CT_POLICY_LEAST_H
#define CT_POLICY_LEAST_H

#include <stddef.h>
#include <stdint.h>

#define CT_ALWAYS static inline __attribute__((always_inline))

/* Rows that lie one after the other: with `all` not NULL, what is left of its rows without those of
 * `sums`; with `total`, what is left of it without that; with `lift`, no lane is taken for less. */
typedef struct {
    const int32_t *sums, *all, *total, *lift;
} sum_rows;

CT_ALWAYS sum_rows from_lane(sum_rows x, size_t lane)
{
    x.sums += lane;
    if (x.all) x.all += lane;
    return x;
}

#if defined(CT_VEC_AVX512) || defined(CT_VEC_AVX2)
#include <immintrin.h>
typedef __m128i quad;

CT_ALWAYS quad quad_at(const int32_t *x)
{
    return _mm_loadu_si128((const __m128i *) (const void *) x);
}
CT_ALWAYS void quad_put(int32_t *x, quad a) { _mm_storeu_si128((__m128i *) (void *) x, a); }
CT_ALWAYS quad quad_min(quad a, quad b) { return _mm_min_epi32(a, b); }
CT_ALWAYS quad quad_max(quad a, quad b) { return _mm_max_epi32(a, b); }
CT_ALWAYS quad quad_less(quad a, quad b) { return _mm_sub_epi32(a, b); }
/* The least lane of each of four. */
CT_ALWAYS quad quad_leasts(quad a, quad b, quad c, quad d)
{
    a = _mm_min_epi32(_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
    c = _mm_min_epi32(_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d));
    return _mm_min_epi32(_mm_unpacklo_epi64(a, c), _mm_unpackhi_epi64(a, c));
}
#define CT_QUADS
#elif defined(CT_VEC_NEON)
#include <arm_neon.h>
typedef int32x4_t quad;

CT_ALWAYS quad quad_at(const int32_t *x) { return vld1q_s32(x); }
CT_ALWAYS void quad_put(int32_t *x, quad a) { vst1q_s32(x, a); }
CT_ALWAYS quad quad_min(quad a, quad b) { return vminq_s32(a, b); }
CT_ALWAYS quad quad_max(quad a, quad b) { return vmaxq_s32(a, b); }
CT_ALWAYS quad quad_less(quad a, quad b) { return vsubq_s32(a, b); }
CT_ALWAYS quad quad_leasts(quad a, quad b, quad c, quad d)
{
    return vpminq_s32(vpminq_s32(a, b), vpminq_s32(c, d));
}
#define CT_QUADS
#endif

#ifdef CT_VEC_AVX512
/* Of four vectors the least lanes of their quarters: those of a in the first lanes of each. */
CT_ALWAYS __m512i leasts512(__m512i a, __m512i b, __m512i c, __m512i d)
{
    a = _mm512_min_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    c = _mm512_min_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    return _mm512_min_epi32(_mm512_unpacklo_epi64(a, c), _mm512_unpackhi_epi64(a, c));
}

/* Sixteen lanes from some lane on: of as many rows as that are. */
CT_ALWAYS __m512i lanes512(const int32_t *x, unsigned width)
{
    if (width == 4) return _mm512_broadcast_i32x4(quad_at(x));
    if (width >= 16) return _mm512_loadu_si512(x);
    return _mm512_broadcast_i32x8(_mm256_loadu_si256((const __m256i *) (const void *) x));
}

CT_ALWAYS __m512i costs512(sum_rows x, size_t lane, unsigned width)
{
    __m512i costs = _mm512_loadu_si512(x.sums + lane);
    if (x.all) costs = _mm512_sub_epi32(_mm512_loadu_si512(x.all + lane), costs);
    lane %= width;
    if (x.total) costs = _mm512_sub_epi32(lanes512(x.total + lane, width), costs);
    return x.lift ? _mm512_max_epi32(lanes512(x.lift + lane, width), costs) : costs;
}

CT_ALWAYS __m512i row512(sum_rows x, unsigned row, unsigned width)
{
    if (width < 32) return costs512(x, row * 16, width);
    return _mm512_min_epi32(costs512(x, row * 32, width), costs512(x, row * 32 + 16, width));
}

/* The least lanes of four vectors from `at` on. */
CT_ALWAYS __m512i leasts_at(sum_rows x, unsigned at, unsigned width)
{
    return leasts512(row512(x, at, width), row512(x, at + 1, width), row512(x, at + 2, width),
                     row512(x, at + 3, width));
}

CT_ALWAYS void least_lanes(sum_rows x, const unsigned width, int32_t *least)
{
    const __m512i four = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15),
                  eight = _mm512_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
    __m512i a = leasts_at(x, 0, width), b, c, d;
    if (width == 4) {
        _mm512_storeu_si512(least, _mm512_permutexvar_epi32(four, a));
        return;
    }
    b = leasts_at(x, 4, width);
    if (width == 8) {
        a = _mm512_min_epi32(_mm512_shuffle_i64x2(a, b, 0x88), _mm512_shuffle_i64x2(a, b, 0xdd));
        _mm512_storeu_si512(least, _mm512_permutexvar_epi32(eight, a));
        return;
    }
    c = leasts_at(x, 8, width), d = leasts_at(x, 12, width);
    a = _mm512_min_epi32(_mm512_shuffle_i64x2(a, b, 0x44), _mm512_shuffle_i64x2(a, b, 0xee));
    c = _mm512_min_epi32(_mm512_shuffle_i64x2(c, d, 0x44), _mm512_shuffle_i64x2(c, d, 0xee));
    _mm512_storeu_si512(least, _mm512_min_epi32(_mm512_shuffle_i64x2(a, c, 0x88),
                                                _mm512_shuffle_i64x2(a, c, 0xdd)));
}
#elif defined(CT_QUADS)
CT_ALWAYS quad least_quad(sum_rows x, const unsigned row, const unsigned width)
{
    const size_t at = (size_t) row * width;
    quad least = quad_at(x.sums + at);
    for (unsigned lane = 0; lane < width; lane += 4) {
        quad costs = quad_at(x.sums + at + lane);
        if (x.all) costs = quad_less(quad_at(x.all + at + lane), costs);
        if (x.total) costs = quad_less(quad_at(x.total + lane), costs);
        if (x.lift) costs = quad_max(quad_at(x.lift + lane), costs);
        least = lane ? quad_min(least, costs) : costs;
    }
    return least;
}

CT_ALWAYS void least_lanes(sum_rows x, const unsigned width, int32_t *least)
{
    for (unsigned row = 0; row < 16; row += 4)
        quad_put(least + row,
                 quad_leasts(least_quad(x, row, width), least_quad(x, row + 1, width),
                             least_quad(x, row + 2, width), least_quad(x, row + 3, width)));
}
#else
static inline void least_lanes(sum_rows x, const unsigned width, int32_t *least)
{
    for (unsigned row = 0; row < 16; row++, x = from_lane(x, width)) {
        least[row] = INT32_MAX;
        for (unsigned lane = 0; lane < width; lane++) {
            int32_t cost = x.all ? x.all[lane] - x.sums[lane] : x.sums[lane];
            if (x.total) cost = x.total[lane] - cost;
            if (x.lift && x.lift[lane] > cost) cost = x.lift[lane];
            if (cost < least[row]) least[row] = cost;
        }
    }
}
#endif

#endif
