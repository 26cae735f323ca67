/* Depth-two problems: the root split is searched by intervals, and one root threshold is evaluated by scanning every
 * child feature that can still matter, both sides at once (kernels.h). Nearly all the time of a search is spent here. */
#ifndef CT_SEARCH_DEPTH2_H
#define CT_SEARCH_DEPTH2_H

#include "search/roots.h"

/* As ct_solve in branch.h, for task->depth == 2: tree has 3 entries. */
ct_bounds ct_depth2_solve(ct_worker *worker, const ct_node *node, const ct_task *task, int64_t *floors,
                          ct_split_code *tree);

#endif
