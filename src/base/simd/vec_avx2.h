/* The vocabulary of vec.h on 256-bit vectors. */
#ifndef CT_BASE_SIMD_VEC_AVX2_H
#define CT_BASE_SIMD_VEC_AVX2_H

#include "base/simd/vec_x86.h"

enum { VEC_WORDS = 4 };
typedef __m256i vec;

CT_INLINE unsigned word_select(uint64_t word, unsigned k)
{
    return ct_trailing_zeros(_pdep_u64(UINT64_C(1) << k, word));
}

CT_INLINE vec v_and(vec a, vec b) { return _mm256_and_si256(a, b); }
CT_INLINE vec v_and_not(vec a, vec b) { return _mm256_andnot_si256(b, a); }
CT_INLINE vec v_or(vec a, vec b) { return _mm256_or_si256(a, b); }
CT_INLINE vec v_xor(vec a, vec b) { return _mm256_xor_si256(a, b); }
CT_INLINE vec v_choose(vec s, vec a, vec b) { return v_or(v_and(a, s), v_and_not(b, s)); }

typedef vec mask16;
typedef vec mask32;
typedef vec mask64;

CT_INLINE vec v_load(const uint64_t *words) { return _mm256_loadu_si256((const vec *) words); }
CT_INLINE void v_store(uint64_t *words, vec a) { _mm256_storeu_si256((vec *) words, a); }
CT_INLINE vec v_not(vec a) { return v_xor(a, _mm256_set1_epi32(-1)); }
CT_INLINE vec v_fill(uint64_t word) { return _mm256_set1_epi64x((long long) word); }
CT_INLINE vec v_majority(vec a, vec b, vec s) { return v_or(v_and(a, b), v_and(s, v_or(a, b))); }
CT_INLINE int v_any(vec a) { return !_mm256_testz_si256(a, a); }

CT_INLINE vec v_bytes_count(vec a)
{
    const vec table = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const vec low = _mm256_set1_epi8(15);
    return _mm256_add_epi8(_mm256_shuffle_epi8(table, v_and(a, low)),
                           _mm256_shuffle_epi8(table, v_and(_mm256_srli_epi16(a, 4), low)));
}
CT_INLINE vec l16_count(vec a)
{
    return _mm256_maddubs_epi16(v_bytes_count(a), _mm256_set1_epi8(1));
}
CT_INLINE vec l32_count(vec a) { return _mm256_madd_epi16(l16_count(a), _mm256_set1_epi16(1)); }

#define LANE_OPS(L) \
    CT_INLINE vec l##L##_add(vec a, vec b) { return _mm256_add_epi##L(a, b); } \
    CT_INLINE vec l##L##_sub(vec a, vec b) { return _mm256_sub_epi##L(a, b); } \
    CT_INLINE vec l##L##_max(vec a, vec b) { return _mm256_max_epi##L(a, b); } \
    CT_INLINE vec l##L##_min(vec a, vec b) { return _mm256_min_epi##L(a, b); } \
    CT_INLINE vec l##L##_half(vec a) { return _mm256_srai_epi##L(a, 1); } \
    CT_INLINE mask##L l##L##_above(vec a, vec b) { return _mm256_cmpgt_epi##L(a, b); } \
    CT_INLINE mask##L l##L##_negative(vec a) { return _mm256_cmpgt_epi##L(v_fill(0), a); } \
    CT_INLINE mask##L l##L##_occupied(vec a) { return v_not(_mm256_cmpeq_epi##L(a, v_fill(0))); } \
    CT_INLINE mask##L l##L##_both(mask##L a, mask##L b) { return v_and(a, b); } \
    CT_INLINE mask##L l##L##_except(mask##L a, mask##L b) { return v_and_not(a, b); } \
    CT_INLINE vec l##L##_max_where(vec a, vec x, mask##L m) \
    { \
        return l##L##_max(a, _mm256_blendv_epi8(a, x, m)); \
    }

LANE_OPS(16)
LANE_OPS(32)

CT_INLINE vec l8_add(vec a, vec b) { return _mm256_add_epi8(a, b); }
CT_INLINE vec l8_sub(vec a, vec b) { return _mm256_sub_epi8(a, b); }
CT_INLINE vec l8_max(vec a, vec b) { return _mm256_max_epu8(a, b); }
CT_INLINE vec l8_set(uint8_t x) { return _mm256_set1_epi8((char) x); }
CT_INLINE vec l8_count(vec a) { return v_bytes_count(a); }
CT_INLINE int l8_top(vec a)
{
    return top_byte(_mm_max_epu8(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1)));
}
CT_INLINE __m128i v_half_of(vec a, int upper)
{
    return upper ? _mm256_extracti128_si256(a, 1) : _mm256_castsi256_si128(a);
}
CT_INLINE vec l16_wide(vec a, int upper) { return _mm256_cvtepu8_epi16(v_half_of(a, upper)); }
CT_INLINE vec l32_wide(vec a, int upper) { return _mm256_cvtepu16_epi32(v_half_of(a, upper)); }

CT_INLINE vec l16_set(int x) { return _mm256_set1_epi16((short) x); }
CT_INLINE vec l32_set(int x) { return _mm256_set1_epi32(x); }

CT_INLINE vec l32_times(vec counts, vec x) { return _mm256_mullo_epi32(counts, x); }
CT_INLINE vec l16_times(vec counts, vec x) { return _mm256_mullo_epi16(counts, x); }

CT_INLINE vec l32_pair(vec a, vec b) { return v_or(a, _mm256_slli_epi32(b, 16)); }
CT_INLINE vec l32_dot(vec pairs, vec costs) { return _mm256_madd_epi16(pairs, costs); }

CT_INLINE vec l64_set(int64_t x) { return _mm256_set1_epi64x(x); }
CT_INLINE vec l64_add(vec a, vec b) { return _mm256_add_epi64(a, b); }
CT_INLINE vec l64_sub(vec a, vec b) { return _mm256_sub_epi64(a, b); }
CT_INLINE vec l64_max(vec a, vec b) { return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b)); }
CT_INLINE mask64 l64_of_bits(uint64_t bits)
{
    const vec lanes = _mm256_setr_epi64x(1, 2, 4, 8);
    return _mm256_cmpeq_epi64(v_and(l64_set((int64_t) bits), lanes), lanes);
}
CT_INLINE vec l64_where(vec a, mask64 m) { return v_and(a, m); }
CT_INLINE vec l64_max_where(vec a, vec x, mask64 m)
{
    return _mm256_blendv_epi8(a, l64_max(a, x), m);
}
CT_INLINE int64_t l64_top(vec a)
{
    uint64_t words[VEC_WORDS];
    v_store(words, a);
    int64_t top = (int64_t) words[0];
    for (size_t i = 1; i < VEC_WORDS; i++)
        top = (int64_t) words[i] > top ? (int64_t) words[i] : top;
    return top;
}

/* In every 16 bytes: the sum of the lanes up to each, the last lane in all lanes. */
CT_INLINE vec l16_scan_part(vec a)
{
    a = _mm256_add_epi16(a, _mm256_slli_si256(a, 2));
    a = _mm256_add_epi16(a, _mm256_slli_si256(a, 4));
    return _mm256_add_epi16(a, _mm256_slli_si256(a, 8));
}
CT_INLINE vec l32_scan_part(vec a)
{
    a = _mm256_add_epi32(a, _mm256_slli_si256(a, 4));
    return _mm256_add_epi32(a, _mm256_slli_si256(a, 8));
}
CT_INLINE vec l16_last_part(vec a) { return _mm256_shuffle_epi8(a, _mm256_set1_epi16(0x0f0e)); }
CT_INLINE vec l32_last_part(vec a) { return _mm256_shuffle_epi32(a, 0xff); }

/* One bit of each byte; the bit is moved to the top of its byte first. */
CT_INLINE uint32_t gather_bit(vec bytes, unsigned bit)
{
    return (uint32_t) _mm256_movemask_epi8(
        _mm256_sll_epi16(bytes, _mm_cvtsi32_si128((int) (7 - bit))));
}

CT_INLINE void words_across(const uint64_t in[8], uint64_t out[8])
{
    __m128i pairs[4], fours[4];
    for (int i = 0; i < 4; i++) {
        const void *two = in + 2 * i;
        __m128i words = _mm_loadu_si128((const __m128i *) two);
        pairs[i] = _mm_unpacklo_epi8(words, _mm_unpackhi_epi64(words, words));
    }
    for (int i = 0; i < 2; i++) {
        fours[i] = _mm_unpacklo_epi16(pairs[2 * i], pairs[2 * i + 1]);
        fours[i + 2] = _mm_unpackhi_epi16(pairs[2 * i], pairs[2 * i + 1]);
    }
    for (int i = 0; i < 2; i++) {
        __m128i low = _mm_unpacklo_epi32(fours[2 * i], fours[2 * i + 1]),
                high = _mm_unpackhi_epi32(fours[2 * i], fours[2 * i + 1]);
        _mm_storeu_si128((__m128i *) (void *) (out + 4 * i), low);
        _mm_storeu_si128((__m128i *) (void *) (out + 4 * i + 2), high);
    }
}

CT_INLINE void blocks_across(uint64_t words[8])
{
    for (int i = 0; i < 8; i++) words[i] = ct_transpose8(words[i]);
}

CT_INLINE void transpose_bytes(const uint8_t *bytes, uint64_t *planes, size_t stride,
                               unsigned n_planes)
{
    const vec *parts = (const vec *) (const void *) bytes;
    vec low = _mm256_loadu_si256(parts), high = _mm256_loadu_si256(parts + 1);
    for (unsigned bit = 0; bit < n_planes; bit++)
        planes[bit * stride] = ~((uint64_t) gather_bit(high, bit) << 32 | gather_bit(low, bit));
}

CT_INLINE __m128i bytes_of(uint32_t bits)
{
    const __m128i which = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    const __m128i bit = _mm_set1_epi64x((long long) 0x8040201008040201);
    return _mm_cmpeq_epi8(
        _mm_and_si128(_mm_shuffle_epi8(_mm_cvtsi32_si128((int) bits), which), bit), bit);
}

/* The lower half in the upper one, zeros in the lower. */
CT_INLINE vec v_raised(vec a) { return _mm256_permute2x128_si256(a, a, 0x08); }

CT_INLINE vec l16_scan(vec a)
{
    a = l16_scan_part(a);
    return l16_add(a, l16_last_part(v_raised(a)));
}
CT_INLINE vec l32_scan(vec a)
{
    a = l32_scan_part(a);
    return l32_add(a, l32_last_part(v_raised(a)));
}
CT_INLINE vec l32_after(vec a, vec b)
{
    return _mm256_alignr_epi8(a, _mm256_permute2x128_si256(b, a, 0x21), 12);
}
CT_INLINE vec l16_last(vec a) { return l16_last_part(_mm256_permute4x64_epi64(a, 0xff)); }
CT_INLINE vec l32_last(vec a) { return l32_last_part(_mm256_permute4x64_epi64(a, 0xff)); }

CT_INLINE vec l64_last(vec a) { return _mm256_permute4x64_epi64(a, 0xff); }
CT_INLINE vec l64_scan(vec a)
{
    vec one = _mm256_permute4x64_epi64(a, 0x90), zero = _mm256_setzero_si256();
    a = _mm256_add_epi64(a, _mm256_blend_epi32(one, zero, 0x03));
    return _mm256_add_epi64(a, _mm256_permute2x128_si256(a, a, 0x08));
}

CT_INLINE int l16_top(vec a)
{
    return top_of_8(_mm_max_epi16(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1)));
}
CT_INLINE int l32_top(vec a)
{
    return top_of_4(_mm_max_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1)));
}

CT_INLINE uint32_t l16_bits(mask16 m)
{
    uint32_t bytes = (uint32_t) _mm256_movemask_epi8(_mm256_packs_epi16(m, m));
    return (bytes & 0xff) | (bytes >> 8 & 0xff00);
}
CT_INLINE uint32_t l32_bits(mask32 m)
{
    return (uint32_t) _mm256_movemask_ps(_mm256_castsi256_ps(m));
}

/* ---- lists ---- */

#define VEC_LISTS
typedef __m256 vecf;

CT_INLINE vec l32_load(const int32_t *x)
{
    return _mm256_loadu_si256((const vec *) (const void *) x);
}
CT_INLINE void l32_store(int32_t *x, vec a) { _mm256_storeu_si256((vec *) (void *) x, a); }
CT_INLINE mask32 l32_of_bits(uint32_t bits)
{
    const vec lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(v_and(l32_set((int) bits), lanes), lanes);
}
CT_INLINE vec l32_where(vec a, mask32 m) { return v_and(a, m); }
CT_INLINE mask32 l32_same(vec a, vec b) { return _mm256_cmpeq_epi32(a, b); }
CT_INLINE vec l32_front(vec a, uint32_t bits, const uint64_t places[256])
{
    const __m128i *from = (const __m128i *) (const void *) &places[bits];
    return _mm256_permutevar8x32_epi32(a, _mm256_cvtepu8_epi32(_mm_loadl_epi64(from)));
}
CT_INLINE mask32 l32_others(mask32 m) { return v_not(m); }
CT_INLINE vec l32_choose(mask32 m, vec a, vec b) { return _mm256_blendv_epi8(b, a, m); }
CT_INLINE vec l32_add_where(vec a, vec x, mask32 m) { return l32_add(a, v_and(x, m)); }
CT_INLINE int l32_sum(vec a)
{
    __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1)));
}
CT_INLINE void l32_sums(vec a, vec b, vec c, vec d, int32_t sums[4])
{
    a = _mm256_add_epi32(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
    c = _mm256_add_epi32(_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
    a = _mm256_add_epi32(_mm256_unpacklo_epi64(a, c), _mm256_unpackhi_epi64(a, c));
    _mm_storeu_si128((__m128i *) (void *) sums,
                     _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1)));
}
CT_INLINE int l32_top_lane(vec a) { return _mm256_extract_epi32(a, 7); }
CT_INLINE vec l32_squares(vec a)
{
    vec odd = _mm256_srli_epi64(a, 32);
    return _mm256_add_epi64(_mm256_mul_epi32(a, a), _mm256_mul_epi32(odd, odd));
}
CT_INLINE int64_t l64_sum(vec a)
{
    __m128i sum = _mm_add_epi64(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    return _mm_cvtsi128_si64(_mm_add_epi64(sum, _mm_unpackhi_epi64(sum, sum)));
}

CT_INLINE vecf f32_of(vec a) { return _mm256_cvtepi32_ps(a); }
CT_INLINE vecf f32_set(float x) { return _mm256_set1_ps(x); }
CT_INLINE vecf f32_lanes(void) { return _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7); }
CT_INLINE vecf f32_load(const float *x) { return _mm256_loadu_ps(x); }
CT_INLINE void f32_store(float *x, vecf a) { _mm256_storeu_ps(x, a); }
CT_INLINE vecf f32_size(vecf a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), a); }
CT_INLINE vecf f32_add(vecf a, vecf b) { return _mm256_add_ps(a, b); }
CT_INLINE vecf f32_sub(vecf a, vecf b) { return _mm256_sub_ps(a, b); }
CT_INLINE vecf f32_mul(vecf a, vecf b) { return _mm256_mul_ps(a, b); }
CT_INLINE vecf f32_product(vecf a, vecf b)
{
    a = _mm256_mul_ps(a, b);
    ROUNDED(a);
    return a;
}
CT_INLINE vecf f32_div(vecf a, vecf b) { return _mm256_div_ps(a, b); }
CT_INLINE vecf f32_max(vecf a, vecf b) { return _mm256_max_ps(a, b); }
CT_INLINE vecf f32_choose(mask32 m, vecf a, vecf b)
{
    return _mm256_blendv_ps(b, a, _mm256_castsi256_ps(m));
}
CT_INLINE vecf f32_add_where(vecf a, vecf x, mask32 m)
{
    return _mm256_add_ps(a, _mm256_and_ps(x, _mm256_castsi256_ps(m)));
}
CT_INLINE vecf f32_div_where(vecf a, vecf b, mask32 m, vecf x)
{
    return f32_choose(m, _mm256_div_ps(a, b), x);
}
CT_INLINE vecf f32_max_where(vecf a, vecf x, mask32 m)
{
    return f32_choose(m, _mm256_max_ps(x, a), a);
}
CT_INLINE vecf f32_where_not(vecf a, mask32 m, vecf x)
{
    return _mm256_blendv_ps(a, x, _mm256_castsi256_ps(m));
}
CT_INLINE mask32 f32_reaches(vecf a, vecf b)
{
    return _mm256_castps_si256(_mm256_cmp_ps(a, b, _CMP_GE_OQ));
}
CT_INLINE float f32_top(vecf a)
{
    __m128 top = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    top = _mm_max_ps(top, _mm_movehl_ps(top, top));
    return _mm_cvtss_f32(_mm_max_ss(top, _mm_shuffle_ps(top, top, 1)));
}

/* ---- bytes by sixteen ---- */

#define VEC_BYTES16
CT_INLINE void bytes_below(const uint8_t *bytes, size_t n, uint8_t limit, uint16_t *bits)
{
    const __m128i limits = _mm_set1_epi8((char) limit);
    for (size_t i = 0; i < n; i++) {
        __m128i x = _mm_loadu_si128((const __m128i *) (const void *) (bytes + 16 * i));
        bits[i] = (uint16_t) ~_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(x, limits), x));
    }
}
/* The bit of 32 of them: it is moved to the top of each. */
CT_INLINE uint32_t bit_of_32(const uint16_t *bits, unsigned bit)
{
    const vec *from = (const vec *) (const void *) bits;
    const __m128i by = _mm_cvtsi32_si128((int) (15 - bit));
    vec low = _mm256_sll_epi16(_mm256_loadu_si256(from), by),
        high = _mm256_sll_epi16(_mm256_loadu_si256(from + 1), by);
    vec all = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8);
    return (uint32_t) _mm256_movemask_epi8(all);
}
CT_INLINE uint64_t bit_of_each(const uint16_t *bits, unsigned bit)
{
    return (uint64_t) bit_of_32(bits + 32, bit) << 32 | bit_of_32(bits, bit);
}

#undef LANE_OPS
#endif
