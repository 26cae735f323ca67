/* The threads of one search. Workers share the state of the search at the table's root (ct_roots), and of row sets below it
 * where they help each other, under one lock, which is held between evaluations only; everything else is one worker's own,
 * but for the best cost, which is read without the lock. Without OpenMP a crew has one worker. */
#ifndef CT_EXACT_SEARCH_CREW_H
#define CT_EXACT_SEARCH_CREW_H

#include "base/threads.h"
#include "exact/run/worker.h"

typedef struct ct_crew {
    unsigned n_workers;
    ct_worker *workers;  /* [n_workers], borrowed */
    ct_arena arena;      /* of what the workers share, under the lock */
    int called;          /* it has run */
    int64_t idle;        /* atomic: workers with nothing to do */
    struct ct_roots *shared; /* row sets where help is welcome, under the lock */
    struct ct_point *spare_points[CT_MAX_DEPTH + 1]; /* [depth] of the arena, in no search at the moment; under the lock */
    struct ct_interval *spare_intervals;
    int64_t limit;       /* atomic: costs of the whole table from here on need not be told apart */
    ct_lock lock;
} ct_crew;

/* Makes workers[0 .. n) a crew. ct_crew_free undoes it. */
void ct_crew_init(ct_crew *crew, ct_worker *workers, unsigned n);
void ct_crew_free(ct_crew *crew);

/* Runs work(worker, data) once on each worker, each in a thread of its own; the calling thread is workers[0]. */
void ct_crew_run(ct_crew *crew, void (*work)(ct_worker *worker, void *data), void *data);

/* All of these take crew == NULL: a worker alone. */
void ct_crew_lock(ct_crew *crew);
void ct_crew_unlock(ct_crew *crew);
/* Lets the lock go for a moment; idle: 1 if the worker could do something else meanwhile. */
void ct_crew_wait(ct_crew *crew, ct_worker *worker, int idle);
int ct_crew_idle(const ct_crew *crew); /* could anybody? */
void ct_crew_tell(ct_crew *crew, int64_t limit);
int64_t ct_crew_limit(const ct_crew *crew);

#endif
