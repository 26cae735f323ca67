/* What devices that are played have: the host twin, and CUDA on the CPU. */
#ifndef CT_TEST_PLAYED_H
#define CT_TEST_PLAYED_H

#include "check.h"
#include "cuda_on_cpu/cuda_on_cpu.h"
#include "gpu/device.h"
#include "gpu/twin.h"

enum { TWIN = -1 }; /* else the number of a CUDA device */

/* What it has not had back. */
static inline long blocks_left(int device)
{
    return device == TWIN ? ct_gpu_twin_blocks() : cuda_on_cpu_left();
}

/* The memory that it has. */
static inline void set_memory(int device, size_t bytes)
{
    if (device == TWIN) ct_gpu_twin_memory(bytes);
    else cuda_on_cpu_memory(bytes);
}

/* ---- cases: {"...", ON_TWIN(check)} calls check(TWIN) ---- */

#define ON_TWIN(check) .with = on_twin, .on = check
#define ON_A_DEVICE(check) .with = on_a_device, .on = check
#define ON_EVERY_DEVICE(check) .with = on_every_device, .on = check
#define ON_PLAYED_CUDA(check) .with = on_played_cuda, .on = check

static inline void on_twin(void (*check)(int device)) { check(TWIN); }

static inline int n_devices(void)
{
    ct_device_list list;
    ct_device_query(&list);
    return list.n_devices;
}

static inline void on_a_device(void (*check)(int device))
{
    if (n_devices() == 0) SKIP("no device");
    check(0);
}

static inline void on_every_device(void (*check)(int device))
{
    if (n_devices() == 0) SKIP("no device");
    for (int i = 0; i < n_devices(); i++) check(i);
}

static inline void on_played_cuda(void (*check)(int device))
{
    if (!CUDA_ON_CPU()) SKIP("no CUDA on the CPU");
    check(0);
}

/* ---- failures ---- */

/* The twin fails at every call in turn, the first beyond the last one that is made; works() is
 * whether all went well. It makes more than `least` calls. */
static inline void fail_twin_in_turn(int (*works)(int device), long least)
{
    long k = 1;
    for (ct_gpu_twin_fail_at(k); !works(TWIN); ct_gpu_twin_fail_at(k)) k++;
    ct_gpu_twin_fail_at(0);
    CHECK(k > least);
}

/* CUDA fails at every `step`-th call, in each way that its calls have; some may fail without harm,
 * which are those of closing. */
static inline void fail_cuda_in_turn(int (*works)(int device), long least, long step)
{
    if (!CUDA_ON_CPU()) SKIP("no CUDA on the CPU");
    cuda_on_cpu_fail_at(0, CUDA_CALL_FAILS);
    CHECK(works(0));
    const long n_calls = cuda_on_cpu_fail_at(0, CUDA_CALL_FAILS);
    CHECK(n_calls > least);
    for (int failure = CUDA_CALL_FAILS; failure <= CUDA_KERNEL_FAILS; failure++) {
        long n_fine = 0, n_tried = 0;
        for (long k = 1; k <= n_calls; k += step, n_tried++) {
            cuda_on_cpu_fail_at(k, (cuda_failure) failure);
            n_fine += works(0);
        }
        CHECK(n_fine > 0 && n_fine < n_tried / 2);
    }
    cuda_on_cpu_fail_at(0, CUDA_CALL_FAILS);
}

#endif
