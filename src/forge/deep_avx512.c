#include "forge/deep.h"

#ifdef CT_HAVE_X86
#include <immintrin.h>
#include <string.h>

#include "base/bits.h"
#include "base/simd/target.h"

CT_TARGET(CT_AVX512)
#define INLINE static inline __attribute__((always_inline))

/* ---- codes ---- */

enum { AT_ONCE = 4 }; /* vectors, whose loads do not wait for one another */

INLINE void code_vectors(const double *x, const ct_forge_ranked_column *column, int narrow,
                         int missing, uint16_t *codes)
{
    __m512d value[AT_ONCE];
    __m256i place[AT_ONCE];
#pragma GCC unroll 4
    for (unsigned k = 0; k < AT_ONCE; k++) {
        value[k] = _mm512_loadu_pd(x + 8 * k);
        if (narrow) value[k] = _mm512_cvtps_pd(_mm512_cvtpd_ps(value[k]));
        place[k] = _mm256_set1_epi32(1);
    }
    for (unsigned level = 0; level < column->bits; level++)
#pragma GCC unroll 4
        for (unsigned k = 0; k < AT_ONCE; k++) {
            __m512d pivot = _mm512_i32gather_pd(place[k], column->pivots, 8);
            __mmask8 above = _mm512_cmp_pd_mask(value[k], pivot, _CMP_NLE_UQ);
            place[k] = _mm256_add_epi32(place[k], place[k]);
            place[k] = _mm256_mask_add_epi32(place[k], above, place[k], _mm256_set1_epi32(1));
        }
#pragma GCC unroll 4
    for (unsigned k = 0; k < AT_ONCE; k++) {
        __mmask8 none = _mm512_cmp_pd_mask(value[k], value[k], _CMP_UNORD_Q);
        __m256i code = _mm256_sub_epi32(place[k], _mm256_set1_epi32((1 << column->bits) - 1));
        code = _mm256_mask_mov_epi32(code, none, _mm256_set1_epi32(missing));
        _mm_storeu_si128((__m128i *) (void *) (codes + 8 * k), _mm256_cvtepi32_epi16(code));
    }
}

void ct_forge_deep_codes_avx512(const double *x, const ct_forge_ranked_column *column, int narrow,
                                unsigned rows, uint16_t *codes)
{
    int nan_left = column->kind == CT_FORGE_NAN_LEFT || column->kind == CT_FORGE_ZERO_LEFT;
    for (unsigned row = 0; row < rows; row += 8 * AT_ONCE)
        code_vectors(x + row, column, narrow, nan_left ? 0 : UINT16_MAX, codes + row);
}

/* ---- walks ---- */

/* Words whose bit is set, behind the n that are there; how many there are now. */
INLINE uint32_t append(uint32_t *list, uint32_t n, __mmask16 which, __m512i words)
{
    _mm512_storeu_si512(list + n, _mm512_maskz_compress_epi32(which, words));
    return n + ct_popcount(which);
}

INLINE __mmask16 lanes_of(uint32_t n)
{
    return (__mmask16) (n < 16 ? (1u << n) - 1 : 0xffff);
}

/* The bits of a where low has ones, else of b. */
INLINE __m512i choose(__m512i low, __m512i a, __m512i b)
{
    return _mm512_ternarylogic_epi32(low, a, b, 0xca);
}

/* The node of a word, its bits as they are: doubles are loaded into vectors without a detour. */
INLINE double node_at(const uint64_t *nodes, uint32_t word)
{
    double bits;
    memcpy(&bits, &nodes[word / CT_FORGE_BLOCK], sizeof bits);
    return bits;
}

/* Eight nodes by loads of their own, of which more are under way at once than of gathers on some
 * processors. */
INLINE __m512i nodes_of(const uint64_t *nodes, const uint32_t *word)
{
#define NODE(k) node_at(nodes, word[k])
    return _mm512_castpd_si512(_mm512_setr_pd(NODE(0), NODE(1), NODE(2), NODE(3), NODE(4), NODE(5),
                                              NODE(6), NODE(7)));
#undef NODE
}

/* 16 rows one node down: their words, and which of them are at leaves. */
INLINE __m512i step(const uint64_t *nodes, const uint16_t *codes, const uint32_t *words,
                    __mmask16 *leaves)
{
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28,
                                           30),
                  row = _mm512_set1_epi32(CT_FORGE_BLOCK - 1), one = _mm512_set1_epi32(1);
    __m512i word = _mm512_loadu_si512(words);
    __m512i node0 = nodes_of(nodes, words), node1 = nodes_of(nodes, words + 8);
    __m512i test = _mm512_permutex2var_epi32(node0, even, node1);
    __m512i next = _mm512_permutex2var_epi32(node0, _mm512_or_si512(even, one), node1);
    __m512i at = choose(row, word, _mm512_slli_epi32(test, 9));
    at = _mm512_and_si512(at, _mm512_set1_epi32(0xffff * CT_FORGE_BLOCK + CT_FORGE_BLOCK - 1));
    /* The code is the higher half, as that of the test is in its word. */
    __m512i code = _mm512_i32gather_epi32(at, (const int *) (const void *) (codes - 1), 2);
    test = _mm512_or_si512(test, _mm512_set1_epi32(0xffff));
    __mmask16 right = _mm512_cmpgt_epu32_mask(code, test);
    *leaves = _mm512_test_epi32_mask(next, _mm512_mask_add_epi32(one, right, one, one));
    word = choose(row, word, next);
    return _mm512_mask_add_epi32(word, right, word, _mm512_set1_epi32(CT_FORGE_BLOCK));
}

void ct_forge_deep_walk_avx512(const ct_forge_plane_tree *tree, const uint16_t *codes,
                               const uint8_t *exits, uint32_t n, ct_forge_walk_lists *lists)
{
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    uint32_t *open = lists->open[0], *other = lists->open[1], *ends = lists->ends;
    uint32_t n_open = 0, n_ends = 0;
    for (uint32_t row = 0; row < n; row += 16) {
        __m128i exit = _mm_loadu_si128((const __m128i *) (const void *) (exits + row));
        __m512i entry = _mm512_i32gather_epi32(_mm512_cvtepu8_epi32(exit), tree->entry, 4);
        __m512i rows = _mm512_add_epi32(lanes, _mm512_set1_epi32((int) row));
        __mmask16 leaves = _mm512_test_epi32_mask(entry, _mm512_set1_epi32(1));
        __m512i word = choose(_mm512_set1_epi32(CT_FORGE_BLOCK - 1), rows, entry);
        n_open = append(open, n_open, lanes_of(n - row) & (__mmask16) ~leaves, word);
        n_ends = append(ends, n_ends, lanes_of(n - row) & leaves, word);
    }
    while (n_open) {
        uint32_t left = 0, *swapped = open;
        /* Beside the last rows is another that can go down as well. */
        _mm512_storeu_si512(open + n_open, _mm512_set1_epi32((int) open[0]));
        for (uint32_t i = 0; i < n_open; i += 16) {
            __mmask16 leaves, live = lanes_of(n_open - i);
            __m512i word = step(tree->nodes, codes, open + i, &leaves);
            left = append(other, left, live & (__mmask16) ~leaves, word);
            n_ends = append(ends, n_ends, live & leaves, word);
        }
        open = other;
        other = swapped;
        n_open = left;
    }
    CT_ASSERT(n_ends == n);
}
CT_TARGET_END
#endif
