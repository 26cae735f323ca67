/* The rows that a tree is grown from, and those of its root. */
#ifndef CT_FOREST_GROW_ROOT_H
#define CT_FOREST_GROW_ROOT_H

#include "forest/grow/scratch.h"

/* How often each row is in the tree; of honest trees, in which half. */
void ct_forest_draw_rows(ct_hist_scratch *scratch, uint32_t tree);

/* Makes a root of the rows with these counts, by class, and of those left out if they are
 * wanted. */
void ct_forest_make_root(ct_hist_scratch *scratch, const uint32_t *counts, int with_out,
                         ct_hist_task *root);

#endif
