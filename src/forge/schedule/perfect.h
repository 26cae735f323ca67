/* Perfect trees, level by level: below i are 2 i + 1 and 2 i + 2. A leaf that lies higher has
 * nothing below that anybody comes to. */
#ifndef CT_FORGE_SCHEDULE_PERFECT_H
#define CT_FORGE_SCHEDULE_PERFECT_H

#include "forge/schedule/layout.h"

static inline const char *ct_forge_perfect_check(const ct_forge_shape *shape)
{
    return shape->deepest > CT_FORGE_MOST_PERFECT ? "a tree is more than 12 deep" : NULL;
}

/* The nodes of a tree to `first`, `first + apart`, ... */
static inline void ct_forge_perfect_pack(const ct_forged *f, uint32_t from, uint32_t i,
                                         size_t first, size_t apart, ct_forged_node *nodes,
                                         uint32_t *origin)
{
    size_t place = first + i * apart;
    nodes[place] = f->nodes[from];
    origin[place] = f->node_of[from];
    if (!(f->nodes[from].what & CT_FORGE_WALK_INNER)) return;
    for (uint32_t right = 0; right < 2; right++)
        ct_forge_perfect_pack(f, f->nodes[from].next + right, 2 * i + 1 + right, first, apart,
                              nodes, origin);
}

#endif
