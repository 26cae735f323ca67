/* The vocabulary of vec.h on 512-bit vectors, with the bit counts of AVX512-BITALG and
 * -VPOPCNTDQ. */
#ifndef CT_BASE_SIMD_VEC_AVX512_H
#define CT_BASE_SIMD_VEC_AVX512_H

#include <string.h>

#include "base/simd/vec_x86.h"

enum { VEC_WORDS = 8 };
typedef __m512i vec;
typedef __mmask32 mask16;
typedef __mmask16 mask32;
typedef __mmask8 mask64;

CT_INLINE unsigned word_select(uint64_t word, unsigned k)
{
    return ct_trailing_zeros(_pdep_u64(UINT64_C(1) << k, word));
}

CT_INLINE vec v_load(const uint64_t *words) { return _mm512_loadu_si512(words); }
CT_INLINE void v_store(uint64_t *words, vec a) { _mm512_storeu_si512(words, a); }
CT_INLINE vec v_and(vec a, vec b) { return _mm512_and_si512(a, b); }
CT_INLINE vec v_and_not(vec a, vec b) { return _mm512_andnot_si512(b, a); }
CT_INLINE vec v_or(vec a, vec b) { return _mm512_or_si512(a, b); }
CT_INLINE vec v_xor(vec a, vec b) { return _mm512_xor_si512(a, b); }
CT_INLINE vec v_choose(vec s, vec a, vec b) { return _mm512_ternarylogic_epi64(s, a, b, 0xca); }
CT_INLINE vec v_not(vec a) { return _mm512_xor_si512(a, _mm512_set1_epi32(-1)); }
CT_INLINE vec v_fill(uint64_t word) { return _mm512_set1_epi64((long long) word); }
CT_INLINE vec v_majority(vec a, vec b, vec s) { return _mm512_ternarylogic_epi64(a, b, s, 0xe8); }
CT_INLINE int v_any(vec a) { return _mm512_test_epi64_mask(a, a) != 0; }

CT_INLINE vec l16_count(vec a) { return _mm512_popcnt_epi16(a); }
CT_INLINE vec l32_count(vec a) { return _mm512_popcnt_epi32(a); }
CT_INLINE mask16 l16_negative(vec a) { return _mm512_movepi16_mask(a); }
CT_INLINE mask32 l32_negative(vec a) { return _mm512_movepi32_mask(a); }
CT_INLINE mask16 l16_both(mask16 a, mask16 b) { return a & b; }
CT_INLINE mask32 l32_both(mask32 a, mask32 b) { return (mask32) (a & b); }
CT_INLINE mask16 l16_except(mask16 a, mask16 b) { return a & ~b; }
CT_INLINE mask32 l32_except(mask32 a, mask32 b) { return (mask32) (a & ~b); }

#define LANE_OPS(L)                                                                                \
    CT_INLINE vec l##L##_add(vec a, vec b) { return _mm512_add_epi##L(a, b); }                     \
    CT_INLINE vec l##L##_sub(vec a, vec b) { return _mm512_sub_epi##L(a, b); }                     \
    CT_INLINE vec l##L##_max(vec a, vec b) { return _mm512_max_epi##L(a, b); }                     \
    CT_INLINE vec l##L##_min(vec a, vec b) { return _mm512_min_epi##L(a, b); }                     \
    CT_INLINE vec l##L##_half(vec a) { return _mm512_srai_epi##L(a, 1); }                          \
    CT_INLINE mask##L l##L##_above(vec a, vec b) { return _mm512_cmpgt_epi##L##_mask(a, b); }      \
    CT_INLINE mask##L l##L##_occupied(vec a) { return _mm512_test_epi##L##_mask(a, a); }           \
    CT_INLINE vec l##L##_max_where(vec a, vec x, mask##L m) \
    { \
        return _mm512_mask_max_epi##L(a, m, a, x); \
    } \
    CT_INLINE uint32_t l##L##_bits(mask##L m) { return m; }

LANE_OPS(16)
LANE_OPS(32)

CT_INLINE vec l8_add(vec a, vec b) { return _mm512_add_epi8(a, b); }
CT_INLINE vec l8_sub(vec a, vec b) { return _mm512_sub_epi8(a, b); }
CT_INLINE vec l8_max(vec a, vec b) { return _mm512_max_epu8(a, b); }
CT_INLINE vec l8_set(uint8_t x) { return _mm512_set1_epi8((char) x); }
CT_INLINE vec l8_count(vec a) { return _mm512_popcnt_epi8(a); }
CT_INLINE int l8_top(vec a)
{
    __m256i half = _mm256_max_epu8(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
    return top_byte(_mm_max_epu8(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1)));
}
CT_INLINE __m256i v_half_of(vec a, int upper)
{
    return upper ? _mm512_extracti64x4_epi64(a, 1) : _mm512_castsi512_si256(a);
}
CT_INLINE vec l16_wide(vec a, int upper) { return _mm512_cvtepu8_epi16(v_half_of(a, upper)); }
CT_INLINE vec l32_wide(vec a, int upper) { return _mm512_cvtepu16_epi32(v_half_of(a, upper)); }

CT_INLINE vec l32_times(vec counts, vec x) { return _mm512_mullo_epi32(counts, x); }
CT_INLINE vec l16_times(vec counts, vec x) { return _mm512_mullo_epi16(counts, x); }
CT_INLINE vec l32_pair(vec a, vec b) { return v_or(a, _mm512_slli_epi32(b, 16)); }
CT_INLINE vec l32_dot(vec pairs, vec costs) { return _mm512_madd_epi16(pairs, costs); }
CT_INLINE vec l32_after(vec a, vec b) { return _mm512_alignr_epi32(a, b, 15); }
CT_INLINE vec l16_set(int x) { return _mm512_set1_epi16((short) x); }
CT_INLINE vec l32_set(int x) { return _mm512_set1_epi32(x); }

/* The last lanes of the 128-bit parts one and two steps down; parts 0 (and 1) get nothing. */
CT_INLINE vec l16_scan(vec a)
{
    const vec one = _mm512_set_epi64(0x0017001700170017, 0x0017001700170017, 0x000f000f000f000f,
                                     0x000f000f000f000f, 0x0007000700070007, 0x0007000700070007, 0,
                                     0);
    const vec two = _mm512_set_epi64(0x000f000f000f000f, 0x000f000f000f000f, 0x0007000700070007,
                                     0x0007000700070007, 0, 0, 0, 0);
    a = _mm512_add_epi16(a, _mm512_bslli_epi128(a, 2));
    a = _mm512_add_epi16(a, _mm512_bslli_epi128(a, 4));
    a = _mm512_add_epi16(a, _mm512_bslli_epi128(a, 8));
    a = _mm512_mask_add_epi16(a, 0xffffff00, a, _mm512_permutexvar_epi16(one, a));
    return _mm512_mask_add_epi16(a, 0xffff0000, a, _mm512_permutexvar_epi16(two, a));
}
CT_INLINE vec l32_scan(vec a)
{
    const vec one = _mm512_setr_epi32(0, 0, 0, 0, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11);
    const vec two = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 3, 3, 3, 3, 7, 7, 7, 7);
    a = _mm512_add_epi32(a, _mm512_bslli_epi128(a, 4));
    a = _mm512_add_epi32(a, _mm512_bslli_epi128(a, 8));
    a = _mm512_mask_add_epi32(a, 0xfff0, a, _mm512_permutexvar_epi32(one, a));
    return _mm512_mask_add_epi32(a, 0xff00, a, _mm512_permutexvar_epi32(two, a));
}
CT_INLINE vec l16_last(vec a) { return _mm512_permutexvar_epi16(_mm512_set1_epi16(31), a); }
CT_INLINE vec l32_last(vec a) { return _mm512_permutexvar_epi32(_mm512_set1_epi32(15), a); }

CT_INLINE vec l64_set(int64_t x) { return _mm512_set1_epi64(x); }
CT_INLINE vec l64_add(vec a, vec b) { return _mm512_add_epi64(a, b); }
CT_INLINE vec l64_sub(vec a, vec b) { return _mm512_sub_epi64(a, b); }
CT_INLINE vec l64_max(vec a, vec b) { return _mm512_max_epi64(a, b); }
CT_INLINE vec l64_last(vec a) { return _mm512_permutexvar_epi64(_mm512_set1_epi64(7), a); }
CT_INLINE int64_t l64_top(vec a) { return _mm512_reduce_max_epi64(a); }
CT_INLINE mask64 l64_of_bits(uint64_t bits) { return (mask64) bits; }
CT_INLINE vec l64_where(vec a, mask64 m) { return _mm512_maskz_mov_epi64(m, a); }
CT_INLINE vec l64_max_where(vec a, vec x, mask64 m) { return _mm512_mask_max_epi64(a, m, a, x); }
CT_INLINE vec l64_scan(vec a)
{
    a = _mm512_add_epi64(a, _mm512_alignr_epi64(a, v_fill(0), 7));
    a = _mm512_add_epi64(a, _mm512_alignr_epi64(a, v_fill(0), 6));
    return _mm512_add_epi64(a, _mm512_alignr_epi64(a, v_fill(0), 4));
}

CT_INLINE int l16_top(vec a)
{
    __m256i x = _mm256_max_epi16(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
    __m128i y = _mm_max_epi16(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    return top_of_8(y);
}
CT_INLINE int l32_top(vec a) { return _mm512_reduce_max_epi32(a); }

CT_INLINE void words_across(const uint64_t in[8], uint64_t out[8])
{
    /* byte 8 i + j is that of place 8 j + i */
    vec rows = v_fill(UINT64_C(0x3830282018100800)),
        columns = _mm512_set_epi64(0x0707070707070707, 0x0606060606060606, 0x0505050505050505,
                                   0x0404040404040404, 0x0303030303030303, 0x0202020202020202,
                                   0x0101010101010101, 0);
    v_store(out, _mm512_permutexvar_epi8(v_or(rows, columns), v_load(in)));
}

CT_INLINE void blocks_across(uint64_t words[8])
{
    const vec turned = _mm512_set4_epi32(0x08090a0b, 0x0c0d0e0f, 0x00010203, 0x04050607);
    const vec bits = v_fill(UINT64_C(0x8040201008040201));
    vec blocks = _mm512_shuffle_epi8(v_load(words), turned);
    v_store(words, _mm512_gf2p8affine_epi64_epi8(bits, blocks, 0));
}

CT_INLINE void transpose_bytes(const uint8_t *bytes, uint64_t *planes, size_t stride,
                               unsigned n_planes)
{
    vec all = _mm512_loadu_si512(bytes);
    for (unsigned bit = 0; bit < n_planes; bit++)
        planes[bit * stride] = _mm512_testn_epi8_mask(all, _mm512_set1_epi8((char) (1 << bit)));
}

/* Bytes of all ones where the 16 bits are set. */
CT_INLINE __m128i bytes_of(uint32_t bits) { return _mm_movm_epi8((__mmask16) bits); }

#define CT_WEIGHT_SUM
typedef struct {
    vec part[2];
} weight_sum;
CT_INLINE weight_sum weight_sum_of(int64_t x)
{
    weight_sum sum = {{_mm512_zextsi128_si512(_mm_cvtsi64_si128(x)), v_fill(0)}};
    return sum;
}
CT_INLINE int64_t weight_sum_total(weight_sum sum)
{
    return _mm512_reduce_add_epi64(_mm512_add_epi64(sum.part[0], sum.part[1]));
}
CT_INLINE weight_sum weight_sum_add(weight_sum sum, uint64_t members, const int64_t *weights)
{
#define SUM_PART(i)                                                                                \
    sum.part[(i) % 2] = \
        _mm512_mask_add_epi64(sum.part[(i) % 2], (__mmask8) (members >> (8 * (i))), \
                              sum.part[(i) % 2], _mm512_loadu_si512(weights + 8 * (i)))
    SUM_PART(0), SUM_PART(1), SUM_PART(2), SUM_PART(3);
    SUM_PART(4), SUM_PART(5), SUM_PART(6), SUM_PART(7);
#undef SUM_PART
    return sum;
}

/* ---- lists ---- */

#define VEC_LISTS
typedef __m512 vecf;

CT_INLINE vec l32_load(const int32_t *x) { return _mm512_loadu_si512(x); }
CT_INLINE void l32_store(int32_t *x, vec a) { _mm512_storeu_si512(x, a); }
CT_INLINE mask32 l32_of_bits(uint32_t bits) { return (mask32) bits; }
CT_INLINE vec l32_where(vec a, mask32 m) { return _mm512_maskz_mov_epi32(m, a); }
CT_INLINE mask32 l32_same(vec a, vec b) { return _mm512_cmpeq_epi32_mask(a, b); }
CT_INLINE vec l32_front(vec a, uint32_t bits, const uint64_t places[256])
{
    (void) places;
    return _mm512_maskz_compress_epi32((mask32) bits, a);
}
CT_INLINE mask32 l32_others(mask32 m) { return (mask32) ~m; }
CT_INLINE vec l32_choose(mask32 m, vec a, vec b) { return _mm512_mask_mov_epi32(b, m, a); }
CT_INLINE vec l32_add_where(vec a, vec x, mask32 m) { return _mm512_mask_add_epi32(a, m, a, x); }
CT_INLINE int l32_sum(vec a) { return _mm512_reduce_add_epi32(a); }
CT_INLINE void l32_sums(vec a, vec b, vec c, vec d, int32_t sums[4])
{
    a = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    c = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    a = _mm512_add_epi32(_mm512_unpacklo_epi64(a, c), _mm512_unpackhi_epi64(a, c));
    __m256i half = _mm256_add_epi32(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
    _mm_storeu_si128((__m128i *) (void *) sums,
                     _mm_add_epi32(_mm256_castsi256_si128(half),
                                   _mm256_extracti128_si256(half, 1)));
}
CT_INLINE int l32_top_lane(vec a)
{
    return _mm_extract_epi32(_mm512_extracti32x4_epi32(a, 3), 3);
}
CT_INLINE vec l32_squares(vec a)
{
    vec odd = _mm512_srli_epi64(a, 32);
    return _mm512_add_epi64(_mm512_mul_epi32(a, a), _mm512_mul_epi32(odd, odd));
}
CT_INLINE int64_t l64_sum(vec a) { return _mm512_reduce_add_epi64(a); }

CT_INLINE vecf f32_of(vec a) { return _mm512_cvtepi32_ps(a); }
CT_INLINE vecf f32_set(float x) { return _mm512_set1_ps(x); }
CT_INLINE vecf f32_lanes(void)
{
    return _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
CT_INLINE vecf f32_load(const float *x) { return _mm512_loadu_ps(x); }
CT_INLINE void f32_store(float *x, vecf a) { _mm512_storeu_ps(x, a); }
CT_INLINE vecf f32_size(vecf a) { return _mm512_abs_ps(a); }
CT_INLINE vecf f32_add(vecf a, vecf b) { return _mm512_add_ps(a, b); }
CT_INLINE vecf f32_sub(vecf a, vecf b) { return _mm512_sub_ps(a, b); }
CT_INLINE vecf f32_mul(vecf a, vecf b) { return _mm512_mul_ps(a, b); }
CT_INLINE vecf f32_product(vecf a, vecf b)
{
    a = _mm512_mul_ps(a, b);
    ROUNDED(a);
    return a;
}
CT_INLINE vecf f32_div(vecf a, vecf b) { return _mm512_div_ps(a, b); }
CT_INLINE vecf f32_max(vecf a, vecf b) { return _mm512_max_ps(a, b); }
CT_INLINE vecf f32_choose(mask32 m, vecf a, vecf b) { return _mm512_mask_mov_ps(b, m, a); }
CT_INLINE vecf f32_add_where(vecf a, vecf x, mask32 m) { return _mm512_mask_add_ps(a, m, a, x); }
CT_INLINE vecf f32_div_where(vecf a, vecf b, mask32 m, vecf x)
{
    return _mm512_mask_div_ps(x, m, a, b);
}
CT_INLINE vecf f32_max_where(vecf a, vecf x, mask32 m) { return _mm512_mask_max_ps(a, m, x, a); }
CT_INLINE vecf f32_where_not(vecf a, mask32 m, vecf x) { return _mm512_mask_mov_ps(a, m, x); }
CT_INLINE mask32 f32_reaches(vecf a, vecf b) { return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ); }
CT_INLINE float f32_top(vecf a) { return _mm512_reduce_max_ps(a); }

/* ---- bytes by sixteen ---- */

#define VEC_BYTES16
#define VEC_LOOK_UP
CT_INLINE void bytes_below(const uint8_t *bytes, size_t n, uint8_t limit, uint16_t *bits)
{
    const vec limits = _mm512_set1_epi8((char) limit);
    for (size_t i = 0; i < n; i += 4) {
        uint64_t below = _mm512_cmplt_epu8_mask(_mm512_loadu_si512(bytes + 16 * i), limits);
        memcpy(bits + i, &below, sizeof below);
    }
}
CT_INLINE uint64_t bit_of_each(const uint16_t *bits, unsigned bit)
{
    const vec one = _mm512_set1_epi16((short) (1U << bit));
    return (uint64_t) _mm512_test_epi16_mask(_mm512_loadu_si512(bits + 32), one) << 32 |
           _mm512_test_epi16_mask(_mm512_loadu_si512(bits), one);
}

/* 256 bytes from `table` on. */
CT_INLINE vec look_up_256(const uint8_t *table, vec places)
{
    vec low = _mm512_permutex2var_epi8(_mm512_loadu_si512(table), places,
                                       _mm512_loadu_si512(table + 64)),
        high = _mm512_permutex2var_epi8(_mm512_loadu_si512(table + 128), places,
                                        _mm512_loadu_si512(table + 192));
    return _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(places), high);
}
CT_INLINE void look_up(const uint8_t table[512], const uint8_t *places, const uint16_t *beyond,
                       size_t n, uint8_t *found)
{
    for (size_t i = 0; i < n; i += 4) {
        vec at = _mm512_loadu_si512(places + 16 * i), bytes = look_up_256(table, at);
        if (beyond) {
            uint64_t upper;
            memcpy(&upper, beyond + i, sizeof upper);
            bytes = _mm512_mask_mov_epi8(bytes, upper, look_up_256(table + 256, at));
        }
        _mm512_storeu_si512(found + 16 * i, bytes);
    }
}

#undef LANE_OPS
#endif
