/* Rows down trees on a device, without branching on the kind of a node (Sharp: Implementing
 * decision trees and forests on a GPU, ECCV 2008): one item each, whatever thread takes it. First
 * each row goes down each tree by a thread of its own, then a thread for each row adds up what its
 * leaves say, in the order of the trees. */
#ifndef CT_FOREST_OFFLOAD_WALK_BODY_H
#define CT_FOREST_OFFLOAD_WALK_BODY_H

#include "forest/walk/leaf_body.h"
#include "forest/walk/walk.h"

/* A code above `last` goes to the node behind `left`; none is above a leaf's, whose left is itself.
 * CT_HIST_FLAG of `left`: missing values go left, for which all codes are raised by one, so that
 * theirs becomes 0, and `last` is one more. */
typedef struct {
    uint32_t left;
    uint16_t feature, last;
} __attribute__((aligned(8))) ct_forged_node;

/* A forest and some rows on the device. */
typedef struct {
    const ct_forged_node *nodes; /* of all trees */
    const uint32_t *nexts;     /* [node] of leaves, with a place among those of all trees */
    const uint64_t *begins;    /* [tree] in both */
    const uint32_t *counts;    /* as in ct_hist_tree, of all trees */
    const double *means;
    uint32_t n_trees, n_classes, n_rows;
    ct_hist_output what;
    const uint16_t *codes; /* [row][stride] */
    size_t stride;
    uint32_t *leaves; /* [tree][row] its `next`; CT_HIST_LEAVES: its number, from 1 */
    int64_t *sums;    /* [row][class] of CT_HIST_LABELS */
    void *out;        /* as ct_hist_output says */
} ct_walk_view;

/* Steps between two looks at whether the row has come to its leaf. */
enum { CT_WALK_STEPS = 4 };

CT_HD uint32_t ct_walk_next(const ct_forged_node *nodes, uint32_t at, const uint16_t *codes)
{
    const ct_forged_node node = nodes[at];
    const uint32_t raise = node.left >> 31;
    return (node.left & ~CT_HIST_FLAG) +
           ((uint16_t) (codes[node.feature] + raise) > node.last);
}

/* item: a row of a tree */
CT_HD void ct_hist_walk_row(const ct_walk_view *v, size_t item)
{
    const uint32_t tree = (uint32_t) item / v->n_rows, row = (uint32_t) item % v->n_rows;
    const ct_forged_node *nodes = v->nodes + v->begins[tree];
    const uint16_t *codes = v->codes + row * v->stride;
    uint32_t at = 0, before;
    do {
        before = at;
        for (unsigned step = 0; step < CT_WALK_STEPS; step++) at = ct_walk_next(nodes, at, codes);
    } while (at != before);
    v->leaves[item] = v->what == CT_HIST_LEAVES ? at + 1 : v->nexts[v->begins[tree] + at];
}

CT_HD uint32_t ct_walk_leaf(const ct_walk_view *v, uint32_t tree, size_t row)
{
    CT_ASSERT(tree < v->n_trees && row < v->n_rows);
    return v->leaves[(size_t) tree * v->n_rows + row];
}

/* item: a row of classes */
CT_HD void ct_walk_add_shares(const ct_walk_view *v, size_t item)
{
    int64_t *sums = (v->what == CT_HIST_LABELS ? v->sums : (int64_t *) v->out) +
                    item * v->n_classes;
    for (uint32_t c = 0; c < v->n_classes; c++) sums[c] = 0;
    for (uint32_t tree = 0; tree < v->n_trees; tree++)
        ct_leaf_add_shares(ct_walk_leaf(v, tree, item), v->counts, v->n_classes, sums);
    if (v->what == CT_HIST_LABELS)
        ((int32_t *) v->out)[item] = (int32_t) ct_leaf_most(sums, v->n_classes) + 1;
}

/* item: a row of classes */
CT_HD void ct_walk_add_votes(const ct_walk_view *v, size_t item)
{
    uint32_t *votes = (uint32_t *) v->out + item * v->n_classes;
    for (uint32_t c = 0; c < v->n_classes; c++) votes[c] = 0;
    for (uint32_t tree = 0; tree < v->n_trees; tree++)
        votes[ct_leaf_label(ct_walk_leaf(v, tree, item), v->counts, v->n_classes)]++;
}

/* item: a row of numbers */
CT_HD void ct_walk_add_means(const ct_walk_view *v, size_t item)
{
    double sum = 0;
    for (uint32_t tree = 0; tree < v->n_trees; tree++) sum += v->means[ct_walk_leaf(v, tree, item)];
    ((double *) v->out)[item] = sum;
}

/* item: a row of a tree */
CT_HD void ct_walk_say(const ct_walk_view *v, size_t item)
{
    CT_ASSERT(item < (size_t) v->n_trees * v->n_rows);
    const uint32_t next = v->leaves[item];
    ((double *) v->out)[item] = v->n_classes
                                    ? (double) (ct_leaf_label(next, v->counts, v->n_classes) + 1)
                                    : v->means[next];
}

#endif
