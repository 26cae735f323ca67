/* What must hold of a model tree between moves: assertions, and nothing without CT_DEBUG. */
#ifndef CT_EVOLVE_CONDITIONS_H
#define CT_EVOLVE_CONDITIONS_H

#include "base/status.h"
#include "evolve/model_tree.h"

#ifdef CT_DEBUG

/* Checks the node and all below: tests are of splitters, links lead back, and the rows of a split
 * are those of its sides. Returns how many leaves there are. */
static inline uint32_t ct_model_nodes_are_sound(const ct_model_tree *tree, int32_t at)
{
    const ct_model_node *node = &tree->nodes[at];
    CT_ASSERT(node->used && node->sse >= 0 && node->terms >= 0);
    CT_ASSERT(!tree->rows || (node->begin < node->end && node->end <= tree->table->n_rows));
    if (ct_gmt_is_leaf(tree, at)) return 1;
    CT_ASSERT((uint32_t) node->test.splitter < tree->table->n_splitters);
    CT_ASSERT(node->left > 0 && (uint32_t) node->left < tree->room && node->left != node->right);
    CT_ASSERT(node->right > 0 && (uint32_t) node->right < tree->room);
    const ct_model_node *left = &tree->nodes[node->left], *right = &tree->nodes[node->right];
    CT_ASSERT(left->parent == at && right->parent == at);
    if (tree->rows) {
        CT_ASSERT(left->depth == node->depth + 1 && right->depth == node->depth + 1);
        CT_ASSERT(left->begin == node->begin && left->end == right->begin);
        CT_ASSERT(right->end == node->end);
    }
    return ct_model_nodes_are_sound(tree, node->left) + ct_model_nodes_are_sound(tree, node->right);
}

static inline void ct_model_tree_is_sound(const ct_model_tree *tree)
{
    uint32_t used = 0;
    CT_ASSERT(tree->nodes[0].used && tree->nodes[0].parent == CT_NO_NODE);
    for (uint32_t i = 0; i < tree->room; i++) used += tree->nodes[i].used != 0;
    CT_ASSERT(tree->n_leaves == ct_model_nodes_are_sound(tree, 0));
    CT_ASSERT(used == 2 * tree->n_leaves - 1);
    CT_ASSERT(!tree->rows || tree->nodes[0].end == tree->table->n_rows);
}

#else

#define ct_model_tree_is_sound(tree) ((void) (tree))

#endif
#endif
