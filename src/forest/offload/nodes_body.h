/* Nodes of trees that grow on a device: leaves, nodes that wait, and rows that are partitioned by
 * chunks. */
#ifndef CT_FOREST_OFFLOAD_NODES_BODY_H
#define CT_FOREST_OFFLOAD_NODES_BODY_H

#include <math.h>

#include "forest/offload/group.h"
#include "forest/offload/grow_views.h"

/* ---- chunks of items, of which some are marked ---- */

typedef struct {
    uint32_t bits[CT_GROW_WORDS];
    uint32_t before[CT_GROW_WORDS + 1]; /* how many in the words before; then in all */
} ct_chunk_words;

/* Makes `before`; a group. */
CT_HD void ct_chunk_rank(ct_group g, ct_chunk_words *words)
{
    for (uint32_t i = g.thread; i <= CT_GROW_WORDS; i += g.width) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < i; k++) sum += ct_hd_popcount(words->bits[k]);
        words->before[i] = sum;
    }
    ct_group_sync(g);
}

CT_HD int ct_chunk_bit(const ct_chunk_words *words, uint32_t i)
{
    return (int) (words->bits[i / 32] >> i % 32 & 1);
}

/* How many of those before i are marked. */
CT_HD uint32_t ct_chunk_place(const ct_chunk_words *words, uint32_t i)
{
    return words->before[i / 32] +
           ct_hd_popcount(words->bits[i / 32] & ((1u << i % 32) - 1));
}

/* ---- which side ---- */

CT_HD int ct_split_goes_left(const ct_grow_split *split, uint16_t code)
{
    if (split->is_set)
        return code == CT_CODE_MISSING ? split->missing_left : split->cut >> code & 1;
    return (uint16_t) (code + split->missing_left) < (uint32_t) split->cut + split->missing_left;
}

/* ---- purity ---- */

/* As the CPU has it: sum of squares by weight, of classes or of the sum of numbers. */
CT_HD double ct_purity_of_sum(int64_t sum, uint32_t weight)
{
    CT_ASSERT(weight > 0);
    return (double) sum * (double) sum / weight;
}

/* What a split has gained is added to its column. */
CT_HD void ct_grow_gain(const ct_grow_view *v, uint32_t tree, uint32_t column, double gain)
{
    CT_ASSERT(tree < v->batch.n_trees && column < v->table.n_cols);
    ct_shared_add_64(v->batch.gains + (size_t) tree * v->table.n_cols + column,
                     (int64_t) llround(gain * v->table.gain_scale));
}

/* ---- nodes ---- */

/* A node that was just made. */
typedef struct {
    ct_grow_task task;
    uint32_t side;           /* where its items are */
    uint32_t n_runs, class_; /* classes that its items have; one of these */
    int64_t sum;             /* numbers */
} ct_grow_child;

/* Whether a node is a leaf for a reason that its items need not be read for. */
CT_HD int ct_grow_is_leaf(const ct_grow_view *v, const ct_grow_child *node)
{
    return node->task.n < 2 || node->task.weight <= v->table.min_n ||
           node->task.depth >= v->table.depth || (v->table.n_classes && node->n_runs == 1);
}

/* One thread. `searched`: a cut was looked for and there is none. */
CT_HD void ct_grow_leaf(const ct_grow_view *v, const ct_grow_child *node, int searched)
{
    ct_grow_node *to = ct_grow_nodes(v, node->task.tree) + node->task.node;
    const int is_pure = v->table.n_classes && node->n_runs == 1 &&
                        node->task.weight < ct_pure_below(v->table.n_classes);
    to->feature = CT_HIST_LEAF;
    to->cut = (uint16_t) searched;
    to->side_begin = node->side << 31 | node->task.begin;
    to->n = node->task.n;
    ct_shared_max(v->batch.depths + node->task.tree, node->task.depth);
    if (is_pure) {
        to->next = ct_pure_leaf(node->class_, node->task.weight, v->table.n_classes);
        return;
    }
    const uint32_t place = ct_shared_add(v->batch.n_placed + node->task.tree, 1);
    v->batch.placed[(size_t) node->task.tree * (v->batch.node_capacity / 2 + 1) + place] =
        node->task.node;
    to->next = place | (v->table.n_classes ? CT_HIST_MIXED : 0);
}

/* One thread: the node becomes one of two children, of which the first one's number is returned. */
CT_HD uint32_t ct_grow_divide(const ct_grow_view *v, const ct_grow_child *node,
                              const ct_grow_split *split)
{
    ct_grow_node *to = ct_grow_nodes(v, node->task.tree) + node->task.node;
    const uint32_t left = ct_shared_add(v->batch.n_nodes + node->task.tree, 2);
    to->next = left | (split->missing_left ? CT_HIST_FLAG : 0) | (split->is_set ? CT_HIST_SET : 0);
    to->feature = split->column;
    to->cut = split->cut;
    to->side_begin = node->side << 31 | node->task.begin;
    to->n = node->task.n;
    return left;
}

/* Children of a node whose split leaves so much on both sides. */
CT_HD void ct_grow_child_of(const ct_grow_child *node, uint32_t left, uint32_t side,
                            ct_grow_child *child)
{
    CT_ASSERT(side < 2);
    memset(child, 0, sizeof *child);
    child->task.path = ct_rng_path(node->task.path, side);
    child->task.tree = node->task.tree;
    child->task.node = left + side;
    child->task.depth = node->task.depth + 1;
    child->side = !node->side;
}

/* Values that were never missing go to the larger side where they are, and levels that no row
 * had. */
CT_HD void ct_split_complete(ct_grow_split *split, uint32_t left_weight, uint32_t right_weight)
{
    if (!split->knows_missing) split->missing_left = left_weight >= right_weight;
    if (split->is_set && left_weight >= right_weight)
        split->cut = (uint16_t) (split->cut | split->absent);
}

/* The lanes of a warp: a leaf, or a node that waits, for the next level or for a block of its own.
 * classes: of the node, or where `less` is given, of its parent, less those of its sibling. */
CT_HD void ct_grow_finish(ct_lanes lanes, const ct_grow_view *v, const ct_grow_child *node,
                          const ct_grow_count *classes, const ct_grow_count *less)
{
    const uint32_t width = v->table.n_classes;
    const ct_grow_level *next = &v->batch.next;
    uint32_t place = 0, first = 0, chunks = (node->task.n + CT_GROW_CHUNK - 1) / CT_GROW_CHUNK;
    if (ct_grow_is_leaf(v, node)) {
        if (lanes.lane == 0) ct_grow_leaf(v, node, 0);
        return;
    }
    if (node->task.n <= CT_GROW_MEDIUM) {
        if (lanes.lane) return;
        ct_grow_task *to = v->batch.medium + ct_shared_add(&v->batch.sizes->n_medium, 1);
        *to = node->task;
        to->begin |= node->side << 31;
        return;
    }
    if (lanes.lane == 0) {
        place = ct_shared_add(&v->batch.sizes->n_large, 1);
        first = ct_shared_add(&v->batch.sizes->n_chunks, chunks);
        next->tasks[place] = node->task;
        next->first_chunk[place] = first;
        next->sums[place] = node->sum;
    }
    place = ct_lanes_read(lanes, place, 0);
    first = ct_lanes_read(lanes, first, 0);
    for (uint32_t k = lanes.lane; k < width; k += lanes.width) {
        ct_grow_count *to = next->classes + (size_t) place * width + k;
        to->n = classes[k].n - (less ? less[k].n : 0);
        to->weight = classes[k].weight - (less ? less[k].weight : 0);
    }
    for (uint32_t k = lanes.lane; k < chunks; k += lanes.width) next->task_of[first + k] = place;
}

#endif
