#include "exact/search/team.h"

#include <string.h>

#include "base/clock.h"

void ct_team_init(ct_team *team, ct_worker *workers, unsigned n)
{
    CT_ASSERT(n > 1);
    memset(team, 0, sizeof *team);
    team->n_workers = n;
    team->workers = workers;
    team->limit = INT64_MAX;
    for (unsigned i = 0; i < n; i++) {
        workers[i].team = team;
        workers[i].number = i;
    }
    ct_arena_init(&team->arena, workers[0].arena.budget);
    ct_lock_init(&team->lock);
}

void ct_team_free(ct_team *team)
{
    ct_lock_free(&team->lock);
    ct_arena_free(&team->arena);
}

void ct_team_run(ct_team *team, void (*work)(ct_worker *worker, void *data), void *data)
{
    CT_ASSERT(team->n_workers > 1);
    team->called = 1;
#ifdef _OPENMP
    /* The runtime may give fewer threads than asked for: the workers are dealt out. */
#pragma omp parallel num_threads((int) team->n_workers)
    for (unsigned i = (unsigned) omp_get_thread_num(); i < team->n_workers;
         i += (unsigned) omp_get_num_threads())
        work(&team->workers[i], data);
#else
    for (unsigned i = 0; i < team->n_workers; i++) work(&team->workers[i], data);
#endif
}

void ct_team_lock(ct_team *team)
{
    if (team) ct_lock_take(&team->lock);
}

void ct_team_unlock(ct_team *team)
{
    if (team) ct_lock_leave(&team->lock);
}

void ct_team_wait(ct_team *team, ct_worker *worker, int idle)
{
    CT_ASSERT(idle == 0 || idle == 1);
    ct_atomic_add(&team->idle, idle);
    ct_team_unlock(team);
    ct_pause();
    ct_worker_poll(worker, UINT64_C(1) << 20);
    ct_team_lock(team);
    ct_atomic_add(&team->idle, -idle);
    CT_ASSERT(ct_atomic_read(&team->idle) >= 0);
}

int ct_team_idle(const ct_team *team)
{
    return ct_atomic_read(&team->idle) > 0;
}

void ct_team_tell(ct_team *team, int64_t limit)
{
    if (team) ct_atomic_write(&team->limit, limit);
}

int64_t ct_team_limit(const ct_team *team)
{
    return team ? ct_atomic_read(&team->limit) : INT64_MAX;
}
