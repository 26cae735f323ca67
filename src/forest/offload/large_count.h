/* Histograms of large nodes on a device, of bins or of the sides of a cut.
 *
 * The warps of a block count a node's items, which lie together, in private copies of a histogram,
 * class after class; the copies are added up, summed over the bins, and each bin's tally takes in
 * one class after the other, so that the memory does not grow with the classes. */
#ifndef CT_FOREST_OFFLOAD_LARGE_COUNT_H
#define CT_FOREST_OFFLOAD_LARGE_COUNT_H

#include "forest/offload/nodes_body.h"
#include "forest/offload/tally.h"

enum {
    CT_LARGE_SLOTS = CT_HIST_BIN_ROWS,
    CT_LARGE_LAST = CT_HIST_BIN_ROWS - 1, /* of missing values, or of what is left of a cut */
    CT_LARGE_ROWS = 32,                   /* histograms of one class, of all copies, at most */
    CT_LARGE_COPIES = 8,
    CT_LARGE_NONE = 255              /* no bin */
};

/* Memory of a block. */
typedef struct {
    int64_t sums[CT_LARGE_COPIES][CT_LARGE_SLOTS]; /* numbers; first, for its alignment */
    uint32_t weights[CT_LARGE_COPIES][CT_LARGE_SLOTS];
} ct_large_numbers;

typedef struct {
    ct_tally tally[2][CT_LARGE_SLOTS];       /* without those of the last slot, and with them */
    uint32_t levels[CT_HIST_SET_LEVELS + 1]; /* weights */
    uint32_t run_begin[CT_HIST_CLASSES + 1], run_weight[CT_HIST_CLASSES];
    uint8_t run_of[CT_HIST_CLASSES]; /* [class] */
    uint32_t n_runs;
    union {
        ct_large_numbers numbers;
        uint32_t classes[CT_LARGE_ROWS][CT_LARGE_SLOTS]; /* [copy][run], fewer rows where ... */
    } histograms;
} ct_large_shared;

/* Large nodes of few classes. */
CT_HD uint32_t ct_large_rows(const ct_grow_view *v)
{
    return v->table.n_classes > 2 ? (uint32_t) CT_LARGE_ROWS : 2 * CT_LARGE_COPIES;
}

CT_HD size_t ct_large_bytes(const ct_grow_view *v)
{
    const ct_large_shared *s = NULL;
    (void) s; /* nvcc does not count sizeof */
    return sizeof *s - sizeof s->histograms +
           (v->table.n_classes ? ct_large_rows(v) * sizeof s->histograms.classes[0]
                               : sizeof s->histograms.numbers);
}

/* ---- a node's classes ---- */

/* Classes that the node's items have, in order. */
CT_HD void ct_large_runs(ct_group g, const ct_grow_view *v, ct_large_shared *s, uint32_t task)
{
    CT_ASSERT(task < v->batch.n_large);
    const ct_grow_task *t = v->batch.now.tasks + task;
    if (g.warp == 0 && v->table.n_classes) {
        const ct_grow_count *classes =
            v->batch.now.classes + (size_t) task * v->table.n_classes;
        uint32_t n_runs = 0, begin = 0;
        for (uint32_t start = 0; start < v->table.n_classes; start += g.lanes.width) {
            const uint32_t k = start + g.lanes.lane;
            const uint32_t n = k < v->table.n_classes ? classes[k].n : 0;
            uint32_t runs, rows, run = ct_lanes_scan(g.lanes, n > 0, &runs),
                                 before = ct_lanes_scan(g.lanes, n, &rows);
            if (n) {
                s->run_of[k] = (uint8_t) (n_runs + run);
                s->run_begin[n_runs + run] = begin + before;
                s->run_weight[n_runs + run] = classes[k].weight;
            }
            n_runs += runs;
            begin += rows;
        }
        if (g.lanes.lane == 0) s->n_runs = n_runs;
        if (g.lanes.lane == 0) s->run_begin[n_runs] = begin;
    } else if (g.thread == 0) {
        s->n_runs = 1;
        s->run_of[0] = 0;
        s->run_begin[0] = 0;
        s->run_begin[1] = t->n;
        s->run_weight[0] = t->weight;
    }
    ct_group_sync(g);
}

CT_HD ct_tally_node ct_large_node(const ct_grow_view *v, const ct_large_shared *s, uint32_t task)
{
    ct_tally_node node;
    node.weight = v->batch.now.tasks[task].weight;
    node.kind = ct_tally_kind_of(v->table.score, s->n_runs, node.weight);
    node.pair[0] = s->run_weight[0];
    node.pair[1] = s->n_runs > 1 ? s->run_weight[1] : 0;
    node.sum = v->batch.now.sums[task];
    node.logs = v->table.logs;
    return node;
}

/* ---- histograms ---- */

/* What is counted of a column: bins, or, in the last slot, codes that are left of a cut. */
typedef struct {
    uint32_t column, cut; /* 0: bins */
    uint32_t raise;       /* of codes and the cut, 1 where missing values go left */
    uint32_t levels;      /* bins are levels without an order */
} ct_large_slots;

/* CT_LARGE_SLOTS: none. */
CT_HD uint32_t ct_large_slot(const ct_grow_view *v, const ct_large_slots *slots, uint32_t row)
{
    CT_ASSERT(row < v->table.n_rows && slots->column < v->table.n_cols);
    if (!slots->cut) return v->table.bins[(size_t) slots->column * v->table.n_rows + row];
    const uint32_t code = (uint16_t) (ct_grow_code(v, row, slots->column) + slots->raise);
    return code < slots->cut + slots->raise ? CT_LARGE_LAST : CT_LARGE_SLOTS;
}

/* Copies of the histograms of n_runs runs, one for some warps each; and how many runs at a time
 * have room. */
CT_HD uint32_t ct_large_copies(ct_group g, const ct_grow_view *v, uint32_t n_runs)
{
    uint32_t copies = g.n_warps < CT_LARGE_COPIES ? g.n_warps : (uint32_t) CT_LARGE_COPIES;
    while (copies > 1 && copies * n_runs > ct_large_rows(v)) copies /= 2;
    return copies;
}

/* Counts the items of runs from..from + n - 1 into copies of n histograms each. */
CT_HD void ct_large_fill(ct_group g, const ct_grow_view *v, ct_large_shared *s,
                         const ct_large_slots *slots, uint32_t task, uint32_t from, uint32_t n,
                         uint32_t copies)
{
    const ct_grow_task *t = v->batch.now.tasks + task;
    const ct_grow_item *items = ct_grow_items(v, t->tree, v->batch.side) + t->begin;
    const uint32_t copy = g.warp % copies, end = s->run_begin[from + n];
    ct_large_numbers *numbers = &s->histograms.numbers;
    for (uint32_t i = s->run_begin[from] + g.thread; i < end; i += g.width) {
        const ct_grow_item item = items[i];
        const uint32_t slot = ct_large_slot(v, slots, item.row), weight = ct_item_weight(item);
        if (slot == CT_LARGE_SLOTS) continue;
        if (v->table.n_classes) {
            const uint32_t run = s->run_of[ct_item_class(item)] - from;
            ct_shared_add(&s->histograms.classes[copy * n + run][slot], weight);
        } else {
            ct_shared_add(&numbers->weights[copy][slot], weight);
            ct_shared_add_64(&numbers->sums[copy][slot],
                             (int64_t) v->table.quantised[item.row] * weight);
        }
    }
}

CT_HD void ct_large_clear(ct_group g, const ct_grow_view *v, ct_large_shared *s, uint32_t rows)
{
    uint32_t *cells = v->table.n_classes ? s->histograms.classes[0]
                                         : s->histograms.numbers.weights[0];
    int64_t *sums = s->histograms.numbers.sums[0];
    for (uint32_t i = g.thread; i < rows * CT_LARGE_SLOTS; i += g.width) {
        cells[i] = 0;
        if (!v->table.n_classes) sums[i] = 0;
    }
    ct_group_sync(g);
}

/* Adds the copies of a histogram up, and sums over the slots but the last unless they are levels. A
 * warp. */
CT_HD void ct_large_sum(ct_lanes lanes, uint32_t *cells, uint32_t step, uint32_t copies,
                        uint32_t levels)
{
    CT_ASSERT(copies > 0 && copies <= CT_LARGE_COPIES);
    uint32_t sum = 0, total;
    for (uint32_t start = 0; start < CT_LARGE_SLOTS; start += lanes.width) {
        const uint32_t slot = start + lanes.lane;
        uint32_t own = 0;
        for (uint32_t copy = 0; copy < copies; copy++) own += cells[copy * step + slot];
        const uint32_t before = ct_lanes_scan(lanes, slot < CT_LARGE_LAST ? own : 0, &total);
        cells[slot] = levels || slot == CT_LARGE_LAST ? own : sum + before + own;
        sum += total;
    }
}

CT_HD void ct_large_sum_64(ct_lanes lanes, int64_t *cells, uint32_t copies, uint32_t levels)
{
    CT_ASSERT(copies > 0 && copies <= CT_LARGE_COPIES);
    int64_t sum = 0, total;
    for (uint32_t start = 0; start < CT_LARGE_SLOTS; start += lanes.width) {
        const uint32_t slot = start + lanes.lane;
        int64_t own = 0;
        for (uint32_t copy = 0; copy < copies; copy++) own += cells[copy * CT_LARGE_SLOTS + slot];
        const int64_t before = ct_lanes_scan_64(lanes, slot < CT_LARGE_LAST ? own : 0, &total);
        cells[slot] = levels || slot == CT_LARGE_LAST ? own : sum + before + own;
        sum += total;
    }
}

/* ---- tallies ---- */

/* What is left of border `slot`, without those of the last slot and with them. */
CT_HD void ct_large_fold_border(const ct_large_shared *s, const ct_tally_node *node,
                                uint32_t from, uint32_t n, uint32_t slot, ct_tally tally[2])
{
    const ct_large_numbers *numbers = &s->histograms.numbers;
    if (node->kind == CT_TALLY_SUMS) {
        const uint32_t weight = numbers->weights[0][slot],
                       last = numbers->weights[0][CT_LARGE_LAST];
        const int64_t sum = numbers->sums[0][slot], last_sum = numbers->sums[0][CT_LARGE_LAST];
        ct_tally_add_sum(&tally[0], weight, sum);
        ct_tally_add_sum(&tally[1], weight + last, sum + last_sum);
        return;
    }
    for (uint32_t run = 0; run < n; run++) {
        const uint32_t *cells = s->histograms.classes[run], all = s->run_weight[from + run];
        ct_tally_add(node, &tally[0], from + run, cells[slot], all);
        ct_tally_add(node, &tally[1], from + run, cells[slot] + cells[CT_LARGE_LAST], all);
    }
}

/* What is left where the levels of `set` are, and then missing values too. */
CT_HD void ct_large_fold_set(const ct_large_shared *s, const ct_tally_node *node, uint32_t from,
                             uint32_t n, uint32_t set, ct_tally tally[2])
{
    const ct_large_numbers *numbers = &s->histograms.numbers;
    const int is_sum = node->kind == CT_TALLY_SUMS;
    for (uint32_t run = 0; run < n; run++) {
        const uint32_t *cells = is_sum ? numbers->weights[0] : s->histograms.classes[run];
        uint32_t left = 0;
        int64_t sum = 0;
        for (uint32_t level = 0; level < CT_HIST_SET_LEVELS; level++) {
            if (!(set >> level & 1)) continue;
            left += cells[level];
            if (is_sum) sum += numbers->sums[0][level];
        }
        if (is_sum) {
            ct_tally_add_sum(&tally[0], left, sum);
            ct_tally_add_sum(&tally[1], left + cells[CT_LARGE_LAST],
                             sum + numbers->sums[0][CT_LARGE_LAST]);
        } else {
            const uint32_t all = s->run_weight[from + run];
            ct_tally_add(node, &tally[0], from + run, left, all);
            ct_tally_add(node, &tally[1], from + run, left + cells[CT_LARGE_LAST], all);
        }
    }
}

/* A group. */
CT_HD void ct_large_fold(ct_group g, ct_large_shared *s, const ct_large_slots *slots,
                         const ct_tally_node *node, uint32_t from, uint32_t n)
{
    const uint32_t end = slots->levels ? 1u << CT_HIST_SET_LEVELS : (uint32_t) CT_LARGE_LAST;
    for (uint32_t i = g.thread; i < end; i += g.width) {
        ct_tally tally[2] = {s->tally[0][i], s->tally[1][i]};
        if (slots->levels) ct_large_fold_set(s, node, from, n, i, tally);
        else ct_large_fold_border(s, node, from, n, i, tally);
        s->tally[0][i] = tally[0];
        s->tally[1][i] = tally[1];
    }
    for (uint32_t i = g.thread; slots->levels && i <= CT_HIST_SET_LEVELS; i += g.width)
        for (uint32_t run = 0; run < n; run++) {
            const uint32_t *cells = node->kind == CT_TALLY_SUMS ? s->histograms.numbers.weights[0]
                                                                : s->histograms.classes[run];
            s->levels[i] += cells[i < CT_HIST_SET_LEVELS ? i : (uint32_t) CT_LARGE_LAST];
        }
}

/* The tallies of all slots of a column. A group. */
CT_HD void ct_large_count(ct_group g, const ct_grow_view *v, ct_large_shared *s,
                          const ct_large_slots *slots, const ct_tally_node *node, uint32_t task)
{
    const uint32_t is_sum = node->kind == CT_TALLY_SUMS, n_runs = s->n_runs,
                   copies = ct_large_copies(g, v, n_runs), most = ct_large_rows(v) / copies;
    for (uint32_t i = g.thread; i < CT_LARGE_SLOTS; i += g.width) {
        ct_tally_begin(&s->tally[0][i]);
        ct_tally_begin(&s->tally[1][i]);
    }
    for (uint32_t i = g.thread; i <= CT_HIST_SET_LEVELS; i += g.width) s->levels[i] = 0;
    for (uint32_t from = 0; from < n_runs; from += most) {
        const uint32_t n = n_runs - from < most ? n_runs - from : most;
        ct_large_clear(g, v, s, is_sum ? copies : copies * n);
        ct_large_fill(g, v, s, slots, task, from, n, copies);
        ct_group_sync(g);
        if (is_sum) {
            if (g.warp == 0)
                ct_large_sum(g.lanes, s->histograms.numbers.weights[0], CT_LARGE_SLOTS, copies,
                             slots->levels);
            if (g.warp == g.n_warps - 1)
                ct_large_sum_64(g.lanes, s->histograms.numbers.sums[0], copies, slots->levels);
        }
        for (uint32_t run = g.warp; !is_sum && run < n; run += g.n_warps)
            ct_large_sum(g.lanes, s->histograms.classes[run], n * CT_LARGE_SLOTS, copies,
                         slots->levels);
        ct_group_sync(g);
        ct_large_fold(g, s, slots, node, from, n);
        ct_group_sync(g);
    }
}

#endif
