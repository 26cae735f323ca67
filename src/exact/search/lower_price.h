/* Trees of few splits by themselves, and larger ones at a lower price.
 *
 * At q, less than the price p, a tree of s splits costs (p - q) s less. So if all trees cost c or
 * more at q, those of k splits or more cost c + (p - q) k or more. Where the best tree has fewer
 * than k splits, it and its like come (p - q) closer to that bound for each split that they have
 * less than k: they cost more than what is to be proven, by so much, and thresholds near theirs are
 * closed. They are searched by themselves before, for as many leaves, which takes a fraction of the
 * time. Where a larger tree costs too little at q, the search goes on as any other, from what has
 * been proven. */
#ifndef CT_EXACT_SEARCH_LOWER_PRICE_H
#define CT_EXACT_SEARCH_LOWER_PRICE_H

#include "exact/search/roots.h"

/* Whether to search the whole table so: where it takes long and may pay, by counts. */
int ct_lower_price_applies(const ct_worker *worker, const ct_node *root, const ct_exact_task *task);

/* As ct_solve(). */
ct_bounds ct_lower_price_solve(ct_worker *worker, ct_team *team, const ct_node *root,
                               const ct_exact_task *task, int64_t *root_bounds,
                               ct_split_code *tree);

#endif
