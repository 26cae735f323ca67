#include "base/parallel.h"

#include <stddef.h>

#include "base/clock.h"
#include "base/status.h"
#include "base/threads.h"

#ifdef _OPENMP
#include <pthread.h>
#endif

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

/* What one of n workers does of a loop. */
static void do_share(dealer *d, unsigned worker, unsigned n_workers)
{
    if (d->loop->schedule == CT_DYNAMIC && n_workers > 1) {
        while (do_chunk(d, worker, (uint64_t) ct_atomic_add(&d->taken, 1) - 1)) continue;
        return;
    }
    uint64_t number = worker;
    while (do_chunk(d, worker, number)) number += n_workers;
}

/* ---- a crew ---- */

#ifdef _OPENMP
enum { SPINS = 1 << 12, SLEEP_MOST = 500 /* microseconds */, THREADS_MOST = 64, STACK = 4 << 20 };

typedef struct {
    unsigned n_threads;
    int busy;                    /* its first thread is in a loop */
    int64_t over, loops;         /* atomic: the task is done; loops begun */
    ct_lock lock;                /* of what follows, and it hands over what shares have written */
    dealer *open;                /* the loop under way, NULL when no share is left to take */
    unsigned n_workers, next;    /* its shares; the next that nobody has taken */
    unsigned active;             /* threads in a share */
} crew;

/* The crew of the task which this thread runs; `inside` for the other threads of a crew, so that
 * loops within their shares are theirs alone. */
static crew *own_crew;
#pragma omp threadprivate(own_crew)
static crew inside = {.busy = 1};

/* Looks again at once for some microseconds, then sleeps the longer the longer it has waited: the
 * threads of a busy machine are not kept from work by those that wait. */
static void wait_a_little(unsigned *turn)
{
    if (++*turn <= SPINS) return;
    unsigned microseconds = 20 + (*turn - SPINS) * 5;
    ct_sleep(microseconds < SLEEP_MOST ? microseconds : SLEEP_MOST);
}

/* Does a share that nobody has taken; 0 if there is none. The first thread alone does share 0. */
static int do_a_share(crew *c)
{
    unsigned share = 0, n_workers;
    ct_lock_take(&c->lock);
    dealer *d = c->open;
    n_workers = c->n_workers;
    if (d) {
        share = c->next++;
        if (c->next >= n_workers) c->open = NULL;
        c->active++;
    }
    ct_lock_leave(&c->lock);
    if (!d) return 0;
    do_share(d, share, n_workers);
    ct_lock_take(&c->lock);
    CT_ASSERT(c->active > 0);
    c->active--;
    ct_lock_leave(&c->lock);
    return 1;
}

static int is_active(crew *c)
{
    ct_lock_take(&c->lock);
    int active = c->active > 0;
    ct_lock_leave(&c->lock);
    return active;
}

/* Shares that no other thread has come for are done here, so that nobody waits for a thread that
 * the machine has no processor for. */
static void lead_loop(crew *c, dealer *d, unsigned n_workers)
{
    unsigned turn = 0;
    ct_lock_take(&c->lock);
    c->open = d;
    c->n_workers = n_workers;
    c->next = 1;
    ct_lock_leave(&c->lock);
    ct_atomic_add(&c->loops, 1);
    c->busy = 1;
    do_share(d, 0, n_workers);
    while (do_a_share(c)) continue;
    while (is_active(c)) wait_a_little(&turn);
    c->busy = 0;
}

static void *serve(void *data)
{
    crew *c = (crew *) data;
    int64_t seen = 0;
    own_crew = &inside;
    while (!ct_atomic_read(&c->over)) {
        unsigned turn = 0;
        while (ct_atomic_read(&c->loops) == seen && !ct_atomic_read(&c->over))
            wait_a_little(&turn);
        seen = ct_atomic_read(&c->loops);
        while (do_a_share(c)) continue;
    }
    return NULL;
}

/* Threads of its own: those of OpenMP may spin for ten milliseconds and more at the end of a
 * region, longer than a small task takes. Where fewer start, these do all. */
static void lead(crew *c, void (*task)(void *data), void *data)
{
    pthread_t others[THREADS_MOST];
    pthread_attr_t kind;
    unsigned n = 0, wanted = c->n_threads - 1 < THREADS_MOST ? c->n_threads - 1 : THREADS_MOST;
    if (pthread_attr_init(&kind)) wanted = 0;
    else (void) pthread_attr_setstacksize(&kind, STACK); /* some systems give much less */
    while (n < wanted && !pthread_create(&others[n], &kind, serve, c)) n++;
    own_crew = c;
    task(data);
    own_crew = NULL;
    ct_atomic_write(&c->over, 1);
    for (unsigned i = 0; i < n; i++) (void) pthread_join(others[i], NULL);
    if (wanted) (void) pthread_attr_destroy(&kind);
}
#endif

void ct_with_crew(unsigned n_threads, void (*task)(void *data), void *data)
{
    CT_ASSERT(task);
#ifdef _OPENMP
    if (n_threads > 1 && !own_crew) {
        crew c = {0};
        c.n_threads = n_threads;
        ct_lock_init(&c.lock);
        lead(&c, task, data);
        ct_lock_free(&c.lock);
        return;
    }
#endif
    (void) n_threads;
    task(data);
}

/* ---- a loop ---- */

void ct_parallel_for(const ct_loop *loop)
{
    CT_ASSERT(loop->work || !loop->n);
    dealer d = {loop, loop->chunk ? loop->chunk : 1, 0, 0};
    unsigned n_workers = loop->n_workers ? loop->n_workers : 1;
    d.n_chunks = loop->n / d.chunk + (loop->n % d.chunk != 0);
    if (d.n_chunks < n_workers) n_workers = d.n_chunks ? (unsigned) d.n_chunks : 1;
    CT_ASSERT(n_workers > 0 && n_workers <= (d.n_chunks ? d.n_chunks : 1));
#ifdef _OPENMP
    crew *c = own_crew;
    if (c && c->busy) n_workers = 1;
    if (c && n_workers > c->n_threads) n_workers = c->n_threads;
    if (c && n_workers > 1) {
        lead_loop(c, &d, n_workers);
        return;
    }
    if (n_workers > 1) {
        /* The runtime may give fewer threads than asked for. */
#pragma omp parallel num_threads((int) n_workers)
        do_share(&d, (unsigned) omp_get_thread_num(), (unsigned) omp_get_num_threads());
        return;
    }
#endif
    do_share(&d, 0, 1);
}
