/* Templates: scans are written once for lanes of 16 and of 32 bits and for each kind of costs.
 *
 * A template is a header without a guard of its own. isa.h sets CT_LANE (16 or 32) and CT_KIND (a
 * word) and includes it; FN(name) is then the function `name` of that kind, L(name) the word `name`
 * of base/simd/vec.h for the lanes, MASK its masks. (Where nothing is set, as when a reader's tools
 * look at a template by itself, it stands for rows that cost 1 in lanes of 32 bits.)
 *
 * A block is the rows of one lane: in each vector they are numbered from the lowest bits up. */
#ifndef CT_EXACT_KERNELS_LANE_H
#define CT_EXACT_KERNELS_LANE_H

#include <limits.h>

#include "base/simd/vec.h"

#define CT_PASTE_(a, b) a##b
#define CT_PASTE(a, b) CT_PASTE_(a, b)
#define FN(name) CT_PASTE(name##_, CT_KIND)
#define MASK CT_PASTE(mask, CT_LANE)
#define L(name) CT_PASTE(CT_PASTE(l, CT_LANE), _##name)

/* The least number of a lane. */
#define CT_LOWEST (CT_LANE == 16 ? SHRT_MIN : INT_MIN)

/* A block of `lane` rows of a bit set that begins at words[0], as the lowest bits. */
CT_INLINE uint32_t bits_of_block(const uint64_t *words, size_t block, unsigned lane)
{
    size_t in_word = 64 / lane;
    return (uint32_t) (words[block / in_word] >> (block % in_word * lane) &
                       (UINT64_MAX >> (64 - lane)));
}

/* The number in the block's lane. */
CT_INLINE int number_of_block(const uint64_t *words, size_t block, unsigned lane)
{
    uint32_t bits = bits_of_block(words, block, lane);
    return lane == 16 ? (int16_t) bits : (int32_t) bits;
}

#define BLOCK(words, block) bits_of_block(words, block, CT_LANE)
#define NUMBER(words, block) number_of_block(words, block, CT_LANE)

CT_INLINE int ct_larger(int a, int b) { return a > b ? a : b; }
CT_INLINE int64_t ct_larger64(int64_t a, int64_t b) { return a > b ? a : b; }

#endif
