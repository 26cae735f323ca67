#include "policy/kernels.h"

#include "base/status.h"

const ct_policy_kernel *ct_policy_kernels_at(ct_simd level, uint32_t lanes)
{
    CT_ASSERT(lanes == 4 || lanes == 8 || lanes == 16 || (lanes && lanes % 32 == 0));
    const unsigned width = lanes == 4 ? 0 : lanes == 8 ? 1 : lanes == 16 ? 2 : lanes == 32 ? 3 : 4;
    if (width == CT_POLICY_WIDTHS) return &ct_policy_scalar;
    switch (level) {
#ifdef CT_HAVE_X86
    case CT_SIMD_AVX512: return &ct_policy_avx512[width];
    case CT_SIMD_AVX2: return &ct_policy_avx2[width];
#endif
#ifdef CT_HAVE_NEON
    case CT_SIMD_NEON: return &ct_policy_neon[width];
#endif
    default: return &ct_policy_scalar;
    }
}
