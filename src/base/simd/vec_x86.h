/* What vec_avx2.h and vec_avx512.h share: words, and blocks of 16 bits in 128-bit vectors. Either
 * of them defines bytes_of(), which this needs. */
#ifndef CT_BASE_SIMD_VEC_X86_H
#define CT_BASE_SIMD_VEC_X86_H

#include <immintrin.h>

#include "base/bits.h"
#include "base/simd/rounded.h"

#define CT_INLINE static inline __attribute__((always_inline))

CT_INLINE unsigned word_count(uint64_t word) { return (unsigned) __builtin_popcountll(word); }

CT_INLINE uint64_t word_pack(uint64_t word, uint64_t where) { return _pext_u64(word, where); }

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
    return 255 -
           (_mm_cvtsi128_si32(_mm_minpos_epu16(_mm_min_epu8(x, _mm_srli_epi16(x, 8)))) & 0xff);
}

CT_INLINE void extremes16(uint32_t a, uint32_t b, uint32_t ties, int *high, int *low)
{
    const __m128i middle = _mm_set1_epi8((char) 128), legal = bytes_of(ties);
    __m128i net = _mm_sub_epi8(bytes_of(b), bytes_of(a));
    net = _mm_add_epi8(net, _mm_slli_si128(net, 1));
    net = _mm_add_epi8(net, _mm_slli_si128(net, 2));
    net = _mm_add_epi8(net, _mm_slli_si128(net, 4));
    net = _mm_add_epi8(net, _mm_slli_si128(net, 8));
    *high = top_byte(_mm_and_si128(_mm_add_epi8(net, middle), legal)) - 128;
    *low = 128 - top_byte(_mm_and_si128(_mm_sub_epi8(middle, net), legal));
}

#define CT_BYTES_WHERE
/* The sum of the bytes where `members` has bits; of 32 bytes, of which the last 16 need not be
 * there where they are not asked for. */
CT_INLINE int bytes_where(uint32_t members, const uint8_t *bytes)
{
    const __m128i zero = _mm_setzero_si128();
    __m128i low = _mm_and_si128(_mm_loadu_si128((const __m128i *) (const void *) bytes),
                                bytes_of(members & 0xffff));
    __m128i sum = _mm_sad_epu8(low, zero);
    if (members >> 16) {
        __m128i high = _mm_and_si128(_mm_loadu_si128((const __m128i *) (const void *) (bytes + 16)),
                                     bytes_of(members >> 16));
        sum = _mm_add_epi64(sum, _mm_sad_epu8(high, zero));
    }
    return _mm_cvtsi128_si32(sum) + _mm_extract_epi16(sum, 4);
}

/* extremes16 where each row counts as much as its byte: no more than 16 * 255. Without ties beyond
 * +-20000. */
CT_INLINE void extremes16_by_row(uint32_t a, uint32_t b, uint32_t ties, const uint8_t *bytes,
                                 int *high, int *low)
{
    const __m128i nowhere = _mm_set1_epi16(20000);
    __m128i costs = _mm_loadu_si128((const __m128i *) (const void *) bytes), legal = bytes_of(ties);
    __m128i plus = _mm_and_si128(costs, bytes_of(a)), minus = _mm_and_si128(costs, bytes_of(b));
    __m128i first = _mm_sub_epi16(_mm_cvtepu8_epi16(plus), _mm_cvtepu8_epi16(minus));
    __m128i second = _mm_sub_epi16(_mm_cvtepu8_epi16(_mm_srli_si128(plus, 8)),
                                   _mm_cvtepu8_epi16(_mm_srli_si128(minus, 8)));
    first = _mm_add_epi16(first, _mm_slli_si128(first, 2));
    second = _mm_add_epi16(second, _mm_slli_si128(second, 2));
    first = _mm_add_epi16(first, _mm_slli_si128(first, 4));
    second = _mm_add_epi16(second, _mm_slli_si128(second, 4));
    first = _mm_add_epi16(first, _mm_slli_si128(first, 8));
    second = _mm_add_epi16(second, _mm_slli_si128(second, 8));
    second = _mm_add_epi16(second, _mm_shuffle_epi8(first, _mm_set1_epi16(0x0f0e)));
    __m128i of_first = _mm_cvtepi8_epi16(legal);
    __m128i of_second = _mm_cvtepi8_epi16(_mm_srli_si128(legal, 8));
    __m128i least = _mm_sub_epi16(_mm_setzero_si128(), nowhere);
    *high = top_of_8(_mm_max_epi16(_mm_blendv_epi8(least, first, of_first),
                                   _mm_blendv_epi8(least, second, of_second)));
    least = _mm_min_epi16(_mm_blendv_epi8(nowhere, first, of_first),
                          _mm_blendv_epi8(nowhere, second, of_second));
    *low = -top_of_8(_mm_sub_epi16(_mm_setzero_si128(), least));
}

#endif
