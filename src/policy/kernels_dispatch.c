#include "policy/kernels.h"

static const ct_policy_kernel *by_level(ct_simd level)
{
    switch (level) {
#ifdef CT_HAVE_X86
    case CT_SIMD_AVX512: return ct_policy_avx512;
    case CT_SIMD_AVX2: return ct_policy_avx2;
#endif
#ifdef CT_HAVE_NEON
    case CT_SIMD_NEON: return ct_policy_neon;
#endif
    default: return ct_policy_scalar;
    }
}

const ct_policy_kernel *ct_policy_kernels_at(ct_simd level, uint32_t lanes)
{
    const unsigned width = lanes == 4 ? 0 : lanes == 8 ? 1 : lanes == 16 ? 2 : lanes == 32 ? 3 : 4;
    return by_level(level) + width;
}
