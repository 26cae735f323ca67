#include "exact/search/roots.h"

#include <math.h>
#include <string.h>

#include "exact/bound/class_counts.h"
#include "exact/cost/penalty.h"
#include "exact/rows/outer.h"
#include "exact/rows/ranks.h"
#include "exact/rows/tests.h"
#include "exact/search/ahead.h"
#include "exact/search/features.h"
#include "exact/search/leaf_runs.h"
#include "exact/search/left_open.h"
#include "exact/search/observed.h"
#include "exact/search/resume.h"
#include "exact/search/thresholds.h"

/* A root bound of which nothing is known. */
static const int64_t UNKNOWN = INT64_MAX / 4;

/* See call_time(). */
static const double CLEARLY_LONG = 2e5;

/* ---- taking part ---- */

ct_status ct_roots_join(ct_evaluator *evaluator, ct_roots *roots, ct_worker *worker,
                        ct_arena *arena)
{
    const ct_exact_costs *costs = worker->search->costs;
    evaluator->worker = worker;
    evaluator->roots = roots;
    evaluator->arena = arena;
    evaluator->ahead = NULL;
    evaluator->planes = NULL;
    evaluator->clear = evaluator->unsure = 0;
    for (int side = 0; side < 2; side++)
        if (ct_totals_new(&evaluator->totals[side], costs, arena) != CT_OK)
            return ct_worker_no_memory(worker);
    return roots->new_extra(evaluator) == CT_OK ? CT_OK : ct_worker_no_memory(worker);
}

int ct_roots_step(ct_evaluator *evaluator)
{
    ct_roots *roots = evaluator->roots;
    uint32_t f;
    if (ct_left_open_pauses(roots)) return 0;
    if (roots->prepare) {
        if (ct_ahead_step(evaluator)) return 1;
    } else {
        ct_interval *i = ct_thresholds_take(evaluator, &f);
        if (i) {
            ct_thresholds_work_on(evaluator, f, i);
            ct_features_give_back(roots, i);
            return 1;
        }
    }
    return ct_features_take_up(roots);
}

/* Gives the best root split the subtrees that the rule wants: of each side the first of its equal
 * trees. They are searched afresh by this worker alone, knowing their costs, and begin with what
 * was found. */
static void settle_ties(ct_roots *roots, ct_worker *worker)
{
    ct_evaluator evaluator;
    ct_exact_task last = *roots->task;
    ct_roots again = *roots; /* with another task */
    if (!roots->known.improved || (ct_is_halted(worker) && !roots->known.unsure) ||
        ct_roots_join(&evaluator, &again, worker, &worker->arena) != CT_OK)
        return;
    again.task = &last;
    last.on_cpu = 1;
    last.first_sides = 1;
    last.hint = roots->known.tree;
    last.hint_at = 0;
    last.hint_size = (uint32_t) ct_heap_size(last.depth);
    if (ct_thresholds_best_again(&evaluator, roots)) roots->known.settled = 1;
}

/* ---- all features ---- */

/* Whether the trees asked for are those of the whole table. */
/* The feature of the hint's root; -1 if there is no hint. */
static int32_t hinted_feature(const ct_worker *worker, const ct_exact_task *task)
{
    if (!task->hint || task->hint_at >= task->hint_size || !ct_uses(worker, CT_SHORTCUT_HINTS))
        return -1;
    return task->hint[task->hint_at].feature;
}

/* Starting threads costs more than many a search takes, so these are called after a while; but at
 * once if the first evaluations alone could take very long: they grow with the table, by a factor
 * with the depth, and are shorter the better the tree to begin with. */
static double call_time(const ct_worker *worker, const ct_roots *roots)
{
    const ct_node *node = roots->node;
    double work = (double) node->n_rows * node->layout->n_cols *
                  pow(8, (double) roots->task->depth - 2);
    work *= (double) roots->known.best / (double) roots->leaf;
    return roots->task->depth > 2 && work > CLEARLY_LONG ? 0 : worker->search->options->team_after;
}

ct_status ct_roots_init(ct_roots *roots, ct_worker *worker, ct_arena *arena, const ct_node *node,
                        const ct_exact_task *task, int64_t *root_bounds, ct_split_code *tree)
{
    uint32_t n_cols = node->layout->n_cols;
    memset(roots, 0, sizeof *roots);
    roots->node = node;
    roots->task = task;
    roots->worker = worker;
    roots->arena = arena;
    roots->cap = task->cap;
    roots->seen = task->seen;
    roots->known.root_bounds = root_bounds;
    roots->known.tree = tree;
    roots->leaf = node->leaf_cost;
    roots->known.best = roots->leaf;
    if (ct_uses(worker, CT_SHORTCUT_CAPS))
        roots->known.best = ct_smaller_cost(roots->known.best, task->cap);
    roots->known.least = ct_class_count_bound(worker, &node->totals, node->layout->n_classes,
                                              task->depth);
    roots->known.promising = roots->known.proven = UNKNOWN;
    roots->edge = ct_is_root(task) ? worker->search->min_bucket : 1;
    roots->ends[1].n_left = node->n_rows;
    roots->ends[1].max_left = node->max_cost;
    roots->current = -1;
    roots->hinted = hinted_feature(worker, task);
    roots->leaf_runs = ct_leaf_runs_apply(worker, task->depth);
    for (size_t i = 0; i < ct_heap_size(task->depth); i++) tree[i] = CT_LEAF_CODE;
    for (uint32_t f = 0; f < n_cols; f++) root_bounds[f] = UNKNOWN;
    roots->features = CT_ARENA_ZEROED(arena, ct_exact_feature, n_cols);
    ct_observe_given(worker, roots);
    if (node->sized) roots->limits = CT_ARENA_NEW(arena, uint32_t, 2 * (size_t) n_cols);
    if (!roots->features || (node->sized && !roots->limits)) return ct_worker_no_memory(worker);
    for (uint32_t f = 0; node->sized && f < n_cols; f++)
        ct_outer_limits(node, f, worker->search->min_bucket, roots->limits + 2 * (size_t) f);
    return CT_OK;
}

/* Whether all thresholds of a feature part the rows of the layout as do some of the features before
 * it; where columns have few values. Its trees are then those of these. */
static int repeats(const ct_roots *roots, const ct_worker *worker, uint32_t f)
{
    const ct_tests *tests = roots->node->layout->tests;
    if (!tests || roots->part || roots->survivors) return 0;
    if (ct_is_root(roots->task) && worker->search->options->roots) return 0;
    for (uint32_t s = tests->first[f]; s < tests->first[f + 1]; s++)
        if (tests->feature[tests->test_of[s]] == f) return 0;
    return tests->first[f] < tests->first[f + 1];
}

/* The bounds of such features are those of the others. */
static void bound_repeated(ct_roots *roots, const ct_worker *worker)
{
    const ct_tests *tests = roots->node->layout->tests;
    int64_t *bounds = roots->known.root_bounds;
    for (uint32_t f = 0; tests && f < roots->node->layout->n_cols; f++) {
        if (!repeats(roots, worker, f)) continue;
        for (uint32_t s = tests->first[f]; s < tests->first[f + 1]; s++)
            bounds[f] = ct_smaller_cost(bounds[f], bounds[tests->feature[tests->test_of[s]]]);
    }
}

/* Opens every feature that the root may have: the hint's first, then, with medians, one candidate
 * of each before going on with any. */
static void open_features(ct_roots *roots, ct_worker *worker)
{
    uint32_t n_cols = roots->node->layout->n_cols;
    for (uint32_t f = 0; f < n_cols; f++) {
        roots->features[f].key = f;
        if (ct_is_root(roots->task) && !ct_may_be_root(worker, f)) continue;
        if (repeats(roots, worker, f)) continue;
        ct_features_push(worker, roots, f, &roots->ends[0], &roots->ends[1],
                         ct_interval_bound(worker, &roots->ends[0], &roots->ends[1]));
    }
    if (!ct_uses(worker, CT_SHORTCUT_MEDIANS)) roots->next_whole = n_cols;
}

/* A root bound covers all trees with that root feature, also those whose threshold does not
 * separate the rows at hand, since it may separate those of a neighbouring set. Such a tree
 * costs a split and a tree T of the level below on all rows. T is no better than the best tree
 * here or than what know_ends() has proven of T; and restricted to the two sides of any
 * candidate, it costs what it did and its splits once more. It has no more of these than the
 * level allows, and none that cost more than the leaf. */
static int64_t empty_sided(const ct_roots *roots, const ct_worker *worker, int64_t relaxed)
{
    int64_t split = worker->search->split_cost,
            most = ((int64_t) 1 << (roots->task->depth - 1)) - 1;
    if (split) most = ct_smaller_cost(most, roots->leaf / split);
    relaxed = ct_larger_cost(relaxed, roots->ends[0].lower[1]);
    if (roots->limits) return split + relaxed; /* sides have smaller outer sets */
    return split + ct_larger_cost(relaxed, roots->known.separate - most * split);
}

/* Whether there are trees with root feature f and a threshold that leaves a side without rows: such
 * a side has enough rows of the outer set. */
static int may_be_empty_sided(const ct_roots *roots, uint32_t f)
{
    if (!roots->limits) return 1;
    const uint32_t *limits = roots->limits + 2 * (size_t) f;
    return limits[0] <= limits[1] && (!limits[0] || limits[1] == roots->node->n_rows);
}

static ct_bounds finish(ct_roots *roots, const ct_worker *worker)
{
    uint32_t n_cols = roots->node->layout->n_cols;
    ct_bounds bounds = {roots->leaf, 0, roots->known.improved ? roots->known.best : roots->leaf};
    bound_repeated(roots, worker);
    ct_observe_searched(worker, roots);
    for (uint32_t f = 0; f < n_cols; f++)
        bounds.relaxed = ct_smaller_cost(
            bounds.relaxed,
            ct_larger_cost(roots->known.root_bounds[f], ct_thresholds_known(worker, roots, f)));
    int64_t most = roots->task->leaves ? UNKNOWN /* see few_leaves() in solve.c */
                                       : empty_sided(roots, worker, bounds.relaxed);
    for (uint32_t f = 0; f < n_cols; f++) {
        int only_here = ct_is_root(roots->task) &&
                        roots->known.root_bounds[f] != UNKNOWN; /* there are no neighbours */
        if (!only_here && may_be_empty_sided(roots, f))
            roots->known.root_bounds[f] = ct_smaller_cost(roots->known.root_bounds[f], most);
        roots->known.root_bounds[f] = ct_larger_cost(roots->known.root_bounds[f],
                                                     ct_thresholds_known(worker, roots, f));
    }
    bounds.proven = ct_larger_cost(bounds.relaxed,
                                   ct_smaller_cost(roots->known.proven, roots->leaf));
    if (roots->part && roots->part->one_of_several) /* it knows trees with other roots, too */
        bounds.proven = ct_smaller_cost(bounds.proven, bounds.upper);
    ct_observe_solved(worker, roots, &bounds);
    return bounds;
}

ct_status ct_roots_begin(ct_evaluator *evaluator, ct_roots *roots, ct_worker *worker)
{
    open_features(roots, worker);
    return ct_roots_join(evaluator, roots, worker, roots->arena);
}

ct_bounds ct_roots_end(ct_evaluator *evaluator)
{
    if (evaluator->roots->end_extra) evaluator->roots->end_extra(evaluator);
    ct_features_note_open(evaluator->roots);
    return finish(evaluator->roots, evaluator->worker);
}

int64_t ct_roots_lower(const ct_roots *roots)
{
    int64_t lower = ct_smaller_cost(roots->known.proven, roots->leaf);
    for (int32_t f = -1; f < (int32_t) roots->node->layout->n_cols; f++)
        for (const ct_interval *i = f < 0 ? roots->working : roots->features[f].open; i;
             i = i->next)
            lower = ct_smaller_cost(lower, i->bound);
    return ct_larger_cost(lower, roots->known.least);
}

void ct_roots_progress(const void *search, ct_exact_progress *progress)
{
    const ct_roots *roots = (const ct_roots *) search;
    const ct_worker *worker = roots->worker;
    if (roots->task->error_free && !roots->known.improved) return; /* nothing is known */
    int64_t lower = ct_roots_lower(roots),
            upper = roots->known.improved ? roots->known.best : roots->leaf;
    double open = 0, all = (double) roots->node->n_rows * roots->node->layout->n_cols;
    for (int32_t f = -1; f < (int32_t) roots->node->layout->n_cols; f++) {
        for (const ct_interval *i = f < 0 ? roots->working : roots->features[f].open; i;
             i = i->next)
            open += i->b->n_left - i->a->n_left;
        for (const ct_interval *i = f < 0 ? NULL : roots->features[f].later; i; i = i->next)
            open += i->b->n_left - i->a->n_left;
    }
    if (roots->task->leaves)
        lower = ct_smaller_cost(lower, ct_larger_cost(roots->task->elsewhere,
                                                      roots->known.least));
    lower = ct_smaller_cost(lower, upper - roots->known.unsure);
    if (worker->search->more) {
        lower = ct_smaller_cost(lower + worker->search->more, worker->search->few_lower);
        upper = worker->search->few_upper;
    }
    progress->upper = ct_objective_value(worker->search->costs, upper);
    progress->lower = ct_objective_bound(worker->search->costs, lower);
    progress->closed = fmax(0, 1 - open / all); /* ranges of parts may share rows */
}

/* A tree that is known before the search. */
static void adopt(ct_roots *roots, const ct_known_tree *known)
{
    if (!known || known->cost >= roots->known.best) return;
    roots->known.best = known->cost;
    roots->known.improved = 1;
    roots->known.settled = known->settled;
    roots->known.best_threshold = ct_layout_from_global(roots->node->layout,
                                                        (uint32_t) known->codes[0].feature,
                                                        known->codes[0].threshold);
    for (int side = 0; side < 2; side++) roots->known.best_side[side] = known->side[side];
    memcpy(roots->known.tree, known->codes,
           ct_heap_size(roots->task->depth) * sizeof *roots->known.tree);
}

void ct_roots_open(ct_roots *roots, ct_worker *worker)
{
    if (!roots->part || !roots->part->from) open_features(roots, worker);
    else if (ct_resume(roots, worker) != CT_OK) roots->part = NULL;
    adopt(roots, roots->task->known);
    roots->best_before = roots->known.best;
    if (roots->work.reserve) roots->work.call_at = call_time(worker, roots);
}

/* A tree that could not be counted, as memory has ended. */
static void forget_unsure(ct_known *known)
{
    known->proven = ct_smaller_cost(known->proven, known->best - known->unsure);
    known->unsure = 0;
    known->improved = 0;
}

ct_bounds ct_roots_close_up(ct_roots *roots, ct_worker *worker)
{
    const ct_exact_part *part = roots->part;
    ct_features_note_open(roots);
    if (part) ct_left_open_end(roots);
    int is_last = !part || (!part->one_of_several && !part->open.n);
    if (roots->task->first_of_ties && is_last && !roots->known.settled)
        settle_ties(roots, worker);
    if (roots->known.unsure) forget_unsure(&roots->known);
    return finish(roots, worker);
}
