#include "base/optimised.h"
#include "base/unguarded.h"

#include "policy/kernels.h"

#ifdef CT_HAVE_X86
#include "base/simd/target.h"

CT_TARGET(CT_AVX512)
#define CT_VEC_AVX512
#include "policy/kernels_isa.h"

CT_POLICY_SET(avx512);
CT_TARGET_END
#endif
