#include "base/optimised.h"
#include "base/unguarded.h"

#include "forest/scan/scan.h"

#ifdef CT_HAVE_X86
#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "base/simd/target.h"

CT_TARGET(CT_AVX512)
#include "forest/scan/scan_wide.h"
#define VEC_BYTES 64
#define LOWER_OF(a, b) ((vec_u16) _mm512_min_epu16((__m512i) (a), (__m512i) (b)))
#define HIGHER_OF(a, b) ((vec_u16) _mm512_max_epu16((__m512i) (a), (__m512i) (b)))
#define MULTIPLY_HIGH(a, b) ((vec_u16) _mm512_mulhi_epu16((__m512i) (a), (__m512i) (b)))
#define MULTIPLY_LOW(a, b) ((vec_u64) _mm512_mul_epu32((__m512i) (a), (__m512i) (b)))

/* Lanes of both, one after the other: a[0], b[0], a[1] ... */
static inline void store_interleaved(uint32_t *to, __m512i a, __m512i b)
{
    const __m512i first = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11),
                  second = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    _mm512_storeu_si512(to, _mm512_permutex2var_epi64(a, first, b));
    _mm512_storeu_si512(to + 16, _mm512_permutex2var_epi64(a, second, b));
}

#define STORE_INTERLEAVED(to, a, b) store_interleaved(to, (__m512i) (a), (__m512i) (b))
#define LOWEST_OF_EIGHT(a) ((uint16_t) _mm_cvtsi128_si32(_mm_minpos_epu16((__m128i) (a))))
#define HALF_OF(from) _mm256_loadu_si256((const __m256i *) (const void *) (from))
#define WIDEN(from) _mm512_cvtepu16_epi32(HALF_OF(from))
#define WIDEN_SIGNED(from) _mm512_cvtepi16_epi32(HALF_OF(from))
#define ADD_ABOVE(sum, a, b, x) \
    ((vec_u16) _mm512_mask_add_epi16((__m512i) (sum), \
                                     _mm512_cmpgt_epi16_mask((__m512i) (a), (__m512i) (b)), \
                                     (__m512i) (sum), (__m512i) (x)))
typedef __mmask16 mask_f32;
#define ABOVE_F32(a, b, n) \
    _mm512_mask_cmp_ps_mask((__mmask16) _bzhi_u32(65535, (n) < 16 ? (n) : 16), (__m512) (a), \
                            (__m512) (b), _CMP_GT_OQ)
#define PICK_32(mask, a, b) _mm512_mask_mov_epi32((__m512i) (b), mask, (__m512i) (a))

static inline __attribute__((always_inline)) __m512i running(__m512i cells, const unsigned width)
{
    const __m512i none = _mm512_setzero_si512();
    if (width == 4) cells = _mm512_add_epi32(cells, _mm512_alignr_epi64(cells, none, 6));
    return _mm512_add_epi32(cells, _mm512_alignr_epi64(cells, none, 4));
}

static inline __attribute__((always_inline)) __m512i last_bin(__m512i cells, const unsigned width)
{
    if (width == 4) return _mm512_shuffle_i64x2(cells, cells, 0xff);
    return _mm512_shuffle_i64x2(cells, cells, 0xee);
}

#define RUNNING(cells, width) ((whole_u32) running((__m512i) (cells), width))
#define LAST_BIN(cells, width) ((whole_u32) last_bin((__m512i) (cells), width))
#include "forest/scan/rows_x86.h"
#include "forest/scan/scan_body.h"

#include "forest/scan/scan_subset.h"

const ct_scan ct_scan_avx512 = {gini, variance, small_gini, small_variance, subset_gini, above,
                                range, spread, beside, ranks, draws, below, drawn, small_weights,
                                part, partition_own, transpose};
CT_TARGET_END
#endif
