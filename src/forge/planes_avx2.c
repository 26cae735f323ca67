#include "forge/planes.h"

#ifdef CT_HAVE_X86
#include <string.h>

#include "base/bits.h"
#include "base/simd/target.h"

CT_TARGET(CT_AVX2)
#define CT_VEC_AVX2
#include "base/simd/vec.h"

/* ---- ranks ---- */

/* The top of the search tree is in registers: eight pivots, and once eight or sixteen more, are
 * looked up by the lowest bits of the place. */
CT_INLINE __m256i rank_step(__m256 x, __m256 pivot, __m256i i)
{
    __m256i above = _mm256_castps_si256(_mm256_cmp_ps(x, pivot, _CMP_NLE_UQ));
    return _mm256_sub_epi32(_mm256_add_epi32(i, i), above);
}

CT_INLINE __m256i ranks_of_8(__m256 x, const float *pivots, unsigned bits)
{
    __m256 top = _mm256_loadu_ps(pivots);
    __m256i i = _mm256_set1_epi32(1);
    for (unsigned level = 0; level < (bits < 3 ? bits : 3); level++)
        i = rank_step(x, _mm256_permutevar8x32_ps(top, i), i);
    if (bits > 3) i = rank_step(x, _mm256_permutevar8x32_ps(_mm256_loadu_ps(pivots + 8), i), i);
    if (bits > 4) {
        __m256 low = _mm256_permutevar8x32_ps(_mm256_loadu_ps(pivots + 16), i);
        __m256 high = _mm256_permutevar8x32_ps(_mm256_loadu_ps(pivots + 24), i);
        __m256 eighth = _mm256_castsi256_ps(_mm256_slli_epi32(i, 28));
        i = rank_step(x, _mm256_blendv_ps(low, high, eighth), i);
    }
    for (unsigned level = 5; level < bits; level++)
        i = rank_step(x, _mm256_i32gather_ps(pivots, i, 4), i);
    return _mm256_sub_epi32(i, _mm256_set1_epi32(1 << bits));
}

/* Loads eight doubles as floats. */
CT_INLINE __m256 floats_at(const double *x)
{
    return _mm256_set_m128(_mm256_cvtpd_ps(_mm256_loadu_pd(x + 4)),
                           _mm256_cvtpd_ps(_mm256_loadu_pd(x)));
}

CT_INLINE __m256i leaves_of_8(const uint8_t *leaf)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *) (const void *) leaf));
}

static uint64_t same_floats(const double *x, const ct_forge_search *search, const uint8_t *ranks)
{
    uint64_t rows = 0;
    for (unsigned row = 0; row < 64; row += 8) {
        __m256 threshold = _mm256_i32gather_ps(search->rounded, leaves_of_8(ranks + row), 4);
        __m256 equal = _mm256_cmp_ps(floats_at(x + row), threshold, _CMP_EQ_OQ);
        rows |= (uint64_t) (unsigned) _mm256_movemask_ps(equal) << row;
    }
    return rows;
}

static void ranks(const double *x, const ct_forge_search *search, unsigned rows, uint8_t *out,
                  uint64_t *same)
{
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    for (unsigned row = 0; row < rows; row += 32) {
        __m256i r[4];
        for (unsigned k = 0; k < 4; k++)
            r[k] = ranks_of_8(floats_at(x + row + 8 * k), search->pivots, search->bits);
        __m256i bytes = _mm256_packus_epi16(_mm256_packus_epi32(r[0], r[1]),
                                            _mm256_packus_epi32(r[2], r[3]));
        _mm256_storeu_si256((__m256i *) (void *) (out + row),
                            _mm256_permutevar8x32_epi32(bytes, order));
    }
    for (unsigned row = 0; search->exact && row < rows; row += 64)
        same[row / 64] = same_floats(x + row, search, out + row);
}

/* ---- planes of leaf numbers to a byte a row ---- */

/* Transposes 8 x 8 blocks of bits: bit 8 i + j of each goes to 8 j + i. */
CT_INLINE __m256i transpose_blocks(__m256i x)
{
#define TRANSPOSE_STEP(shift, mask)                                                                \
    do {                                                                                           \
        __m256i t = _mm256_and_si256(_mm256_xor_si256(x, _mm256_srli_epi64(x, shift)),             \
                                     _mm256_set1_epi64x(mask));                                    \
        x = _mm256_xor_si256(_mm256_xor_si256(x, t), _mm256_slli_epi64(t, shift));                 \
    } while (0)
    TRANSPOSE_STEP(7, 0x00aa00aa00aa00aa);
    TRANSPOSE_STEP(14, 0x0000cccc0000cccc);
    TRANSPOSE_STEP(28, 0x00000000f0f0f0f0);
#undef TRANSPOSE_STEP
    return x;
}

/* Two blocks of 16 rows, of a word and of the one after the next. */
CT_INLINE void store_rows(__m256i blocks, uint8_t *bytes)
{
    blocks = transpose_blocks(blocks);
    _mm_storeu_si128((__m128i *) (void *) bytes, _mm256_castsi256_si128(blocks));
    _mm_storeu_si128((__m128i *) (void *) (bytes + 128), _mm256_extracti128_si256(blocks, 1));
}

/* Eight bytes of planes side by side for each eight rows of words 0 and 2, from pairs of planes. */
CT_INLINE void store_words(__m256i p01, __m256i p23, __m256i p45, __m256i p67, uint8_t *bytes)
{
    __m256i low = _mm256_unpacklo_epi16(p01, p23), high = _mm256_unpackhi_epi16(p01, p23);
    __m256i low2 = _mm256_unpacklo_epi16(p45, p67), high2 = _mm256_unpackhi_epi16(p45, p67);
    store_rows(_mm256_unpacklo_epi32(low, low2), bytes);
    store_rows(_mm256_unpackhi_epi32(low, low2), bytes + 16);
    store_rows(_mm256_unpacklo_epi32(high, high2), bytes + 32);
    store_rows(_mm256_unpackhi_epi32(high, high2), bytes + 48);
}

CT_INLINE void leaf_bytes(const vec *p, uint8_t *bytes)
{
    store_words(_mm256_unpacklo_epi8(p[0], p[1]), _mm256_unpacklo_epi8(p[2], p[3]),
                _mm256_unpacklo_epi8(p[4], p[5]), _mm256_unpacklo_epi8(p[6], p[7]), bytes);
    store_words(_mm256_unpackhi_epi8(p[0], p[1]), _mm256_unpackhi_epi8(p[2], p[3]),
                _mm256_unpackhi_epi8(p[4], p[5]), _mm256_unpackhi_epi8(p[6], p[7]), bytes + 64);
}

#include "forge/planes_body.h"

/* ---- sums ---- */

static void add32(float *sums, const float *terms, unsigned bits, const uint8_t *leaf,
                  unsigned rows)
{
    (void) bits;
    for (unsigned row = 0; row < rows; row += 8) {
        __m256 term = _mm256_i32gather_ps(terms, leaves_of_8(leaf + row), 4);
        _mm256_storeu_ps(sums + row, _mm256_add_ps(_mm256_loadu_ps(sums + row), term));
    }
}

/* Four loads of their own: what gathers doubles takes twice as long on some processors. */
static void add64(double *sums, const double *terms, const uint8_t *slices, unsigned bits,
                  const uint8_t *leaf, unsigned rows)
{
    (void) slices, (void) bits;
    for (unsigned row = 0; row < rows; row += 4) {
        const uint8_t *at = leaf + row;
        __m128d low = _mm_loadh_pd(_mm_load_sd(terms + at[0]), terms + at[1]);
        __m128d high = _mm_loadh_pd(_mm_load_sd(terms + at[2]), terms + at[3]);
        __m256d sum = _mm256_add_pd(_mm256_loadu_pd(sums + row), _mm256_set_m128d(high, low));
        _mm256_storeu_pd(sums + row, sum);
    }
}

const ct_forge_planes ct_forge_planes_avx2 = {VEC_WORDS, ranks, tests, leaves, add32, add64,
                                              ct_forge_deep_codes, ct_forge_deep_walk};
CT_TARGET_END
#endif
