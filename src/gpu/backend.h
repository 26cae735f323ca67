/* What a device must be able to do; queue.c does the rest. Each function but `why` returns 0 or a code for `why`. */
#ifndef CT_GPU_BACKEND_H
#define CT_GPU_BACKEND_H

#include "gpu/views.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    /* Sets up device `number` for the calling thread. `close` gives it back as it was found. */
    int (*open)(int number, void **device);
    void (*close)(void *device);
    int (*room)(void *device, size_t *bytes); /* how much memory there is to take */
    int (*take)(void *device, size_t bytes, void **memory); /* on the device, aligned to 256 bytes */
    void (*give)(void *device, void *memory);               /* takes NULL */
    int (*take_host)(void *device, size_t bytes, void **memory); /* on the host, for fast transfers */
    void (*give_host)(void *device, void *memory);
    /* A stream does what it is told one after the other. */
    int (*stream_new)(void *device, void **stream);
    void (*stream_free)(void *device, void *stream); /* when it has done what it was told; takes NULL */
    int (*send)(void *device, void *stream, void *to, const void *from, size_t bytes);
    int (*fetch)(void *device, void *stream, void *to, const void *from, size_t bytes);
    int (*launch)(void *device, void *stream, ct_gpu_kernel kernel, const ct_gpu_views *views, size_t items);
    int (*mark)(void *device, void *stream, unsigned slot); /* the end of the slot's batch */
    int (*wait)(void *device, void *stream, unsigned slot); /* until that is reached */
    void (*why)(int code, char *text, size_t size);
} ct_backend;

extern const ct_backend ct_backend_twin;
/* NULL in a build without CUDA. */
const ct_backend *ct_backend_cuda(void);

#ifdef __cplusplus
}
#endif

#endif
