#include "exact/kernels/kernels.h"

#ifdef CT_HAVE_X86
#include <limits.h>
#include <string.h>

#include "base/bits.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bitalg,avx512vpopcntdq,avx2,bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC optimize("no-var-tracking", "no-var-tracking-assignments") /* see isa_body.h */
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512bitalg,avx512vpopcntdq,avx2,bmi,bmi2,popcnt,lzcnt")
#endif

#include "exact/kernels/vec_avx512.h"
#include "exact/kernels/isa_body.h"

CT_KERNELS(avx512, "avx512");

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
