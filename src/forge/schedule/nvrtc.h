/* CUDA text to PTX, or to a device's own code, by NVRTC, NVIDIA's compiler as a library, where it
 * is installed. It is opened at run time: nothing is linked against CUDA. */
#ifndef CT_FORGE_SCHEDULE_NVRTC_H
#define CT_FORGE_SCHEDULE_NVRTC_H

#include "forge/schedule/text.h"

/* architecture: such as "compute_80", which gives PTX, or "sm_80", which gives that device's own
 * code. CT_NO_DEVICE where there is no NVRTC, CT_BAD_INPUT with what it says where the text does
 * not compile. */
ct_status ct_forge_nvrtc_compile(const char *text, const char *architecture, ct_forge_text *code,
                                 ct_error *error);

#endif
