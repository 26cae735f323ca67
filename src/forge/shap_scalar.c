#include "forge/shap_kernel.h"

#include <stddef.h>

#define VEC_BYTES 16
#define NAME ct_forge_shap_scalar
#include "forge/shap_body.h"
