#include "forge/planes.h"

#ifdef CT_HAVE_X86
#include <string.h>

#include "base/bits.h"
#include "base/simd/target.h"

CT_TARGET(CT_AVX512)
#define CT_VEC_AVX512
#include "base/simd/vec.h"

/* table_k: table[i], of 16 k floats in registers; higher bits of i do not count. */
CT_INLINE __m512 table_1(const __m512 *table, __m512i i)
{
    return _mm512_permutexvar_ps(i, table[0]);
}
CT_INLINE __m512 table_2(const __m512 *table, __m512i i)
{
    return _mm512_permutex2var_ps(table[0], i, table[1]);
}
#define TABLE(k, half)                                                                             \
    CT_INLINE __m512 table_##k(const __m512 *table, __m512i i)                                     \
    {                                                                                              \
        __mmask16 above = _mm512_test_epi32_mask(i, _mm512_set1_epi32(16 * half));                 \
        return _mm512_mask_blend_ps(above, table_##half(table, i), table_##half(table + half, i)); \
    }
TABLE(4, 2)
TABLE(8, 4)
TABLE(16, 8)

/* Where `bits` is constant, so is what is called. */
CT_INLINE __m512 table_of(unsigned bits, const __m512 *table, __m512i i)
{
    switch (bits) {
    case 8: return table_16(table, i);
    case 7: return table_8(table, i);
    case 6: return table_4(table, i);
    case 5: return table_2(table, i);
    default: return table_1(table, i);
    }
}

/* ---- ranks ---- */

/* 16 values on their way down a search tree. */
typedef struct {
    __m512 x, least; /* the least pivot so far that is not below x; NaN: none */
    __m512i i;
} descent;

CT_INLINE void rank_step(descent *d, __m512 pivot, int exact)
{
    __mmask16 above = _mm512_cmp_ps_mask(d->x, pivot, _CMP_NLE_UQ);
    d->i = _mm512_add_epi32(d->i, d->i);
    d->i = _mm512_mask_add_epi32(d->i, above, d->i, _mm512_set1_epi32(1));
    if (exact) d->least = _mm512_mask_blend_ps(above, pivot, d->least);
}

/* The ranks of 16 values; the pivots of levels 0 to 3 are in the first vector. */
CT_INLINE __m512i ranks_of_16(const double *x, const __m512 *pivots, unsigned bits, int exact,
                              __mmask16 *same)
{
    __m256 low = _mm512_cvtpd_ps(_mm512_loadu_pd(x)),
           high = _mm512_cvtpd_ps(_mm512_loadu_pd(x + 8));
    descent d = {_mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1),
                 _mm512_set1_ps(__builtin_nanf("")), _mm512_set1_epi32(1)};
#pragma GCC unroll 8
    for (unsigned level = 0; level < bits; level++) {
        const __m512 *from = level < 4 ? pivots : pivots + (1u << (level - 4));
        rank_step(&d, table_of(level, from, d.i), exact);
    }
    if (exact) *same = _mm512_cmp_ps_mask(d.x, d.least, _CMP_EQ_OQ);
    return _mm512_sub_epi32(d.i, _mm512_set1_epi32(1 << bits));
}

CT_INLINE void ranks_at(const double *x, const float *sorted, unsigned bits, int exact,
                        unsigned rows, uint8_t *out, uint64_t *same)
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    __m512 pivots[16] = {_mm512_setzero_ps()}; /* those not loaded are not read */
    for (unsigned v = 0; v < (bits < 4 ? 1 : 1u << (bits - 4)); v++)
        pivots[v] = _mm512_loadu_ps(sorted + 16 * v);
    for (unsigned row = 0; row < rows; row += 64) {
        __m512i r[4];
        __mmask16 equal[4];
#pragma GCC unroll 4
        for (unsigned k = 0; k < 4; k++)
            r[k] = ranks_of_16(x + row + 16 * k, pivots, bits, exact, &equal[k]);
        __m512i bytes = _mm512_packus_epi16(_mm512_packus_epi32(r[0], r[1]),
                                            _mm512_packus_epi32(r[2], r[3]));
        _mm512_storeu_si512(out + row, _mm512_permutexvar_epi32(order, bytes));
        if (exact)
            same[row / 64] = equal[0] | (uint64_t) equal[1] << 16 | (uint64_t) equal[2] << 32 |
                             (uint64_t) equal[3] << 48;
    }
}

static void ranks(const double *x, const ct_forge_search *search, unsigned rows, uint8_t *out,
                  uint64_t *same)
{
#define RANKS(bits)                                                                                \
    case bits:                                                                                     \
        if (search->exact) ranks_at(x, search->pivots, bits, 1, rows, out, same);                  \
        else ranks_at(x, search->pivots, bits, 0, rows, out, NULL);                                \
        break
    switch (search->bits) {
        RANKS(2);
        RANKS(3);
        RANKS(4);
        RANKS(5);
        RANKS(6);
        RANKS(7);
        RANKS(8);
    default: CT_ASSERT(0); /* packed with 2 to 8 */
    }
#undef RANKS
}

/* ---- planes of leaf numbers to a byte a row ---- */

/* Elements of a and b in turn, from the lower and from the higher half of each quarter. */
#define UNPACK(type, a, b, low, high)                                                              \
    do {                                                                                           \
        __m512i a_ = a, b_ = b;                                                                    \
        low = _mm512_unpacklo_##type(a_, b_);                                                      \
        high = _mm512_unpackhi_##type(a_, b_);                                                     \
    } while (0)

/* Quarter q of vector k has eight bytes of planes for each eight rows from row 128 q + 16 k on. */
CT_INLINE void store_quarters(const __m512i *quarters, uint8_t *bytes)
{
    const __m512i columns = _mm512_set1_epi64((long long) 0x8040201008040201);
    __m512i transposed[4], pair[4];
    for (unsigned k = 0; k < 4; k++) /* 8 x 8 blocks of bits, transposed */
        transposed[k] = _mm512_gf2p8affine_epi64_epi8(columns, quarters[k], 0);
    pair[0] = _mm512_shuffle_i64x2(transposed[0], transposed[1], 0x44);
    pair[1] = _mm512_shuffle_i64x2(transposed[2], transposed[3], 0x44);
    pair[2] = _mm512_shuffle_i64x2(transposed[0], transposed[1], 0xee);
    pair[3] = _mm512_shuffle_i64x2(transposed[2], transposed[3], 0xee);
    for (unsigned half = 0; half < 2; half++) {
        __m512i low = pair[2 * half], high = pair[2 * half + 1];
        _mm512_storeu_si512(bytes + 256 * half, _mm512_shuffle_i64x2(low, high, 0x88));
        _mm512_storeu_si512(bytes + 256 * half + 128, _mm512_shuffle_i64x2(low, high, 0xdd));
    }
}

CT_INLINE void leaf_bytes(const vec *planes, uint8_t *bytes)
{
    __m512i two[2][4], four[2], more[2], quarters[4];
    for (unsigned i = 0; i < 4; i++) /* from the highest on, as what transposes reads them */
        UNPACK(epi8, planes[7 - 2 * i], planes[6 - 2 * i], two[0][i], two[1][i]);
    for (unsigned odd = 0; odd < 2; odd++) { /* words of 64 rows */
        UNPACK(epi16, two[odd][0], two[odd][1], four[0], four[1]);
        UNPACK(epi16, two[odd][2], two[odd][3], more[0], more[1]);
        UNPACK(epi32, four[0], more[0], quarters[0], quarters[1]);
        UNPACK(epi32, four[1], more[1], quarters[2], quarters[3]);
        store_quarters(quarters, bytes + 64 * odd);
    }
}

#include "forge/planes_body.h"

/* ---- sums ---- */

CT_INLINE void add_terms(float *sums, const float *terms, unsigned bits, const uint8_t *leaf,
                         unsigned rows)
{
    __m512 table[16] = {_mm512_setzero_ps()};
    for (unsigned v = 0; v < (bits < 4 ? 1 : 1u << (bits - 4)); v++)
        table[v] = _mm512_loadu_ps(terms + 16 * v);
    for (unsigned row = 0; row < rows; row += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *) (const void *) (leaf + row));
        __m512 term = table_of(bits, table, _mm512_cvtepu8_epi32(bytes));
        _mm512_storeu_ps(sums + row, _mm512_add_ps(_mm512_loadu_ps(sums + row), term));
    }
}

static void add32(float *sums, const float *terms, unsigned bits, const uint8_t *leaf,
                  unsigned rows)
{
    float padded[16] = {0};
    switch (bits) {
    case 8: add_terms(sums, terms, 8, leaf, rows); break;
    case 7: add_terms(sums, terms, 7, leaf, rows); break;
    case 6: add_terms(sums, terms, 6, leaf, rows); break;
    case 5: add_terms(sums, terms, 5, leaf, rows); break;
    case 4: add_terms(sums, terms, 4, leaf, rows); break;
    default:
        memcpy(padded, terms, sizeof *terms << bits); /* no more is there to be read */
        add_terms(sums, padded, 3, leaf, rows);
    }
}

/* terms[i] of eight doubles in each vector of the table, of which there are one, two or four. */
CT_INLINE __m512d look_up_8(unsigned bits, const __m512d *table, __m512i i)
{
    if (bits <= 3) return _mm512_permutexvar_pd(i, table[0]);
    __m512d low = _mm512_permutex2var_pd(table[0], i, table[1]);
    if (bits == 4) return low;
    __m512d high = _mm512_permutex2var_pd(table[2], i, table[3]);
    return _mm512_mask_blend_pd(_mm512_test_epi64_mask(i, _mm512_set1_epi64(16)), low, high);
}

CT_INLINE void add_gathered(double *sums, const double *terms, unsigned bits, const uint8_t *leaf,
                            unsigned rows)
{
    __m512d table[4] = {_mm512_setzero_pd()};
    for (unsigned v = 0; v < (bits < 3 ? 1 : 1u << (bits - 3)); v++)
        table[v] = _mm512_maskz_loadu_pd((__mmask8) (bits < 3 ? (1u << (1u << bits)) - 1 : 0xff),
                                         terms + 8 * v);
    for (unsigned row = 0; row < rows; row += 8) {
        __m128i bytes = _mm_loadl_epi64((const __m128i *) (const void *) (leaf + row));
        __m512d term = look_up_8(bits, table, _mm512_cvtepu8_epi64(bytes));
        _mm512_storeu_pd(sums + row, _mm512_add_pd(_mm512_loadu_pd(sums + row), term));
    }
}

CT_INLINE __m512i look_up_64(const uint8_t *slice, unsigned bits, __m512i i)
{
    if (bits == 6) return _mm512_permutexvar_epi8(i, _mm512_loadu_si512(slice));
    __m512i low = _mm512_permutex2var_epi8(_mm512_loadu_si512(slice), i,
                                           _mm512_loadu_si512(slice + 64));
    if (bits == 7) return low;
    __m512i high = _mm512_permutex2var_epi8(_mm512_loadu_si512(slice + 128), i,
                                            _mm512_loadu_si512(slice + 192));
    return _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(i), high);
}

/* Bytes of terms are looked up 64 rows at a time, and put together: gathers of terms take two to
 * three times as long. Leaves are in an order that comes out as that of rows. */
CT_INLINE void add_slices(double *sums, const uint8_t *slices, unsigned bits, const uint8_t *leaf,
                          unsigned rows)
{
    /* byte 16 l + 2 j + i is that of row 8 j + 2 l + i */
    const __m512i order =
        _mm512_setr_epi64(0x1918111009080100, 0x3938313029282120,
                          0x1b1a13120b0a0302, 0x3b3a33322b2a2322,
                          0x1d1c15140d0c0504, 0x3d3c35342d2c2524,
                          0x1f1e17160f0e0706, 0x3f3e37362f2e2726);
    for (unsigned row = 0; row < rows; row += 64) {
        __m512i i = _mm512_permutexvar_epi8(order, _mm512_loadu_si512(leaf + row));
        __m512i bytes[8], pairs[2][4], four[2], more[2], joined[8];
#pragma GCC unroll 8
        for (unsigned k = 0; k < 8; k++)
            bytes[k] = look_up_64(slices + ((size_t) k << bits), bits, i);
#pragma GCC unroll 4
        for (unsigned k = 0; k < 4; k++)
            UNPACK(epi8, bytes[2 * k], bytes[2 * k + 1], pairs[0][k], pairs[1][k]);
#pragma GCC unroll 2
        for (unsigned k = 0; k < 2; k++) {
            UNPACK(epi16, pairs[k][0], pairs[k][1], four[0], four[1]);
            UNPACK(epi16, pairs[k][2], pairs[k][3], more[0], more[1]);
            UNPACK(epi32, four[0], more[0], joined[4 * k], joined[4 * k + 1]);
            UNPACK(epi32, four[1], more[1], joined[4 * k + 2], joined[4 * k + 3]);
        }
#pragma GCC unroll 8
        for (unsigned k = 0; k < 8; k++) {
            double *sum = sums + row + 8 * k;
            __m512d term = _mm512_castsi512_pd(joined[k]);
            _mm512_storeu_pd(sum, _mm512_add_pd(_mm512_loadu_pd(sum), term));
        }
    }
}

static void add64(double *sums, const double *terms, const uint8_t *slices, unsigned bits,
                  const uint8_t *leaf, unsigned rows)
{
    switch (bits) {
    case 8: add_slices(sums, slices, 8, leaf, rows); break;
    case 7: add_slices(sums, slices, 7, leaf, rows); break;
    case 6: add_slices(sums, slices, 6, leaf, rows); break;
    case 5: add_gathered(sums, terms, 5, leaf, rows); break;
    case 4: add_gathered(sums, terms, 4, leaf, rows); break;
    default: add_gathered(sums, terms, bits, leaf, rows);
    }
}

/* Half a block is half the memory with half the vector, which sets of rows gain more by. */
static void leaves_of_some(const ct_forge_plane_tree *tree, const uint64_t *table, unsigned words,
                           uint8_t *leaf)
{
    if (tree->kind == CT_FORGE_REACH && words <= VEC_WORDS / 2)
        ct_forge_planes_avx2.leaves(tree, table, words, leaf);
    else
        leaves(tree, table, words, leaf);
}

const ct_forge_planes ct_forge_planes_avx512 = {VEC_WORDS / 2, ranks, tests, leaves_of_some, add32,
                                                add64, ct_forge_deep_codes_avx512,
                                                ct_forge_deep_walk_avx512};
CT_TARGET_END
#endif
