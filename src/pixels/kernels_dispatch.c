#include "pixels/kernels.h"

const ct_pixel_kernels *ct_pixel_kernels_at(ct_simd level)
{
    switch (level) {
#ifdef CT_HAVE_X86
    case CT_SIMD_AVX512: return &ct_pixel_kernels_avx512;
    case CT_SIMD_AVX2: return &ct_pixel_kernels_avx2;
#endif
#ifdef CT_HAVE_NEON
    case CT_SIMD_NEON: return &ct_pixel_kernels_neon;
#endif
    default: return &ct_pixel_kernels_scalar;
    }
}
