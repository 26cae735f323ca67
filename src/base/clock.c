#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200112L
#endif
#include "base/clock.h"

#include <time.h>
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

double ct_seconds(void)
{
    struct timespec now;
#if defined(CLOCK_MONOTONIC)
    clock_gettime(CLOCK_MONOTONIC, &now);
#else
    timespec_get(&now, TIME_UTC);
#endif
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}
