#include "pixels/kernels.h"

#ifdef CT_HAVE_X86
#include <string.h>

#include "base/bits.h"
#include "base/simd/target.h"

CT_TARGET(CT_AVX2)
#define CT_VEC_AVX2
#include "pixels/kernels_body.h"

const ct_pixel_kernels ct_pixel_kernels_avx2 = {corners, even, between};
CT_TARGET_END
#endif
