/* Large trees searched at a lower price: the tree is the one that is found without, whoever
 * searches with which instructions, and what is known on the way, or of roots, holds. Brute force
 * is in test_leaves.c. */
#include "solve.h"

/* Classes that no few splits tell apart, but for some noise: whether an even number of columns is
 * above a half. */
static void set_parity(random_table *t, rng *r, uint32_t n)
{
    for (uint32_t i = 0; i < t->data.n_rows; i++) {
        t->classes[i] = rng_below(r, 10) == 0;
        for (uint32_t col = 0; col < n; col++) {
            table_column(t, col)[i] = rng_unit(r);
            t->classes[i] ^= table_column(t, col)[i] > 0.5;
        }
    }
}

/* A noisy table, and a price that several splits are worth; in some leaf sizes, weights. */
static random_table any_table(rng *r, ct_exact_options *options)
{
    random_table t = table_random(r, 20 + rng_below(r, 40), 2 + rng_below(r, 2),
                                  2 + rng_below(r, 2), 1);
    if (rng_below(r, 2)) set_parity(&t, r, t.data.n_cols);
    *options = ct_exact_options_default();
    options->depth = 4 + rng_below(r, 2);
    options->complexity = 0.02 + 0.04 * rng_unit(r);
    options->price_rows = 0;
    if (rng_below(r, 4) == 0) table_add_weights(&t, r);
    if (rng_below(r, 4) == 0) options->min_bucket = 1 + rng_below(r, 6);
    return t;
}

/* Searches at a lower price, and those of them that led to a large tree. */
static uint64_t used, large;

/* By two threads, or with the plainest instructions. */
static void same_answer(rng *r, uint32_t seed)
{
    ct_exact_options options;
    ct_exact_result without, with;
    random_table t = any_table(r, &options);
    options.off = UINT32_C(1) << CT_SHORTCUT_LOWER_PRICE;
    REQUIRE(solve(&t.data, &options, &without));
    CHECK(without.statistics.lower_price == 0 && without.end == CT_END_OPTIMAL);
    options.off = 0;
    for (int way = 0; way < 3; way++) {
        if (way == 1) options.threads = 2, options.team_after = 0;
        if (way == 2) options.threads = 1, options.simd = "scalar";
        REQUIRE(solve(&t.data, &options, &with));
        CHECK(with.cost == without.cost && with.bound == without.bound && with.end == without.end);
        CHECK(same_tree(&with.tree, &without.tree));
        used += with.statistics.lower_price;
        large += without.tree.n_nodes > 7 && with.statistics.lower_price;
    }
}

static void it_ends_both_ways(void) { CHECK((large > 0 && large < used) || CHECK_QUICK()); }

/* What is proven of trees with a certain root. */
static void bounds_of_roots(rng *r, uint32_t seed)
{
    ct_exact_options options;
    ct_exact_result all, one;
    random_table t = any_table(r, &options);
    uint8_t roots[8];
    REQUIRE(solve(&t.data, &options, &all) && t.data.n_cols <= 8);
    options.price_rows = UINT32_MAX;
    options.roots = roots;
    for (uint32_t f = 0; f < t.data.n_cols; f++) {
        for (uint32_t g = 0; g < t.data.n_cols; g++) roots[g] = g == f;
        REQUIRE(solve(&t.data, &options, &one));
        if (one.tree.n_nodes > 1)
            CHECK(all.root_bounds[f] <= one.cost + rounded_off(&t.data, &options, one.cost));
    }
}

static uint64_t used_on_the_way;

/* Stopped at any moment: no tree costs less than the bound, which never falls; nor does the tree's
 * cost rise. */
static void holds_on_the_way(rng *r, uint32_t seed)
{
    ct_exact_options options;
    ct_exact_result whole, some;
    random_table t = any_table(r, &options);
    int polls = (int) rng_below(r, seed % 2 ? 60 : 600);
    REQUIRE(solve(&t.data, &options, &whole));
    if (seed % 3) options.early_after = 1e4, options.time_limit = 1e9;
    if (seed % 8 == 0) options.threads = 2, options.team_after = 0;
    REQUIRE(solve_stopped(&t.data, options, polls, seed % 4 ? 100 : 2000, &some));
    used_on_the_way += some.statistics.lower_price;
    double off = rounded_off(&t.data, &options, whole.cost);
    int holds = some.bound <= whole.cost + off && whole.cost <= some.cost + off &&
                (some.end != CT_END_OPTIMAL || some.cost == whole.cost);
    for (uint32_t i = 0; i < some.n_history; i++) {
        const ct_exact_progress *now = &some.history[i];
        holds &= now->lower <= whole.cost + off && now->upper + off >= whole.cost &&
                 (!i || (now->lower >= now[-1].lower && now->upper <= now[-1].upper));
    }
    CHECK(holds);
}

static void some_prices_were_lower(void) { CHECK(used_on_the_way > 0 || CHECK_QUICK()); }

/* Not where the best tree known is large, splits are as good as free, columns have few values, or
 * the table is small; nor where less than a proof is asked for. */
static void only_where_it_pays(void)
{
    rng r = {UINT64_C(750000)};
    random_table t = table_random(&r, 300, 3, 2, 1);
    for (uint32_t i = 0; i < t.data.n_rows; i++)
        t.classes[i] = (table_column(&t, 0)[i] > table_column(&t, 0)[0]) ^ (rng_below(&r, 4) == 0);
    for (int what = 0; what < 6; what++) {
        ct_exact_options options = ct_exact_options_default();
        ct_exact_result result;
        options.depth = what == 1 ? 3 : 4;
        options.complexity = what == 2 ? 0 : 0.05;
        options.price_rows = what == 3 ? 301 : 300;
        if (what == 4) options.max_leaves = 6;
        if (what == 5) options.max_gap = 1;
        REQUIRE(solve(&t.data, &options, &result));
        CHECK_INT((int) result.statistics.lower_price, what == 0);
    }
}

static const check_case cases[] = {
    {"same tree", EACH(same_answer, 720000, 120, 6, 1), it_ends_both_ways},
    {"bounds of roots", EACH(bounds_of_roots, 730000, 120, 6, 2)},
    {"holds on the way", EACH(holds_on_the_way, 740000, 240, 30, 6), some_prices_were_lower},
    {"only where it pays", only_where_it_pays},
};
CHECK_MAIN(cases)
