/* The region of packing that makes planes. */
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
    uint8_t *region;     /* [n_nodes] ct_forge_region */
    uint32_t *coded_as;  /* [n_nodes] of tests below tops: the low word of their nodes */
} ct_forge_packing;

/* Where a node is: below the top of its tree, an exit of the top, or a test of the top. */
typedef enum { CT_FORGE_BELOW, CT_FORGE_EXIT, CT_FORGE_TOP_TEST } ct_forge_region;

/* Which values the test of a node sends right besides those above its threshold. */
static inline ct_forge_test_kind ct_forge_pack_kind(const ct_forged *f, const ct_forge_packing *p,
                                                    uint32_t node)
{
    if (f->ensemble->missing[node] == CT_FORGE_MISSING_ZERO)
        return p->nan_left[node] ? CT_FORGE_ZERO_LEFT : CT_FORGE_ZERO_RIGHT;
    return p->nan_left[node] ? CT_FORGE_NAN_LEFT : CT_FORGE_NAN_RIGHT;
}

/* Makes tests, searches and trees; or has_planes becomes 0. CT_NO_MEMORY without a message. */
ct_status ct_forge_pack_planes(ct_forged *forged, ct_forge_packing *packing);

#endif
