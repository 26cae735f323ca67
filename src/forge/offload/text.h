/* A schedule's CUDA text on a device: its code, and the trees as it wants them. */
#ifndef CT_FORGE_OFFLOAD_TEXT_H
#define CT_FORGE_OFFLOAD_TEXT_H

#include "forge/offload/passes.h"
#include "forge/schedule/calls.h"

enum { CT_FORGE_DEVICE_TEXT_ROWS = 1 << 18 }; /* of a pass at most */

typedef struct {
    const ct_forge_scheduled *scheduled; /* borrowed */
    ct_forge_model model;                /* its arrays are on the device */
    ct_gpu_module module;
    void *begin, *nest, *end;      /* functions: forge/schedule/emit.h */
} ct_forge_device_text;

/* Compiles it for the device and loads it; sends the trees to the block. Both are the caller's to
 * give back, after a failure too. */
ct_status ct_forge_device_text_load(const ct_forge_scheduled *scheduled, ct_gpu *gpu,
                                    ct_gpu_block *trees, ct_forge_device_text *text,
                                    ct_error *error);

/* A pass by the text, as passes.h wants it: `of` is the ct_forge_device_text. */
size_t ct_forge_device_text_scratch(const void *of, uint32_t n_rows);
ct_status ct_forge_device_text_predict(const void *of, const ct_forge_pass *pass);

#endif
