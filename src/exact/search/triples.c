#include "exact/search/triples.h"

#include <string.h>

#include "exact/bound/class_counts.h"
#include "exact/rows/ranks.h"
#include "exact/search/counting.h"
#include "exact/search/observed.h"
#include "exact/search/sized.h"
#include "exact/search/sums.h"

typedef ct_counting counting;

int ct_triples_apply(const ct_worker *worker, const ct_layout *layout, const ct_exact_task *task)
{
    const ct_exact_options *options = worker->search->options;
    if (!layout->tests || task->depth > 3 || task->leaves) return 0;
    return !ct_is_root(task) || (!options->roots && !(options->part && task->depth > 2));
}

static int64_t cost_of(const counting *x, int64_t wrong)
{
    CT_ASSERT(wrong >= 0);
    return ct_cost_of_units(x->worker->search->costs, wrong);
}

/* The rows of one side of a root, and of its largest class. */
static uint32_t rows_of_side(const counting *x, uint32_t i, int side, uint32_t *largest)
{
    return ct_counting_quadrant(x, i, i, side, side, largest);
}

/* ---- depth two ---- */

static ct_status counting_new(counting *x, ct_arena *arena)
{
    size_t n = x->tests.counts.n_tests;
    const ct_triples *t = &x->tests.counts;
    x->value = CT_ARENA_NEW(arena, int64_t, 3 * n);
    x->counts = CT_ARENA_NEW(arena, uint8_t, t->n_classes * t->stride * x->tests.lane / 8);
    x->of_class = CT_ARENA_NEW(arena, uint32_t, t->n_classes);
    x->rows = CT_ARENA_NEW(arena, uint32_t, n);
    x->shared = CT_ARENA_NEW(arena, uint32_t, n);
    x->mask = CT_ARENA_NEW(arena, uint8_t, t->rows.n_words);
    if (x->worker->search->min_split > 2) x->sized = CT_ARENA_ZEROED(arena, int64_t, n);
    if (x->worker->search->min_split > 2 && !x->sized) return CT_NO_MEMORY;
    if (!x->value || !x->counts || !x->of_class || !x->rows || !x->shared || !x->mask)
        return CT_NO_MEMORY;
    x->sides[0] = x->value + n;
    x->sides[1] = x->value + 2 * n;
    return CT_OK;
}

/* Values of trees of depth two, and what all rows cost in one of depth one. */
static void count_stumps(counting *x)
{
    const ct_triple_kernels *kernels = ct_tests_kernels(x->worker, &x->tests);
    int64_t split = x->worker->search->split_cost;
    x->below = x->leaf;
    for (uint32_t i = 0; i < x->tests.counts.n_tests; i++) {
        int64_t hits[2], leaves = split;
        kernels->stumps(&x->tests.counts, i, hits);
        x->value[i] = split;
        for (int side = 0; side < 2; side++) {
            uint32_t largest, rows = rows_of_side(x, i, side, &largest);
            leaves += cost_of(x, (int64_t) rows - largest);
            x->sides[side][i] = ct_counting_leaf_or_stump(x, rows, largest, hits[side]);
            x->value[i] += x->sides[side][i];
            if (side) x->rows[i] = rows;
        }
        x->below = ct_smaller_cost(x->below, leaves);
    }
    ct_worker_poll(x->worker, (uint64_t) x->tests.counts.n_tests * x->node->n_rows);
}

/* The least of all roots, or of a leaf. */
static int64_t least_value(const counting *x)
{
    int64_t least = x->leaf;
    for (uint32_t i = 0; i < x->tests.counts.n_tests; i++)
        least = ct_smaller_cost(least, x->value[i]);
    return least;
}

/* What was known of root features before. */
static int64_t known_before(const counting *x, uint32_t f, int64_t least)
{
    const int64_t *given = ct_uses(x->worker, CT_SHORTCUT_ROOT_FEATURES) ? x->task->root_bounds
                                                                         : NULL;
    return given ? ct_larger_cost(least, given[f]) : least;
}

/* ---- depth three ---- */

static ct_status triples_new(counting *x, ct_arena *arena)
{
    ct_triples *t = &x->tests.counts;
    size_t row = t->stride * x->tests.lane / 8;
    t->hits = CT_ARENA_ZEROED(arena, uint8_t, 4 * t->n_tests * row);
    t->done = CT_ARENA_ZEROED(arena, uint8_t, t->n_tests);
    t->parts = CT_ARENA_NEW(arena, uint32_t, (size_t) CT_TEST_BLOCK * 4 * t->n_classes);
    t->most = CT_ARENA_NEW(arena, uint8_t, CT_TEST_BLOCK * 4 * CT_TEST_BLOCK);
    t->counts = CT_ARENA_NEW(arena, uint8_t, (size_t) t->n_classes * 4 * CT_TEST_BLOCK);
    t->columns = CT_ARENA_ZEROED(arena, uint8_t, 4 * row);
    t->side.ends = CT_ARENA_NEW(arena, uint32_t, t->n_classes);
    t->side.bytes = CT_ARENA_ZEROED(arena, uint8_t, t->rows.n_words * t->stride);
    return t->hits && t->done && t->parts && t->most && t->counts && t->columns &&
                   t->side.ends && t->side.bytes
               ? CT_OK
               : CT_NO_MEMORY;
}

/* Makes the rows in root i dense; places[n_rows] is scratch memory. */
static void take_side(counting *x, uint32_t i, uint32_t *places)
{
    ct_triples *t = &x->tests.counts;
    uint32_t word = 0, from = 0;
    for (uint32_t c = 0; c < t->n_classes; c++) {
        uint32_t n = 0;
        for (uint32_t end = t->rows.ends[c]; from < end; from = from + 8 < end ? from + 8 : end) {
            uint64_t rest = 0;
            for (uint32_t w = 0; w < 8 && from + w < end; w++)
                rest |= (uint64_t) t->rows.bytes[(from + w) * t->stride + i] << 8 * w;
            for (; rest; rest &= rest - 1) places[n++] = 8 * from + ct_trailing_zeros(rest);
        }
        for (uint32_t at = 0; at < n; at += 8, word++)
            x->worker->search->kernels->gather(x->tests.records, x->tests.words, places + at,
                                               n - at < 8 ? n - at : 8,
                                               t->side.bytes + word * t->stride);
        t->side.ends[c] = word;
    }
    t->side.n_words = word;
}

/* What a side of the root costs whose best trees of depth two are right on `hits` rows. */
static int64_t side_cost(const counting *x, uint32_t i, int side, const int64_t hits[3])
{
    uint32_t largest, rows = rows_of_side(x, i, side, &largest);
    int64_t split = x->worker->search->split_cost, cost = cost_of(x, (int64_t) rows - largest);
    for (int n = 0; n < 3; n++)
        cost = ct_smaller_cost(cost, (n + 1) * split + cost_of(x, rows - hits[n]));
    return cost;
}

/* Counts the rows of root i that are in each root after it. */
static void count_shared(counting *x, uint32_t i)
{
    const ct_triples *t = &x->tests.counts;
    memset(x->shared, 0, t->n_tests * sizeof *x->shared);
    for (uint32_t c = 0; c < t->n_classes; c++) {
        size_t row = ((size_t) c * t->n_tests + i) * t->stride;
        for (uint32_t j = i + 1; j < t->n_tests; j++)
            x->shared[j] += (uint32_t) ct_triples_at(t->pairs, x->tests.lane, row + j);
    }
}

/* Bounds of the sides of root j from those of root i, which is counted. */
static void bound_root(counting *x, uint32_t i, uint32_t j)
{
    uint32_t both = x->shared[j], only_i = x->rows[i] - both, only_j = x->rows[j] - both,
             neither = x->node->n_rows - both - only_i - only_j;
    int64_t in = ct_larger_cost(x->sides[1][i] - cost_of(x, only_i),
                                x->sides[0][i] - cost_of(x, neither));
    int64_t out = ct_larger_cost(x->sides[1][i] - cost_of(x, both),
                                 x->sides[0][i] - cost_of(x, only_j));
    x->sides[1][j] = ct_larger_cost(x->sides[1][j], in);
    x->sides[0][j] = ct_larger_cost(x->sides[0][j], out);
    x->value[j] = ct_larger_cost(x->value[j], x->worker->search->split_cost + x->sides[0][j] +
                                                  x->sides[1][j]);
}

static void count_root(counting *x, uint32_t i, uint32_t *places)
{
    ct_triples *t = &x->tests.counts;
    const ct_triple_kernels *kernels = ct_tests_kernels(x->worker, &x->tests);
    int64_t hits[2][3];
    take_side(x, i, places);
    t->root = i;
    kernels->root(t);
    kernels->sides(t, hits);
    t->done[i] = 1;
    x->value[i] = x->worker->search->split_cost;
    for (int side = 0; side < 2; side++) {
        x->sides[side][i] = side_cost(x, i, side, hits[side]);
        x->value[i] += x->sides[side][i];
    }
    count_shared(x, i);
    for (uint32_t j = i + 1; j < t->n_tests; j++) bound_root(x, i, j);
    x->worker->statistics.counted++;
    ct_worker_poll(x->worker, (uint64_t) t->n_tests * t->n_tests * t->side.n_words / 8);
}

/* Which side of its own test is side `side` of a test of the layout, in the numbers of
 * quadrants.h; NULL: this separates nothing. */
static int64_t *place_of_side(const counting *x, size_t side)
{
    size_t test = side / 2;
    int32_t i = x->tests.own[test];
    return i < 0 ? NULL : &x->sides[side % 2 != (size_t) (x->tests.turned[test] != 0)][i];
}

/* What is known of sides before. */
static void take_sides(counting *x)
{
    for (size_t s = 0; x->task->sides && s < 2 * (size_t) x->node->layout->tests->n_tests; s++) {
        int64_t *bound = place_of_side(x, s);
        if (bound) *bound = ct_larger_cost(*bound, x->task->sides[s]);
    }
}

/* What is known of them now. */
static void give_sides(const counting *x)
{
    for (size_t s = 0; x->task->sides && s < 2 * (size_t) x->node->layout->tests->n_tests; s++) {
        const int64_t *bound = place_of_side(x, s);
        if (bound) x->task->sides[s] = *bound;
    }
}

/* Bounds of all roots before the first is counted: by Lip from the level below; and what is no
 * better as a leaf or with one split has two. */
static void begin_roots(counting *x, int64_t least)
{
    const ct_tests *tests = x->node->layout->tests;
    int64_t split = x->worker->search->split_cost;
    for (uint32_t i = 0; i < x->tests.counts.n_tests; i++) {
        int64_t in = cost_of(x, x->rows[i]), out = cost_of(x, x->node->n_rows) - in;
        x->sides[0][i] = ct_larger_cost(ct_smaller_cost(x->sides[0][i], 2 * split), x->below - in);
        x->sides[1][i] = ct_larger_cost(ct_smaller_cost(x->sides[1][i], 2 * split), x->below - out);
    }
    take_sides(x);
    for (uint32_t i = 0; i < x->tests.counts.n_tests; i++)
        x->value[i] = ct_larger_cost(least, split + x->sides[0][i] + x->sides[1][i]);
    for (uint32_t f = 0; f < x->node->layout->n_cols; f++)
        for (uint32_t s = tests->first[f]; s < tests->first[f + 1]; s++) {
            int32_t i = x->tests.own[tests->test_of[s]];
            if (i >= 0) x->value[i] = ct_larger_cost(x->value[i], known_before(x, f, least));
        }
}

/* Root i, whose value is its least cost but for sizes. */
static void take(counting *x, uint32_t i)
{
    if (x->sized) ct_sized_take(x, i);
    else ct_counting_take(x, i);
}

static ct_status count_triples(counting *x, ct_arena *arena, int64_t least)
{
    ct_triples *t = &x->tests.counts;
    uint32_t *places = CT_ARENA_NEW(arena, uint32_t, x->node->n_rows);
    if (!places || triples_new(x, arena) != CT_OK) return CT_NO_MEMORY;
    begin_roots(x, least);
    for (uint32_t i = 0, first = 0; i < t->n_tests && !ct_is_halted(x->worker); i++) {
        int64_t below = x->best - x->task->gap + ct_counting_comes_first(x, i);
        if (x->value[i] >= below && !x->task->every_root) continue;
        while (t->done[first]) first++;
        t->from = first / 8 * 8;
        count_root(x, i, places);
        take(x, i);
    }
    give_sides(x);
    return CT_OK;
}

/* ---- the tree ---- */

/* The best third test of a quadrant that is known to have one. */
static uint32_t best_third(const counting *x, uint32_t i, uint32_t j, int a, int b)
{
    int64_t wrong;
    return (uint32_t) ct_counting_third(x, i, j, a, b, &wrong);
}

/* Whether test j parts the rows of a side of root i. */
static int parts_side(const counting *x, uint32_t i, int side, uint32_t j)
{
    uint32_t largest;
    return ct_counting_quadrant(x, i, j, side, 0, &largest) &&
           ct_counting_quadrant(x, i, j, side, 1, &largest);
}

/* The test at the root of the best tree of depth two of a side; of equal ones the first. A test
 * that parts nothing costs no more where splits cost nothing. */
static uint32_t best_second(const counting *x, uint32_t i, int side)
{
    int64_t least = INT64_MAX, leaf;
    uint32_t best = 0;
    for (uint32_t j = 0; j < x->tests.counts.n_tests; j++) {
        int64_t cost = ct_counting_quadrant_cost(x, i, j, side, 0, &leaf) +
                       ct_counting_quadrant_cost(x, i, j, side, 1, &leaf);
        if (cost > least || (cost == least && x->tests.test[j] > x->tests.test[best])) continue;
        if (!x->worker->search->split_cost && !parts_side(x, i, side, j)) continue;
        least = cost;
        best = j;
    }
    return best;
}

/* A side of a root is quadrant (side, side) of it and itself. */
static void write_side(const counting *x, uint32_t i, int side, ct_split_code *tree)
{
    uint32_t largest, rows = rows_of_side(x, i, side, &largest),
             at = ct_counting_place(x, i, side);
    if (x->sides[side][i] == cost_of(x, (int64_t) rows - largest)) return;
    if (x->task->depth == 2) {
        tree[at] = ct_counting_lowest_code(x, best_third(x, i, i, side, side));
        return;
    }
    uint32_t j = best_second(x, i, side);
    tree[at] = ct_counting_code(x, j);
    for (int b = 0; b < 2; b++) {
        int64_t leaf, cost = ct_counting_quadrant_cost(x, i, j, side, b, &leaf);
        if (cost < leaf)
            tree[2 * at + ct_counting_place(x, j, b)] =
                ct_counting_lowest_code(x, best_third(x, i, j, side, b));
    }
}

/* ---- the answer ---- */

/* Bounds by root feature, of all its thresholds, also of those that leave a side without rows and
 * may part the rows of a neighbouring set: such a tree is a split and one of the level below. */
static void note_root_bounds(const counting *x, int64_t least, int64_t *root_bounds)
{
    const ct_tests *tests = x->node->layout->tests;
    int64_t empty_sided = x->worker->search->split_cost + x->below;
    for (uint32_t f = 0; f < x->node->layout->n_cols; f++) {
        int64_t bound = ct_is_root(x->task) && tests->first[f] < tests->first[f + 1] ? INT64_MAX
                                                                                  : empty_sided;
        for (uint32_t s = tests->first[f]; s < tests->first[f + 1]; s++) {
            int32_t i = x->tests.own[tests->test_of[s]];
            bound = ct_smaller_cost(bound, i < 0 ? empty_sided : x->value[i]);
        }
        root_bounds[f] = ct_larger_cost(bound, known_before(x, f, least));
    }
}

static void write_tree(const counting *x, ct_split_code *tree)
{
    const ct_known_tree *known = x->task->known;
    for (size_t i = 0; i < ct_heap_size(x->task->depth); i++) tree[i] = CT_LEAF_CODE;
    if (x->found < 0) {
        if (known && known->cost < x->leaf)
            memcpy(tree, known->codes, ct_heap_size(x->task->depth) * sizeof *tree);
        return;
    }
    tree[0] = ct_counting_code(x, (uint32_t) x->found);
    for (int side = 0; side < 2; side++)
        if (x->sums) ct_sums_write_side(x, side, tree);
        else if (x->sized) ct_sized_write_side(x, side, tree);
        else write_side(x, (uint32_t) x->found, side, tree);
}

static ct_bounds answer(const counting *x)
{
    const ct_known_tree *known = x->task->known;
    int64_t least = least_value(x);
    ct_bounds bounds = {least, x->sized ? ct_sized_least(x) : least,
                        x->found < 0 ? x->leaf : x->best};
    if (x->found < 0 && known) bounds.upper = ct_smaller_cost(bounds.upper, known->cost);
    return bounds;
}

/* Below what a root is looked for. A tree that is known is found again, or the first as good. */
static int64_t first_best(const counting *x)
{
    int64_t best = x->leaf;
    if (ct_uses(x->worker, CT_SHORTCUT_CAPS)) best = ct_smaller_cost(best, x->task->cap);
    if (x->task->known) best = ct_smaller_cost(best, x->task->known->cost + 1);
    return best;
}

static ct_status solve(counting *x, ct_arena *arena, int64_t least)
{
    if (x->worker->search->costs->response) return ct_sums_solve(x, arena);
    if (counting_new(x, arena) != CT_OK) return CT_NO_MEMORY;
    count_stumps(x);
    if (x->task->depth == 3) {
        x->below = least_value(x);
        return count_triples(x, arena, least);
    }
    for (uint32_t i = 0; i < x->tests.counts.n_tests; i++) take(x, i);
    return CT_OK;
}

/* Where memory has ended. */
static void answer_nothing(const counting *x, int64_t *root_bounds, ct_split_code *tree)
{
    memset(root_bounds, 0, x->node->layout->n_cols * sizeof *root_bounds);
    for (size_t i = 0; i < ct_heap_size(x->task->depth); i++) tree[i] = CT_LEAF_CODE;
    ct_worker_stop(x->worker, CT_END_MEMORY);
}

int ct_triples_solve(ct_worker *worker, const ct_node *node, const ct_exact_task *task,
                     int64_t *root_bounds, ct_split_code *tree, ct_bounds *bounds)
{
    ct_arena_mark mark = ct_arena_here(&worker->arena);
    int64_t least = ct_class_count_bound(worker, &node->totals, node->layout->n_classes,
                                         task->depth);
    counting x = {.worker = worker, .node = node, .task = task, .leaf = node->leaf_cost,
                  .found = CT_NO_TEST};
    ct_status status = ct_tests_node(worker, &worker->arena, node, &x.tests);
    int many = status == CT_OK && x.tests.counts.n_tests > CT_MOST_TESTS;
    x.best = first_best(&x);
    if (status == CT_OK && !many) status = solve(&x, &worker->arena, least);
    if (status != CT_OK) {
        answer_nothing(&x, root_bounds, tree);
    } else if (!many) {
        *bounds = answer(&x);
        note_root_bounds(&x, least, root_bounds);
        write_tree(&x, tree);
        ct_observe_counted(worker, task, node, root_bounds, bounds);
    }
    ct_arena_release(&worker->arena, mark);
    return !many;
}

/* ---- all roots within a budget ---- */

ct_status ct_counting_new(ct_worker *worker, const ct_node *node, const ct_exact_task *task,
                          int64_t budget, ct_counting **made, const ct_test_node **tests)
{
    counting *x = CT_ARENA_ZEROED(&worker->arena, counting, 1);
    *made = NULL;
    if (!x || ct_tests_node(worker, &worker->arena, node, &x->tests) != CT_OK)
        return ct_worker_no_memory(worker);
    if (x->tests.counts.n_tests > CT_MOST_TESTS) return CT_OK;
    x->worker = worker;
    x->node = node;
    x->task = task;
    x->every = 1;
    x->leaf = node->leaf_cost;
    x->best = budget + 1;
    x->found = CT_NO_TEST;
    int64_t least = ct_class_count_bound(worker, &node->totals, node->layout->n_classes,
                                         task->depth);
    if (solve(x, &worker->arena, least) != CT_OK) return ct_worker_no_memory(worker);
    *made = x;
    *tests = &x->tests;
    return CT_OK;
}

int ct_counting_root(const ct_counting *x, uint32_t i, ct_counted_root *root)
{
    *root = (ct_counted_root){x->value[i], {x->sides[0][i], x->sides[1][i]}, x->rows[i]};
    return x->task->depth == 2 || x->tests.counts.done[i];
}

void ct_counting_second(const ct_counting *x, uint32_t i, int side, uint32_t j,
                        ct_counted_root *root)
{
    uint32_t largest;
    int64_t leaf;
    root->value = x->worker->search->split_cost;
    for (int b = 0; b < 2; b++) {
        root->side[b] = ct_counting_quadrant_cost(x, i, j, side, b, &leaf);
        root->value += root->side[b];
    }
    root->rows_in = ct_counting_quadrant(x, i, j, side, 1, &largest);
}
