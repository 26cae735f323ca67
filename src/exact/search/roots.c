#include "exact/search/roots.h"

#include <math.h>
#include <string.h>

#include "exact/bound/class_counts.h"
#include "exact/run/history.h"
#include "exact/cost/price.h"
#include "exact/search/features.h"
#include "exact/rows/ranks.h"

/* A floor of which nothing is known. */
static const int64_t UNKNOWN = INT64_MAX / 4;

/* See call_time(). */
static const double CLEARLY_LONG = 2e5;

/* ---- what is left to find ---- */

/* Of equal trees the first is wanted: that of the first feature, and of its first threshold. So as
 * long as the best known one comes after threshold t of `feature`, those from there on must be told
 * apart from it, not only from better ones. */
static int ties_count(const ct_roots *roots, uint32_t feature, uint32_t t)
{
    if (!roots->task->first_of_ties || !roots->known.improved) return 0;
    uint32_t best = (uint32_t) roots->known.tree[0].feature;
    return feature < best || (feature == best && t < roots->known.best_threshold);
}

CT_HOT int64_t target_from(const ct_roots *roots, uint32_t feature, uint32_t t)
{
    return roots->known.best - roots->task->gap + ties_count(roots, feature, t);
}

/* What is proven about a root feature before the search. */
CT_HOT int64_t known_root_bound(const ct_worker *worker, const ct_roots *roots, uint32_t feature)
{
    int handed_on = roots->task->root_bounds && ct_uses(worker, CT_SHORTCUT_ROOT_FEATURES);
    return handed_on ? ct_larger_cost(roots->known.least, roots->task->root_bounds[feature])
                     : roots->known.least;
}

static inline void lower_cap(ct_roots *roots, int64_t by)
{
    roots->cap -= by;
    if (roots->cap >= roots->known.best) return;
    roots->known.best = roots->cap;
    roots->known.improved = 0; /* the tree stays, as a hint */
}

/* Others may have found a better tree for the whole table since this task's cap was set, when costs
 * of the whole table had to be told apart below `seen`. The cap falls by as much as that has fallen
 * since. (The team is told of a limit that holds for all thresholds, with one more for ties: a
 * threshold may come before the new best one although it came after the old one.) */
CT_HOT void refresh(const ct_worker *worker, ct_roots *roots)
{
    if (!worker->team || !roots->task->path->n || !ct_uses(worker, CT_SHORTCUT_CAPS)) return;
    int64_t now = ct_team_limit(worker->team), fallen = roots->seen - now;
    if (fallen <= 0 || roots->seen == INT64_MAX) return;
    roots->seen = now;
    lower_cap(roots, fallen);
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
CT_HOT int window(ct_evaluator *evaluator, uint32_t feature, const ct_interval *i, uint32_t rows[2])
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
    rows[0] = (uint32_t) low;
    rows[1] = (uint32_t) high;
    return low <= high;
}

/* The threshold among first .. last with the most trailing zeros; it needs the fewest planes. */
static uint32_t roundest(const ct_worker *worker, uint32_t first, uint32_t last)
{
    if (!ct_uses(worker, CT_SHORTCUT_DYADIC)) return first + (last - first) / 2;
    uint32_t zeros = 0;
    while ((first - 1) >> zeros != last >> zeros) zeros++;
    return zeros ? last >> (zeros - 1) << (zeros - 1) : last;
}

/* A threshold that leaves so many rows on the left, near the middle of both these and the
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
    if (first <= last) return roundest(evaluator->worker, first, last);
    ct_node_window(evaluator->worker, roots->node, feature, rows[0], rows[1], &first, &last);
    quarter = (last - first) / 4;
    return first <= last ? roundest(evaluator->worker, first + quarter, last - quarter) : 0;
}

/* The hint's root threshold, if `feature` is the hint's and it separates the rows; else 0. */
CT_HOT uint32_t hinted_threshold(ct_evaluator *evaluator, uint32_t feature)
{
    ct_roots *roots = evaluator->roots;
    if ((int32_t) feature != roots->hinted) return 0;
    roots->hinted = -1;
    const ct_layout *layout = roots->node->layout;
    uint32_t t = ct_layout_from_global(layout, feature,
                                       roots->task->hint[roots->task->hint_at].threshold);
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

/* A better tree for the whole table. */
static void announce(ct_evaluator *evaluator)
{
    const ct_roots *roots = evaluator->roots;
    ct_progress moment;
    ct_team_tell(roots->work.team,
                 roots->known.best - roots->task->gap + roots->task->first_of_ties);
    ct_history_look(evaluator->worker->search->history, &moment);
}

CT_HOT void settle(ct_evaluator *evaluator, uint32_t feature, const ct_candidate *m, int64_t upper)
{
    ct_roots *roots = evaluator->roots;
    int64_t total = ct_candidate_total(evaluator->worker, m);
    ct_features_note_both(roots, feature, total, ct_larger_cost(total, m->proven));
    roots->known.separate = ct_larger_cost(roots->known.separate, m->lower[0] + m->lower[1]);
    if (upper < roots->known.best + ties_count(roots, feature, m->threshold)) {
        CT_ASSERT(total <= upper);
        roots->known.best = upper;
        roots->known.improved = 1;
        roots->known.best_threshold = m->threshold;
        for (int side = 0; side < 2; side++) roots->known.best_side[side] = evaluator->upper[side];
        keep_tree(roots, feature, m);
        if (roots == evaluator->worker->search->history->search) announce(evaluator);
    } else if (!roots->known.improved && total < roots->known.promising) {
        roots->known.promising = total;
        keep_tree(roots, feature, m);
    }
}

static int is_whole(const ct_roots *roots, const ct_interval *i)
{
    return i->a == &roots->ends[0] && i->b == &roots->ends[1];
}

CT_HOT void count_sides(ct_evaluator *evaluator, uint32_t feature, ct_candidate *m)
{
    const ct_node *node = evaluator->roots->node;
    m->n_left = ct_node_counts(evaluator->worker, node, feature, m->threshold,
                               &evaluator->totals[0]);
    m->max_left = ct_maximum_cost(evaluator->worker->search->costs, &evaluator->totals[0],
                                  m->n_left);
    ct_totals_rest(&evaluator->totals[1], &node->totals, &evaluator->totals[0],
                   node->layout->n_classes);
}

/* A candidate at threshold t of interval i, both under evaluation from here on; NULL if memory
 * ends. */
CT_HOT ct_candidate *begin_candidate(ct_evaluator *evaluator, uint32_t feature, ct_interval *i,
                                     uint32_t t)
{
    ct_roots *roots = evaluator->roots;
    ct_candidate *m = ct_features_take_candidate(roots);
    if (!m) return NULL;
    m->threshold = t;
    evaluator->target = target_from(roots, feature, t);
    evaluator->seen = roots->work.whole ? evaluator->target : seen_below(roots);
    roots->work.busy++;
    ct_features_begin_work(roots, i);
    return m;
}

/* Takes in what was found there and leaves the two parts of the interval open. */
CT_HOT void end_candidate(ct_evaluator *evaluator, uint32_t feature, const ct_interval *i,
                          ct_candidate *m, int64_t upper)
{
    ct_roots *roots = evaluator->roots;
    ct_worker *worker = evaluator->worker;
    roots->work.busy--;
    settle(evaluator, feature, m, upper);
    if (is_whole(roots, i) && ct_uses(worker, CT_SHORTCUT_MEDIANS))
        roots->features[feature].key = ct_candidate_total(worker, m);
    m->open++;
    ct_features_push_halves(worker, roots, feature, i->a, m, i->b);
    ct_features_end_work(
        roots, i); /* now that its parts are open: none of its thresholds is ever without a bound */
    ct_features_release_candidate(roots, m);
}

/* Evaluates threshold t of interval i; 0 if memory ends. */
CT_HOT int evaluate(ct_evaluator *evaluator, uint32_t feature, ct_interval *i, uint32_t t)
{
    ct_roots *roots = evaluator->roots;
    ct_candidate *m = begin_candidate(evaluator, feature, i, t);
    if (!m) return 0;
    ct_team_unlock(roots->work.team);
    count_sides(evaluator, feature, m);
    int64_t upper = roots->evaluate(evaluator, feature, i->a, i->b, m);
    evaluator->worker->statistics.thresholds++;
    ct_team_lock(roots->work.team);
    end_candidate(evaluator, feature, i, m, upper);
    return 1;
}

/* For the statistics: by which of the two bounds the interval is closed. */
CT_HOT void count_closed(ct_evaluator *evaluator, const ct_interval *i)
{
    ct_worker *worker = evaluator->worker;
    int64_t straight = worker->search->split_cost + i->a->lower[0] + i->b->lower[1];
    if (ct_uses(worker, CT_SHORTCUT_INTERVAL) && straight >= evaluator->target)
        worker->statistics.intervals++;
    else worker->statistics.crossed++;
}

CT_HOT int close_interval(ct_evaluator *evaluator, uint32_t feature, const ct_interval *i)
{
    ct_roots *roots = evaluator->roots;
    ct_worker *worker = evaluator->worker;
    refresh(worker, roots);
    evaluator->target = target_from(roots, feature, i->a->threshold);
    int64_t known = known_root_bound(worker, roots, feature);
    int bounded = i->bound >= evaluator->target &&
                  (ct_uses(worker, CT_SHORTCUT_INTERVAL) || ct_uses(worker, CT_SHORTCUT_CROSSED));
    if (known >= evaluator->target) {
        ct_features_note(roots, feature, ct_larger_cost(known, i->bound));
        if (is_whole(roots, i)) worker->statistics.skipped_roots++;
        return 1;
    }
    if (!bounded && !ct_is_halted(worker)) return 0;
    ct_features_note(roots, feature, i->bound);
    if (bounded) count_closed(evaluator, i);
    return 1;
}

/* 0 if the interval is closed; else *t becomes the threshold to evaluate. */
CT_HOT int pick(ct_evaluator *evaluator, uint32_t feature, const ct_interval *i, uint32_t *t)
{
    ct_worker *worker = evaluator->worker;
    uint32_t rows[2];
    *t = hinted_threshold(evaluator, feature);
    if (close_interval(evaluator, feature, i) || (!*t && !window(evaluator, feature, i, rows)))
        return 0;
    worker->statistics.hints += *t > 0;
    if (*t) return 1;
    if (is_whole(evaluator->roots, i) && ct_uses(worker, CT_SHORTCUT_MEDIANS))
        worker->statistics.medians++;
    *t = middle_threshold(evaluator, feature, i, rows);
    return *t > 0;
}

/* Closes an interval, or splits it at a new candidate. */
CT_HOT void work_on(ct_evaluator *evaluator, uint32_t feature, ct_interval *i)
{
    ct_roots *roots = evaluator->roots;
    uint32_t t;
    if (pick(evaluator, feature, i, &t) && !evaluate(evaluator, feature, i, t)) {
        ct_features_note(roots, feature, i->bound);
        roots->lost = 1;
    }
    if (roots->lost) ct_worker_stop(evaluator->worker, CT_END_MEMORY);
}

/* ---- the steps, for waves.c and scheduler.c ---- */

int64_t ct_roots_target(const ct_roots *roots, uint32_t feature, uint32_t t)
{
    return target_from(roots, feature, t);
}

int ct_roots_close(ct_evaluator *evaluator, uint32_t feature, const ct_interval *i)
{
    return close_interval(evaluator, feature, i);
}

int ct_roots_window(ct_evaluator *evaluator, uint32_t feature, const ct_interval *i,
                    uint32_t *first, uint32_t *last)
{
    uint32_t rows[2];
    if (!window(evaluator, feature, i, rows)) return 0;
    ct_node_window(evaluator->worker, evaluator->roots->node, feature, rows[0], rows[1], first,
                   last);
    return *first <= *last;
}

void ct_roots_count_sides(ct_evaluator *evaluator, uint32_t feature, ct_candidate *m)
{
    count_sides(evaluator, feature, m);
}

void ct_roots_settle(ct_evaluator *evaluator, uint32_t feature, const ct_candidate *m,
                     int64_t upper)
{
    settle(evaluator, feature, m, upper);
}

ct_candidate *ct_roots_begin_candidate(ct_evaluator *evaluator, uint32_t feature, ct_interval *i)
{
    uint32_t t;
    if (!pick(evaluator, feature, i, &t)) return NULL;
    ct_candidate *m = begin_candidate(evaluator, feature, i, t);
    if (m) return m;
    ct_features_note(evaluator->roots, feature, i->bound);
    evaluator->roots->lost = 1;
    return NULL;
}

void ct_roots_end_candidate(ct_evaluator *evaluator, uint32_t feature, const ct_interval *i,
                            ct_candidate *m, int64_t upper)
{
    end_candidate(evaluator, feature, i, m, upper);
}

void ct_roots_refresh(const ct_worker *worker, ct_roots *roots)
{
    refresh(worker, roots);
}

void ct_roots_lower_cap(const ct_worker *worker, ct_roots *roots, int64_t by)
{
    if (ct_uses(worker, CT_SHORTCUT_CAPS)) lower_cap(roots, by);
}

/* ---- taking part ---- */

int ct_roots_join(ct_evaluator *evaluator, ct_roots *roots, ct_worker *worker)
{
    const ct_costs *costs = worker->search->costs;
    evaluator->worker = worker;
    evaluator->roots = roots;
    int ready = ct_totals_new(&evaluator->totals[0], costs, &worker->arena);
    ready = ready && ct_totals_new(&evaluator->totals[1], costs, &worker->arena);
    if (ready && roots->new_extra(evaluator)) return 1;
    ct_worker_stop(worker, CT_END_MEMORY);
    return 0;
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
    return i->bound >= roots->known.best && ties_count(roots, feature, i->a->threshold);
}

int ct_roots_step(ct_evaluator *evaluator)
{
    ct_roots *roots = evaluator->roots;
    int32_t f = ct_features_choose(roots);
    if (f < 0) return ct_features_take_up(roots);
    ct_interval *i = roots->features[f].open;
    roots->features[f].open = i->next;
    roots->features[f].begun = 1;
    if (may_wait(evaluator, (uint32_t) f, i)) {
        ct_features_put_off(roots, (uint32_t) f, i);
        evaluator->worker->statistics.put_off++;
        return 1;
    }
    work_on(evaluator, (uint32_t) f, i);
    ct_features_give_back(roots, i);
    return 1;
}

/* Gives the best root split the subtrees that the rule wants: of each side the first of its equal
 * trees. They are searched afresh by this worker alone, knowing their costs, and begin with what
 * was found. */
static void settle_ties(ct_roots *roots, ct_worker *worker)
{
    ct_evaluator evaluator;
    ct_task last = *roots->task;
    ct_roots again = *roots; /* with another task */
    ct_candidate near[2] = {roots->ends[0], roots->ends[1]}, *m = ct_features_take_candidate(roots);
    if (!roots->known.improved || ct_is_halted(worker) || !m ||
        !ct_roots_join(&evaluator, &again, worker))
        return;
    uint32_t f = (uint32_t) roots->known.tree[0].feature;
    again.task = &last;
    last.on_cpu = 1;
    last.first_sides = 1;
    last.hint = roots->known.tree;
    last.hint_at = 0;
    last.hint_size = (uint32_t) ct_heap_size(last.depth);
    /* near: one neighbour with the very cost of its side, and for the other side nothing; neither
     * names a child to begin with, so that of equal ones the first is found first */
    for (int side = 0; side < 2; side++) {
        near[side].lower[side] = roots->known.best_side[side];
        near[side].lower[!side] = 0;
        near[side].errors[!side] = near[side].errors[side];
        near[side].root_bounds[!side] = near[side].root_bounds[side];
        near[side].best_child[!side] = -1;
    }
    m->threshold = roots->known.best_threshold;
    count_sides(&evaluator, f, m);
    evaluator.target = roots->known.best + 1;
    evaluator.seen = INT64_MAX;
    if (again.evaluate(&evaluator, f, &near[0], &near[1], m) == roots->known.best)
        keep_tree(roots, f, m);
}

/* ---- all features ---- */

/* Whether the trees asked for are those of the whole table. */
static int is_root(const ct_task *task) { return !task->path->n && !task->as_side; }

/* The feature of the hint's root; -1 if there is no hint. */
static int32_t hinted_feature(const ct_worker *worker, const ct_task *task)
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

int ct_roots_init(ct_roots *roots, ct_worker *worker, ct_team *team, const ct_node *node,
                  const ct_task *task, int64_t *root_bounds, ct_split_code *tree)
{
    uint32_t n_cols = node->layout->n_cols;
    memset(roots, 0, sizeof *roots);
    roots->node = node;
    roots->task = task;
    roots->worker = worker;
    roots->work.reserve = team;
    roots->arena = team ? &team->arena : &worker->arena;
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
    roots->edge = is_root(task) ? worker->search->min_bucket : 1;
    roots->ends[1].n_left = node->n_rows;
    roots->ends[1].max_left = node->max_cost;
    roots->current = -1;
    roots->hinted = hinted_feature(worker, task);
    for (size_t i = 0; i < ct_heap_size(task->depth); i++) tree[i] = CT_LEAF_CODE;
    for (uint32_t f = 0; f < n_cols; f++) root_bounds[f] = UNKNOWN;
    roots->features = CT_ARENA_ZEROED(&worker->arena, ct_feature, n_cols);
    if (!roots->features) ct_worker_stop(worker, CT_END_MEMORY);
    return roots->features != NULL;
}

/* Opens every feature that the root may have: the hint's first, then, with medians, one candidate
 * of each before going on with any. */
static void open_features(ct_roots *roots, ct_worker *worker)
{
    uint32_t n_cols = roots->node->layout->n_cols;
    for (uint32_t f = 0; f < n_cols; f++) {
        roots->features[f].key = f;
        if (is_root(roots->task) && !ct_may_be_root(worker, f)) continue;
        ct_features_push(worker, roots, f, &roots->ends[0], &roots->ends[1]);
    }
    if (roots->lost) ct_worker_stop(worker, CT_END_MEMORY);
    if (!ct_uses(worker, CT_SHORTCUT_MEDIANS)) roots->next_whole = n_cols;
}

/* A floor covers all trees with that root feature, also those whose threshold does not separate the
 * rows at hand, since it may separate those of a neighbouring set. Such a tree costs a split and a
 * tree T of the level below on all rows. T is no better than the best tree here or than what
 * know_ends() has proven of T; and restricted to the two sides of any candidate, it costs what it
 * did and its splits once more. It has no more of these than the level allows, and none that cost
 * more than the leaf. */
static int64_t empty_sided(const ct_roots *roots, const ct_worker *worker, int64_t relaxed)
{
    int64_t split = worker->search->split_cost,
            most = ((int64_t) 1 << (roots->task->depth - 1)) - 1;
    most = ct_smaller_cost(most, roots->leaf / split);
    relaxed = ct_larger_cost(relaxed, roots->ends[0].lower[1]);
    return split + ct_larger_cost(relaxed, roots->known.separate - most * split);
}

static ct_bounds finish(ct_roots *roots, const ct_worker *worker)
{
    uint32_t n_cols = roots->node->layout->n_cols;
    ct_bounds bounds = {roots->leaf, 0, roots->known.improved ? roots->known.best : roots->leaf};
    for (uint32_t f = 0; f < n_cols; f++)
        bounds.relaxed = ct_smaller_cost(
            bounds.relaxed,
            ct_larger_cost(roots->known.root_bounds[f], known_root_bound(worker, roots, f)));
    int64_t most = empty_sided(roots, worker, bounds.relaxed);
    for (uint32_t f = 0; f < n_cols; f++) {
        int only_here = is_root(roots->task) &&
                        roots->known.root_bounds[f] != UNKNOWN; /* there are no neighbours */
        if (!only_here)
            roots->known.root_bounds[f] = ct_smaller_cost(roots->known.root_bounds[f], most);
        roots->known.root_bounds[f] = ct_larger_cost(roots->known.root_bounds[f],
                                                     known_root_bound(worker, roots, f));
    }
    bounds.proven = ct_larger_cost(bounds.relaxed,
                                   ct_smaller_cost(roots->known.proven, roots->leaf));
    return bounds;
}

int ct_roots_begin(ct_evaluator *evaluator, ct_roots *roots, ct_worker *worker)
{
    open_features(roots, worker);
    return ct_roots_join(evaluator, roots, worker);
}

ct_bounds ct_roots_end(ct_evaluator *evaluator)
{
    if (evaluator->roots->end_extra) evaluator->roots->end_extra(evaluator);
    ct_features_note_open(evaluator->roots);
    return finish(evaluator->roots, evaluator->worker);
}

void ct_roots_progress(const void *search, ct_progress *progress)
{
    const ct_roots *roots = (const ct_roots *) search;
    const ct_worker *worker = roots->worker;
    int64_t lower = ct_smaller_cost(roots->known.proven, roots->leaf),
            upper = roots->known.improved ? roots->known.best : roots->leaf;
    double open = 0, all = (double) roots->node->n_rows * roots->node->layout->n_cols;
    for (int32_t f = -1; f < (int32_t) roots->node->layout->n_cols; f++) {
        for (const ct_interval *i = f < 0 ? roots->working : roots->features[f].open; i;
             i = i->next) {
            lower = ct_smaller_cost(lower, i->bound);
            open += i->b->n_left - i->a->n_left;
        }
        for (const ct_interval *i = f < 0 ? NULL : roots->features[f].later; i; i = i->next)
            open += i->b->n_left - i->a->n_left;
    }
    lower = ct_smaller_cost(ct_larger_cost(lower, roots->known.least), upper);
    progress->upper = ct_price_value(worker->search->costs, upper);
    progress->lower = ct_price_bound(worker->search->costs, lower);
    progress->closed = 1 - open / all;
}

/* A tree that is known before the search. */
static void adopt(ct_roots *roots, const ct_known_tree *known)
{
    if (!known || known->cost >= roots->known.best) return;
    roots->known.best = known->cost;
    roots->known.improved = 1;
    roots->known.best_threshold = known->codes[0].threshold;
    for (int side = 0; side < 2; side++) roots->known.best_side[side] = known->side[side];
    memcpy(roots->known.tree, known->codes,
           ct_heap_size(roots->task->depth) * sizeof *roots->known.tree);
}

void ct_roots_open(ct_roots *roots, ct_worker *worker)
{
    open_features(roots, worker);
    adopt(roots, roots->task->known);
    if (roots->work.reserve) roots->work.call_at = call_time(worker, roots);
}

ct_bounds ct_roots_close_up(ct_roots *roots, ct_worker *worker)
{
    ct_features_note_open(roots);
    if (roots->task->first_of_ties) settle_ties(roots, worker);
    return finish(roots, worker);
}
