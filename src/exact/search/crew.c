#include "exact/search/crew.h"

#include <string.h>

#include "base/clock.h"

void ct_crew_init(ct_crew *crew, ct_worker *workers, unsigned n)
{
    CT_ASSERT(n > 1);
    memset(crew, 0, sizeof *crew);
    crew->n_workers = n;
    crew->workers = workers;
    crew->limit = INT64_MAX;
    for (unsigned i = 0; i < n; i++) {
        workers[i].crew = crew;
        workers[i].number = i;
    }
    ct_arena_init(&crew->arena, workers[0].arena.budget);
    ct_lock_init(&crew->lock);
}

void ct_crew_free(ct_crew *crew)
{
    ct_lock_free(&crew->lock);
    ct_arena_free(&crew->arena);
}

void ct_crew_run(ct_crew *crew, void (*work)(ct_worker *worker, void *data), void *data)
{
    CT_ASSERT(crew->n_workers > 1);
    crew->called = 1;
#ifdef _OPENMP
    /* The runtime may give fewer threads than asked for: the workers are dealt out. */
#pragma omp parallel num_threads((int) crew->n_workers)
    for (unsigned i = (unsigned) omp_get_thread_num(); i < crew->n_workers; i += (unsigned) omp_get_num_threads())
        work(&crew->workers[i], data);
#else
    for (unsigned i = 0; i < crew->n_workers; i++) work(&crew->workers[i], data);
#endif
}

void ct_crew_lock(ct_crew *crew)
{
    if (crew) ct_lock_take(&crew->lock);
}

void ct_crew_unlock(ct_crew *crew)
{
    if (crew) ct_lock_leave(&crew->lock);
}

void ct_crew_wait(ct_crew *crew, ct_worker *worker, int idle)
{
    CT_ASSERT(idle == 0 || idle == 1);
    ct_atomic_add(&crew->idle, idle);
    ct_crew_unlock(crew);
    ct_pause();
    ct_worker_poll(worker, UINT64_C(1) << 20);
    ct_crew_lock(crew);
    ct_atomic_add(&crew->idle, -idle);
    CT_ASSERT(ct_atomic_read(&crew->idle) >= 0);
}

int ct_crew_idle(const ct_crew *crew)
{
    return ct_atomic_read(&crew->idle) > 0;
}

void ct_crew_tell(ct_crew *crew, int64_t limit)
{
    if (crew) ct_atomic_write(&crew->limit, limit);
}

int64_t ct_crew_limit(const ct_crew *crew)
{
    return crew ? ct_atomic_read(&crew->limit) : INT64_MAX;
}
