/* Memory that ends: every allocation of a solve, a tree on its way and a forest fails once, and
 * with all that follow it. Whatever fails, the answer is CT_NO_MEMORY with a message, or a tree
 * with bounds that hold. Under ASan also: no leak. */
#include <limits.h>

#include "tree/route.h"
#include "../exact/solve.h"

enum { EVERY = 80 }; /* the first allocations fail one by one, later ones here and there */

typedef struct {
    unsigned depth, threads;
    uint32_t n_rows, n_cols, n_classes;
    int weights, loss, start;
    double complexity;
    int twin; /* of a device */
} shape;

static const shape shapes[] = {
    {0, 1, 30, 2, 2, 0, 0, 0, 0, 0}, {1, 1, 60, 3, 3, 1, 0, 0, 0, 0},
    {2, 1, 90, 3, 2, 0, 0, 1, 0, 0}, {2, 2, 90, 3, 3, 1, 1, 0, 0.01, 0},
    {3, 1, 60, 3, 4, 0, 1, 0, 0, 0}, {3, 2, 80, 3, 2, 1, 0, 1, 0.01, 0},
    {4, 1, 40, 2, 3, 0, 0, 0, 0, 0}, {4, 2, 40, 2, 2, 1, 0, 1, 0, 0},
    {4, 3, 60, 2, 3, 0, 0, 0, 0, 0}, {3, 1, 80, 3, 3, 0, 0, 0, 0, 1},
    {4, 2, 40, 2, 2, 0, 0, 0, 0, 1},
};

static random_table make_table(const shape *s)
{
    rng r = {s->depth * 10 + s->threads};
    random_table t = table_random(&r, s->n_rows, s->n_cols, s->n_classes, 0);
    for (uint32_t i = 0; i < s->n_rows; i += 3)
        t.classes[i] = (int32_t) rng_below(&r, s->n_classes);
    if (s->weights) table_add_weights(&t, &r);
    if (s->loss) table_add_loss(&t, &r);
    return t;
}

static ct_exact_options make_options(const shape *s, const ct_exact_start *start)
{
    ct_exact_options options = ct_exact_options_default();
    options.depth = s->depth;
    options.threads = s->threads;
    options.team_after = 0;
    options.complexity = s->complexity;
    options.device = s->twin ? CT_EXACT_DEVICE_TWIN : CT_EXACT_DEVICE_CPU;
    options.plane_budget = s->threads == 3 ? 0 : options.plane_budget;
    if (s->start) options.start = start;
    return options;
}

/* `full` is what comes of it with memory. */
static void check_result(const ct_data *data, const ct_exact_result *got,
                         const ct_exact_result *full, unsigned depth, const uint32_t *leaves)
{
    double slack = (1e-9 + rounding_share(data, depth)) * dearest_of(data);
    CHECK(got->bound <= full->cost + slack && full->cost <= got->cost + slack);
    CHECK(got->bound <= got->cost);
    CHECK(got->end == CT_END_MEMORY ||
          (got->end == CT_END_OPTIMAL && got->cost - got->bound <= slack));
    CHECK(got->n_history >= 1 && got->root_bounds);
    for (uint32_t i = 0; i < data->n_rows; i++)
        CHECK(leaves[i] < got->tree.n_nodes && got->tree.feature[leaves[i]] < 0);
}

/* Solves while `count` allocations after the next `after` fail. */
static void solve_without(const ct_data *data, const ct_exact_options *options,
                          const ct_exact_result *full, long after, long count, uint32_t *leaves)
{
    ct_exact_result result;
    reason = NO_REASON;
    ct_alloc_fail_for(after, count);
    ct_status status = ct_exact_solve(data, options, &result, leaves, &reason);
    ct_alloc_fail_for(-1, 0);
    if (status == CT_OK) {
        check_result(data, &result, full, options->depth, leaves);
        ct_exact_result_free(&result);
    } else {
        CHECK(status == CT_NO_MEMORY && reason.status == CT_NO_MEMORY && reason.message[0]);
        CHECK(!result.tree.feature && !result.history && !result.root_bounds);
    }
}

static void solves(void)
{
    static const int32_t feature[] = {0, -1, 1, -1, -1};
    static const double threshold[] = {0.5, 0, 0.5, 0, 0};
    static const uint32_t left[] = {1, 0, 3, 0, 0}, right[] = {2, 0, 4, 0, 0};
    const ct_exact_start start = {5, feature, threshold, left, right};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        random_table t = make_table(&shapes[i]);
        ct_exact_options options = make_options(&shapes[i], &start);
        uint32_t *leaves = (uint32_t *) keep_new(t.data.n_rows, sizeof *leaves);
        ct_exact_result full;
        long before = ct_alloc_fail_for(-1, 0);
        REQUIRE_OK(ct_exact_solve(&t.data, &options, &full, NULL, NULL));
        long calls = ct_alloc_fail_for(-1, 0) - before;
        rng r = {i};
        for (long after = 0; after < calls + 2;) {
            solve_without(&t.data, &options, &full, after, 1, leaves);
            solve_without(&t.data, &options, &full, after, LONG_MAX, leaves);
            long rest = calls / (CHECK_QUICK() ? 4 : EVERY) + 1;
            after += after < (CHECK_QUICK() ? 20 : EVERY) || after > calls - 20
                         ? 1
                         : 1 + (long) rng_below(&r, (uint32_t) rest);
        }
        ct_exact_result_free(&full);
    }
}

/* Trees and columns of routes that need every kind of room there is. */
static void routes(void)
{
    uint32_t roots[] = {0}, left[] = {1, 0, 3, 0, 0}, right[] = {2, 0, 4, 0, 0},
             n_levels[] = {0, 0, 2, 0, 0};
    int32_t feature[] = {0, -1, 1, -1, -1};
    double threshold[] = {0.5, 0, NAN, 0, 0};
    uint8_t default_left[5] = {0}, sides[] = {1, 0, 0},
            *levels_left[] = {NULL, NULL, sides, NULL, NULL};
    const int32_t x[] = {0, 1, 2, 1}, codes[] = {1, 2, 1, 1}, values[] = {0, 1, 2, 3, 4},
                  expected[] = {1, 4, 3, 3};
    const ct_column columns[] = {{x, CT_INT32}, {codes, CT_INT32}};
    ct_forest tree;
    memset(&tree, 0, sizeof tree);
    tree.n_trees = 1, tree.n_nodes = 5;
    tree.roots = roots, tree.left = left, tree.right = right, tree.feature = feature,
    tree.threshold = threshold;
    tree.default_left = default_left, tree.n_levels = n_levels, tree.levels_left = levels_left;
    for (uint32_t threads = 1; threads < 4; threads++)
        for (long after = 0;; after++) {
            int32_t got[4];
            reason = NO_REASON;
            ct_alloc_fail_for(after, threads == 2 ? LONG_MAX : 1);
            ct_status status = ct_forest_check(&tree, 2, &reason);
            if (status == CT_OK)
                status = ct_route(&tree, 0, columns, 2, 4, values, threads, got, &reason);
            ct_alloc_fail_for(-1, 0);
            if (status == CT_OK) {
                CHECK(after > 5 && !memcmp(got, expected, sizeof expected));
                break;
            }
            CHECK(status == CT_NO_MEMORY && reason.message[0]);
            REQUIRE(after < 100);
        }
}

static void forests(void)
{
    for (long after = 0;; after++) {
        ct_forest forest;
        reason = NO_REASON;
        ct_alloc_fail_for(after, 1);
        ct_status status = ct_forest_init(&forest, 3, 20, 4, &reason);
        if (status == CT_OK) status = ct_forest_add_weights(&forest, &reason);
        ct_alloc_fail_for(-1, 0);
        ct_forest_free(&forest);
        if (status == CT_OK) break;
        CHECK(status == CT_NO_MEMORY && reason.message[0]);
        REQUIRE(after < 100);
    }
}

/* A large chunk that holds nothing goes back, to the budget too; what is before it stays, and there
 * can be another. */
static void large_chunks_go_back(void)
{
    enum { LARGE = 1 << 27 };
    ct_budget budget = {LARGE + (1 << 20), 0};
    ct_arena arena;
    ct_arena_init(&arena, &budget);
    char *kept = (char *) ct_arena_alloc(&arena, 1000, 1);
    ct_arena_mark mark = ct_arena_here(&arena);
    CHECK(kept != NULL);
    memset(kept, 7, 1000);
    for (int turn = 0; turn < 2; turn++) {
        CHECK(ct_arena_alloc(&arena, LARGE, 1) != NULL);
        ct_arena_trim(&arena);
        CHECK(arena.held >= LARGE && budget.used >= LARGE); /* it is in use */
        ct_arena_release(&arena, mark);
        ct_arena_trim(&arena);
        CHECK(arena.held < LARGE && budget.used == (int64_t) arena.held);
    }
    for (int i = 0; i < 1000; i++) CHECK(kept[i] == 7);
    ct_arena_free(&arena);
    CHECK_INT(budget.used, 0);
}

/* What is refused is not taken, and what fits is given though a chunk of the usual size would
 * not. */
static void budgets_end_where_they_say(void)
{
    ct_budget budget = {1024, 0};
    ct_arena arena;
    ct_arena_init(&arena, &budget);
    CHECK(ct_arena_alloc(&arena, 2048, 1) == NULL && budget.used == 0);
    CHECK(ct_arena_alloc(&arena, 640, 1) != NULL && budget.used == 640);
    CHECK(ct_arena_alloc(&arena, 640, 1) == NULL && budget.used == 640);
    CHECK(ct_arena_alloc(&arena, 384, 1) != NULL && budget.used == 1024);
    CHECK(ct_arena_alloc(&arena, SIZE_MAX / 2, 8) == NULL && budget.used == 1024);
    ct_arena_free(&arena);
    CHECK_INT(budget.used, 0);
}

/* Memory from before a mark is not given out again, memory from behind it is, and zeroed memory
 * is. */
static void marks_and_zeroed_memory(void)
{
    ct_budget budget = {SIZE_MAX, 0};
    ct_arena arena;
    ct_arena_init(&arena, &budget);
    char *before = (char *) ct_arena_alloc(&arena, 100, 1);
    ct_arena_mark mark = ct_arena_here(&arena);
    char *behind = (char *) ct_arena_alloc(&arena, 100, 8);
    REQUIRE(before && behind);
    memset(before, 7, 100);
    memset(behind, 9, 800);
    ct_arena_release(&arena, mark);
    char *again = (char *) ct_arena_zeroed(&arena, 100, 8);
    CHECK(again == behind);
    for (int i = 0; i < 800; i++) CHECK(again[i] == 0 && before[i % 100] == 7);
    ct_arena_free(&arena);
}

static const check_case cases[] = {{"solves", solves},
                                   {"routes", routes},
                                   {"forests", forests},
                                   {"large chunks go back", large_chunks_go_back},
                                   {"budgets end where they say", budgets_end_where_they_say},
                                   {"marks and zeroed memory", marks_and_zeroed_memory}};
CHECK_MAIN(cases)
