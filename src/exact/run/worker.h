/* The data that each thread of a search owns, and the data that all of them read. */
#ifndef CT_EXACT_RUN_WORKER_H
#define CT_EXACT_RUN_WORKER_H

#include "base/arena.h"
#include "base/bytes.h"
#include "exact/cost/choices.h"
#include "exact/cost/quantised.h"
#include "data/table.h"
#include "exact/kernels/kernels.h"
#include "exact/run/options.h"
#include "exact/run/statistics.h"
#include "exact/run/stop.h"

/* Costs are 64-bit integers; what rows and splits cost is in exact/cost/costs.h and penalty.h. */
typedef struct {
    const ct_table *table;
    const ct_exact_options *options;
    uint32_t off;        /* bit i: shortcut i is not used; by the options, or as it does not pay */
    const ct_kernels *kernels;
    const ct_exact_costs *costs;
    int64_t split_cost;
    /* at a lower price (search/lower_price.h): what trees of several splits cost more in fact, a
     * lower bound of all others, and what the best of them costs; `more` is 0: at its own price */
    int64_t more, few_lower, few_upper;
    int breaks_ties;     /* all splits of a tree cost less than a unit */
    int64_t gap;
    int64_t cap;         /* costs from here on need not be told apart */
    size_t plane_budget;
    uint32_t min_bucket; /* at least 1 */
    uint32_t min_split;  /* at least 2 min_bucket */
    uint32_t max_leaves; /* fewer than the depth allows; 0: as many as that */
    double deadline; /* in ct_seconds() */
    struct ct_offload_device *device; /* NULL: the CPU alone */
    /* how that is given work, see search/evaluators.h; NULL: not at all */
    const struct ct_offload *offload;
    struct ct_history *history; /* for workers[0] and under the team's lock */
} ct_exact_search;

struct ct_bound_cache;
struct ct_offload_queue;
struct ct_scheduler;
struct ct_team;
struct ct_history;

typedef struct {
    const ct_exact_search *search;
    struct ct_team *team; /* NULL: alone */
    unsigned number;      /* in the team; 0: the thread that called, which alone may call back */
    ct_arena arena;
    struct ct_bound_cache *cache; /* borrowed; NULL: not in use */
    ct_bytes *evidence;             /* borrowed; NULL: none is kept */
    struct ct_offload_queue *queue; /* borrowed; NULL: the CPU alone */
    struct ct_scheduler *scheduler;           /* owned; NULL until it is needed */
    ct_stop *stop;    /* borrowed: one for all workers of the search */
    struct ct_early *early; /* bounds that it looks for, see search/early.h; NULL: none */
    /* while it proves one, and has a stop of its own: that of the search, and after how much work
     * it gives up; NULL: not now */
    const ct_stop *aside;
    double aside_until;
    int capped;       /* a column that it ranked had more thresholds than it may have */
    uint64_t work;    /* rows scanned since the clock was last asked */
    double done;      /* ... and before that */
    ct_exact_statistics statistics;
} ct_worker;

static inline int ct_uses(const ct_worker *worker, ct_exact_shortcut shortcut)
{
    return !(worker->search->off >> shortcut & 1);
}

/* Kernels count units of what rows cost (wrong rows, where these cost all the same), which are
 * this many bits below costs. */
static inline unsigned ct_kernel_shift(const ct_worker *worker)
{
    return worker->search->costs->shift;
}

/* Whether bounds go by the sizes of leaves, see exact/bound/interval.h: not where a certificate is
 * to follow from them, which counts trees of any leaf size, nor on devices. */
static inline int ct_search_is_sized(const ct_worker *worker)
{
    return worker->search->min_bucket > 1 && !worker->evidence && !worker->queue &&
           ct_uses(worker, CT_SHORTCUT_LEAF_SIZES);
}

/* Whether the root of a tree may be split on column f. */
static inline int ct_may_be_root(const ct_worker *worker, uint32_t f)
{
    CT_ASSERT(f < worker->search->table->n_cols);
    const uint8_t *roots = worker->search->options->roots;
    return !roots || roots[f];
}

/* Whether a tree may split n rows, and split them so that n_left go left. */
static inline int ct_may_split(const ct_worker *worker, uint32_t n)
{
    return n >= worker->search->min_split;
}

static inline int ct_may_split_at(const ct_worker *worker, uint32_t n, uint32_t n_left)
{
    uint32_t least = worker->search->min_bucket;
    CT_ASSERT(least > 0 && n_left <= n);
    return ct_may_split(worker, n) && n_left >= least && n - n_left >= least;
}

static inline double ct_work_done(const ct_worker *worker)
{
    return worker->done + (double) worker->work;
}

/* Tells all workers to leave the search. */
static inline void ct_worker_stop(const ct_worker *worker, ct_exact_end why)
{
    ct_stop_ask(worker->stop, why);
}

/* Without memory a search is over, and whoever meets that says so to all. */
static inline ct_status ct_worker_no_memory(const ct_worker *worker)
{
    ct_worker_stop(worker, CT_END_MEMORY);
    return CT_NO_MEMORY;
}

/* Whether this worker or another one has been told to. */
static inline int ct_is_halted(const ct_worker *worker) { return ct_stop_is_asked(worker->stop); }

/* Adds `rows` (times the columns and classes scanned) to the work done, and now and then asks the
 * clock and the caller whether to stop. */
void ct_worker_poll(ct_worker *worker, uint64_t rows);
/* For tests, of the whole process: the number of rows after which that is done, so that small
 * searches can be stopped at any moment; 2^25 as it is, and with 0. */
void ct_exact_worker_poll_every(uint64_t rows);

#endif
