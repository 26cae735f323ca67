#include "search/depth2.h"

#include <string.h>

/* Scratch of one solve. Errors are in rows, costs as everywhere else. */
typedef struct {
    ct_scan scan;
    ct_threshold threshold;
    int32_t *zeros;        /* [n_cols] bounds of the points at the ends */
    uint32_t *active;      /* [class] */
    uint8_t *done;         /* [n_cols] child features dealt with at this threshold */
    int32_t dropped[2];    /* errors of any split that uses a class which was not counted are at least this */
    int64_t cost[2];       /* least known cost of each side, or its cap if that is less */
} depth2;

/* The least number of errors that a split must stay below so that split_cost + errors is below `cost`. */
static int32_t need_below(const ct_worker *worker, int64_t cost)
{
    int64_t room = cost - worker->search->split_cost, unit = (int64_t) 1 << worker->search->unit_shift;
    return room <= 0 ? 0 : (int32_t) ((room + unit - 1) >> worker->search->unit_shift);
}

/* Rows of the largest class other than c. */
static uint32_t largest_other(const uint32_t *totals, uint32_t n_classes, uint32_t c)
{
    uint32_t largest = 0;
    for (uint32_t i = 0; i < n_classes; i++)
        if (i != c && totals[i] > largest) largest = totals[i];
    return largest;
}

/* A split labels its two leaves with two classes, and is wrong on all rows of the others. So class c can be one of them
 * in a split with fewer than `need` errors only if T_c + (the largest other) > size - need. The classes that can, in a
 * wanted side, are counted; what the others can do at best bounds every answer from below. */
static void choose_active(const ct_worker *worker, const ct_roots *roots, depth2 *d)
{
    uint32_t n_classes = roots->node->box->n_classes, n_active = 0;
    d->dropped[0] = d->dropped[1] = INT32_MAX;
    for (uint32_t c = 0; c < n_classes; c++) {
        int64_t reach[2];
        int wanted = n_classes == 2 || !ct_uses(worker, CT_SHORTCUT_ACTIVE_CLASSES);
        for (int side = 0; side < 2; side++) {
            const uint32_t *totals = roots->totals[side];
            reach[side] = (int64_t) d->scan.size[side] - totals[c] -
                          (n_classes == 2 ? totals[1 - c] : largest_other(totals, n_classes, c));
            if (reach[side] < d->scan.need[side]) wanted = 1;
        }
        if (wanted) d->active[n_active++] = c;
        for (int side = 0; side < 2 && !wanted; side++)
            if (reach[side] < d->dropped[side]) d->dropped[side] = (int32_t) reach[side];
    }
    d->scan.n_active = n_active;
}

/* Scans child feature g if a side can still gain from it; keeps the bounds in m->errors. */
static void try_child(ct_roots *roots, depth2 *d, uint32_t f, uint32_t g, ct_point *m)
{
    ct_worker *worker = roots->worker;
    const ct_node *node = roots->node;
    ct_container *box = node->box;
    ct_scan *scan = &d->scan;
    int32_t wanted[2];
    int any = 0;
    for (int side = 0; side < 2; side++) {
        wanted[side] = need_below(worker, d->cost[side]);
        if (m->errors[side][g] >= wanted[side] && ct_uses(worker, CT_SHORTCUT_CHILD_FEATURES)) wanted[side] = 0;
        any |= wanted[side] > 0;
    }
    if (!any) {
        worker->statistics.skipped_children++;
        return;
    }
    if (wanted[0] != scan->need[0] || wanted[1] != scan->need[1]) {
        scan->need[0] = wanted[0];
        scan->need[1] = wanted[1];
        choose_active(worker, roots, d);
    }
    if (scan->n_active >= 2) {
        scan->planes = ct_container_planes(worker, box, f, g);
        scan->sets = ct_node_sets(node, g);
        scan->lanes = ct_node_lanes(node, g);
        scan->ties = box->ties[g];
        scan->begin = node->begin[g];
        scan->end = node->end[g];
        worker->search->kernels->scan[node->wide](scan);
        worker->statistics.scans++;
        worker->statistics.refined += scan->refined;
    } else {
        scan->error[0] = scan->error[1] = INT32_MAX;
    }
    for (int side = 0; side < 2; side++) {
        if (!wanted[side]) continue;
        int32_t error = scan->error[side];
        if (error < wanted[side]) {
            d->cost[side] = worker->search->split_cost + ct_rows_cost(worker, error);
            m->best_child[side] = (int32_t) g;
        }
        if (error > d->dropped[side]) error = d->dropped[side];
        if (error > m->errors[side][g]) m->errors[side][g] = error;
    }
}

/* First the child features that won at the neighbours: they bring the costs down. */
static void try_children(ct_roots *roots, depth2 *d, uint32_t f, const ct_point *a, const ct_point *b, ct_point *m)
{
    uint32_t n_cols = roots->node->box->n_cols;
    const int32_t winners[4] = {a->best_child[0], b->best_child[0], a->best_child[1], b->best_child[1]};
    memset(d->done, 0, n_cols);
    for (int i = 0; i < 4; i++) {
        if (winners[i] < 0 || d->done[winners[i]]) continue;
        d->done[winners[i]] = 1;
        try_child(roots, d, f, (uint32_t) winners[i], m);
    }
    for (uint32_t g = 0; g < n_cols; g++)
        if (!d->done[g]) try_child(roots, d, f, g, m);
}

/* Bounds of every child feature's errors at m from its neighbours. Facts M and Lip hold for each feature apart, over
 * the splits that are legal in the node; a scan looks at all of these, also where they do not separate the side. */
static void bounds_from_neighbours(ct_roots *roots, const ct_point *a, const ct_point *b, ct_point *m)
{
    int32_t to_a = (int32_t) (m->n_left - a->n_left), to_b = (int32_t) (b->n_left - m->n_left);
    for (uint32_t g = 0; g < roots->node->box->n_cols; g++) {
        int32_t left = b->errors[0][g] - to_b, right = a->errors[1][g] - to_a;
        m->errors[0][g] = a->errors[0][g] > left ? a->errors[0][g] : left;
        m->errors[1][g] = b->errors[1][g] > right ? b->errors[1][g] : right;
    }
}

/* Raises the bounds of all child features of one side to `errors`. */
static void raise_errors(int32_t *bounds, uint32_t n, int32_t errors)
{
    for (uint32_t g = 0; g < n; g++)
        if (bounds[g] < errors) bounds[g] = errors;
}

static int32_t least_error(const int32_t *errors, uint32_t n)
{
    int32_t least = INT32_MAX;
    for (uint32_t g = 0; g < n; g++)
        if (errors[g] < least) least = errors[g];
    return least;
}

/* Class counts and neighbours alone: sets m->lower and raises the errors to what they prove. 1 if m is closed. */
static int close_by_counts(ct_roots *roots, const ct_point *a, const ct_point *b, ct_point *m, const uint32_t *size)
{
    ct_worker *worker = roots->worker;
    uint32_t n_cols = roots->node->box->n_cols, n_classes = roots->node->box->n_classes;
    if (n_classes <= 2 || !ct_uses(worker, CT_SHORTCUT_CLASS_COUNTS)) return 0;
    for (int side = 0; side < 2; side++) {
        int64_t counts = ct_class_count_bound(worker, roots->totals[side], n_classes, size[side], 1);
        m->lower[side] = ct_larger_cost(counts, ct_between(worker, a, b, m->n_left, side));
        /* A split is a tree of depth one: at least the side's bound, less what it pays for itself. */
        raise_errors(m->errors[side], n_cols, need_below(worker, m->lower[side]));
    }
    return ct_point_total(worker, m) >= roots->best - roots->task->gap;
}

static int64_t evaluate(ct_roots *roots, uint32_t f, const ct_point *a, const ct_point *b, ct_point *m)
{
    ct_worker *worker = roots->worker;
    const ct_container *box = roots->node->box;
    depth2 *d = (depth2 *) roots->extra;
    const uint32_t size[2] = {m->n_left, roots->node->n_rows - m->n_left};
    worker->statistics.thresholds2++;
    m->best_child[0] = m->best_child[1] = -1;
    bounds_from_neighbours(roots, a, b, m);
    if (close_by_counts(roots, a, b, m, size)) {
        m->best_child[0] = a->best_child[0];
        m->best_child[1] = b->best_child[1];
        worker->statistics.closed_counts++;
        return INT64_MAX;
    }
    /* A side matters only up to what closes the interval towards the other neighbour: with l(m) >= best - split cost -
     * r(b) everything between m and b is closed, and the total of m itself is no improvement since r(m) >= r(b). */
    int64_t leaf[2], known[2] = {b->lower[1], a->lower[0]}, upper = worker->search->split_cost;
    for (int side = 0; side < 2; side++) {
        leaf[side] = ct_rows_cost(worker, ct_leaf_errors(roots->totals[side], box->n_classes, size[side]));
        d->cost[side] = leaf[side];
        if (ct_uses(worker, CT_SHORTCUT_CAPS))
            d->cost[side] = ct_smaller_cost(leaf[side], roots->best - roots->task->gap - worker->search->split_cost - known[side]);
        d->scan.size[side] = size[side];
        d->scan.need[side] = -1;
    }
    d->threshold = ct_threshold_make(m->threshold, box->n_planes[f]);
    try_children(roots, d, f, a, b, m);
    ct_worker_poll(worker, (uint64_t) box->n_cols * roots->node->n_rows);

    for (int side = 0; side < 2; side++) {
        int64_t split = worker->search->split_cost + ct_rows_cost(worker, least_error(m->errors[side], box->n_cols));
        m->lower[side] = ct_smaller_cost(leaf[side], split);
        upper += m->best_child[side] >= 0 ? d->cost[side] : leaf[side];
    }
    return upper;
}

static ct_point *new_point(ct_roots *roots)
{
    uint32_t n_cols = roots->node->box->n_cols;
    ct_point *point = CT_ARENA_NEW(&roots->worker->arena, ct_point, 1);
    int32_t *errors = CT_ARENA_NEW(&roots->worker->arena, int32_t, 2 * (size_t) n_cols);
    if (!point || !errors) return NULL;
    memset(point, 0, sizeof *point);
    point->errors[0] = errors;
    point->errors[1] = errors + n_cols;
    return point;
}

ct_bounds ct_depth2_solve(ct_worker *worker, const ct_node *node, const ct_task *task, int64_t *floors,
                          ct_split_code *tree)
{
    const ct_container *box = node->box;
    ct_arena *arena = &worker->arena;
    ct_arena_mark mark = ct_arena_here(arena);
    depth2 *d = CT_ARENA_ZEROED(arena, depth2, 1);
    int32_t *zeros = CT_ARENA_ZEROED(arena, int32_t, box->n_cols);
    uint32_t *totals = CT_ARENA_NEW(arena, uint32_t, 3 * (size_t) box->n_classes);
    uint8_t *done = CT_ARENA_NEW(arena, uint8_t, box->n_cols);
    uint64_t *scratch = CT_ARENA_NEW(arena, uint64_t, ct_scan_scratch(box->words, box->n_classes));
    ct_bounds bounds = {0, ct_rows_cost(worker, node->leaf_errors)};
    if (!d || !zeros || !totals || !done || !scratch) {
        ct_worker_stop(worker, CT_END_MEMORY);
        tree[0] = CT_LEAF_CODE;
        return bounds;
    }
    ct_roots roots = {0};
    roots.worker = worker;
    roots.node = node;
    roots.task = task;
    roots.floors = floors;
    roots.tree = tree;
    roots.evaluate = evaluate;
    roots.new_point = new_point;
    roots.extra = d;
    for (int side = 0; side < 2; side++) {
        roots.totals[side] = totals + (size_t) side * box->n_classes;
        d->scan.totals[side] = roots.totals[side];
        for (int end = 0; end < 2; end++) {
            roots.ends[end].errors[side] = zeros;
            roots.ends[end].best_child[side] = -1;
        }
    }
    d->active = totals + 2 * (size_t) box->n_classes;
    d->done = done;
    d->scan.threshold = &d->threshold;
    d->scan.words = box->words;
    d->scan.n_classes = box->n_classes;
    d->scan.active = d->active;
    d->scan.refine_all = !ct_uses(worker, CT_SHORTCUT_BLOCKS);
    d->scan.scratch = scratch;
    worker->statistics.depth2++;
    bounds = ct_roots_search(&roots);
    ct_arena_release(arena, mark);
    return bounds;
}
