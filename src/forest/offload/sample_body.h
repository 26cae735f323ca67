/* The samples of trees and their roots, on a device.
 *
 * A tree's draws are one sequence of random words, of which the few that would favour some rows are
 * left out (base/rng.h). So a first pass counts in chunks which words are taken, a second one knows
 * how many come before a chunk, and draws rows. Then rows that were drawn are put together, class
 * by class, in two passes of the same kind. */
#ifndef CT_FOREST_OFFLOAD_SAMPLE_BODY_H
#define CT_FOREST_OFFLOAD_SAMPLE_BODY_H

#include "forest/offload/group.h"
#include "forest/offload/nodes_body.h"
#include "forest/sample/paths.h"
#include "forest/sample/sample.h"

/* How a word becomes a row. */
typedef struct {
    uint32_t n, rest; /* words that would favour some are those whose product is below */
} ct_draw_rule;

CT_HD ct_draw_rule ct_draw_rule_of(const ct_grow_view *v)
{
    ct_draw_rule rule;
    rule.n = v->table.upto ? 0xffffffffu : v->table.n_rows;
    rule.rest = (uint32_t) -rule.n % rule.n;
    return rule;
}

CT_HD int ct_draw_taken(ct_draw_rule rule, uint32_t word)
{
    return (uint32_t) ((uint64_t) word * rule.n) >= rule.rest;
}

CT_HD void ct_draw_count(const ct_grow_view *v, uint32_t tree, ct_draw_rule rule, uint32_t word)
{
    CT_ASSERT(tree < v->batch.n_trees);
    const uint32_t draw = (uint32_t) ((uint64_t) word * rule.n >> 32);
    const uint32_t row =
        v->table.upto ? ct_sample_row(v->table.upto, v->table.n_rows, draw) : draw;
    ct_shared_add(v->batch.counts + (size_t) tree * v->table.n_rows + row, 1);
}

/* The words of a block of the generator. */
CT_HD void ct_sample_words(const ct_grow_view *v, uint32_t tree, uint32_t block, uint32_t words[4])
{
    ct_rng rng = ct_rng_of(v->table.seed, v->batch.first_tree + tree, CT_SAMPLE_PATH);
    rng.counter[0] = block;
    ct_philox(rng.counter, rng.key, words);
}

/* item: a tree and a row */
CT_HD void ct_sample_clear(const ct_grow_view *v, size_t item) { v->batch.counts[item] = 0; }

/* item: a tree and a chunk of words; a group */
CT_HD void ct_sample_test(ct_group g, const ct_grow_view *v, size_t item, void *memory)
{
    const uint32_t tree = (uint32_t) (item / v->batch.n_draw_chunks),
                   chunk = (uint32_t) (item % v->batch.n_draw_chunks);
    const ct_draw_rule rule = ct_draw_rule_of(v);
    uint32_t *taken = (uint32_t *) memory, words[4], own = 0;
    if (g.thread == 0) *taken = 0;
    ct_group_sync(g);
    for (uint32_t i = g.thread; i < CT_GROW_CHUNK / 4; i += g.width) {
        ct_sample_words(v, tree, chunk * (CT_GROW_CHUNK / 4) + i, words);
        for (unsigned k = 0; k < 4; k++) own += (uint32_t) ct_draw_taken(rule, words[k]);
    }
    ct_shared_add(taken, own);
    ct_group_sync(g);
    if (g.thread == 0) v->batch.accepted[item] = *taken;
}

/* Numbers of n chunks become sums over those before; returns the sum of all. */
CT_HD uint32_t ct_chunks_sum(ct_lanes lanes, uint32_t *numbers, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t start = 0; start < n; start += lanes.width) {
        const uint32_t i = start + lanes.lane;
        uint32_t total, before = ct_lanes_scan(lanes, i < n ? numbers[i] : 0, &total);
        if (i < n) numbers[i] = sum + before;
        sum += total;
    }
    return sum;
}

/* item: a tree */
CT_HD void ct_sample_sum(ct_lanes lanes, const ct_grow_view *v, size_t item)
{
    (void) ct_chunks_sum(lanes, v->batch.accepted + item * v->batch.n_draw_chunks,
                         v->batch.n_draw_chunks);
}

/* One by one, from the chunk's first word on, until all draws are made, if need be in the words
 * behind the last chunk. */
CT_HD void ct_sample_rest(const ct_grow_view *v, uint32_t tree, uint32_t chunk, uint32_t done)
{
    const ct_draw_rule rule = ct_draw_rule_of(v);
    uint32_t words[4];
    for (uint32_t block = chunk * (CT_GROW_CHUNK / 4); done < v->table.sample; block++) {
        ct_sample_words(v, tree, block, words);
        for (unsigned k = 0; k < 4; k++) {
            if (done >= v->table.sample || !ct_draw_taken(rule, words[k])) continue;
            ct_draw_count(v, tree, rule, words[k]);
            done++;
        }
    }
}

/* item: a tree and a chunk of words; a group */
CT_HD void ct_sample_draw(ct_group g, const ct_grow_view *v, size_t item, void *memory)
{
    CT_ASSERT(item / v->batch.n_draw_chunks < v->batch.n_trees);
    const uint32_t tree = (uint32_t) (item / v->batch.n_draw_chunks),
                   chunk = (uint32_t) (item % v->batch.n_draw_chunks);
    const ct_draw_rule rule = ct_draw_rule_of(v);
    const uint32_t done = v->batch.accepted[item];
    const int is_last = chunk + 1 == v->batch.n_draw_chunks;
    uint32_t words[4];
    (void) memory;
    if (done >= v->table.sample) return;
    if (is_last || v->batch.accepted[item + 1] >= v->table.sample) {
        if (g.thread == 0) ct_sample_rest(v, tree, chunk, done);
        return;
    }
    for (uint32_t i = g.thread; i < CT_GROW_CHUNK / 4; i += g.width) {
        ct_sample_words(v, tree, chunk * (CT_GROW_CHUNK / 4) + i, words);
        for (unsigned k = 0; k < 4; k++)
            if (ct_draw_taken(rule, words[k])) ct_draw_count(v, tree, rule, words[k]);
    }
}

/* ---- roots ---- */

/* Memory of a block. */
typedef struct {
    ct_chunk_words words;
    uint32_t begin; /* of the items in the tree's */
    ct_grow_count classes[CT_HIST_CLASSES];
} ct_root_shared;

/* Rows of a chunk, in the order of classes, that were drawn. */
CT_HD void ct_root_flags(ct_group g, const ct_grow_view *v, size_t item, ct_chunk_words *words)
{
    const uint32_t tree = (uint32_t) (item / v->batch.n_row_chunks),
                   from = (uint32_t) (item % v->batch.n_row_chunks) * CT_GROW_CHUNK;
    const uint32_t *counts = v->batch.counts + (size_t) tree * v->table.n_rows;
    for (uint32_t word = g.warp; word < CT_GROW_WORDS; word += g.n_warps) {
        uint32_t bits = 0;
        for (uint32_t bit = 0; bit < 32; bit += g.lanes.width) {
            const uint32_t place = from + word * 32 + bit + g.lanes.lane;
            const int drawn = place < v->table.n_rows && counts[v->table.order[place]] > 0;
            bits |= ct_lanes_ballot(g.lanes, drawn) << bit;
        }
        if (g.lanes.lane == 0) words->bits[word] = bits;
    }
    ct_group_sync(g);
    ct_chunk_rank(g, words);
}

/* item: a tree and a chunk of rows; a group */
CT_HD void ct_root_count(ct_group g, const ct_grow_view *v, size_t item, void *memory)
{
    ct_root_shared *s = (ct_root_shared *) memory;
    ct_root_flags(g, v, item, &s->words);
    if (g.thread == 0) v->batch.accepted[item] = s->words.before[CT_GROW_WORDS];
}

/* item: a tree */
CT_HD void ct_root_sum(ct_lanes lanes, const ct_grow_view *v, size_t item)
{
    const uint32_t tree = (uint32_t) item, width = v->table.n_classes ? v->table.n_classes : 1;
    (void) ct_chunks_sum(lanes, v->batch.accepted + item * v->batch.n_row_chunks,
                         v->batch.n_row_chunks);
    for (uint32_t k = lanes.lane; k < width; k += lanes.width)
        v->batch.class_counts[item * width + k].n = v->batch.class_counts[item * width + k].weight =
            0;
    for (uint32_t k = lanes.lane; k < v->table.n_cols; k += lanes.width)
        v->batch.gains[item * v->table.n_cols + k] = 0;
    if (lanes.lane) return;
    v->batch.n_nodes[tree] = 1;
    v->batch.n_placed[tree] = v->batch.depths[tree] = 0;
    v->batch.root_sums[tree] = 0;
}

/* item: a tree and a chunk of rows; a group */
CT_HD void ct_root_move(ct_group g, const ct_grow_view *v, size_t item, void *memory)
{
    ct_root_shared *s = (ct_root_shared *) memory;
    const uint32_t tree = (uint32_t) (item / v->batch.n_row_chunks),
                   from = (uint32_t) (item % v->batch.n_row_chunks) * CT_GROW_CHUNK;
    const uint32_t width = v->table.n_classes ? v->table.n_classes : 1;
    ct_grow_item *items = ct_grow_items(v, tree, 0) + v->batch.accepted[item];
    int64_t sum = 0;
    for (uint32_t k = g.thread; k < width; k += g.width) s->classes[k].n = s->classes[k].weight = 0;
    ct_root_flags(g, v, item, &s->words);
    for (uint32_t i = g.thread; i < CT_GROW_CHUNK; i += g.width) {
        if (!ct_chunk_bit(&s->words, i)) continue;
        const uint32_t row = v->table.order[from + i],
                       weight = v->batch.counts[(size_t) tree * v->table.n_rows + row],
                       k = v->table.n_classes ? v->table.classes[row] : 0;
        ct_grow_item item_of;
        item_of.row = row;
        item_of.class_weight = k << CT_GROW_WEIGHT_BITS | weight;
        items[ct_chunk_place(&s->words, i)] = item_of;
        if (weight >> CT_GROW_WEIGHT_BITS) ct_shared_max(&v->batch.sizes->heavy, 1);
        ct_shared_add(&s->classes[k].n, 1);
        ct_shared_add(&s->classes[k].weight, weight);
        if (!v->table.n_classes) sum += (int64_t) v->table.quantised[row] * weight;
    }
    if (sum) ct_shared_add_64(v->batch.root_sums + tree, sum);
    ct_group_sync(g);
    for (uint32_t k = g.thread; k < width; k += g.width) {
        if (!s->classes[k].n) continue;
        ct_grow_count *to = v->batch.class_counts + (size_t) tree * width + k;
        ct_shared_add(&to->n, s->classes[k].n);
        ct_shared_add(&to->weight, s->classes[k].weight);
    }
}

/* item: a tree, whose root becomes a leaf or waits */
CT_HD void ct_root_finish(ct_lanes lanes, const ct_grow_view *v, size_t item)
{
    const uint32_t tree = (uint32_t) item, width = v->table.n_classes ? v->table.n_classes : 1;
    const ct_grow_count *classes = v->batch.class_counts + item * width;
    ct_grow_child root;
    memset(&root, 0, sizeof root);
    root.task.path = CT_ROOT_PATH;
    root.task.tree = tree;
    root.sum = v->batch.root_sums[tree];
    for (uint32_t k = 0; k < width; k++) {
        root.task.n += classes[k].n;
        root.task.weight += classes[k].weight;
        if (!classes[k].n) continue;
        root.n_runs++;
        root.class_ = k;
    }
    ct_grow_finish(lanes, v, &root, classes, NULL);
}

#endif
