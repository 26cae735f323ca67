/* Bounds that are proven apart, before a search has any: they hold whenever it is stopped, come
 * soon, and leave the answer as it is. */
#include "check.h"
#include "random.h"
#include "solve.h"

static uint32_t n_tables(uint32_t all)
{
    return CHECK_SLOW() ? (all + 49) / 50 : CHECK_QUICK() ? (all + 9) / 10 : all;
}

static int stop_after_polls(void *left) { return --*(int *) left < 0; }

/* A table with few values or many, and what is asked of it; a price in some, and few leaves. */
static random_table any_table(rng *r, ct_exact_options *options)
{
    random_table t = table_random(r, 20 + rng_below(r, 50), 2 + rng_below(r, 2),
                                  2 + rng_below(r, 4), (int) rng_below(r, 2));
    *options = ct_exact_options_default();
    options->depth = 3 + rng_below(r, 2);
    options->price_rows = 0;
    if (rng_below(r, 2)) table_add_weights(&t, r);
    if (rng_below(r, 3) == 0) options->complexity = rng_unit(r) * .05;
    if (rng_below(r, 3) == 0) options->min_bucket = 1 + rng_below(r, 6);
    if (rng_below(r, 4) == 0) options->max_leaves = 3 + rng_below(r, 4);
    if (rng_below(r, 2)) options->test_rows = 0;
    return t;
}

/* Looks for them from the start, as much as for the tree; returns how many there were. */
static uint64_t solve_early(const random_table *t, ct_exact_options options, double optimum)
{
    ct_exact_result result;
    options.early_after = 0;
    options.time_limit = 1e9;
    ct_exact_worker_poll_every(100);
    int solved = solve(&t->data, &options, &result);
    ct_exact_worker_poll_every(0);
    if (!solved) return 0;
    uint64_t n = result.statistics.early;
    CHECK(result.bound <= optimum && optimum <= result.cost);
    if (!options.stop) CHECK(result.end == CT_END_OPTIMAL && result.cost == optimum);
    for (uint32_t i = 0; i < result.n_history; i++) CHECK(result.history[i].lower <= optimum);
    ct_exact_result_free(&result);
    return n;
}

static void bounds_hold(void)
{
    uint64_t n = 0;
    for (uint32_t seed = 0; seed < n_tables(300) && check_state.failed < 5; seed++) {
        rng r = {seed + UINT64_C(810000)};
        ct_exact_options options;
        ct_exact_result result;
        random_table t = any_table(&r, &options);
        int polls = (int) rng_below(&r, 200);
        REQUIRE(solve(&t.data, &options, &result));
        double optimum = result.cost;
        ct_exact_result_free(&result);
        if (seed % 8 == 0) options.threads = 2, options.team_after = 0;
        n += solve_early(&t, options, optimum);
        options.stop = stop_after_polls;
        options.stop_data = &polls;
        n += solve_early(&t, options, optimum);
        if (check_state.failed) printf("    seed %u\n", seed);
        table_free(&t);
    }
    CHECK(n > 0 || CHECK_SLOW()); /* few tables are large enough */
}

/* The bound of a search of noise that is stopped so early that no feature is done with. */
static double stopped_bound(const random_table *t, uint32_t off)
{
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result result;
    int polls = 1000;
    options.depth = 4;
    options.off = off;
    options.early_after = 3e7;
    options.stop = stop_after_polls;
    options.stop_data = &polls;
    ct_exact_worker_poll_every(100000);
    int solved = solve(&t->data, &options, &result);
    ct_exact_worker_poll_every(0);
    if (!solved) return -1;
    double bound = result.bound;
    CHECK(result.end == CT_END_INTERRUPT);
    ct_exact_result_free(&result);
    return bound;
}

static void bounds_come_soon(void)
{
    rng r = {UINT64_C(820000)};
    random_table t = table_random(&r, 1500, 8, 2, 0);
    for (uint32_t i = 0; i < t.data.n_rows; i++) t.classes[i] = (int32_t) rng_below(&r, 2);
    CHECK(stopped_bound(&t, UINT32_C(1) << CT_SHORTCUT_EARLY) == 0);
    CHECK(stopped_bound(&t, 0) > 0);
    table_free(&t);
}

/* How many bounds are proven apart in a search of noise that is stopped after so many polls, and
 * before it has a bound of its own. */
static uint64_t bounds_apart(uint32_t n_rows, double after, int polls)
{
    rng r = {UINT64_C(830000)};
    random_table t = table_random(&r, n_rows, 8, 2, 0);
    for (uint32_t i = 0; i < t.data.n_rows; i++) t.classes[i] = (int32_t) rng_below(&r, 2);
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result result = {0};
    options.depth = 4;
    options.early_after = after;
    options.time_limit = 1e9;
    options.stop = stop_after_polls;
    options.stop_data = &polls;
    ct_exact_worker_poll_every(100000);
    int solved = solve(&t.data, &options, &result);
    ct_exact_worker_poll_every(0);
    uint64_t n = solved ? result.statistics.early : 0;
    if (solved) ct_exact_result_free(&result);
    table_free(&t);
    return n;
}

/* None is left out. */
static void caps_double(void) { CHECK(bounds_apart(1500, 3e7, 20000) >= 3); }

/* Four steps lead to half of the best cost, and with a limit of time others go on. */
static void beyond_half(void) { CHECK(bounds_apart(300, 3e6, 60000) > 4); }

static const check_case cases[] = {{"bounds hold", bounds_hold},
                                   {"bounds come soon", bounds_come_soon},
                                   {"caps double", caps_double},
                                   {"beyond half", beyond_half}};
CHECK_MAIN(cases)
