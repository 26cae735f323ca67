/* Cuts at random of large nodes on a device: a block finds the range of codes of a candidate of a
 * node, one thread draws the cuts of all its candidates, in the order in which the CPU draws them,
 * and a block finds how good each one is. */
#ifndef CT_FOREST_OFFLOAD_RANDOM_BODY_H
#define CT_FOREST_OFFLOAD_RANDOM_BODY_H

#include "forest/offload/large_body.h"

/* Memory of a block. */
typedef struct {
    uint32_t low, high;  /* of codes, the lowest one inverted; 0 and 0: there is none */
    uint32_t missing;
    uint32_t levels[CT_HIST_SET_LEVELS]; /* 1: rows have it */
} ct_random_shared;

/* The i-th subset of `top`, from 0, in rising order. */
CT_HD uint32_t ct_random_subset(uint32_t top, uint32_t i)
{
    uint32_t set = 0;
    for (; top; top &= top - 1, i >>= 1) set |= i & 1 ? top & (0u - top) : 0;
    return set;
}

/* item: a node and one of its candidates; a group */
CT_HD void ct_random_range(ct_group g, const ct_grow_view *v, size_t item, void *memory)
{
    ct_random_shared *s = (ct_random_shared *) memory;
    const uint32_t task = (uint32_t) (item / v->table.mtry),
                   column = ct_large_candidate(v, task, (uint32_t) (item % v->table.mtry));
    const ct_grow_task *t = v->batch.now.tasks + task;
    const ct_grow_item *items = ct_grow_items(v, t->tree, v->batch.side) + t->begin;
    const uint32_t is_set = v->table.columns[column].is_set;
    ct_grow_border *border = v->batch.borders + item;
    if (g.thread == 0) memset(s, 0, sizeof *s);
    ct_group_sync(g);
    for (uint32_t i = g.thread; i < t->n; i += g.width) {
        const uint32_t code = ct_grow_code(v, items[i].row, column);
        if (code == CT_CODE_MISSING || (is_set && code >= CT_HIST_SET_LEVELS)) {
            ct_shared_max(&s->missing, 1);
        } else if (is_set) {
            ct_shared_max(&s->levels[code], 1);
        } else {
            ct_shared_max(&s->low, ~code);
            ct_shared_max(&s->high, code);
        }
    }
    ct_group_sync(g);
    if (g.thread) return;
    border->missing = (uint16_t) s->missing;
    border->levels = 0;
    for (uint32_t level = 0; level < CT_HIST_SET_LEVELS; level++)
        border->levels = (uint16_t) (border->levels | s->levels[level] << level);
    border->absent = (uint16_t) (~border->levels & CT_HIST_SET_ALL);
    border->low = (uint16_t) (s->low ? ~s->low : 0);
    border->high = (uint16_t) s->high;
}

/* item: a node */
CT_HD void ct_random_draw(const ct_grow_view *v, size_t item)
{
    CT_ASSERT(item < v->batch.n_large);
    const ct_grow_task *t = v->batch.now.tasks + item;
    ct_rng cuts = ct_rng_of(v->table.seed, v->batch.first_tree + t->tree,
                            ct_rng_path(t->path, CT_CUTS_PATH));
    for (uint32_t i = 0; i < v->table.mtry; i++) {
        ct_grow_border *border = v->batch.borders + item * v->table.mtry + i;
        const uint32_t top = border->levels & (border->levels - 1u);
        uint32_t cut = 0; /* no cut is 0, and no set that is tried is empty */
        if (!v->table.columns[ct_large_candidate(v, (uint32_t) item, i)].is_set) {
            const uint32_t low = border->low, high = border->high;
            if (low < high) cut = low + 1 + ct_rng_below(&cuts, high - low);
        } else if (top) {
            cut = ct_random_subset(
                top, 1 + ct_rng_below(&cuts, (1u << ct_hd_popcount(top)) - 1));
        }
        border->cut[0] = border->cut[1] = (uint16_t) cut;
    }
}

/* item: a node and one of its candidates; a group */
CT_HD void ct_random_score(ct_group g, const ct_grow_view *v, size_t item, void *memory)
{
    ct_large_shared *s = (ct_large_shared *) memory;
    const uint32_t task = (uint32_t) (item / v->table.mtry);
    ct_grow_border *border = v->batch.borders + item;
    const uint32_t missing = border->missing, cut = border->cut[0];
    ct_large_slots slots;
    memset(&slots, 0, sizeof slots);
    slots.column = ct_large_candidate(v, task, (uint32_t) (item % v->table.mtry));
    slots.levels = v->table.columns[slots.column].is_set;
    slots.cut = slots.levels ? 0 : cut;
    if (g.thread == 0) border->score[0] = border->score[1] = -1;
    if (!cut) return;
    ct_large_runs(g, v, s, task);
    ct_tally_node node = ct_large_node(v, s, task);
    node.kind = ct_tally_random_kind(node.kind);
    for (uint32_t side = 0; side <= missing; side++) {
        slots.raise = side;
        if (side == 0 || !slots.levels) ct_large_count(g, v, s, &slots, &node, task);
        if (g.thread == 0)
            border->score[side] =
                ct_tally_end(&node, slots.levels ? &s->tally[side][cut] : &s->tally[1][0]);
        ct_group_sync(g);
    }
}

#endif
