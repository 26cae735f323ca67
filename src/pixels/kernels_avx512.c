#include "pixels/kernels.h"

#ifdef CT_HAVE_X86
#include <string.h>

#include "base/bits.h"
#include "base/simd/target.h"

CT_TARGET(CT_AVX512)
#define CT_VEC_AVX512
#include "pixels/kernels_body.h"

const ct_pixel_kernels ct_pixel_kernels_avx512 = {corners, even, between};
CT_TARGET_END
#endif
