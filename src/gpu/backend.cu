/* gpu/backend.h with CUDA. Every call's status is checked, also that of work under way; a failure
 * becomes a message, and whoever has asked goes on without the device. */
#include "gpu/backend.h"

#include <cuda_runtime.h>

#include <new>

/* A whole call: the device becomes this thread's, and does `expr`. */
#define CUDA_CALL(device, expr)                          \
    cudaError_t status_ = use(device);                   \
    if (status_ == cudaSuccess) status_ = (expr);        \
    return status_ == cudaSuccess ? CT_OK : failed(status_, why)

namespace {

struct cuda_device {
    int number;
    int before; /* the calling thread's device when this one was opened */
};

/* Nobody after us shall find our error. */
ct_status failed(cudaError_t status, ct_error *why)
{
    (void) cudaGetLastError();
    return ct_fail(why, CT_NO_DEVICE, "CUDA: %s", cudaGetErrorString(status));
}

/* Any thread may come, and another library may have changed its device. */
cudaError_t use(const void *device)
{
    return cudaSetDevice(((const cuda_device *) device)->number);
}

ct_status cuda_open(int number, void **out, ct_error *why)
{
    cuda_device *device = new (std::nothrow) cuda_device;
    if (!device) return failed(cudaErrorMemoryAllocation, why);
    device->number = device->before = number;
    (void) cudaGetDevice(&device->before);
    cudaError_t status = cudaSetDevice(number);
    if (status == cudaSuccess) status = cudaFree(NULL); /* sets it up, if nobody has */
    if (status == cudaSuccess) {
        *out = device;
        return CT_OK;
    }
    (void) cudaSetDevice(device->before);
    delete device;
    return failed(status, why);
}

void cuda_close(void *memory)
{
    cuda_device *device = (cuda_device *) memory;
    (void) cudaSetDevice(device->before);
    (void) cudaGetLastError();
    delete device;
}

/* ---- memory ---- */

/* Somewhat less than is free: some is lost between blocks, and other programs may take some. */
ct_status cuda_room(void *device, size_t *bytes, ct_error *why)
{
    size_t free = 0, all = 0;
    cudaError_t status = use(device);
    if (status == cudaSuccess) status = cudaMemGetInfo(&free, &all);
    if (status != cudaSuccess) return failed(status, why);
    *bytes = free / 16 * 15;
    return CT_OK;
}

ct_status cuda_take(void *device, size_t bytes, int on_host, void **memory, ct_error *why)
{
    CUDA_CALL(device, on_host ? cudaMallocHost(memory, bytes) : cudaMalloc(memory, bytes));
}

void cuda_give(void *device, int on_host, void *memory)
{
    if (!memory) return;
    (void) use(device);
    (void) (on_host ? cudaFreeHost(memory) : cudaFree(memory));
    (void) cudaGetLastError();
}

/* ---- streams ---- */

ct_status cuda_stream_new(void *device, void **stream, ct_error *why)
{
    CUDA_CALL(device, cudaStreamCreateWithFlags((cudaStream_t *) stream, cudaStreamNonBlocking));
}

void cuda_stream_free(void *device, void *stream)
{
    if (!stream) return;
    (void) use(device);
    (void) cudaStreamSynchronize((cudaStream_t) stream); /* which cudaStreamDestroy does not */
    (void) cudaStreamDestroy((cudaStream_t) stream);
    (void) cudaGetLastError();
}

ct_status cuda_copy(void *device, void *stream, void *to, const void *from, size_t bytes,
                    int to_host, ct_error *why)
{
    cudaMemcpyKind kind = to_host ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
    CUDA_CALL(device, cudaMemcpyAsync(to, from, bytes, kind, (cudaStream_t) stream));
}

ct_status cuda_launch(void *device, void *stream, const ct_gpu_kernel *kernel,
                      const ct_gpu_grid *grid, const void *arguments, ct_error *why)
{
    CUDA_CALL(device, (cudaError_t) kernel->on_cuda(grid, stream, arguments));
}

ct_status cuda_drain(void *device, void *stream, ct_error *why)
{
    CUDA_CALL(device, cudaStreamSynchronize((cudaStream_t) stream));
}

/* ---- events ---- */

ct_status cuda_event_new(void *device, void **event, ct_error *why)
{
    CUDA_CALL(device, cudaEventCreateWithFlags((cudaEvent_t *) event, cudaEventDisableTiming));
}

void cuda_event_free(void *device, void *event)
{
    if (!event) return;
    (void) use(device);
    (void) cudaEventDestroy((cudaEvent_t) event);
    (void) cudaGetLastError();
}

ct_status cuda_mark(void *device, void *stream, void *event, ct_error *why)
{
    CUDA_CALL(device, cudaEventRecord((cudaEvent_t) event, (cudaStream_t) stream));
}

ct_status cuda_wait(void *device, void *event, ct_error *why)
{
    CUDA_CALL(device, cudaEventSynchronize((cudaEvent_t) event));
}

const ct_backend cuda_backend = {
    cuda_open,        cuda_close, cuda_room,   cuda_take,  cuda_give,      cuda_stream_new,
    cuda_stream_free, cuda_copy,  cuda_launch, cuda_drain, cuda_event_new, cuda_event_free,
    cuda_mark,        cuda_wait,  NULL,        NULL,       NULL,           NULL,
    NULL};

} /* namespace */

const ct_backend *ct_backend_cuda(void)
{
    return &cuda_backend;
}
