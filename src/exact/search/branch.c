#include "exact/search/branch.h"

#include <string.h>

#include "exact/bound/class_counts.h"
#include "exact/search/evidence.h"
#include "exact/search/observed.h"
#include "exact/search/price.h"
#include "exact/search/quadrants.h"
#include "exact/search/solve.h"
#include "exact/search/triples.h"
#include "exact/rows/abreast.h"
#include "exact/rows/outer.h"
#include "exact/rows/ranks.h"
#include "exact/rows/tests.h"

/* Children are laid out anew when they have less than this share of the layout's rows. Measured,
 * see bench/notes/exact.md. */
static const double COMPACT_BELOW = 0.3;

/* Many rows of which a large share would be wrong in a leaf are searched for long, and every scan
 * below goes through the rows of the layout. Measured, see the same notes. */
enum { LONG_SEARCH_ROWS = 4096, LONG_SEARCH_SHARE = 8 };
static const double COMPACT_LONG_BELOW = 0.9;

/* With a response scans list the rows of a node, and go through those of its layout for that. */
static const double COMPACT_RESPONSE_BELOW = 0.9;

/* Whether a side of a row set is solved by counts, so that few of its sets are there. */
static int is_counted(const ct_worker *worker, const ct_layout *layout, const ct_exact_task *task)
{
    return layout->tests && layout->tests->n_tests <= CT_MOST_TESTS &&
           ct_triples_apply(worker, layout, task);
}

/* A layout of its own for a child, where that pays: not for depth two, whose nodes are cheap as
 * they are, unless the layout cannot hold the planes of more than one feature. */
static int wants_layout(const ct_worker *worker, const ct_node *node, const ct_exact_task *task)
{
    uint32_t n_rows = node->n_rows + node->n_outer;
    unsigned depth = task->depth;
    if (!ct_uses(worker, CT_SHORTCUT_COMPACTION)) return 0;
    if (worker->search->costs->response)
        return n_rows < COMPACT_RESPONSE_BELOW * node->layout->n_rows &&
               !is_counted(worker, node->layout, task);
    if (depth < 3 && !node->layout->planes.one_at_a_time) return 0;
    if (depth <= 3 && node->layout->tests) return 0;
    int64_t unit = ct_cost_of_units(worker->search->costs, 1);
    int takes_long = n_rows >= LONG_SEARCH_ROWS &&
                     LONG_SEARCH_SHARE * (node->leaf_cost / unit) >= n_rows;
    return n_rows < (takes_long ? COMPACT_LONG_BELOW : COMPACT_BELOW) * node->layout->n_rows;
}

/* Whether that is one for scans of many child features at once. */
static int wants_abreast(const ct_worker *worker, const ct_node *node, const ct_exact_task *task)
{
    return ct_uses(worker, CT_SHORTCUT_COMPACTION) && task->depth == 2 && task->leaves != 2 &&
           !is_counted(worker, node->layout, task) &&
           ct_abreast_fits(worker, node->n_rows + node->n_outer, node->layout->n_cols);
}

/* The node of a side, laid out where it is; with its outer set where the parent's is known. */
static ct_status side_node(ct_evaluator *evaluator, uint32_t f, const ct_candidate *m, int side,
                           const ct_exact_task *task, ct_node *node)
{
    const ct_node *parent = evaluator->roots->node;
    ct_worker *worker = evaluator->worker;
    ct_outer outer;
    if (is_counted(worker, parent->layout, task))
        return ct_tests_side(worker, &worker->arena, parent, f, m->threshold, side,
                             &evaluator->totals[side], node);
    CT_TRY(ct_node_side(worker, &worker->arena, parent, f, m->threshold, side,
                        &evaluator->totals[side], node));
    if (!parent->sized) return CT_OK;
    uint32_t around = ((const ct_branching *) evaluator->extra)->around[side];
    CT_TRY(ct_outer_side(worker, &worker->arena, parent, f, around, side, node, &outer));
    if (!outer.sized) return CT_OK;
    node->sized = 1;
    node->rows.outer = outer.rows;
    node->n_outer = outer.n_rows;
    return CT_OK;
}

/* Puts the rows of a node into a layout of their own. */
static ct_status lay_out(ct_worker *worker, const ct_node *node, int abreast, ct_node *whole)
{
    ct_layout *layout = ct_layout_part(worker, node->layout, node->rows.sets, node->rows.outer,
                                       node->rows.begin, node->rows.end,
                                       node->n_rows + node->n_outer, abreast);
    if (!layout || (abreast && ct_abreast_make(worker, layout) != CT_OK) ||
        ct_tests_make(worker, layout) != CT_OK)
        return CT_NO_MEMORY;
    CT_TRY(ct_node_whole(worker, &worker->arena, layout, whole));
    whole->sized = node->sized;
    whole->rows.outer = layout->outer;
    whole->n_outer = node->n_outer;
    return CT_OK;
}

/* Fills in one side of m that is not searched: its root bounds and hints are those it was given. */
static void keep_given(const ct_roots *roots, const ct_exact_task *task, ct_candidate *m, int side)
{
    int copy = task->hint && task->hint_at == 0;
    for (size_t i = 0; i < ct_heap_size(task->depth); i++)
        m->trees[side][i] = copy ? task->hint[i] : CT_LEAF_CODE;
    memcpy(m->root_bounds[side], task->root_bounds,
           roots->node->layout->n_cols * sizeof *task->root_bounds);
}

/* The number of a side of threshold t of f, see quadrants.h. */
static size_t side_number(const ct_layout *layout, uint32_t f, uint32_t t, int side)
{
    const ct_tests *tests = layout->tests;
    return 2 * (size_t) tests->test_of[tests->first[f] + t - 1] +
           (size_t) (ct_tests_left_is_in(layout, f, t) != side);
}

/* Solves a side that counts may know something of. */
static ct_bounds solve_side(ct_evaluator *evaluator, uint32_t f, ct_candidate *m, int side,
                            const ct_node *child, ct_exact_task task)
{
    ct_roots *roots = evaluator->roots;
    ct_worker *worker = evaluator->worker;
    ct_quadrants *quadrants = roots->quadrants;
    size_t number = 0;
    if (quadrants) task.sides = CT_ARENA_NEW(&worker->arena, int64_t, quadrants->n);
    if (task.sides) {
        number = side_number(roots->node->layout, f, m->threshold, side);
        ct_quadrants_ask(quadrants, roots->work.team, number, task.sides);
    }
    ct_bounds bounds = ct_solve(worker, NULL, child, &task, m->root_bounds[side], m->trees[side]);
    if (task.sides) ct_quadrants_tell(quadrants, roots->work.team, number, task.sides);
    return bounds;
}

ct_bounds ct_branch_solve(ct_evaluator *evaluator, uint32_t f, ct_candidate *m, int side)
{
    const ct_exact_task *task = &((const ct_branching *) evaluator->extra)->task[side];
    ct_worker *worker = evaluator->worker;
    ct_arena_mark mark = ct_arena_here(&worker->arena);
    ct_bounds bounds = {0, 0, INT64_MAX};
    ct_node node, whole;
    const ct_node *child = &node;
    ct_exact_task limited = *task;
    ct_price_limit(worker, ct_leaf_cost(worker->search->costs, &evaluator->totals[side]),
                   &limited);
    ct_status status = side_node(evaluator, f, m, side, &limited, &node);
    int abreast = status == CT_OK && wants_abreast(worker, &node, &limited);
    if (status == CT_OK && (abreast || wants_layout(worker, &node, &limited))) {
        status = lay_out(worker, &node, abreast, &whole);
        child = &whole;
    }
    if (status == CT_OK)
        bounds = solve_side(evaluator, f, m, side, child, *task);
    else keep_given(evaluator->roots, task, m, side); /* there was no memory */
    ct_arena_release(&worker->arena, mark);
    return bounds;
}

/* The tree of the nearer neighbour; at the first candidate of a feature, what the task itself was
 * hinted at. */
static void choose_hint(const ct_roots *roots, uint32_t f, const ct_candidate *a,
                        const ct_candidate *b, const ct_candidate *m, int side, ct_exact_task *task)
{
    const ct_candidate *near = m->n_left - a->n_left <= b->n_left - m->n_left ? a : b,
                       *far = near == a ? b : a;
    if (!near->trees[side]) near = far;
    task->hint = near->trees[side];
    task->hint_at = 0;
    task->hint_size = (uint32_t) ct_heap_size(task->depth);
    const ct_exact_task *own = roots->task;
    if (task->hint || !own->hint || own->hint_at >= own->hint_size) return;
    if (own->hint[own->hint_at].feature != (int32_t) f) return;
    task->hint = own->hint;
    task->hint_at = 2 * own->hint_at + 1 + (uint32_t) side;
    task->hint_size = own->hint_size;
}

/* Row sets behind one split are nested in their siblings, which evaluate() looks at; others are
 * looked up here. */
static ct_bound_cache *cache_for(const ct_worker *worker, const ct_path *path)
{
    if (ct_search_is_sized(worker)) return NULL; /* bounds go by outer sets */
    return path->n > 1 && ct_uses(worker, CT_SHORTCUT_BOUND_CACHE) ? worker->cache : NULL;
}

/* Bounds of trees with fewer leaves are remembered apart; what a price makes of fewer levels holds
 * at all depths (price.h), as which they count as 0. */
static unsigned cached_as(const ct_worker *worker, int64_t leaf, const ct_exact_task *task)
{
    ct_exact_task limited = *task;
    CT_ASSERT(task->depth <= CT_MAX_DEPTH);
    int any_depth = ct_price_limit(worker, leaf, &limited) && limited.depth < task->depth;
    return (any_depth ? 0 : task->depth) + (CT_MAX_DEPTH + 1) * task->leaves;
}

/* 1 if what is known of one side of m does for its task; *bounds are then its bounds. May raise
 * m->lower. */
static int is_settled(ct_worker *worker, const ct_totals *totals, uint32_t n_rows,
                      const ct_exact_task *task, ct_candidate *m, int side, ct_bounds *bounds)
{
    if (ct_is_halted(worker) || m->lower[side] >= task->cap) return 1;
    if (ct_solve_at_once(worker, totals, task, bounds)) return 1;
    ct_bound_cache *cache = cache_for(worker, task->path);
    if (!cache) return 0;
    int64_t max_cost = ct_maximum_cost(worker->search->costs, totals, n_rows);
    int64_t leaf = ct_leaf_cost(worker->search->costs, totals),
            bound = ct_bound_cache_find(cache, task->path, cached_as(worker, leaf, task), max_cost);
    ct_observe_cached(worker, task->path, task->depth, bound);
    m->lower[side] = ct_larger_cost(m->lower[side], bound);
    int hit = m->lower[side] >= task->cap;
    worker->statistics.cache_hits += (uint64_t) hit;
    return hit;
}

int ct_branch_ask(ct_evaluator *evaluator, ct_candidate *m, int side, ct_bounds *bounds)
{
    const ct_roots *roots = evaluator->roots;
    ct_worker *worker = evaluator->worker;
    const ct_exact_task *task = &((const ct_branching *) evaluator->extra)->task[side];
    uint32_t size = side ? roots->node->n_rows - m->n_left : m->n_left;
    int64_t leaf = ct_leaf_cost(worker->search->costs, &evaluator->totals[side]);
    CT_ASSERT(leaf >= 0 && size > 0 && size < roots->node->n_rows);
    *bounds = (ct_bounds){0, 0, leaf};
    m->best_child[side] = -1;
    if (is_settled(worker, &evaluator->totals[side], size, task, m, side, bounds)) {
        keep_given(roots, task, m, side);
        return 0;
    }
    worker->statistics.capped_sides += task->cap < leaf;
    return 1;
}

void ct_branch_answer(ct_evaluator *evaluator, ct_candidate *m, int side, ct_bounds *bounds)
{
    ct_worker *worker = evaluator->worker;
    const ct_exact_task *task = &((const ct_branching *) evaluator->extra)->task[side];
    const ct_totals *totals = &evaluator->totals[side];
    uint32_t size = side ? evaluator->roots->node->n_rows - m->n_left : m->n_left;
    int64_t leaf = ct_leaf_cost(worker->search->costs, totals);
    if (bounds->upper < ct_smaller_cost(task->cap, leaf))
        m->best_child[side] = m->trees[side][0].feature;
    else bounds->upper = leaf;
    CT_ASSERT(bounds->upper <= leaf && bounds->relaxed >= 0);
    ct_bound_cache *cache = cache_for(worker, task->path);
    int64_t max_cost = ct_maximum_cost(worker->search->costs, totals, size);
    if (!cache) return;
    ct_observe_cached(worker, task->path, task->depth, bounds->relaxed);
    ct_bound_cache_add(cache, task->path, cached_as(worker, leaf, task), max_cost, bounds->relaxed);
}

/* What all sides need that are solved, whether by a search or at once. */
static void note_side(ct_evaluator *evaluator, ct_candidate *m, int side, const ct_bounds *bounds)
{
    const ct_worker *worker = evaluator->worker;
    uint32_t size = side ? evaluator->roots->node->n_rows - m->n_left : m->n_left;
    int64_t proven = bounds->proven;
    m->lower[side] = ct_larger_cost(m->lower[side], bounds->relaxed);
    CT_ASSERT(m->lower[side] >= 0 && bounds->upper >= 0);
    if (ct_may_split(worker, size)) proven = ct_larger_cost(proven, m->lower[side]);
    else proven = ct_leaf_cost(worker->search->costs, &evaluator->totals[side]);
    evaluator->upper[side] = bounds->upper;
    m->proven += proven;
}

/* Whether there is no other threshold between a and b that would need what is found at m; where
 * columns have few values. */
static int is_alone(const ct_roots *roots, uint32_t f, const ct_candidate *a,
                    const ct_candidate *b, const ct_candidate *m)
{
    const ct_layout *layout = roots->node->layout;
    uint32_t last = b == &roots->ends[1] ? layout->n_values[f] : b->threshold;
    return layout->tests && a->threshold + 1 == m->threshold && m->threshold + 1 == last;
}

/* Then a side matters only as far as the other one leaves m below the target; and no further than
 * to `most`, at first. */
static void cap_alone(const ct_evaluator *evaluator, const ct_candidate *m, int side, int64_t most)
{
    const ct_worker *worker = evaluator->worker;
    if (ct_uses(worker, CT_SHORTCUT_CAPS))
        ((ct_branching *) evaluator->extra)->task[side].cap = ct_smaller_cost(
            most, evaluator->target - worker->search->split_cost - m->lower[!side]);
}

/* What a side costs at least that is split so many levels deep: as many splits, besides the errors
 * that are known. */
static int64_t with_levels(const ct_evaluator *evaluator, unsigned depth, int64_t lower)
{
    int64_t split = evaluator->worker->search->split_cost,
            unit = ct_cost_of_units(evaluator->worker->search->costs, 1),
            most = ((int64_t) 1 << depth) - 1;
    return ct_larger_cost(lower, (split < unit / most ? lower & -unit : 0) + depth * split);
}

/* Trees of less than all levels cost what is known of all rows; of all others one side has all of
 * its levels. */
static void bound_both(const ct_evaluator *evaluator, ct_candidate *m)
{
    const ct_roots *roots = evaluator->roots;
    const ct_worker *worker = evaluator->worker;
    unsigned depth = roots->task->depth - 1;
    if (!ct_price_counts(worker) || roots->node->sized || roots->task->leaves) return;
    int64_t deep[2], fewer = roots->ends[0].lower[1] - worker->search->split_cost;
    for (int side = 0; side < 2; side++) deep[side] = with_levels(evaluator, depth, m->lower[side]);
    m->both = ct_smaller_cost(fewer, ct_smaller_cost(deep[0] + m->lower[1],
                                                     m->lower[0] + deep[1]));
}

/* What a side costs at least that may be split three levels deep: as much as with two levels, or
 * as that takes. */
static int64_t three_levels(const ct_evaluator *evaluator, uint32_t f, const ct_candidate *m,
                            int side, int64_t lower)
{
    const ct_roots *roots = evaluator->roots;
    if (!roots->quadrants) return lower;
    size_t number = side_number(roots->node->layout, f, m->threshold, side);
    int64_t two = ct_atomic_read(&roots->quadrants->sides[number]);
    return ct_larger_cost(lower, ct_smaller_cost(two, with_levels(evaluator, 3, lower)));
}

int ct_branch_begin(ct_evaluator *evaluator, uint32_t f, const ct_candidate *a,
                    const ct_candidate *b, ct_candidate *m)
{
    const ct_roots *roots = evaluator->roots;
    ct_worker *worker = evaluator->worker;
    ct_branching *branching = (ct_branching *) evaluator->extra;
    uint32_t threshold = ct_layout_to_global(roots->node->layout, f, m->threshold);
    const int64_t known[2] = {b->lower[1], a->lower[0]};
    CT_ASSERT(m->threshold > 0 && m->threshold < roots->node->layout->n_values[f]);
    CT_ASSERT(a->n_left <= m->n_left && m->n_left <= b->n_left);
    CT_ASSERT(known[0] >= 0 && known[1] >= 0 && roots->task->depth > 2);
    branching->around[0] = b->threshold; /* 0 at the ends */
    branching->around[1] = a->threshold;
    for (int side = 0; side < 2; side++) {
        ct_exact_task *task = &branching->task[side];
        branching->path[side] = ct_path_extend(roots->task->path, f, side, threshold);
        task->path = &branching->path[side];
        task->as_side = 1;
        task->sides = NULL;
        task->every_root = 0;
        task->depth = roots->task->depth - 1;
        task->leaves = roots->task->side_leaves[side];
        task->side_leaves[0] = task->side_leaves[1] = 0; /* see few_leaves() in solve.c */
        task->known = NULL;
        task->seen = evaluator->seen;
        task->gap = 0;
        task->on_cpu = roots->task->on_cpu;
        task->first_of_ties = roots->task->first_sides;
        task->first_sides = task->error_free = 0;
        /* As in depth2.c: a side matters only up to what closes the interval towards the other
         * neighbour. It is solved up to there even if the other side already rules m out; solving
         * less leaves the neighbours open. */
        task->cap = evaluator->target - worker->search->split_cost - known[side];
        task->root_bounds = branching->root_bounds[side];
        ct_root_bounds_between(a, b, m, side, roots->node->layout->n_cols,
                               branching->root_bounds[side]);
        choose_hint(roots, f, a, b, m, side, task);
        int64_t counts = ct_class_count_bound(worker, &evaluator->totals[side],
                                              roots->node->layout->n_classes, task->depth);
        m->lower[side] = three_levels(evaluator, f, m, side,
                                      ct_larger_cost(counts, ct_between(a, b, m, side)));
    }
    bound_both(evaluator, m);
    int closed = ct_uses(worker, CT_SHORTCUT_CLASS_COUNTS) &&
                 ct_candidate_total(worker, m) >= evaluator->target;
    worker->statistics.closed_counts += (uint64_t) closed;
    ct_evidence_candidate(worker, roots->node->layout, f, m->threshold, closed);
    m->proven = closed ? ct_candidate_total(worker, m) : worker->search->split_cost;
    for (int side = 0; side < 2; side++) {
        m->best_child[side] = -1;
        if (closed) keep_given(roots, &branching->task[side], m, side);
        else if (!ct_uses(worker, CT_SHORTCUT_CAPS)) branching->task[side].cap = INT64_MAX;
    }
    return !closed;
}

int64_t ct_branch_end(ct_evaluator *evaluator, ct_candidate *m, const ct_bounds bounds[2])
{
    const ct_worker *worker = evaluator->worker;
    for (int side = 0; side < 2; side++) note_side(evaluator, m, side, &bounds[side]);
    bound_both(evaluator, m);
    if (ct_may_split_at(worker, evaluator->roots->node->n_rows, m->n_left))
        return worker->search->split_cost + bounds[0].upper + bounds[1].upper;
    m->proven = INT64_MAX;
    return INT64_MAX;
}

static void solve_in_turn(ct_evaluator *evaluator, uint32_t f, ct_candidate *m, int side,
                          ct_bounds *bounds)
{
    if (ct_branch_ask(evaluator, m, side, bounds)) {
        ct_evidence_begin(evaluator->worker);
        *bounds = ct_branch_solve(evaluator, f, m, side);
        ct_branch_answer(evaluator, m, side, bounds);
    }
    ct_evidence_end(evaluator->worker);
}

/* Whether a side that costs less than that has fewer splits than it may have levels: it is then
 * solved in a fraction of the time. */
static int affords_less(const ct_evaluator *evaluator, int64_t cost)
{
    const ct_worker *worker = evaluator->worker;
    return ct_uses(worker, CT_SHORTCUT_HALVES) && ct_uses(worker, CT_SHORTCUT_CAPS) &&
           ct_price_counts(worker) && cost > worker->search->split_cost &&
           ct_price_affords(worker, cost) + 1 < evaluator->roots->task->depth;
}

/* What sides of m have to cost for it to be closed: half of what they may together, or what a side
 * that has all of its levels leaves to the other one. 0 where that takes as many levels. */
static int shares(const ct_evaluator *evaluator, const ct_candidate *m, int first, int64_t share[2])
{
    const ct_roots *roots = evaluator->roots;
    unsigned depth = roots->task->depth - 1;
    int64_t both = evaluator->target - evaluator->worker->search->split_cost;
    share[first] = both - both / 2;
    share[!first] = both / 2;
    if (roots->ends[0].lower[1] >= evaluator->target && !roots->node->sized)
        for (int side = 0; side < 2; side++)
            share[side] = ct_smaller_cost(
                share[side], both - with_levels(evaluator, depth, m->lower[!side]));
    return affords_less(evaluator, ct_larger_cost(share[0], share[1]));
}

/* Both sides of a lone threshold, first the one that costs more as a leaf: it may well close m by
 * itself. Where both cost their shares, m is closed; so where that takes fewer levels, they are
 * solved up to there before one of them is solved further. */
static void solve_alone(ct_evaluator *evaluator, uint32_t f, ct_candidate *m, ct_bounds bounds[2])
{
    int64_t share[2], most[2] = {INT64_MAX, INT64_MAX};
    const ct_exact_costs *costs = evaluator->worker->search->costs;
    int first = ct_leaf_cost(costs, &evaluator->totals[1]) >
                ct_leaf_cost(costs, &evaluator->totals[0]),
        halves = shares(evaluator, m, first, share), again = 0;
    if (halves) most[0] = share[first];
    for (int turn = 0; turn < 2 + again; turn++) {
        int side = first ^ (turn & 1);
        cap_alone(evaluator, m, side, turn < 2 ? most[turn] : INT64_MAX);
        solve_in_turn(evaluator, f, m, side, &bounds[side]);
        m->lower[side] = ct_larger_cost(m->lower[side], bounds[side].relaxed);
        int costs_share = halves && bounds[first].upper >= share[first]; /* its trees are open */
        if (turn == 0 && costs_share) most[1] = share[!first];
        if (turn == 1) again = costs_share && bounds[!first].upper < share[!first];
    }
}

static int64_t evaluate(ct_evaluator *evaluator, uint32_t f, const ct_candidate *a,
                        const ct_candidate *b, ct_candidate *m)
{
    ct_bounds bounds[2];
    if (!ct_branch_begin(evaluator, f, a, b, m)) return INT64_MAX;
    if (is_alone(evaluator->roots, f, a, b, m)) solve_alone(evaluator, f, m, bounds);
    else for (int side = 0; side < 2; side++) solve_in_turn(evaluator, f, m, side, &bounds[side]);
    return ct_branch_end(evaluator, m, bounds);
}

static void know_ends(ct_evaluator *evaluator)
{
    ct_roots *roots = evaluator->roots;
    ct_worker *worker = evaluator->worker;
    ct_exact_task task = {0};
    task.depth = roots->task->depth - 1;
    task.path = roots->task->path;
    task.as_side = 1;
    task.cap = task.seen = INT64_MAX;
    task.on_cpu = roots->task->on_cpu;
    int64_t *root_bounds = CT_ARENA_NEW(evaluator->arena, int64_t, roots->node->layout->n_cols);
    ct_split_code *tree = CT_ARENA_NEW(evaluator->arena, ct_split_code, ct_heap_size(task.depth));
    if (!root_bounds || !tree) return;
    const ct_tests *tests = roots->node->layout->tests;
    if (tests && task.depth == 3 && tests->n_tests <= CT_MOST_TESTS &&
        !worker->search->costs->response)
        roots->quadrants = ct_quadrants_new(evaluator->arena, tests->n_tests);
    task.sides = roots->quadrants ? roots->quadrants->sides : NULL;
    worker->statistics.ends++;
    /* where a tree without errors is known, sides that need three splits close most roots */
    task.every_root = roots->known.best < ct_cost_of_units(worker->search->costs, 1);
    ct_bounds bounds = ct_solve(worker, NULL, roots->node, &task, root_bounds, tree);
    roots->ends[0].root_bounds[1] = roots->ends[1].root_bounds[0] = root_bounds;
    roots->ends[0].lower[1] = roots->ends[1].lower[0] = bounds.relaxed;
    if (!roots->node->layout->tests) return;
    roots->by_key = 1;
    for (uint32_t f = 0; f < roots->node->layout->n_cols; f++)
        roots->features[f].key = root_bounds[f];
}

static ct_candidate *new_candidate(ct_roots *roots)
{
    ct_arena *arena = roots->arena;
    size_t n_cols = roots->node->layout->n_cols, heap = ct_heap_size(roots->task->depth - 1);
    ct_candidate *candidate = CT_ARENA_NEW(arena, ct_candidate, 1);
    int64_t *root_bounds = CT_ARENA_NEW(arena, int64_t, 2 * n_cols);
    ct_split_code *trees = CT_ARENA_NEW(arena, ct_split_code, 2 * heap);
    if (!candidate || !root_bounds || !trees) return NULL;
    memset(candidate, 0, sizeof *candidate);
    for (int side = 0; side < 2; side++) {
        candidate->root_bounds[side] = root_bounds + (size_t) side * n_cols;
        candidate->trees[side] = trees + (size_t) side * heap;
    }
    return candidate;
}

static ct_status new_extra(ct_evaluator *evaluator)
{
    ct_arena *arena = evaluator->arena;
    size_t n_cols = evaluator->roots->node->layout->n_cols;
    ct_branching *branching = CT_ARENA_NEW(arena, ct_branching, 1);
    int64_t *root_bounds = CT_ARENA_NEW(arena, int64_t, 2 * n_cols);
    evaluator->extra = branching;
    if (!branching || !root_bounds) return CT_NO_MEMORY;
    for (int side = 0; side < 2; side++)
        branching->root_bounds[side] = root_bounds + (size_t) side * n_cols;
    return CT_OK;
}

ct_status ct_branch_init(ct_roots *roots, ct_worker *worker)
{
    int64_t *zeros = CT_ARENA_ZEROED(roots->arena, int64_t, roots->node->layout->n_cols);
    if (!zeros) return ct_worker_no_memory(worker);
    roots->evaluate = evaluate;
    /* no gain was seen with two classes or further up; where counts find out what all rows cost,
     * that takes next to nothing beside the search */
    if ((roots->task->depth == 3 && roots->node->layout->n_classes > 2) ||
        (roots->task->depth > 3 && roots->node->layout->tests && !roots->task->leaves))
        roots->know_ends = know_ends;
    roots->new_candidate = new_candidate;
    roots->new_extra = new_extra;
    for (int end = 0; end < 2; end++)
        roots->ends[end].root_bounds[0] = roots->ends[end].root_bounds[1] = zeros;
    worker->statistics.nodes++;
    return CT_OK;
}
