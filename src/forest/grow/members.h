/* Rows of leaves, kept for predictions that ask for more than means (hist_forest.h). */
#ifndef CT_FOREST_GROW_MEMBERS_H
#define CT_FOREST_GROW_MEMBERS_H

#include "forest/grow/scratch.h"

/* Rows of the task become the members of the leaf that comes next. 0 if memory ends. */
int ct_forest_keep_members(ct_hist_scratch *scratch, const ct_hist_task *task);

/* Members of leaf `old` of the tree under way become those of leaf `place`, the next one, of a tree
 * with room for them. */
void ct_forest_move_members(const ct_new_tree *from, uint32_t old, ct_hist_tree *tree,
                            uint32_t place);

#endif
