#include "base/parallel.h"

#include "base/clock.h"
#include "base/status.h"
#include "base/threads.h"

static const double ASK_STEP = 0.02;

int ct_halt_now(ct_halt *stop, unsigned worker)
{
    if (!stop) return 0;
    if (worker == 0 && stop->asked) {
        double now = ct_seconds();
        if (now >= stop->next) {
            if (stop->asked(stop->data)) ct_halt_set(stop);
            stop->next = ct_seconds() + ASK_STEP;
        }
    }
    return ct_atomic_read(&stop->stopped) != 0;
}

void ct_halt_set(ct_halt *stop)
{
    ct_atomic_write(&stop->stopped, 1);
}

typedef struct {
    const ct_loop *loop;
    uint64_t chunk, n_chunks;
    int64_t taken; /* atomic */
} dealer;

/* 0 once there is nothing to do. */
static int do_chunk(const dealer *d, unsigned worker, uint64_t number)
{
    const ct_loop *loop = d->loop;
    if (number >= d->n_chunks || ct_halt_now(loop->stop, worker)) return 0;
    uint64_t begin = number * d->chunk, rest = loop->n - begin;
    CT_ASSERT(begin < loop->n && begin / d->chunk == number);
    CT_ASSERT(worker < (loop->n_workers ? loop->n_workers : 1));
    loop->work(loop->data, worker, begin, begin + (rest < d->chunk ? rest : d->chunk));
    return 1;
}

static void do_in_turn(const dealer *d, unsigned worker, unsigned n_workers)
{
    uint64_t number = worker;
    while (do_chunk(d, worker, number)) number += n_workers;
}

static void do_as_they_come(dealer *d, unsigned worker)
{
    while (do_chunk(d, worker, (uint64_t) ct_atomic_add(&d->taken, 1) - 1)) continue;
}

void ct_parallel_for(const ct_loop *loop)
{
    CT_ASSERT(loop->work || !loop->n);
    dealer d = {loop, loop->chunk ? loop->chunk : 1, 0, 0};
    unsigned n_workers = loop->n_workers ? loop->n_workers : 1;
    d.n_chunks = loop->n / d.chunk + (loop->n % d.chunk != 0);
    if (d.n_chunks < n_workers) n_workers = d.n_chunks ? (unsigned) d.n_chunks : 1;
    CT_ASSERT(n_workers > 0 && n_workers <= (d.n_chunks ? d.n_chunks : 1));
#ifdef _OPENMP
    if (n_workers > 1) {
        /* The runtime may give fewer threads than asked for. */
#pragma omp parallel num_threads((int) n_workers)
        if (loop->schedule == CT_DYNAMIC) do_as_they_come(&d, (unsigned) omp_get_thread_num());
        else do_in_turn(&d, (unsigned) omp_get_thread_num(), (unsigned) omp_get_num_threads());
        return;
    }
#endif
    do_in_turn(&d, 0, 1);
}
