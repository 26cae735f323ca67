/* The vocabulary of vec_scalar.h on 256-bit vectors. */
#ifndef CT_KERNELS_VEC_AVX2_H
#define CT_KERNELS_VEC_AVX2_H

#include "kernels/vec_x86.h"

enum { VEC_WORDS = 4 };
typedef __m256i vec;
typedef __m256i mask16;
typedef __m256i mask32;

CT_INLINE vec v_load(const uint64_t *words) { return _mm256_loadu_si256((const __m256i *) words); }
CT_INLINE void v_store(uint64_t *words, vec a) { _mm256_storeu_si256((__m256i *) words, a); }
CT_INLINE vec v_and(vec a, vec b) { return _mm256_and_si256(a, b); }
CT_INLINE vec v_and_not(vec a, vec b) { return _mm256_andnot_si256(b, a); }
CT_INLINE vec v_or(vec a, vec b) { return _mm256_or_si256(a, b); }
CT_INLINE vec v_xor(vec a, vec b) { return _mm256_xor_si256(a, b); }
CT_INLINE vec v_not(vec a) { return _mm256_xor_si256(a, _mm256_set1_epi32(-1)); }
CT_INLINE vec v_fill(uint64_t word) { return _mm256_set1_epi64x((long long) word); }
CT_INLINE vec v_majority(vec a, vec b, vec s) { return v_or(v_and(a, b), v_and(s, v_or(a, b))); }
CT_INLINE int v_any(vec a) { return !_mm256_testz_si256(a, a); }

CT_INLINE vec v_bytes_count(vec a)
{
    const vec table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2,
                                       3, 2, 3, 3, 4);
    const vec low = _mm256_set1_epi8(15);
    return _mm256_add_epi8(_mm256_shuffle_epi8(table, v_and(a, low)),
                           _mm256_shuffle_epi8(table, v_and(_mm256_srli_epi16(a, 4), low)));
}
CT_INLINE vec l16_count(vec a) { return _mm256_maddubs_epi16(v_bytes_count(a), _mm256_set1_epi8(1)); }
CT_INLINE vec l32_count(vec a) { return _mm256_madd_epi16(l16_count(a), _mm256_set1_epi16(1)); }

#define LANE_OPS(L)                                                                                               \
    CT_INLINE vec l##L##_add(vec a, vec b) { return _mm256_add_epi##L(a, b); }                                    \
    CT_INLINE vec l##L##_sub(vec a, vec b) { return _mm256_sub_epi##L(a, b); }                                    \
    CT_INLINE vec l##L##_max(vec a, vec b) { return _mm256_max_epi##L(a, b); }                                    \
    CT_INLINE vec l##L##_min(vec a, vec b) { return _mm256_min_epi##L(a, b); }                                    \
    CT_INLINE vec l##L##_half(vec a) { return _mm256_srai_epi##L(a, 1); }                                         \
    CT_INLINE mask##L l##L##_above(vec a, vec b) { return _mm256_cmpgt_epi##L(a, b); }                            \
    CT_INLINE mask##L l##L##_negative(vec a) { return _mm256_cmpgt_epi##L(_mm256_setzero_si256(), a); }           \
    CT_INLINE mask##L l##L##_occupied(vec a) { return v_not(_mm256_cmpeq_epi##L(a, _mm256_setzero_si256())); }    \
    CT_INLINE mask##L l##L##_both(mask##L a, mask##L b) { return v_and(a, b); }                                   \
    CT_INLINE mask##L l##L##_except(mask##L a, mask##L b) { return _mm256_andnot_si256(b, a); }                   \
    CT_INLINE vec l##L##_max_where(vec a, vec x, mask##L m)                                                       \
    {                                                                                                             \
        return _mm256_max_epi##L(a, _mm256_blendv_epi8(a, x, m));                                                 \
    }

LANE_OPS(16)
LANE_OPS(32)

CT_INLINE vec l16_set(int x) { return _mm256_set1_epi16((short) x); }
CT_INLINE vec l32_set(int x) { return _mm256_set1_epi32(x); }

CT_INLINE vec l16_scan(vec a)
{
    const vec last = _mm256_set1_epi16(0x0f0e);
    a = _mm256_add_epi16(a, _mm256_bslli_epi128(a, 2));
    a = _mm256_add_epi16(a, _mm256_bslli_epi128(a, 4));
    a = _mm256_add_epi16(a, _mm256_bslli_epi128(a, 8));
    return _mm256_add_epi16(a, _mm256_shuffle_epi8(_mm256_permute2x128_si256(a, a, 0x08), last));
}
CT_INLINE vec l32_scan(vec a)
{
    a = _mm256_add_epi32(a, _mm256_bslli_epi128(a, 4));
    a = _mm256_add_epi32(a, _mm256_bslli_epi128(a, 8));
    return _mm256_add_epi32(a, _mm256_shuffle_epi32(_mm256_permute2x128_si256(a, a, 0x08), 0xff));
}
CT_INLINE vec l16_last(vec a)
{
    return _mm256_shuffle_epi8(_mm256_permute4x64_epi64(a, 0xff), _mm256_set1_epi16(0x0f0e));
}
CT_INLINE vec l32_last(vec a) { return _mm256_shuffle_epi32(_mm256_permute4x64_epi64(a, 0xff), 0xff); }

CT_INLINE int l16_top(vec a)
{
    return top_of_8(_mm_max_epi16(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1)));
}
CT_INLINE int l32_top(vec a)
{
    __m128i x = _mm_max_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    x = _mm_max_epi32(x, _mm_shuffle_epi32(x, 0x4e));
    x = _mm_max_epi32(x, _mm_shuffle_epi32(x, 0xb1));
    return _mm_cvtsi128_si32(x);
}

CT_INLINE uint32_t l16_bits(mask16 m)
{
    uint32_t bytes = (uint32_t) _mm256_movemask_epi8(_mm256_packs_epi16(m, m));
    return (bytes & 0xff) | (bytes >> 8 & 0xff00);
}
CT_INLINE uint32_t l32_bits(mask32 m) { return (uint32_t) _mm256_movemask_ps(_mm256_castsi256_ps(m)); }

/* One bit of each byte of 64 bytes; the bit is moved to the top of its byte first. */
CT_INLINE uint64_t gather_bit(vec low, vec high, unsigned bit)
{
    __m128i shift = _mm_cvtsi32_si128((int) (7 - bit));
    uint64_t a = (uint32_t) _mm256_movemask_epi8(_mm256_sll_epi16(low, shift));
    uint64_t b = (uint32_t) _mm256_movemask_epi8(_mm256_sll_epi16(high, shift));
    return a | b << 32;
}

CT_INLINE void transpose16(const uint16_t *numbers, uint64_t *planes, size_t stride, unsigned n_planes)
{
    const vec low_bytes = _mm256_set1_epi16(0xff);
    vec part[4];
    for (int i = 0; i < 4; i++) part[i] = _mm256_loadu_si256((const __m256i *) (numbers + 16 * i));
    for (unsigned half = 0; half < n_planes; half += 8) {
        vec bytes[2];
        for (int i = 0; i < 2; i++) {
            vec a = half ? _mm256_srli_epi16(part[2 * i], 8) : v_and(part[2 * i], low_bytes);
            vec b = half ? _mm256_srli_epi16(part[2 * i + 1], 8) : v_and(part[2 * i + 1], low_bytes);
            bytes[i] = _mm256_permute4x64_epi64(_mm256_packus_epi16(a, b), 0xd8);
        }
        for (unsigned bit = 0; bit < 8 && half + bit < n_planes; bit++)
            planes[(half + bit) * stride] = ~gather_bit(bytes[0], bytes[1], bit);
    }
}

/* Bytes of all ones where the 16 bits are set. */
CT_INLINE __m128i bytes_of(uint32_t bits)
{
    const __m128i which = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    const __m128i bit = _mm_set1_epi64x((long long) 0x8040201008040201);
    return _mm_cmpeq_epi8(_mm_and_si128(_mm_shuffle_epi8(_mm_cvtsi32_si128((int) bits), which), bit), bit);
}

#undef LANE_OPS
#endif
