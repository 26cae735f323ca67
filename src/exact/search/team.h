/* The threads of one search. Workers share the state of the search at the table's root (ct_roots),
 * and of row sets below it where they help each other, under one lock, which is held only between
 * evaluations; everything else belongs to one worker, except for the best cost, which is read
 * without the lock. Without OpenMP a team has one worker. */
#ifndef CT_EXACT_SEARCH_TEAM_H
#define CT_EXACT_SEARCH_TEAM_H

#include "base/threads.h"
#include "exact/run/worker.h"

typedef struct ct_team {
    unsigned n_workers;
    ct_worker *workers;  /* [n_workers], borrowed */
    ct_arena arena;      /* of what the workers share, under the lock */
    int called;          /* it has run */
    int64_t idle;        /* atomic: workers with nothing to do */
    struct ct_roots *shared; /* row sets where help is welcome, under the lock */
    /* [depth] of the arena, in no search at the moment; under the lock */
    struct ct_candidate *spare_candidates[CT_MAX_DEPTH + 1];
    struct ct_interval *spare_intervals;
    int64_t limit;       /* atomic: costs of the whole table from here on need not be told apart */
    ct_lock lock;
} ct_team;

/* Makes workers[0 .. n) a team. ct_team_free undoes it. */
void ct_team_init(ct_team *team, ct_worker *workers, unsigned n);
void ct_team_free(ct_team *team);

/* Runs work(worker, data) once on each worker, each in a thread of its own; the calling thread is
 * workers[0]. */
void ct_team_run(ct_team *team, void (*work)(ct_worker *worker, void *data), void *data);

/* All of these take team == NULL: a worker alone. */
void ct_team_lock(ct_team *team);
void ct_team_unlock(ct_team *team);
/* Lets the lock go for a moment; idle: 1 if the worker could do something else meanwhile. */
void ct_team_wait(ct_team *team, ct_worker *worker, int idle);
int ct_team_idle(const ct_team *team); /* could anybody? */
void ct_team_tell(ct_team *team, int64_t limit);
int64_t ct_team_limit(const ct_team *team);

#endif
