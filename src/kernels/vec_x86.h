/* What vec_sse4.h, vec_avx2.h and vec_avx512.h share: words, and blocks of 16 bits. They define word_select() and
 * bytes_of(), which extremes16 needs. All that stands here has to do with SSE4.2 and POPCNT. */
#ifndef CT_KERNELS_VEC_X86_H
#define CT_KERNELS_VEC_X86_H

#include <immintrin.h>

#include "core/bits.h"

#define CT_INLINE static inline __attribute__((always_inline))

CT_INLINE unsigned word_count(uint64_t word) { return (unsigned) __builtin_popcountll(word); }

/* The largest of 8 signed 16-bit numbers, of 4 with 32 bits. */
CT_INLINE int top_of_8(__m128i x)
{
    const __m128i most = _mm_set1_epi16(0x7fff);
    return 0x7fff - (_mm_cvtsi128_si32(_mm_minpos_epu16(_mm_sub_epi16(most, x))) & 0xffff);
}

CT_INLINE int top_of_4(__m128i x)
{
    x = _mm_max_epi32(x, _mm_shuffle_epi32(x, 0x4e));
    return _mm_cvtsi128_si32(_mm_max_epi32(x, _mm_shuffle_epi32(x, 0xb1)));
}

/* Bytes of all ones where the 16 bits are set. */
CT_INLINE __m128i bytes_of(uint32_t bits);

/* The largest byte of 16, as unsigned numbers. */
CT_INLINE int top_byte(__m128i x)
{
    x = _mm_xor_si128(x, _mm_set1_epi8(-1));
    return 255 - (_mm_cvtsi128_si32(_mm_minpos_epu16(_mm_min_epu8(x, _mm_srli_epi16(x, 8)))) & 0xff);
}

CT_INLINE void extremes16(uint32_t a, uint32_t b, uint32_t ties, int *high, int *low)
{
    const __m128i middle = _mm_set1_epi8((char) 128);
    __m128i net = _mm_sub_epi8(bytes_of(b), bytes_of(a)), legal = bytes_of(ties);
    net = _mm_add_epi8(net, _mm_slli_si128(net, 1));
    net = _mm_add_epi8(net, _mm_slli_si128(net, 2));
    net = _mm_add_epi8(net, _mm_slli_si128(net, 4));
    net = _mm_add_epi8(net, _mm_slli_si128(net, 8));
    *high = top_byte(_mm_and_si128(_mm_add_epi8(net, middle), legal)) - 128;
    *low = 128 - top_byte(_mm_and_si128(_mm_sub_epi8(middle, net), legal));
}

#endif
