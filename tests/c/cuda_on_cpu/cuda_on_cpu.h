/* CUDA on the CPU, for tests written in C: what they ask of cuda_on_cpu.cpp where it is linked. */
#ifndef CT_CUDA_ON_CPU_H
#define CT_CUDA_ON_CPU_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Is it there? */
#ifdef CT_CUDA_ON_CPU
#define CUDA_ON_CPU() 1
#else
#define CUDA_ON_CPU() 0
#endif

typedef enum {
    CUDA_CALL_FAILS,   /* a call fails, by itself */
    CUDA_DEVICE_FAILS, /* it fails, and all after it */
    /* What is next put into a stream fails once it is under way, and all calls from then on. */
    CUDA_KERNEL_FAILS
} cuda_failure;

#if CUDA_ON_CPU() || defined(__cplusplus)
/* Begins anew: at the k-th call from now on (0: never) that comes. Returns how many calls were made
 * since the last time. */
long cuda_on_cpu_fail_at(long k, cuda_failure failure);
/* How much memory a device pretends to have; SIZE_MAX: any. */
void cuda_on_cpu_memory(size_t bytes);
/* How many devices there are; 1 unless told. */
void cuda_on_cpu_devices(int n);
/* Blocks of memory, streams and events that were not given back, and errors left behind. */
long cuda_on_cpu_left(void);
/* The device of the calling thread. */
int cuda_on_cpu_current(void);
/* As another library might: changes that, and leaves an error behind. */
void cuda_on_cpu_disturb(int device);
/* The order of all that has no order; CUDA_ON_CPU_SEED in the environment, or 1, at first. */
void cuda_on_cpu_seed(unsigned seed);
#else
static inline long cuda_on_cpu_fail_at(long k, cuda_failure failure) { return (void) failure, k; }
static inline void cuda_on_cpu_memory(size_t bytes) { (void) bytes; }
static inline void cuda_on_cpu_devices(int n) { (void) n; }
static inline long cuda_on_cpu_left(void) { return 0; }
static inline int cuda_on_cpu_current(void) { return 0; }
static inline void cuda_on_cpu_disturb(int device) { (void) device; }
#endif

#ifdef __cplusplus
}
#endif

#endif
