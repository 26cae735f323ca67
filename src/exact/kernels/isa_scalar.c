#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-var-tracking", "no-var-tracking-assignments") /* see isa_body.h */
#endif

#include "exact/kernels/kernels.h"
#include "exact/kernels/vec_scalar.h"
#include "exact/kernels/isa_body.h"

CT_KERNELS(scalar, "scalar");
