/* What planes need besides the vectors of vec.h, in portable C. */

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

/* Transposes an 8 x 8 block of bits: bit 8 i + j goes to 8 j + i. */
CT_INLINE uint64_t turned_block(uint64_t x)
{
    uint64_t t = (x ^ (x >> 7)) & UINT64_C(0x00aa00aa00aa00aa);
    x ^= t ^ (t << 7);
    t = (x ^ (x >> 14)) & UINT64_C(0x0000cccc0000cccc);
    x ^= t ^ (t << 14);
    t = (x ^ (x >> 28)) & UINT64_C(0x00000000f0f0f0f0);
    return x ^ t ^ (t << 28);
}

/* A word of each of eight planes to 64 bytes. */
CT_INLINE void plain_leaf_bytes(const uint64_t *planes, size_t stride, uint8_t *bytes)
{
    for (unsigned group = 0; group < 64; group += 8) {
        uint64_t block = 0;
        for (unsigned bit = 0; bit < 8; bit++)
            block |= (planes[bit * stride] >> group & 0xff) << (8 * bit);
        block = turned_block(block);
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
