/* Rows on their way down a tree that splits by threshold and by level. */
#include <math.h>

#include "check.h"
#include "tree/route.h"
#include "random.h"

/* The root splits column 0 at 1.5, missing to the left; its left child (node 1) splits column 1 by
 * level: 1 and 3 go left, 2 and unknown codes right, missing left. Leaves: 2 and 3 below node 1,
 * and 4. */
static uint32_t roots[] = {0}, left[] = {1, 2, 0, 0, 0}, right[] = {4, 3, 0, 0, 0},
                n_levels[] = {0, 3, 0, 0, 0};
static int32_t feature[] = {0, 1, -1, -1, -1};
static double threshold[] = {1.5, NAN, 0, 0, 0};
static uint8_t default_left[] = {1, 1, 0, 0, 0}, sides[] = {1, 0, 1, 0};
static uint8_t *levels_left[] = {NULL, sides, NULL, NULL, NULL};

static ct_forest tree_with_levels(void)
{
    ct_forest tree = {0};
    tree.n_trees = 1;
    tree.n_nodes = 5;
    tree.roots = roots;
    tree.feature = feature;
    tree.threshold = threshold;
    tree.left = left;
    tree.right = right;
    tree.default_left = default_left;
    tree.n_levels = n_levels;
    tree.levels_left = levels_left;
    return tree;
}

static void rows_go_by_threshold_and_level(void)
{
    enum { N = 9 };
    const double x[N] = {1, 1, 1, 1, 1, 1, 1.5, NAN, INFINITY};
    const int32_t codes[N] = {1, 2, 3, 0, 4, INT32_MIN, 1, -7, 1};
    const int32_t expected[N] = {2, 3, 2, 3, 3, 2, 4, 3, 4};
    const ct_column columns[] = {{x, CT_DOUBLE}, {codes, CT_INT32}};
    ct_forest tree = tree_with_levels();
    const int32_t values[] = {0, 1, 2, 3, 4};
    int32_t leaf[N];
    REQUIRE_OK(ct_forest_check(&tree, 2, &reason));
    REQUIRE_OK(ct_route(&tree, 0, columns, 2, N, values, 1, leaf, &reason));
    for (int row = 0; row < N; row++) CHECK_INT(leaf[row], expected[row]);
}

/* ---- random trees against a walk row by row ---- */

/* Columns 0-2 are doubles, 3 integers, 4 and 5 codes and integers in turn. */
enum { COLUMNS = 6, NODES = 127, CODES = 4 };

typedef struct {
    uint32_t roots[1], left[NODES], right[NODES], n_levels[NODES];
    int32_t feature[NODES];
    double threshold[NODES];
    uint8_t default_left[NODES], sides[NODES][CODES + 1], *levels_left[NODES];
    ct_forest tree;
} random_tree;

/* In preorder; every other subtree may be a leaf. Returns its root. */
static uint32_t grow(rng *r, random_tree *t, uint32_t depth, uint32_t n_columns)
{
    uint32_t node = t->tree.n_nodes++, column = rng_below(r, n_columns);
    t->levels_left[node] = NULL;
    t->n_levels[node] = t->left[node] = t->right[node] = 0;
    t->feature[node] = -1;
    t->threshold[node] = 0;
    t->default_left[node] = (uint8_t) rng_below(r, 2);
    if (!depth || (node && rng_below(r, 5) == 0)) return node;
    t->feature[node] = (int32_t) column;
    t->threshold[node] = column < 3 ? rng_unit(r) : rng_below(r, 7) - 2.5;
    if (rng_below(r, 20) == 0) t->threshold[node] = rng_below(r, 2) ? INFINITY : -INFINITY;
    if (column > 3 && rng_below(r, 3)) {
        t->n_levels[node] = 1 + rng_below(r, CODES);
        t->levels_left[node] = t->sides[node];
        t->threshold[node] = NAN;
        for (uint32_t k = 0; k <= t->n_levels[node]; k++)
            t->sides[node][k] = (uint8_t) rng_below(r, 2);
    }
    t->left[node] = grow(r, t, depth - 1, n_columns);
    t->right[node] = grow(r, t, depth - 1, n_columns);
    return node;
}

static void random_tree_init(rng *r, random_tree *t, uint32_t depth, uint32_t n_columns)
{
    memset(t, 0, sizeof *t);
    grow(r, t, depth, n_columns);
    t->tree.n_trees = 1;
    t->tree.roots = t->roots;
    t->tree.feature = t->feature;
    t->tree.threshold = t->threshold;
    t->tree.left = t->left;
    t->tree.right = t->right;
    t->tree.default_left = t->default_left;
    if (n_columns < 5) return;
    t->tree.n_levels = t->n_levels;
    t->tree.levels_left = t->levels_left;
}

static int walks_left(const random_tree *t, uint32_t node, const ct_column *column, uint32_t row)
{
    double x = ct_column_value(column, row);
    if (isnan(x) || (column->type == CT_INT32 && x == INT32_MIN)) return t->default_left[node];
    if (!t->n_levels[node]) return x < t->threshold[node];
    return t->sides[node][x >= 1 && x <= t->n_levels[node] ? (uint32_t) x - 1 : t->n_levels[node]];
}

static void fill(rng *r, ct_column *columns, double *x, int32_t *codes, uint32_t n_rows)
{
    for (uint32_t col = 0; col < COLUMNS; col++) {
        ct_column doubles = {x + (size_t) col * n_rows, CT_DOUBLE},
                  integers = {codes + (size_t) col * n_rows, CT_INT32};
        columns[col] = col < 3 ? doubles : integers;
    }
    for (uint32_t i = 0; i < COLUMNS * n_rows; i++) {
        x[i] = rng_below(r, 8)   ? rng_unit(r)
               : rng_below(r, 2) ? NAN
               : rng_below(r, 2) ? INFINITY
                                 : -INFINITY;
        codes[i] = rng_below(r, 8)   ? (int32_t) rng_below(r, CODES + 3) - 1
                   : rng_below(r, 2) ? INT32_MIN
                                     : INT32_MAX;
    }
}

static void random_trees_route_like_a_plain_walk(void)
{
    static const uint32_t sizes[] = {1, 2, 7, 1023, 1024, 1025, 2048, 3000, 5000, 0};
    static random_tree t;
    rng r = {17};
    int32_t values[NODES], *got = (int32_t *) keep_new(5000, sizeof *got);
    double *x = (double *) keep_new(COLUMNS * 5000, sizeof *x);
    int32_t *codes = (int32_t *) keep_new(COLUMNS * 5000, sizeof *codes);
    for (int i = 0; i < NODES; i++) values[i] = 1000 - i;
    for (uint32_t round = 0; round < 420; round++) {
        uint32_t n_rows = sizes[rng_below(&r, 10)], n_columns = 3 + round % 4, wrong = 0;
        ct_column columns[COLUMNS];
        random_tree_init(&r, &t, round % 7, n_columns);
        fill(&r, columns, x, codes, n_rows);
        REQUIRE_OK(ct_forest_check(&t.tree, n_columns, &reason));
        REQUIRE_OK(ct_route(&t.tree, 0, columns, n_columns, n_rows, values, 1 + round % 3, got,
                            &reason));
        for (uint32_t row = 0; row < n_rows; row++) {
            uint32_t node = 0;
            while (t.feature[node] >= 0)
                node = walks_left(&t, node, &columns[t.feature[node]], row) ? t.left[node]
                                                                            : t.right[node];
            wrong += got[row] != values[node];
        }
        CHECK_INT(wrong, 0);
    }
}

static void failures_are_told_and_leave_nothing(void)
{
    const double x[] = {1};
    const int32_t values[5] = {0};
    double thresholds[] = {1.5, 2, 0, 0, 0};
    const ct_column columns[] = {{x, CT_DOUBLE}, {x, CT_DOUBLE}};
    ct_forest tree = tree_with_levels();
    int32_t leaf[1];
    CHECK_FAILS(ct_route(&tree, 0, columns, 2, 1, values, 1, leaf, &reason),
                CT_BAD_INPUT); /* levels of doubles */
    tree.n_levels = NULL;
    tree.threshold = thresholds;
    for (int k = 0;; k++) {
        ct_alloc_fail_after(k);
        ct_status status = ct_route(&tree, 0, columns, 2, 1, values, 2, leaf, &reason);
        ct_alloc_fail_after(-1);
        if (status == CT_OK) break;
        CHECK(status == CT_NO_MEMORY);
        REQUIRE(k < 100);
    }
    CHECK_INT(leaf[0], 0);
}

static void unsound_trees_are_refused(void)
{
    ct_forest tree = tree_with_levels();
    CHECK_FAILS(ct_forest_check(&tree, 1, &reason), CT_BAD_INPUT); /* there is no column 1 */
    tree.n_levels = NULL;
    CHECK_FAILS(ct_forest_check(&tree, 2, &reason),
                CT_BAD_INPUT); /* without levels node 1 has no threshold */
    tree = tree_with_levels();
    uint32_t shared[] = {2, 3, 0, 0, 0};
    tree.right = shared;
    CHECK_FAILS(ct_forest_check(&tree, 2, &reason), CT_BAD_INPUT); /* node 2 has two parents */
}

static const check_case cases[] = {
    {"rows go by threshold and level", rows_go_by_threshold_and_level},
    {"random trees route like a plain walk", random_trees_route_like_a_plain_walk},
    {"failures are told and leave nothing", failures_are_told_and_leave_nothing},
    {"unsound trees are refused", unsound_trees_are_refused}};
CHECK_MAIN(cases)
