/* As much of CUDA's runtime as src/ uses, on the CPU: for tests, in place of NVIDIA's header of
 * this name.
 *
 * The very text of the kernels is compiled by a C++ compiler, but for shared memory (shared.sed). A
 * thread of a block is a context of its own with its own stack, and what these do meanwhile is
 * theirs until they meet: at a barrier or, a warp at a time, in a shuffle. cuda_on_cpu.cpp says
 * what is modelled. */
#ifndef CUDA_ON_CPU_RUNTIME_H
#define CUDA_ON_CPU_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#define CUDART_VERSION 12000
#define __global__
#define __device__
#define __host__
#define __grid_constant__
#define __launch_bounds__(...)

typedef enum {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInsufficientDriver = 35,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorLaunchFailure = 719
} cudaError_t;

typedef enum { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 } cudaMemcpyKind;
enum { cudaEventDisableTiming = 2, cudaStreamNonBlocking = 1 };

typedef struct cuda_on_cpu_stream *cudaStream_t; /* NULL: the default one */
typedef struct cuda_on_cpu_event *cudaEvent_t;

typedef struct {
    char name[256];
    size_t totalGlobalMem;
    int major, minor;
} cudaDeviceProp;

cudaError_t cudaGetDeviceCount(int *n);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetLastError(void);
const char *cudaGetErrorString(cudaError_t status);

cudaError_t cudaMemGetInfo(size_t *available, size_t *all);
cudaError_t cudaMalloc(void **memory, size_t bytes);
cudaError_t cudaFree(void *memory);
cudaError_t cudaMallocHost(void **memory, size_t bytes);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventDestroy(cudaEvent_t event);

/* ---- within a kernel ---- */

struct cuda_triple {
    unsigned x, y, z;
};

struct cuda_place {
    cuda_triple thread, block, dim, grid;
    unsigned number; /* of the thread in its block */
};

extern thread_local const cuda_place *cuda_here; /* NULL outside kernels */
#define threadIdx (cuda_here->thread)
#define blockIdx (cuda_here->block)
#define blockDim (cuda_here->dim)
#define gridDim (cuda_here->grid)

void *cuda_shared_memory(void);
/* Threads of a block take turns, and blocks come one after the other. */
static inline double atomicAdd(double *number, double more)
{
    double before = *number;
    *number += more;
    return before;
}
/* ... but for ThreadSanitizer, to which they are what they are on a device. */
static inline unsigned atomicAdd(unsigned *number, unsigned more)
{
    return __atomic_fetch_add(number, more, __ATOMIC_RELAXED);
}
static inline unsigned long long atomicAdd(unsigned long long *number, unsigned long long more)
{
    return __atomic_fetch_add(number, more, __ATOMIC_RELAXED);
}
static inline unsigned atomicMax(unsigned *number, unsigned other)
{
    unsigned before = __atomic_load_n(number, __ATOMIC_RELAXED);
    while (before < other && !__atomic_compare_exchange_n(number, &before, other, false,
                                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return before;
}
static inline int atomicMin(int *number, int other)
{
    int before = __atomic_load_n(number, __ATOMIC_RELAXED);
    if (other < before) __atomic_store_n(number, other, __ATOMIC_RELAXED);
    return before;
}
/* No compiler may add to it before it is rounded. */
static inline double __dmul_rn(double a, double b)
{
    volatile double product = a * b;
    return product;
}
struct uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
void __syncthreads(void);
/* The lanes of a warp see what others have written before. */
void __syncwarp(unsigned lanes = 0xffffffffu);
/* What lane `from` of the warp hands in; `value` outside kernels. */
uint32_t cuda_shuffle(uint32_t value, unsigned from);

static inline int __popc(uint32_t x) { return __builtin_popcount(x); }

static inline uint32_t __funnelshift_l(uint32_t low, uint32_t high, uint32_t turn)
{
    return (uint32_t) (((uint64_t) high << 32 | low) << (turn % 32) >> 32);
}

static inline unsigned cuda_lane(void) { return cuda_here ? cuda_here->number % 32 : 0; }

static inline uint32_t __shfl_sync(unsigned, uint32_t value, int from)
{
    return cuda_shuffle(value, (unsigned) from % 32);
}

static inline uint32_t __shfl_up_sync(unsigned, uint32_t value, unsigned step)
{
    return cuda_shuffle(value, cuda_lane() < step ? cuda_lane() : cuda_lane() - step);
}

static inline uint32_t __shfl_xor_sync(unsigned, uint32_t value, int step)
{
    return cuda_shuffle(value, cuda_lane() ^ (unsigned) step);
}

/* ... and all of them: which are not 0, a bit each, and the largest. */
uint32_t cuda_ballot(int set);
uint32_t cuda_largest(uint32_t value);
static inline unsigned __ballot_sync(unsigned, int set) { return cuda_ballot(set); }
static inline uint32_t __reduce_max_sync(unsigned, uint32_t value) { return cuda_largest(value); }

/* ---- launches ---- */

struct dim3 {
    unsigned x, y, z;

    explicit dim3(unsigned x_, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

struct cuda_grid {
    unsigned blocks, threads; /* all of them */
    cuda_triple of_blocks, of_threads;
    size_t bytes;
    cudaStream_t stream;
};

/* The arguments are copied now, and each thread gets a copy of its own. */
cudaError_t cuda_launch_copy(cuda_grid grid, void (*call)(const void *), const void *closure,
                             size_t bytes);

template <class... P> struct cuda_closure {
    void (*kernel)(P...);
    std::tuple<typename std::decay<P>::type...> arguments;

    static void call(const void *memory)
    {
        const cuda_closure *c = (const cuda_closure *) memory;
        std::apply(c->kernel, c->arguments);
    }
};

template <class... P, size_t... I>
cudaError_t cuda_launch(cuda_grid grid, void (*kernel)(P...), void **arguments,
                        std::index_sequence<I...>)
{
    const cuda_closure<P...> made = {kernel,
                                     {*(const typename std::decay<P>::type *) arguments[I]...}};
    return cuda_launch_copy(grid, cuda_closure<P...>::call, &made, sizeof made);
}

template <class... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 blocks, dim3 threads, void **arguments,
                             size_t bytes, cudaStream_t stream)
{
    cuda_grid grid = {blocks.x * blocks.y * blocks.z, threads.x * threads.y * threads.z,
                      {blocks.x, blocks.y, blocks.z}, {threads.x, threads.y, threads.z},
                      bytes, stream};
    return cuda_launch(grid, kernel, arguments, std::index_sequence_for<P...>());
}

#endif
