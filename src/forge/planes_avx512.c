#include "forge/planes.h"

#ifdef CT_HAVE_X86
#include <string.h>

#include "base/bits.h"
#include "base/simd/target.h"

CT_TARGET(CT_AVX512)
#define CT_VEC_AVX512
#include "base/simd/vec.h"
#include "forge/planes_x86.h"

CT_INLINE void leaf_bytes(const vec *planes, uint8_t *bytes)
{
    __m256i low[8], high[8];
    for (unsigned bit = 0; bit < 8; bit++) {
        low[bit] = _mm512_castsi512_si256(planes[bit]);
        high[bit] = _mm512_extracti64x4_epi64(planes[bit], 1);
    }
    bytes_of_planes(low, bytes);
    bytes_of_planes(high, bytes + 256);
}

#include "forge/planes_body.h"

const ct_planes ct_planes_avx512 = {VEC_WORDS, load, ranks, same, tests, leaves, add32, add64};
CT_TARGET_END
#endif
