/* The search for the best split of large nodes on a device.
 *
 * A block takes one candidate of one node, and looks for what is best in the order of the bins, as
 * the CPU does it. Another block compares the candidates of the node and, where nodes have few
 * rows, tries all codes of the bins beside the best border, at histograms of these codes. */
#ifndef CT_FOREST_OFFLOAD_LARGE_BODY_H
#define CT_FOREST_OFFLOAD_LARGE_BODY_H

#include "forest/offload/draw_body.h"
#include "forest/offload/large_count.h"

/* ---- the best border or set of a candidate ---- */

/* In the order of the slots: rounded products need not order fractions, so that the course of the
 * search counts. A warp. */
CT_HD void ct_large_best(ct_lanes lanes, const ct_large_shared *s, const ct_tally_node *node,
                         uint32_t variant, uint32_t n_bins, ct_grow_border *border)
{
    const ct_tally *tally = s->tally[variant];
    ct_fraction best;
    uint32_t at = CT_LARGE_NONE, next = CT_LARGE_NONE;
    best.num = -1;
    best.den = 1;
    for (uint32_t start = 0; start < n_bins; start += lanes.width) {
        const uint32_t bin = start + lanes.lane;
        ct_fraction own;
        own.num = -1;
        own.den = 1;
        if (bin < n_bins) own = ct_tally_end(node, tally + bin);
        for (uint32_t from = 0; from < lanes.width;) {
            const uint32_t better = ct_lanes_ballot(
                lanes, lanes.lane >= from && ct_fraction_beats(node->kind, own, best));
            if (!better) break;
            const uint32_t first = ct_hd_popcount((better & (0u - better)) - 1);
            best.num = ct_lanes_read_double(lanes, own.num, first);
            best.den = ct_lanes_read_double(lanes, own.den, first);
            at = start + first;
            from = first + 1;
        }
    }
    for (uint32_t start = at + 1; at != CT_LARGE_NONE && start < n_bins; start += lanes.width) {
        const uint32_t bin = start + lanes.lane;
        const uint32_t rows = ct_lanes_ballot(
            lanes, bin < n_bins && s->tally[0][bin].size != s->tally[0][at].size);
        if (!rows) continue;
        next = start + ct_hd_popcount((rows & (0u - rows)) - 1);
        break;
    }
    if (lanes.lane) return;
    border->score[variant] = ct_fraction_score(node->kind, best);
    border->bin[variant] = (uint8_t) at;
    border->next[variant] = (uint8_t) next;
}

/* Sets are tried in rising order, each with missing values right, then left; the lowest level that
 * the node has stays right. A warp. */
CT_HD void ct_large_best_set(ct_lanes lanes, const ct_large_shared *s, const ct_tally_node *node,
                             ct_grow_border *border)
{
    const uint32_t missing = s->levels[CT_SET_LEVELS] > 0;
    uint32_t present = 0;
    ct_found best = ct_found_none();
    for (uint32_t level = 0; level < CT_SET_LEVELS; level++)
        present |= (uint32_t) (s->levels[level] > 0) << level;
    const uint32_t top = present & (present - 1);
    for (uint32_t i = lanes.lane; i < 2u << CT_SET_LEVELS; i += lanes.width) {
        const uint32_t set = i / 2, side = i % 2;
        if (set & ~top || side > missing) continue;
        const ct_fraction own = ct_tally_end(node, &s->tally[side][set]);
        ct_found_add(&best, ct_fraction_score(node->kind, own), i);
    }
    best = ct_lanes_best(lanes, best);
    if (lanes.lane) return;
    border->score[0] = best.score;
    border->score[1] = -1;
    border->levels = (uint16_t) (best.order / 2 % 64 | best.order % 2 << CT_SET_LEVELS);
    border->absent = (uint16_t) (~present & CT_SET_ALL);
    border->missing = (uint16_t) missing;
}

/* item: a node; draws its candidates */
CT_HD void ct_large_draw(ct_lanes lanes, const ct_grow_view *v, size_t item)
{
    const ct_grow_task *t = v->batch.now.tasks + item;
    uint16_t *columns = v->batch.candidates + item * 3 * v->table.mtry;
    ct_draw_candidates(lanes, v, t->tree,
                       v->table.pool_by_level ? ct_rng_path(CT_POOL_PATH, t->depth) : t->path,
                       columns);
}

CT_HD uint32_t ct_large_candidate(const ct_grow_view *v, uint32_t task, uint32_t i)
{
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
    const ct_grow_column *column = v->table.columns + slots.column;
    slots.levels = column->is_set;
    ct_large_runs(g, v, s, task);
    ct_tally_node node = ct_large_node(v, s, task);
    if (slots.levels)
        node.kind = ct_tally_set_kind(node.kind, v->table.rule, s->n_runs, node.weight);
    ct_large_count(g, v, s, &slots, &node, task);
    if (slots.levels) {
        if (g.warp == 0) ct_large_best_set(g.lanes, s, &node, border);
        return;
    }
    const uint32_t missing = s->tally[1][0].size != s->tally[0][0].size;
    if (g.warp == 0) ct_large_best(g.lanes, s, &node, 0, column->n_bins, border);
    if (g.warp == 1 % g.n_warps && missing)
        ct_large_best(g.lanes, s, &node, 1, column->n_bins, border);
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
    const ct_grow_border *borders = v->batch.borders + (size_t) task * v->table.mtry;
    const uint16_t *columns = v->batch.candidates + (size_t) task * 3 * v->table.mtry;
    ct_large_choice best;
    best.score = -1;
    best.border = best.variant = 0;
    for (uint32_t i = 0; v->table.rule == CT_SPLIT_RANDOM && i < v->table.mtry; i++) {
        ct_large_compare(borders, i, 0, &best);
        ct_large_compare(borders, i, 1, &best);
    }
    if (v->table.rule == CT_SPLIT_RANDOM) return best;
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

/* Whether the border is good enough, see the CPU's is_coarse(). */
CT_HD int ct_large_is_coarse(const ct_grow_view *v, uint32_t n, uint32_t column, uint32_t bin,
                             uint32_t next)
{
    const uint16_t *first = v->table.first + (size_t) column * (CT_BINS + 1);
    return n > CT_REFINED_ROWS ||
           (first[bin + 1] - first[bin] == 1 &&
            (next == CT_LARGE_NONE || first[next + 1] - first[next] == 1));
}

/* The split of a border as it is. One thread. */
CT_HD void ct_large_take(const ct_grow_view *v, const ct_grow_border *border, uint32_t column,
                         uint32_t variant, ct_grow_split *split)
{
    const uint16_t *first = v->table.first + (size_t) column * (CT_BINS + 1);
    split->found = 1;
    split->column = (uint16_t) column;
    split->knows_missing = (uint8_t) border->missing;
    split->is_set = (uint8_t) v->table.columns[column].is_set;
    if (v->table.rule == CT_SPLIT_RANDOM) {
        split->cut = border->cut;
        split->missing_left = (uint8_t) variant;
        split->absent = split->is_set ? border->absent : 0;
        return;
    }
    if (split->is_set) {
        split->cut = border->levels & CT_SET_ALL;
        split->missing_left = (uint8_t) (border->levels >> CT_SET_LEVELS);
        split->absent = border->absent;
        return;
    }
    const uint32_t bin = border->bin[variant], next = border->next[variant];
    split->absent = 0;
    split->missing_left = (uint8_t) variant;
    split->cut = (uint16_t) (next == CT_LARGE_NONE ? v->table.columns[column].n_codes
                                                   : first[(bin + next + 1) / 2]);
}

/* ---- the codes beside the best border ---- */

/* The strip of rows whose bins are those beside the border. */
typedef struct {
    uint32_t column, raise;
    uint32_t low[2], end[2]; /* codes of both bins; the second may have none */
    uint32_t open;           /* no bin above has rows */
} ct_large_strip;

CT_HD int ct_large_in_strip(const ct_large_strip *strip, uint32_t code)
{
    return (code >= strip->low[0] && code < strip->end[0]) ||
           (code >= strip->low[1] && code < strip->end[1]);
}

/* The best of the cuts above the codes in a window, in s->best. A group. */
CT_HD void ct_large_refine_window(ct_group g, const ct_grow_view *v, ct_large_shared *s,
                                  const ct_large_strip *strip, const ct_tally_node *node,
                                  uint32_t task, uint32_t low, uint32_t n)
{
    ct_large_slots slots;
    memset(&slots, 0, sizeof slots);
    slots.column = strip->column;
    slots.by_code = 1;
    slots.low = low + strip->raise;
    slots.n = n;
    slots.raise = strip->raise;
    ct_large_count(g, v, s, &slots, node, task);
    if (g.warp) return;
    ct_found best = s->best;
    for (uint32_t slot = g.lanes.lane; slot < n; slot += g.lanes.width) {
        const uint32_t code = low + slot, before = slot ? s->tally[0][slot - 1].size : 0;
        if (s->tally[0][slot].size == before || (code == s->top && !strip->open)) continue;
        ct_found_add(&best, ct_tally_end(node, &s->tally[1][slot]).num, code);
    }
    best = ct_lanes_best(g.lanes, best);
    ct_lanes_sync(g.lanes);
    if (g.lanes.lane == 0) s->best = best;
}

/* s->top becomes the highest code of the strip, or, of those above `above`, s->next the lowest,
 * inverted; 0 if there is none. A group. */
CT_HD void ct_large_strip_ends(ct_group g, const ct_grow_view *v, ct_large_shared *s,
                               const ct_large_strip *strip, uint32_t task, int64_t above)
{
    const ct_grow_task *t = v->batch.now.tasks + task;
    const ct_grow_item *items = ct_grow_items(v, t->tree, v->batch.side) + t->begin;
    for (uint32_t i = g.thread; i < t->n; i += g.width) {
        const uint32_t code = ct_grow_code(v, items[i].row, strip->column);
        if (!ct_large_in_strip(strip, code) || code <= above) continue;
        if (above < 0) ct_shared_max(&s->top, code);
        else ct_shared_max(&s->next, ~code);
    }
    ct_group_sync(g);
}

/* The best cut within the strip becomes the split's. A group. */
CT_HD void ct_large_refine(ct_group g, const ct_grow_view *v, ct_large_shared *s,
                           const ct_large_strip *strip, uint32_t task)
{
    ct_tally_node node = ct_large_node(v, s, task);
    node.kind = ct_tally_exact_kind(node.kind);
    if (g.thread == 0) s->best = ct_found_none();
    if (g.thread == 0) s->top = s->next = 0;
    ct_group_sync(g);
    ct_large_strip_ends(g, v, s, strip, task, -1);
    for (unsigned part = 0; part < 2; part++)
        for (uint32_t low = strip->low[part]; low < strip->end[part]; low += CT_LARGE_LAST) {
            const uint32_t left = strip->end[part] - low;
            ct_large_refine_window(g, v, s, strip, &node, task, low,
                                   left < CT_LARGE_LAST ? left : (uint32_t) CT_LARGE_LAST);
            ct_group_sync(g);
        }
    ct_large_strip_ends(g, v, s, strip, task, s->best.order);
    if (g.thread == 0)
        s->split.cut = (uint16_t) (s->next ? (s->best.order + ~s->next + 1) / 2
                                           : v->table.columns[strip->column].n_codes);
}

CT_HD ct_large_strip ct_large_strip_of(const ct_grow_view *v, const ct_grow_border *border,
                                       uint32_t column, uint32_t variant)
{
    const uint16_t *first = v->table.first + (size_t) column * (CT_BINS + 1);
    const uint32_t bin = border->bin[variant], next = border->next[variant];
    ct_large_strip strip;
    strip.column = column;
    strip.raise = variant;
    strip.open = next == CT_LARGE_NONE;
    strip.low[0] = first[bin];
    strip.end[0] = first[bin + 1];
    strip.low[1] = strip.open ? 0 : first[next];
    strip.end[1] = strip.open ? 0 : first[next + 1];
    return strip;
}

/* Whether not all numbers of a node are equal, in s->differ. A group. */
CT_HD void ct_large_differ(ct_group g, const ct_grow_view *v, ct_large_shared *s, uint32_t task)
{
    const ct_grow_task *t = v->batch.now.tasks + task;
    const ct_grow_item *items = ct_grow_items(v, t->tree, v->batch.side) + t->begin;
    const int32_t first = v->table.n_classes ? 0 : v->table.whole[items[0].row];
    if (g.thread == 0) s->differ = v->table.n_classes > 0;
    ct_group_sync(g);
    for (uint32_t i = g.thread; !v->table.n_classes && i < t->n; i += g.width) {
        if (v->table.whole[items[i].row] == first) continue;
        ct_shared_max(&s->differ, 1);
        break;
    }
    ct_group_sync(g);
}

/* item: a node; a group */
CT_HD void ct_large_split(ct_group g, const ct_grow_view *v, size_t item, void *memory)
{
    ct_large_shared *s = (ct_large_shared *) memory;
    const uint32_t task = (uint32_t) item, width = v->table.n_classes;
    for (uint32_t k = g.thread; k < width; k += g.width) {
        ct_grow_count *left = v->batch.left_classes + item * width + k;
        left->n = left->weight = 0;
    }
    ct_large_differ(g, v, s, task);
    if (g.thread == 0) {
        const ct_large_choice best = ct_large_choose(v, task);
        memset(&s->split, 0, sizeof s->split);
        s->border = best.border;
        s->variant = best.variant;
        if (s->differ && best.score >= 0)
            ct_large_take(v, v->batch.borders + item * v->table.mtry + best.border,
                          ct_large_candidate(v, task, best.border), best.variant, &s->split);
        v->batch.left[item].n = v->batch.left[item].weight = 0;
        v->batch.left_sums[item] = 0;
    }
    ct_group_sync(g);
    if (s->split.found && !s->split.is_set && v->table.rule != CT_SPLIT_RANDOM) {
        const ct_grow_border *border = v->batch.borders + item * v->table.mtry + s->border;
        const uint32_t column = s->split.column, bin = border->bin[s->variant],
                       next = border->next[s->variant];
        if (!ct_large_is_coarse(v, v->batch.now.tasks[item].n, column, bin, next)) {
            const ct_large_strip strip = ct_large_strip_of(v, border, column, s->variant);
            ct_large_runs(g, v, s, task);
            ct_large_refine(g, v, s, &strip, task);
        }
    }
    if (g.thread == 0) v->batch.splits[item] = s->split;
    if (g.thread == 0 && !s->differ) v->batch.splits[item].equal = 1;
}

#endif
