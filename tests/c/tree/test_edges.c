/* Numbers at the edges of what doubles hold: each row goes down the finished tree where the search
 * counted it, and a tree that separates such values exactly is found. */
#include <float.h>

#include "tree/route.h"
#include "../exact/solve.h"

static const double edges[][2] = {
    {1, 1 + DBL_EPSILON},                                /* nothing between them */
    {-1 - DBL_EPSILON, -1},
    {0, 4.9406564584124654e-324},                        /* denormals */
    {-4.9406564584124654e-324, 0},
    {-4.9406564584124654e-324, 4.9406564584124654e-324},
    {2.2250738585072009e-308, DBL_MIN},
    {1e-310, 2e-310},
    {-1e300, 1e300},                                     /* the sum, or the difference, overflows */
    {1e300, DBL_MAX},
    {-DBL_MAX, DBL_MAX},
    {-DBL_MAX, -1e308},
    {9007199254740992.0, 9007199254740994.0},            /* integers above 2^53 */
    {18014398509481984.0, 18014398509481988.0},
    {1700000000.123456, 1700000000.1234562},             /* seconds since 1970 */
};

/* The threshold lies in a < threshold <= b, for which alone both values go the right way. */
static void thresholds_between(void)
{
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        double a = edges[i][0], b = edges[i][1], t = ct_threshold_between(a, b);
        if (!CHECK(a < t && t <= b && isfinite(t)))
            printf("    %.17g between %.17g and %.17g\n", t, a, b);
    }
}

/* Rows by a walk, by ct_route and by the search. */
static void check_rows(const random_table *t, const ct_exact_options *options, double expected)
{
    ct_exact_result result;
    uint32_t n = t->data.n_rows, n_wrong = 0;
    uint32_t *leaf = (uint32_t *) keep_new(n, sizeof *leaf), *counts;
    int32_t *numbers, *routed = (int32_t *) keep_new(n, sizeof *routed);
    REQUIRE(solve_rows(&t->data, options, &result, leaf));
    numbers = (int32_t *) keep_new(result.tree.n_nodes, sizeof *numbers);
    counts = (uint32_t *) keep_new(result.tree.n_nodes * t->data.n_classes, sizeof *counts);
    for (uint32_t node = 0; node < result.tree.n_nodes; node++) numbers[node] = (int32_t) node;
    CHECK_OK(ct_route(&result.tree, 0, t->columns, t->data.n_cols, n, numbers, 1, routed, &reason));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t node = result.tree.roots[0];
        while (result.tree.feature[node] >= 0) {
            double x = ct_column_value(&t->columns[result.tree.feature[node]], i);
            node = x < result.tree.threshold[node] ? result.tree.left[node]
                                                   : result.tree.right[node];
        }
        CHECK(leaf[i] == node && routed[i] == (int32_t) node);
        counts[node * t->data.n_classes + (uint32_t) t->classes[i]]++;
        n_wrong += result.tree.label[node] != t->classes[i];
    }
    for (uint32_t node = 0; node < result.tree.n_nodes; node++)
        if (result.tree.feature[node] < 0)
            CHECK(!memcmp(counts + (size_t) node * t->data.n_classes,
                          result.tree.counts + (size_t) node * t->data.n_classes,
                          t->data.n_classes * sizeof *counts));
    CHECK(n_wrong == result.errors);
    if (expected >= 0) CHECK(result.errors == expected && result.end == CT_END_OPTIMAL);
}

/* Two columns of the pair's values whose classes are an exclusive or: every split has to be right.
 */
static void pairs_are_separated(void)
{
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        for (unsigned depth = 2; depth < 5; depth++) {
            random_table t = table_new(24, 2, 2);
            ct_exact_options options = ct_exact_options_default();
            for (uint32_t row = 0; row < 24; row++) {
                uint32_t x = row % 2, y = row / 2 % 2;
                table_column(&t, 0)[row] = edges[i][x];
                table_column(&t, 1)[row] = edges[i][y];
                t.classes[row] = (int32_t) (x ^ y);
            }
            options.depth = depth;
            check_rows(&t, &options, 0);
        }
}

/* Zeros of both signs are one value: no threshold is between them. */
static void signed_zeros_are_one(void)
{
    random_table t = table_new(20, 1, 2);
    ct_exact_options options = ct_exact_options_default();
    for (uint32_t row = 0; row < 20; row++) {
        table_column(&t, 0)[row] = row % 2 ? 0.0 : -0.0;
        t.classes[row] = (int32_t) (row % 2);
    }
    for (options.depth = 1; options.depth < 4; options.depth++) check_rows(&t, &options, 10);
}

static void all_edges_together(rng *r, uint32_t seed)
{
    random_table t = table_random(r, 20 + rng_below(r, 100), 3, 2 + rng_below(r, 3), 1);
    ct_exact_options options = ct_exact_options_default();
    for (uint32_t i = 0; i < t.data.n_rows * 3; i++)
        if (rng_below(r, 2))
            t.values[i] = edges[rng_below(r, sizeof edges / sizeof *edges)][rng_below(r, 2)];
    options.depth = 1 + rng_below(r, 3);
    options.threads = 1 + rng_below(r, 2);
    options.team_after = 0;
    check_rows(&t, &options, -1);
}

static const check_case cases[] = {
    {"thresholds between", thresholds_between},
    {"pairs are separated", pairs_are_separated},
    {"signed zeros are one", signed_zeros_are_one},
    {"all edges together", EACH(all_edges_together, 64000, 300, 20, 20)},
};

CHECK_MAIN(cases)
