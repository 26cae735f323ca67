#include "exact/kernels/kernels.h"

#ifdef CT_HAVE_X86
#include <limits.h>
#include <string.h>

#include "base/bits.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("sse4.2,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC optimize("no-var-tracking", "no-var-tracking-assignments") /* see isa_body.h */
#pragma GCC target("sse4.2,popcnt")
#endif

#include "exact/kernels/vec_sse4.h"
#define CT_COSTS_IN_SCALAR 1
#include "exact/kernels/isa_body.h"

CT_KERNELS(sse4, "sse4");

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
