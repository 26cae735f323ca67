#include "evolve/gram.h"

#ifdef CT_HAVE_X86
#include "base/simd/target.h"

CT_TARGET(CT_AVX512)
#define VEC_BYTES 64
#include "evolve/gram_body.h"

const ct_gram_kernels ct_gram_avx512 = {add, sum, pivots, join, join_lanes};
CT_TARGET_END
#endif
