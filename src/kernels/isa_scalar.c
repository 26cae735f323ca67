#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-var-tracking", "no-var-tracking-assignments") /* see isa_body.h */
#endif

#include "kernels/kernels.h"
#include "kernels/vec_scalar.h"
#include "kernels/isa_body.h"

CT_KERNELS(scalar, "scalar");
