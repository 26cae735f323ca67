/* Counting and searching in 64-bit words, in portable C. Hot loops have versions of their own in
 * base/simd/. */
#ifndef CT_BASE_BITS_H
#define CT_BASE_BITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* For what a hot path shares with a rare one: it costs the hot path no call. CT_FLAT: all that this
 * function calls in its file becomes part of it. */
#if defined(__GNUC__)
#define CT_HOT static inline __attribute__((always_inline))
#define CT_FLAT __attribute__((flatten))
#else
#define CT_HOT static inline
#define CT_FLAT
#endif

/* Four numbers of 16 bits as the bytes of an array of them. */
static inline uint64_t ct_word_of_four(uint16_t a, uint16_t b, uint16_t c, uint16_t d)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return (uint64_t) a << 48 | (uint64_t) b << 32 | (uint32_t) c << 16 | d;
#else
    return (uint64_t) d << 48 | (uint64_t) c << 32 | (uint32_t) b << 16 | a;
#endif
}

/* Number of bits set. */
static inline unsigned ct_popcount(uint64_t word)
{
    word -= (word >> 1) & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + ((word >> 2) & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned) ((word * UINT64_C(0x0101010101010101)) >> 56);
}

/* Transposes an 8 x 8 block of bits: bit 8 i + j goes to 8 j + i. */
CT_HOT uint64_t ct_transpose8(uint64_t x)
{
    uint64_t t = (x ^ (x >> 7)) & UINT64_C(0x00aa00aa00aa00aa);
    x ^= t ^ (t << 7);
    t = (x ^ (x >> 14)) & UINT64_C(0x0000cccc0000cccc);
    x ^= t ^ (t << 14);
    t = (x ^ (x >> 28)) & UINT64_C(0x00000000f0f0f0f0);
    return x ^ t ^ (t << 28);
}

/* Byte i of word j becomes byte j of word i. */
static inline void ct_transpose_bytes(const uint64_t in[8], uint64_t out[8])
{
    for (unsigned i = 0; i < 8; i++) {
        out[i] = 0;
        for (unsigned j = 0; j < 8; j++) out[i] |= (in[j] >> 8 * i & 0xff) << 8 * j;
    }
}

/* The lowest `count` bits set; count in 0..63. */
static inline uint64_t ct_low_bits(unsigned count)
{
    CT_ASSERT(count < 64);
    return (UINT64_C(1) << count) - 1;
}

/* Number of zero bits below the lowest one set; word not 0. */
static inline unsigned ct_trailing_zeros(uint64_t word)
{
    CT_ASSERT(word != 0);
#if defined(__GNUC__)
    return (unsigned) __builtin_ctzll(word);
#else
    return ct_popcount((word & (~word + 1)) - 1);
#endif
}

/* Number of bits needed to write `value`; 0 for 0. */
static inline unsigned ct_bit_width(uint64_t value)
{
#if defined(__GNUC__)
    return value ? 64 - (unsigned) __builtin_clzll(value) : 0;
#else
    unsigned width = 0;
    while (value) width++, value >>= 1;
    return width;
#endif
}

/* The bits of those places, side by side from the lowest on. */
static inline uint64_t ct_pack(uint64_t word, uint64_t where)
{
    uint64_t packed = 0;
    for (unsigned n = 0; where; where &= where - 1, n++)
        packed |= (word >> ct_trailing_zeros(where) & 1) << n;
    return packed;
}

/* Position of the (k+1)-th bit set; k below the number of bits set. Halves the word by prefix
 * counts of its bytes. */
static inline unsigned ct_select(uint64_t word, unsigned k)
{
    CT_ASSERT(k < ct_popcount(word));
    uint64_t pairs = word - ((word >> 1) & UINT64_C(0x5555555555555555));
    uint64_t nibbles = (pairs & UINT64_C(0x3333333333333333)) +
                       ((pairs >> 2) & UINT64_C(0x3333333333333333));
    uint64_t before =
        (((nibbles + (nibbles >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * UINT64_C(0x0101010101010101))
        << 8;
    unsigned byte = 0;
    for (unsigned step = 32; step >= 8; step /= 2)
        if ((before >> (byte + step) & 0xff) <= k) byte += step;
    unsigned rest = k - (unsigned) (before >> byte & 0xff);
    CT_ASSERT(byte < 64 && rest < 8);
    word >>= byte;
    while (rest--) word &= word - 1;
    return byte + ct_trailing_zeros(word);
}

static inline int ct_bit(const uint64_t *words, size_t position)
{
    CT_ASSERT(words != NULL);
    return (int) (words[position / 64] >> (position % 64) & 1);
}

#endif
