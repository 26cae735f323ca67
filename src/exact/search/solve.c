#include "exact/search/solve.h"

#include <string.h>

#include "base/clock.h"
#include "exact/bound/class_counts.h"
#include "exact/run/history.h"
#include "exact/search/branch.h"
#include "exact/search/depth2.h"
#include "exact/search/evaluators.h"

int ct_solve_at_once(const ct_worker *worker, const ct_totals *totals, const ct_task *task,
                     ct_bounds *bounds)
{
    const ct_costs *costs = worker->search->costs;
    int64_t leaf = ct_leaf_cost(costs, totals);
    *bounds = (ct_bounds){0, 0, leaf};
    if (leaf <= worker->search->split_cost || task->depth == 0) {
        bounds->relaxed = bounds->proven = leaf; /* any split costs as much */
        return 1;
    }
    if (task->cap <= 0) return 1;
    bounds->relaxed = bounds->proven = ct_class_count_bound(worker, totals, costs->n_classes,
                                                            task->depth);
    return bounds->relaxed >= ct_smaller_cost(task->cap, leaf);
}

/* The search of the whole table at its full depth is the one that is told about. */
static ct_bounds search_watched(ct_roots *roots, ct_worker *worker)
{
    int top = !roots->task->path->n && roots->task->depth == worker->search->options->depth;
    ct_history *history = worker->search->history;
    if (top && roots->task->depth > 2) roots->part = worker->search->options->part;
    if (roots->part) roots->pause_at = ct_seconds() + roots->part->pause;
    if (top) history->search = roots, history->look = ct_roots_progress;
    ct_bounds bounds = ct_evaluators_search(roots, worker);
    if (top) history->search = NULL, history->look = NULL;
    return bounds;
}

ct_bounds ct_solve(ct_worker *worker, ct_team *team, const ct_node *node, const ct_task *task,
                   int64_t *root_bounds, ct_split_code *tree)
{
    ct_arena_mark mark = ct_arena_here(&worker->arena);
    ct_bounds bounds = {0, 0, node->leaf_cost};
    ct_roots roots;
    ct_status status = ct_roots_init(&roots, worker, team ? &team->arena : &worker->arena, node,
                                     task, root_bounds, tree);
    roots.work.reserve = team;
    if (status == CT_OK)
        status = (task->depth == 2 ? ct_depth2_init : ct_branch_init)(&roots, worker);
    if (status == CT_OK) {
        bounds = search_watched(&roots, worker);
    } else {
        memset(root_bounds, 0, node->layout->n_cols * sizeof *root_bounds);
    }
    ct_arena_release(&worker->arena, mark);
    return bounds;
}
