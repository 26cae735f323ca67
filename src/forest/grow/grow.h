/* One tree: from a sample of rows down to its leaves. */
#ifndef CT_FOREST_GROW_GROW_H
#define CT_FOREST_GROW_GROW_H

#include "forest/grow/scratch.h"

/* Grows tree `number`. Whether it is whole, and ct_hist_scratch_tree may take it out: not if it was
 * stopped, and not if memory ended. */
int ct_forest_grow_tree(ct_hist_scratch *scratch, uint32_t number);

/* The tree, breadth first, in memory of its size; left_out.leaf then has the leaf's node of each
 * row left out. Freed by ct_hist_tree_free, also after CT_NO_MEMORY. */
ct_status ct_hist_scratch_tree(ct_hist_scratch *scratch, ct_hist_tree *tree);

#endif
