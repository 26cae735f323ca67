#include "base/compact.h"

#include "exact/search/early.h"

#include <math.h>

/* Caps in sixteenths of the best cost: they double up to half of it and, where a limit of time may
 * end the search, then grow by an eighth of it. A step takes about GROWTH times the work of the one
 * before, and then twice as much. */
enum { DOUBLED = 4, STEPS = 6, GROWTH = 8 };
static const int64_t CAPS[STEPS] = {1, 2, 4, 8, 10, 12};

/* Work on bounds for each unit of work of the search: twice as much where a limit of time may stop
 * that; else next to nothing. */
static const double SHARE_WITH_LIMIT = 2, SHARE = 0.02;

static int64_t cap_of_step(const ct_roots *roots, unsigned step)
{
    int64_t best = roots->known.best;
    CT_ASSERT(step < STEPS);
    return best / 16 * CAPS[step] + best % 16 * CAPS[step] / 16;
}

/* What is to be proven, and what is. */
typedef struct {
    const ct_early *early;
    int64_t cap, proven;
} below;

/* Tries to prove that no tree costs less than the cap. */
static void solve_below(ct_worker *worker, void *data)
{
    below *x = (below *) data;
    const ct_roots *roots = x->early->roots;
    ct_arena_mark mark = ct_arena_here(&worker->arena);
    int64_t *root_bounds = CT_ARENA_NEW(&worker->arena, int64_t, roots->node->layout->n_cols);
    ct_split_code *tree = CT_ARENA_NEW(&worker->arena, ct_split_code,
                                       ct_heap_size(roots->task->depth));
    ct_exact_task task = *roots->task;
    task.cap = x->cap;
    task.seen = INT64_MAX;
    task.gap = 0;
    task.on_cpu = 1;
    task.first_of_ties = 0;
    task.known = NULL;
    if (root_bounds && tree)
        x->proven = x->early->solve(worker, NULL, roots->node, &task, root_bounds, tree).relaxed;
    ct_arena_release(&worker->arena, mark);
}

int ct_early_aside(ct_worker *worker, double work, void (*solve)(ct_worker *, void *), void *data)
{
    ct_early *early = worker->early;
    ct_stop stop = {0}, *whole = worker->stop;
    struct ct_team *team = worker->team;
    worker->stop = &stop;
    worker->team = NULL;
    worker->early = NULL;
    worker->aside = whole;
    worker->aside_until = ct_work_done(worker) + work;
    solve(worker, data);
    worker->aside = NULL;
    worker->early = early;
    worker->team = team;
    worker->stop = whole;
    if (ct_stop_is_asked(&stop) && ct_stop_reason(&stop) != CT_END_MEMORY)
        ct_worker_stop(worker, ct_stop_reason(&stop));
    return !ct_stop_is_asked(&stop);
}

/* Returns what is proven by so much work. */
static int64_t prove(ct_worker *worker, int64_t cap, double work)
{
    below x = {worker->early, cap, 0};
    ct_early_aside(worker, work, solve_below, &x);
    return x.proven;
}

/* With the lock, as below. */
static void take_step(ct_early *early, ct_worker *worker, int64_t cap, double work)
{
    ct_roots *roots = early->roots;
    double before = ct_work_done(worker);
    ct_team_unlock(roots->work.team);
    int64_t proven = prove(worker, cap, work);
    ct_team_lock(roots->work.team);
    double took = ct_work_done(worker) - before;
    int given_up = took >= work;
    worker->statistics.early += proven > roots->known.least;
    roots->known.least = ct_larger_cost(roots->known.least, proven);
    early->spent += took;
    early->expected = took * (given_up || early->step + 1 >= DOUBLED ? 2 : GROWTH);
    if (proven >= cap) early->step++;
    else if (!given_up) early->step = STEPS; /* there are trees below the cap, or no memory */
}

static void look(ct_early *early, ct_worker *worker)
{
    const ct_exact_options *options = worker->search->options;
    double share = options->time_limit < INFINITY ? SHARE_WITH_LIMIT : SHARE,
           searched = ct_work_done(worker) - early->begun - early->spent,
           room = options->early_after + share * searched - early->spent;
    unsigned steps = options->time_limit < INFINITY ? STEPS : DOUBLED;
    int64_t own = ct_roots_lower(early->roots), cap = 0;
    CT_ASSERT(searched >= 0);
    /* a cap little above what is known is not worth its time */
    while (early->step < steps && (cap = cap_of_step(early->roots, early->step)) <=
                                      own + own / (early->step < DOUBLED ? 2 : 8))
        early->step++;
    early->at = early->step < steps ? 0 : INFINITY;
    if (early->step >= steps || ct_is_halted(worker)) return;
    if (early->expected < room) take_step(early, worker, cap, room);
    else early->at = ct_work_done(worker) + (early->expected - room) / share + 1;
}

void ct_early_look(const ct_evaluator *evaluator)
{
    ct_early *early = evaluator->worker->early;
    ct_team *team = evaluator->roots->work.team ? NULL : early->roots->work.team;
    ct_team_lock(team);
    look(early, evaluator->worker);
    ct_team_unlock(team);
}

void ct_early_begin(ct_early *early, ct_worker *worker)
{
    const ct_exact_task *task = early->roots->task;
    if (!ct_uses(worker, CT_SHORTCUT_EARLY) || !ct_uses(worker, CT_SHORTCUT_CAPS) ||
        task->depth < 3 || task->error_free || early->roots->part || worker->evidence ||
        worker->queue)
        return;
    early->begun = ct_work_done(worker);
    early->at = early->begun + worker->search->options->early_after;
    worker->early = early;
}
