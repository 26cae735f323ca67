/* The part of packing that makes what lies below the tops of deep trees. */
#ifndef CT_FORGE_PACK_DEEP_H
#define CT_FORGE_PACK_DEEP_H

#include "forge/pack_planes.h"

/* Regions of the nodes of all trees. CT_NO_MEMORY without a message, here and below. */
ct_status ct_forge_pack_tops(ct_forged *forged, ct_forge_packing *packing);

/* Coded columns of the tests below tops. Where they, or the nodes of a tree, are too many,
 * has_planes becomes 0. */
ct_status ct_forge_pack_codes(ct_forged *forged, ct_forge_packing *packing);

/* Packs what lies below the top of a tree, whose exits are these nodes. */
ct_status ct_forge_pack_below(ct_forged *forged, const ct_forge_packing *packing, uint32_t tree,
                              const uint32_t *exits, ct_forge_plane_tree *packed);

#endif
