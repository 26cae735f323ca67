/* The part of packing that makes planes. */
#ifndef CT_FORGE_PACK_PLANES_H
#define CT_FORGE_PACK_PLANES_H

#include "forge/forged.h"

/* What is known of an ensemble while it is made ready. */
typedef struct {
    ct_arena arena;
    uint32_t *column_of; /* [n_features] among the features used */
    uint32_t *depth;     /* [n_nodes] */
    double *highest;     /* [n_nodes] the threshold as that of x <= t; NaN: never */
    uint8_t *nan_left;   /* [n_nodes] */
    uint32_t *n_leaves;  /* [n_trees] */
    uint32_t *plane_of;  /* [n_nodes] of tests */
} ct_packing;

/* Tests, searches and trees, none of which has more than CT_PLANE_LEAVES leaves. CT_NO_MEMORY
 * without a message. */
ct_status ct_pack_planes(ct_forged *forged, ct_packing *packing);

#endif
