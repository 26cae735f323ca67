/* The vocabulary of vec_scalar.h on 128-bit vectors, for machines without AVX2: SSE4.2 and what comes with it. */
#ifndef CT_KERNELS_VEC_SSE4_H
#define CT_KERNELS_VEC_SSE4_H

#include "exact/kernels/vec_x86.h"

enum { VEC_WORDS = 2 };
typedef __m128i vec;

CT_INLINE unsigned word_select(uint64_t word, unsigned k) { return ct_select(word, k); }

CT_INLINE vec v_and(vec a, vec b) { return _mm_and_si128(a, b); }
CT_INLINE vec v_and_not(vec a, vec b) { return _mm_andnot_si128(b, a); }
CT_INLINE vec v_or(vec a, vec b) { return _mm_or_si128(a, b); }
CT_INLINE vec v_xor(vec a, vec b) { return _mm_xor_si128(a, b); }

#define MM(f) _mm_##f
#define MM_BITS(f) _mm_##f##_si128
CT_INLINE vec v_repeat(__m128i a) { return a; }

CT_INLINE vec l64_bits_of_lanes(void) { return _mm_set_epi64x(2, 1); }
#include "exact/kernels/vec_x86_lanes.h"

CT_INLINE vec l16_scan(vec a) { return l16_scan_part(a); }
CT_INLINE vec l32_scan(vec a) { return l32_scan_part(a); }
CT_INLINE vec l16_last(vec a) { return l16_last_part(a); }
CT_INLINE vec l32_last(vec a) { return l32_last_part(a); }

CT_INLINE int l16_top(vec a) { return top_of_8(a); }
CT_INLINE int l32_top(vec a) { return top_of_4(a); }

CT_INLINE uint32_t l16_bits(mask16 m) { return (uint32_t) _mm_movemask_epi8(_mm_packs_epi16(m, m)) & 0xff; }
CT_INLINE uint32_t l32_bits(mask32 m) { return (uint32_t) _mm_movemask_ps(_mm_castsi128_ps(m)); }

#undef MM
#undef MM_BITS
#endif
