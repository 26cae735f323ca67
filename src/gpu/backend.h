/* The operations of a device; gpu.c does the rest and is the only caller. Each function returns
 * CT_OK, or CT_NO_DEVICE with a message in *why. Calls may come from any thread. */
#ifndef CT_GPU_BACKEND_H
#define CT_GPU_BACKEND_H

#include "base/status.h"
#include "gpu/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    /* Sets up device `number` for the calling thread. `close` gives it back as it was found. */
    ct_status (*open)(int number, void **device, ct_error *why);
    void (*close)(void *device);
    /* How much memory there is to take. */
    ct_status (*room)(void *device, size_t *bytes, ct_error *why);
    /* Memory on the device, aligned to 256 bytes, or of the host, for fast transfers. Giving takes
     * NULL. */
    ct_status (*take)(void *device, size_t bytes, int on_host, void **memory, ct_error *why);
    void (*give)(void *device, int on_host, void *memory);
    /* A stream does what it is told one after the other. It is freed when it has done what it was
     * told; takes NULL. */
    ct_status (*stream_new)(void *device, void **stream, ct_error *why);
    void (*stream_free)(void *device, void *stream);
    ct_status (*copy)(void *device, void *stream, void *to, const void *from, size_t bytes,
                      int to_host, ct_error *why);
    ct_status (*launch)(void *device, void *stream, const ct_gpu_kernel *kernel,
                        const ct_gpu_grid *grid, const void *arguments, ct_error *why);
    ct_status (*drain)(void *device, void *stream, ct_error *why); /* until all is done */
    /* An event is a place in a stream. Freeing takes NULL. */
    ct_status (*event_new)(void *device, void **event, ct_error *why);
    void (*event_free)(void *device, void *event);
    /* Puts it at the stream's end. */
    ct_status (*mark)(void *device, void *stream, void *event, ct_error *why);
    /* Until it is reached. */
    ct_status (*wait)(void *device, void *event, ct_error *why);
    /* Code that was compiled at run time; NULL in backends that run none, and these have no
     * `launch`. `capability`: as in 90. Unloading takes NULL, and waits for nothing. */
    int (*capability)(const void *device);
    ct_status (*load)(void *device, const void *code, void **module, ct_error *why);
    void (*unload)(void *device, void *module);
    ct_status (*find)(void *device, void *module, const char *name, void **function,
                      ct_error *why);
    ct_status (*call)(void *device, void *stream, void *function, const ct_gpu_shape *shape,
                      void **arguments, ct_error *why);
} ct_backend;

extern const ct_backend ct_backend_twin;
/* By CUDA's driver, which is opened at run time: in every build. */
extern const ct_backend ct_backend_driver;
/* NULL in a build without CUDA. */
const ct_backend *ct_backend_cuda(void);

#ifdef __cplusplus
}
#endif

#endif
