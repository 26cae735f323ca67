/* The search for the best split of large nodes on a device: a block takes one candidate of one
 * node, and another one compares the candidates of the node. */
#ifndef CT_FOREST_OFFLOAD_LARGE_BODY_H
#define CT_FOREST_OFFLOAD_LARGE_BODY_H

#include "forest/offload/draw_body.h"
#include "forest/offload/large_count.h"

/* ---- the best border or set of a candidate ---- */

/* The cut above bin `at`: in the middle of the bins up to the next one that has rows. A warp. */
CT_HD uint32_t ct_large_cut(ct_lanes lanes, const ct_grow_view *v, const ct_large_shared *s,
                            uint32_t column, uint32_t at)
{
    CT_ASSERT(column < v->table.n_cols && at < v->table.columns[column].n_bins);
    const uint16_t *first = v->table.first + (size_t) column * (CT_BINS + 1);
    const uint32_t n_bins = v->table.columns[column].n_bins;
    uint32_t next = CT_LARGE_NONE;
    for (uint32_t bin = at + 1 + lanes.lane; bin < n_bins; bin += lanes.width) {
        if (s->tally[0][bin].size == s->tally[0][at].size) continue;
        next = bin;
        break;
    }
    next = ct_lanes_min(lanes, next);
    return next == CT_LARGE_NONE ? v->table.columns[column].n_codes : first[(at + next + 1) / 2];
}

/* A warp. */
CT_HD void ct_large_best(ct_lanes lanes, const ct_grow_view *v, const ct_large_shared *s,
                         const ct_tally_node *node, uint32_t column, uint32_t variant,
                         ct_grow_border *border)
{
    const uint32_t n_bins = v->table.columns[column].n_bins;
    ct_found best = ct_found_none();
    for (uint32_t bin = lanes.lane; bin < n_bins; bin += lanes.width)
        ct_found_add(&best, ct_tally_end(node, &s->tally[variant][bin]), bin);
    best = ct_lanes_best(lanes, best);
    const uint32_t cut = best.score < 0 ? 0 : ct_large_cut(lanes, v, s, column, best.order);
    if (lanes.lane) return;
    border->score[variant] = best.score;
    border->cut[variant] = (uint16_t) cut;
}

/* Sets are tried in rising order, each with missing values right, then left; the lowest level that
 * the node has stays right. A warp. */
CT_HD void ct_large_best_set(ct_lanes lanes, const ct_large_shared *s, const ct_tally_node *node,
                             ct_grow_border *border)
{
    const uint32_t missing = s->levels[CT_HIST_SET_LEVELS] > 0;
    uint32_t present = 0;
    ct_found best = ct_found_none();
    for (uint32_t level = 0; level < CT_HIST_SET_LEVELS; level++)
        present |= (uint32_t) (s->levels[level] > 0) << level;
    const uint32_t top = present & (present - 1);
    for (uint32_t i = lanes.lane; i < 2u << CT_HIST_SET_LEVELS; i += lanes.width) {
        const uint32_t set = i / 2, side = i % 2;
        if (set & ~top || side > missing) continue;
        ct_found_add(&best, ct_tally_end(node, &s->tally[side][set]), i);
    }
    best = ct_lanes_best(lanes, best);
    if (lanes.lane) return;
    border->score[0] = best.score;
    border->score[1] = -1;
    border->levels = (uint16_t) (best.order / 2 % 64 | best.order % 2 << CT_HIST_SET_LEVELS);
    border->absent = (uint16_t) (~present & CT_HIST_SET_ALL);
    border->missing = (uint16_t) missing;
}

/* item: a node; draws its candidates */
CT_HD void ct_large_draw(ct_lanes lanes, const ct_grow_view *v, size_t item)
{
    CT_ASSERT(item < v->batch.n_large);
    const ct_grow_task *t = v->batch.now.tasks + item;
    uint16_t *columns = v->batch.candidates + item * 3 * v->table.mtry;
    ct_draw_candidates(lanes, v, t->tree,
                       v->table.pool_by_level ? ct_rng_path(CT_POOL_PATH, t->depth) : t->path,
                       columns);
}

CT_HD uint32_t ct_large_candidate(const ct_grow_view *v, uint32_t task, uint32_t i)
{
    CT_ASSERT(task < v->batch.n_large && i < v->table.mtry);
    return v->batch.candidates[(size_t) task * 3 * v->table.mtry + i];
}

/* item: a node and one of its candidates; a group */
CT_HD void ct_large_search(ct_group g, const ct_grow_view *v, size_t item, void *memory)
{
    ct_large_shared *s = (ct_large_shared *) memory;
    const uint32_t task = (uint32_t) (item / v->table.mtry),
                   candidate = (uint32_t) (item % v->table.mtry);
    ct_grow_border *border = v->batch.borders + item;
    ct_large_slots slots;
    memset(&slots, 0, sizeof slots);
    slots.column = ct_large_candidate(v, task, candidate);
    slots.levels = v->table.columns[slots.column].is_set;
    ct_large_runs(g, v, s, task);
    ct_tally_node node = ct_large_node(v, s, task);
    if (slots.levels)
        node.kind = ct_tally_set_kind(node.kind, v->table.at_random, s->n_runs, node.weight);
    ct_large_count(g, v, s, &slots, &node, task);
    if (slots.levels) {
        if (g.warp == 0) ct_large_best_set(g.lanes, s, &node, border);
        return;
    }
    const uint32_t missing = s->tally[1][0].size != s->tally[0][0].size;
    if (g.warp == 0) ct_large_best(g.lanes, v, s, &node, slots.column, 0, border);
    if (g.warp == 1 % g.n_warps && missing)
        ct_large_best(g.lanes, v, s, &node, slots.column, 1, border);
    if (g.thread == 0) border->missing = (uint16_t) missing;
    if (g.thread == 0 && !missing) border->score[1] = -1;
}

/* ---- the best candidate ---- */

/* What was best so far. */
typedef struct {
    double score;
    uint32_t border, variant;
} ct_large_choice;

CT_HD void ct_large_compare(const ct_grow_border *borders, uint32_t i, uint32_t variant,
                            ct_large_choice *best)
{
    if (!(borders[i].score[variant] > best->score)) return;
    best->score = borders[i].score[variant];
    best->border = i;
    best->variant = variant;
}

/* In the order in which the CPU compares: candidates go by groups of up to CT_LANES that have an
 * order, and sets that are drawn among these come before them. Cuts at random are compared as they
 * are drawn. */
CT_HD ct_large_choice ct_large_choose(const ct_grow_view *v, uint32_t task)
{
    CT_ASSERT(task < v->batch.n_large);
    const ct_grow_border *borders = v->batch.borders + (size_t) task * v->table.mtry;
    const uint16_t *columns = v->batch.candidates + (size_t) task * 3 * v->table.mtry;
    ct_large_choice best;
    best.score = -1;
    best.border = best.variant = 0;
    for (uint32_t i = 0; v->table.at_random && i < v->table.mtry; i++) {
        ct_large_compare(borders, i, 0, &best);
        ct_large_compare(borders, i, 1, &best);
    }
    if (v->table.at_random) return best;
    for (uint32_t begin = 0, end; begin < v->table.mtry; begin = end) {
        uint32_t lanes = 0;
        for (end = begin; end < v->table.mtry && lanes < CT_LANES; end++) {
            if (v->table.columns[columns[end]].is_set) ct_large_compare(borders, end, 0, &best);
            else lanes++;
        }
        for (uint32_t i = begin; i < end; i++) {
            if (v->table.columns[columns[i]].is_set) continue;
            ct_large_compare(borders, i, 0, &best);
            ct_large_compare(borders, i, 1, &best);
        }
    }
    return best;
}

/* The candidate's best becomes the split. One thread. */
CT_HD void ct_large_take(const ct_grow_view *v, const ct_grow_border *border, uint32_t column,
                         uint32_t variant, ct_grow_split *split)
{
    split->found = 1;
    split->column = (uint16_t) column;
    split->knows_missing = (uint8_t) border->missing;
    split->is_set = (uint8_t) v->table.columns[column].is_set;
    split->absent = split->is_set ? border->absent : 0;
    if (split->is_set && !v->table.at_random) {
        split->cut = border->levels & CT_HIST_SET_ALL;
        split->missing_left = (uint8_t) (border->levels >> CT_HIST_SET_LEVELS);
    } else {
        split->cut = border->cut[variant];
        split->missing_left = (uint8_t) variant;
    }
}

/* Whether not all numbers of a node are equal. A group, which has memory for the answer. */
CT_HD void ct_large_differ(ct_group g, const ct_grow_view *v, uint32_t task, uint32_t *differ)
{
    const ct_grow_task *t = v->batch.now.tasks + task;
    const ct_grow_item *items = ct_grow_items(v, t->tree, v->batch.side) + t->begin;
    const int32_t first = v->table.n_classes ? 0 : v->table.quantised[items[0].row];
    if (g.thread == 0) *differ = v->table.n_classes > 0;
    ct_group_sync(g);
    for (uint32_t i = g.thread; !v->table.n_classes && i < t->n; i += g.width) {
        if (v->table.quantised[items[i].row] == first) continue;
        ct_shared_max(differ, 1);
        break;
    }
    ct_group_sync(g);
}

/* item: a node; a group */
CT_HD void ct_large_split(ct_group g, const ct_grow_view *v, size_t item, void *memory)
{
    uint32_t *differ = (uint32_t *) memory;
    const uint32_t task = (uint32_t) item, width = v->table.n_classes;
    for (uint32_t k = g.thread; k < width; k += g.width) {
        ct_grow_count *left = v->batch.left_classes + item * width + k;
        left->n = left->weight = 0;
    }
    ct_large_differ(g, v, task, differ);
    if (g.thread) return;
    const ct_large_choice best = ct_large_choose(v, task);
    ct_grow_split *split = v->batch.splits + item;
    memset(split, 0, sizeof *split);
    if (*differ && best.score >= 0)
        ct_large_take(v, v->batch.borders + item * v->table.mtry + best.border,
                      ct_large_candidate(v, task, best.border), best.variant, split);
    split->equal = !*differ;
    v->batch.left[item].n = v->batch.left[item].weight = 0;
    v->batch.left_sums[item] = 0;
}

#endif
