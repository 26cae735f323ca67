#include "pixels/kernels.h"

#ifdef CT_HAVE_NEON
#define CT_VEC_NEON
#include "pixels/kernels_body.h"

const ct_pixel_kernels ct_pixel_kernels_neon = {corners, even, between};
#endif
