#include "exact/search/observed.h"

#include "exact/rows/ranks.h"

#ifdef CT_DEBUG

static void (*listener)(const ct_observed *);

void ct_observe(void (*told)(const ct_observed *)) { listener = told; }

/* Not of trees of few leaves, which are searched aside (search/lower_price.h): bounds are of those
 * alone. */
static int is_told(const ct_worker *worker) { return listener && !worker->aside; }

/* All trees of a row set, or with sizes of leaves in the bounds those that keep to them among its
 * own rows; the teller changes what is different. */
static ct_observed all_trees(const ct_worker *worker, const ct_path *path, unsigned depth)
{
    int sized = ct_search_is_sized(worker);
    return (ct_observed){.search = worker->search,
                         .path = *path,
                         .depth = depth,
                         .allowed = sized,
                         .feature = -1,
                         .fewer = UINT32_MAX};
}

/* The root of the table, which keeps to what it may be split on and hands nothing on. */
static int has_feature(const ct_worker *worker, const ct_roots *roots, uint32_t f)
{
    return !ct_is_root(roots->task) || ct_may_be_root(worker, f);
}

void ct_observe_cached(const ct_worker *worker, const ct_path *path, unsigned depth, int64_t lower)
{
    if (!is_told(worker)) return;
    ct_observed seen = all_trees(worker, path, depth);
    seen.lower = lower;
    listener(&seen);
}

/* Floors of root features. */
static void tell_floors(const ct_worker *worker, const ct_path *path, unsigned depth,
                        uint32_t n_cols, const int64_t *floors)
{
    ct_observed seen = all_trees(worker, path, depth);
    seen.empty_sides = !seen.allowed;
    for (uint32_t f = 0; floors && f < n_cols; f++) {
        seen.feature = (int32_t) f;
        seen.lower = floors[f];
        listener(&seen);
    }
}

void ct_observe_given(const ct_worker *worker, const ct_roots *roots)
{
    const ct_exact_task *task = roots->task;
    if (!is_told(worker)) return;
    tell_floors(worker, task->path, task->depth, roots->node->layout->n_cols, task->root_bounds);
    ct_observed seen = all_trees(worker, task->path, task->depth);
    seen.lower = roots->known.least;
    listener(&seen);
}

void ct_observe_searched(const ct_worker *worker, const ct_roots *roots)
{
    if (!is_told(worker)) return;
    ct_observed seen = all_trees(worker, roots->task->path, roots->task->depth);
    seen.more = roots->edge - 1;
    seen.fewer = roots->node->n_rows - roots->edge + 1;
    for (uint32_t f = 0; f < roots->node->layout->n_cols; f++) {
        if (!has_feature(worker, roots, f)) continue;
        seen.feature = (int32_t) f;
        seen.lower = roots->known.root_bounds[f];
        listener(&seen);
    }
}

void ct_observe_solved(const ct_worker *worker, const ct_roots *roots, const ct_bounds *bounds)
{
    ct_observe_counted(worker, roots->task, roots->node, roots->known.root_bounds, bounds);
}

void ct_observe_counted(const ct_worker *worker, const ct_exact_task *task, const ct_node *node,
                        const int64_t *root_bounds, const ct_bounds *bounds)
{
    if (!is_told(worker) || ct_is_root(task)) return; /* of the root the answer tells */
    tell_floors(worker, task->path, task->depth, node->layout->n_cols, root_bounds);
    ct_observed seen = all_trees(worker, task->path, task->depth);
    seen.lower = bounds->relaxed;
    listener(&seen);
    seen.allowed = 1;
    seen.lower = bounds->proven;
    if (ct_may_split(worker, node->n_rows)) listener(&seen);
}

/* What is known of each child feature of one side, by the splits of the whole row set. */
static void tell_children(const ct_worker *worker, const ct_roots *roots, const ct_path *path,
                          const int64_t *errors)
{
    const ct_layout *layout = roots->node->layout;
    ct_observed seen = all_trees(worker, path, 1);
    seen.within = roots->task->path;
    for (uint32_t g = 0; g < layout->n_cols; g++) {
        seen.feature = (int32_t) g;
        seen.lower = worker->search->split_cost +
                     errors[g] * ((int64_t) 1 << ct_kernel_shift(worker));
        listener(&seen);
    }
}

static void tell_side(const ct_worker *worker, const ct_roots *roots, const ct_path *path,
                      const ct_candidate *m, int side)
{
    unsigned depth = roots->task->depth - 1;
    ct_observed seen = all_trees(worker, path, depth);
    seen.lower = m->lower[side];
    listener(&seen);
    if (depth == 1) tell_children(worker, roots, path, m->errors[side]);
    else tell_floors(worker, path, depth, roots->node->layout->n_cols, m->root_bounds[side]);
}

void ct_observe_ends(const ct_worker *worker, const ct_roots *roots)
{
    if (!is_told(worker)) return;
    tell_side(worker, roots, roots->task->path, &roots->ends[0], 1);
    tell_side(worker, roots, roots->task->path, &roots->ends[1], 0);
}

void ct_observe_candidate(const ct_worker *worker, const ct_roots *roots, uint32_t feature,
                          const ct_candidate *m)
{
    if (!is_told(worker)) return;
    uint32_t threshold = ct_layout_to_global(roots->node->layout, feature, m->threshold);
    for (int side = 0; side < 2; side++) {
        ct_path path = ct_path_extend(roots->task->path, feature, side, threshold);
        tell_side(worker, roots, &path, m, side);
    }
    ct_observed seen = all_trees(worker, roots->task->path, roots->task->depth);
    seen.allowed = 1;
    seen.feature = (int32_t) feature;
    seen.more = m->n_left - 1;
    seen.fewer = m->n_left + 1;
    seen.lower = ct_larger_cost(m->proven, ct_candidate_total(worker, m));
    listener(&seen);
}

void ct_observe_interval(const ct_worker *worker, const ct_roots *roots, uint32_t feature,
                         uint32_t more, uint32_t fewer, int64_t lower)
{
    if (!is_told(worker)) return;
    ct_observed seen = all_trees(worker, roots->task->path, roots->task->depth);
    seen.feature = (int32_t) feature;
    seen.more = more;
    seen.fewer = fewer;
    seen.lower = lower;
    listener(&seen);
}

#endif
