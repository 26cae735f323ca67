#include "evolve/gram.h"

#ifdef CT_HAVE_X86
#include "base/simd/target.h"

CT_TARGET(CT_AVX2)
#define VEC_BYTES 32
#include "evolve/gram_body.h"

const ct_gram_kernels ct_gram_avx2 = {add, sum, pivots, join, join_lanes};
CT_TARGET_END
#endif
