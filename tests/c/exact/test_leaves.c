/* Trees of few leaves, classification and regression, against all trees that there are. */
#include "brute_leaves.h"
#include "solve.h"

/* ---- tables ---- */

/* Whole losses and weights, prices in eighths of a row. */
enum { PARTS = 8 };

static void leaf_costs_of_classes(few_brute *b, const ct_data *data)
{
    for (uint32_t set = 1; set < UINT32_C(1) << data->n_rows; set++) {
        b->leaf[set] = INT64_MAX;
        for (uint32_t label = 0; label < data->n_classes; label++) {
            double cost = 0;
            for (uint32_t i = 0; i < data->n_rows; i++)
                if (set >> i & 1) cost += cost_of_row(data, i, label);
            if (PARTS * (int64_t) cost < b->leaf[set]) b->leaf[set] = PARTS * (int64_t) cost;
        }
    }
}

static random_table table_of_classes(rng *r, few_brute *b, ct_exact_options *options)
{
    uint32_t n = 4 + rng_below(r, FEW_ROWS - 3), n_classes = 2 + rng_below(r, 3), kind;
    random_table t = table_random(r, n, 1 + rng_below(r, 3), n_classes, rng_below(r, 3) > 0);
    kind = rng_below(r, 4);
    if (kind == 1) {
        table_new_weights(&t);
        for (uint32_t i = 0; i < n; i++) t.weights[i] = rng_below(r, 4);
        t.weights[0]++;
    } else if (kind == 2) {
        table_new_loss(&t);
        for (uint32_t c = 0; c < n_classes; c++)
            for (uint32_t k = 0; k < n_classes; k++) t.loss[c * n_classes + k] = c == k
                                                         ? 0 : 1 + rng_below(r, 4);
    }
    b->split = rng_below(r, 2) ? 0 : rng_below(r, 2 * PARTS);
    options->complexity = (double) b->split / PARTS / sum_of_weights(&t.data);
    options->any_size = !b->split && rng_below(r, 3) == 0;
    leaf_costs_of_classes(b, &t.data);
    return t;
}

/* y[n] is the caller's. */
static random_table table_of_response(rng *r, few_brute *b, ct_exact_options *options, double *y)
{
    static response_brute grid;
    uint32_t n = 4 + rng_below(r, FEW_ROWS - 3), levels = 2 + rng_below(r, 6), rows[FEW_ROWS];
    random_table t = table_random(r, n, 1 + rng_below(r, 3), 2, rng_below(r, 3) > 0);
    for (uint32_t i = 0; i < n; i++)
        y[i] = rng_below(r, levels) * 0.5 + (levels > 5 ? 3 * t.classes[i] : 0);
    t.data.classes = NULL;
    t.data.response = y;
    t.data.n_classes = 1;
    if (rng_below(r, 4) == 0) {
        table_new_weights(&t);
        for (uint32_t i = 0; i < n; i++) t.weights[i] = 1 + rng_below(r, 3);
    }
    if (rng_below(r, 2)) options->complexity = rng_unit(r) * 0.1;
    options->any_size = options->complexity == 0 && rng_below(r, 3) == 0;
    CHECK(brute_begin(&grid, &t.data, options));
    b->split = grid.split;
    for (uint32_t set = 1; set < UINT32_C(1) << n; set++) {
        uint32_t m = 0;
        for (uint32_t i = 0; i < n; i++)
            if (set >> i & 1) rows[m++] = i;
        b->leaf[set] = brute_leaf(&grid, rows, m);
    }
    return t;
}

static random_table any_table(rng *r, few_brute *b, ct_exact_options *options, double *y)
{
    *options = ct_exact_options_default();
    options->depth = 2 + rng_below(r, 3);
    random_table t = rng_below(r, 2) ? table_of_response(r, b, options, y)
                                     : table_of_classes(r, b, options);
    options->max_leaves = 1 + rng_below(r, options->depth == 2 ? 4 : 6);
    if (rng_below(r, 3) == 0) {
        options->min_bucket = 1 + rng_below(r, 3);
        options->min_split = rng_below(r, 6);
    }
    if (rng_below(r, 6) == 0) {
        table_add_roots(&t, r);
        options->roots = t.roots;
    }
    return t;
}

/* ---- checks ---- */

/* What the tree's rows cost in the brute force's integers; its leaves are counted. */
static int64_t cost_of_tree(const few_brute *b, const ct_forest *tree, const uint32_t *leaf_of_row,
                            uint32_t *leaves)
{
    int64_t cost = -b->split;
    *leaves = 0;
    for (uint32_t node = 0; node < tree->n_nodes; node++) {
        uint32_t set = 0;
        if (tree->feature[node] >= 0) continue;
        for (uint32_t i = 0; i < b->data->n_rows; i++)
            if (leaf_of_row[i] == node) set |= UINT32_C(1) << i;
        cost += b->leaf[set] + b->split;
        (*leaves)++;
    }
    return cost;
}

/* Searches at a lower price. */
static uint64_t n_lower_prices;

/* The optimum, as the tree that the rule wants; of any size, any of that cost. */
static void check_best(few_brute *b, const random_table *t, const ct_exact_options *options)
{
    ct_exact_result result;
    uint32_t leaf_of_row[FEW_ROWS], leaves;
    few_value best = few_optimum(b, &t->data, options);
    if (!solve_rows(&t->data, options, &result, leaf_of_row)) return;
    int64_t cost = cost_of_tree(b, &result.tree, leaf_of_row, &leaves);
    n_lower_prices += result.statistics.lower_price;
    CHECK(cost == best.cost && (leaves == best.leaves || options->any_size));
    CHECK(result.end == CT_END_OPTIMAL && result.bound <= result.cost);
    CHECK(options->any_of_ties || options->any_size ||
          few_is_tree(b, &result.tree, result.tree.roots[0], (UINT32_C(1) << t->data.n_rows) - 1,
                      options->depth, few_most(options), options->roots));
}

/* Both kinds, any number of leaves; in some each shortcut off, in some two threads. */
static void equals_brute_force(rng *r, uint32_t seed)
{
    static few_brute b;
    double y[FEW_ROWS];
    ct_exact_options options;
    random_table t = any_table(r, &b, &options, y);
    if (seed % 4 == 1) options.off = UINT32_C(1) << rng_below(r, CT_EXACT_N_SHORTCUTS);
    if (seed % 16 == 2) options.threads = 2, options.team_after = 0;
    options.any_of_ties = seed % 8 == 3;
    check_best(&b, &t, &options);
}

/* Prices of which few splits can be afforded, or none, for up to five levels, with a limit on
 * leaves or without; in some no levels are taken away, or whatever else can be left out is. In most
 * large trees are searched at a lower price. */
static void equals_brute_force_at_any_price(rng *r, uint32_t seed)
{
    static few_brute b;
    double y[FEW_ROWS];
    ct_exact_options options;
    random_table t = any_table(r, &b, &options, y);
    options.depth = 2 + rng_below(r, 4);
    if (rng_below(r, 4)) options.max_leaves = 0;
    if (rng_below(r, 2)) options.test_rows = 0;
    if (seed % 4 == 1) options.off = UINT32_C(1) << rng_below(r, CT_EXACT_N_SHORTCUTS);
    if (seed % 16 == 2) options.threads = 2, options.team_after = 0;
    if (seed % 16 == 3) options.off = UINT32_C(1) << CT_SHORTCUT_PRICE;
    if (seed % 3 == 1) options.early_after = 0, options.time_limit = 1e9;
    if (seed % 5) options.price_rows = 0;
    options.any_of_ties = seed % 8 == 4;
    check_best(&b, &t, &options);
}

static void prices_were_lower(void) { CHECK(n_lower_prices > 0); }

static uint32_t few; /* tables of which that is so */

/* Where no tree as good as the best has more splits than there are levels, all depths are one. */
static void depth_beyond_the_price(rng *r, uint32_t seed)
{
    random_table t = table_random(r, 20 + rng_below(r, 40), 3, 2 + rng_below(r, 3), seed % 2);
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result least, deep;
    options.complexity = 0.03 + 0.1 * rng_unit(r);
    REQUIRE(solve(&t.data, &options, &least));
    int enough = least.cost < 4 * least.split_cost;
    few += (uint32_t) enough;
    while (++options.depth < 6) {
        REQUIRE(solve(&t.data, &options, &deep));
        CHECK(enough ? deep.cost == least.cost : deep.cost <= least.cost);
        CHECK(!enough || deep.tree.n_nodes == least.tree.n_nodes);
        CHECK(deep.end == CT_END_OPTIMAL);
    }
}

static void few_were_enough(void) { CHECK(few > 0); }

/* Of one table the optimum for every number of leaves; with all that the depth allows it is that
 * without a limit. */
static void every_number_of_leaves(rng *r, uint32_t seed)
{
    static few_brute b;
    double y[FEW_ROWS];
    ct_exact_options options;
    random_table t = any_table(r, &b, &options, y);
    for (uint32_t k = 1; k <= UINT32_C(1) << options.depth; k++) {
        options.max_leaves = k;
        check_best(&b, &t, &options);
    }
    ct_exact_result all, any;
    REQUIRE(solve(&t.data, &options, &all));
    options.max_leaves = 0;
    REQUIRE(solve(&t.data, &options, &any));
    CHECK(all.cost == any.cost && all.tree.n_nodes == any.tree.n_nodes);
}

/* A tree to begin with: the best of more leaves, which has to lose some. */
static void begins_with_a_tree(rng *r, uint32_t seed)
{
    static few_brute b;
    double y[FEW_ROWS];
    ct_exact_options options;
    ct_exact_result larger;
    random_table t = any_table(r, &b, &options, y);
    uint32_t leaves = options.max_leaves;
    options.max_leaves = rng_below(r, 2) ? 0 : leaves;
    REQUIRE(solve(&t.data, &options, &larger));
    ct_exact_start start = start_of(&larger.tree);
    options.start = &start;
    options.max_leaves = leaves;
    check_best(&b, &t, &options);
}

/* A larger table: whatever is done by how many threads, the tree is the same; and stopped at any
 * moment the bound holds. */
static void same_for_any_threads(rng *r, uint32_t seed)
{
    random_table t = table_random(r, 150, 4, 2 + rng_below(r, 3), 1);
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result one, two, stopped;
    options.depth = 3 + seed % 2;
    options.max_leaves = 3 + rng_below(r, 4);
    REQUIRE(solve(&t.data, &options, &one));
    options.threads = 2;
    options.team_after = 0;
    REQUIRE(solve(&t.data, &options, &two));
    CHECK(one.cost == two.cost && same_tree(&one.tree, &two.tree));
    options.threads = 1;
    REQUIRE(solve_stopped(&t.data, options, (int) rng_below(r, 40), 500, &stopped));
    CHECK(stopped.bound <= one.cost && one.cost <= stopped.cost);
}

/* Also on the way, while some ways to deal out the leaves have not been looked at. */
static void bounds_on_the_way(rng *r, uint32_t seed)
{
    random_table t = table_random(r, 30, 3, 2 + rng_below(r, 2), 1);
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result result;
    options.max_leaves = 3 + rng_below(r, 4);
    REQUIRE(solve(&t.data, &options, &result));
    for (uint32_t i = 0; i < result.n_history; i++)
        CHECK(result.history[i].lower <= result.cost);
}

static void no_certificate(void)
{
    rng r = {1};
    random_table t = table_random(&r, 20, 2, 2, 0);
    ct_exact_options options = ct_exact_options_default();
    ct_bytes evidence = {0};
    options.evidence = &evidence;
    options.max_leaves = 3;
    CHECK(is_refused(&t.data, &options));
}

static const check_case cases[] = {
    {"equals brute force", EACH(equals_brute_force, 640000, 2400, 300, 60)},
    {"equals brute force at any price",
     EACH(equals_brute_force_at_any_price, 700000, 20000, 2500, 500), prices_were_lower},
    {"depth beyond the price", EACH(depth_beyond_the_price, 710000, 120, 15, 3), few_were_enough},
    {"every number of leaves", EACH(every_number_of_leaves, 660000, 60, 7, 1)},
    {"begins with a tree", EACH(begins_with_a_tree, 670000, 400, 50, 10)},
    {"same for any threads", EACH(same_for_any_threads, 680000, 24, 3, 0)},
    {"bounds on the way", EACH(bounds_on_the_way, 690000, 400, 50, 10)},
    {"no certificate", no_certificate},
};

CHECK_MAIN(cases)
