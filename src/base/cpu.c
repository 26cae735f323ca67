#include "base/cpu.h"

#include <string.h>

#include "base/status.h"

static const char *const names[CT_N_SIMD] = {"avx512", "avx2", "neon", "scalar"};

const char *ct_simd_name(ct_simd level)
{
    CT_ASSERT(level >= 0 && level < CT_N_SIMD);
    return names[level];
}

#ifdef CT_HAVE_X86
/* The sets that base/simd/target.h names. */
static int machine_has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

static int machine_has_avx512(void)
{
    return machine_has_avx2() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512bitalg") &&
           __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("gfni");
}
#endif

int ct_cpu_has(ct_simd level)
{
    switch (level) {
    case CT_SIMD_SCALAR: return 1;
#ifdef CT_HAVE_NEON
    case CT_SIMD_NEON: return 1; /* part of the architecture */
#endif
#ifdef CT_HAVE_X86
    case CT_SIMD_AVX2: return machine_has_avx2();
    case CT_SIMD_AVX512: return machine_has_avx512();
#endif
    default: return 0;
    }
}

ct_simd ct_cpu_find(const char *name)
{
    CT_ASSERT(name);
    int any = !strcmp(name, "auto");
    for (int level = 0; level < CT_N_SIMD; level++)
        if ((any || !strcmp(name, names[level])) && ct_cpu_has((ct_simd) level))
            return (ct_simd) level;
    return CT_N_SIMD;
}
