#include "exact/search/seats.h"

#include "exact/search/lines.h"
#include "exact/rows/planes.h"

/* ---- helping each other ---- */

/* Whether somebody is idle and there is enough to do for two. */
static int wants_help(const ct_seat *seat)
{
    const ct_roots *roots = seat->roots;
    const ct_team *team = seat->worker->team;
    if (roots->team || !team || roots->task->depth < 3 || !ct_team_idle(team) || roots->node->box->planes.one_at_a_time) return 0;
    int open = 0;
    for (uint32_t f = 0; f < roots->node->box->n_cols && open < 2; f++)
        for (const ct_interval *i = roots->lines[f].open; i && open < 2; i = i->next) open++;
    return open == 2;
}

/* From here on others may take intervals of this row set. Takes the lock. */
static void share(ct_seat *seat)
{
    ct_roots *roots = seat->roots;
    ct_team *team = seat->worker->team;
    CT_ASSERT(!roots->team && !roots->whole && !roots->helpers);
    ct_planes_prepare(seat->worker, roots->node->box, 0, 1);
    ct_team_lock(team);
    roots->team = team;
    roots->arena = &team->arena;
    roots->next_shared = team->shared;
    team->shared = roots;
    seat->worker->statistics.shared++;
}

/* Nothing is open and nobody else is here. Leaves the lock. */
static void unshare(ct_roots *roots)
{
    ct_team *team = roots->team;
    ct_roots **list = &team->shared;
    CT_ASSERT(!roots->busy && !roots->helpers && *list);
    while (*list != roots) list = &(*list)->next_shared;
    *list = roots->next_shared;
    ct_lines_return_spares(roots);
    roots->team = NULL;
    ct_team_unlock(team);
}

/* Works at a shared row set until nothing is open there; with the lock before and after. 0 if there is no memory for it. */
static int help(ct_worker *worker, ct_roots *roots)
{
    ct_arena_mark mark = ct_arena_here(&worker->arena);
    ct_seat seat;
    int seated = ct_roots_sit_down(&seat, roots, worker);
    if (seated) {
        roots->helpers++;
        while (ct_roots_step(&seat)) continue;
        if (roots->end_extra) roots->end_extra(&seat);
        CT_ASSERT(roots->helpers > 0);
        roots->helpers--;
    }
    ct_arena_release(&worker->arena, mark);
    return seated;
}

/* Nothing is open here, but something may be when others are done. */
static void wait_for_others(ct_seat *seat)
{
    ct_team *team = seat->roots->team;
    for (ct_roots *shared = seat->roots->whole ? team->shared : NULL; shared; shared = shared->next_shared) {
        if (!ct_lines_any_open(shared)) continue;
        if (help(seat->worker, shared)) return;
        break; /* and leaves the lock to those who have work */
    }
    ct_team_wait(team, seat->worker, seat->roots->whole);
}

/* ---- a worker's part ---- */

static double work_done(const ct_worker *worker)
{
    return worker->done + (double) worker->work;
}

/* Evaluates and closes until nothing is open, together with the other seats. */
static void run(ct_seat *seat)
{
    ct_roots *roots = seat->roots;
    int on_device = seat->worker->queue && !roots->task->on_cpu;
    const ct_offload *offload = on_device ? seat->worker->search->offload : NULL;
    struct ct_pool *pool = NULL;
    if (offload && offload->wants_row_set(seat)) {
        if (roots->hinted >= 0) ct_roots_step(seat);
        offload->search(seat); /* may leave some open */
    } else if (offload && offload->wants_problems(seat)) {
        pool = offload->begin(seat);
    }
    ct_team_lock(roots->team);
    while (roots->team || !roots->reserve || work_done(seat->worker) < roots->call_at) {
        if (wants_help(seat)) share(seat);
        if (pool && seat->worker->queue ? offload->step(pool, 1) : ct_roots_step(seat)) continue;
        if (!roots->busy && !roots->helpers) break;
        wait_for_others(seat);
    }
    while (pool && offload->step(pool, 0)) continue;
    CT_ASSERT(!roots->team || roots->whole || (!roots->busy && !roots->helpers));
    if (roots->team && !roots->whole) unshare(roots);
    else ct_team_unlock(roots->team);
}

static void take_seat(ct_worker *worker, void *data)
{
    ct_roots *roots = (ct_roots *) data;
    ct_seat seat;
    if (!ct_roots_sit_down(&seat, roots, worker)) return;
    if (!roots->team && roots->know_ends && ct_uses(worker, CT_SHORTCUT_ENDS)) roots->know_ends(&seat);
    run(&seat);
    if (roots->end_extra) roots->end_extra(&seat);
}

static void prepare(ct_worker *worker, void *data)
{
    ct_roots *roots = (ct_roots *) data;
    ct_planes_prepare(worker, roots->node->box, worker->number, worker->team->n_workers);
}

/* From here on everybody searches. */
static void call_team(ct_roots *roots)
{
    ct_team_run(roots->reserve, prepare, roots);
    CT_ASSERT(!roots->team && !roots->busy);
    roots->team = roots->reserve;
    roots->whole = 1;
    ct_team_run(roots->team, take_seat, roots);
}

ct_bounds ct_seats_search(ct_roots *roots, ct_worker *worker)
{
    ct_roots_open(roots, worker);
    take_seat(worker, roots);
    if (roots->reserve && ct_lines_any_open(roots)) call_team(roots);
    return ct_roots_close_up(roots, worker);
}
