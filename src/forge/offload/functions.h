/* A pass by the functions of kernels.h, as passes.h wants it: `of` is the ct_forged_view. */
#ifndef CT_FORGE_OFFLOAD_FUNCTIONS_H
#define CT_FORGE_OFFLOAD_FUNCTIONS_H

#include "forge/offload/passes.h"
#include "forge/offload/views.h"

uint32_t ct_forge_functions_rows(const ct_forged_view *forest);
size_t ct_forge_functions_scratch(const void *of, uint32_t n_rows);
ct_status ct_forge_functions_predict(const void *of, const ct_forge_pass *pass);

#endif
