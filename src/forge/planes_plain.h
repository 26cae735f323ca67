/* What planes need besides the vectors of vec.h, in portable C. */
#include "base/bits.h"

CT_INLINE void plain_load(const double *x, unsigned rows, float *to)
{
    for (unsigned row = 0; row < rows; row++) to[row] = (float) x[row];
}

CT_INLINE uint64_t plain_same(const float *x, const ct_search *search, const uint8_t *ranks)
{
    uint64_t same = 0;
    for (unsigned row = 0; row < 64; row++)
        same |= (uint64_t) (x[row] == search->rounded[ranks[row]]) << row;
    return same;
}

/* Ranks of `rows` values; the search tree is walked without branches. */
CT_INLINE void plain_ranks(const float *x, const ct_search *search, unsigned rows, uint8_t *out)
{
    const float *pivots = search->pivots;
    unsigned bits = search->bits;
    for (unsigned row = 0; row < rows; row++) {
        uint32_t i = 1;
        for (unsigned level = 0; level < bits; level++) i = 2 * i + !(x[row] <= pivots[i]);
        out[row] = (uint8_t) (i - (1u << bits));
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

CT_INLINE void plain_add32(float *sums, const float *terms, const uint8_t *leaf, unsigned rows)
{
    for (unsigned row = 0; row < rows; row++) sums[row] += terms[leaf[row]];
}

CT_INLINE void plain_add64(double *sums, const double *terms, const uint8_t *leaf, unsigned rows)
{
    for (unsigned row = 0; row < rows; row++) sums[row] += terms[leaf[row]];
}

#define PLAIN_LOOPS                                                                                \
    static void load(const double *x, unsigned rows, float *to) { plain_load(x, rows, to); }       \
    static uint64_t same(const float *x, const ct_search *search, const uint8_t *ranks)            \
    {                                                                                              \
        return plain_same(x, search, ranks);                                                       \
    }                                                                                              \
    static void ranks(const float *x, const ct_search *search, unsigned rows, uint8_t *out)        \
    {                                                                                              \
        plain_ranks(x, search, rows, out);                                                         \
    }                                                                                              \
    static void add32(float *sums, const float *terms, const uint8_t *leaf, unsigned rows)         \
    {                                                                                              \
        plain_add32(sums, terms, leaf, rows);                                                      \
    }                                                                                              \
    static void add64(double *sums, const double *terms, const uint8_t *leaf, unsigned rows)       \
    {                                                                                              \
        plain_add64(sums, terms, leaf, rows);                                                      \
    }
