/* Problems of any depth: the recursion. */
#ifndef CT_EXACT_SEARCH_SOLVE_H
#define CT_EXACT_SEARCH_SOLVE_H

#include "exact/search/roots.h"

/* Solves task->depth >= 2 for a row set, with a team (whose first member is the worker) unless that
 * is NULL. root_bounds: [n_cols] out, lower bounds by root feature. tree: a heap of
 * ct_heap_size(depth) entries, out: the tree of the upper bound if that is below the cap and the
 * leaf, else a hint. */
ct_bounds ct_solve(ct_worker *worker, ct_team *team, const ct_node *node, const ct_exact_task *task,
                   int64_t *root_bounds, ct_split_code *tree);

/* What is looked at before a row set is even laid out: 1 if *bounds are the answer to the task,
 * since the leaf is best or nothing can stay below the cap. */
int ct_solve_at_once(const ct_worker *worker, const ct_totals *totals, const ct_exact_task *task,
                     ct_bounds *bounds);

#endif
