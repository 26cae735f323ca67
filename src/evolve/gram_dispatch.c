#include "evolve/gram.h"

const ct_gram_kernels *ct_gram_at(ct_simd level)
{
    switch (level) {
#ifdef CT_HAVE_X86
    case CT_SIMD_AVX512: return &ct_gram_avx512;
    case CT_SIMD_AVX2: return &ct_gram_avx2;
#endif
#ifdef CT_HAVE_NEON
    case CT_SIMD_NEON: return &ct_gram_neon;
#endif
    default: return &ct_gram_scalar;
    }
}
