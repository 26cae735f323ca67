/* A group of many lanes on the host: each lane is a thread, and function of the groups meet at
 * barriers.
 *
 * Bodies that a device runs are written for any number of lanes, but their host twin has one. With
 * this header in place of base/lanes.h, before any body, a test runs them with 2, 3 or 32, under
 * the sanitizers too; what is left for the device alone is the shuffle inside the function of the
 * groups. One group at a time. */
#ifndef CT_SIMULATED_TEAM_H
#define CT_SIMULATED_TEAM_H

#define CT_LANES_SIMULATED
#include "base/lanes.h"

#ifdef _OPENMP
#include <omp.h>
#else
static inline int omp_get_num_threads(void) { return 1; }
static inline int omp_get_thread_num(void) { return 0; }
#endif

enum { SIMULATED_LANES_MAX = 64 };
static uint32_t simulated_values[SIMULATED_LANES_MAX];

/* Calls work(lanes, argument) once a lane. The group is smaller where the machine grants fewer
 * threads. */
static inline void simulate_team(int width, void (*work)(ct_lanes lanes, void *argument),
                                 void *argument)
{
#pragma omp parallel num_threads(width)
    {
        ct_lanes lanes;
        lanes.lane = (uint32_t) omp_get_thread_num();
        lanes.width = (uint32_t) omp_get_num_threads();
        work(lanes, argument);
    }
    (void) width;
}

static uint32_t ct_lanes_simulated_scan(ct_lanes lanes, uint32_t value, uint32_t *total)
{
    uint32_t lower = 0, all = 0;
    simulated_values[lanes.lane] = value;
#pragma omp barrier
    for (uint32_t lane = 0; lane < lanes.width; lane++) {
        if (lane == lanes.lane) lower = all;
        all += simulated_values[lane];
    }
#pragma omp barrier
    *total = all;
    return lower;
}

static uint32_t ct_lanes_simulated_read(ct_lanes lanes, uint32_t value, uint32_t from)
{
    simulated_values[lanes.lane] = value;
#pragma omp barrier
    uint32_t other = simulated_values[from];
#pragma omp barrier
    return other;
}

#endif
