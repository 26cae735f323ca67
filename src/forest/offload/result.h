/* Trees that a device has grown, as the CPU has them. */
#ifndef CT_FOREST_OFFLOAD_RESULT_H
#define CT_FOREST_OFFLOAD_RESULT_H

#include "forest/grow/permute.h"
#include "forest/offload/grow_views.h"

/* A tree as it came from the device; borrowed. */
typedef struct {
    const ct_grow_node *nodes;
    uint32_t n_nodes, n_leaves, depth, n_classes; /* leaves that have a place */
    const uint32_t *counts;                       /* [place][class], or [place] */
    const double *means;                          /* [place] */
} ct_hist_result;

/* The tree breadth first, in memory of its size; order[2 * n_nodes] becomes the old number of each
 * new one, then the new number of each old one. CT_NO_MEMORY. Freed by ct_hist_tree_free, then
 * too. */
ct_status ct_forest_result_tree(const ct_hist_result *result, uint32_t *order, ct_hist_tree *tree);

/* The rows left out, in the order in which the CPU comes to them, which decides how columns are
 * shuffled: leaf_of[row] is the node of the device, or UINT32_MAX for rows of the sample. Fills
 * out_row, out_leaf and n_out of the host. new_of: as ct_forest_result_tree makes it; scratch[2 *
 * n_nodes]. */
void ct_forest_result_finish(const ct_hist_result *result, const uint32_t *leaf_of, uint32_t n_rows,
                             const uint32_t *new_of, uint32_t *scratch, ct_left_out *out);

#endif
