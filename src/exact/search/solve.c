#include "base/compact.h"

#include "exact/search/solve.h"

#include <string.h>

#include "base/clock.h"
#include "exact/bound/class_counts.h"
#include "exact/run/history.h"
#include "exact/search/branch.h"
#include "exact/search/depth2.h"
#include "exact/search/early.h"
#include "exact/search/evaluators.h"
#include "exact/search/price.h"
#include "exact/search/triples.h"

int ct_solve_at_once(const ct_worker *worker, const ct_totals *totals, const ct_exact_task *task,
                     ct_bounds *bounds)
{
    const ct_exact_costs *costs = worker->search->costs;
    int64_t leaf = ct_leaf_cost(costs, totals);
    *bounds = (ct_bounds){0, 0, leaf};
    if (leaf <= worker->search->split_cost || task->depth == 0 || task->leaves == 1) {
        bounds->relaxed = bounds->proven = leaf; /* any split costs as much */
        return 1;
    }
    if (task->cap <= 0) return 1;
    if (task->cap <= worker->search->split_cost && ct_price_counts(worker)) {
        bounds->relaxed = bounds->proven = worker->search->split_cost;
        return 1;
    }
    bounds->relaxed = bounds->proven = ct_class_count_bound(worker, totals, costs->n_classes,
                                                            task->depth);
    return bounds->relaxed >= ct_smaller_cost(task->cap, leaf);
}

/* The search of the whole table is the one that is told about, if it does more than look ahead. */
static ct_bounds search_watched(ct_roots *roots, ct_worker *worker)
{
    int top = ct_is_root(roots->task) && !roots->task->on_cpu;
    ct_history *history = worker->search->history;
    if (top && roots->task->depth > 2) roots->part = worker->search->options->part;
    if (roots->part) roots->pause_at = ct_seconds() + roots->part->pause;
    if (top) history->search = roots, history->look = ct_roots_progress;
    ct_early early = {.roots = roots, .solve = ct_solve};
    if (top) ct_early_begin(&early, worker);
    ct_bounds bounds = ct_evaluators_search(roots, worker);
    worker->early = top ? NULL : worker->early;
    if (top) history->search = NULL, history->look = NULL;
    return bounds;
}

/* Solves a task by a search over the root splits. known: out, unless NULL: the tree found, if it is
 * better than the leaf and the cap, but for its codes. */
static ct_bounds search_roots(ct_worker *worker, ct_team *team, const ct_node *node,
                              const ct_exact_task *task, int64_t *root_bounds, ct_split_code *tree,
                              ct_known_tree *known)
{
    ct_arena_mark mark = ct_arena_here(&worker->arena);
    ct_bounds bounds = {0, 0, node->leaf_cost};
    if (ct_triples_apply(worker, node->layout, task) &&
        ct_triples_solve(worker, node, task, root_bounds, tree, &bounds))
        return bounds;
    ct_roots roots;
    ct_status status = ct_roots_init(&roots, worker, team ? &team->arena : &worker->arena, node,
                                     task, root_bounds, tree);
    roots.work.reserve = team;
    if (status == CT_OK)
        status = (task->depth == 2 ? ct_depth2_init : ct_branch_init)(&roots, worker);
    if (status == CT_OK) {
        bounds = search_watched(&roots, worker);
        if (known && roots.known.improved)
            known->cost = roots.known.best, known->settled = roots.known.settled;
    } else {
        memset(root_bounds, 0, node->layout->n_cols * sizeof *root_bounds);
    }
    ct_arena_release(&worker->arena, mark);
    return bounds;
}

/* ---- few leaves ---- */

/* Bounds of trees with a certain root feature, when all ways are known: as in roots.c, a threshold
 * that separates nothing takes a split, and a tree of fewer leaves below it. */
static void with_empty_sides(const ct_worker *worker, const ct_exact_task *task, uint32_t n_cols,
                             int64_t relaxed, int64_t *root_bounds)
{
    int whole = ct_is_root(task);
    for (uint32_t f = 0; f < n_cols; f++)
        if (!whole || !ct_may_be_root(worker, f))
            root_bounds[f] = ct_smaller_cost(root_bounds[f], worker->search->split_cost + relaxed);
}

/* Takes in the answer for one way of dealing out the leaves. */
static void take_in(const ct_bounds *way, const int64_t *its_root_bounds, uint32_t n_cols,
                    ct_bounds *all, int64_t *root_bounds)
{
    CT_ASSERT(n_cols > 0 && way->relaxed >= 0);
    all->relaxed = ct_smaller_cost(all->relaxed, way->relaxed);
    all->proven = ct_smaller_cost(all->proven, way->proven);
    all->upper = ct_smaller_cost(all->upper, way->upper);
    for (uint32_t f = 0; f < n_cols; f++)
        root_bounds[f] = ct_smaller_cost(root_bounds[f], its_root_bounds[f]);
}

/* What lasts from one way of dealing out the leaves to the next. */
typedef struct {
    ct_known_tree known; /* the best tree so far; its cost is INT64_MAX if there is none */
    int64_t *root_bounds; /* of one way */
} ways;

/* Begins with the tree that the task knows. */
static int ways_begin(ways *room, ct_worker *worker, const ct_exact_task *task, size_t heap,
                      uint32_t n_cols)
{
    room->known = (ct_known_tree){CT_ARENA_NEW(&worker->arena, ct_split_code, heap), INT64_MAX,
                                  {0, 0}, 0};
    room->root_bounds = CT_ARENA_NEW(&worker->arena, int64_t, n_cols);
    if (!room->known.codes || !room->root_bounds) return 0;
    if (!task->known) return 1;
    room->known.cost = task->known->cost;
    memcpy(room->known.codes, task->known->codes, heap * sizeof *room->known.codes);
    return 1;
}

/* At most task->leaves leaves, fewer than the depth allows: one search for each number of leaves
 * that the left side may have, the right one having the others, from the fewest on. In each of them
 * the facts of interval.h hold, since the trees of either side are always the same; and each begins
 * with the best tree of those before. Of equal trees with the same root the one with the fewest
 * leaves on the left is kept. */
static ct_bounds each_way(ct_worker *worker, ct_team *team, const ct_node *node, ct_exact_task way,
                          ways *room, int64_t *root_bounds, ct_split_code *tree)
{
    uint32_t n_cols = node->layout->n_cols, most = UINT32_C(1) << (way.depth - 1),
             first = way.leaves > most ? way.leaves - most : 1, last = way.leaves - first;
    size_t bytes = ct_heap_size(way.depth) * sizeof *tree;
    ct_bounds all = {node->leaf_cost, node->leaf_cost, node->leaf_cost};
    for (uint32_t f = 0; f < n_cols; f++) root_bounds[f] = INT64_MAX;
    for (uint32_t left = first; left <= last; left++) {
        way.side_leaves[0] = ct_few_leaves(left, way.depth - 1);
        way.side_leaves[1] = ct_few_leaves(way.leaves - left, way.depth - 1);
        way.known = room->known.cost < INT64_MAX ? &room->known : NULL;
        way.elsewhere = left < last ? 0 : all.proven;
        ct_bounds bounds = search_roots(worker, team, node, &way, room->root_bounds, tree,
                                        &room->known);
        if (bounds.upper == room->known.cost) memcpy(room->known.codes, tree, bytes);
        take_in(&bounds, room->root_bounds, n_cols, &all, root_bounds);
    }
    if (all.upper == room->known.cost) memcpy(tree, room->known.codes, bytes);
    return all;
}

static ct_bounds few_leaves(ct_worker *worker, ct_team *team, const ct_node *node,
                            const ct_exact_task *task, int64_t *root_bounds, ct_split_code *tree)
{
    uint32_t n_cols = node->layout->n_cols;
    ct_bounds all = {0, 0, node->leaf_cost};
    ct_exact_task way = *task;
    ways room;
    CT_ASSERT(task->leaves >= 2 && task->leaves >> task->depth == 0);
    if (task->leaves <= task->depth) way.depth = task->leaves > 3 ? task->leaves - 1 : 2;
    ct_arena_mark mark = ct_arena_here(&worker->arena);
    for (size_t i = 0; i < ct_heap_size(task->depth); i++) tree[i] = CT_LEAF_CODE;
    if (ways_begin(&room, worker, task, ct_heap_size(way.depth), n_cols)) {
        all = each_way(worker, team, node, way, &room, root_bounds, tree);
        with_empty_sides(worker, task, n_cols, all.relaxed, root_bounds);
    } else {
        memset(root_bounds, 0, n_cols * sizeof *root_bounds);
        ct_worker_stop(worker, CT_END_MEMORY);
    }
    ct_arena_release(&worker->arena, mark);
    return all;
}

ct_bounds ct_solve(ct_worker *worker, ct_team *team, const ct_node *node, const ct_exact_task *task,
                   int64_t *root_bounds, ct_split_code *tree)
{
    ct_exact_task limited = *task;
    int fewer = !(ct_is_root(task) && worker->search->options->part) &&
                ct_price_limit(worker, node->leaf_cost, &limited);
    ct_bounds bounds =
        limited.leaves ? few_leaves(worker, team, node, &limited, root_bounds, tree)
                       : search_roots(worker, team, node, &limited, root_bounds, tree, NULL);
    if (fewer) ct_price_answer(worker, node, task, &limited, root_bounds, tree, &bounds);
    return bounds;
}
