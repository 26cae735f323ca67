/* Nodes of few rows on a device: a block grows one to its end, level by level, and a warp of it
 * takes one node at a time (medium_split.h has its search).
 *
 * What the lanes of a warp all know is in memory that they share, not in registers of each, so that
 * more warps find room. */
#ifndef CT_FOREST_OFFLOAD_MEDIUM_BODY_H
#define CT_FOREST_OFFLOAD_MEDIUM_BODY_H

#include "forest/offload/medium_split.h"

enum {
    CT_MEDIUM_WARPS = 4, /* of a block at most */
    CT_MEDIUM_THREADS = CT_MEDIUM_WARPS * 32,
    CT_MEDIUM_TASKS = CT_GROW_MEDIUM / 2
};

/* A node of the block that waits; all of one level have one depth. */
typedef struct {
    uint64_t path;
    uint32_t node;
    uint16_t begin, n; /* from the block's first item on */
} ct_medium_task;

/* What the block shares: the subtree that it grows. */
typedef struct {
    ct_medium_task tasks[2][CT_MEDIUM_TASKS]; /* of the level under way, and of the one to come */
    uint32_t n[2];
    ct_grow_task root;         /* without the side */
    uint32_t side, depth, now; /* of the level under way */
} ct_medium_block;

/* The block's memory with that many warps. */
CT_HD size_t ct_medium_bytes(const ct_grow_view *v, uint32_t warps)
{
    return sizeof(ct_medium_block) + warps * ct_medium_warp_bytes(v);
}

/* ---- the node is partitioned ---- */

/* Marks, as keys, the items that go left; returns how many they are. */
CT_HD uint32_t ct_medium_mark(ct_lanes lanes, const ct_grow_view *v, ct_medium_warp *w)
{
    const ct_medium_arrays a = ct_medium_arrays_of(v, w);
    const ct_grow_split split = w->best.split;
    uint32_t n_left = 0;
    (void) ct_medium_keys(lanes, v, w, split.column);
    for (uint32_t start = 0; start < w->n; start += lanes.width) {
        const uint32_t i = start + lanes.lane;
        const int left = i < w->n && ct_split_goes_left(&split, a.keys[i]);
        n_left += ct_hd_popcount(ct_lanes_ballot(lanes, left));
        if (i < w->n) a.keys[i] = (uint16_t) left;
    }
    ct_lanes_sync(lanes);
    return n_left;
}

/* Weights, classes and sums of both sides, and what the split has gained. */
CT_HD double ct_medium_weigh(ct_lanes lanes, const ct_grow_view *v, const ct_medium_warp *w,
                             ct_grow_child children[2])
{
    const ct_medium_arrays a = ct_medium_arrays_of(v, w);
    double all = 0, squares[2] = {0, 0};
    int64_t sum = 0;
    for (uint32_t run = 0; run < w->n_runs; run++) {
        uint32_t own = 0, sides[2];
        for (uint32_t i = a.begin[run] + lanes.lane; i < a.begin[run + 1]; i += lanes.width) {
            own += a.keys[i] ? a.weights[i] : 0;
            if (a.values && a.keys[i]) sum += a.values[i];
        }
        const uint32_t weight = a.before[run + 1] - a.before[run];
        sides[0] = ct_lanes_sum(lanes, own);
        sides[1] = weight - sides[0];
        all += (double) weight * weight;
        for (int side = 0; side < 2; side++) {
            children[side].task.weight += sides[side];
            squares[side] += (double) sides[side] * sides[side];
            if (!sides[side]) continue;
            children[side].n_runs++;
            children[side].class_ = ct_item_class(w->items[a.begin[run]]);
        }
    }
    if (!a.values)
        return squares[0] / children[0].task.weight + squares[1] / children[1].task.weight -
               all / w->node.weight;
    (void) ct_lanes_scan_64(lanes, sum, &children[0].sum);
    children[1].sum = w->node.sum - children[0].sum;
    return ct_purity_of_sum(children[0].sum, children[0].task.weight) +
           ct_purity_of_sum(children[1].sum, children[1].task.weight) -
           ct_purity_of_sum(w->node.sum, w->node.weight);
}

CT_HD void ct_medium_move(ct_lanes lanes, const ct_grow_view *v, const ct_medium_warp *w,
                          ct_grow_item *to, uint32_t n_left)
{
    const uint16_t *keys = ct_medium_arrays_of(v, w).keys;
    for (uint32_t start = 0, left = 0; start < w->n; start += lanes.width) {
        const uint32_t i = start + lanes.lane, own = i < w->n && keys[i];
        const uint32_t lefts = ct_lanes_ballot(lanes, (int) own);
        const uint32_t before = left + ct_hd_popcount(lefts & ((1u << lanes.lane) - 1));
        if (i < w->n) to[own ? before : n_left + i - before] = w->items[i];
        left += ct_hd_popcount(lefts);
    }
}

/* ---- a node ---- */

CT_HD ct_grow_child ct_medium_node(const ct_medium_block *b, const ct_medium_task *task)
{
    ct_grow_child node;
    memset(&node, 0, sizeof node);
    node.task = b->root;
    node.task.path = task->path;
    node.task.node = task->node;
    node.task.begin += task->begin;
    node.task.n = task->n;
    node.task.depth = b->depth;
    node.side = b->side;
    node.n_runs = 2; /* or it would not wait */
    return node;
}

/* A child becomes a leaf or waits. One thread. */
CT_HD void ct_medium_keep_child(const ct_grow_view *v, ct_medium_block *b,
                                const ct_grow_child *child)
{
    if (ct_grow_is_leaf(v, child)) {
        ct_grow_leaf(v, child, 0);
        return;
    }
    ct_medium_task *to = b->tasks[!b->now] + ct_shared_add(&b->n[!b->now], 1);
    to->path = child->task.path;
    to->node = child->task.node;
    to->begin = (uint16_t) (child->task.begin - b->root.begin);
    to->n = (uint16_t) child->task.n;
}

/* One thread: the node of the warp becomes one of two children. */
CT_HD void ct_medium_divide(const ct_grow_view *v, ct_medium_block *b, ct_medium_warp *w,
                            const ct_medium_task *task, const ct_grow_child counted[2], double gain)
{
    ct_grow_child node = ct_medium_node(b, task), child;
    node.task.weight = w->node.weight;
    ct_split_complete(&w->best.split, counted[0].task.weight, counted[1].task.weight);
    const uint32_t number = ct_grow_divide(v, &node, &w->best.split);
    for (uint32_t side = 0; side < 2; side++) {
        ct_grow_child_of(&node, number, side, &child);
        child.n_runs = counted[side].n_runs;
        child.class_ = counted[side].class_;
        child.task.n = counted[side].task.n;
        child.task.weight = counted[side].task.weight;
        child.task.begin = node.task.begin + (side ? counted[0].task.n : 0);
        ct_medium_keep_child(v, b, &child);
    }
    ct_grow_gain(v, node.task.tree, w->best.split.column, gain);
}

/* A warp takes a node. */
CT_HD void ct_medium_grow(ct_lanes lanes, const ct_grow_view *v, ct_medium_block *b,
                          ct_medium_warp *w, const ct_medium_task *task)
{
    const uint32_t tree = b->root.tree, begin = b->root.begin + task->begin;
    ct_medium_load(lanes, v, w, ct_grow_items(v, tree, b->side) + begin, task->n);
    if (!w->equal)
        ct_medium_search(lanes, v, w, tree, task->path,
                         v->table.pool_by_level ? ct_rng_path(CT_POOL_PATH, b->depth) : task->path);
    if (!w->best.split.found) {
        if (lanes.lane) return;
        ct_grow_child node = ct_medium_node(b, task);
        node.task.weight = w->node.weight;
        ct_grow_leaf(v, &node, !w->equal);
        return;
    }
    ct_grow_child children[2];
    memset(children, 0, sizeof children);
    children[0].task.n = ct_medium_mark(lanes, v, w);
    children[1].task.n = w->n - children[0].task.n;
    const double gain = ct_medium_weigh(lanes, v, w, children);
    ct_medium_move(lanes, v, w, ct_grow_items(v, tree, !b->side) + begin, children[0].task.n);
    if (lanes.lane == 0) ct_medium_divide(v, b, w, task, children, gain);
}

/* ---- a block ---- */

/* item: a task; a group */
CT_HD void ct_medium_finish(ct_group g, const ct_grow_view *v, size_t item, void *memory)
{
    ct_medium_block *b = (ct_medium_block *) memory;
    ct_medium_warp *w = (ct_medium_warp *) (void *) ((char *) memory + sizeof *b +
                                                     g.warp * ct_medium_warp_bytes(v));
    if (g.thread == 0) {
        ct_medium_task *first = b->tasks[0];
        b->root = v->batch.medium[item];
        b->side = b->root.begin >> 31;
        b->root.begin &= 0x7fffffffu;
        b->depth = b->root.depth;
        b->now = 0;
        b->n[0] = 1;
        b->n[1] = 0;
        first->path = b->root.path;
        first->node = b->root.node;
        first->begin = 0;
        first->n = (uint16_t) b->root.n;
    }
    ct_group_sync(g);
    for (uint32_t n = 1; n;) {
        const uint32_t now = b->now;
        for (uint32_t i = g.warp; i < n; i += g.n_warps)
            ct_medium_grow(g.lanes, v, b, w, &b->tasks[now][i]);
        ct_group_sync(g);
        n = b->n[!now];
        if (g.thread == 0) {
            b->n[now] = 0;
            b->now = !now;
            b->side = !b->side;
            b->depth++;
        }
        ct_group_sync(g);
    }
}

#endif
