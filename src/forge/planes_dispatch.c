#include "forge/planes.h"

const ct_forge_planes *ct_planes_at(ct_simd level)
{
    switch (level) {
#ifdef CT_HAVE_X86
    case CT_SIMD_AVX512: return &ct_planes_avx512;
    case CT_SIMD_AVX2: return &ct_planes_avx2;
#endif
#ifdef CT_HAVE_NEON
    case CT_SIMD_NEON: return &ct_planes_neon;
#endif
    default: return &ct_planes_scalar;
    }
}
