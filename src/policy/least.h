/* The least lane of each of sixteen rows of some lanes, which lie one after the other: 4, 8, 16 or 32,
 * or any number where there are no vectors. With `all`, of what is left of its rows without
 * these; with `total`, of what is left of it without that; with `lift`, no lane is taken for less. */
#ifndef CT_POLICY_LEAST_H
#define CT_POLICY_LEAST_H

#include <stddef.h>
#include <stdint.h>

#define CT_ALWAYS static inline __attribute__((always_inline))

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
    return width == 4   ? _mm512_broadcast_i32x4(quad_at(x))
           : width == 8 ? _mm512_broadcast_i32x8(_mm256_loadu_si256((const void *) x))
                        : _mm512_loadu_si512(x);
}

CT_ALWAYS __m512i costs512(const int32_t *x, const int32_t *all, const int32_t *total, const int32_t *lift,
                           unsigned width)
{
    __m512i costs = _mm512_loadu_si512(x);
    if (all) costs = _mm512_sub_epi32(_mm512_loadu_si512(all), costs);
    if (total) costs = _mm512_sub_epi32(lanes512(total, width), costs);
    return lift ? _mm512_max_epi32(lanes512(lift, width), costs) : costs;
}

CT_ALWAYS __m512i row512(const int32_t *x, const int32_t *all, const int32_t *total, const int32_t *lift,
                         unsigned width)
{
    const __m512i costs = costs512(x, all, total, lift, width);
    if (width < 32) return costs;
    return _mm512_min_epi32(costs, costs512(x + 16, all ? all + 16 : NULL, total ? total + 16 : NULL,
                                            lift ? lift + 16 : NULL, width));
}

CT_ALWAYS __m512i leasts_at(const int32_t *x, const int32_t *all, const int32_t *total, const int32_t *lift,
                            unsigned width)
{
    const unsigned step = width < 32 ? 16 : 32;
    return leasts512(row512(x, all, total, lift, width), row512(x + step, all ? all + step : NULL, total, lift, width),
                     row512(x + 2 * step, all ? all + 2 * step : NULL, total, lift, width),
                     row512(x + 3 * step, all ? all + 3 * step : NULL, total, lift, width));
}

CT_ALWAYS void least_lanes(const int32_t *x, const int32_t *all, const int32_t *total, const int32_t *lift,
                           const unsigned width, int32_t *least)
{
    const __m512i four = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15),
                  eight = _mm512_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
    const unsigned step = width < 32 ? 64 : 128;
    __m512i a = leasts_at(x, all, total, lift, width), b, c, d;
    if (width == 4) {
        _mm512_storeu_si512(least, _mm512_permutexvar_epi32(four, a));
        return;
    }
    b = leasts_at(x + step, all ? all + step : NULL, total, lift, width);
    if (width == 8) {
        a = _mm512_min_epi32(_mm512_shuffle_i64x2(a, b, 0x88), _mm512_shuffle_i64x2(a, b, 0xdd));
        _mm512_storeu_si512(least, _mm512_permutexvar_epi32(eight, a));
        return;
    }
    c = leasts_at(x + 2 * step, all ? all + 2 * step : NULL, total, lift, width);
    d = leasts_at(x + 3 * step, all ? all + 3 * step : NULL, total, lift, width);
    a = _mm512_min_epi32(_mm512_shuffle_i64x2(a, b, 0x44), _mm512_shuffle_i64x2(a, b, 0xee));
    c = _mm512_min_epi32(_mm512_shuffle_i64x2(c, d, 0x44), _mm512_shuffle_i64x2(c, d, 0xee));
    _mm512_storeu_si512(least, _mm512_min_epi32(_mm512_shuffle_i64x2(a, c, 0x88),
                                                _mm512_shuffle_i64x2(a, c, 0xdd)));
}
#elif defined(CT_QUADS)
CT_ALWAYS quad least_quad(const int32_t *x, const int32_t *all, const int32_t *total, const int32_t *lift,
                          const unsigned width)
{
    quad least = quad_at(x);
    for (unsigned lane = 0; lane < width; lane += 4) {
        quad costs = quad_at(x + lane);
        if (all) costs = quad_less(quad_at(all + lane), costs);
        if (total) costs = quad_less(quad_at(total + lane), costs);
        if (lift) costs = quad_max(quad_at(lift + lane), costs);
        least = lane ? quad_min(least, costs) : costs;
    }
    return least;
}

CT_ALWAYS void least_lanes(const int32_t *x, const int32_t *all, const int32_t *total, const int32_t *lift,
                           const unsigned width, int32_t *least)
{
    for (unsigned row = 0; row < 16; row += 4, x += 4 * width, all = all ? all + 4 * width : NULL)
        quad_put(least + row, quad_leasts(least_quad(x, all, total, lift, width),
                                          least_quad(x + width, all ? all + width : NULL, total, lift, width),
                                          least_quad(x + 2 * width, all ? all + 2 * width : NULL, total, lift, width),
                                          least_quad(x + 3 * width, all ? all + 3 * width : NULL, total, lift, width)));
}
#else
static inline void least_lanes(const int32_t *x, const int32_t *all, const int32_t *total, const int32_t *lift,
                               const unsigned width, int32_t *least)
{
    for (unsigned row = 0; row < 16; row++, x += width, all = all ? all + width : NULL) {
        least[row] = INT32_MAX;
        for (unsigned lane = 0; lane < width; lane++) {
            int32_t cost = all ? all[lane] - x[lane] : x[lane];
            if (total) cost = total[lane] - cost;
            if (lift && lift[lane] > cost) cost = lift[lane];
            if (cost < least[row]) least[row] = cost;
        }
    }
}
#endif

#endif
