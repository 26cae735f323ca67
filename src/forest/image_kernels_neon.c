#include "forest/image_kernels.h"

#ifdef CT_HAVE_NEON
#define CT_VEC_NEON
#include "forest/image_kernels_body.h"

const ct_image_kernels ct_image_kernels_neon = {corners, even, between};
#endif
