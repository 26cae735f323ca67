#include "exact/kernels/kernels.h"

#ifdef CT_HAVE_NEON
#define CT_VEC_NEON
#include "exact/kernels/isa.h"

CT_KERNELS(neon);
#endif
