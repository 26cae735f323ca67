#include "forge/shap_kernel.h"

#ifdef CT_HAVE_X86
#include <stddef.h>

#include "base/simd/target.h"

CT_TARGET(CT_AVX512)
#define VEC_BYTES 64
#define NAME ct_forge_shap_avx512
#include "forge/shap_body.h"
CT_TARGET_END
#endif
