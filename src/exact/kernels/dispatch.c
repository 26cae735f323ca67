/* Which kernels the search has: those of the best instruction set, or of one by name. */
#include "exact/kernels/kernels.h"

/* NULL: not of this architecture. */
static const ct_kernels *const by_level[CT_N_SIMD] = {
#ifdef CT_HAVE_X86
    [CT_SIMD_AVX512] = &ct_kernels_avx512,
    [CT_SIMD_AVX2] = &ct_kernels_avx2,
#endif
#ifdef CT_HAVE_NEON
    [CT_SIMD_NEON] = &ct_kernels_neon,
#endif
    [CT_SIMD_SCALAR] = &ct_kernels_scalar,
};

const ct_kernels *ct_kernels_at(size_t i)
{
    for (int level = 0; level < CT_N_SIMD; level++)
        if (ct_cpu_has((ct_simd) level) && i-- == 0) return by_level[level];
    return NULL;
}

const ct_kernels *ct_kernels_find(const char *name)
{
    ct_simd level = ct_cpu_find(name);
    return level < CT_N_SIMD ? by_level[level] : NULL;
}
