/* The smallest tree without errors, where one is known, looked for among some of the rows first.
 *
 * On some of the rows a tree has no more splits and no errors that it did not have: fact M of
 * bound/interval.h. So what trees cost there at least they cost on all rows; and where the best
 * tree of some rows has no errors on the others, it is as good as any. If not, some of the rows
 * that it is wrong on are added to those that are searched, of which it takes few: rows near to
 * some of another class decide. Row sets are then a fraction of those of the table, and there are
 * about as many of them. */
#ifndef CT_EXACT_FINISH_SOME_ROWS_H
#define CT_EXACT_FINISH_SOME_ROWS_H

#include "exact/search/roots.h"

/* Whether it may be of use for `task`, of the whole table. */
int ct_some_rows_apply(const ct_worker *worker, const ct_node *root, const ct_exact_task *task);

/* 1 if that is found: *known, whose codes are in the worker's arena, and which is settled if it is
 * that of all best trees that the rule for ties wants. 0: too many rows would have to
 * be searched. root_bounds [n_cols], 0 before, is what is proven of trees with each root, in either
 * case. */
int ct_some_rows_search(ct_worker *worker, const ct_node *root, const ct_exact_task *task,
                        int64_t *root_bounds, ct_known_tree *known);

#endif
