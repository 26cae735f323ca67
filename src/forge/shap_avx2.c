#include "forge/shap_kernel.h"

#ifdef CT_HAVE_X86
#include <stddef.h>

#include "base/simd/target.h"

CT_TARGET(CT_AVX2)
#define VEC_BYTES 32
#define NAME ct_forge_shap_avx2
#include "forge/shap_body.h"
CT_TARGET_END
#endif
