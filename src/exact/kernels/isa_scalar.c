#include "base/cpu.h"
#include "base/simd/target.h"

/* Few x86-64 processors have no AVX2: half the code for them, which takes 1.4 times as long. */
#if defined(CT_HAVE_X86) && defined(__GNUC__) && !defined(__clang__) && !defined(CT_DEBUG)
CT_PRAGMA(GCC optimize("Os", "no-var-tracking", "no-var-tracking-assignments"))
#else
CT_TARGET_ANY
#endif
#include "exact/kernels/isa.h"

CT_KERNELS(scalar);
