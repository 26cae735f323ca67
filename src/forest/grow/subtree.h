/* Subtrees of few rows. Their rows are not moved: a node is a set of them, and its search reads
 * their codes where they are. */
#ifndef CT_FOREST_GROW_SUBTREE_H
#define CT_FOREST_GROW_SUBTREE_H

#include "forest/grow/scratch.h"

/* Whether the scratch's forest may have such subtrees at all; which trees grow is the same. */
int ct_forest_may_have_subtrees(const ct_grower *grower);

static inline int ct_is_subtree(const ct_hist_scratch *scratch, const ct_hist_task *task)
{
    return scratch->grower->has_subtrees && task->n <= CT_SUBSET_ROWS &&
           task->weight <= CT_SMALL_WEIGHT;
}

/* Grows all below a task. 0 if memory ends. */
int ct_forest_grow_subtree(ct_hist_scratch *scratch, const ct_hist_task *task, uint32_t tree);

#endif
