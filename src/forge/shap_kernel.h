/* The hot loop of shap.h: one tree, a block of rows. */
#ifndef CT_FORGE_SHAP_KERNEL_H
#define CT_FORGE_SHAP_KERNEL_H

#include <stdint.h>

#include "base/cpu.h"

enum { CT_FORGE_SHAP_ROWS = 256, CT_FORGE_SHAP_LANES = 8 };

/* From a node to a child, which rows with x <= threshold reach, or the others if `right`. z is the
 * proportion of cover that takes this edge, times those of edges above of the same feature. */
typedef struct {
    double threshold, z, term; /* the child's, if it is a leaf */
    double ratio;              /* z of this edge by that of the one above of the same feature */
    uint32_t column;           /* of x: the test's answers */
    uint32_t player;           /* of out: the feature */
    uint32_t depth;            /* of the child; the root's is 0 */
    uint32_t above;            /* depth of the nearest edge above of the same feature; 0: none */
    uint8_t right, nan_left, leaf;
} ct_forge_shap_edge;

/* Of an edge at a point: what the product is multiplied by, and the share of the sum below that is
 * the feature's; where the row takes this edge, and where it took all above but not this. */
typedef struct {
    double times_taken, times_left, share_taken, share_left;
} ct_forge_shap_factor;

typedef struct {
    const ct_forge_shap_edge *edges;      /* each behind the one above it, before its siblings' */
    const ct_forge_shap_factor *factors;  /* [n_edges][n_points] */
    uint32_t n_edges, n_points;
    const double *x;                /* [column][CT_FORGE_SHAP_ROWS] */
    double *products, *sums;        /* [depth][n_points][CT_FORGE_SHAP_LANES] */
    /* [depth][CT_FORGE_SHAP_LANES] -1: the row takes this edge and all above of the same feature;
     * depth 0: all -1 */
    int64_t *taken;
    const ct_forge_shap_edge **open; /* [depth] */
    double *out;                     /* [player][CT_FORGE_SHAP_ROWS] is added to */
} ct_forge_shap_tree;

/* The rows first .. first + CT_FORGE_SHAP_LANES - 1 of the block. */
typedef void ct_forge_shap_kernel(const ct_forge_shap_tree *tree, uint32_t first);

CT_DECLARE_KERNELS(ct_forge_shap_kernel, ct_forge_shap)

#endif
