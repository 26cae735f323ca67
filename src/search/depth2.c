#include "search/depth2.h"

#include <string.h>

/* The least number of errors that a split must stay below so that split_cost + errors is below `cost`. */
static int32_t need_below(const ct_worker *worker, int64_t cost)
{
    int64_t room = cost - worker->search->split_cost, unit = (int64_t) 1 << worker->search->unit_shift;
    return room <= 0 ? 0 : (int32_t) ((room + unit - 1) >> worker->search->unit_shift);
}

/* Class counts and neighbours alone: sets m->lower and the floor of all errors of each side. 1 if m is closed. */
static int close_by_counts(ct_roots *roots, const ct_point *a, const ct_point *b, ct_point *m, ct_children *children)
{
    ct_worker *worker = roots->worker;
    uint32_t n_classes = roots->node->box->n_classes;
    if (n_classes <= 2 || !ct_uses(worker, CT_SHORTCUT_CLASS_COUNTS)) return 0;
    for (int side = 0; side < 2; side++) {
        int64_t counts = ct_class_count_bound(worker, roots->totals[side], n_classes, children->size[side], 1);
        m->lower[side] = ct_larger_cost(counts, ct_between(worker, a, b, m->n_left, side));
        /* A split is a tree of depth one: at least the side's bound, less what it pays for itself. */
        children->floor[side] = need_below(worker, m->lower[side]);
    }
    return ct_point_total(worker, m) >= roots->best - roots->task->gap;
}

/* Keeps at m what is known of its children without a scan. */
static void keep_bounds(const ct_children *children, const ct_point *a, const ct_point *b, ct_point *m)
{
    for (int side = 0; side < 2; side++) {
        m->best_child[side] = (side ? b : a)->best_child[side];
        for (uint32_t g = 0; g < children->rows->n_cols; g++) {
            int32_t bound = children->far[side][g] - children->far_rows[side];
            if (bound < children->near[side][g]) bound = children->near[side][g];
            m->errors[side][g] = bound < children->floor[side] ? children->floor[side] : bound;
        }
    }
}

/* Facts M and Lip hold for the errors of each child feature apart, over the splits that are legal in the node; a scan
 * looks at all of these, also where they do not separate the side. The child features that won at the neighbours come
 * first: they bring the errors down. */
static void prepare(ct_roots *roots, const ct_point *a, const ct_point *b, ct_point *m, ct_children *c)
{
    c->size[0] = m->n_left;
    c->size[1] = roots->node->n_rows - m->n_left;
    c->far_rows[0] = (int32_t) (b->n_left - m->n_left);
    c->far_rows[1] = (int32_t) (m->n_left - a->n_left);
    for (int side = 0; side < 2; side++) {
        const ct_point *within = side ? b : a, *around = side ? a : b;
        c->near[side] = within->errors[side];
        c->far[side] = around->errors[side];
        c->errors[side] = m->errors[side];
        c->floor[side] = 0;
        c->first[2 * side] = a->best_child[side];
        c->first[2 * side + 1] = b->best_child[side];
    }
}

static int64_t evaluate(ct_roots *roots, uint32_t f, const ct_point *a, const ct_point *b, ct_point *m)
{
    ct_worker *worker = roots->worker;
    ct_container *box = roots->node->box;
    ct_children *children = (ct_children *) roots->extra;
    worker->statistics.thresholds2++;
    prepare(roots, a, b, m, children);
    if (close_by_counts(roots, a, b, m, children)) {
        keep_bounds(children, a, b, m);
        worker->statistics.closed_counts++;
        return INT64_MAX;
    }
    /* A side matters only up to what closes the interval towards the other neighbour: with l(m) >= best - split cost -
     * r(b) everything between m and b is closed, and the total of m itself is no improvement since r(m) >= r(b). */
    int64_t leaf[2], known[2] = {b->lower[1], a->lower[0]}, upper = worker->search->split_cost;
    int64_t cap = ct_uses(worker, CT_SHORTCUT_CAPS) ? roots->best - roots->task->gap - upper : INT64_MAX / 2;
    for (int side = 0; side < 2; side++) {
        leaf[side] = ct_rows_cost(worker, ct_leaf_errors(roots->totals[side], box->n_classes, children->size[side]));
        children->need[side] = need_below(worker, ct_smaller_cost(leaf[side], cap - known[side]));
        worker->statistics.capped_sides += cap - known[side] < leaf[side];
    }
    children->planes = ct_container_planes(worker, box, f);
    children->threshold = ct_threshold_make(m->threshold, box->n_planes[f]);
    worker->statistics.planes_spared += children->threshold.first;
    worker->search->kernels->children[roots->node->wide](children);
    ct_worker_poll(worker, (uint64_t) box->n_cols * roots->node->n_rows);

    for (int side = 0; side < 2; side++) {
        int64_t split = worker->search->split_cost + ct_rows_cost(worker, children->least[side]);
        m->lower[side] = ct_smaller_cost(leaf[side], split);
        m->best_child[side] = children->best[side];
        upper += children->best[side] >= 0 ? split : leaf[side];
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

/* Sets up what stays the same over a solve; 0 if memory ends. */
static int children_init(ct_children *children, const ct_roots *roots)
{
    const ct_worker *worker = roots->worker;
    const ct_node *node = roots->node;
    ct_arena *arena = &roots->worker->arena;
    memset(children, 0, sizeof *children);
    children->rows = &node->rows;
    children->totals[0] = roots->totals[0];
    children->totals[1] = roots->totals[1];
    children->scan_all = !ct_uses(worker, CT_SHORTCUT_CHILD_FEATURES);
    children->refine_all = !ct_uses(worker, CT_SHORTCUT_BLOCKS);
    children->count_all = !ct_uses(worker, CT_SHORTCUT_ACTIVE_CLASSES);
    children->active = CT_ARENA_NEW(arena, uint32_t, node->rows.n_classes);
    children->done = CT_ARENA_ZEROED(arena, uint8_t, node->rows.n_cols);
    children->scratch = CT_ARENA_NEW(arena, uint64_t, ct_children_scratch(node->rows.words, node->rows.n_classes));
    return children->active && children->done && children->scratch;
}

ct_bounds ct_depth2_solve(ct_worker *worker, const ct_node *node, const ct_task *task, int64_t *floors,
                          ct_split_code *tree)
{
    ct_arena_mark mark = ct_arena_here(&worker->arena);
    ct_bounds bounds = {0, ct_rows_cost(worker, node->leaf_errors)};
    ct_roots roots;
    ct_children children;
    int ready = ct_roots_init(&roots, worker, node, task, floors, tree) && children_init(&children, &roots);
    int32_t *zeros = CT_ARENA_ZEROED(&worker->arena, int32_t, node->box->n_cols);
    if (ready && zeros) {
        roots.evaluate = evaluate;
        roots.new_point = new_point;
        roots.extra = &children;
        for (int end = 0; end < 2; end++) {
            roots.ends[end].errors[0] = roots.ends[end].errors[1] = zeros;
            roots.ends[end].best_child[0] = roots.ends[end].best_child[1] = -1;
        }
        worker->statistics.depth2++;
        bounds = ct_roots_search(&roots);
        worker->statistics.scans += children.scans;
        worker->statistics.skipped_children += children.skipped;
        worker->statistics.dropped_classes += children.dropped_classes;
        worker->statistics.blocks += children.blocks;
        worker->statistics.refined += children.refined;
    } else {
        ct_worker_stop(worker, CT_END_MEMORY);
    }
    ct_arena_release(&worker->arena, mark);
    return bounds;
}
