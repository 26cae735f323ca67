/* The child to which a row goes at a node of a walk. */
#ifndef CT_FORGE_STEP_H
#define CT_FORGE_STEP_H

#include <math.h>

#include "forge/forged.h"

/* 1: to the right; nowhere, 0, from a leaf. */
static inline uint32_t ct_forge_step_right(const ct_forged_node *node, double x)
{
    uint32_t right = !(x <= node->threshold);
    right &= !((node->what & CT_FORGE_WALK_NAN_LEFT) && x != x);
    return right & (node->what / CT_FORGE_WALK_INNER & 1);
}

/* 1: to the right, where there are sets and missing zeros; `origin` is the ensemble's node. */
static inline uint32_t ct_forge_step_any_right(const ct_forge_ensemble *e, uint32_t origin,
                                               const ct_forged_node *node, double x)
{
    const uint32_t unusual = CT_FORGE_WALK_ZERO | CT_FORGE_WALK_SET;
    if (x != x || !(node->what & unusual)) return ct_forge_step_right(node, x);
    if (node->what & CT_FORGE_WALK_SET) return !ct_forge_ensemble_in_set(e, origin, x);
    if (fabs(x) <= CT_FORGE_ZERO) return !(node->what & CT_FORGE_WALK_NAN_LEFT);
    return ct_forge_step_right(node, x);
}

#endif
