#include "exact/search/thresholds.h"

#include "exact/rows/ranks.h"
#include "exact/run/history.h"
#include "exact/search/error_free.h"
#include "exact/search/features.h"
#include "exact/search/leaf_runs.h"
#include "exact/search/observed.h"
#include "exact/search/survivors.h"

/* ---- what is left to find ---- */

/* The first of equal trees is wanted: that of the first feature, and of its first threshold. So as
 * long as the best known one comes after threshold t of `feature`, those from there on must be told
 * apart from it, not only from better ones. */
static int ties(const ct_roots *roots, uint32_t feature, uint32_t t)
{
    if (!roots->task->first_of_ties || !roots->known.improved) return 0;
    uint32_t best = (uint32_t) roots->known.tree[0].feature;
    return feature < best || (feature == best && t < roots->known.best_threshold);
}

int64_t ct_thresholds_target(const ct_roots *roots, uint32_t feature, uint32_t t)
{
    return roots->known.best - roots->task->gap + ties(roots, feature, t);
}

/* What is proven about a root feature before the search. */
int64_t ct_thresholds_known(const ct_worker *worker, const ct_roots *roots, uint32_t feature)
{
    int handed_on = roots->task->root_bounds && ct_uses(worker, CT_SHORTCUT_ROOT_FEATURES);
    return handed_on ? ct_larger_cost(roots->known.least, roots->task->root_bounds[feature])
                     : roots->known.least;
}

void ct_thresholds_lower_cap(const ct_worker *worker, ct_roots *roots, int64_t by)
{
    if (!ct_uses(worker, CT_SHORTCUT_CAPS)) return;
    roots->cap -= by;
    if (roots->cap >= roots->known.best) return;
    roots->known.best = roots->cap;
    roots->known.improved = 0; /* the tree stays, as a hint */
}

/* Others may have found a better tree for the whole table since this task's cap was set, when costs
 * of the whole table had to be told apart below `seen`. The cap falls by as much as that has fallen
 * since. (The team is told of a limit that holds for all thresholds, with one more for ties: a
 * threshold may come before the new best one although it came after the old one.) */
void ct_thresholds_refresh(const ct_worker *worker, ct_roots *roots)
{
    if (!worker->team || !roots->task->path->n || !ct_uses(worker, CT_SHORTCUT_CAPS)) return;
    int64_t now = ct_team_limit(worker->team), fallen = roots->seen - now;
    if (fallen <= 0 || roots->seen == INT64_MAX) return;
    roots->seen = now;
    ct_thresholds_lower_cap(worker, roots, fallen);
}

/* `seen` for the tasks of an evaluation below the root. Their caps go by the best known cost here;
 * as long as that is below the cap, the cap may fall so far without a change to them. Without caps
 * there is nothing to follow. */
static int64_t seen_below(const ct_roots *roots)
{
    if (roots->seen == INT64_MAX || !ct_uses(roots->worker, CT_SHORTCUT_CAPS)) return INT64_MAX;
    return roots->seen - (roots->cap - roots->known.best);
}

/* Notes what is known of the thresholds between p and the window: that they are no further than
 * `surplus`, which may be more than the interval is long. That bound, not the interval's own: the
 * parent's root bounds would otherwise be too weak. */
static void note_cut(ct_roots *roots, const ct_worker *worker, uint32_t feature,
                     const ct_interval *i, const ct_candidate *p, int64_t surplus)
{
    int64_t unit = (int64_t) 1 << ct_kernel_shift(worker),
            inside = i->b->max_left - i->a->max_left - unit;
    if (!worker->search->costs->plain) inside += unit;
    ct_features_note(roots, feature,
                     ct_candidate_total(worker, p) - ct_smaller_cost(surplus & -unit, inside));
}

/* How few and how many rows may lie on the left, for a total below the target; 0 if there are no
 * such numbers. */
static int window(ct_evaluator *evaluator, uint32_t feature, const ct_interval *i, uint32_t rows[2])
{
    ct_roots *roots = evaluator->roots;
    ct_worker *worker = evaluator->worker;
    const ct_candidate *a = i->a, *b = i->b;
    int64_t low = (int64_t) a->n_left + 1, high = (int64_t) b->n_left - 1;
    int64_t from_a = ct_candidate_surplus(worker, a, evaluator->target),
            from_b = ct_candidate_surplus(worker, b, evaluator->target);
    int64_t near_a = low, near_b = high;
    if (from_a >= 0) low = ct_node_rows_above(worker, roots->node, feature, a->max_left + from_a);
    if (from_b >= 0)
        high = ct_node_rows_above(worker, roots->node, feature, b->max_left - from_b - 1) - 1;
    CT_ASSERT(low >= near_a && high <= near_b); /* else a threshold would come again, without end */
    int64_t cut_low = ct_smaller_cost(low, b->n_left) - near_a,
            cut_high = near_b - ct_larger_cost(high, a->n_left);
    if (cut_low > 0) note_cut(roots, worker, feature, i, a, from_a);
    if (cut_high > 0) note_cut(roots, worker, feature, i, b, from_b);
    worker->statistics.skipped_thresholds += (uint64_t) (ct_larger_cost(cut_low, 0) +
                                                         ct_larger_cost(cut_high, 0));
    low = ct_larger_cost(low, roots->edge);
    high = ct_smaller_cost(high, (int64_t) roots->node->n_rows - roots->edge);
    if (roots->limits) {
        low = ct_larger_cost(low, roots->limits[2 * (size_t) feature]);
        high = ct_smaller_cost(high, roots->limits[2 * (size_t) feature + 1]);
    }
    rows[0] = (uint32_t) low;
    rows[1] = (uint32_t) high;
    return low <= high;
}

int ct_thresholds_window(ct_evaluator *evaluator, uint32_t feature, const ct_interval *i,
                         uint32_t *first, uint32_t *last)
{
    uint32_t rows[2];
    if (!window(evaluator, feature, i, rows)) return 0;
    ct_node_window(evaluator->worker, evaluator->roots->node, feature, rows[0], rows[1], first,
                   last);
    return *first <= *last;
}

/* The threshold among first .. last with the most trailing zeros; it needs the fewest planes. */
static uint32_t roundest(const ct_worker *worker, uint32_t first, uint32_t last)
{
    if (!ct_uses(worker, CT_SHORTCUT_DYADIC)) return first + (last - first) / 2;
    uint32_t zeros = 0;
    while ((first - 1) >> zeros != last >> zeros) zeros++;
    return zeros ? last >> (zeros - 1) << (zeros - 1) : last;
}

/* One among first .. last that has about as many rows on the left as end a large block of
 * rows/spans.h, between low and high. */
static uint32_t after_whole_spans(const ct_evaluator *evaluator, uint32_t feature, uint32_t low,
                                  uint32_t high, uint32_t first, uint32_t last)
{
    uint32_t rows = roundest(evaluator->worker, low, high), at, end;
    ct_node_window(evaluator->worker, evaluator->roots->node, feature, rows, rows, &at, &end);
    return at < first ? first : at > last ? last : at;
}

/* A threshold that leaves this number of rows on the left, near the middle of both these and the
 * interval's thresholds; where there is none, of the thresholds that do; 0 if none does. Half of
 * the thresholds and three fifths of the rows count as near. */
static uint32_t middle_threshold(const ct_evaluator *evaluator, uint32_t feature,
                                 const ct_interval *i, const uint32_t rows[2])
{
    const ct_roots *roots = evaluator->roots;
    uint32_t first, last, part = (rows[1] - rows[0]) / 5;
    uint32_t low = i->a->threshold, high = i->b == &roots->ends[1]
                                               ? roots->node->layout->n_values[feature]
                                               : i->b->threshold;
    uint32_t quarter = (high - low) / 4;
    ct_node_window(evaluator->worker, roots->node, feature, rows[0] + part, rows[1] - part, &first,
                   &last);
    if (first < low + quarter) first = low + quarter;
    if (last > high - quarter) last = high - quarter;
    if (first <= last && roots->node->layout->abreast)
        return after_whole_spans(evaluator, feature, rows[0] + part, rows[1] - part, first, last);
    if (first <= last) return roundest(evaluator->worker, first, last);
    ct_node_window(evaluator->worker, roots->node, feature, rows[0], rows[1], &first, &last);
    quarter = (last - first) / 4;
    return first <= last ? roundest(evaluator->worker, first + quarter, last - quarter) : 0;
}

/* The hint's root threshold, if `feature` is the hint's and it separates the rows; else 0. */
static uint32_t hinted_threshold(ct_evaluator *evaluator, uint32_t feature)
{
    ct_roots *roots = evaluator->roots;
    if ((int32_t) feature != roots->hinted) return 0;
    roots->hinted = -1;
    const ct_layout *layout = roots->node->layout;
    uint32_t global = roots->task->hint[roots->task->hint_at].threshold,
             t = global ? ct_layout_from_global(layout, feature, global) : 0;
    if (t < 1 || t >= layout->n_values[feature]) return 0;
    uint32_t n_left = ct_node_counts(evaluator->worker, roots->node, feature, t,
                                     &evaluator->totals[0]);
    return n_left < 1 || n_left >= roots->node->n_rows ? 0 : t;
}

/* ---- evaluation ---- */

/* Puts a subtree, or a leaf if NULL, under child `side` of the root of roots->known.tree. Level j
 * of a heap is contiguous. */
static void graft(ct_roots *roots, int side, const ct_split_code *subtree)
{
    for (unsigned level = 0; level + 1 < roots->task->depth; level++) {
        size_t width = (size_t) 1 << level;
        ct_split_code *place = roots->known.tree + (2 * width - 1) + (size_t) side * width;
        for (size_t i = 0; i < width; i++)
            place[i] = subtree ? subtree[width - 1 + i] : CT_LEAF_CODE;
    }
}

/* Makes the tree of candidate m the best one (or, while there is none, the one that later row sets
 * are hinted at). */
/* Makes the tree of candidate m the best one (or, while there is none, the one that later row sets
 * are hinted at). */
static void keep_tree(ct_roots *roots, uint32_t feature, const ct_candidate *m)
{
    roots->known.tree[0].feature = (int32_t) feature;
    roots->known.tree[0].threshold = ct_layout_to_global(roots->node->layout, feature,
                                                         m->threshold);
    for (int side = 0; side < 2; side++) {
        ct_split_code child = {m->best_child[side], 0};
        if (roots->task->depth == 2) graft(roots, side, &child);
        else
            graft(roots, side,
                  m->best_child[side] < 0 && roots->known.improved ? NULL : m->trees[side]);
    }
}

/* A better tree for the whole table; at a lower price one that leaves nothing to be proven. */
static void announce(ct_evaluator *evaluator)
{
    ct_roots *roots = evaluator->roots;
    ct_exact_progress moment;
    if (evaluator->worker->search->more) roots->known.best = 0; /* which closes all that is open */
    ct_team_tell(roots->work.team,
                 roots->known.best - roots->task->gap + roots->task->first_of_ties);
    ct_history_look(evaluator->worker->search->history, &moment);
}

/* Evaluates threshold t of `feature` afresh, as m, where the sides of a tree cost no more than
 * `sides` and it costs less than `target`. Near is one neighbour with that cost of its side, and
 * for the other side nothing; neither names a child to begin with, so that of equal ones the first
 * is found first. Returns the cost, exactly. */
static int64_t evaluate_again(ct_evaluator *evaluator, uint32_t feature, uint32_t t,
                              const int64_t sides[2], int64_t target, ct_candidate *m)
{
    const ct_roots *roots = evaluator->roots;
    ct_candidate near[2] = {roots->ends[0], roots->ends[1]};
    for (int side = 0; side < 2; side++) {
        near[side].lower[side] = sides[side];
        near[side].lower[!side] = 0;
        near[side].errors[!side] = near[side].errors[side];
        near[side].root_bounds[!side] = near[side].root_bounds[side];
        near[side].best_child[!side] = -1;
    }
    m->threshold = t;
    ct_thresholds_count_sides(evaluator, feature, m);
    evaluator->target = target;
    evaluator->seen = INT64_MAX;
    evaluator->clear = 0;
    return roots->evaluate(evaluator, feature, &near[0], &near[1], m);
}

int ct_thresholds_best_again(ct_evaluator *evaluator, ct_roots *roots)
{
    ct_known *known = &roots->known;
    uint32_t f = (uint32_t) known->tree[0].feature;
    ct_candidate *m = ct_features_take_candidate(roots);
    if (!m) return 0;
    int64_t cost = evaluate_again(evaluator, f, known->best_threshold, known->best_side,
                                  known->best + 1, m);
    int found = known->unsure ? cost <= known->best : cost == known->best;
    CT_ASSERT(found || !known->unsure);
    if (found) {
        if (known->unsure) known->proven = ct_smaller_cost(known->proven, cost);
        known->best = cost;
        known->unsure = 0;
        for (int side = 0; side < 2; side++) known->best_side[side] = evaluator->upper[side];
        keep_tree(roots, f, m);
    }
    m->open = 1;
    ct_features_release_candidate(roots, m);
    return found;
}

/* Counts what the tree found at m and the best one cost, where their ends do not tell them apart.
 * Returns the cost of m's. */
static int64_t tell_apart(ct_evaluator *evaluator, uint32_t feature, ct_candidate *m, int64_t upper)
{
    ct_known *known = &evaluator->roots->known;
    if ((!known->unsure && !evaluator->unsure) || upper < known->best - known->unsure) return upper;
    if (evaluator->unsure)
        upper = evaluate_again(evaluator, feature, m->threshold, evaluator->upper, upper + 1, m);
    if (known->unsure) {
        int64_t sides[2] = {evaluator->upper[0], evaluator->upper[1]};
        ct_thresholds_best_again(evaluator, evaluator->roots);
        evaluator->upper[0] = sides[0];
        evaluator->upper[1] = sides[1];
    }
    return upper;
}

/* The tree of cost `upper` that the evaluation of m has found. */
static void take_tree(ct_evaluator *evaluator, uint32_t feature, ct_candidate *m, int64_t upper)
{
    ct_roots *roots = evaluator->roots;
    int tied = ties(roots, feature, m->threshold);
    if (upper - evaluator->unsure < roots->known.best + tied)
        upper = tell_apart(evaluator, feature, m, upper);
    else evaluator->unsure = 0;
    int64_t total = ct_candidate_total(evaluator->worker, m);
    if (upper < roots->known.best + tied) {
        CT_ASSERT(total <= upper);
        roots->known.proven = ct_smaller_cost(roots->known.proven,
                                              roots->known.unsure
                                                  ? roots->known.best - roots->known.unsure
                                                  : INT64_MAX);
        roots->known.best = upper;
        roots->known.unsure = evaluator->unsure;
        roots->known.improved = 1;
        roots->known.settled = 0;
        roots->known.best_threshold = m->threshold;
        for (int side = 0; side < 2; side++) roots->known.best_side[side] = evaluator->upper[side];
        keep_tree(roots, feature, m);
        if (roots == evaluator->worker->search->history->search) announce(evaluator);
    } else if (!roots->known.improved && total < roots->known.promising) {
        roots->known.promising = total;
        keep_tree(roots, feature, m);
    }
}

/* What is proven of the trees there is noted when the best one is exact, if it is among them. */
void ct_thresholds_settle(ct_evaluator *evaluator, uint32_t feature, ct_candidate *m, int64_t upper)
{
    ct_roots *roots = evaluator->roots;
    if (roots->survivors) ct_survivors_look(evaluator, feature, m, upper);
    else take_tree(evaluator, feature, m, upper);
    int64_t total = ct_candidate_total(evaluator->worker, m);
    ct_observe_candidate(evaluator->worker, roots, feature, m);
    ct_features_note_both(roots, feature, total,
                          evaluator->unsure ? INT64_MAX : ct_larger_cost(total, m->proven));
    roots->known.separate = ct_larger_cost(roots->known.separate, m->lower[0] + m->lower[1]);
}

static int is_whole(const ct_roots *roots, const ct_interval *i)
{
    return i->a == &roots->ends[0] && i->b == &roots->ends[1];
}

void ct_thresholds_count_sides(ct_evaluator *evaluator, uint32_t feature, ct_candidate *m)
{
    const ct_node *node = evaluator->roots->node;
    m->n_left = ct_node_counts(evaluator->worker, node, feature, m->threshold,
                               &evaluator->totals[0]);
    m->max_left = ct_maximum_cost(evaluator->worker->search->costs, &evaluator->totals[0],
                                  m->n_left);
    /* at depth two in full only where that may decide: see in_full.h */
    if (evaluator->totals[0].full && evaluator->roots->task->depth > 2)
        *evaluator->totals[0].full = ct_node_full(evaluator->worker, node, feature, m->threshold);
    ct_totals_rest(&evaluator->totals[1], &node->totals, &evaluator->totals[0],
                   node->layout->n_classes);
}

/* See ct_evaluator. The best tree of a whole table at depth two is evaluated once more at the end
 * (settle_ties() in roots.c), which counts it as well. */
static int64_t clear_of_best(const ct_roots *roots)
{
    const ct_exact_task *task = roots->task;
    int at_end = task->depth == 2 && task->first_of_ties && ct_is_root(task) && !roots->part &&
                 !roots->survivors;
    return at_end ? roots->known.best - roots->known.unsure : 0;
}

/* A candidate at threshold t of interval i, both under evaluation from here on; NULL if memory
 * ends. */
static ct_candidate *begin_candidate(ct_evaluator *evaluator, uint32_t feature, ct_interval *i,
                                     uint32_t t)
{
    ct_roots *roots = evaluator->roots;
    ct_candidate *m = ct_features_take_candidate(roots);
    if (!m) return NULL;
    m->threshold = t;
    evaluator->target = ct_thresholds_target(roots, feature, t);
    evaluator->clear = clear_of_best(roots);
    evaluator->seen = roots->work.whole ? evaluator->target : seen_below(roots);
    roots->work.busy++;
    ct_features_begin_work(roots, i);
    return m;
}

/* A lower bound of the totals between a and b. What the rows between them add is looked up where it
 * may close the interval. */
static int64_t bound_between(const ct_evaluator *evaluator, uint32_t feature,
                             const ct_candidate *a, const ct_candidate *b)
{
    ct_roots *roots = evaluator->roots;
    int64_t bound = ct_interval_bound(evaluator->worker, a, b),
            missing = ct_thresholds_target(roots, feature, a->threshold) - bound;
    if (!roots->spans || missing <= 0) return bound;
    return bound + ct_spans_cost(roots->spans, evaluator->worker, roots->arena, feature,
                                    a->n_left, b->n_left, missing);
}

/* Leaves the interval between a and b open, unless its bound closes it at once: a candidate that
 * nothing open ends at is given back, and in wide tables each takes much memory. */
static void open_part(ct_evaluator *evaluator, uint32_t feature, ct_candidate *a, ct_candidate *b)
{
    if (b->n_left - a->n_left < 2) return; /* no rows to separate */
    ct_interval part = {a, b, bound_between(evaluator, feature, a, b), 0, NULL};
    if (ct_thresholds_close(evaluator, feature, &part))
        ct_observe_interval(evaluator->worker, evaluator->roots, feature, a->n_left, b->n_left,
                            part.bound);
    else ct_features_push(evaluator->worker, evaluator->roots, feature, a, b, part.bound);
}

/* Takes in what was found there and leaves the two parts of the interval open. The one of the lower
 * bound is looked at first. */
static void divide(ct_evaluator *evaluator, uint32_t feature, const ct_interval *i,
                   ct_candidate *m, int64_t upper)
{
    ct_roots *roots = evaluator->roots;
    ct_worker *worker = evaluator->worker;
    if (is_whole(roots, i)) ct_error_free_look(roots, m);
    ct_thresholds_settle(evaluator, feature, m, upper);
    if (is_whole(roots, i) && ct_uses(worker, CT_SHORTCUT_MEDIANS))
        roots->features[feature].key = ct_candidate_total(worker, m);
    CT_ASSERT(i->a->n_left < m->n_left && m->n_left < i->b->n_left && m->threshold > 0);
    int left_first = ct_interval_bound(worker, i->a, m) <= ct_interval_bound(worker, m, i->b);
    if (!left_first) open_part(evaluator, feature, i->a, m);
    open_part(evaluator, feature, m, i->b);
    if (left_first) open_part(evaluator, feature, i->a, m);
}

void ct_thresholds_end(ct_evaluator *evaluator, uint32_t feature, const ct_interval *i,
                       ct_candidate *m, int64_t upper)
{
    ct_roots *roots = evaluator->roots;
    roots->work.busy--;
    m->open++;
    if (roots->part && ct_is_halted(evaluator->worker)) { /* maybe in the middle of it */
        take_tree(evaluator, feature, m, upper);
        ct_features_leave(roots, feature, i->a, i->b, i->bound);
    } else {
        divide(evaluator, feature, i, m, upper);
        if (roots->part) roots->part->evaluated++;
    }
    ct_features_end_work(
        roots, i); /* now that its parts are open: none of its thresholds is ever without a bound */
    ct_features_release_candidate(roots, m);
}

/* Without the team's lock; opens both parts of the interval. */
static void evaluate(ct_evaluator *evaluator, uint32_t feature, const ct_interval *i,
                     ct_candidate *m)
{
    ct_roots *roots = evaluator->roots;
    ct_team_unlock(roots->work.team);
    ct_thresholds_count_sides(evaluator, feature, m);
    int64_t upper = roots->evaluate(evaluator, feature, i->a, i->b, m);
    evaluator->worker->statistics.thresholds++;
    ct_team_lock(roots->work.team);
    ct_thresholds_end(evaluator, feature, i, m, upper);
}

/* For the statistics: by which of the two bounds the interval is closed. */
static void count_closed(ct_evaluator *evaluator, const ct_interval *i)
{
    ct_worker *worker = evaluator->worker;
    int64_t straight = worker->search->split_cost + i->a->lower[0] + i->b->lower[1];
    if (ct_uses(worker, CT_SHORTCUT_INTERVAL) && straight >= evaluator->target)
        worker->statistics.intervals++;
    else worker->statistics.crossed++;
}

int ct_thresholds_close(ct_evaluator *evaluator, uint32_t feature, const ct_interval *i)
{
    ct_roots *roots = evaluator->roots;
    ct_worker *worker = evaluator->worker;
    ct_thresholds_refresh(worker, roots);
    evaluator->target = ct_thresholds_target(roots, feature, i->a->threshold);
    int64_t known = ct_thresholds_known(worker, roots, feature);
    int bounded = i->bound >= evaluator->target &&
                  (ct_uses(worker, CT_SHORTCUT_INTERVAL) || ct_uses(worker, CT_SHORTCUT_CROSSED));
    if (known >= evaluator->target) {
        ct_features_note(roots, feature, ct_larger_cost(known, i->bound));
        if (is_whole(roots, i)) worker->statistics.skipped_roots++;
        return 1;
    }
    if (!bounded && !ct_is_halted(worker)) return 0;
    if (!bounded) {
        ct_features_leave(roots, feature, i->a, i->b, i->bound);
        return 1;
    }
    ct_features_note(roots, feature, i->bound);
    count_closed(evaluator, i);
    return 1;
}

/* 0 if the interval is closed; else *t becomes the threshold to evaluate. */
static int pick(ct_evaluator *evaluator, uint32_t feature, const ct_interval *i, uint32_t *t)
{
    ct_worker *worker = evaluator->worker;
    uint32_t rows[2];
    *t = hinted_threshold(evaluator, feature);
    if (ct_thresholds_close(evaluator, feature, i) || (!*t && !window(evaluator, feature, i, rows)))
        return 0;
    worker->statistics.hints += *t > 0;
    if (*t) return 1;
    if (is_whole(evaluator->roots, i) && ct_uses(worker, CT_SHORTCUT_MEDIANS))
        worker->statistics.medians++;
    if (!evaluator->roots->leaf_runs || !ct_leaf_runs_pick(evaluator, feature, i, rows, t))
        *t = middle_threshold(evaluator, feature, i, rows);
    else if (!*t) { /* no tree there costs less than the target; the thresholds besides are noted */
        ct_observe_interval(worker, evaluator->roots, feature, rows[0] - 1, rows[1] + 1,
                            evaluator->target);
        ct_features_note(evaluator->roots, feature, evaluator->target);
    }
    return *t > 0;
}

ct_candidate *ct_thresholds_begin(ct_evaluator *evaluator, uint32_t feature, ct_interval *i)
{
    uint32_t t;
    if (!pick(evaluator, feature, i, &t)) return NULL;
    ct_candidate *m = begin_candidate(evaluator, feature, i, t);
    if (m) return m;
    ct_features_leave(evaluator->roots, feature, i->a, i->b, i->bound);
    ct_worker_stop(evaluator->worker, CT_END_MEMORY);
    return NULL;
}

void ct_thresholds_evaluate_late(ct_evaluator *evaluator, uint32_t feature, const ct_interval *i,
                                 ct_candidate *m)
{
    ct_roots *roots = evaluator->roots;
    if (!ct_thresholds_close(evaluator, feature, i)) {
        evaluator->target = ct_thresholds_target(roots, feature, m->threshold);
        evaluate(evaluator, feature, i, m);
        return;
    }
    roots->work.busy--;
    m->open++;
    ct_features_end_work(roots, i);
    ct_features_release_candidate(roots, m);
}

/* Whether the interval may hold trees as good as the best one, which would be taken instead, and
 * none that is better. It may then come last: a better tree closes it. (On a device intervals are
 * taken up elsewhere too.) */
static int may_wait(const ct_evaluator *evaluator, uint32_t feature, const ct_interval *i)
{
    const ct_roots *roots = evaluator->roots;
    if (roots->ties_now || (evaluator->worker->queue && !roots->task->on_cpu) ||
        !ct_uses(evaluator->worker, CT_SHORTCUT_TIES_LAST))
        return 0;
    return i->bound >= roots->known.best && ties(roots, feature, i->a->threshold);
}

ct_interval *ct_thresholds_take(ct_evaluator *evaluator, uint32_t *f)
{
    ct_roots *roots = evaluator->roots;
    for (int32_t chosen; (chosen = ct_features_choose(roots)) >= 0;) {
        ct_interval *i = roots->features[chosen].open;
        *f = (uint32_t) chosen;
        roots->features[*f].open = i->next;
        roots->features[*f].begun = 1;
        if (!may_wait(evaluator, *f, i)) return i;
        ct_features_put_off(roots, *f, i);
        evaluator->worker->statistics.put_off++;
    }
    return NULL;
}

CT_FLAT void ct_thresholds_work_on(ct_evaluator *evaluator, uint32_t feature, ct_interval *i)
{
    ct_candidate *m = ct_thresholds_begin(evaluator, feature, i);
    if (m) evaluate(evaluator, feature, i, m);
}
