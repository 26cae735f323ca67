#include "forest/grow/honest.h"

#include <string.h>

#include "base/memory.h"
#include "forest/grow/nodes.h"
#include "forest/grow/root.h"

typedef struct {
    ct_hist_scratch *scratch;
    ct_hist_node *nodes; /* [n_nodes] of the tree as it was grown, owned */
    uint32_t *grown;     /* [n_nodes] of each node of the new tree, which of those it is; owned */
} refill;

static ct_hist_split split_of(const ct_hist_node *node)
{
    return (ct_hist_split){.column = node->feature,
                           .cut = node->cut,
                           .missing_left = (node->next & CT_HIST_FLAG) != 0,
                           .is_set = (node->next & CT_HIST_SET) != 0};
}

/* A child becomes a leaf, or waits, as where the tree grew. */
static int end_or_wait(refill *r, uint32_t place)
{
    const ct_hist_task *task = ct_task_at(r->scratch, place);
    if (r->nodes[r->grown[task->node]].feature == CT_HIST_LEAF)
        return ct_forest_make_leaf(r->scratch, task);
    ct_wait(r->scratch, place);
    return 1;
}

/* The rows of the last task that waits go to its children; or, if all go to one, its test is
 * dropped, and it waits again in place of that child. */
static int pass_on(refill *r)
{
    ct_hist_scratch *scratch = r->scratch;
    const uint32_t place = --scratch->waiting.n;
    ct_hist_task *task = ct_task_at(scratch, place), *left = ct_task_at(scratch, place + 1),
                 *right = ct_task_at(scratch, place + 2);
    const ct_hist_node node = r->nodes[r->grown[task->node]];
    const ct_hist_split split = split_of(&node);
    const uint32_t below = node.next & CT_HIST_CHILD;
    if (!ct_begin_children(scratch, task, left, right)) return 0;
    ct_hist_partition(scratch, task, &split, left, right);
    if (!left->n || !right->n) {
        scratch->tree.n_nodes -= 2;
        r->grown[task->node] = below + !left->n;
        return end_or_wait(r, place);
    }
    if (task->n_out) ct_forest_partition_out(scratch, task, &split, left, right);
    r->grown[left->node] = below;
    r->grown[right->node] = below + 1;
    scratch->tree.nodes[task->node] =
        (ct_hist_node){left->node | (node.next & ~CT_HIST_CHILD), node.feature, node.cut};
    /* the larger one waits, and so few do */
    const uint32_t larger = left->n >= right->n ? 1 : 2;
    return end_or_wait(r, place + larger) && end_or_wait(r, place + 3 - larger);
}

static int fill(refill *r)
{
    ct_hist_scratch *scratch = r->scratch;
    ct_new_tree *tree = &scratch->tree;
    ct_hist_task *root = ct_task_at(scratch, 0);
    memcpy(r->nodes, tree->nodes, tree->n_nodes * sizeof *r->nodes);
    r->grown[0] = 0;
    tree->n_nodes = 1;
    tree->n_leaves = tree->n_members = tree->depth = 0;
    ct_forest_make_root(scratch, scratch->rows.fills, scratch->grower->need_out, root);
    int fine = end_or_wait(r, 0);
    while (fine && scratch->waiting.n) fine = pass_on(r);
    return fine;
}

int ct_forest_refill_leaves(ct_hist_scratch *scratch)
{
    CT_ASSERT(scratch->rows.fills && scratch->tree.n_nodes > 0);
    const size_t n = scratch->tree.n_nodes;
    refill r = {scratch, NULL, NULL};
    r.nodes = (ct_hist_node *) ct_alloc(n * sizeof *r.nodes);
    r.grown = (uint32_t *) ct_alloc(n * sizeof *r.grown);
    const int fine = r.nodes && r.grown && fill(&r);
    ct_free(r.nodes);
    ct_free(r.grown);
    return fine;
}
