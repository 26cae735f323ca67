/* Weights and losses: against the definition, and against each other. */
#include <float.h>

#include "brute_units.h"
#include "base/bits.h"
#include "exact/cost/choices.h"
#include "exact/cost/penalty.h"
#include "exact/cost/quantised.h"
#include "solve.h"

/* kind: losses, weights, both, or both with weights of classes. */
static random_table costly_table(rng *r, uint32_t n_rows, uint32_t kind)
{
    random_table t = table_random(r, n_rows, 1 + rng_below(r, 3), 2 + rng_below(r, 3),
                                  rng_below(r, 3) != 0);
    if (kind != 0) table_add_weights(&t, r);
    if (kind != 1) table_add_loss(&t, r);
    for (uint32_t i = 0; kind == 3 && i < n_rows; i++) t.weights[i] = 0.5 * (1 + t.classes[i]);
    return t;
}

static int is_near(double a, double b) { return fabs(a - b) <= 1e-9 * (1 + fabs(b)); }

/* The cost of each of 7 splits is rounded to 2^-30 of what a row costs, where all cost the same. */
static double rounding(const random_table *t)
{
    return dearest_of(&t->data) * (rounding_share(&t->data, 3) + 7 * ldexp(1, -31));
}

static void equals_brute_force(rng *r, uint32_t seed)
{
    static brute b;
    random_table t = costly_table(r, 1 + rng_below(r, 12), seed % 4);
    ct_exact_options options = ct_exact_options_default();
    options.depth = 1 + rng_below(r, 3);
    if (seed % 2) options.complexity = rng_unit(r) * 0.1;
    if (seed % 5 == 4) options.min_bucket = 1 + rng_below(r, 4);
    double expected = brute_optimum(&b, &t.data, &options);
    CHECK_NEAR(solved_cost(&t.data, &options), expected,
               fmax(1e-9 * (1 + fabs(expected)), rounding(&t)));
}

/* Where weights say which thresholds near a bad one are bad too, and nothing else does. */
static void windows_equal_brute_force(rng *r, uint32_t seed)
{
    static brute b;
    uint32_t n = 6 + rng_below(r, 9);
    random_table t = table_random(r, n, 1 + rng_below(r, 2), 2 + rng_below(r, 2), 0);
    table_new_weights(&t);
    for (uint32_t i = 0; i < n; i++) {
        t.weights[i] = 1 + rng_below(r, 4) * rng_below(r, 4);
        if (seed % 2) t.classes[i] = (int32_t) rng_below(r, t.data.n_classes);
    }
    ct_exact_options options = ct_exact_options_default();
    options.depth = 2 + seed % 2;
    options.off = UINT32_C(1) << CT_SHORTCUT_INTERVAL | UINT32_C(1) << CT_SHORTCUT_CROSSED;
    CHECK_NEAR(solved_cost(&t.data, &options), brute_optimum(&b, &t.data, &options), 0);
}

/* Any two shortcuts off, any instruction set, any number of threads: the same cost. */
static void nothing_changes_it(rng *r, uint32_t seed)
{
    random_table t = costly_table(r, 100 + rng_below(r, 300), seed % 4);
    ct_exact_options options = ct_exact_options_default();
    const ct_kernels *kernels;
    options.depth = 2 + seed % 2;
    if (seed % 4 == 3) options.complexity = 0.01;
    if (seed % 5 == 4) options.min_bucket = 1 + rng_below(r, 20);
    double cost = solved_cost(&t.data, &options);
    for (size_t i = 0; (kernels = ct_kernels_at(i)); i++) {
        options.simd = kernels->name;
        options.threads = 1 + rng_below(r, 3);
        options.team_after = 0;
        options.off = UINT32_C(1) << rng_below(r, CT_EXACT_N_SHORTCUTS) |
                      UINT32_C(1) << rng_below(r, CT_EXACT_N_SHORTCUTS);
        CHECK(solved_cost(&t.data, &options) == cost);
    }
}

/* Whole weights from `least` on, below `most`; the first row has 1. */
static void add_whole_weights(rng *r, random_table *t, uint32_t least, uint32_t most)
{
    table_new_weights(t);
    for (uint32_t i = 0; i < t->data.n_rows; i++)
        t->weights[i] = i ? least + rng_below(r, most - least) : 1;
}

/* Each row as often as its weight says. */
static random_table table_repeated(random_table *t)
{
    uint32_t m = 0, n_cols = t->data.n_cols;
    for (uint32_t i = 0; i < t->data.n_rows; i++) m += (uint32_t) t->weights[i];
    random_table repeated = table_new(m, n_cols, t->data.n_classes);
    for (uint32_t i = m = 0; i < t->data.n_rows; i++) {
        for (uint32_t times = (uint32_t) t->weights[i]; times; times--, m++) {
            for (uint32_t col = 0; col < n_cols; col++)
                table_column(&repeated, col)[m] = table_column(t, col)[i];
            repeated.classes[m] = t->classes[i];
        }
    }
    return repeated;
}

/* A weight of 2 is the row twice, a weight of 0 no row. Together below and above what lanes of 16
 * bits hold. */
static void weights_are_repeated_rows(rng *r, uint32_t seed)
{
    int many = seed % 40 == 4;
    uint32_t n = many ? 1000 + rng_below(r, 1000) : 50 + rng_below(r, 200);
    uint32_t most = many ? 8 + rng_below(r, 80) : 4;
    random_table t = table_random(r, n, 3, 2 + rng_below(r, 3), 0);
    add_whole_weights(r, &t, 0, most);
    random_table repeated = table_repeated(&t);
    ct_exact_options options = ct_exact_options_default();
    options.depth = many ? 2 : 1 + rng_below(r, 3);
    CHECK(solved_cost(&t.data, &options) == solved_cost(&repeated.data, &options));
}

/* A loss that is the same for each wrong label is a weight of the class; one of 1 changes nothing
 * at all. The last row, which weighs nothing, keeps weights from being taken for those of classes.
 */
static void losses_are_class_weights(rng *r, uint32_t seed)
{
    random_table t = table_random(r, 100 + rng_below(r, 200), 3, 2 + rng_below(r, 3), 0);
    uint32_t n = t.data.n_classes;
    ct_exact_options options = ct_exact_options_default();
    options.depth = 1 + rng_below(r, 3);
    table_new_weights(&t);
    table_new_loss(&t);
    t.data.n_rows--;
    t.data.loss = t.data.weights = NULL;
    double plain = solved_cost(&t.data, &options);
    for (int ones = 1; ones >= 0; ones--) {
        for (uint32_t c = 0; c < n; c++) {
            double weight = ones ? 1 : rng_unit(r);
            for (uint32_t k = 0; k < n; k++) t.loss[c * n + k] = c == k ? 0 : weight;
            for (uint32_t i = 0; i < t.data.n_rows; i++)
                if (t.classes[i] == (int32_t) c) t.weights[i] = weight;
        }
        t.data.loss = t.loss;
        double by_loss = solved_cost(&t.data, &options);
        t.data.loss = NULL;
        t.data.weights = t.weights;
        CHECK(is_near(by_loss, solved_cost(&t.data, &options)));
        t.data.n_rows++;
        CHECK(is_near(by_loss, solved_cost(&t.data, &options)));
        t.data.n_rows--;
        t.data.weights = NULL;
        if (ones) CHECK(by_loss == plain);
    }
}

static void bad_ones_are_refused(void)
{
    rng r = {3};
    random_table t = table_random(&r, 20, 2, 2, 0);
    ct_exact_options options = ct_exact_options_default();
    static const double first_and_fourth[][2] = {
        {0, 0}, {1, -1}, {1, NAN}, {1, INFINITY}, {1, 1e300}, {1e-310, 0},
        {1, 1e-151} /* products of two would lose digits */
    };
    static const double losses[][4] = {
        {0, 1e-151, 1, 0}, {1, 1, 1, 0}, {0, -1, 1, 0}, {0, 0, 0, 0}};
    double weights[20] = {0};
    t.data.weights = weights;
    for (size_t i = 0; i < sizeof first_and_fourth / sizeof *first_and_fourth; i++) {
        weights[0] = first_and_fourth[i][0], weights[3] = first_and_fourth[i][1];
        CHECK(is_refused(&t.data, &options));
    }
    t.data.weights = NULL;
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        t.data.loss = losses[i];
        CHECK(is_refused(&t.data, &options));
    }
}

/* Costs as the search gets them. */
static ct_exact_costs costs_of(const ct_data *data, ct_arena *arena)
{
    ct_exact_costs costs;
    CHECK_OK(ct_exact_costs_init(&costs, data, 3, 0.0, 0, arena, &reason));
    CHECK_OK(ct_quantised_init(&costs, data, arena, &reason));
    return costs;
}

/* Weights in whole proportions become these, whatever their unit; so do two class weights in
 * inverse proportion to rows. */
static void proportions_become_small_numbers(void)
{
    enum { N = 300, OF_FIRST = 131 };
    ct_budget budget = {SIZE_MAX, 0};
    ct_arena arena;
    int32_t classes[N];
    double weights[N],
        loss[4] = {0, (double) N / (2 * OF_FIRST), (double) N / (2 * (N - OF_FIRST)), 0};
    for (int i = 0; i < N; i++) classes[i] = i >= OF_FIRST, weights[i] = (1 + i % 40) * 0.1234567;
    ct_data data = {N, 0, 2, NULL, classes, weights, NULL, NULL};
    ct_arena_init(&arena, &budget);
    ct_exact_costs costs = costs_of(&data, &arena);
    CHECK(costs.rounding == 0 && costs.quantised && costs.quantised->exact &&
          costs.quantised->n_planes == 6);
    for (int i = 0; i < N; i++)
        CHECK(costs.weights[i] == 1 + i % 40 && costs.quantised->rows[i] == 1 + i % 40);
    CHECK(is_near(costs.unit * (double) costs.most[0], 0.1234567) && !costs.loss);

    data.weights = NULL, data.loss = loss;
    costs = costs_of(&data, &arena);
    CHECK(costs.rounding == 0 && costs.quantised && costs.quantised->exact &&
          costs.quantised->n_planes == 0);
    CHECK(costs.quantised->gains[0] == N - OF_FIRST && costs.quantised->gains[1] == OF_FIRST);

    data.weights = weights, data.loss = NULL;
    weights[7] = sqrt(
        0.005); /* no proportion: rounded, and rounded down for the scans that reject */
    costs = costs_of(&data, &arena);
    CHECK(costs.rounding > 0 && costs.quantised && !costs.quantised->exact &&
          costs.quantised->n_planes == 8);
    for (int i = 0; i < N; i++) {
        int64_t cost = costs.weights[i] * costs.most[0],
                quantised = (int64_t) costs.quantised->rows[i] << costs.quantised->shift;
        CHECK(quantised <= cost && (costs.quantised->rows[i] == 255 ||
                                    cost - quantised < (int64_t) 1 << costs.quantised->shift));
    }
    ct_arena_free(&arena);
}

/* Losses of many kinds between many classes: by distance, squared, also none, at the limits of
 * lanes, of all magnitudes. */
static void set_losses_of_kind(rng *r, random_table *t, uint32_t kind)
{
    uint32_t n = t->data.n_classes;
    table_new_loss(t);
    for (uint32_t c = 0; c < n; c++) {
        for (uint32_t k = 0; k < n; k++) {
            double away = c > k ? c - k : k - c, loss = away;
            if (kind == 1) loss = away * away;
            if (kind == 2) loss = rng_below(r, 4);
            if (kind == 3) loss = rng_below(r, 2) ? 127 : 1;
            if (kind == 4) loss = floor(exp(rng_unit(r) * 14));
            if (kind == 5) loss = 1 + rng_below(r, 5);
            t->loss[c * n + k] = c == k ? 0 : loss;
        }
    }
    t->loss[1] = 1, t->loss[2] = 2; /* lest they do not depend on the label after all */
}

/* Rows repeated without weights, in lanes, are rows with weights, in 64 bits one after the other:
 * the same tree from all kernels, about the edges of blocks and in both widths of lanes. */
static void lanes_are_as_64_bits(rng *r, uint32_t seed)
{
    static const uint32_t rows[] = {15, 43, 64, 86, 128, 340, 512};
    int deep = seed % 4 == 1;
    uint32_t n = rows[rng_below(r, deep ? 3 : sizeof rows / sizeof *rows)];
    uint32_t n_classes = 3 + rng_below(r, seed % 8 ? 7 : 38);
    random_table t = table_random(r, n, 2, n_classes, seed % 4 == 0);
    if (seed % 3)
        for (uint32_t i = 0; i < n; i++)
            t.classes[i] = (int32_t) (rng_unit(r) * rng_unit(r) * n_classes);
    add_whole_weights(r, &t, 1, 3);
    random_table repeated = table_repeated(&t);
    set_losses_of_kind(r, &t, seed % 6);
    repeated.data.loss = t.loss;
    ct_exact_options options = ct_exact_options_default();
    options.depth = 2 + (unsigned) deep;
    if (seed % 4 == 3) options.complexity = 0.01;
    ct_exact_result expected, result;
    int solved = solve(&t.data, &options, &expected);
    const ct_kernels *kernels;
    for (size_t i = 0; solved && (kernels = ct_kernels_at(i)); i++) {
        options.simd = kernels->name;
        options.threads = 1 + seed % 2;
        if (!solve(&repeated.data, &options, &result)) continue;
        CHECK(is_near(result.cost, expected.cost) && same_tree(&result.tree, &expected.tree));
    }
}

/* Quantised losses, and their products with quantised weights, are below the limits of lanes and at
 * most the true ones; exact where that is said. */
static void quantised_losses_are_no_more(rng *r, uint32_t seed)
{
    uint32_t n_classes = 3 + rng_below(r, 20), n = 1 + rng_below(r, 400);
    random_table t = table_random(r, n, 1, n_classes, 0);
    double weights[400];
    set_losses_of_kind(r, &t, seed % 6);
    if (seed % 7 == 0) t.loss[1] = 3.14159e6;
    for (uint32_t i = 0; i < n; i++)
        weights[i] = seed % 4 == 1 ? 1 + rng_below(r, 300) : -log(1 - rng_unit(r)) + 1e-9;
    if (seed % 2) t.data.weights = weights;
    ct_budget budget = {SIZE_MAX, 0};
    ct_arena arena;
    ct_arena_init(&arena, &budget);
    ct_exact_costs costs = costs_of(&t.data, &arena);
    REQUIRE(costs.quantised && costs.quantised->by_label);
    const ct_quantised *quantised = costs.quantised;
    int exact = 1;
    int64_t all = 0;
    for (uint32_t i = 0; i < n; i++) {
        size_t c = (size_t) t.classes[i] * n_classes;
        int64_t weight = quantised->rows ? quantised->rows[i] : 1, most = 0;
        CHECK(weight < (int64_t) 1 << quantised->n_planes || !quantised->rows);
        for (uint32_t k = 0; k < n_classes; k++) {
            int64_t lost = quantised->by_label[c + (size_t) t.classes[i]] -
                           quantised->by_label[c + k];
            int64_t cost = costs.loss[c + k] * (costs.weights ? costs.weights[i] : 1);
            CHECK(quantised->by_label[c + k] >= 0 && quantised->by_label[c + k] < 1 << 15);
            CHECK(lost >= 0 && (weight * lost) << quantised->shift <= cost);
            exact = exact && (weight * lost) << quantised->shift == cost;
            if (weight * lost > most) most = weight * lost;
        }
        all += most;
    }
    CHECK(all < 1 << 29 && quantised->exact == exact);
    ct_arena_free(&arena);
}

/* What rows cost under the best of so many labels, from the definition: all sets of labels as bits.
 */
static int64_t best_of_few(const ct_exact_costs *costs, const uint32_t *rows, unsigned size)
{
    uint32_t n = costs->n_classes;
    int64_t least = INT64_MAX;
    for (uint32_t set = 1; set < UINT32_C(1) << n; set++) {
        if (ct_popcount(set) > size) continue;
        int64_t sum = 0;
        for (uint32_t c = 0; c < n; c++) {
            int64_t best = INT64_MAX;
            for (uint32_t k = 0; k < n; k++)
                if (set >> k & 1 && costs->loss[c * n + k] < best) best = costs->loss[c * n + k];
            sum += best * rows[c];
        }
        if (sum < least) least = sum;
    }
    return least;
}

static void few_labels_bound_trees(rng *r, uint32_t seed)
{
    uint32_t n_classes = 3 + rng_below(r, 9), rows[12];
    random_table t = table_random(r, 50, 1, n_classes, 0);
    set_losses_of_kind(r, &t, seed % 6);
    ct_budget budget = {SIZE_MAX, 0};
    ct_arena arena;
    ct_totals totals = {rows, NULL, NULL, NULL, NULL};
    ct_arena_init(&arena, &budget);
    ct_exact_costs costs = costs_of(&t.data, &arena);
    CHECK_OK(ct_choices_init(&costs, &arena, &reason));
    for (uint32_t c = 0; c < n_classes; c++)
        rows[c] = rng_below(r, 3) ? rng_below(r, 100) : 0;
    for (unsigned depth = 1; depth < 4; depth++) {
        CHECK_INT(ct_choices_known(&costs, depth), 1U << depth < n_classes);
        if (ct_choices_known(&costs, depth))
            CHECK_INT(ct_choices_least(&costs, &totals, depth),
                      best_of_few(&costs, rows, 1U << depth));
    }
    CHECK(ct_exact_choices_sets(36, 1) == 0 && ct_exact_choices_sets(35, 1) == 595 &&
          ct_exact_choices_sets(100000, 2) == 0);
    ct_arena_free(&arena);
}

/* Weights that are the same within each class are losses, costs that are all the same are none. */
static void simple_costs_are_seen(void)
{
    enum { N = 90, K = 3 };
    ct_budget budget = {SIZE_MAX, 0};
    ct_arena arena;
    int32_t classes[N];
    double weights[N], loss[K * K] = {0, 2, 2, 3, 0, 3, 1, 1, 0};
    for (int i = 0; i < N; i++) classes[i] = i % K, weights[i] = 0.3;
    ct_data data = {N, 0, K, NULL, classes, weights, NULL, NULL};
    ct_arena_init(&arena, &budget);
    ct_exact_costs costs = costs_of(&data, &arena);
    CHECK(costs.plain && !costs.weights && !costs.quantised && costs.unit == 0.3 &&
          costs.rounding == 0);
    CHECK(is_near(costs.total, 0.3 * N) && is_near(ct_exact_cost_grain(&costs), 0.3));

    for (int i = 0; i < N; i++) weights[i] = 6.0 / (classes[i] == 0 ? 2 : classes[i] == 1 ? 3 : 1);
    data.loss = loss; /* the product is 6 for all */
    costs = costs_of(&data, &arena);
    CHECK(costs.plain && costs.unit == 6);

    data.loss = NULL;
    costs = costs_of(&data, &arena);
    CHECK(!costs.plain && !costs.weights && costs.quantised && costs.quantised->exact &&
          costs.total == 30 * (3 + 2 + 6));
    for (int c = 0; c < K; c++) CHECK_INT(costs.quantised->gains[c], c == 0 ? 3 : c == 1 ? 2 : 6);

    weights[N - 1] = 5; /* one differs in its class */
    costs = costs_of(&data, &arena);
    CHECK(!costs.plain && costs.weights);

    for (int i = 0; i < N; i++) weights[i] = classes[i] == 0; /* and this class costs nothing */
    loss[1] = loss[2] = 0;
    data.loss = loss;
    costs = costs_of(&data, &arena);
    CHECK(!costs.plain && costs.unit > 0 && isfinite(costs.unit));
    ct_arena_free(&arena);
}

/* Weights so small that a 1 of a class without rows would leave nothing of them. */
static void unused_classes_weigh_nothing(void)
{
    for (int tiny = 0; tiny < 2; tiny++) {
        random_table t = table_new(3, 1, 3);
        table_new_weights(&t);
        for (uint32_t i = 0; i < 3; i++) {
            table_column(&t, 0)[i] = 1;
            t.classes[i] = 1 + (i > 0);
            t.weights[i] = ldexp(i ? 1 : 3, tiny ? -300 : 0);
        }
        ct_exact_options options = ct_exact_options_default();
        ct_exact_result result;
        REQUIRE(solve(&t.data, &options, &result));
        CHECK(result.cost == 2 * t.weights[1] && result.tree.label[0] == 1);
    }
}

/* Losses and weights that are rounded as much as the costs of two labels are apart: all rows are
 * one leaf, whose label must be the cheapest as the data are given. */
static void labels_are_the_cheapest(void)
{
    random_table t = table_new(6, 1, 3);
    double loss[9] = {0, 0.1, 5, 5, 0, 5, 1e-6, 1e6, 0};
    double weights[6] = {3.5, 3.5, 2.1, 7e15, 7e7, 2.1};
    int32_t classes[6] = {2, 0, 1, 2, 2, 0};
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result result;
    memcpy(t.classes, classes, sizeof classes);
    t.data.weights = weights;
    t.data.loss = loss;
    options.depth = 0;
    REQUIRE(solve(&t.data, &options, &result));
    CHECK_INT(result.tree.label[0], 2);
    CHECK(is_near(result.errors, 38.5));
}

/* Only a class whose rows weigh nothing costs anything, or its losses are next to nothing beside
 * those of a class without rows: then every tree is as good as any. */
static void losses_become_nothing(void)
{
    for (int rowless = 0; rowless < 2; rowless++) {
        random_table t = table_new(12, 1, 3);
        double loss[9] = {0, 1, 2};
        t.data.loss = loss;
        table_new_weights(&t);
        if (rowless) t.data.weights = NULL, loss[3] = 1e-140, loss[7] = 2e-140;
        for (uint32_t i = 0; i < 12; i++) {
            table_column(&t, 0)[i] = i;
            t.classes[i] = (int32_t) (rowless ? 1 + i % 2 : i % 3);
            t.weights[i] = i % 3 ? 1 : 0;
        }
        ct_exact_options options = ct_exact_options_default();
        for (options.depth = 0; options.depth <= 3; options.depth++) {
            ct_exact_result result;
            if (!solve(&t.data, &options, &result)) continue;
            CHECK(result.end == CT_END_OPTIMAL && result.cost >= 0 && result.cost <= 12e-300);
        }
    }
}

/* Nor does the memory for costs grow with the square of the classes, unless losses do. */
static void many_classes_take_little(void)
{
    const uint32_t n = CHECK_QUICK() ? 500 : 5000; /* their square would be 200 MB */
    random_table t = table_new(n, 1, n);
    table_new_weights(&t);
    for (uint32_t i = 0; i < n; i++) {
        table_column(&t, 0)[i] = i % 100;
        t.classes[i] = (int32_t) (i / 2 * 2);
    }
    for (int kind = 0; kind < 4; kind++) { /* none, the same, by class, by row */
        ct_exact_options options = ct_exact_options_default();
        ct_exact_result result;
        double sum = 0, first = 0;
        options.depth = 1;
        options.memory_limit = (size_t) 1 << 26;
        t.data.weights = kind ? t.weights : NULL;
        for (uint32_t i = 0; i < n; i++) {
            t.weights[i] = kind < 2 ? 2.5 : kind == 2 ? 1 + i / 2 : 1 + i;
            sum += kind ? t.weights[i] : 1;
        }
        for (uint32_t i = n - 4; i < n; i++) first += kind ? t.weights[i] : 1;
        REQUIRE(solve(&t.data, &options, &result));
        CHECK(result.end == CT_END_OPTIMAL && result.cost == sum - first);
    }
}

/* Splits whose penalty is beyond all numbers: the tree is a leaf, and costs its errors. */
static void splits_beyond_all_penalties(void)
{
    rng r = {77};
    random_table t = table_random(&r, 30, 2, 2, 0);
    for (int weighted = 0; weighted < 2; weighted++) {
        ct_exact_options options = ct_exact_options_default();
        ct_exact_result result;
        if (weighted) table_add_weights(&t, &r);
        options.complexity = DBL_MAX;
        REQUIRE(solve(&t.data, &options, &result));
        CHECK(result.end == CT_END_OPTIMAL && result.tree.n_nodes == 1);
        CHECK(result.cost > 0 && result.cost <= result.split_cost && isfinite(result.split_cost));
        CHECK(weighted ? result.bound <= result.cost : result.bound == result.cost);
    }
}

/* Whether the first of two trees is cheaper where `over` splits cost `price`; of equal ones the
 * smaller tree is. */
static int is_cheaper(const int64_t errors[2], const int64_t splits[2], int64_t price, int64_t over)
{
    units cost[2];
    for (int i = 0; i < 2; i++) cost[i] = (units) errors[i] * over + (units) splits[i] * price;
    return cost[0] < cost[1] || (cost[0] == cost[1] && splits[0] < splits[1]);
}

/* Trees near the line of a price that is a fraction of large numbers are in the order of that
 * fraction, to the last unit. */
static void exact_prices_order_trees(rng *r, uint32_t i)
{
    ct_exact_costs costs;
    memset(&costs, 0, sizeof costs);
    costs.n_classes = 2;
    costs.unit = 1;
    costs.most_splits = 1 + rng_below(r, 3);
    int64_t most = (int64_t) 1 << 54, price = most / 4 - (int64_t) rng_below(r, 1000);
    uint32_t over = 1 + rng_below(r, costs.most_splits);
    costs.total = (double) most;
    ct_penalty_set(&costs, (double) price / over / costs.total, (double) most);
    ct_penalty_fraction(&costs, price, over);
    int64_t splits[2] = {rng_below(r, costs.most_splits + 1), rng_below(r, costs.most_splits + 1)},
            errors[2] = {most, 0}, key[2];
    errors[1] = most + (splits[0] - splits[1]) * price / over + (int64_t) rng_below(r, 3) - 1;
    for (int k = 0; k < 2; k++)
        key[k] = ct_cost_of_units(&costs, errors[k]) + splits[k] * costs.split;
    CHECK((key[0] < key[1]) == is_cheaper(errors, splits, price, over));
}

/* ---- wide weights beside wide losses ---- */

static uint64_t divisor_of_both(uint64_t a, uint64_t b)
{
    return b ? divisor_of_both(b, a % b) : a;
}

/* A number of at most that many bits, not 0. */
static double wide_number(rng *r, unsigned bits, int whole)
{
    uint64_t digits = ((uint64_t) rng_next(r) << 32 | rng_next(r)) >> (64 - 1 - rng_below(r, bits));
    return (double) (digits ? digits : 1) * (whole ? 1 : 1 + rng_unit(r));
}

/* Weights of up to 26 bits and losses of up to 36, multiples of `common`; whole or not. */
static random_table wide_table(rng *r, double common, int whole)
{
    uint32_t rows = 4 + rng_below(r, UNIT_ROWS - 3), classes = 2 + rng_below(r, 3);
    random_table t = table_random(r, rows, 1 + rng_below(r, 3), classes, (int) rng_below(r, 2));
    unsigned of_weights = 1 + rng_below(r, 26), of_losses = 1 + rng_below(r, 36);
    table_add_weights(&t, r);
    table_add_loss(&t, r);
    for (uint32_t i = 0; i < rows; i++) t.weights[i] = wide_number(r, of_weights, whole);
    for (uint32_t i = 0; i < classes * classes; i++)
        t.loss[i] = i % (classes + 1) ? wide_number(r, of_losses, whole) * common : 0;
    return t;
}

/* Whether the weights together, times the largest loss, have at most 56 bits in units that all have
 * in common: a depth of up to 3 takes three of the 59 for leaves. */
static int fits_whole(const random_table *t)
{
    uint64_t weight = 0, loss = 0;
    long double sum = 0, most = 0;
    for (uint32_t i = 0; i < t->data.n_rows; i++) {
        weight = divisor_of_both((uint64_t) t->weights[i], weight);
        sum += t->weights[i];
    }
    for (uint32_t i = 0; i < t->data.n_classes * t->data.n_classes; i++) {
        loss = divisor_of_both((uint64_t) t->loss[i], loss);
        most = fmaxl(most, t->loss[i]);
    }
    return sum / (long double) weight * (most / (long double) loss) < 0x1p56L;
}

/* Whole numbers that fit are counted exactly; of others no more is said than rounding leaves. */
static void wide_products_are_exact(rng *r, uint32_t seed)
{
    static unit_brute b;
    int whole = seed % 4 != 3;
    random_table t = wide_table(r, seed % 3 ? seed % 3 : 1e11, whole);
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result result;
    options.depth = 1 + rng_below(r, 3);
    if (!units_begin(&b, &t.data, &options) || !solve(&t.data, &options, &result)) return;
    units optimum = units_optimum(&b, NULL), cost = units_of_tree(&b, &t.data, &result.tree);
    int fits = whole && fits_whole(&t);
    CHECK_INT(result.end, CT_END_OPTIMAL);
    CHECK(fits ? cost == optimum
               : in_units(&b, result.bound) <= (long double) optimum * (1 + 0x1p-50L));
    CHECK(in_units(&b, result.cost) * (1 + 0x1p-50L) >= (long double) cost);
    if (fits) CHECK(result.cost - result.bound <= 1e-13 * result.cost);
    check_state.tally[fits]++;
}

static void both_kinds_are_seen(void)
{
    CHECK(check_state.tally[1] > 100 && check_state.tally[0] > 20);
}

/* What the help page allows the gap of weights and losses to be, from few rows to many: most where
 * both have all their digits. */
static void rounding_is_shared_evenly(rng *r, uint32_t seed)
{
    static const uint32_t rows[] = {10, 300, 5000, 40000};
    random_table t = table_new(rows[seed % 4] + seed, 1, 3 + seed % 2);
    ct_exact_options options = ct_exact_options_default();
    options.depth = 1 + seed / 4 % 3;
    table_add_weights(&t, r);
    table_add_loss(&t, r);
    for (uint32_t i = 0; i < t.data.n_rows; i++) {
        table_column(&t, 0)[i] = rng_below(r, 20);
        t.classes[i] = (int32_t) rng_below(r, t.data.n_classes);
        t.weights[i] = 500 + 500 * rng_unit(r);
    }
    for (uint32_t i = 0; i < t.data.n_classes * t.data.n_classes; i++)
        if (t.loss[i] > 0 || i == 1) t.loss[i] = 1 + rng_unit(r) * (seed % 8 > 3 ? 1e-9 : 1);
    solved_cost(&t.data, &options);
}

static const check_case cases[] = {
    {"equals brute force", EACH(equals_brute_force, 7000, 4000, 150, 150)},
    {"windows equal brute force", EACH(windows_equal_brute_force, 12000, 2000, 100, 100)},
    {"nothing changes it", EACH(nothing_changes_it, 500, 150, 10, 10)},
    {"weights are repeated rows", EACH(weights_are_repeated_rows, 900, 200, 10, 4)},
    {"losses are class weights", EACH(losses_are_class_weights, 4400, 200, 10, 4)},
    {"proportions become small numbers", proportions_become_small_numbers},
    {"lanes are as 64 bits", EACH(lanes_are_as_64_bits, 31000, 60, 12, 12)},
    {"quantised losses are no more", EACH(quantised_losses_are_no_more, 52000, 300, 300, 300)},
    {"few labels bound trees", EACH(few_labels_bound_trees, 61000, 100, 100, 100)},
    {"simple costs are seen", simple_costs_are_seen},
    {"unused classes weigh nothing", unused_classes_weigh_nothing},
    {"losses become nothing", losses_become_nothing},
    {"many classes take little", many_classes_take_little},
    {"splits beyond all penalties", splits_beyond_all_penalties},
    {"exact prices order trees", EACH(exact_prices_order_trees, 78000, 20000, 5000, 1000)},
    {"wide products are exact",
     EACH(wide_products_are_exact, 61000, 2000, 400, 400), both_kinds_are_seen},
    {"rounding is shared evenly", EACH(rounding_is_shared_evenly, 41000, 64, 64, 8)},
    {"bad ones are refused", bad_ones_are_refused},
    {"labels are the cheapest", labels_are_the_cheapest},
};

CHECK_MAIN(cases)
