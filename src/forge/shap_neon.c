#include "forge/shap_kernel.h"

#ifdef CT_HAVE_NEON
#include <stddef.h>

#define VEC_BYTES 16
#define NAME ct_forge_shap_neon
#include "forge/shap_body.h"
#endif
