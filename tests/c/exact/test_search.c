#include "brute.h"
#include "solve.h"

static void equals_brute_force(rng *r, uint32_t seed)
{
    static brute b;
    uint32_t n_rows = 1 + rng_below(r, 12), n_classes = 2 + rng_below(r, 3);
    random_table t = table_random(r, n_rows, 1 + rng_below(r, 3), n_classes, seed % 3 != 0);
    ct_exact_options options = ct_exact_options_default();
    options.depth = 1 + rng_below(r, 3);
    if (seed % 2) options.complexity = rng_below(r, 16) / 8.0 / n_rows;
    CHECK_NEAR(solved_cost(&t.data, &options), brute_optimum(&b, &t.data, &options), 1e-6);
}

/* Restricts leaves, and in some cases nodes that are split, to a size that few or most trees keep
 * to. */
static void random_sizes(rng *r, ct_exact_options *options, uint32_t most)
{
    options->min_bucket = 1 + rng_below(r, most);
    if (rng_below(r, 3) == 0) options->min_split = 1 + rng_below(r, 3 * most);
}

static void leaf_sizes_equal_brute_force(rng *r, uint32_t seed)
{
    static brute b;
    uint32_t n_rows = 2 + rng_below(r, 13), n_classes = 2 + rng_below(r, 3);
    random_table t = table_random(r, n_rows, 1 + rng_below(r, 3), n_classes, seed % 3 != 0);
    ct_exact_options options = ct_exact_options_default();
    options.depth = 1 + rng_below(r, 3);
    random_sizes(r, &options, 5);
    if (seed % 2) options.complexity = rng_below(r, 16) / 8.0 / n_rows;
    CHECK_NEAR(solved_cost(&t.data, &options), brute_optimum(&b, &t.data, &options), 1e-6);
}

static void deeper_equals_brute_force(rng *r, uint32_t seed)
{
    static brute b;
    random_table t = table_random(r, 13 + rng_below(r, 4), 2, 2 + rng_below(r, 4), seed % 2);
    ct_exact_options options = ct_exact_options_default();
    options.depth = 4;
    CHECK(solved_cost(&t.data, &options) == brute_optimum(&b, &t.data, &options));
}

/* Deep enough that leaf sizes rule splits out whose nodes are within other nodes, and that such row
 * sets are remembered. */
static void deep_leaf_sizes_equal_brute_force(rng *r, uint32_t seed)
{
    static brute b;
    random_table t = table_random(r, 8 + rng_below(r, 7), 2 + rng_below(r, 2),
                                  2 + rng_below(r, 3), seed % 3 > 0);
    for (uint32_t i = 0; i < t.data.n_rows; i += 2)
        t.classes[i] = (int32_t) rng_below(r, t.data.n_classes);
    ct_exact_options options = ct_exact_options_default();
    options.depth = 4;
    options.min_bucket = 1 + rng_below(r, 3);
    if (seed % 4 == 0) options.min_split = 1 + rng_below(r, 6);
    CHECK_NEAR(solved_cost(&t.data, &options), brute_optimum(&b, &t.data, &options), 0);
}

static void depth_zero_is_a_leaf(void)
{
    rng r = {1};
    random_table t = table_random(&r, 50, 2, 3, 0);
    ct_exact_options options = ct_exact_options_default();
    options.depth = 0;
    ct_exact_result result;
    REQUIRE(solve(&t.data, &options, &result));
    CHECK_INT(result.tree.n_nodes, 1);
    CHECK(result.end == CT_END_OPTIMAL);
}

/* The same integers on every instruction set: even the course of the search must not differ. */
static void instruction_sets_agree(rng *r, uint32_t seed)
{
    uint32_t n_classes = 2 + rng_below(r, 5);
    random_table t = table_random(r, 20 + rng_below(r, 600), 2 + rng_below(r, 3), n_classes,
                                  seed % 2);
    ct_exact_options options = ct_exact_options_default();
    options.depth = 2 + seed % 2;
    ct_exact_statistics first = {0};
    double cost = 0;
    for (size_t i = 0; ct_kernels_at(i); i++) {
        ct_exact_result result;
        options.simd = ct_kernels_at(i)->name;
        REQUIRE(solve(&t.data, &options, &result));
        CHECK(!strcmp(result.simd, options.simd));
        if (i == 0) first = result.statistics, cost = result.cost;
        CHECK(result.cost == cost);
        CHECK(!memcmp(&result.statistics, &first, sizeof first));
    }
}

/* Solves with everything off, then with everything on and with random pairs off. */
static void check_shortcuts(rng *r, const ct_data *data, ct_exact_options *options, int pairs)
{
    options->off = (UINT32_C(1) << CT_EXACT_N_SHORTCUTS) - 1;
    double cost = solved_cost(data, options);
    for (int pair = 0; pair <= pairs; pair++) {
        options->off = pair ? UINT32_C(1) << rng_below(r, CT_EXACT_N_SHORTCUTS) |
                                  UINT32_C(1) << rng_below(r, CT_EXACT_N_SHORTCUTS)
                            : 0;
        double other = solved_cost(data, options);
        if (!CHECK(other == cost))
            printf("    %u rows, off %x: %g, not %g\n", data->n_rows, options->off, other, cost);
    }
}

static void shortcuts_change_nothing(rng *r, uint32_t seed)
{
    ct_exact_options options = ct_exact_options_default();
    options.depth = 2 + seed % 3;
    uint32_t n_rows = 12 + rng_below(r, options.depth == 2   ? 300
                                         : options.depth == 3 ? 60
                                                              : 16);
    random_table t = table_random(r, n_rows, 2 + rng_below(r, 2), 2 + rng_below(r, 4),
                                  seed % 4 > 0);
    if (seed % 5 == 0) options.complexity = rng_below(r, 8) / 4.0 / n_rows;
    if (seed % 4 == 1) random_sizes(r, &options, n_rows / 6);
    check_shortcuts(r, &t.data, &options, 8);
}

static void floors_of_features_that_separate_nothing(rng *r, uint32_t seed)
{
    random_table t = table_patchy(r, 30 + rng_below(r, 80));
    ct_exact_options options = ct_exact_options_default();
    double cost = solved_cost(&t.data, &options);
    options.off = UINT32_C(1) << CT_SHORTCUT_ROOT_FEATURES;
    CHECK(solved_cost(&t.data, &options) == cost);
}

/* Deep enough that row sets arise from more than one order of splits. */
static void remembered_row_sets_change_nothing(rng *r, uint32_t seed)
{
    ct_exact_options options = ct_exact_options_default();
    options.depth = 4 + seed % 2;
    int leaf_sizes = seed % 4 == 0; /* with which a search takes much longer */
    uint32_t n_rows = 30 + rng_below(r, leaf_sizes ? 30 : options.depth == 4 ? 170 : 40);
    uint32_t n_cols = options.depth == 4 ? 2 + rng_below(r, 2) : 1 + rng_below(r, 2);
    random_table t = table_random(r, n_rows, n_cols, 2 + rng_below(r, 5), seed % 3 > 0);
    for (uint32_t i = 0; i < n_rows; i++)
        if (rng_below(r, 3) == 0) t.classes[i] = (int32_t) rng_below(r, t.data.n_classes);
    if (seed % 5 == 0) options.complexity = rng_below(r, 4) / 2.0 / n_rows;
    if (leaf_sizes) options.min_bucket = 2 + rng_below(r, n_rows / 8);
    double cost = solved_cost(&t.data, &options);
    options.off = UINT32_C(1) << CT_SHORTCUT_BOUND_CACHE;
    CHECK(solved_cost(&t.data, &options) == cost);
}

/* Copies of a table that must cost the same: rows and columns shuffled, columns transformed
 * monotonously. */
static void transformed_tables_cost_the_same(rng *r, uint32_t seed)
{
    uint32_t n = 30 + rng_below(r, 300), n_cols = 3;
    random_table t = table_random(r, n, n_cols, 2 + rng_below(r, 3), 0),
                 u = table_new(n, n_cols, t.data.n_classes);
    random_table twice = table_new(2 * n, n_cols, t.data.n_classes);
    ct_exact_options options = ct_exact_options_default();
    double cost = solved_cost(&t.data, &options);
    uint32_t shift = rng_below(r, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = (i * 7919 + shift) % n;
        if (n % 7919 == 0) from = i;
        u.classes[i] = t.classes[from];
        for (uint32_t col = 0; col < n_cols; col++)
            table_column(&u, col)[i] = exp(3 * table_column(&t, (col + 1) % n_cols)[from]) - 5;
    }
    for (uint32_t i = 0; i < 2 * n; i++) {
        twice.classes[i] = t.classes[i / 2];
        for (uint32_t col = 0; col < n_cols; col++)
            table_column(&twice, col)[i] = table_column(&t, col)[i / 2];
    }
    CHECK(solved_cost(&u.data, &options) == cost);
    CHECK(solved_cost(&twice.data, &options) == 2 * cost);
}

/* More than 65,536 rows and more than 256 classes: the four largest classes lie in the corners of
 * two features, all the others are one row each, so the optimum of depth two is known. */
static void many_rows_and_classes(void)
{
    uint32_t n = 70000, n_classes = 300, n_small = n_classes - 4;
    random_table t = table_new(n, 2, n_classes);
    rng r = {4};
    for (uint32_t i = 0; i < n; i++) {
        double x = rng_unit(&r), y = rng_unit(&r);
        table_column(&t, 0)[i] = x;
        table_column(&t, 1)[i] = y;
        t.classes[i] = i < n_small ? (int32_t) i
                                   : (int32_t) (n_small + (x >= 0.3) + 2u * (y >= 0.6));
    }
    ct_exact_options options = ct_exact_options_default();
    options.depth = 2;
    CHECK(solved_cost(&t.data, &options) == n_small);
    for (size_t i = 0; ct_kernels_at(i) && !CHECK_QUICK(); i++) {
        options.simd = ct_kernels_at(i)->name;
        CHECK(solved_cost(&t.data, &options) == n_small);
    }
}

/* Planes for one feature at a time, or for some thresholds, give the same answer. */
static void small_plane_budget(rng *r, uint32_t seed)
{
    random_table t = table_random(r, 200, 4, 2 + rng_below(r, 3), seed % 2);
    ct_exact_options options = ct_exact_options_default();
    double cost = solved_cost(&t.data, &options);
    options.plane_budget = seed % 2 ? 0 : 4000; /* single planes; those of one feature */
    CHECK(solved_cost(&t.data, &options) == cost);
    options.wide_rows = 0;
    CHECK(solved_cost(&t.data, &options) == cost);
}

/* A search that is stopped returns a tree, and bounds that hold. */
static void stopped_search_has_valid_bounds(void)
{
    rng r = {6};
    uint32_t n = CHECK_QUICK() ? 1500 : 6000;
    random_table t = table_random(&r, n, 6, 2, 0);
    ct_exact_options options = ct_exact_options_default();
    for (uint32_t i = 0; i < n; i += 3) t.classes[i] ^= 1;
    double cost = solved_cost(&t.data, &options);
    for (int polls = 0; polls < (CHECK_QUICK() ? 2 : 12); polls++) {
        ct_exact_result result;
        REQUIRE(solve_stopped(&t.data, options, polls, 0, &result));
        CHECK(result.bound <= cost && cost <= result.cost);
        CHECK(result.end == CT_END_INTERRUPT || result.end == CT_END_OPTIMAL);
    }
}

static void memory_limit_and_failures(void)
{
    rng r = {7};
    random_table t = table_random(&r, CHECK_QUICK() ? 150 : 500, 5, 3, 0);
    ct_exact_options options = ct_exact_options_default();
    double cost = solved_cost(&t.data, &options);
    ct_exact_result result;
    for (size_t limit = 1000; limit < 4000000; limit = limit * (CHECK_QUICK() ? 6 : 3) / 2) {
        options.memory_limit = limit;
        if (!solve_if_enough(&t.data, &options, &result)) continue;
        CHECK(result.bound <= cost && cost <= result.cost);
        CHECK(result.end == CT_END_MEMORY || result.end == CT_END_OPTIMAL);
    }
    options = ct_exact_options_default();
    for (int after = 0; after < 40; after += CHECK_QUICK() ? 5 : 1) {
        ct_alloc_fail_after(after);
        int solved = solve_if_enough(&t.data, &options, &result);
        ct_alloc_fail_after(-1);
        if (solved) CHECK(result.bound <= cost && cost <= result.cost);
    }
}

static void gap_and_caps(rng *r, uint32_t seed)
{
    random_table t = table_random(r, 300, 3, 2 + rng_below(r, 2), 0);
    ct_exact_options options = ct_exact_options_default();
    double cost = solved_cost(&t.data, &options);
    ct_exact_result result;
    options.max_gap = 5;
    REQUIRE(solve(&t.data, &options, &result));
    CHECK(result.bound <= cost && cost <= result.cost && result.cost - result.bound <= 5);
    CHECK(result.end == CT_END_GAP || result.end == CT_END_OPTIMAL);
    options.max_gap = 0;
    options.max_thresholds = 5;
    REQUIRE(solve(&t.data, &options, &result));
    CHECK(result.capped && result.cost >= cost);
}

/* A tree up to max_cost is found if there is one, and its root is one of those allowed. */
static void check_roots(const ct_data *data, const ct_exact_options *options, double expected,
                        double leaf)
{
    ct_exact_result result;
    REQUIRE(solve(data, options, &result));
    int32_t root = result.tree.feature[result.tree.roots[0]];
    CHECK(root < 0 || options->roots[root]);
    CHECK(result.bound <= expected + 1e-6);
    if (expected <= options->max_cost)
        CHECK(result.end == CT_END_OPTIMAL && fabs(result.cost - expected) < 1e-6);
    else
        CHECK(result.bound > options->max_cost - 1e-6 &&
              (root >= 0 || fabs(result.cost - leaf) < 1e-6));
}

static void roots_equal_brute_force(rng *r, uint32_t seed)
{
    static brute b;
    uint32_t n_rows = 2 + rng_below(r, 13), n_cols = 1 + rng_below(r, 3);
    random_table t = table_random(r, n_rows, n_cols, 2 + rng_below(r, 3), seed % 3 != 0);
    ct_exact_options options = ct_exact_options_default();
    options.depth = 1 + rng_below(r, 3);
    if (seed % 2) random_sizes(r, &options, 4);
    if (rng_below(r, 2)) options.complexity = rng_below(r, 16) / 8.0 / n_rows;
    brute_optimum(&b, &t.data, &options);
    double rooted[3], leaf = brute_leaf(&b, brute_all(&b)), expected = leaf;
    uint8_t allowed[3];
    for (uint32_t col = 0; col < n_cols; col++) {
        rooted[col] = brute_rooted(&b, col, options.depth);
        allowed[col] = (uint8_t) rng_below(r, 2);
        if (allowed[col] && rooted[col] < expected) expected = rooted[col];
    }
    ct_exact_result whole;
    if (solve(&t.data, &options, &whole)) {
        for (uint32_t col = 0; col < n_cols; col++)
            CHECK(whole.root_bounds[col] <= rooted[col] + 1e-6);
        ct_exact_start start = start_of(&whole.tree);
        options.roots = allowed;
        if (rng_below(r, 2)) options.start = &start;
        if (rng_below(r, 2)) options.max_cost = floor(rng_unit(r) * 1.5 * leaf);
        if (rng_below(r, 4) == 0) options.threads = 2, options.team_after = 0;
        check_roots(&t.data, &options, expected, leaf);
    }
}

/* Also of a search that is stopped, on tables of some size, and with trees that need not be found.
 */
static void root_bounds_hold(rng *r, uint32_t seed)
{
    uint32_t n_cols = 4, n_rows = 100 + rng_below(r, 300);
    random_table t = table_random(r, n_rows, n_cols, 2 + rng_below(r, 3), seed % 2);
    for (uint32_t i = 0; i < n_rows; i += 3)
        t.classes[i] = (int32_t) rng_below(r, t.data.n_classes);
    ct_exact_options options = ct_exact_options_default();
    options.depth = 2 + seed % 2;
    if (seed % 3 == 0) options.min_bucket = 1 + rng_below(r, 40);
    double rooted[4], cost = solved_cost(&t.data, &options);
    for (uint32_t col = 0; col < n_cols; col++) {
        uint8_t allowed[4] = {0};
        allowed[col] = 1;
        options.roots = allowed;
        rooted[col] = solved_cost(&t.data, &options);
        CHECK(rooted[col] >= cost);
    }
    options.roots = NULL;
    for (int i = 0; i < 6; i++) {
        ct_exact_result result;
        int left = i;
        options.stop = i < 4 ? stop_after : NULL;
        options.stop_data = &left;
        options.max_cost = i % 2 ? cost - 1 : INFINITY;
        REQUIRE(solve(&t.data, &options, &result));
        for (uint32_t col = 0; col < n_cols; col++) {
            CHECK(result.root_bounds[col] <= rooted[col] &&
                  result.root_bounds[col] >= result.bound);
            if (i == 5) CHECK(result.root_bounds[col] >= cost);
        }
    }
}

/* A side of 0.88 of the rows gets a layout of its own where many of them would be wrong in a leaf,
 * and not where few would. */
static void large_sides_are_laid_out(void)
{
    enum { ROWS = 5000, LARGE = 4400 };
    uint8_t roots[3] = {1, 0, 0};
    uint64_t layouts[2];
    for (int few = 0; few < 2; few++) {
        rng r = {77};
        random_table t = table_new(ROWS, 3, 2);
        for (uint32_t i = 0; i < ROWS; i++) {
            table_column(&t, 0)[i] = i >= LARGE;
            for (uint32_t col = 1; col < 3; col++)
                table_column(&t, col)[i] = col == 1 ? (double) i : rng_unit(&r);
            t.classes[i] = rng_below(&r, few ? 60 : 2) == 0;
        }
        ct_exact_options options = ct_exact_options_default();
        ct_exact_result laid_out, as_it_is;
        options.depth = 4;
        options.complexity = few ? 0.002 : 0.05;
        options.roots = roots;
        options.any_of_ties = 1;
        options.off = UINT32_C(1) << CT_SHORTCUT_PRICE;
        REQUIRE(solve(&t.data, &options, &laid_out));
        options.off |= UINT32_C(1) << CT_SHORTCUT_COMPACTION;
        REQUIRE(solve(&t.data, &options, &as_it_is));
        CHECK(laid_out.cost == as_it_is.cost && laid_out.end == CT_END_OPTIMAL);
        CHECK(as_it_is.statistics.layouts == 0);
        layouts[few] = laid_out.statistics.layouts;
    }
    CHECK(layouts[0] == layouts[1] + 1);
}

static void bad_input_is_refused(void)
{
    rng r = {9};
    random_table t = table_random(&r, 20, 2, 2, 0);
    ct_exact_options options = ct_exact_options_default();
    options.depth = 40;
    CHECK(is_refused(&t.data, &options));
    options = ct_exact_options_default();
    options.complexity = -1;
    CHECK(is_refused(&t.data, &options));
    options = ct_exact_options_default();
    options.max_cost = -1;
    CHECK(is_refused(&t.data, &options));
    options = ct_exact_options_default();
    options.simd = "abacus";
    CHECK(is_refused(&t.data, &options));
    options = ct_exact_options_default();
    table_column(&t, 1)[3] = NAN;
    CHECK(is_refused(&t.data, &options));
    CHECK(strstr(reason.message, "column 2") && strstr(reason.message, "row 4"));
    table_column(&t, 1)[3] = 0;
    t.classes[0] = 2;
    CHECK(is_refused(&t.data, &options));
}

static const check_case cases[] = {
    {"equals brute force", EACH(equals_brute_force, 0, 2000, 100, 100)},
    {"leaf sizes equal brute force", EACH(leaf_sizes_equal_brute_force, 31000, 3000, 100, 100)},
    {"deeper equals brute force", EACH(deeper_equals_brute_force, 90000, 60, 3, 3)},
    {"deep leaf sizes equal brute force",
     EACH(deep_leaf_sizes_equal_brute_force, 38000, 400, 10, 10)},
    {"depth zero is a leaf", depth_zero_is_a_leaf},
    {"instruction sets agree", EACH(instruction_sets_agree, 1000, 60, 5, 5)},
    {"shortcuts change nothing", EACH(shortcuts_change_nothing, 2000, 300, 10, 4)},
    {"root_bounds of features that separate nothing",
     EACH(floors_of_features_that_separate_nothing, 777, 3000, 100, 100)},
    {"remembered row sets change nothing",
     EACH(remembered_row_sets_change_nothing, 5500, 72, 3, 3)},
    {"transformed tables cost the same", EACH(transformed_tables_cost_the_same, 3000, 50, 5, 5)},
    {"many rows and classes", many_rows_and_classes},
    {"small plane budget", EACH(small_plane_budget, 5000, 20, 8, 8)},
    {"stopped search has valid bounds", stopped_search_has_valid_bounds},
    {"memory limit and failures", memory_limit_and_failures},
    {"gap and caps", EACH(gap_and_caps, 8000, 20, 8, 8)},
    {"roots equal brute force", EACH(roots_equal_brute_force, 47000, 3000, 50, 50)},
    {"root bounds hold", EACH(root_bounds_hold, 51000, 40, 3, 3)},
    {"large sides are laid out", large_sides_are_laid_out},
    {"bad input is refused", bad_input_is_refused},
};

CHECK_MAIN(cases)
