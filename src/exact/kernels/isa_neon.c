#include "exact/kernels/kernels.h"

#ifdef CT_HAVE_NEON
#include <limits.h>
#include <string.h>

#include "exact/kernels/vec_neon.h"
#include "exact/kernels/isa_body.h"

CT_KERNELS(neon, "neon");
#endif
