/* A forest laid out for a device, and its upload. */
#ifndef CT_FORGE_OFFLOAD_IMAGE_H
#define CT_FORGE_OFFLOAD_IMAGE_H

#include "forge/offload/views.h"
#include "forge/run.h"
#include "gpu/gpu.h"

/* Whether trees can be networks on a device: none is deeper than CT_FORGE_NETWORK_DEPTH. */
int ct_forge_has_networks(const ct_forged *forged);

/* Fills the view, whose arrays are the block's: the caller's to give back, after a failure too.
 * CT_FORGE_WAY_AUTO: networks where they can be, else walks. any_order: sums are the same in any
 * order of the trees. CT_BAD_INPUT where a device does not predict so, CT_NO_MEMORY where it, or
 * the host, has none for them, CT_NO_DEVICE. */
ct_status ct_forge_send(const ct_forged *forged, ct_forge_way way, int any_order, ct_gpu *gpu,
                        ct_gpu_block *block, ct_forged_view *view, ct_error *error);

/* An array to be sent in one block: where its address on the device is kept, and where it is. */
typedef struct {
    void *to; /* a pointer */
    const void *from;
    size_t bytes;
} ct_forge_upload_array;

enum { CT_FORGE_UPLOAD_ARRAYS = 24 };

typedef struct {
    ct_forge_upload_array arrays[CT_FORGE_UPLOAD_ARRAYS];
    unsigned n;
} ct_forge_upload;

void ct_forge_upload_add(ct_forge_upload *upload, void *to, const void *from, size_t count,
                         size_t size);
/* Sends all arrays, which stay as they are until it returns. CT_NO_MEMORY, CT_NO_DEVICE. */
ct_status ct_forge_upload_send(const ct_forge_upload *upload, ct_gpu *gpu, ct_gpu_block *block,
                               ct_error *error);

#endif
