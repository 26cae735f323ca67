/* Initial trees: bounds are effective only once a good tree is known, and a search that is stopped
 * early needs one. */
#ifndef CT_EXACT_FINISH_INCUMBENT_H
#define CT_EXACT_FINISH_INCUMBENT_H

#include "exact/search/roots.h"

/* A tree of the whole table as a heap of the search's depth, leaves where it has none; from the
 * worker's arena. Both functions return 0 if there is none or memory ends (which stops the worker).
 */

/* The caller's tree (options->start), without what does not fit the rules or separates no rows. */
int ct_incumbent_start(ct_worker *worker, ct_known_tree *known);

/* By looking two levels ahead: the root split of a tree of depth two that is nearly optimal, and so
 * on below it. As quick as a greedy tree, and seldom as bad. `root` is the whole table. */
int ct_incumbent_look_ahead(ct_worker *worker, const ct_node *root, ct_known_tree *known);

/* Finishes a tree of which the codes are there and counts what it costs; 0 if it is a leaf, has a
 * root that it may not have, or breaks a rule. */
int ct_incumbent_assess(ct_worker *worker, ct_known_tree *known);

#endif
