#include "base/simd/target.h"

CT_TARGET_ANY
#include "exact/kernels/isa_body.h"

CT_KERNELS(scalar);
