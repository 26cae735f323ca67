#include "kernels/kernels.h"

#include <string.h>

#ifdef CT_HAVE_X86
static int machine_has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

static int machine_has_avx512(void)
{
    return machine_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("avx512vpopcntdq");
}
#endif

const ct_kernels *ct_kernels_find(const char *name)
{
    int any = !strcmp(name, "auto");
#ifdef CT_HAVE_X86
    if ((any || !strcmp(name, "avx512")) && machine_has_avx512()) return &ct_kernels_avx512;
    if ((any || !strcmp(name, "avx2")) && machine_has_avx2()) return &ct_kernels_avx2;
#endif
    return any || !strcmp(name, "scalar") ? &ct_kernels_scalar : NULL;
}
