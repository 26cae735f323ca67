/* The least lane of each of sixteen rows of 4, 8 or 16 lanes, which lie one after the other. */
#ifndef CT_POLICY_LEAST_H
#define CT_POLICY_LEAST_H

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

CT_ALWAYS __m512i leasts_at(const int32_t *x)
{
    return leasts512(_mm512_loadu_si512(x), _mm512_loadu_si512(x + 16),
                     _mm512_loadu_si512(x + 32), _mm512_loadu_si512(x + 48));
}

CT_ALWAYS void least_lanes(const int32_t *x, const unsigned width, int32_t *least)
{
    const __m512i four = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15),
                  eight = _mm512_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
    __m512i a = leasts_at(x), b, c, d;
    if (width == 4) {
        _mm512_storeu_si512(least, _mm512_permutexvar_epi32(four, a));
        return;
    }
    b = leasts_at(x + 64);
    if (width == 8) {
        a = _mm512_min_epi32(_mm512_shuffle_i64x2(a, b, 0x88), _mm512_shuffle_i64x2(a, b, 0xdd));
        _mm512_storeu_si512(least, _mm512_permutexvar_epi32(eight, a));
        return;
    }
    c = leasts_at(x + 128), d = leasts_at(x + 192);
    a = _mm512_min_epi32(_mm512_shuffle_i64x2(a, b, 0x44), _mm512_shuffle_i64x2(a, b, 0xee));
    c = _mm512_min_epi32(_mm512_shuffle_i64x2(c, d, 0x44), _mm512_shuffle_i64x2(c, d, 0xee));
    _mm512_storeu_si512(least, _mm512_min_epi32(_mm512_shuffle_i64x2(a, c, 0x88),
                                                _mm512_shuffle_i64x2(a, c, 0xdd)));
}
#elif defined(CT_QUADS)
CT_ALWAYS quad least_quad(const int32_t *x, const unsigned width)
{
    quad least = quad_at(x);
    for (unsigned lane = 4; lane < width; lane += 4) least = quad_min(least, quad_at(x + lane));
    return least;
}

CT_ALWAYS void least_lanes(const int32_t *x, const unsigned width, int32_t *least)
{
    for (unsigned row = 0; row < 16; row += 4, x += 4 * width)
        quad_put(least + row, quad_leasts(least_quad(x, width), least_quad(x + width, width),
                                          least_quad(x + 2 * width, width),
                                          least_quad(x + 3 * width, width)));
}
#else
static inline void least_lanes(const int32_t *x, const unsigned width, int32_t *least)
{
    for (unsigned row = 0; row < 16; row++, x += width) {
        least[row] = x[0];
        for (unsigned lane = 1; lane < width; lane++)
            if (x[lane] < least[row]) least[row] = x[lane];
    }
}
#endif

#endif
