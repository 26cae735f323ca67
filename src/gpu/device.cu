/* gpu/device.h with CUDA: what devices there are.
 *
 * The runtime is linked statically and loads the driver itself at its first call, so the package
 * loads where there is no driver. Every call's status is checked, also that of work under way; a
 * failure becomes a message. */
#include "gpu/device.h"

#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CUDA_TRY(expr)                                 \
    do {                                               \
        cudaError_t cuda_try_status_ = (expr);         \
        if (cuda_try_status_ != cudaSuccess) return cuda_try_status_; \
    } while (0)

/* ---- query ---- */

/* The runtime reports a missing driver as one that is too old, so the driver's library is looked
 * for first. It stays open: the runtime is about to load the same one. */
static bool driver_found(void)
{
    /* By one thread, if many come. */
    static void *const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    return driver != NULL;
}

static void say_too_old(char *reason, size_t size)
{
    /* The runtime of CUDA 11 does not tell its own version with a driver that is too old. */
    int driver = 0, runtime = CUDART_VERSION;
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
        snprintf(reason, size, "the NVIDIA driver is too old for this build");
    else
        snprintf(reason, size,
                 "the NVIDIA driver is too old: it is for CUDA %d.%d, this build for CUDA %d.%d",
                 driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
}

static cudaError_t describe(ct_device *device, int number)
{
    cudaDeviceProp properties;
    CUDA_TRY(cudaGetDeviceProperties(&properties, number));
    snprintf(device->name, sizeof device->name, "%s", properties.name);
    device->memory = properties.totalGlobalMem;
    device->major = properties.major;
    device->minor = properties.minor;
    return cudaSuccess;
}

static cudaError_t list_devices(ct_device_list *list)
{
    int n = 0;
    CUDA_TRY(cudaGetDeviceCount(&n));
    if (n > CT_DEVICE_MAX) n = CT_DEVICE_MAX;
    for (int i = 0; i < n; i++) CUDA_TRY(describe(&list->device[i], i));
    list->n_devices = n;
    return n > 0 ? cudaSuccess : cudaErrorNoDevice;
}

/* What CUDA has set up in a process is of no use to one forked from it, and its calls may hang
 * there. */
static bool forked(void)
{
    static const pid_t first = getpid();
    return first != getpid();
}

void ct_device_query(ct_device_list *list)
{
    memset(list, 0, sizeof *list);
    list->compiled = 1;
    if (forked()) {
        snprintf(list->reason, sizeof list->reason,
                 "this process was forked from one that has looked for a GPU; "
                 "use workers that start afresh (PSOCK clusters)");
        return;
    }
    if (!driver_found()) {
        snprintf(list->reason, sizeof list->reason, "no NVIDIA driver found");
        return;
    }
    cudaError_t status = list_devices(list);
    if (status == cudaSuccess) return;
    (void) cudaGetLastError(); /* nobody after us shall find our error */
    if (status == cudaErrorInsufficientDriver)
        say_too_old(list->reason, sizeof list->reason);
    else if (status == cudaErrorNoDevice)
        snprintf(list->reason, sizeof list->reason,
                 "there is an NVIDIA driver, but no CUDA device");
    else
        snprintf(list->reason, sizeof list->reason, "CUDA: %s", cudaGetErrorString(status));
}
