#include "search/roots.h"

#include <string.h>

/* A floor of which nothing is known. */
static const int64_t UNKNOWN = INT64_MAX / 4;

int64_t ct_class_count_bound(const ct_worker *worker, const uint32_t *totals, uint32_t n_classes, uint32_t n_rows,
                             unsigned depth)
{
    if (!ct_uses(worker, CT_SHORTCUT_CLASS_COUNTS) || (n_classes >> depth) == 0) return 0;
    return ct_rows_cost(worker, (int64_t) n_rows - (int64_t) ct_largest_sum(totals, n_classes, UINT32_C(1) << depth));
}

int ct_solve_at_once(const ct_worker *worker, const uint32_t *totals, uint32_t n_classes, uint32_t n_rows,
                     const ct_task *task, ct_bounds *bounds)
{
    int64_t leaf = ct_rows_cost(worker, ct_leaf_errors(totals, n_classes, n_rows));
    bounds->lower = 0;
    bounds->upper = leaf;
    if (leaf <= worker->search->split_cost || task->depth == 0) {
        bounds->lower = leaf; /* any split costs as much */
        return 1;
    }
    if (task->cap <= 0) return 1;
    bounds->lower = ct_class_count_bound(worker, totals, n_classes, n_rows, task->depth);
    return bounds->lower >= ct_smaller_cost(task->cap, leaf);
}

/* ---- points and intervals of one feature ---- */

typedef struct {
    ct_point *a, *b;
    int64_t bound;
} interval;

typedef struct {
    ct_roots *roots;
    uint32_t feature;
    interval *stack;
    size_t depth, room;
} feature_search;

static ct_point *take_point(ct_roots *roots)
{
    ct_point *point = roots->free_points;
    if (point) roots->free_points = point->next_free;
    else point = roots->new_point(roots);
    if (!point) {
        ct_worker_stop(roots->worker, CT_END_MEMORY);
        return NULL;
    }
    point->open = 0;
    return point;
}

static void release_point(ct_roots *roots, ct_point *point)
{
    if (--point->open || point == &roots->ends[0] || point == &roots->ends[1]) return;
    point->next_free = roots->free_points;
    roots->free_points = point;
}

static int64_t target_of(const ct_roots *roots)
{
    return roots->best - roots->task->gap;
}

/* Lowers the feature's proven bound to `bound`, which covers thresholds that are done with. */
static void note(ct_roots *roots, uint32_t feature, int64_t bound)
{
    if (bound < roots->floors[feature]) roots->floors[feature] = bound;
}

static void push(feature_search *s, ct_point *a, ct_point *b)
{
    if (b->n_left - a->n_left < 2) return; /* no rows to separate */
    if (s->depth == s->room) {
        interval *larger = CT_ARENA_NEW(&s->roots->worker->arena, interval, 2 * s->room);
        if (!larger) {
            note(s->roots, s->feature, ct_interval_bound(s->roots->worker, a, b));
            ct_worker_stop(s->roots->worker, CT_END_MEMORY);
            return;
        }
        memcpy(larger, s->stack, s->depth * sizeof *larger);
        s->stack = larger;
        s->room *= 2;
    }
    a->open++;
    b->open++;
    s->stack[s->depth++] = (interval){a, b, ct_interval_bound(s->roots->worker, a, b)};
}

/* The more promising half comes off the stack first. */
static void push_halves(feature_search *s, ct_point *a, ct_point *m, ct_point *b)
{
    int left_first = ct_interval_bound(s->roots->worker, a, m) <= ct_interval_bound(s->roots->worker, m, b);
    if (!left_first) push(s, a, m);
    push(s, m, b);
    if (left_first) push(s, a, m);
}

/* In the middle half of first .. last, the threshold with the most trailing zeros; it needs the fewest planes. */
static uint32_t middle_threshold(const ct_worker *worker, uint32_t first, uint32_t last)
{
    uint32_t quarter = (last - first) / 4, low = first + quarter, high = last - quarter;
    if (!ct_uses(worker, CT_SHORTCUT_DYADIC)) return first + (last - first) / 2;
    uint32_t zeros = 0;
    while ((low - 1) >> zeros != high >> zeros) zeros++;
    return zeros ? high >> (zeros - 1) << (zeros - 1) : high;
}

/* Shrinks the interval to the thresholds that can beat the target; 1 if some are left. */
static int window(feature_search *s, const ct_point *a, const ct_point *b, uint32_t *first, uint32_t *last)
{
    ct_roots *roots = s->roots;
    ct_worker *worker = roots->worker;
    int64_t low = a->n_left + ct_point_reach(worker, a, target_of(roots));
    int64_t high = (int64_t) b->n_left - ct_point_reach(worker, b, target_of(roots));
    /* What is cut off is bounded by its nearest kept neighbour's distance, not by the interval's own bound: the
     * parent's floors would otherwise be too weak. */
    int64_t inside = (int64_t) b->n_left - a->n_left - 1;
    int64_t cut_low = ct_smaller_cost(low - a->n_left - 1, inside), cut_high = ct_smaller_cost(b->n_left - high - 1, inside);
    if (cut_low > 0) note(roots, s->feature, ct_point_total(worker, a) - ct_rows_cost(worker, cut_low));
    if (cut_high > 0) note(roots, s->feature, ct_point_total(worker, b) - ct_rows_cost(worker, cut_high));
    worker->statistics.skipped_thresholds += (uint64_t) (cut_low + cut_high);
    if (low > high) return 0;
    ct_node_window(roots->worker, roots->node, s->feature, (uint32_t) low, (uint32_t) high, first, last);
    return *first <= *last;
}

/* Puts a subtree, or a leaf if NULL, under child `side` of the root of roots->tree. Level j of a heap is contiguous. */
static void graft(ct_roots *roots, int side, const ct_split_code *subtree)
{
    for (unsigned level = 0; level + 1 < roots->task->depth; level++) {
        size_t width = (size_t) 1 << level;
        ct_split_code *place = roots->tree + (2 * width - 1) + (size_t) side * width;
        for (size_t i = 0; i < width; i++) place[i] = subtree ? subtree[width - 1 + i] : CT_LEAF_CODE;
    }
}

/* Makes the tree of point m the best one (or, while there is none, the one that later row sets are hinted at). */
static void keep_tree(ct_roots *roots, uint32_t feature, const ct_point *m)
{
    roots->tree[0].feature = (int32_t) feature;
    roots->tree[0].threshold = ct_container_to_global(roots->node->box, feature, m->threshold);
    for (int side = 0; side < 2; side++) {
        ct_split_code child = {m->best_child[side], 0};
        if (roots->task->depth == 2) graft(roots, side, &child);
        else graft(roots, side, m->best_child[side] < 0 && roots->improved ? NULL : m->trees[side]);
    }
}

/* Evaluates threshold t between a and b; NULL if memory ends. */
static ct_point *evaluate(ct_roots *roots, uint32_t feature, const ct_point *a, const ct_point *b, uint32_t t)
{
    ct_point *m = take_point(roots);
    if (!m) return NULL;
    m->threshold = t;
    m->n_left = ct_node_counts(roots->worker, roots->node, feature, t, roots->totals[0]);
    for (uint32_t c = 0; c < roots->node->box->n_classes; c++)
        roots->totals[1][c] = roots->node->totals[c] - roots->totals[0][c];
    int64_t upper = roots->evaluate(roots, feature, a, b, m), total = ct_point_total(roots->worker, m);
    roots->worker->statistics.thresholds++;
    note(roots, feature, total);
    roots->separate = ct_larger_cost(roots->separate, m->lower[0] + m->lower[1]);
    if (upper < roots->best) {
        CT_ASSERT(total <= upper);
        roots->best = upper;
        roots->improved = 1;
        keep_tree(roots, feature, m);
    } else if (!roots->improved && total < roots->promising) {
        roots->promising = total;
        keep_tree(roots, feature, m);
    }
    return m;
}

static void close_interval(feature_search *s, interval i)
{
    release_point(s->roots, i.a);
    release_point(s->roots, i.b);
}

/* For the statistics: by which of the two bounds the interval is closed. */
static void count_closed(ct_roots *roots, const interval *i)
{
    int64_t straight = roots->worker->search->split_cost + i->a->lower[0] + i->b->lower[1];
    if (ct_uses(roots->worker, CT_SHORTCUT_INTERVAL) && straight >= target_of(roots)) roots->worker->statistics.intervals++;
    else roots->worker->statistics.crossed++;
}

/* Takes one interval off the stack: closes it, or splits it at a new point. */
static void step(feature_search *s)
{
    ct_roots *roots = s->roots;
    interval i = s->stack[--s->depth];
    uint32_t first, last;
    int bounded = (ct_uses(roots->worker, CT_SHORTCUT_INTERVAL) || ct_uses(roots->worker, CT_SHORTCUT_CROSSED)) &&
                  i.bound >= target_of(roots);
    if (bounded || roots->worker->stopped) {
        note(roots, s->feature, i.bound);
        if (bounded) count_closed(roots, &i);
    } else if (window(s, i.a, i.b, &first, &last)) {
        ct_point *m = evaluate(roots, s->feature, i.a, i.b, middle_threshold(roots->worker, first, last));
        if (!m) {
            note(roots, s->feature, i.bound);
        } else {
            m->open++;
            push_halves(s, i.a, m, i.b);
            release_point(roots, m);
        }
    }
    close_interval(s, i);
}

/* Closes all thresholds of a feature. `first` is a point evaluated before, or NULL. */
static void search_feature(ct_roots *roots, uint32_t feature, ct_point *first)
{
    interval room[64];
    feature_search s = {roots, feature, room, 0, sizeof room / sizeof *room};
    if (first) {
        first->open++;
        push_halves(&s, &roots->ends[0], first, &roots->ends[1]);
        release_point(roots, first);
    } else {
        push(&s, &roots->ends[0], &roots->ends[1]);
    }
    while (s.depth) step(&s);
}

/* ---- all features ---- */

/* What is proven about a root feature before the search. */
static int64_t known_floor(const ct_roots *roots, uint32_t feature)
{
    int handed_on = roots->task->floors && ct_uses(roots->worker, CT_SHORTCUT_ROOT_FEATURES);
    return handed_on ? ct_larger_cost(roots->least, roots->task->floors[feature]) : roots->least;
}

static int skip_feature(const ct_roots *roots, uint32_t feature)
{
    return known_floor(roots, feature) >= target_of(roots);
}

/* The first point of the hinted feature: the hint's own threshold, if it separates the rows. */
static ct_point *evaluate_hint(ct_roots *roots, int32_t *feature)
{
    const ct_task *task = roots->task;
    *feature = -1;
    if (roots->worker->stopped || !task->hint || task->hint_at >= task->hint_size || !ct_uses(roots->worker, CT_SHORTCUT_HINTS)) return NULL;
    ct_split_code code = task->hint[task->hint_at];
    if (code.feature < 0) return NULL;
    const ct_container *box = roots->node->box;
    uint32_t f = (uint32_t) code.feature, t = ct_container_from_global(box, f, code.threshold);
    if (t < 1 || t >= box->n_values[f]) return NULL;
    uint32_t n_left = ct_node_counts(roots->worker, roots->node, f, t, roots->totals[0]);
    if (n_left < 1 || n_left >= roots->node->n_rows) return NULL;
    *feature = code.feature;
    return evaluate(roots, f, &roots->ends[0], &roots->ends[1], t);
}

static ct_point *evaluate_median(ct_roots *roots, uint32_t feature)
{
    uint32_t first, last;
    ct_node_window(roots->worker, roots->node, feature, 1, roots->node->n_rows - 1, &first, &last);
    if (first > last) return NULL;
    uint32_t t = middle_threshold(roots->worker, first, last);
    roots->worker->statistics.medians++;
    return evaluate(roots, feature, &roots->ends[0], &roots->ends[1], t);
}

/* Features by the total of their first point; those without one come last. Stable, so ties go by feature. */
static void sort_features(uint32_t *order, uint32_t n, const int64_t *key)
{
    for (uint32_t i = 1; i < n; i++) {
        uint32_t f = order[i], j = i;
        for (; j && key[order[j - 1]] > key[f]; j--) order[j] = order[j - 1];
        order[j] = f;
    }
}

/* Closes every feature. */
static void search_features(ct_roots *roots)
{
    ct_point **first = roots->first;
    uint32_t *order = roots->order;
    uint32_t n_cols = roots->node->box->n_cols;
    int32_t hinted;
    ct_point *hint = evaluate_hint(roots, &hinted);
    if (hint) {
        first[hinted] = hint;
        roots->worker->statistics.hints++;
    }
    for (uint32_t f = 0; f < n_cols && ct_uses(roots->worker, CT_SHORTCUT_MEDIANS); f++)
        if (!first[f] && !skip_feature(roots, f) && !roots->worker->stopped) first[f] = evaluate_median(roots, f);
    sort_features(order, n_cols, roots->floors);
    for (uint32_t i = 0; i < n_cols; i++) {
        uint32_t f = order[i];
        if (skip_feature(roots, f)) {
            roots->floors[f] = known_floor(roots, f);
            roots->worker->statistics.skipped_roots++;
            continue;
        }
        search_feature(roots, f, first[f]);
        roots->floors[f] = ct_larger_cost(roots->floors[f], known_floor(roots, f));
    }
}

int ct_roots_init(ct_roots *roots, ct_worker *worker, const ct_node *node, const ct_task *task, int64_t *floors,
                  ct_split_code *tree)
{
    uint32_t n_cols = node->box->n_cols, n_classes = node->box->n_classes;
    memset(roots, 0, sizeof *roots);
    roots->worker = worker;
    roots->node = node;
    roots->task = task;
    roots->floors = floors;
    roots->tree = tree;
    roots->leaf = ct_rows_cost(worker, node->leaf_errors);
    roots->best = roots->leaf;
    if (ct_uses(worker, CT_SHORTCUT_CAPS)) roots->best = ct_smaller_cost(roots->best, task->cap);
    roots->least = ct_class_count_bound(worker, node->totals, n_classes, node->n_rows, task->depth);
    roots->promising = UNKNOWN;
    roots->ends[1].n_left = node->n_rows;
    for (size_t i = 0; i < ct_heap_size(task->depth); i++) tree[i] = CT_LEAF_CODE;
    for (uint32_t f = 0; f < n_cols; f++) floors[f] = UNKNOWN;
    roots->totals[0] = CT_ARENA_NEW(&worker->arena, uint32_t, 2 * (size_t) n_classes);
    roots->first = CT_ARENA_ZEROED(&worker->arena, ct_point *, n_cols);
    roots->order = CT_ARENA_NEW(&worker->arena, uint32_t, n_cols);
    if (!roots->totals[0] || !roots->first || !roots->order) {
        ct_worker_stop(worker, CT_END_MEMORY);
        return 0;
    }
    roots->totals[1] = roots->totals[0] + n_classes;
    for (uint32_t f = 0; f < n_cols; f++) roots->order[f] = f;
    return 1;
}

ct_bounds ct_roots_search(ct_roots *roots)
{
    ct_worker *worker = roots->worker;
    uint32_t n_cols = roots->node->box->n_cols;
    ct_bounds bounds = {0, roots->leaf};
    search_features(roots);
    if (roots->improved) bounds.upper = roots->best;
    bounds.lower = roots->leaf;
    for (uint32_t f = 0; f < n_cols; f++) bounds.lower = ct_smaller_cost(bounds.lower, roots->floors[f]);

    /* A floor covers all trees with that root feature, also those whose threshold does not separate the rows at hand,
     * since it may separate those of a neighbouring set. Such a tree costs a split and a tree of the level below on
     * all rows, which is at least the sum of the two sides of any point [restrict it to each]: no less than the total
     * of any point of the feature. Only a feature without points needs a floor of its own. */
    for (uint32_t f = 0; f < n_cols; f++)
        if (roots->floors[f] == UNKNOWN) roots->floors[f] = worker->search->split_cost + roots->separate;
    return bounds;
}
