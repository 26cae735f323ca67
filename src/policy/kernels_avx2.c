#include "base/optimised.h"
#include "base/unguarded.h"

#include "policy/kernels.h"

#ifdef CT_HAVE_X86
#include "base/simd/target.h"

CT_TARGET(CT_AVX2)
#define CT_VEC_AVX2
#include "policy/kernels_isa.h"

CT_POLICY_SET(avx2);
CT_TARGET_END
#endif
