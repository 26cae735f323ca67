/* The partition of the items of large nodes on a device: by chunks, whose sides are counted, summed
 * up over the node's chunks, and moved to the other side of the batch's memory. Items keep their
 * order, so that those of a class lie together again. */
#ifndef CT_FOREST_OFFLOAD_PARTITION_BODY_H
#define CT_FOREST_OFFLOAD_PARTITION_BODY_H

#include "forest/offload/nodes_body.h"
#include "forest/offload/sample_body.h"

/* Memory of a block. */
typedef struct {
    ct_chunk_words words;
    uint32_t weight;
    ct_grow_count classes[CT_HIST_CLASSES];
} ct_partition_shared;

/* A chunk's items. */
typedef struct {
    uint32_t task, from, n; /* from: in the node's */
    const ct_grow_item *items;
} ct_partition_chunk;

CT_HD ct_partition_chunk ct_partition_chunk_of(const ct_grow_view *v, size_t chunk)
{
    ct_partition_chunk c;
    c.task = v->batch.now.task_of[chunk];
    const ct_grow_task *t = v->batch.now.tasks + c.task;
    c.from = (uint32_t) (chunk - v->batch.now.first_chunk[c.task]) * CT_GROW_CHUNK;
    c.n = t->n - c.from < CT_GROW_CHUNK ? t->n - c.from : (uint32_t) CT_GROW_CHUNK;
    c.items = ct_grow_items(v, t->tree, v->batch.side) + t->begin + c.from;
    return c;
}

/* item: a chunk; a group */
CT_HD void ct_partition_count(ct_group g, const ct_grow_view *v, size_t item, void *memory)
{
    ct_partition_shared *s = (ct_partition_shared *) memory;
    const ct_partition_chunk c = ct_partition_chunk_of(v, item);
    const ct_grow_split split = v->batch.splits[c.task];
    const uint32_t width = v->table.n_classes;
    uint32_t *flags = v->batch.flags + item * CT_GROW_WORDS;
    int64_t sum = 0;
    if (!split.found) return;
    if (g.thread == 0) s->weight = 0;
    for (uint32_t k = g.thread; k < width; k += g.width) s->classes[k].n = s->classes[k].weight = 0;
    ct_group_sync(g);
    for (uint32_t word = g.warp; word < CT_GROW_WORDS; word += g.n_warps) {
        uint32_t bits = 0;
        for (uint32_t bit = 0; bit < 32; bit += g.lanes.width) {
            const uint32_t i = word * 32 + bit + g.lanes.lane;
            int left = 0;
            if (i < c.n) {
                const ct_grow_item own = c.items[i];
                left = ct_split_goes_left(&split, ct_grow_code(v, own.row, split.column));
                if (left) {
                    const uint32_t weight = ct_item_weight(own);
                    ct_shared_add(&s->weight, weight);
                    if (width) ct_shared_add(&s->classes[ct_item_class(own)].n, 1);
                    if (width) ct_shared_add(&s->classes[ct_item_class(own)].weight, weight);
                    if (!width) sum += (int64_t) v->table.quantised[own.row] * weight;
                }
            }
            bits |= ct_lanes_ballot(g.lanes, left) << bit;
        }
        if (g.lanes.lane == 0) s->words.bits[word] = flags[word] = bits;
    }
    if (sum) ct_shared_add_64(v->batch.left_sums + c.task, sum);
    ct_group_sync(g);
    ct_chunk_rank(g, &s->words);
    for (uint32_t k = g.thread; k < width; k += g.width) {
        ct_grow_count *to = v->batch.left_classes + (size_t) c.task * width + k;
        if (!s->classes[k].n) continue;
        ct_shared_add(&to->n, s->classes[k].n);
        ct_shared_add(&to->weight, s->classes[k].weight);
    }
    if (g.thread) return;
    v->batch.chunk_left[item] = s->words.before[CT_GROW_WORDS];
    ct_shared_add(&v->batch.left[c.task].n, s->words.before[CT_GROW_WORDS]);
    ct_shared_add(&v->batch.left[c.task].weight, s->weight);
}

/* What the split has gained; counts the classes of both children. One thread. */
CT_HD double ct_partition_gain(const ct_grow_view *v, uint32_t task, ct_grow_child children[2])
{
    const uint32_t width = v->table.n_classes;
    const ct_grow_count *classes = v->batch.now.classes + (size_t) task * width,
                        *left = v->batch.left_classes + (size_t) task * width;
    const uint32_t weight = v->batch.now.tasks[task].weight;
    double all = 0, sums[2] = {0, 0};
    if (!width)
        return ct_purity_of_sum(children[0].sum, children[0].task.weight) +
               ct_purity_of_sum(children[1].sum, children[1].task.weight) -
               ct_purity_of_sum(v->batch.now.sums[task], weight);
    for (uint32_t k = 0; k < width; k++) {
        const uint32_t own[2] = {left[k].weight, classes[k].weight - left[k].weight};
        all += (double) classes[k].weight * classes[k].weight;
        for (int side = 0; side < 2; side++) {
            sums[side] += (double) own[side] * own[side];
            if (!own[side]) continue;
            children[side].n_runs++;
            children[side].class_ = k;
        }
    }
    return sums[0] / children[0].task.weight + sums[1] / children[1].task.weight - all / weight;
}

/* item: a node, whose children are made, or that becomes a leaf; the lanes of a warp */
CT_HD void ct_partition_finish(ct_lanes lanes, const ct_grow_view *v, size_t item)
{
    CT_ASSERT(item < v->batch.n_large);
    const uint32_t width = v->table.n_classes;
    const ct_grow_task *t = v->batch.now.tasks + item;
    const ct_grow_count *classes = v->batch.now.classes + item * width,
                        *left_classes = v->batch.left_classes + item * width,
                        left = v->batch.left[item];
    ct_grow_split split = v->batch.splits[item];
    ct_grow_child node, children[2];
    memset(&node, 0, sizeof node);
    node.task = *t;
    node.side = v->batch.side;
    node.n_runs = 2; /* or it would not wait */
    if (!split.found) {
        if (lanes.lane == 0) ct_grow_leaf(v, &node, !split.equal);
        return;
    }
    const uint32_t first = v->batch.now.first_chunk[item];
    (void) ct_chunks_sum(lanes, v->batch.chunk_left + first,
                         (t->n + CT_GROW_CHUNK - 1) / CT_GROW_CHUNK);
    ct_split_complete(&split, left.weight, t->weight - left.weight);
    uint32_t number = lanes.lane == 0 ? ct_grow_divide(v, &node, &split) : 0;
    number = ct_lanes_read(lanes, number, 0);
    for (uint32_t side = 0; side < 2; side++) {
        ct_grow_child *child = &children[side];
        ct_grow_child_of(&node, number, side, child);
        child->task.begin = t->begin + (side ? left.n : 0);
        child->task.n = side ? t->n - left.n : left.n;
        child->task.weight = side ? t->weight - left.weight : left.weight;
        child->sum = side ? v->batch.now.sums[item] - v->batch.left_sums[item]
                          : v->batch.left_sums[item];
    }
    const double gain = ct_partition_gain(v, (uint32_t) item, children);
    if (lanes.lane == 0) ct_grow_gain(v, t->tree, split.column, gain);
    ct_grow_finish(lanes, v, &children[0], left_classes, NULL);
    ct_grow_finish(lanes, v, &children[1], classes, left_classes);
}

/* item: a chunk; a group */
CT_HD void ct_partition_move(ct_group g, const ct_grow_view *v, size_t item, void *memory)
{
    ct_chunk_words *words = (ct_chunk_words *) memory;
    const ct_partition_chunk c = ct_partition_chunk_of(v, item);
    const ct_grow_task *t = v->batch.now.tasks + c.task;
    ct_grow_item *to = ct_grow_items(v, t->tree, !v->batch.side) + t->begin;
    const uint32_t n_left = v->batch.left[c.task].n, before = v->batch.chunk_left[item];
    if (!v->batch.splits[c.task].found) return;
    for (uint32_t i = g.thread; i < CT_GROW_WORDS; i += g.width)
        words->bits[i] = v->batch.flags[item * CT_GROW_WORDS + i];
    ct_group_sync(g);
    ct_chunk_rank(g, words);
    for (uint32_t i = g.thread; i < c.n; i += g.width) {
        const uint32_t left = before + ct_chunk_place(words, i);
        const uint32_t place = ct_chunk_bit(words, i) ? left : n_left + c.from + i - left;
        to[place] = c.items[i];
    }
}

#endif
