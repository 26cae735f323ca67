/* Perfect trees of one depth, each node beside the same node of all other trees. */
#define FIRST(m, tree) ((void) (m), (void) (tree), 0u)
#define PLACE(m, tree, i) ((i) * (m)->n_trees + (tree))
#define CHILD(node, i, right) (2 * (i) + 1 + (right))
#include "base/compact.h"

#include "forge/schedule/perfect.h"
#include "forge/schedule/walk_body.h"

static uint32_t n_nodes(const ct_forge_shape *shape, uint32_t tree)
{
    (void) tree;
    return (UINT32_C(2) << shape->deepest) - 1;
}

static void pack(const ct_forged *f, const ct_forge_shape *shape, ct_forged_node *nodes,
                 uint32_t *origin, uint32_t *roots)
{
    for (uint32_t t = 0; t < shape->n_trees; t++) {
        roots[t] = t;
        ct_forge_perfect_pack(f, f->ensemble->roots[t], 0, t, shape->n_trees, nodes, origin);
    }
}

const ct_forge_representation ct_forge_reorg = {ct_forge_perfect_check, n_nodes, pack, walk,
                                                FIRST_TEXT, PLACE_TEXT, CHILD_TEXT};
