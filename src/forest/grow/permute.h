/* Permutation importance of a column for a tree: the increase of its out-of-bag error when the
 * values of the column are permuted among the out-of-bag rows (Breiman 2001). */
#ifndef CT_FOREST_GROW_PERMUTE_H
#define CT_FOREST_GROW_PERMUTE_H

#include "forest/grow/grow.h"

/* Adds the harm done by each column to harm[n_cols], in ct_permute_unit(): rows that become wrong
 * less those that become right; numbers: squared error, in the grower's words. After
 * ct_hist_scratch_tree;
 * fastest where rows left out are ordered by leaf. Whether all rows were shuffled: not if it was
 * stopped, and not if memory ended. */
int ct_permute(ct_hist_scratch *scratch, const ct_hist_tree *tree, int64_t *harm);

double ct_permute_unit(const ct_grower *grower);

#endif
