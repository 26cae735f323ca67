/* Permutation importance of a column for a tree: the increase of its out-of-bag error when the
 * values of the column are permuted among the out-of-bag rows (Breiman 2001). */
#ifndef CT_FOREST_GROW_PERMUTE_H
#define CT_FOREST_GROW_PERMUTE_H

#include "base/parallel.h"
#include "forest/grower.h"

/* Rows left out of a tree that have come to a leaf. */
typedef struct {
    uint32_t *row, *leaf; /* [n] of the table; its node */
    uint32_t n;
    uint32_t *spare;      /* [n] for whoever moves rows left out about */
} ct_left_out;

/* Adds the harm done by each column to harm[n_cols], in ct_forest_permute_unit(): rows that become
 * wrong less those that become right; numbers: squared error, in the grower's words. Fastest where
 * rows are ordered by leaf. What it does to each row is added to local[row][n_cols] (NULL: not
 * asked for), which threads share. Whether all were shuffled: not if worker `number` was stopped,
 * which then has not added anything to `local`, and not if memory ended. */
int ct_forest_permute(const ct_grower *grower, const ct_left_out *out, const ct_hist_tree *tree,
                      int64_t *harm, int64_t *local, ct_halt *stop, unsigned number);

double ct_forest_local_unit(const ct_grower *grower);

double ct_forest_permute_unit(const ct_grower *grower);

#endif
