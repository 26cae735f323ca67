/* Nodes of few rows on a device: a block grows one to its end, level by level, and a warp of it
 * takes one node at a time.
 *
 * A lane takes a cut, and goes through the items of the node in the order of classes: what is left
 * of the cut is all it has to know. Cuts are those above the codes that rows have, at small nodes;
 * borders of bins that part the node's own range of codes, at others, and then the cuts above the
 * codes in the bins beside the best border. */
#ifndef CT_FOREST_OFFLOAD_NEAR_BODY_H
#define CT_FOREST_OFFLOAD_NEAR_BODY_H

#include "forest/offload/draw_body.h"
#include "forest/offload/nodes_body.h"
#include "forest/offload/tally.h"

enum { CT_NEAR_WARPS = 4, CT_NEAR_TASKS = CT_GROW_NEAR / 2, CT_NEAR_NONE = 0xffff };

/* A node of the block that waits; all of one level have one depth. */
typedef struct {
    uint64_t path;
    uint32_t node;
    uint16_t begin, n; /* from the block's first item on */
} ct_near_task;

/* What the block shares. */
typedef struct {
    ct_near_task tasks[2][CT_NEAR_TASKS]; /* of the level under way and of the one to come */
    uint32_t n[2];
} ct_near_lists;

/* What a warp knows of its node. Items are those of the node, in order. */
typedef struct {
    int64_t *values;     /* numbers by weight; NULL: classes */
    uint32_t *weights;   /* of the items */
    uint32_t *before;    /* [run + 1] weight of the runs before */
    uint16_t *begin;     /* [run + 1] items of the runs before */
    uint16_t *keys;      /* of the items, in the column that is looked at */
    uint16_t *cuts;
    uint16_t *columns;   /* [3][mtry] candidates */
    const ct_grow_item *items;
    uint32_t n, n_runs, equal; /* equal: all numbers are */
    ct_tally_node node;
} ct_near_node;

/* Bytes of a warp's memory; runs are at most the classes. */
CT_HD uint32_t ct_near_runs(const ct_grow_view *v)
{
    return v->table.n_classes ? v->table.n_classes : 1;
}

CT_HD size_t ct_near_warp_bytes(const ct_grow_view *v)
{
    size_t items = CT_GROW_NEAR, runs = ct_near_runs(v) + 1,
           bytes = items * (sizeof(uint32_t) + 2 * sizeof(uint16_t)) +
                   runs * (sizeof(uint32_t) + sizeof(uint16_t)) +
                   3 * (size_t) v->table.mtry * sizeof(uint16_t);
    if (!v->table.n_classes) bytes += items * sizeof(int64_t);
    return (bytes + 15) / 16 * 16;
}

/* The block's memory, and how many warps it has so that every device grants it. */
CT_HD size_t ct_near_bytes(const ct_grow_view *v, uint32_t warps)
{
    return sizeof(ct_near_lists) + warps * ct_near_warp_bytes(v);
}

CT_HD ct_near_node ct_near_memory(const ct_grow_view *v, void *memory, uint32_t warp)
{
    ct_near_node w;
    const uint32_t runs = ct_near_runs(v) + 1;
    char *own = (char *) memory + sizeof(ct_near_lists) + warp * ct_near_warp_bytes(v);
    memset(&w, 0, sizeof w);
    if (!v->table.n_classes) {
        w.values = (int64_t *) (void *) own;
        own += CT_GROW_NEAR * sizeof *w.values;
    }
    w.weights = (uint32_t *) (void *) own;
    w.before = w.weights + CT_GROW_NEAR;
    w.keys = (uint16_t *) (w.before + runs);
    w.cuts = w.keys + CT_GROW_NEAR;
    w.begin = w.cuts + CT_GROW_NEAR;
    w.columns = w.begin + runs;
    return w;
}

/* ---- the node ---- */

/* Weights and runs of its items; for numbers their sum, and whether they are equal. */
CT_HD void ct_near_load(ct_lanes lanes, const ct_grow_view *v, ct_near_node *w)
{
    uint32_t weight = 0, differ = 0, total;
    int64_t sum = 0, sum_total;
    const int32_t first = w->values ? v->table.whole[w->items[0].row] : 0;
    w->n_runs = 0;
    ct_lanes_sync(lanes);
    for (uint32_t start = 0; start < w->n; start += lanes.width) {
        const uint32_t i = start + lanes.lane;
        uint32_t own = 0, begins = 0;
        int64_t value = 0;
        if (i < w->n) {
            const ct_grow_item item = w->items[i];
            own = w->weights[i] = ct_item_weight(item);
            begins = i == 0 || ct_item_class(w->items[i - 1]) != ct_item_class(item);
            if (w->values) {
                const int32_t whole = v->table.whole[item.row];
                value = w->values[i] = (int64_t) whole * own;
                differ |= whole != first;
            }
        }
        const uint32_t before = ct_lanes_scan(lanes, own, &total),
                       heads = ct_lanes_ballot(lanes, (int) begins);
        const uint32_t run = w->n_runs + ct_hd_popcount(heads & ((1u << lanes.lane) - 1));
        if (begins) w->begin[run] = (uint16_t) i;
        if (begins) w->before[run] = weight + before;
        w->n_runs += ct_hd_popcount(heads);
        weight += total;
        (void) ct_lanes_scan_64(lanes, value, &sum_total);
        sum += sum_total;
    }
    if (lanes.lane == 0) w->begin[w->n_runs] = (uint16_t) w->n;
    if (lanes.lane == 0) w->before[w->n_runs] = weight;
    w->equal = w->values && !ct_lanes_ballot(lanes, (int) differ);
    ct_lanes_sync(lanes);
    w->node.weight = weight;
    w->node.sum = sum;
    w->node.logs = v->table.logs;
    w->node.pair[0] = w->before[1];
    w->node.pair[1] = weight - w->before[1]; /* where there are two */
    w->node.kind = ct_tally_kind_of(v->table.rule, v->table.n_classes, w->n_runs, weight);
}

/* Codes of a column as keys; whether some are missing. */
CT_HD int ct_near_codes(ct_lanes lanes, const ct_grow_view *v, ct_near_node *w, uint32_t column)
{
    uint32_t missing = 0;
    ct_lanes_sync(lanes);
    for (uint32_t i = lanes.lane; i < w->n; i += lanes.width) {
        w->keys[i] = ct_grow_code(v, w->items[i].row, column);
        missing |= w->keys[i] == CT_CODE_MISSING;
    }
    ct_lanes_sync(lanes);
    return v->table.columns[column].has_missing && ct_lanes_ballot(lanes, (int) missing) != 0;
}

/* What is left of a cut: items whose key, raised, is at most `most`. One lane; keys are the same
 * for all. */
CT_HD ct_tally ct_near_left(const ct_near_node *w, const ct_tally_node *node, uint32_t raise,
                            uint32_t most)
{
    ct_tally t;
    ct_tally_begin(&t);
    if (w->values) {
        for (uint32_t i = 0; i < w->n; i++)
            if ((uint16_t) (w->keys[i] + raise) <= most)
                ct_tally_add_sum(&t, w->weights[i], w->values[i]);
        return t;
    }
    for (uint32_t run = 0, i = 0; run < w->n_runs; run++) {
        const uint32_t end = w->begin[run + 1];
        uint32_t left = 0;
        for (; i < end; i++)
            left += (uint16_t) (w->keys[i] + raise) <= most ? w->weights[i] : 0;
        ct_tally_add(node, &t, run, left, w->before[run + 1] - w->before[run]);
    }
    return t;
}

/* The same where keys are levels, of which those in `set` are left. */
CT_HD ct_tally ct_near_left_of_set(const ct_near_node *w, const ct_tally_node *node, uint32_t set)
{
    ct_tally t;
    ct_tally_begin(&t);
    for (uint32_t run = 0, i = 0; run < w->n_runs; run++) {
        const uint32_t end = w->begin[run + 1];
        uint32_t left = 0;
        for (; i < end; i++) {
            if (!(set >> w->keys[i] & 1)) continue;
            left += w->weights[i];
            if (w->values) ct_tally_add_sum(&t, w->weights[i], w->values[i]);
        }
        if (!w->values)
            ct_tally_add(node, &t, run, left, w->before[run + 1] - w->before[run]);
    }
    return t;
}

/* The lowest key above another, both raised; CT_NEAR_NONE if there is none. */
CT_HD uint32_t ct_near_above(ct_lanes lanes, const ct_near_node *w, uint32_t raise, uint32_t key)
{
    uint32_t lowest = CT_NEAR_NONE;
    for (uint32_t i = lanes.lane; i < w->n; i += lanes.width) {
        const uint32_t own = (uint16_t) (w->keys[i] + raise);
        if (own > key && own < lowest) lowest = own;
    }
    return ct_lanes_min(lanes, lowest);
}

/* ---- the best so far ---- */

typedef struct {
    double score;
    ct_grow_split split;
    uint32_t bin, next; /* of a border, whose cut is not known yet */
    uint32_t low, scale;
    int is_border;
} ct_near_best;

CT_HD void ct_near_take(ct_near_best *best, double score, uint32_t column, uint32_t missing,
                        uint32_t missing_left)
{
    best->score = score;
    memset(&best->split, 0, sizeof best->split);
    best->split.found = 1;
    best->split.column = (uint16_t) column;
    best->split.knows_missing = (uint8_t) missing;
    best->split.missing_left = (uint8_t) missing_left;
    best->is_border = 0;
}

/* ---- levels without an order ---- */

/* The i-th subset of `top`, from 0, in rising order. */
CT_HD uint32_t ct_near_subset(uint32_t top, uint32_t i)
{
    uint32_t set = 0;
    for (; top; top &= top - 1, i >>= 1) set |= i & 1 ? top & (0u - top) : 0;
    return set;
}

/* Sets in rising order, each with missing values right, then left, or one of them at random. */
CT_HD void ct_near_set(ct_lanes lanes, const ct_grow_view *v, ct_near_node *w, uint32_t column,
                       ct_rng *cuts, ct_near_best *best)
{
    uint32_t present = 0, drawn = 0;
    ct_tally_node node = w->node;
    ct_found found = ct_found_none();
    (void) ct_near_codes(lanes, v, w, column);
    for (uint32_t i = lanes.lane; i < w->n; i += lanes.width) {
        w->keys[i] = w->keys[i] < CT_SET_LEVELS ? w->keys[i] : (uint16_t) CT_SET_LEVELS;
        present |= 1u << w->keys[i];
    }
    for (uint32_t step = lanes.width / 2; step; step /= 2)
        present |= ct_lanes_exchange(lanes, present, step);
    ct_lanes_sync(lanes);
    const uint32_t missing = present >> CT_SET_LEVELS, levels = present & CT_SET_ALL,
                   top = levels & (levels - 1);
    if (v->table.rule == CT_SPLIT_RANDOM) {
        if (!top) return;
        drawn = 1 + ct_rng_below(cuts, (1u << ct_hd_popcount(top)) - 1);
    }
    node.kind = ct_tally_set_kind(node.kind, v->table.rule, w->n_runs, node.weight);
    for (uint32_t i = lanes.lane; i < 2u << CT_SET_LEVELS; i += lanes.width) {
        const uint32_t set = i / 2, side = i % 2;
        if (set & ~top || side > missing) continue;
        if (drawn && set != ct_near_subset(top, drawn)) continue;
        const ct_tally t = ct_near_left_of_set(w, &node, set | side << CT_SET_LEVELS);
        ct_found_add(&found, ct_fraction_score(node.kind, ct_tally_end(&node, &t)), i);
    }
    found = ct_lanes_best(lanes, found);
    if (!(found.score > best->score)) return;
    ct_near_take(best, found.score, column, missing, found.order % 2);
    best->split.is_set = 1;
    best->split.cut = (uint16_t) (found.order / 2);
    best->split.absent = (uint16_t) (~levels & CT_SET_ALL);
}

/* ---- small nodes: all cuts ---- */

CT_HD void ct_near_small(ct_lanes lanes, const ct_grow_view *v, ct_near_node *w, uint32_t column,
                         ct_near_best *best)
{
    ct_tally_node node = w->node;
    node.kind = ct_tally_small_kind(node.kind, w->n_runs);
    const int is_float = node.kind == CT_TALLY_SMALL || node.kind == CT_TALLY_SMALL_PAIR;
    const uint32_t missing = (uint32_t) ct_near_codes(lanes, v, w, column);
    for (uint32_t raise = 0; raise <= missing; raise++) {
        const double least = is_float ? (double) (float) best->score : best->score;
        ct_found found = ct_found_none();
        for (uint32_t i = lanes.lane; i < w->n; i += lanes.width) {
            const uint32_t key = (uint16_t) (w->keys[i] + raise);
            const ct_tally t = ct_near_left(w, &node, raise, key);
            ct_found_add(&found, ct_tally_end(&node, &t).num, key);
        }
        found = ct_lanes_best(lanes, found);
        if (!(found.score > least)) continue;
        const uint32_t next = ct_near_above(lanes, w, raise, found.order),
                       low = (uint16_t) (found.order - raise), high = (uint16_t) (next - raise);
        ct_near_take(best, found.score, column, missing, raise);
        best->split.cut = (uint16_t) (high == CT_CODE_MISSING ? v->table.columns[column].n_codes
                                                              : (low + high + 1) / 2);
    }
}

/* ---- others: borders of the node's own bins ---- */

CT_HD uint32_t ct_near_bins(uint32_t n)
{
    uint32_t bins = CT_FEWEST_BINS;
    while (4 * bins < n) bins *= 2;
    return bins;
}

/* Bins of the items as keys: equal parts of the range of their codes. */
CT_HD int ct_near_spread(ct_lanes lanes, const ct_grow_view *v, ct_near_node *w, uint32_t column,
                         uint32_t *low, uint32_t *scale)
{
    const int missing = ct_near_codes(lanes, v, w, column);
    const uint32_t n_bins = ct_near_bins(w->n);
    uint32_t least = CT_NEAR_NONE, most = 0;
    for (uint32_t i = lanes.lane; i < w->n; i += lanes.width) {
        const uint32_t code = w->keys[i];
        if (code == CT_CODE_MISSING) continue;
        if (code < least) least = code;
        if (code > most) most = code;
    }
    least = ct_lanes_min(lanes, least);
    most = ct_lanes_max(lanes, most);
    if (least > most) least = most = 0;
    const uint32_t span = most - least + 1;
    *low = least;
    *scale = span > n_bins ? n_bins * 65536 / span : 65536;
    for (uint32_t i = lanes.lane; i < w->n; i += lanes.width)
        w->keys[i] = (uint16_t) (w->keys[i] == CT_CODE_MISSING
                                     ? (uint32_t) CT_BIN_MISSING
                                     : ((uint32_t) w->keys[i] - least) * *scale >> 16);
    ct_lanes_sync(lanes);
    return missing;
}

/* The best border in the order of the bins, see ct_large_best(). */
CT_HD double ct_near_border(ct_lanes lanes, const ct_near_node *w, uint32_t raise, uint32_t *bin)
{
    const uint32_t n_bins = ct_near_bins(w->n);
    ct_fraction best;
    best.num = -1;
    best.den = 1;
    for (uint32_t start = 0; start < n_bins; start += lanes.width) {
        const ct_tally t = ct_near_left(w, &w->node, raise, start + lanes.lane + raise);
        const ct_fraction own = ct_tally_end(&w->node, &t);
        for (uint32_t from = 0; from < lanes.width;) {
            const uint32_t better = ct_lanes_ballot(
                lanes, lanes.lane >= from && ct_fraction_beats(w->node.kind, own, best));
            if (!better) break;
            const uint32_t first = ct_hd_popcount((better & (0u - better)) - 1);
            best.num = ct_lanes_read_double(lanes, own.num, first);
            best.den = ct_lanes_read_double(lanes, own.den, first);
            *bin = start + first;
            from = first + 1;
        }
    }
    return ct_fraction_score(w->node.kind, best);
}

CT_HD void ct_near_middle(ct_lanes lanes, const ct_grow_view *v, ct_near_node *w, uint32_t column,
                          ct_near_best *best)
{
    uint32_t low, scale, bin = 0;
    const uint32_t missing = (uint32_t) ct_near_spread(lanes, v, w, column, &low, &scale);
    for (uint32_t raise = 0; raise <= missing; raise++) {
        if (raise) {
            ct_lanes_sync(lanes);
            for (uint32_t i = lanes.lane; i < w->n; i += lanes.width)
                if (w->keys[i] == CT_BIN_MISSING) w->keys[i] = CT_CODE_MISSING;
            ct_lanes_sync(lanes);
        }
        const double score = ct_near_border(lanes, w, raise, &bin);
        if (!(score > best->score)) continue;
        const uint32_t next = ct_near_above(lanes, w, 0, bin);
        ct_near_take(best, score, column, missing, raise);
        best->is_border = 1;
        best->bin = bin;
        best->next = next < CT_BIN_MISSING ? next : (uint32_t) CT_NEAR_NONE;
        best->low = low;
        best->scale = scale;
    }
}

/* The best cut above the codes in the two bins beside the best border, of which the second may have
 * none. */
CT_HD void ct_near_refine(ct_lanes lanes, const ct_grow_view *v, ct_near_node *w,
                          ct_near_best *best)
{
    const uint32_t raise = best->split.missing_left, open = best->next == CT_NEAR_NONE;
    uint32_t n_cuts = 0, top = 0, next = CT_NEAR_NONE;
    ct_tally_node node = w->node;
    ct_found found = ct_found_none();
    node.kind = ct_tally_exact_kind(node.kind);
    (void) ct_near_codes(lanes, v, w, best->split.column);
    for (uint32_t start = 0; start < w->n; start += lanes.width) {
        const uint32_t i = start + lanes.lane, code = i < w->n ? w->keys[i] : (uint32_t) CT_CODE_MISSING,
                       bin = (code - best->low) * best->scale >> 16;
        const int in = code != CT_CODE_MISSING &&
                       (bin == best->bin || (!open && bin == best->next));
        const uint32_t ins = ct_lanes_ballot(lanes, in);
        if (in) w->cuts[n_cuts + ct_hd_popcount(ins & ((1u << lanes.lane) - 1))] = (uint16_t) code;
        if (in && code > top) top = code;
        n_cuts += ct_hd_popcount(ins);
    }
    top = ct_lanes_max(lanes, top);
    ct_lanes_sync(lanes);
    for (uint32_t i = lanes.lane; i < n_cuts; i += lanes.width) {
        const uint32_t code = w->cuts[i];
        if (code == top && !open) continue;
        const ct_tally t = ct_near_left(w, &node, raise, code + raise);
        ct_found_add(&found, ct_tally_end(&node, &t).num, code);
    }
    found = ct_lanes_best(lanes, found);
    for (uint32_t i = lanes.lane; i < n_cuts; i += lanes.width)
        if (w->cuts[i] > found.order && w->cuts[i] < next) next = w->cuts[i];
    next = ct_lanes_min(lanes, next);
    best->split.cut = (uint16_t) (next == CT_NEAR_NONE
                                      ? v->table.columns[best->split.column].n_codes
                                      : (found.order + next + 1) / 2);
    best->is_border = 0;
}

/* ---- cuts at random ---- */

CT_HD void ct_near_random(ct_lanes lanes, const ct_grow_view *v, ct_near_node *w, uint32_t column,
                          ct_rng *cuts, ct_near_best *best)
{
    const uint32_t missing = (uint32_t) ct_near_codes(lanes, v, w, column);
    uint32_t low = CT_NEAR_NONE, high = 0;
    ct_tally_node node = w->node;
    node.kind = ct_tally_exact_kind(node.kind);
    for (uint32_t i = lanes.lane; i < w->n; i += lanes.width) {
        const uint32_t code = w->keys[i];
        if (code == CT_CODE_MISSING) continue;
        if (code < low) low = code;
        if (code > high) high = code;
    }
    low = ct_lanes_min(lanes, low);
    high = ct_lanes_max(lanes, high);
    if (low >= high) return;
    const uint32_t cut = low + 1 + ct_rng_below(cuts, high - low);
    for (uint32_t raise = 0; raise <= missing; raise++) {
        const ct_tally t = ct_near_left(w, &node, raise, cut - 1 + raise);
        const double score = ct_tally_end(&node, &t).num;
        if (!(score > best->score)) continue;
        ct_near_take(best, score, column, missing, raise);
        best->split.cut = (uint16_t) cut;
    }
}

/* ---- the best split ---- */

CT_HD void ct_near_candidate(ct_lanes lanes, const ct_grow_view *v, ct_near_node *w,
                             uint32_t column, ct_rng *cuts, ct_near_best *best)
{
    if (v->table.columns[column].is_set) ct_near_set(lanes, v, w, column, cuts, best);
    else if (v->table.rule == CT_SPLIT_RANDOM) ct_near_random(lanes, v, w, column, cuts, best);
    else if (w->n <= CT_SMALL_ROWS && w->node.weight <= CT_SMALL_WEIGHT)
        ct_near_small(lanes, v, w, column, best);
    else ct_near_middle(lanes, v, w, column, best);
}

/* Candidates in the order drawn. Where bins are looked at, they go by groups of up to CT_LANES that
 * have an order, and sets that are drawn among these come before them, as the CPU has it. */
CT_HD void ct_near_search(ct_lanes lanes, const ct_grow_view *v, ct_near_node *w,
                          const ct_grow_task *t, ct_near_best *best)
{
    const int by_groups = v->table.rule != CT_SPLIT_RANDOM &&
                          (w->n > CT_SMALL_ROWS || w->node.weight > CT_SMALL_WEIGHT);
    ct_rng cuts = ct_rng_of(v->table.seed, v->batch.first_tree + t->tree,
                            ct_rng_path(t->path, CT_CUTS_PATH));
    best->score = -1;
    memset(&best->split, 0, sizeof best->split);
    best->is_border = 0;
    ct_draw_candidates(lanes, v, t, w->columns);
    for (uint32_t begin = 0, end; begin < v->table.mtry; begin = end) {
        uint32_t ordered = 0;
        for (end = begin; end < v->table.mtry && ordered < CT_LANES; end++)
            ordered += !v->table.columns[w->columns[end]].is_set;
        for (uint32_t i = begin; i < end; i++)
            if (!by_groups || v->table.columns[w->columns[i]].is_set)
                ct_near_candidate(lanes, v, w, w->columns[i], &cuts, best);
        for (uint32_t i = begin; by_groups && i < end; i++)
            if (!v->table.columns[w->columns[i]].is_set)
                ct_near_candidate(lanes, v, w, w->columns[i], &cuts, best);
    }
    if (best->is_border) ct_near_refine(lanes, v, w, best);
}

/* ---- the node is parted ---- */

/* Moves the items to the other side, and counts what goes left: rows, weight, and by class. */
CT_HD double ct_near_part(ct_lanes lanes, const ct_grow_view *v, ct_near_node *w,
                          const ct_grow_split *split, ct_grow_item *to, ct_grow_child children[2])
{
    double all = 0, squares[2] = {0, 0};
    int64_t sum = 0;
    uint32_t n_left = 0;
    (void) ct_near_codes(lanes, v, w, split->column);
    for (uint32_t start = 0; start < w->n; start += lanes.width) {
        const uint32_t i = start + lanes.lane;
        const int left = i < w->n && ct_split_goes_left(split, w->keys[i]);
        n_left += ct_hd_popcount(ct_lanes_ballot(lanes, left));
        if (i < w->n) w->keys[i] = (uint16_t) left;
    }
    ct_lanes_sync(lanes);
    for (uint32_t run = 0; run < w->n_runs; run++) {
        uint32_t own = 0, sides[2];
        for (uint32_t i = w->begin[run] + lanes.lane; i < w->begin[run + 1]; i += lanes.width) {
            own += w->keys[i] ? w->weights[i] : 0;
            sum += w->values && w->keys[i] ? w->values[i] : 0;
        }
        const uint32_t weight = w->before[run + 1] - w->before[run];
        sides[0] = ct_lanes_sum(lanes, own);
        sides[1] = weight - sides[0];
        all += (double) weight * weight;
        for (int side = 0; side < 2; side++) {
            children[side].task.weight += sides[side];
            squares[side] += (double) sides[side] * sides[side];
            if (!sides[side]) continue;
            children[side].n_runs++;
            children[side].class_ = ct_item_class(w->items[w->begin[run]]);
        }
    }
    children[0].task.n = n_left;
    children[1].task.n = w->n - n_left;
    for (uint32_t start = 0, left = 0; start < w->n; start += lanes.width) {
        const uint32_t i = start + lanes.lane, own = i < w->n && w->keys[i];
        const uint32_t lefts = ct_lanes_ballot(lanes, (int) own);
        const uint32_t before = left + ct_hd_popcount(lefts & ((1u << lanes.lane) - 1));
        if (i < w->n) to[own ? before : n_left + i - before] = w->items[i];
        left += ct_hd_popcount(lefts);
    }
    if (!w->values)
        return squares[0] / children[0].task.weight + squares[1] / children[1].task.weight -
               all / w->node.weight;
    (void) ct_lanes_scan_64(lanes, sum, &children[0].sum);
    children[1].sum = w->node.sum - children[0].sum;
    return ct_purity_of_sum(children[0].sum, children[0].task.weight) +
           ct_purity_of_sum(children[1].sum, children[1].task.weight) -
           ct_purity_of_sum(w->node.sum, w->node.weight);
}

/* ---- a block ---- */

/* The subtree that a block grows. */
typedef struct {
    ct_grow_task root; /* without the side */
    uint32_t side;     /* of the level under way */
    uint32_t depth;    /* of it */
    ct_near_lists *lists;
    uint32_t now;      /* the list under way */
} ct_near_tree;

/* A child becomes a leaf or waits. One thread. */
CT_HD void ct_near_settle(const ct_grow_view *v, const ct_near_tree *tree,
                          const ct_grow_child *child)
{
    if (ct_grow_is_leaf(v, child)) {
        ct_grow_leaf(v, child, 0);
        return;
    }
    ct_near_task *to = tree->lists->tasks[!tree->now] +
                       ct_shared_add(&tree->lists->n[!tree->now], 1);
    to->path = child->task.path;
    to->node = child->task.node;
    to->begin = (uint16_t) (child->task.begin - tree->root.begin);
    to->n = (uint16_t) child->task.n;
}

/* A warp takes a node. */
CT_HD void ct_near_grow(ct_lanes lanes, const ct_grow_view *v, ct_near_node *w,
                        const ct_near_tree *tree, const ct_near_task *task)
{
    ct_grow_child node, children[2];
    ct_near_best best;
    memset(&node, 0, sizeof node);
    node.task = tree->root;
    node.task.path = task->path;
    node.task.node = task->node;
    node.task.begin += task->begin;
    node.task.n = w->n = task->n;
    node.task.depth = tree->depth;
    node.side = tree->side;
    node.n_runs = 2; /* or it would not wait */
    w->items = ct_grow_items(v, node.task.tree, node.side) + node.task.begin;
    ct_near_load(lanes, v, w);
    node.task.weight = w->node.weight;
    best.split.found = 0;
    if (!w->equal) ct_near_search(lanes, v, w, &node.task, &best);
    if (!best.split.found) {
        if (lanes.lane == 0) ct_grow_leaf(v, &node, !w->equal);
        return;
    }
    memset(children, 0, sizeof children);
    const double gain =
        ct_near_part(lanes, v, w, &best.split,
                     ct_grow_items(v, node.task.tree, !node.side) + node.task.begin, children);
    if (lanes.lane) return;
    ct_split_complete(&best.split, children[0].task.weight, children[1].task.weight);
    const uint32_t number = ct_grow_divide(v, &node, &best.split);
    for (uint32_t side = 0; side < 2; side++) {
        ct_grow_child child = children[side];
        ct_grow_child_of(&node, number, side, &child);
        child.n_runs = children[side].n_runs;
        child.class_ = children[side].class_;
        child.task.n = children[side].task.n;
        child.task.weight = children[side].task.weight;
        child.task.begin = node.task.begin + (side ? children[0].task.n : 0);
        ct_near_settle(v, tree, &child);
    }
    ct_grow_gain(v, node.task.tree, best.split.column, gain);
}

/* item: a task; a group */
CT_HD void ct_near_finish(ct_group g, const ct_grow_view *v, size_t item, void *memory)
{
    ct_near_node w = ct_near_memory(v, memory, g.warp);
    ct_near_tree tree;
    tree.lists = (ct_near_lists *) memory;
    tree.root = v->batch.near[item];
    tree.side = tree.root.begin >> 31;
    tree.root.begin &= 0x7fffffffu;
    tree.depth = tree.root.depth;
    tree.now = 0;
    if (g.thread == 0) {
        ct_near_task *first = tree.lists->tasks[0];
        first->path = tree.root.path;
        first->node = tree.root.node;
        first->begin = 0;
        first->n = (uint16_t) tree.root.n;
        tree.lists->n[0] = 1;
        tree.lists->n[1] = 0;
    }
    ct_group_sync(g);
    for (uint32_t n = 1; n;) {
        for (uint32_t i = g.warp; i < n; i += g.n_warps)
            ct_near_grow(g.lanes, v, &w, &tree, &tree.lists->tasks[tree.now][i]);
        ct_group_sync(g);
        tree.now = !tree.now;
        tree.side = !tree.side;
        tree.depth++;
        n = tree.lists->n[tree.now];
        ct_group_sync(g);
        if (g.thread == 0) tree.lists->n[!tree.now] = 0;
        ct_group_sync(g);
    }
}

#endif
