#include "exact/search/evaluators.h"

#include "exact/search/early.h"
#include "exact/search/features.h"
#include "exact/search/observed.h"
#include "exact/rows/abreast.h"
#include "exact/rows/planes.h"

/* ---- helping each other ---- */

/* Whether somebody is idle and there is enough to do for two. */
static int wants_help(const ct_evaluator *evaluator)
{
    const ct_roots *roots = evaluator->roots;
    const ct_team *team = evaluator->worker->team;
    if (roots->work.team || !team || roots->task->depth < 3 || !ct_team_idle(team) ||
        roots->node->layout->planes.one_at_a_time)
        return 0;
    int open = 0;
    for (uint32_t f = 0; f < roots->node->layout->n_cols && open < 2; f++)
        for (const ct_interval *i = roots->features[f].open; i && open < 2; i = i->next) open++;
    return open == 2;
}

/* From here on others may take intervals of this row set. Takes the lock. */
static void share(ct_evaluator *evaluator)
{
    ct_roots *roots = evaluator->roots;
    ct_team *team = evaluator->worker->team;
    CT_ASSERT(!roots->work.team && !roots->work.whole && !roots->work.helpers);
    ct_planes_prepare(evaluator->worker, roots->node->layout, 0, 1);
    ct_team_lock(team);
    roots->work.team = team;
    roots->arena = &team->arena;
    roots->work.next_shared = team->shared;
    team->shared = roots;
    evaluator->worker->statistics.shared++;
}

/* Nothing is open and nobody else is here. Leaves the lock. */
static void unshare(ct_roots *roots)
{
    ct_team *team = roots->work.team;
    ct_roots **list = &team->shared;
    CT_ASSERT(!roots->work.busy && !roots->work.helpers && *list);
    while (*list != roots) list = &(*list)->work.next_shared;
    *list = roots->work.next_shared;
    ct_features_return_spares(roots);
    roots->work.team = NULL;
    ct_team_unlock(team);
}

/* Works at a shared row set until nothing is open there; with the lock before and after. 0 if there
 * is no memory for it. */
static int help(ct_worker *worker, ct_roots *roots)
{
    ct_arena_mark mark = ct_arena_here(&worker->arena);
    ct_evaluator evaluator;
    int joined = ct_roots_join(&evaluator, roots, worker, &worker->arena) == CT_OK;
    if (joined) {
        roots->work.helpers++;
        while (ct_roots_step(&evaluator)) continue;
        if (roots->end_extra) roots->end_extra(&evaluator);
        CT_ASSERT(roots->work.helpers > 0);
        roots->work.helpers--;
    }
    ct_arena_release(&worker->arena, mark);
    return joined;
}

/* Nothing is open here, but something may be when others are done. */
static void wait_for_others(ct_evaluator *evaluator)
{
    ct_team *team = evaluator->roots->work.team;
    for (ct_roots *shared = evaluator->roots->work.whole ? team->shared : NULL; shared;
         shared = shared->work.next_shared) {
        if (!ct_features_any_open(shared)) continue;
        if (help(evaluator->worker, shared)) return;
        break; /* and leaves the lock to those who have work */
    }
    ct_team_wait(team, evaluator->worker, evaluator->roots->work.whole);
}

/* ---- a worker's part ---- */

/* Evaluates and closes until nothing is open, together with the other evaluators. */
static void run(ct_evaluator *evaluator)
{
    ct_roots *roots = evaluator->roots;
    int on_device = evaluator->worker->queue && !roots->task->on_cpu;
    const ct_offload *offload = on_device ? evaluator->worker->search->offload : NULL;
    struct ct_scheduler *scheduler = NULL;
    if (offload && offload->wants_row_set(evaluator)) {
        if (roots->hinted >= 0) ct_roots_step(evaluator);
        offload->search(evaluator); /* may leave some open */
    } else if (offload && offload->wants_problems(evaluator)) {
        scheduler = offload->begin(evaluator);
    }
    ct_team_lock(roots->work.team);
    while (roots->work.team || !roots->work.reserve ||
           ct_work_done(evaluator->worker) < roots->work.call_at) {
        if (ct_early_is_due(evaluator)) ct_early_look(evaluator);
        if (wants_help(evaluator)) share(evaluator);
        if (scheduler && evaluator->worker->queue ? offload->step(scheduler, 1)
                                                  : ct_roots_step(evaluator))
            continue;
        if (!roots->work.busy && !roots->work.helpers) break;
        wait_for_others(evaluator);
    }
    while (scheduler && offload->step(scheduler, 0)) continue;
    CT_ASSERT(!roots->work.team || roots->work.whole ||
              (!roots->work.busy && !roots->work.helpers));
    if (roots->work.team && !roots->work.whole) unshare(roots);
    else ct_team_unlock(roots->work.team);
}

static void take_part(ct_worker *worker, void *data)
{
    ct_roots *roots = (ct_roots *) data;
    ct_evaluator evaluator;
    if (ct_roots_join(&evaluator, roots, worker, &worker->arena) != CT_OK) return;
    if (!roots->work.team && roots->know_ends && ct_uses(worker, CT_SHORTCUT_ENDS)) {
        roots->know_ends(&evaluator);
        ct_observe_ends(worker, roots);
    }
    run(&evaluator);
    if (roots->end_extra) roots->end_extra(&evaluator);
}

static void prepare(ct_worker *worker, void *data)
{
    ct_roots *roots = (ct_roots *) data;
    ct_layout *layout = roots->node->layout;
    if (layout->abreast)
        ct_abreast_prepare(worker, layout, worker->number, worker->team->n_workers);
    else ct_planes_prepare(worker, layout, worker->number, worker->team->n_workers);
}

/* From here on everybody searches. */
static void call_team(ct_roots *roots)
{
    if (!roots->node->layout->planes.one_at_a_time)
        ct_team_run(roots->work.reserve, prepare, roots);
    CT_ASSERT(!roots->work.team && !roots->work.busy);
    roots->work.team = roots->work.reserve;
    roots->work.whole = 1;
    ct_team_run(roots->work.team, take_part, roots);
}

ct_bounds ct_evaluators_search(ct_roots *roots, ct_worker *worker)
{
    ct_roots_open(roots, worker);
    take_part(worker, roots);
    if (roots->work.reserve && ct_features_any_open(roots)) call_team(roots);
    return ct_roots_close_up(roots, worker);
}
