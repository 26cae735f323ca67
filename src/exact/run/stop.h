/* Why a search ends, and the flag that stops all of its workers. */
#ifndef CT_EXACT_RUN_STOP_H
#define CT_EXACT_RUN_STOP_H

#include "base/status.h"
#include "base/threads.h"

/* CT_END_DEVICE, the loss of a device that was asked for, becomes an error. */
typedef enum {
    CT_END_OPTIMAL,
    CT_END_GAP,
    CT_END_TIME,
    CT_END_MEMORY,
    CT_END_INTERRUPT,
    CT_END_COST,
    CT_END_DEVICE
} ct_exact_end;

/* Owned by whoever starts the search; all zero: go on. */
typedef struct {
    int64_t asked; /* atomic: 0, or 1 + the reason */
} ct_stop;

static inline int ct_stop_is_asked(const ct_stop *stop)
{
    return ct_atomic_read(&stop->asked) != 0;
}

/* The first reason stays. */
static inline void ct_stop_ask(ct_stop *stop, ct_exact_end why)
{
    CT_ASSERT(why != CT_END_OPTIMAL && why != CT_END_GAP && why != CT_END_COST);
    if (!ct_stop_is_asked(stop)) ct_atomic_write(&stop->asked, 1 + (int64_t) why);
}

/* The reason, once it is asked for. */
static inline ct_exact_end ct_stop_reason(const ct_stop *stop)
{
    CT_ASSERT(ct_stop_is_asked(stop));
    return (ct_exact_end) (ct_atomic_read(&stop->asked) - 1);
}

#endif
