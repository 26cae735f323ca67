#include "kernels/kernels.h"
#include "kernels/vec_scalar.h"
#include "kernels/isa_body.h"

CT_KERNELS(scalar, "scalar");
