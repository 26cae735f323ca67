#include "exact/kernels/kernels.h"

#ifdef CT_HAVE_X86
#include <limits.h>
#include <string.h>

#include "base/bits.h"
#include "base/simd/target.h"

CT_TARGET(CT_AVX512)
#define CT_VEC_AVX512
#include "exact/kernels/isa.h"

CT_KERNELS(avx512);
CT_TARGET_END
#endif
