/* Arrays of the host to one block of memory on a device. */
#include <string.h>

#include "forge/offload/image.h"

void ct_forge_upload_add(ct_forge_upload *upload, void *to, const void *from, size_t count,
                         size_t size)
{
    CT_ASSERT(upload->n < CT_FORGE_UPLOAD_ARRAYS);
    upload->arrays[upload->n++] = (ct_forge_upload_array){to, from, count * size};
}

/* The bytes of all; addresses are those in `memory`. */
static size_t set_addresses(const ct_forge_upload *upload, char *memory)
{
    ct_gpu_cutter c = {memory, 0};
    for (unsigned i = 0; i < upload->n; i++) {
        void *at = ct_gpu_cut(&c, upload->arrays[i].bytes);
        memcpy(upload->arrays[i].to, &at, sizeof at);
    }
    return c.used;
}

static ct_status send_all(const ct_forge_upload *upload, const ct_gpu_stream *stream)
{
    for (unsigned i = 0; i < upload->n; i++) {
        void *at;
        memcpy(&at, upload->arrays[i].to, sizeof at);
        CT_TRY(ct_gpu_send(stream, at, upload->arrays[i].from, upload->arrays[i].bytes));
    }
    return CT_OK;
}

ct_status ct_forge_upload_send(const ct_forge_upload *upload, ct_gpu *gpu, ct_gpu_block *block,
                               ct_error *error)
{
    CT_ASSERT(gpu && !block->memory);
    size_t bytes = set_addresses(upload, NULL), room = 0;
    ct_gpu_stream stream = {NULL, NULL};
    ct_status status = ct_gpu_room(gpu, &room);
    if (status == CT_OK && bytes > room)
        return ct_fail(error, CT_NO_MEMORY,
                       "the trees take %.3g GB on the device, and %.3g GB are free",
                       (double) bytes / 1e9, (double) room / 1e9);
    if (status == CT_OK) status = ct_gpu_take(gpu, bytes, block);
    if (status == CT_OK) status = ct_gpu_stream_open(gpu, &stream);
    if (status == CT_OK) {
        (void) set_addresses(upload, (char *) block->memory);
        status = send_all(upload, &stream);
    }
    ct_gpu_stream_close(&stream); /* which waits */
    return status == CT_OK ? CT_OK : ct_fail(error, CT_NO_DEVICE, "%s", ct_gpu_why(gpu));
}
