/* Which GPUs there are: plain C, no CUDA type and no CUDA header passes through it.
 *
 * device.cu answers where the package was built with CUDA, device_stub.c elsewhere, so that callers
 * need no #ifdef. Nothing here prints, exits or leaves an error behind in the CUDA runtime. */
#ifndef CT_GPU_DEVICE_H
#define CT_GPU_DEVICE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CT_DEVICE_MAX = 16 }; /* devices beyond are not listed and not used */

typedef struct {
    char name[256];
    size_t memory;    /* bytes on the device */
    int major, minor; /* compute capability */
} ct_device;

typedef struct {
    int compiled;     /* 1: this build has CUDA code */
    int n_devices;    /* devices described below; 0 means that none can be used */
    char reason[256]; /* why there is no device; empty when there is one */
    ct_device device[CT_DEVICE_MAX];
} ct_device_list;

/* Fills the caller's *list. Never fails: whatever is wrong is told in `reason`. Asks the driver and
 * nothing more, so no memory is taken on a device. The first call takes as long as loading the
 * driver takes. */
void ct_device_query(ct_device_list *list);

#ifdef __cplusplus
}
#endif

#endif
