/* What planes need besides the vectors of vec.h, in portable C. */
#include <string.h>

#include "base/bits.h"

/* Ranks of `rows` values; the search tree is walked without branches. */
CT_INLINE void plain_ranks(const double *x, const ct_forge_search *search, unsigned rows,
                           uint8_t *out, uint64_t *same)
{
    const float *pivots = search->pivots;
    unsigned bits = search->bits;
    if (search->exact) memset(same, 0, rows / 64 * sizeof *same);
    for (unsigned row = 0; row < rows; row++) {
        float value = (float) x[row];
        uint32_t i = 1;
        for (unsigned level = 0; level < bits; level++) i = 2 * i + !(value <= pivots[i]);
        i -= 1u << bits;
        out[row] = (uint8_t) i;
        if (search->exact)
            same[row / 64] |= (uint64_t) (value == search->rounded[i]) << row % 64;
    }
}

/* A word of each of eight planes to 64 bytes. */
CT_INLINE void plain_leaf_bytes(const uint64_t *planes, size_t stride, uint8_t *bytes)
{
    for (unsigned group = 0; group < 64; group += 8) {
        uint64_t block = 0;
        for (unsigned bit = 0; bit < 8; bit++)
            block |= (planes[bit * stride] >> group & 0xff) << (8 * bit);
        block = ct_transpose8(block);
        for (unsigned row = 0; row < 8; row++) bytes[group + row] = (uint8_t) (block >> (8 * row));
    }
}

#define PLAIN_LOOPS                                                                                \
    static void ranks(const double *x, const ct_forge_search *search, unsigned rows, uint8_t *out, \
                      uint64_t *same)                                                              \
    {                                                                                              \
        plain_ranks(x, search, rows, out, same);                                                   \
    }                                                                                              \
    static void add32(float *sums, const float *terms, unsigned bits, const uint8_t *leaf,         \
                      unsigned rows)                                                               \
    {                                                                                              \
        (void) bits;                                                                               \
        for (unsigned row = 0; row < rows; row++) sums[row] += terms[leaf[row]];                   \
    }                                                                                              \
    static void add64(double *sums, const double *terms, const uint8_t *slices, unsigned bits,     \
                      const uint8_t *leaf, unsigned rows)                                          \
    {                                                                                              \
        (void) bits, (void) slices;                                                                \
        for (unsigned row = 0; row < rows; row++) sums[row] += terms[leaf[row]];                   \
    }
