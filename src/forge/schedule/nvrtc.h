/* CUDA text to PTX by NVRTC, NVIDIA's compiler as a library, where it is installed. It is opened at
 * run time: nothing is linked against CUDA. */
#ifndef CT_FORGE_SCHEDULE_NVRTC_H
#define CT_FORGE_SCHEDULE_NVRTC_H

#include "forge/schedule/text.h"

/* architecture: such as "compute_80". CT_NO_DEVICE where there is no NVRTC, CT_BAD_INPUT with what
 * it says where the text does not compile. */
ct_status ct_nvrtc_compile(const char *text, const char *architecture, ct_text *ptx,
                           ct_error *error);

#endif
