#include "base/parallel.h"

#include <dirent.h>
#include <math.h>

#include "base/clock.h"
#include "base/threads.h"
#include "check.h"

enum { MOST = 1000, WORKERS = 5 };

typedef struct {
    int64_t done[MOST];    /* atomic: how often each piece was */
    int64_t busy[WORKERS]; /* atomic: threads that have this number right now */
    int64_t clashes, chunks;
    uint64_t n, chunk;
    ct_halt *stop;
    int64_t stop_at;       /* chunks */
    int64_t stopped;       /* atomic: that many have been, and the halt is set */
    int64_t late[WORKERS]; /* chunks begun when that was so */
} record;

static void note(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    record *r = (record *) data;
    if (worker < WORKERS && ct_atomic_read(&r->stopped)) r->late[worker]++;
    if (worker >= WORKERS || begin >= end || end > r->n || end - begin > r->chunk ||
        ct_atomic_add(&r->busy[worker], 1) != 1)
        ct_atomic_add(&r->clashes, 1);
    for (uint64_t i = begin; i < end && i < MOST; i++) ct_atomic_add(&r->done[i], 1);
    if (ct_atomic_add(&r->chunks, 1) == r->stop_at) {
        ct_halt_set(r->stop);
        ct_atomic_write(&r->stopped, 1);
    }
    if (worker < WORKERS) ct_atomic_add(&r->busy[worker], -1);
}

static void each_once(void)
{
    static const uint64_t sizes[] = {0, 1, 4, 5, 6, 99, MOST}, chunks[] = {0, 1, 3, 100, 5000};
    for (unsigned workers = 0; workers <= WORKERS; workers++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t k = 0; k < sizeof chunks / sizeof *chunks; k++)
                for (int schedule = CT_STATIC; schedule <= CT_DYNAMIC; schedule++) {
                    record r;
                    memset(&r, 0, sizeof r);
                    r.n = sizes[i];
                    r.chunk = chunks[k] ? chunks[k] : 1;
                    ct_loop loop = {sizes[i], chunks[k], (ct_schedule) schedule, workers, note,
                                    &r,       NULL};
                    ct_parallel_for(&loop);
                    int wrong = 0;
                    for (uint64_t j = 0; j < MOST; j++) wrong += r.done[j] != (j < sizes[i]);
                    CHECK_INT(wrong, 0);
                    CHECK_INT(r.clashes, 0);
                    CHECK_INT(r.chunks, (sizes[i] + r.chunk - 1) / r.chunk);
                }
}

/* After a stop only chunks whose worker had asked before go on, at most one a worker. */
static void stops(void)
{
    for (unsigned workers = 1; workers <= WORKERS; workers++)
        for (int schedule = CT_STATIC; schedule <= CT_DYNAMIC; schedule++) {
            record r;
            ct_halt stop;
            memset(&r, 0, sizeof r);
            memset(&stop, 0, sizeof stop);
            r.n = MOST, r.chunk = 1, r.stop = &stop, r.stop_at = 7;
            ct_loop loop = {MOST, 1, (ct_schedule) schedule, workers, note, &r, &stop};
            ct_parallel_for(&loop);
            CHECK(r.chunks >= 7 && (workers > 1 || r.chunks == 7));
            for (unsigned i = 0; i < WORKERS; i++) CHECK(r.late[i] <= 1);
            CHECK(ct_halt_now(&stop, 1));
        }
}

/* Loops of a crew, one within a piece of another among them: nobody does a piece twice, and no two
 * threads have a number at a time. */
typedef struct {
    unsigned workers;
    int64_t inner; /* atomic */
} crew_task;

static void count_piece(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    (void) worker;
    ct_atomic_add(&((crew_task *) data)->inner, (int64_t) (end - begin));
}

static void loop_within(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    ct_loop inner = {3 * (end - begin), 1, CT_DYNAMIC, WORKERS, count_piece, data, NULL};
    (void) worker;
    ct_parallel_for(&inner);
}

static void loops_of_crew(void *data)
{
    crew_task *task = (crew_task *) data;
    each_once();
    for (int i = 0; i < 200; i++) {
        ct_loop loop = {MOST, 10, (ct_schedule) (i % 2), task->workers, loop_within, task, NULL};
        ct_parallel_for(&loop);
    }
    stops();
}

static void crews(void)
{
    for (unsigned threads = 0; threads <= WORKERS; threads++) {
        crew_task task = {threads, 0};
        ct_with_crew(threads, loops_of_crew, &task);
        CHECK_INT(task.inner, 200 * 3 * MOST);
    }
}

/* Threads of the process; 0 where the system does not tell. */
static unsigned n_threads_now(void)
{
    unsigned n = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (const struct dirent *entry; tasks && (entry = readdir(tasks));) n += *entry->d_name != '.';
    if (tasks) closedir(tasks);
    return n;
}

/* None is left that waits, and perhaps spins, for the next task. What has ended may be told of for
 * a while where the machine is busy, and a sanitizer may have a thread of its own. */
static void crews_end(void)
{
    unsigned before = n_threads_now();
    crew_task task = {WORKERS, 0};
    ct_with_crew(WORKERS, loops_of_crew, &task);
    for (int turn = 0; turn < 5000000 && n_threads_now() > before + 1; turn++) ct_pause();
    CHECK(n_threads_now() <= before + 1);
}

static int asked;
static int say_stop(void *data) { return ++asked >= *(int *) data; }

static void caller_is_asked(void)
{
    int third = 3;
    ct_halt stop = {say_stop, &third, 0, 0};
    asked = 0;
    CHECK(!ct_halt_now(&stop, 1)); /* not by other workers */
    CHECK_INT(asked, 0);
    double before = ct_seconds();
    CHECK(!ct_halt_now(&stop, 0));
    CHECK(stop.next > before);
    stop.next = INFINITY; /* not so soon again */
    CHECK(!ct_halt_now(&stop, 0));
    CHECK_INT(asked, 1);
    while (asked < 3) {
        stop.next = 0;
        int now = ct_halt_now(&stop, 0);
        CHECK_INT(now, asked == 3);
    }
    CHECK(ct_halt_now(&stop, 4));
}

static const check_case cases[] = {
    {"crews end", crews_end}, /* before OpenMP has threads */
    {"each piece once", each_once},
    {"stops between chunks", stops},
    {"crews", crews},
    {"the caller is asked", caller_is_asked},
};

CHECK_MAIN(cases)
