/* The history of a search: when which cost and bound were known. */
#ifndef CT_EXACT_RUN_HISTORY_H
#define CT_EXACT_RUN_HISTORY_H

#include "base/threads.h"
#include "exact/run/options.h"

enum { CT_HISTORY_ROOM = 512 };

typedef struct ct_history {
    const ct_exact_options *options;
    double start;               /* in ct_seconds() */
    double next;                /* in ct_seconds(): the next moment to write down */
    ct_lock *lock;              /* on the moments and on what `look` reads; NULL: one thread */
    /* What the search of the whole table knows, but for the time; NULL: it has not begun, or has
     * ended. */
    void (*look)(const void *search, ct_exact_progress *moment);
    const void *search;
    ct_exact_progress before;   /* what is known as long as it has not begun */
    uint32_t n;
    ct_exact_progress moments[CT_HISTORY_ROOM];
} ct_history;

/* Writes a moment down, in which what was known before is known still; where there is no room,
 * every other one gives way. */
void ct_history_add(ct_history *history, ct_exact_progress *moment);

/* Adds a moment with what the search knows now. The caller holds the lock. */
void ct_history_look(ct_history *history, ct_exact_progress *moment);

/* Before the search of the whole table: a tree of cost `upper` is known, and that none costs less
 * than `lower`; in rows. */
void ct_history_before(ct_history *history, double upper, double lower);

/* Called by the calling thread now and then, without the lock: looks, and tells the caller, some
 * times a second. */
void ct_history_poll(ct_history *history, double now);

#endif
