#include "exact/kernels/kernels.h"

#include <string.h>

#ifdef CT_HAVE_X86
static int machine_has_sse4(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
}

static int machine_has_avx2(void)
{
    return machine_has_sse4() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2");
}

static int machine_has_avx512(void)
{
    return machine_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("avx512vpopcntdq");
}
#endif

static int every_machine_has(void) { return 1; }

/* Best first. */
static const struct {
    const ct_kernels *kernels;
    int (*machine_has)(void);
} levels[] = {
#ifdef CT_HAVE_X86
    {&ct_kernels_avx512, machine_has_avx512},
    {&ct_kernels_avx2, machine_has_avx2},
    {&ct_kernels_sse4, machine_has_sse4},
#endif
#ifdef CT_HAVE_NEON
    {&ct_kernels_neon, every_machine_has}, /* part of the architecture */
#endif
    {&ct_kernels_scalar, every_machine_has},
};

const ct_kernels *ct_kernels_at(size_t i)
{
    for (size_t level = 0; level < sizeof levels / sizeof *levels; level++)
        if (levels[level].machine_has() && i-- == 0) return levels[level].kernels;
    return NULL;
}

const ct_kernels *ct_kernels_find(const char *name)
{
    const ct_kernels *kernels;
    if (!strcmp(name, "auto")) return ct_kernels_at(0);
    for (size_t i = 0; (kernels = ct_kernels_at(i)); i++)
        if (!strcmp(name, kernels->name)) return kernels;
    return NULL;
}
