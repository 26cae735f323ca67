/* Problems of depth two and three on features of few values, solved by counts: the rows of each
 * class in every two and every three thresholds, each triple counted once (kernels/triples.h).
 *
 * Called in place of the search over root splits and answers as that does: the least cost, the tree
 * that the rule for ties wants, and a lower bound for each root feature; these are the costs
 * themselves, but for roots that a bound has ruled out. A root that was counted bounds the others:
 * opt(A) >= opt(B) - D(B \ A), for sides A and B of two roots, as in bound/interval.h.
 *
 * Only where rows cost all the same and trees may have leaves of any size, or with a response,
 * where features have two values (sums.h). No evidence is written:
 * a search that writes some (evidence.h) does without, knows the cost that was found here, and
 * records thresholds as in any other table, which is all that src/certify needs. */
#ifndef CT_EXACT_SEARCH_TRIPLES_H
#define CT_EXACT_SEARCH_TRIPLES_H

#include "exact/search/roots.h"

/* Whether a task is one of these, unless its node has more than CT_MOST_TESTS. */
int ct_triples_apply(const ct_worker *worker, const ct_layout *layout, const ct_exact_task *task);

/* Solves it, into *bounds, which say nothing before, root_bounds and tree as ct_solve() does; 0 if
 * the node has more tests. If memory ends, a stop is asked for. */
int ct_triples_solve(ct_worker *worker, const ct_node *node, const ct_exact_task *task,
                     int64_t *root_bounds, ct_split_code *tree, ct_bounds *bounds);

#endif
