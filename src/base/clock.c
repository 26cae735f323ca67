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
#if defined(_WIN32)
    Sleep(0);
#else
    struct timespec moment = {0, 20000};
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
