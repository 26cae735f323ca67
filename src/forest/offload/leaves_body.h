/* Leaves of trees that were grown on a device: what they say, and which rows that are not part of
 * the trees come to them. */
#ifndef CT_FOREST_OFFLOAD_LEAVES_BODY_H
#define CT_FOREST_OFFLOAD_LEAVES_BODY_H

#include "forest/walk/leaf_body.h"
#include "forest/offload/nodes_body.h"
#include "forest/walk/walk.h"

/* The tree of a leaf that has a place, of those from tree_from on. */
CT_HD uint32_t ct_leaves_tree(const ct_grow_view *v, uint32_t leaf)
{
    CT_ASSERT(v->batch.tree_from < v->batch.tree_end);
    uint32_t low = v->batch.tree_from, high = v->batch.tree_end;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (v->batch.leaf_begins[middle] <= leaf) low = middle;
        else high = middle;
    }
    return low;
}

/* item: a leaf; the lanes of a warp. Means are summed up in the order of the items, as the CPU
 * does. */
CT_HD void ct_leaves_say(ct_lanes lanes, const ct_grow_view *v, size_t item)
{
    const uint32_t tree = ct_leaves_tree(v, (uint32_t) item),
                   place = (uint32_t) item - v->batch.leaf_begins[tree], width = v->table.n_classes;
    const uint32_t number =
        v->batch.placed[(size_t) tree * (v->batch.node_capacity / 2 + 1) + place];
    const ct_grow_node *leaf = ct_grow_nodes(v, tree) + number;
    const ct_grow_item *items =
        ct_grow_items(v, tree, leaf->side_begin >> 31) + (leaf->side_begin & 0x7fffffffu);
    if (width) {
        uint32_t *counts = v->batch.leaf_counts + item * width;
        for (uint32_t k = lanes.lane; k < width; k += lanes.width) counts[k] = 0;
        ct_lanes_sync(lanes);
        for (uint32_t i = lanes.lane; i < leaf->n; i += lanes.width)
            ct_shared_add(counts + ct_item_class(items[i]), ct_item_weight(items[i]));
        return;
    }
    if (lanes.lane) return;
    double sum = 0;
    uint32_t weight = 0;
    for (uint32_t i = 0; i < leaf->n; i++) {
        const uint32_t own = ct_item_weight(items[i]);
        sum += ct_hd_product(v->table.numbers[items[i].row], own);
        weight += own;
    }
    v->batch.leaf_counts[item] = weight;
    v->batch.leaf_means[item] = sum / weight;
}

/* The node that a row comes to. */
CT_HD uint32_t ct_leaves_walk(const ct_grow_view *v, uint32_t tree, size_t row)
{
    CT_ASSERT(row < v->table.n_rows);
    const ct_grow_node *nodes = ct_grow_nodes(v, tree);
    const uint16_t *codes = v->table.codes + row * v->table.stride;
    uint32_t at = 0;
    while (nodes[at].feature != CT_HIST_LEAF) {
        ct_hist_node node;
        node.next = nodes[at].next;
        node.feature = nodes[at].feature;
        node.cut = nodes[at].cut;
        at = ct_hist_next(&node, codes[node.feature]);
    }
    return at;
}

/* item: a row; adds what trees say of it that were grown without it */
CT_HD void ct_leaves_out(const ct_grow_view *v, size_t item)
{
    CT_ASSERT(item < v->table.n_rows && v->batch.oob_sums);
    const uint32_t width = v->table.n_classes;
    for (uint32_t tree = v->batch.tree_from; tree < v->batch.tree_end; tree++) {
        const size_t cell = (size_t) tree * v->table.n_rows + item;
        uint32_t at = 0xffffffffu;
        if (!v->batch.counts[cell]) at = ct_leaves_walk(v, tree, item);
        if (v->batch.oob_leaves) v->batch.oob_leaves[cell] = at;
        if (at == 0xffffffffu || !v->batch.oob_sums) continue;
        const uint32_t next = ct_grow_nodes(v, tree)[at].next,
                       first = v->batch.leaf_begins[tree];
        v->batch.oob_trees[item]++;
        if (width)
            ct_leaf_add_shares(next, v->batch.leaf_counts + (size_t) first * width, width,
                               v->batch.oob_sums + item * width);
        else
            v->batch.oob_sums[item] += (int64_t) llround(
                (v->batch.leaf_means[first + next] - v->table.centre) / v->table.unit);
    }
}

#endif
