#include "exact/search/depth2.h"

#include <string.h>

#include "exact/bound/class_counts.h"
#include "exact/cost/response.h"
#include "exact/search/evidence.h"
#include "exact/search/in_full.h"
#include "exact/kernels/conditions.h"
#include "exact/rows/abreast.h"
#include "exact/rows/planes.h"

/* The least errors that a split must stay below so that split_cost + errors is below `cost`. */
static int64_t need_below(const ct_worker *worker, int64_t cost)
{
    unsigned shift = ct_kernel_shift(worker);
    int64_t room = cost - worker->search->split_cost, unit = (int64_t) 1 << shift;
    CT_ASSERT(shift < 62 && worker->search->split_cost >= 0);
    return room <= 0 ? 0 : (room + unit - 1) >> shift;
}

static int64_t split_cost(const ct_worker *worker, int64_t errors)
{
    CT_ASSERT(errors >= 0);
    return worker->search->split_cost + errors * ((int64_t) 1 << ct_kernel_shift(worker));
}

/* Class counts and neighbours alone: sets m->lower and the floor of all errors of each side. 1 if m
 * is closed. */
static int close_by_counts(const ct_evaluator *evaluator, const ct_candidate *a,
                           const ct_candidate *b, ct_candidate *m, ct_children *children)
{
    ct_worker *worker = evaluator->worker;
    uint32_t n_classes = evaluator->roots->node->layout->n_classes;
    if (n_classes <= 2 || !ct_uses(worker, CT_SHORTCUT_CLASS_COUNTS)) return 0;
    for (int side = 0; side < 2; side++) {
        int64_t counts = ct_class_count_bound(worker, &evaluator->totals[side], n_classes, 1);
        m->lower[side] = ct_larger_cost(counts, ct_between(a, b, m, side));
        /* A split is a tree of depth one: at least the side's bound, less what it pays for itself.
         */
        children->floor[side] = need_below(worker, m->lower[side]);
    }
    return ct_candidate_total(worker, m) >= evaluator->target;
}

/* Keeps at m what is known of its children without a scan. */
static void keep_bounds(const ct_worker *worker, ct_children *children, const ct_candidate *a,
                        const ct_candidate *b, ct_candidate *m)
{
    ct_bound_begins(children);
    worker->search->kernels->bound(children);
    for (int side = 0; side < 2; side++) m->best_child[side] = (side ? b : a)->best_child[side];
}

/* Facts M and Lip hold for the errors of each child feature apart, over the splits that are legal
 * in the node; a scan looks at all of these, also where they do not separate the side. The child
 * features that won at the neighbours come first: they bring the errors down. */
static void prepare(const ct_evaluator *evaluator, const ct_candidate *a, const ct_candidate *b,
                    ct_candidate *m, ct_children *c)
{
    unsigned shift = ct_kernel_shift(evaluator->worker);
    CT_ASSERT(a->n_left <= m->n_left && m->n_left <= b->n_left);
    CT_ASSERT(m->n_left > 0 && m->n_left < evaluator->roots->node->n_rows);
    c->size[0] = m->n_left;
    c->size[1] = evaluator->roots->node->n_rows - m->n_left;
    c->far_rows[0] = (b->max_left - m->max_left) >> shift;
    c->far_rows[1] = (m->max_left - a->max_left) >> shift;
    for (int side = 0; side < 2; side++) {
        const ct_candidate *within = side ? b : a, *around = side ? a : b;
        c->near[side] = within->errors[side];
        c->far[side] = around->errors[side];
        c->errors[side] = m->errors[side];
        c->floor[side] = 0;
        c->first[2 * side] = a->best_child[side];
        c->first[2 * side + 1] = b->best_child[side];
    }
}

/* Whether one side of the root has no leaves left to be split into. */
static int is_leaf_alone(const ct_evaluator *evaluator, int side)
{
    return evaluator->roots->task->side_leaves[side] == 1;
}

/* Below what the scans are to find a split of either side, whose leaves cost so much or no less.
 * Returns for how many sides that is below the leaf.
 *
 * A side matters only up to what closes the interval towards the other neighbour: with l(m) >= best
 * - split cost - r(b) everything between m and b is closed, and the total of m itself is no
 * improvement since r(m) >= r(b). */
CT_HOT unsigned set_needs(const ct_evaluator *evaluator, const ct_candidate *a,
                          const ct_candidate *b, ct_children *children, const int64_t leaf[2])
{
    const ct_worker *worker = evaluator->worker;
    int64_t known[2] = {b->lower[1], a->lower[0]};
    int64_t cap = ct_uses(worker, CT_SHORTCUT_CAPS) ? evaluator->target - worker->search->split_cost
                                                    : INT64_MAX / 2;
    unsigned n_capped = 0;
    for (int side = 0; side < 2; side++) {
        CT_ASSERT(leaf[side] >= 0 && known[side] >= 0);
        children->need[side] = need_below(worker, ct_smaller_cost(leaf[side], cap - known[side]));
        if (is_leaf_alone(evaluator, side)) children->need[side] = 0;
        n_capped += cap - known[side] < leaf[side];
    }
    return n_capped;
}

/* What the leaves of both sides cost at least. */
static void bound_leaves(const ct_evaluator *evaluator, int64_t leaf[2])
{
    for (int side = 0; side < 2; side++)
        leaf[side] = ct_leaf_bound(evaluator->worker->search->costs, &evaluator->totals[side]);
}

/* What the scans are to find of either side, and what its leaf costs. 1 if m itself may be a split.
 */
CT_HOT int ask(const ct_evaluator *evaluator, const ct_candidate *a, const ct_candidate *b,
               const ct_candidate *m, ct_children *children, int64_t leaf[2])
{
    ct_worker *worker = evaluator->worker;
    int allowed = ct_may_split_at(worker, evaluator->roots->node->n_rows, m->n_left);
    /* without an allowed split the least relaxed errors are all that is asked for */
    for (int side = 0; side < 2; side++)
        children->min_rows[side] = allowed && ct_may_split(worker, children->size[side])
                                       ? worker->search->min_bucket
                                       : 1;
    bound_leaves(evaluator, leaf);
    worker->statistics.capped_sides += set_needs(evaluator, a, b, children, leaf);
    return allowed;
}

/* Takes in what was found of both sides. */
CT_HOT int64_t answer(ct_evaluator *evaluator, ct_candidate *m, const ct_children *children,
                      const int64_t leaf[2], int allowed)
{
    const ct_worker *worker = evaluator->worker;
    int64_t upper = worker->search->split_cost;
    m->proven = upper;
    for (int side = 0; side < 2; side++) {
        int64_t relaxed = split_cost(worker, children->least[side]);
        int64_t split = split_cost(worker, children->least_allowed[side]);
        int may_split = ct_may_split(worker, children->size[side]);
        m->lower[side] = ct_smaller_cost(leaf[side], relaxed);
        CT_ASSERT(m->lower[side] >= 0 && relaxed <= split);
        if (is_leaf_alone(evaluator, side)) may_split = 0, m->lower[side] = leaf[side];
        m->best_child[side] = may_split ? children->best[side] : -1;
        evaluator->upper[side] = m->best_child[side] >= 0 ? split : leaf[side];
        upper += evaluator->upper[side];
        m->proven += may_split ? ct_smaller_cost(leaf[side], split) : leaf[side];
    }
    if (allowed) return upper;
    m->proven = INT64_MAX;
    return INT64_MAX;
}

/* 1 if class counts and neighbours alone have closed m, which is then filled in. */
CT_HOT int begin(const ct_evaluator *evaluator, const ct_candidate *a, const ct_candidate *b,
                 ct_candidate *m, ct_children *children)
{
    evaluator->worker->statistics.thresholds2++;
    prepare(evaluator, a, b, m, children);
    if (!close_by_counts(evaluator, a, b, m, children)) return 0;
    keep_bounds(evaluator->worker, children, a, b, m);
    evaluator->worker->statistics.closed_counts++;
    m->proven = ct_candidate_total(evaluator->worker, m);
    return 1;
}

/* What new_extra() makes. */
typedef struct {
    ct_children children;
    ct_in_full *in_full; /* NULL: scans round nothing */
    ct_tally_notes *tallies, *outer_tallies; /* NULL: none */
} depth2_extra;

/* Asks for sizes of leaves where child features are scanned by tallies. */
static void ask_sizes_of_tallies(const ct_evaluator *evaluator, uint32_t f, uint32_t around,
                                 int side, ct_children *children)
{
    const ct_node *node = evaluator->roots->node;
    ct_tally_notes *notes = ((const depth2_extra *) evaluator->extra)->outer_tallies;
    uint32_t n_rows = node->n_rows + node->n_outer, n_left = side ? 0 : n_rows;
    children->tallies.outer_left[side] = NULL;
    if (!children->outer_all[side])
        children->tallies.outer_left[side] = ct_tallies_left(notes, evaluator->worker, f, around,
                                                             &n_left);
    children->tallies.outer_size[side] = side ? n_rows - n_left : n_left;
}

/* Splits are to leave enough rows of the outer set of their side: of the neighbour's rows that are
 * on it. */
static void ask_sizes(const ct_evaluator *evaluator, uint32_t f, const ct_candidate *a,
                      const ct_candidate *b, ct_children *children)
{
    ct_layout *layout = evaluator->roots->node->layout;
    ct_worker *worker = evaluator->worker;
    children->outer_rows = evaluator->roots->node->sized ? worker->search->min_bucket : 0;
    for (int side = 0; children->outer_rows && side < 2; side++) {
        uint32_t around = (side ? a : b)->threshold; /* 0 at the ends */
        children->outer_all[side] = !around || layout->planes.one_at_a_time;
        if (children->tallies.first) ask_sizes_of_tallies(evaluator, f, around, side, children);
        if (children->outer_all[side] || children->tallies.first) continue;
        if (layout->abreast) {
            children->outer_cut[side] = ct_abreast_cut(worker, layout, f, around);
            continue;
        }
        ct_threshold_set(&children->outer[side], around, layout->n_planes[f]);
        ct_planes_of(worker, layout, f, &children->outer[side], NULL);
    }
}

/* The planes for threshold t of f. */
static void take_planes(const ct_evaluator *evaluator, uint32_t f, uint32_t t,
                        ct_children *children)
{
    ct_worker *worker = evaluator->worker;
    ct_layout *layout = evaluator->roots->node->layout;
    if (children->tallies.first) {
        ct_tally_notes *notes = ((const depth2_extra *) evaluator->extra)->tallies;
        children->tallies.left = ct_tallies_left(notes, worker, f, t, NULL);
        return;
    }
    if (layout->abreast) {
        children->cut = ct_abreast_cut(worker, layout, f, t);
        return;
    }
    children->planes = evaluator->planes;
    if (children->planes) {
        ct_threshold_set(&children->threshold, 1, 1);
        return;
    }
    ct_threshold_set(&children->threshold, t, layout->n_planes[f]);
    if (layout->planes.one_at_a_time)
        worker->search->kernels->bound(children); /* what is out by these needs no planes */
    children->planes = ct_planes_of(worker, layout, f, &children->threshold, children);
    worker->statistics.planes_spared += children->threshold.first;
}

/* See ct_roots.prepare: the bounds say which child features the scans will look at. */
static void prepare_planes(ct_evaluator *evaluator, ct_plane_group *group, uint32_t f,
                           const ct_candidate *a, const ct_candidate *b, ct_candidate *m)
{
    const ct_worker *worker = evaluator->worker;
    ct_children *children = (ct_children *) evaluator->extra;
    int64_t leaf[2];
    prepare(evaluator, a, b, m, children);
    int closed = close_by_counts(evaluator, a, b, m, children);
    if (!closed) {
        bound_leaves(evaluator, leaf);
        set_needs(evaluator, a, b, children, leaf);
        ct_bound_begins(children);
        worker->search->kernels->bound(children);
    }
    ct_plane_group_add(group, worker, evaluator->roots->node->layout, f, m->threshold,
                       closed ? NULL : children);
}

/* Takes the other ends of what the sides cost where they cost no more than the best tree is known
 * to cost at least. Returns the cost; INT64_MAX if that is not so. */
static int64_t most_of_sides(ct_evaluator *evaluator, const ct_candidate *m,
                             const ct_children *children)
{
    const ct_exact_search *search = evaluator->worker->search;
    int64_t most[2], upper = search->split_cost;
    if (evaluator->roots->node->rows.wide) return INT64_MAX;
    for (int side = 0; side < 2; side++) {
        most[side] = ct_response_at_most(search->costs->response, evaluator->upper[side],
                                         children->size[side]);
        if (most[side] >= evaluator->clear - upper) return INT64_MAX;
        upper += most[side];
    }
    for (int side = 0; side < 2; side++) evaluator->upper[side] = most[side];
    CT_ASSERT(m->proven <= upper);
    evaluator->unsure = upper - m->proven;
    return upper;
}

/* The answer of scans of a rounded response, whose numbers are bounds: counts in full where by
 * these m may be best, and may not. */
static int64_t answer_in_full(ct_evaluator *evaluator, uint32_t f, const ct_candidate *a,
                              const ct_candidate *b, ct_candidate *m, ct_children *children,
                              int64_t leaf[2], int allowed)
{
    ct_in_full *in_full = ((const depth2_extra *) evaluator->extra)->in_full;
    int64_t upper = answer(evaluator, m, children, leaf, allowed);
    evaluator->unsure = 0;
    if (!in_full) return upper;
    if (!allowed || m->proven >= evaluator->target) return INT64_MAX;
    upper = most_of_sides(evaluator, m, children);
    if (upper < INT64_MAX) return upper;
    ct_in_full_leaves(in_full, evaluator, f, m->threshold, leaf);
    set_needs(evaluator, a, b, children, leaf);
    for (int side = 0; side < 2; side++)
        if (children->need[side] > 0 && ct_may_split(evaluator->worker, children->size[side]))
            ct_in_full_split(in_full, evaluator, side, children);
    return answer(evaluator, m, children, leaf, allowed);
}

static int64_t evaluate(ct_evaluator *evaluator, uint32_t f, const ct_candidate *a,
                        const ct_candidate *b, ct_candidate *m)
{
    const ct_roots *roots = evaluator->roots;
    ct_worker *worker = evaluator->worker;
    ct_layout *layout = roots->node->layout;
    ct_children *children = (ct_children *) evaluator->extra;
    int64_t leaf[2];
    CT_ASSERT(m->threshold > 0 && m->threshold < layout->n_values[f]);
    int closed = begin(evaluator, a, b, m, children);
    ct_evidence_candidate(worker, layout, f, m->threshold, closed);
    if (closed) return INT64_MAX;
    int allowed = ask(evaluator, a, b, m, children, leaf);
    children->in_order = roots->task->first_sides;
    ask_sizes(evaluator, f, a, b, children);
    take_planes(evaluator, f, m->threshold, children);
    ct_children_begin(children);
    worker->search->kernels->of[roots->node->kind].children(children);
    ct_children_end(children);
    ct_worker_poll(worker, layout->n_cols * (uint64_t) layout->n_classes * roots->node->n_rows);
    return answer_in_full(evaluator, f, a, b, m, children, leaf, allowed);
}

/* Evaluates a threshold both of whose sides are leaves. */
static int64_t evaluate_stump(ct_evaluator *evaluator, uint32_t f, const ct_candidate *a,
                              const ct_candidate *b, ct_candidate *m)
{
    const ct_worker *worker = evaluator->worker;
    const ct_node *node = evaluator->roots->node;
    ct_in_full *in_full = ((const depth2_extra *) evaluator->extra)->in_full;
    CT_ASSERT(a->n_left < m->n_left && m->n_left < b->n_left && f < node->layout->n_cols);
    (void) a, (void) b;
    int allowed = ct_may_split_at(worker, node->n_rows, m->n_left);
    bound_leaves(evaluator, m->lower);
    int decides = allowed && ct_candidate_total(worker, m) < evaluator->target;
    if (in_full && decides) ct_in_full_leaves(in_full, evaluator, f, m->threshold, m->lower);
    for (int side = 0; side < 2; side++) {
        m->best_child[side] = -1;
        evaluator->upper[side] = m->lower[side];
    }
    ct_worker_poll(evaluator->worker, node->n_rows);
    m->proven = allowed ? ct_candidate_total(worker, m) : INT64_MAX;
    return in_full && !decides ? INT64_MAX : m->proven;
}

/* ---- on a device ---- */

int ct_depth2_ask(ct_evaluator *evaluator, const ct_candidate *a, const ct_candidate *b,
                  ct_candidate *m, ct_depth2_question *question)
{
    ct_children *children = (ct_children *) evaluator->extra;
    if (begin(evaluator, a, b, m, children)) return 0;
    keep_bounds(evaluator->worker, children, a, b, m);
    question->allowed = ask(evaluator, a, b, m, children, question->leaf);
    for (int side = 0; side < 2; side++) {
        question->need[side] = children->need[side] > 0 ? children->need[side] : 0;
        question->min_rows[side] = children->min_rows[side];
    }
    return 1;
}

int64_t ct_depth2_answer(ct_evaluator *evaluator, ct_candidate *m,
                         const ct_depth2_question *question, const int32_t *errors)
{
    ct_children *children = (ct_children *) evaluator->extra;
    uint32_t n_cols = children->rows->n_cols;
    children->size[0] = m->n_left;
    children->size[1] = evaluator->roots->node->n_rows - m->n_left;
    for (int side = 0; side < 2; side++, errors += 2 * (size_t) n_cols) {
        int64_t need = question->need[side], least = INT64_MAX, least_allowed = INT64_MAX;
        children->best[side] = -1;
        for (uint32_t g = 0; g < n_cols; g++) {
            int64_t allowed = ct_larger_cost(m->errors[side][g], errors[n_cols + g]);
            m->errors[side][g] = ct_larger_cost(m->errors[side][g], errors[g]);
            least = ct_smaller_cost(least, m->errors[side][g]);
            least_allowed = ct_smaller_cost(least_allowed, allowed);
            if (allowed >= need) continue;
            need = allowed;
            children->best[side] = (int32_t) g;
        }
        children->least[side] = least;
        children->least_allowed[side] = least_allowed;
    }
    return answer(evaluator, m, children, question->leaf, question->allowed);
}

static ct_candidate *new_candidate(ct_roots *roots)
{
    size_t room = ct_children_room(roots->node->layout->n_cols);
    ct_candidate *candidate = CT_ARENA_NEW(roots->arena, ct_candidate, 1);
    int64_t *errors = CT_ARENA_NEW(roots->arena, int64_t, 2 * room);
    if (!candidate || !errors) return NULL;
    memset(candidate, 0, sizeof *candidate);
    candidate->errors[0] = errors;
    candidate->errors[1] = errors + room;
    return candidate;
}

/* Room for all rows of a node. */
static ct_status lists_new(const ct_rows *rows, uint32_t n_rows, uint32_t word_rows,
                           ct_arena *arena, ct_list *list)
{
    size_t room = ct_list_room(n_rows), blocks = room / CT_LIST_BLOCK + 1;
    int by_words = !rows->weights && n_rows >= word_rows;
    list->z = CT_ARENA_ZEROED(arena, int32_t, room);
    list->ranks = CT_ARENA_ZEROED(arena, uint32_t, room);
    list->most = CT_ARENA_NEW(arena, float, blocks);
    list->before = CT_ARENA_NEW(arena, int64_t, blocks);
    list->weights = rows->weights ? CT_ARENA_NEW(arena, int64_t, room) : NULL;
    list->weight_before = rows->weights ? CT_ARENA_NEW(arena, int64_t, blocks) : NULL;
    if (by_words)
        list->notes = CT_ARENA_ZEROED(arena, ct_word_notes, ct_word_notes_room(rows->words));
    int ready = list->z && list->ranks && list->most && list->before &&
                (!rows->weights || (list->weights && list->weight_before)) &&
                (!by_words || list->notes);
    return ready ? CT_OK : CT_NO_MEMORY;
}

/* Room for the marks of cuts, and for the planes that they become. */
static ct_status cuts_new(const ct_rows *rows, ct_arena *arena, ct_children *children)
{
    size_t n = ct_abreast_blocks(rows->n_cols) * rows->abreast->stride;
    for (int i = 0; i < CT_CUT_PLANES; i++) {
        children->below[i] = CT_ARENA_NEW(arena, uint16_t, n);
        if (!children->below[i]) return CT_NO_MEMORY;
    }
    children->cut_planes = CT_ARENA_ZEROED(arena, uint64_t,
                                           rows->n_cols * CT_CUT_PLANES * rows->words);
    children->planes = children->cut_planes;
    ct_children_abreast(children);
    return children->planes ? CT_OK : CT_NO_MEMORY;
}

/* Room for tallies. */
static ct_status tallies_new(ct_evaluator *evaluator, depth2_extra *extra)
{
    const ct_tally_table *table = evaluator->roots->tallies;
    extra->children.tallies = (ct_tallies){
        table->first, table->all, NULL, table->outer, {NULL, NULL}, {0, 0}, table->shift,
        table->bias};
    extra->tallies = ct_tally_notes_new(evaluator->arena, table, 0);
    if (!extra->tallies) return CT_NO_MEMORY;
    if (!table->outer) return CT_OK;
    extra->outer_tallies = ct_tally_notes_new(evaluator->arena, table, 1);
    return extra->outer_tallies ? CT_OK : CT_NO_MEMORY;
}

/* Sets up what stays the same over a solve. */
static ct_status new_extra(ct_evaluator *evaluator)
{
    const ct_worker *worker = evaluator->worker;
    const ct_node *node = evaluator->roots->node;
    ct_arena *arena = evaluator->arena;
    depth2_extra *extra = CT_ARENA_ZEROED(arena, depth2_extra, 1);
    if (!extra) return CT_NO_MEMORY;
    ct_children *children = &extra->children;
    children->rows = &node->rows;
    children->word_rows = worker->search->options->word_rows;
    for (int side = 0; side < 2; side++) {
        children->totals[side] = evaluator->totals[side].rows;
        children->masses[side] = evaluator->totals[side].masses;
        children->sums[side] = evaluator->totals[side].quantised;
        children->moments[side] = evaluator->totals[side].moments;
        children->full[side] = evaluator->totals[side].full;
        if (node->rows.response && !evaluator->roots->tallies && node->totals.moments &&
            lists_new(&node->rows, node->n_rows, children->word_rows, arena,
                      &children->lists[side]) != CT_OK)
            return CT_NO_MEMORY;
    }
    if (node->rows.abreast && cuts_new(&node->rows, arena, children) != CT_OK) return CT_NO_MEMORY;
    if (evaluator->roots->tallies && tallies_new(evaluator, extra) != CT_OK) return CT_NO_MEMORY;
    if (node->layout->full.z && !(extra->in_full = ct_in_full_new(node, arena)))
        return CT_NO_MEMORY;
    children->scan_all = !ct_uses(worker, CT_SHORTCUT_CHILD_FEATURES);
    children->in_full = !ct_uses(worker, CT_SHORTCUT_FEW_BITS);
    children->refine_all = !ct_uses(worker, CT_SHORTCUT_BLOCKS);
    children->count_all = !ct_uses(worker, CT_SHORTCUT_ACTIVE_CLASSES);
    children->active = CT_ARENA_NEW(arena, uint32_t, 3 * (size_t) node->rows.n_classes);
    children->quantised = children->active + node->rows.n_classes;
    children->labels = CT_ARENA_NEW(arena, int32_t, ct_children_labels(node->rows.n_classes));
    children->done = CT_ARENA_ZEROED(arena, uint8_t, node->rows.n_cols);
    children->scratch = CT_ARENA_NEW(arena, uint64_t,
                                     ct_children_scratch(node->rows.words, node->rows.n_classes));
    evaluator->extra = extra; /* begins with these */
    CT_ASSERT(children->rows->n_cols == node->layout->n_cols);
    return children->active && children->labels && children->done && children->scratch
               ? CT_OK
               : CT_NO_MEMORY;
}

static void end_extra(ct_evaluator *evaluator)
{
    const ct_children *children = (const ct_children *) evaluator->extra;
    evaluator->worker->statistics.scans += children->scans;
    evaluator->worker->statistics.skipped_children += children->skipped;
    evaluator->worker->statistics.dropped_classes += children->dropped_classes;
    evaluator->worker->statistics.blocks += children->blocks;
    evaluator->worker->statistics.refined += children->refined;
}

/* A threshold above all ranks 0 .. most: some plane that it reads has a zero in each of them. 0 if
 * there is none. */
static int above_all(uint32_t most, unsigned n_planes, ct_threshold *threshold)
{
    unsigned first = n_planes;
    while (first-- > 0)
        if (!(most >> first & 1)) break;
    if (first >= n_planes) return 0;
    ct_threshold_set(threshold, (UINT32_C(1) << (n_planes - 1) << 1) - (UINT32_C(1) << first),
                     n_planes);
    return 1;
}

/* One scan of all rows, as the left side of such a threshold. */
static void know_ends(ct_evaluator *evaluator)
{
    ct_roots *roots = evaluator->roots;
    ct_worker *worker = evaluator->worker;
    const ct_node *node = roots->node;
    ct_children *c = (ct_children *) evaluator->extra;
    size_t room = ct_children_room(node->layout->n_cols);
    uint32_t f = 0;
    while (f < node->layout->n_cols &&
           !above_all(node->layout->n_values[f] - 1, node->layout->n_planes[f], &c->threshold))
        f++;
    int64_t *errors = CT_ARENA_NEW(evaluator->arena, int64_t, 2 * room);
    if (f == node->layout->n_cols || !errors) return;
    worker->statistics.ends++;
    ct_totals_rest(&evaluator->totals[1], &node->totals, &node->totals, node->layout->n_classes);
    ct_totals_rest(&evaluator->totals[0], &node->totals, &evaluator->totals[1],
                   node->layout->n_classes);
    for (int side = 0; side < 2; side++) {
        c->size[side] = side ? 0 : node->n_rows;
        c->near[side] = c->far[side] = roots->ends[0].errors[0];
        c->errors[side] = errors + (size_t) side * room;
        c->far_rows[side] = c->floor[side] = 0;
        c->first[2 * side] = c->first[2 * side + 1] = -1;
        c->min_rows[side] = 1;
        c->need[side] = side ? 0 : need_below(worker, node->leaf_cost);
    }
    c->planes = ct_planes_of(worker, node->layout, f, &c->threshold, NULL);
    c->outer_rows = 0;
    ct_children_begin(c);
    worker->search->kernels->of[node->kind].children(c);
    ct_children_end(c);
    roots->ends[0].errors[1] = roots->ends[1].errors[0] = errors;
    roots->ends[0].lower[1] = roots->ends[1].lower[0] = ct_smaller_cost(
        node->leaf_cost, split_cost(worker, c->least[0]));
}

ct_status ct_depth2_init(ct_roots *roots, ct_worker *worker)
{
    uint32_t n_cols = roots->node->layout->n_cols;
    int64_t *zeros = CT_ARENA_ZEROED(roots->arena, int64_t, ct_children_room(n_cols));
    if (!zeros) return ct_worker_no_memory(worker);
    for (size_t g = n_cols; g < ct_children_room(n_cols); g++) zeros[g] = CT_NO_CHILD;
    roots->evaluate = roots->task->leaves == 2 ? evaluate_stump : evaluate;
    if (roots->node->layout->n_classes > 2 && roots->task->leaves != 2)
        roots->know_ends = know_ends; /* with two it does not pay */
    if (roots->task->leaves != 2)
        roots->tallies = ct_tally_table_new(worker, roots->arena, roots->node);
    if (roots->node->layout->planes.together && roots->task->leaves != 2 && !roots->tallies)
        roots->prepare = prepare_planes;
    if (ct_uses(worker, CT_SHORTCUT_BETWEEN) && !worker->evidence && roots->task->leaves != 2)
        roots->spans = ct_spans_new(worker, roots->arena, roots->node);
    roots->new_candidate = new_candidate;
    roots->new_extra = new_extra;
    roots->end_extra = end_extra;
    for (int end = 0; end < 2; end++) {
        roots->ends[end].errors[0] = roots->ends[end].errors[1] = zeros;
        roots->ends[end].best_child[0] = roots->ends[end].best_child[1] = -1;
    }
    worker->statistics.depth2++;
    return CT_OK;
}
