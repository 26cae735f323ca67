/* The vocabulary of vec_scalar.h on 256-bit vectors. */
#ifndef CT_KERNELS_VEC_AVX2_H
#define CT_KERNELS_VEC_AVX2_H

#include "exact/kernels/vec_x86.h"

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

#define MM(f) _mm256_##f
#define MM_BITS(f) _mm256_##f##_si256
CT_INLINE vec v_repeat(__m128i a) { return _mm256_broadcastsi128_si256(a); }

CT_INLINE vec l64_bits_of_lanes(void) { return _mm256_setr_epi64x(1, 2, 4, 8); }
#include "exact/kernels/vec_x86_lanes.h"

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
CT_INLINE vec l16_after(vec a, vec b) { return _mm256_alignr_epi8(a, _mm256_permute2x128_si256(b, a, 0x21), 14); }
CT_INLINE vec l32_after(vec a, vec b) { return _mm256_alignr_epi8(a, _mm256_permute2x128_si256(b, a, 0x21), 12); }
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
CT_INLINE uint32_t l32_bits(mask32 m) { return (uint32_t) _mm256_movemask_ps(_mm256_castsi256_ps(m)); }

#undef MM
#undef MM_BITS
#endif
