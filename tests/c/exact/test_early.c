/* Bounds that are proven apart, before a search has any: they hold whenever it is stopped, come
 * soon, and leave the answer as it is. */
#include "solve.h"

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
    return n;
}

static uint64_t proven_apart;
static void bounds_hold(rng *r, uint32_t seed)
{
    ct_exact_options options;
    ct_exact_result result;
    random_table t = any_table(r, &options);
    int polls = (int) rng_below(r, 200);
    REQUIRE(solve(&t.data, &options, &result));
    double optimum = result.cost;
    if (seed % 8 == 0) options.threads = 2, options.team_after = 0;
    proven_apart += solve_early(&t, options, optimum);
    options.stop = stop_after;
    options.stop_data = &polls;
    proven_apart += solve_early(&t, options, optimum);
}

static void some_were_proven_apart(void) { CHECK(proven_apart > 0 || CHECK_SLOW()); }

static random_table noise(uint64_t seed, uint32_t n_rows)
{
    rng r = {seed};
    random_table t = table_random(&r, n_rows, 8, 2, 0);
    for (uint32_t i = 0; i < n_rows; i++) t.classes[i] = (int32_t) rng_below(&r, 2);
    return t;
}

/* The bound of a search of noise that is stopped so early that no feature is done with. */
static double stopped_bound(const random_table *t, uint32_t off)
{
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result result;
    options.depth = 4;
    options.off = off;
    options.early_after = 3e7;
    if (!solve_stopped(&t->data, options, 1000, 100000, &result)) return -1;
    CHECK(result.end == CT_END_INTERRUPT);
    return result.bound;
}

static void bounds_come_soon(void)
{
    random_table t = noise(820000, 1500);
    CHECK(stopped_bound(&t, UINT32_C(1) << CT_SHORTCUT_EARLY) == 0);
    CHECK(stopped_bound(&t, 0) > 0);
}

/* How many bounds are proven apart in a search of noise that is stopped after so many polls, and
 * before it has a bound of its own. */
static uint64_t bounds_apart(uint32_t n_rows, double after, int polls)
{
    random_table t = noise(830000, n_rows);
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result result;
    options.depth = 4;
    options.early_after = after;
    options.time_limit = 1e9;
    if (!solve_stopped(&t.data, options, polls, 100000, &result)) return 0;
    return result.statistics.early;
}

/* None is left out. */
static void caps_double(void) { CHECK(bounds_apart(1500, 3e7, 20000) >= 3); }

/* Four steps lead to half of the best cost, and with a limit of time others go on. */
static void beyond_half(void)
{
    if (CHECK_QUICK()) SKIP("too long here");
    CHECK(bounds_apart(300, 3e6, 60000) > 4);
}

static const check_case cases[] = {
    {"bounds hold", EACH(bounds_hold, 810000, 200, 15, 6), some_were_proven_apart},
    {"bounds come soon", bounds_come_soon},
    {"caps double", caps_double},
    {"beyond half", beyond_half},
};
CHECK_MAIN(cases)
