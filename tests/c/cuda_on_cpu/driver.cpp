/* CUDA's driver on the CPU: as much of it as gpu/driver.c uses, by the runtime of cuda_on_cpu.cpp.
 * With that it is built as a library that is called like NVIDIA's (stand_ins.sh).
 *
 * A context is a device's number and one. What is loaded as code is the path of a library that
 * nvrtc.cpp, NVRTC on the CPU, has made of a text. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cuda_on_cpu.h"
#include "cuda_runtime.h"

typedef unsigned long long address;

namespace {

enum { DEEPEST = 8, INVALID_CONTEXT = 201, NOT_FOUND = 500 };
thread_local int contexts[DEEPEST], n_contexts;
int retained; /* atomic */

typedef cudaError_t starting(const unsigned *, const unsigned *, unsigned, void *, void **);

/* A launch that is asked for outside of any context is one that NVIDIA's driver would refuse. */
int in_context(void) { return n_contexts ? 0 : INVALID_CONTEXT; }

} /* namespace */

extern "C" {

int cuInit(unsigned) { return 0; }
int cuDeviceGetCount(int *n) { return cudaGetDeviceCount(n); }

int cuDeviceGet(int *device, int number)
{
    *device = number;
    return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int)
{
    *value = attribute == 75 ? 8 : 0; /* compute capability 8.0 */
    return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    *context = (void *) (uintptr_t) (device + 1);
    __atomic_add_fetch(&retained, 1, __ATOMIC_RELAXED);
    return 0;
}

int cuDevicePrimaryCtxRelease_v2(int)
{
    __atomic_sub_fetch(&retained, 1, __ATOMIC_RELAXED);
    return 0;
}

int cuCtxPushCurrent_v2(void *context)
{
    int status = cudaSetDevice((int) (uintptr_t) context - 1);
    if (status || n_contexts == DEEPEST) return status ? status : INVALID_CONTEXT;
    contexts[n_contexts++] = (int) (uintptr_t) context;
    return 0;
}

int cuCtxPopCurrent_v2(void **context)
{
    if (!n_contexts) return INVALID_CONTEXT;
    *context = (void *) (uintptr_t) contexts[--n_contexts];
    return 0;
}

int cuMemGetInfo_v2(size_t *free, size_t *all) { return cudaMemGetInfo(free, all); }

int cuMemAlloc_v2(address *memory, size_t bytes)
{
    void *at = NULL;
    int status = in_context() ? in_context() : cudaMalloc(&at, bytes);
    *memory = (uintptr_t) at;
    return status;
}

int cuMemFree_v2(address memory) { return cudaFree((void *) memory); }
int cuMemAllocHost_v2(void **memory, size_t bytes) { return cudaMallocHost(memory, bytes); }
int cuMemFreeHost(void *memory) { return cudaFreeHost(memory); }

int cuMemcpyHtoDAsync_v2(address to, const void *from, size_t bytes, void *stream)
{
    return cudaMemcpyAsync((void *) to, from, bytes, cudaMemcpyHostToDevice,
                           (cudaStream_t) stream);
}

int cuMemcpyDtoHAsync_v2(void *to, address from, size_t bytes, void *stream)
{
    return cudaMemcpyAsync(to, (const void *) from, bytes, cudaMemcpyDeviceToHost,
                           (cudaStream_t) stream);
}

int cuStreamCreate(void **stream, unsigned flags)
{
    return in_context() ? in_context()
                        : cudaStreamCreateWithFlags((cudaStream_t *) stream, flags);
}

int cuStreamDestroy_v2(void *stream) { return cudaStreamDestroy((cudaStream_t) stream); }
int cuStreamSynchronize(void *stream) { return cudaStreamSynchronize((cudaStream_t) stream); }

int cuEventCreate(void **event, unsigned flags)
{
    return cudaEventCreateWithFlags((cudaEvent_t *) event, flags);
}

int cuEventDestroy_v2(void *event) { return cudaEventDestroy((cudaEvent_t) event); }

int cuEventRecord(void *event, void *stream)
{
    return cudaEventRecord((cudaEvent_t) event, (cudaStream_t) stream);
}

int cuEventSynchronize(void *event) { return cudaEventSynchronize((cudaEvent_t) event); }

int cuModuleLoadData(void **module, const void *code)
{
    *module = in_context() ? NULL : dlopen((const char *) code, RTLD_NOW | RTLD_LOCAL);
    return *module ? 0 : NOT_FOUND;
}

int cuModuleUnload(void *module) { return dlclose(module); }

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    char start[160];
    snprintf(start, sizeof start, "%s_start", name);
    *function = dlsym(module, start);
    return *function ? 0 : NOT_FOUND;
}

int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned threads_x,
                   unsigned threads_y, unsigned threads_z, unsigned shared, void *stream,
                   void **arguments, void **)
{
    const unsigned blocks[] = {x, y, z}, threads[] = {threads_x, threads_y, threads_z};
    return ((starting *) function)(blocks, threads, shared, stream, arguments);
}

int cuGetErrorString(int status, const char **text)
{
    *text = status == INVALID_CONTEXT ? "invalid device context"
            : status == NOT_FOUND     ? "named symbol not found"
                                      : cudaGetErrorString((cudaError_t) status);
    return 0;
}

/* Contexts that were not given back. */
int driver_on_cpu_left(void) { return __atomic_load_n(&retained, __ATOMIC_RELAXED) + n_contexts; }

/* For .C() of R: kilobytes of memory, and the call that fails, and all after it; 0: none. */
void driver_on_cpu_memory(const int *kilobytes) { cuda_on_cpu_memory((size_t) *kilobytes << 10); }
void driver_on_cpu_fail(const int *call) { cuda_on_cpu_fail_at(*call, CUDA_DEVICE_FAILS); }
}
