/* What a price leaves room for.
 *
 * A tree of n splits costs n prices at least. So a tree below some cost has (cost - 1) / price
 * splits at most, and no more levels than that: where a row set may have more, a tree of so few
 * levels is the answer to its task. All others cost as much as one split more; so a lower bound of
 * the trees of few levels that is cut down to that holds at every depth. */
#ifndef CT_EXACT_SEARCH_PRICE_H
#define CT_EXACT_SEARCH_PRICE_H

#include "exact/search/roots.h"

/* Nor for a proof that is to be checked: src/certify does without. */
static inline int ct_price_counts(const ct_worker *worker)
{
    return ct_uses(worker, CT_SHORTCUT_PRICE) && !worker->evidence &&
           worker->search->split_cost > 0;
}

/* Splits of a tree that costs less than `below`, which is more than one split. */
static inline int64_t ct_price_affords(const ct_worker *worker, int64_t below)
{
    CT_ASSERT(below > worker->search->split_cost);
    return (below - 1) / worker->search->split_cost;
}

/* Takes away levels and leaves that no tree of the task can afford; 0: there are none. */
int ct_price_limit(const ct_worker *worker, int64_t leaf, ct_exact_task *task);

/* Makes the answer to the limited task one to `task`. */
void ct_price_answer(const ct_worker *worker, const ct_node *node, const ct_exact_task *task,
                     const ct_exact_task *limited, int64_t *root_bounds, ct_split_code *tree,
                     ct_bounds *bounds);

#endif
