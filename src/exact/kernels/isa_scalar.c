#include "base/simd/target.h"

CT_TARGET_ANY
#include "exact/kernels/isa.h"

CT_KERNELS(scalar);
