#include "base/optimised.h"
#include "base/unguarded.h"

#include "forest/scan/scan.h"

#ifdef CT_HAVE_X86
#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "base/simd/target.h"

CT_TARGET(CT_AVX2)
#include "forest/scan/scan_wide.h"
#define VEC_BYTES 32
#define LOWER_OF(a, b) ((vec_u16) _mm256_min_epu16((__m256i) (a), (__m256i) (b)))
#define HIGHER_OF(a, b) ((vec_u16) _mm256_max_epu16((__m256i) (a), (__m256i) (b)))
#define MULTIPLY_HIGH(a, b) ((vec_u16) _mm256_mulhi_epu16((__m256i) (a), (__m256i) (b)))
#define MULTIPLY_LOW(a, b) ((vec_u64) _mm256_mul_epu32((__m256i) (a), (__m256i) (b)))

/* Lanes of both, one after the other: a[0], b[0], a[1] ... */
static inline void store_interleaved(uint32_t *to, __m256i a, __m256i b)
{
    const __m256i even = _mm256_unpacklo_epi64(a, b), odd = _mm256_unpackhi_epi64(a, b);
    _mm256_storeu_si256((__m256i *) (void *) to, _mm256_permute2x128_si256(even, odd, 0x20));
    _mm256_storeu_si256((__m256i *) (void *) (to + 8),
                        _mm256_permute2x128_si256(even, odd, 0x31));
}

#define STORE_INTERLEAVED(to, a, b) store_interleaved(to, (__m256i) (a), (__m256i) (b))
#define LOWEST_OF_EIGHT(a) ((uint16_t) _mm_cvtsi128_si32(_mm_minpos_epu16((__m128i) (a))))
static inline __attribute__((always_inline)) __m256i running(__m256i cells, const unsigned width)
{
    if (width == 8) return cells;
    return _mm256_add_epi32(cells, _mm256_permute2x128_si256(cells, cells, 0x08));
}

static inline __attribute__((always_inline)) __m256i last_bin(__m256i cells, const unsigned width)
{
    return width == 8 ? cells : _mm256_permute2x128_si256(cells, cells, 0x11);
}

#define RUNNING(cells, width) ((whole_u32) running((__m256i) (cells), width))
#define LAST_BIN(cells, width) ((whole_u32) last_bin((__m256i) (cells), width))
#include "forest/scan/rows_x86.h"
#include "forest/scan/scan_body.h"

const ct_scan ct_scan_avx2 = {gini, variance, small_gini, small_variance, NULL, above, range,
                              spread, beside, ranks, draws, below, ct_drawn_plain, ct_weights_plain,
                              part, partition_own, transpose};
CT_TARGET_END
#endif
