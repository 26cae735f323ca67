/* One loop over independent pieces of work, on some threads, by OpenMP where the compiler has it
 * and one after another without it. Results must not depend on who did what: a piece writes to
 * places of its own, or adds integers under a lock. */
#ifndef CT_BASE_PARALLEL_H
#define CT_BASE_PARALLEL_H

#include <stdint.h>

/* Early termination of work. One object is shared by all workers of a task; initialise it with
 * zeros except for the caller's function. */
typedef struct {
    int (*asked)(void *data); /* 1: end. Called on the calling thread alone; NULL: nobody asks */
    void *data;
    double next;              /* in ct_seconds(): not asked before */
    int64_t stopped;          /* atomic */
} ct_halt;

/* 1 once work is to end. Worker 0, which is the calling thread, asks for it some fifty times a
 * second. Cheap enough to be called every few microseconds. */
int ct_halt_now(ct_halt *stop, unsigned worker);
/* Ends the work, from any thread. */
void ct_halt_set(ct_halt *stop);

/* Chunks that are dealt out in turn have all one cost, or nearly; those taken as they come may
 * differ. */
typedef enum { CT_STATIC, CT_DYNAMIC } ct_schedule;

typedef struct {
    uint64_t n;          /* pieces, numbered from 0 */
    uint64_t chunk;      /* how many are done at a time; 0: 1 */
    ct_schedule schedule;
    unsigned n_workers;  /* threads at most; 0: 1. One worker calls nothing of OpenMP */
    /* Does the pieces begin .. end - 1. No two threads have the same worker, a number below
     * n_workers, at a time: it tells which state (memory, counters) is free to be used. */
    void (*work)(void *data, unsigned worker, uint64_t begin, uint64_t end);
    void *data;
    ct_halt *stop;       /* looked at before each chunk; NULL: none */
} ct_loop;

/* Returns when all chunks are done, or, once stopped, those that were begun. The calling thread is
 * worker 0. With CT_STATIC worker w of n does the chunks w, w + n, w + 2 n, ... in this order. */
void ct_parallel_for(const ct_loop *loop);

/* Runs a task on this thread, with others that share its loops and, between these, sleep: for tasks
 * of many loops, from one to the next of which the threads of OpenMP spin. They end with it. */
void ct_with_crew(unsigned n_threads, void (*task)(void *data), void *data);

#endif
