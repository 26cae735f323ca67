/* The nodes that there are, children side by side. */
#include "base/compact.h"

#include <string.h>

#define FIRST(m, tree) ((m)->roots[tree])
#define PLACE(m, tree, i) ((void) (m), (void) (tree), i)
#define CHILD(node, i, right) ((node)->next + (right))
#include "forge/schedule/walk_body.h"

static const char *check(const ct_forge_shape *shape)
{
    (void) shape;
    return NULL;
}

static uint32_t n_nodes(const ct_forge_shape *shape, uint32_t tree)
{
    return shape->n_nodes[tree];
}

static void pack(const ct_forged *f, const ct_forge_shape *shape, ct_forged_node *nodes,
                 uint32_t *origin, uint32_t *roots)
{
    memcpy(nodes, f->nodes, f->ensemble->n_nodes * sizeof *nodes);
    memcpy(origin, f->node_of, f->ensemble->n_nodes * sizeof *origin);
    memcpy(roots, f->ensemble->roots, shape->n_trees * sizeof *roots);
}

const ct_forge_representation ct_forge_sparse = {check, n_nodes, pack, walk,
                                                 FIRST_TEXT, PLACE_TEXT, CHILD_TEXT};
