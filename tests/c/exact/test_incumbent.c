/* Trees to begin with, and the history of a search. */
#include "base/memory.h"
#include "solve.h"

static random_table noisy_table(rng *r, uint32_t n)
{
    random_table t = table_random(r, n, 4, 2 + rng_below(r, 2), 0);
    for (uint32_t i = 0; i < n; i += 3) t.classes[i] = (int32_t) rng_below(r, t.data.n_classes);
    return t;
}

/* A search that has no time returns a tree at least as good; one that has time the same tree as
 * without it. */
static void a_start_is_kept(rng *r, uint32_t seed)
{
    random_table t = noisy_table(r, 50 + rng_below(r, 250));
    ct_exact_options options = ct_exact_options_default();
    options.depth = 2 + seed % 2;
    if (seed % 4 == 3) options.complexity = 0.01;
    if (seed % 5 == 4) options.min_bucket = 10;
    ct_exact_result first, again;
    REQUIRE(solve(&t.data, &options, &first));
    ct_exact_start start = start_of(&first.tree);
    options.start = &start;
    REQUIRE(solve(&t.data, &options, &again));
    CHECK(again.end == CT_END_OPTIMAL && again.cost == first.cost);
    CHECK(same_tree(&again.tree, &first.tree));
    options.depth++;
    options.time_limit = 0;
    REQUIRE(solve(&t.data, &options, &again));
    CHECK(again.cost <= first.cost);
    CHECK(again.bound <= again.cost);
}

/* Splits on any column at any threshold, deeper than the search. */
static void any_start_will_do(rng *r, uint32_t seed)
{
    enum { NODES = 63 };
    random_table t = noisy_table(r, 5 + rng_below(r, 60));
    int32_t feature[NODES];
    double threshold[NODES];
    uint32_t left[NODES], right[NODES];
    for (uint32_t i = 0; i < NODES; i++) {
        feature[i] = 2 * i + 2 < NODES && rng_below(r, 6) ? (int32_t) rng_below(r, 4) : -1;
        threshold[i] = rng_unit(r) * 1.4 - 0.2;
        left[i] = 2 * i + 1;
        right[i] = 2 * i + 2;
    }
    ct_exact_start start = {NODES, feature, threshold, left, right};
    ct_exact_options options = ct_exact_options_default();
    options.depth = 2 + seed % 3;
    options.min_bucket = 1 + rng_below(r, 4);
    ct_exact_result without, with;
    REQUIRE(solve(&t.data, &options, &without));
    options.start = &start;
    REQUIRE(solve(&t.data, &options, &with));
    CHECK(with.cost == without.cost && with.end == CT_END_OPTIMAL);
}

/* A start whose thresholds a cap has taken away, in columns of few values, changes no answer. */
static void a_start_under_a_cap(rng *r, uint32_t seed)
{
    random_table t = table_random(r, 4 + rng_below(r, 30), 1 + rng_below(r, 3), 2, 0);
    for (uint32_t i = 0; i < t.data.n_rows * t.data.n_cols; i++)
        t.values[i] = floor(t.values[i] * (2 + seed % 7));
    for (uint32_t i = 0; i < t.data.n_rows; i++) t.classes[i] = (int32_t) rng_below(r, 2);
    ct_exact_options options = ct_exact_options_default();
    options.depth = 2 + seed % 3;
    if (seed % 5 == 4) options.min_bucket = 2;
    ct_exact_result start_from, without, with;
    REQUIRE(solve(&t.data, &options, &start_from));
    ct_exact_start start = start_of(&start_from.tree);
    options.max_thresholds = 1 + seed % 3;
    REQUIRE(solve(&t.data, &options, &without));
    options.start = &start;
    REQUIRE(solve(&t.data, &options, &with));
    CHECK(with.cost == without.cost && with.bound == with.cost && with.end == CT_END_OPTIMAL);
}

/* The threshold that the cap leaves nearest to the start's takes its place. */
static void the_nearest_threshold_is_taken(void)
{
    enum { N = 30 }; /* the cap leaves 10 and 20 */
    for (uint32_t at = 1; at < N; at++) {
        random_table t = table_new(N, 1, 2);
        for (uint32_t i = 0; i < N; i++) {
            table_column(&t, 0)[i] = i;
            t.classes[i] = i >= at;
        }
        int32_t feature[] = {0, -1, -1};
        double threshold[] = {at - 0.5, 0, 0};
        uint32_t left[] = {1, 0, 0}, right[] = {2, 0, 0}, near = at <= 15 ? 10 : 20;
        ct_exact_start start = {3, feature, threshold, left, right};
        ct_exact_options options = ct_exact_options_default();
        options.depth = 2;
        options.max_thresholds = 2;
        options.time_limit = 0;
        options.start = &start;
        ct_exact_result result;
        REQUIRE(solve(&t.data, &options, &result));
        double moved = at > near ? at - near : near - at;
        if (moved < (at < N - at ? at : N - at)) CHECK(result.cost <= moved);
        CHECK(result.history[0].upper == (at < N - at ? at : N - at));
        CHECK(result.n_history < 2 || result.history[1].upper <= moved);
    }
}

static void count(void *data, const ct_exact_progress *progress)
{
    int *calls = (int *) data;
    CHECK(progress->lower <= progress->upper && progress->closed >= 0 && progress->closed <= 1);
    ++*calls;
}

/* Bounds only come nearer, and end with those of the result. */
static void history_narrows(void)
{
    rng r = {99};
    random_table t = noisy_table(&r, CHECK_QUICK() ? 300 : 1500);
    for (unsigned threads = 1; threads < 4; threads += 2) {
        int calls = 0;
        ct_exact_options options = ct_exact_options_default();
        options.threads = threads;
        options.team_after = 0;
        options.depth = CHECK_SLOW() ? 3 : 4;
        options.report = count;
        options.report_data = &calls;
        ct_exact_result result;
        REQUIRE(solve_stopped(&t.data, options, CHECK_QUICK() ? 20 : 200, 0, &result));
        CHECK(result.end == CT_END_INTERRUPT || CHECK_QUICK()); /* small tables are soon solved */
        CHECK(result.n_history >= 1);
        for (uint32_t i = 1; i < result.n_history; i++) {
            const ct_exact_progress *a = &result.history[i - 1], *b = &result.history[i];
            CHECK(b->seconds >= a->seconds && b->upper <= a->upper && b->lower >= a->lower);
        }
        for (uint32_t i = 0; i < result.n_history; i++)
            CHECK(result.history[i].lower <= result.cost);
        CHECK(result.history[result.n_history - 1].upper == result.cost);
        CHECK(result.history[result.n_history - 1].lower == result.bound);
    }
}

/* Labels of a tree of depth three, one in ten wrong. */
static random_table large_table(uint32_t n)
{
    rng r = {7};
    random_table t = table_random(&r, n, 12, 2, 0);
    const double *x = table_column(&t, 0), *y = table_column(&t, 1), *z = table_column(&t, 2);
    for (uint32_t i = 0; i < n; i++) {
        int label = (x[i] < 0.4 ? y[i] < 0.5 : z[i] < 0.3) ^ (y[i] < 0.1);
        t.classes[i] = rng_below(&r, 10) ? label : 1;
    }
    return t;
}

/* A search that is stopped while it looks ahead keeps what it has found there. */
static void a_stop_keeps_what_was_seen_ahead(void)
{
    random_table t = large_table(CHECK_QUICK() ? 6000 : 20000);
    double leaf = 0, last = 0;
    int early = 0;
    for (int polls = 0; polls < (CHECK_QUICK() ? 3 : 11); polls++) {
        ct_exact_options options = ct_exact_options_default();
        options.depth = 4;
        ct_exact_result result;
        REQUIRE(solve_stopped(&t.data, options, polls, 0, &result));
        if (!polls) leaf = result.history[0].upper;
        last = result.cost;
        early += last < 0.7 * leaf;
        CHECK(result.bound <= result.cost && result.cost <= leaf);
    }
    CHECK(CHECK_QUICK() || (early >= 2 && last < 0.5 * leaf));
}

/* A search that is stopped before all columns are ranked has the leaf to give; nothing reads what
 * is not there, on a device neither. */
static void a_stop_before_the_first_look(void)
{
    enum { COLS = 40 };
    rng r = {31};
    random_table t = table_random(&r, CHECK_QUICK() ? 30000 : 60000, COLS, 2, 0);
    double n_wrong = 0;
    for (uint32_t i = 0; i < t.data.n_rows; i++) n_wrong += t.classes[i];
    if (n_wrong > t.data.n_rows - n_wrong) n_wrong = t.data.n_rows - n_wrong;
    for (int byte = 0; byte < 256; byte += 85) {
        ct_exact_options options = ct_exact_options_default();
        options.depth = 1 + (unsigned) byte / 85 % 3;
        options.threads = byte % 2 ? 3 : 1;
        options.time_limit = 0;
        options.device = CT_EXACT_DEVICE_TWIN;
        ct_exact_result result;
        ct_alloc_fill(byte);
        REQUIRE(solve(&t.data, &options, &result));
        ct_alloc_fill(-1);
        CHECK(result.end == CT_END_TIME && result.cost == n_wrong && result.tree.n_nodes == 1);
        CHECK(result.bound <= result.cost && !strcmp(result.device, "cpu"));
    }
}

/* The parity of two or three columns takes a tree that looking ahead does not find. It is the same
 * one whether it is searched for alone or among all others. */
static void error_free_trees_are_found_first(rng *r, uint32_t seed)
{
    random_table t = table_new(20 + rng_below(r, 30), 4, 2);
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result first, among;
    for (uint32_t i = 0; i < t.data.n_rows; i++) {
        t.classes[i] = 0;
        for (uint32_t col = 0; col < 4; col++) {
            table_column(&t, col)[i] = rng_below(r, 20);
            if (col != seed % 4 && col < 3)
                t.classes[i] ^= table_column(&t, col)[i] < 10;
        }
    }
    options.threads = 1 + seed % 2;
    REQUIRE(solve(&t.data, &options, &first));
    options.off = UINT32_C(1) << CT_SHORTCUT_ERROR_FREE;
    REQUIRE(solve(&t.data, &options, &among));
    CHECK(first.cost == 0 && first.bound == 0 && first.end == CT_END_OPTIMAL);
    CHECK(among.cost == 0 && same_tree(&first.tree, &among.tree));
    check_state.tally[0] += first.statistics.scans != among.statistics.scans;
}

static void ways_differ(void) { CHECK(check_state.tally[0] > 5); }

static const check_case cases[] = {
    {"a start is kept", EACH(a_start_is_kept, 11, 60, 5, 5)},
    {"any start will do", EACH(any_start_will_do, 4000, 36, 6, 6)},
    {"a start under a cap", EACH(a_start_under_a_cap, 7000, 600, 30, 30)},
    {"the nearest threshold is taken", the_nearest_threshold_is_taken},
    {"history narrows", history_narrows},
    {"error-free trees are found first",
     EACH(error_free_trees_are_found_first, 4100, 60, 60, 60), ways_differ},
    {"a stop keeps what was seen ahead", a_stop_keeps_what_was_seen_ahead},
    {"a stop before the first look", a_stop_before_the_first_look},
};

CHECK_MAIN(cases)
