/* Several threads: the same tree as one, valid bounds whenever they are stopped. */
#include "brute.h"
#include "solve.h"

static const unsigned teams[] = {2, 3, 8};

static ct_exact_options team_options(unsigned threads, unsigned depth)
{
    ct_exact_options options = ct_exact_options_default();
    options.threads = threads;
    options.depth = depth;
    options.team_after = 0;
    return options;
}

/* Tables with many equally good trees, and with few. */
static void any_team_finds_the_same_tree(rng *r, uint32_t seed)
{
    unsigned depth = 2 + seed % 3;
    uint32_t n_rows = 10 + rng_below(r, depth == 4 ? 100 : 400);
    random_table t = table_random(r, n_rows, 2 + rng_below(r, 4), 2 + rng_below(r, 4), seed % 2);
    ct_exact_options options = team_options(1, depth);
    if (seed % 3 == 0) options.complexity = 1.0 / n_rows;
    if (seed % 5 == 0) options.min_bucket = 1 + rng_below(r, n_rows / 10);
    ct_exact_result alone, team;
    REQUIRE(solve(&t.data, &options, &alone));
    for (size_t i = 0; i < sizeof teams / sizeof *teams; i++) {
        options.threads = teams[i];
        REQUIRE(solve(&t.data, &options, &team));
        CHECK(team.cost == alone.cost && team.bound == alone.bound && team.end == CT_END_OPTIMAL);
        CHECK(same_tree(&alone.tree, &team.tree));
    }
}

static void the_first_of_the_smallest_trees_is_taken(rng *r, uint32_t seed)
{
    static brute b;
    random_table t = table_random(r, 4 + rng_below(r, 9), 3, 2 + rng_below(r, 2), seed % 3 > 0);
    ct_exact_options options = team_options(1 + seed % 3, 2 + seed % 2);
    ct_exact_result result;
    REQUIRE(solve(&t.data, &options, &result));
    CHECK(brute_optimum(&b, &t.data, &options) == result.cost);
    CHECK(brute_is_tree(&b, &result.tree, 0, brute_all(&b), options.depth, NULL));
}

/* Tables with more columns than rows: their candidates are prepared several at a time. */
static void wide_tables(rng *r, uint32_t seed)
{
    random_table t = table_random(r, 60 + rng_below(r, 60), CHECK_QUICK() ? 30 : 150,
                                  2 + rng_below(r, 3), seed % 2);
    if (seed % 3 == 0) table_add_weights(&t, r);
    if (seed % 5 == 0) table_add_loss(&t, r);
    for (uint32_t i = 0; i < t.data.n_rows; i += 2)
        t.classes[i] = (int32_t) rng_below(r, t.data.n_classes);
    ct_exact_options options = team_options(1, 2);
    options.min_bucket = 1 + seed % 4;
    ct_exact_result kept, made;
    REQUIRE(solve(&t.data, &options, &kept));
    options.plane_budget = seed % 2 ? 0 : 5000; /* single planes; those of one feature */
    for (options.threads = 1; options.threads <= 3; options.threads++) {
        options.team_after = options.threads == 3 ? 1e6 : 0;
        REQUIRE(solve(&t.data, &options, &made));
        CHECK(made.cost == kept.cost && made.bound == kept.bound);
        CHECK(same_tree(&made.tree, &kept.tree));
        CHECK(options.threads != 2 || made.threads == 2); /* they share the work */
    }
}

/* Columns of two values have one threshold each: few root splits, so most of the team must help
 * below them. */
static void idle_threads_help(rng *r, uint32_t seed)
{
    uint32_t n = 400;
    random_table t = table_random(r, n, 5, 3, 0);
    for (uint32_t i = 0; i < 2 * n; i++) t.values[i] = floor(2 * t.values[i]);
    for (uint32_t i = 0; i < n; i++) t.classes[i] = (int32_t) rng_below(r, 3);
    for (uint32_t col = 2; col < 5; col++)
        for (uint32_t i = 0; i < n; i++)
            table_column(&t, col)[i] = floor(table_column(&t, col)[i] * (seed % 2 ? 12 : 2));
    ct_exact_options options = team_options(1, 4);
    ct_exact_result alone, team;
    REQUIRE(solve(&t.data, &options, &alone));
    options.threads = 4;
    REQUIRE(solve(&t.data, &options, &team));
    CHECK(team.cost == alone.cost && team.end == CT_END_OPTIMAL &&
          same_tree(&alone.tree, &team.tree));
}

static void stopped_teams_have_valid_bounds(void)
{
    rng r = {60};
    uint32_t n = CHECK_QUICK() ? 1500 : 6000;
    random_table t = table_random(&r, n, 6, 2, 0);
    for (uint32_t i = 0; i < n; i += 3) t.classes[i] ^= 1;
    ct_exact_options options = team_options(3, 3);
    ct_exact_result result;
    REQUIRE(solve(&t.data, &options, &result));
    double cost = result.cost;
    for (int polls = 0; polls < (CHECK_QUICK() ? 2 : 8); polls++) {
        REQUIRE(solve_stopped(&t.data, options, polls, 0, &result));
        CHECK(result.bound <= cost && cost <= result.cost);
        CHECK(result.end == CT_END_INTERRUPT || result.end == CT_END_OPTIMAL);
    }
    options.time_limit = 0;
    REQUIRE(solve(&t.data, &options, &result));
    CHECK(result.bound <= cost && cost <= result.cost);
}

static void memory_ends_anywhere(void)
{
    rng r = {70};
    random_table t = table_random(&r, CHECK_QUICK() ? 150 : 500, 5, 3, 0);
    ct_exact_options options = team_options(3, 3);
    ct_exact_result result;
    REQUIRE(solve(&t.data, &options, &result));
    double cost = result.cost;
    for (int i = 0; i < (CHECK_QUICK() ? 10 : 60); i++) {
        int by_limit = i % 2;
        options.memory_limit = by_limit ? (size_t) 50000 << i / 4 : SIZE_MAX;
        if (!by_limit) ct_alloc_fail_after(i / 2);
        int solved = solve_if_enough(&t.data, &options, &result);
        ct_alloc_fail_after(-1);
        if (!solved) continue;
        CHECK(result.bound <= cost && cost <= result.cost);
        CHECK(result.end == CT_END_MEMORY || result.end == CT_END_OPTIMAL);
    }
}

static const check_case cases[] = {
    {"any team finds the same tree", EACH(any_team_finds_the_same_tree, 600, 60, 6, 3)},
    {"wide tables", EACH(wide_tables, 5500, 30, 4, 4)},
    {"the first of the smallest trees is taken",
     EACH(the_first_of_the_smallest_trees_is_taken, 3600, 1200, 40, 40)},
    {"idle threads help", EACH(idle_threads_help, 8100, 12, 2, 1)},
    {"stopped teams have valid bounds", stopped_teams_have_valid_bounds},
    {"memory ends anywhere", memory_ends_anywhere},
};

CHECK_MAIN(cases)
