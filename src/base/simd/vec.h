/* The vector vocabulary of one instruction set: a text written in these words is compiled once for
 * each. Define CT_VEC_AVX512, CT_VEC_AVX2 or CT_VEC_NEON before; else it is that of portable C.
 *
 * A vector is VEC_WORDS words of 64 bits, lanes from the lowest bits up. The names ask for nothing
 * that is not here, so that every set has all of them:
 *
 *   v_*     on bits: load, store, and, and_not(a, b) (a but not b), or, xor, not, fill (a word in
 *           all places), any (is a bit set), choose(s, a, b): a where s has ones, else b,
 *           majority(a, b, s): a | b where s has ones, else a & b
 *   l16_*   on 16-bit lanes, l32_* on 32-bit lanes, all signed and without overflow by the callers'
 *           limits: count (bits set), add, sub, max, min, half (x >> 1), set (a number in all
 *           lanes), scan (sum of the lanes up to each), last (the last lane in all lanes), top (the
 *           largest lane), occupied (lanes not 0), negative, above(a, b), both (of two masks),
 *           except (in a, not in b), max_where(a, x, m): the larger where m, else a; bits (of a
 *           mask, one a lane); times(counts, x): counts up to 32 times x, where the products fit
 *   l8_*    on unsigned 8-bit lanes: count, add, sub, max, set, top
 *   l16_wide(a, upper), l32_wide(a, upper)   the lanes of half the size in one half of a
 *   words_across   byte i of word j of 8 becomes byte j of word i
 *   blocks_across  bit i of byte j of a word becomes bit j of byte i, in 8 words
 *   l32_pair(a, b), l32_dot(pairs, x)   counts of the lanes of both in the lower and upper halves
 *           of lanes; the sum of both halves times those of x, which are below 2^15
 *   l32_after(a, b)   the last lane of b, and the lanes of a but for its last
 *   l64_*   on 64-bit lanes, fewer of them; of_bits (lowest bits as a mask), where (0 except where
 *           the mask is)
 *   word_count(word), word_select(word, k)   bits set, and the place of the (k + 1)-th
 *   transpose_bytes   64 bytes to complemented bit planes, of which the lowest n_planes are wanted
 *   extremes16   the largest and the smallest (bits of a) - (bits of b) over the prefixes of 16
 *           bits that end at a bit of `ties`; -128 and 128 or beyond without any
 *
 * Where VEC_LISTS is defined, else plain C does as well:
 *
 *   l32_*   load (of int32_t), of_bits (lowest bits as a mask; this with or without VEC_LISTS, and
 *           so is add_where), where (0 except where the mask is),
 *           same(a, b) as a mask, front(a, bits, places): the lanes whose bits are set, in front;
 *           places[b] has the places of the bits set in the byte b, a byte each; sum of all lanes,
 *           sums of four vectors at once, top_lane (the last one), squares: sums of their squares
 *           in 64-bit lanes; l64_sum the sum of these
 *   f32_*   single precision in the lanes of l32: of (numbers of l32), set, load, store, add, sub,
 *           mul, product (rounded before it is added to), max, and of the following choose,
 *           div_where and top; these with or without VEC_LISTS;
 *           div, lanes (0, 1, 2 ..), size (without its sign), where_not(a, m, x): x where the mask
 *           is, else a; choose(m, a, b): a where the mask is, else b; add_where(a, x, m): a + x
 *           where the mask is, else a (these two also of l32); div_where(a, b, m, x): a / b where
 *           the mask is, else x; max_where(a, x, m): x where the mask is and x > a, else a;
 *           reaches(a, b): where a >= b; top (the largest lane); l32_others(m): the lanes that are
 *           not in m
 *   word_pack(word, where)   the bits of those places, side by side from the lowest on
 *
 * Where VEC_BYTES16 is defined: bytes_below(bytes, n, limit, bits): of each of n times 16 bytes a
 * bit, whether it is below the limit; bit_of_each(bits, k): bit k of 64 such numbers. Both go by
 * 4 times 16 bytes and 64 numbers. Where VEC_LOOK_UP is, look_up() as in ct_kernels. */
#ifndef CT_BASE_SIMD_VEC_H
#define CT_BASE_SIMD_VEC_H

#if defined(CT_VEC_AVX512)
#include "base/simd/vec_avx512.h"
#elif defined(CT_VEC_AVX2)
#include "base/simd/vec_avx2.h"
#elif defined(CT_VEC_NEON)
#include "base/simd/vec_neon.h"
#else
#include "base/simd/vec_scalar.h"
#endif

#endif
