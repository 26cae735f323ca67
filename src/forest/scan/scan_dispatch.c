#include "forest/scan/scan.h"

const ct_scan *ct_scan_at(ct_simd level)
{
    switch (level) {
#ifdef CT_HAVE_X86
    case CT_SIMD_AVX512: return &ct_scan_avx512;
    case CT_SIMD_AVX2: return &ct_scan_avx2;
#endif
#ifdef CT_HAVE_NEON
    case CT_SIMD_NEON: return &ct_scan_neon;
#endif
    default: return &ct_scan_scalar;
    }
}
