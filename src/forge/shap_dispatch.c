#include "forge/shap_kernel.h"

ct_shap_kernel *ct_shap_at(ct_simd level)
{
    switch (level) {
#ifdef CT_HAVE_X86
    case CT_SIMD_AVX512: return ct_shap_avx512;
    case CT_SIMD_AVX2: return ct_shap_avx2;
#endif
#ifdef CT_HAVE_NEON
    case CT_SIMD_NEON: return ct_shap_neon;
#endif
    default: return ct_shap_scalar;
    }
}
