#include "kernels/kernels.h"

#ifdef CT_HAVE_NEON
#include <limits.h>
#include <string.h>

#include "kernels/vec_neon.h"
#include "kernels/isa_body.h"

CT_KERNELS(neon, "neon");
#endif
