/* The search for the best split of a node of few rows, by the lanes of a warp.
 *
 * A lane takes a cut, and goes through the items of the node in the order of classes: what is left
 * of the cut is all it has to know. Cuts are those above the codes that rows have, at small nodes;
 * borders of bins that part the node's own range of codes, at others. */
#ifndef CT_FOREST_OFFLOAD_MEDIUM_SPLIT_H
#define CT_FOREST_OFFLOAD_MEDIUM_SPLIT_H

#include "forest/offload/draw_body.h"
#include "forest/offload/nodes_body.h"
#include "forest/offload/random_body.h"
#include "forest/offload/tally.h"

/* The best so far. */
typedef struct {
    double score;
    ct_grow_split split;
} ct_medium_best;

/* What a warp knows of its node; arrays follow it. */
typedef struct {
    const ct_grow_item *items; /* of the node, in order */
    uint32_t n, n_runs, equal; /* equal: all numbers are */
    ct_tally_node node;
    ct_medium_best best;
    ct_rng cuts; /* at random */
} ct_medium_warp;

typedef struct {
    int64_t *values;   /* [item] numbers by weight; NULL: classes */
    uint32_t *weights; /* [item] */
    uint32_t *before;  /* [run + 1] weight of the runs before */
    uint16_t *begin;   /* [run + 1] items of the runs before */
    uint16_t *keys;    /* [item] in the column that is looked at */
    uint16_t *columns; /* [3][mtry] candidates */
} ct_medium_arrays;

/* Runs are at most the classes. */
CT_HD uint32_t ct_medium_runs(const ct_grow_view *v)
{
    return v->table.n_classes ? v->table.n_classes : 1;
}

CT_HD ct_medium_arrays ct_medium_arrays_of(const ct_grow_view *v, const ct_medium_warp *w)
{
    const uint32_t runs = ct_medium_runs(v) + 1;
    char *memory = (char *) (uintptr_t) (w + 1);
    ct_medium_arrays a;
    a.values = v->table.n_classes ? NULL : (int64_t *) (void *) memory;
    a.weights = (uint32_t *) (void *) memory +
                (v->table.n_classes ? 0 : CT_GROW_MEDIUM * sizeof *a.values / sizeof *a.weights);
    a.before = a.weights + CT_GROW_MEDIUM;
    a.keys = (uint16_t *) (a.before + runs);
    a.begin = a.keys + CT_GROW_MEDIUM;
    a.columns = a.begin + runs;
    return a;
}

/* Bytes of all of them. */
CT_HD size_t ct_medium_warp_bytes(const ct_grow_view *v)
{
    size_t items = CT_GROW_MEDIUM, runs = ct_medium_runs(v) + 1,
           bytes = sizeof(ct_medium_warp) + items * (sizeof(uint32_t) + sizeof(uint16_t)) +
                   runs * (sizeof(uint32_t) + sizeof(uint16_t)) +
                   3 * (size_t) v->table.mtry * sizeof(uint16_t);
    if (!v->table.n_classes) bytes += items * sizeof(int64_t);
    return (bytes + 15) / 16 * 16;
}

/* ---- the node ---- */

/* What the node has in all. One lane. */
CT_HD void ct_medium_describe(const ct_grow_view *v, ct_medium_warp *w, uint32_t weight,
                              int64_t sum)
{
    const ct_medium_arrays a = ct_medium_arrays_of(v, w);
    a.begin[w->n_runs] = (uint16_t) w->n;
    a.before[w->n_runs] = weight;
    w->node.weight = weight;
    w->node.sum = sum;
    w->node.logs = v->table.logs;
    w->node.pair[0] = w->n_runs > 1 ? a.before[1] : weight;
    w->node.pair[1] = weight - w->node.pair[0]; /* where there are two */
    w->node.kind = ct_tally_kind_of(v->table.score, w->n_runs, weight);
    w->best.split.found = 0;
}

/* Weights and runs of the items; for numbers their sum, and whether they are equal. */
CT_HD void ct_medium_load(ct_lanes lanes, const ct_grow_view *v, ct_medium_warp *w,
                          const ct_grow_item *items, uint32_t n)
{
    CT_ASSERT(n > 0 && n <= CT_GROW_MEDIUM);
    const ct_medium_arrays a = ct_medium_arrays_of(v, w);
    const int32_t first = a.values ? v->table.quantised[items[0].row] : 0;
    uint32_t weight = 0, n_runs = 0, differ = 0, total;
    int64_t sum = 0, sum_total;
    ct_lanes_sync(lanes);
    for (uint32_t start = 0; start < n; start += lanes.width) {
        const uint32_t i = start + lanes.lane;
        uint32_t own = 0, begins = 0;
        int64_t value = 0;
        if (i < n) {
            const ct_grow_item item = items[i];
            own = a.weights[i] = ct_item_weight(item);
            begins = i == 0 || ct_item_class(items[i - 1]) != ct_item_class(item);
            if (a.values) {
                const int32_t quantised = v->table.quantised[item.row];
                value = a.values[i] = (int64_t) quantised * own;
                differ |= quantised != first;
            }
        }
        const uint32_t before = ct_lanes_scan(lanes, own, &total),
                       heads = ct_lanes_ballot(lanes, (int) begins);
        const uint32_t run = n_runs + ct_hd_popcount(heads & ((1u << lanes.lane) - 1));
        if (begins) a.begin[run] = (uint16_t) i;
        if (begins) a.before[run] = weight + before;
        n_runs += ct_hd_popcount(heads);
        weight += total;
        if (!a.values) continue;
        (void) ct_lanes_scan_64(lanes, value, &sum_total);
        sum += sum_total;
    }
    differ = ct_lanes_ballot(lanes, (int) differ);
    ct_lanes_sync(lanes);
    if (lanes.lane == 0) {
        w->items = items;
        w->n = n;
        w->n_runs = n_runs;
        w->equal = a.values && !differ;
        ct_medium_describe(v, w, weight, sum);
    }
    ct_lanes_sync(lanes);
}

/* Codes of a column as keys; whether some are missing. */
CT_HD uint32_t ct_medium_keys(ct_lanes lanes, const ct_grow_view *v, const ct_medium_warp *w,
                              uint32_t column)
{
    CT_ASSERT(column < v->table.n_cols);
    uint16_t *keys = ct_medium_arrays_of(v, w).keys;
    uint32_t missing = 0;
    ct_lanes_sync(lanes);
    for (uint32_t i = lanes.lane; i < w->n; i += lanes.width) {
        keys[i] = ct_grow_code(v, w->items[i].row, column);
        missing |= keys[i] == CT_CODE_MISSING;
    }
    ct_lanes_sync(lanes);
    return v->table.columns[column].has_missing && ct_lanes_ballot(lanes, (int) missing) != 0;
}

/* What is left of a cut: items whose key, raised, is at most `most`. One lane; keys are the same
 * for all. */
CT_HD ct_tally ct_medium_left(const ct_grow_view *v, const ct_medium_warp *w,
                              const ct_tally_node *node, uint32_t raise, uint32_t most)
{
    const ct_medium_arrays a = ct_medium_arrays_of(v, w);
    ct_tally t;
    ct_tally_begin(&t);
    if (a.values) {
        for (uint32_t i = 0; i < w->n; i++)
            if ((uint16_t) (a.keys[i] + raise) <= most)
                ct_tally_add_sum(&t, a.weights[i], a.values[i]);
        return t;
    }
    for (uint32_t run = 0, i = 0; run < w->n_runs; run++) {
        const uint32_t end = a.begin[run + 1];
        uint32_t left = 0;
        for (; i < end; i++) left += (uint16_t) (a.keys[i] + raise) <= most ? a.weights[i] : 0;
        ct_tally_add(node, &t, run, left, a.before[run + 1] - a.before[run]);
    }
    return t;
}

/* The tally of the left side where keys are levels, of which those in `set` are left. */
CT_HD ct_tally ct_medium_left_of_set(const ct_grow_view *v, const ct_medium_warp *w,
                                     const ct_tally_node *node, uint32_t set)
{
    const ct_medium_arrays a = ct_medium_arrays_of(v, w);
    ct_tally t;
    ct_tally_begin(&t);
    for (uint32_t run = 0, i = 0; run < w->n_runs; run++) {
        const uint32_t end = a.begin[run + 1];
        uint32_t left = 0;
        for (; i < end; i++) {
            if (!(set >> a.keys[i] & 1)) continue;
            left += a.weights[i];
            if (a.values) ct_tally_add_sum(&t, a.weights[i], a.values[i]);
        }
        if (!a.values) ct_tally_add(node, &t, run, left, a.before[run + 1] - a.before[run]);
    }
    return t;
}

/* The lowest and the highest code, of keys that are codes; more than it if all are missing. */
CT_HD uint32_t ct_medium_range(ct_lanes lanes, const ct_grow_view *v, const ct_medium_warp *w,
                               uint32_t *high)
{
    const uint16_t *keys = ct_medium_arrays_of(v, w).keys;
    uint32_t least = CT_CODE_MISSING, most = 0;
    for (uint32_t i = lanes.lane; i < w->n; i += lanes.width) {
        const uint32_t code = keys[i];
        if (code == CT_CODE_MISSING) continue;
        if (code < least) least = code;
        if (code > most) most = code;
    }
    *high = ct_lanes_max(lanes, most);
    return ct_lanes_min(lanes, least);
}

/* ---- the best so far ---- */

/* What all lanes have found becomes the best: all of them, whatever they return of it. */
CT_HD void ct_medium_take(ct_lanes lanes, ct_medium_warp *w, double score,
                          const ct_grow_split *split)
{
    ct_lanes_sync(lanes);
    if (lanes.lane == 0) {
        w->best.score = score;
        w->best.split = *split;
    }
    ct_lanes_sync(lanes);
}

CT_HD ct_grow_split ct_medium_split(uint32_t column, uint32_t cut, uint32_t missing,
                                    uint32_t missing_left)
{
    ct_grow_split split;
    memset(&split, 0, sizeof split);
    split.found = 1;
    split.column = (uint16_t) column;
    split.cut = (uint16_t) cut;
    split.knows_missing = (uint8_t) missing;
    split.missing_left = (uint8_t) missing_left;
    return split;
}

/* A number below n, drawn by one lane. */
CT_HD uint32_t ct_medium_below(ct_lanes lanes, ct_medium_warp *w, uint32_t n)
{
    CT_ASSERT(n > 0);
    uint32_t number = lanes.lane == 0 ? ct_rng_below(&w->cuts, n) : 0;
    return ct_lanes_read(lanes, number, 0);
}

/* ---- levels without an order ---- */

/* Levels as keys, missing values as CT_HIST_SET_LEVELS; returns those that rows have, as bits. */
CT_HD uint32_t ct_medium_levels(ct_lanes lanes, const ct_grow_view *v, const ct_medium_warp *w,
                                uint32_t column)
{
    uint16_t *keys = ct_medium_arrays_of(v, w).keys;
    uint32_t present = 0;
    (void) ct_medium_keys(lanes, v, w, column);
    for (uint32_t i = lanes.lane; i < w->n; i += lanes.width) {
        if (keys[i] > CT_HIST_SET_LEVELS) keys[i] = CT_HIST_SET_LEVELS;
        present |= 1u << keys[i];
    }
    for (uint32_t step = lanes.width / 2; step; step /= 2)
        present |= ct_lanes_exchange(lanes, present, step);
    ct_lanes_sync(lanes);
    return present;
}

/* Sets in rising order, each with missing values right, then left, or one of them at random. */
CT_HD void ct_medium_set(ct_lanes lanes, const ct_grow_view *v, ct_medium_warp *w, uint32_t column)
{
    const uint32_t present = ct_medium_levels(lanes, v, w, column), levels =
        present & CT_HIST_SET_ALL,
                   missing = present >> CT_HIST_SET_LEVELS, top = levels & (levels - 1);
    uint32_t drawn = 0;
    ct_tally_node node = w->node;
    ct_found found = ct_found_none();
    if (v->table.at_random) {
        if (!top) return;
        drawn = ct_random_subset(
            top, 1 + ct_medium_below(lanes, w, (1u << ct_hd_popcount(top)) - 1));
    }
    node.kind = ct_tally_set_kind(node.kind, v->table.at_random, w->n_runs, node.weight);
    for (uint32_t i = lanes.lane; i < 2u << CT_HIST_SET_LEVELS; i += lanes.width) {
        const uint32_t set = i / 2, side = i % 2;
        if (set & ~top || side > missing || (drawn && set != drawn)) continue;
        const ct_tally t = ct_medium_left_of_set(v, w, &node, set | side << CT_HIST_SET_LEVELS);
        ct_found_add(&found, ct_tally_end(&node, &t), i);
    }
    found = ct_lanes_best(lanes, found);
    if (!(found.score > w->best.score)) return;
    ct_grow_split split = ct_medium_split(column, found.order / 2, missing, found.order % 2);
    split.is_set = 1;
    split.absent = (uint16_t) (~levels & CT_HIST_SET_ALL);
    ct_medium_take(lanes, w, found.score, &split);
}

/* ---- codes in their order ---- */

CT_HD int ct_medium_is_small(const ct_medium_warp *w)
{
    return w->n <= CT_SMALL_ROWS && w->node.weight <= CT_SMALL_WEIGHT;
}

/* The cut in the middle between the codes up to `last` and those above. */
CT_HD uint32_t ct_medium_middle(ct_lanes lanes, const ct_grow_view *v, const ct_medium_warp *w,
                                uint32_t column, uint32_t last)
{
    const uint16_t *keys = ct_medium_arrays_of(v, w).keys;
    uint32_t below = 0, above = CT_CODE_MISSING;
    for (uint32_t i = lanes.lane; i < w->n; i += lanes.width) {
        const uint32_t code = keys[i];
        if (code <= last && code > below) below = code;
        if (code > last && code < above) above = code;
    }
    below = ct_lanes_max(lanes, below);
    above = ct_lanes_min(lanes, above);
    return above == CT_CODE_MISSING ? v->table.columns[column].n_codes : (below + above + 1) / 2;
}

/* Cuts by the highest code on the left. */
CT_HD void ct_medium_ordered(ct_lanes lanes, const ct_grow_view *v, ct_medium_warp *w,
                             uint32_t column)
{
    const uint32_t missing = ct_medium_keys(lanes, v, w, column);
    const int is_small = ct_medium_is_small(w);
    const uint16_t *keys = ct_medium_arrays_of(v, w).keys;
    ct_tally_node node = w->node;
    uint32_t low = 0, high = 0;
    if (is_small) node.kind = ct_tally_small_kind(node.kind);
    else low = ct_medium_range(lanes, v, w, &high);
    const ct_medium_bins bins = ct_medium_bins_of(low < high ? low : high, high, w->n);
    const uint32_t n_cuts = is_small ? w->n : ct_medium_most(w->n);
    for (uint32_t raise = 0; raise <= missing; raise++) {
        double least = w->best.score;
        if (is_small && node.kind < CT_TALLY_ENTROPY) least = (float) least;
        ct_found found = ct_found_none();
        for (uint32_t i = lanes.lane; i < n_cuts; i += lanes.width) {
            uint32_t last = is_small ? keys[i] : ct_medium_last(&bins, i);
            if (!is_small && last > high) last = high;
            const ct_tally t = ct_medium_left(v, w, &node, raise, last + raise);
            ct_found_add(&found, ct_tally_end(&node, &t), last);
        }
        found = ct_lanes_best(lanes, found);
        if (!(found.score > least)) continue;
        const uint32_t cut = ct_medium_middle(lanes, v, w, column, found.order);
        const ct_grow_split split = ct_medium_split(column, cut, missing, raise);
        ct_medium_take(lanes, w, found.score, &split);
    }
}

/* ---- cuts at random ---- */

CT_HD void ct_medium_random(ct_lanes lanes, const ct_grow_view *v, ct_medium_warp *w,
                            uint32_t column)
{
    const uint32_t missing = ct_medium_keys(lanes, v, w, column);
    uint32_t high;
    const uint32_t low = ct_medium_range(lanes, v, w, &high);
    ct_tally_node node = w->node;
    node.kind = ct_tally_random_kind(node.kind);
    if (low >= high) return;
    const uint32_t cut = low + 1 + ct_medium_below(lanes, w, high - low);
    for (uint32_t raise = 0; raise <= missing; raise++) {
        const ct_tally t = ct_medium_left(v, w, &node, raise, cut - 1 + raise);
        const double score = ct_tally_end(&node, &t);
        const ct_grow_split split = ct_medium_split(column, cut, missing, raise);
        if (score > w->best.score) ct_medium_take(lanes, w, score, &split);
    }
}

/* ---- the best split ---- */

CT_HD void ct_medium_candidate(ct_lanes lanes, const ct_grow_view *v, ct_medium_warp *w,
                               uint32_t column)
{
    if (v->table.columns[column].is_set) ct_medium_set(lanes, v, w, column);
    else if (v->table.at_random) ct_medium_random(lanes, v, w, column);
    else ct_medium_ordered(lanes, v, w, column);
}

/* Candidates are drawn by the path `drawn`, and looked at in that order. Where bins are looked at,
 * they go by groups of up to CT_LANES that have an order, and sets that are drawn among these come
 * before them, as the CPU has it. */
CT_HD void ct_medium_search(ct_lanes lanes, const ct_grow_view *v, ct_medium_warp *w, uint32_t tree,
                            uint64_t path, uint64_t drawn)
{
    const uint16_t *columns = ct_medium_arrays_of(v, w).columns;
    const int by_groups = !v->table.at_random && !ct_medium_is_small(w);
    if (lanes.lane == 0) {
        w->best.score = -1;
        if (v->table.at_random)
            w->cuts = ct_rng_of(v->table.seed, v->batch.first_tree + tree,
                                ct_rng_path(path, CT_CUTS_PATH));
    }
    ct_draw_candidates(lanes, v, tree, drawn, ct_medium_arrays_of(v, w).columns);
    for (uint32_t begin = 0, end; begin < v->table.mtry; begin = end) {
        uint32_t ordered = 0;
        for (end = begin; end < v->table.mtry && ordered < CT_LANES; end++)
            ordered += !v->table.columns[columns[end]].is_set;
        for (uint32_t pass = by_groups ? 0 : 1; pass < 2; pass++)
            for (uint32_t i = begin; i < end; i++)
                if (!by_groups || (v->table.columns[columns[i]].is_set != 0) == (pass == 0))
                    ct_medium_candidate(lanes, v, w, columns[i]);
    }
}

#endif
