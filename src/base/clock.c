#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200112L
#endif
#include "base/clock.h"

#include <time.h>

#include "base/status.h"
#include "base/threads.h"
#if defined(_WIN32)
#include <windows.h>
#endif

void ct_pause(void)
{
    ct_sleep(20);
}

void ct_sleep(unsigned microseconds)
{
#if defined(_WIN32)
    Sleep(microseconds / 1000);
#else
    struct timespec moment = {microseconds / 1000000, microseconds % 1000000 * 1000L};
    nanosleep(&moment, NULL);
#endif
}

static int64_t step_ns, counted_ns; /* atomic */

void ct_clock_step(double step)
{
    CT_ASSERT(step >= 0);
    ct_atomic_write(&counted_ns, 0);
    ct_atomic_write(&step_ns, (int64_t) (step * 1e9));
}

double ct_seconds(void)
{
    int64_t step = ct_atomic_read(&step_ns);
    if (step) return 1e-9 * (double) (ct_atomic_add(&counted_ns, step) + step);
    struct timespec now;
#if defined(CLOCK_MONOTONIC)
    clock_gettime(CLOCK_MONOTONIC, &now);
#else
    timespec_get(&now, TIME_UTC);
#endif
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}
