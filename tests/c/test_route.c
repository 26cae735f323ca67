/* Rows on their way down a tree that splits by threshold and by level. */
#include <math.h>

#include "check.h"
#include "core/route.h"

/* The root splits column 0 at 1.5, missing to the left; its left child (node 1) splits column 1 by level: 1 and 3 go left, 2
 * and unknown codes right, missing left. Leaves: 2 and 3 below node 1, and 4. */
static uint32_t roots[] = {0}, left[] = {1, 2, 0, 0, 0}, right[] = {4, 3, 0, 0, 0}, n_levels[] = {0, 3, 0, 0, 0};
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
    const uint32_t expected[N] = {2, 3, 2, 3, 3, 2, 4, 3, 4};
    const ct_column columns[] = {{x, CT_DOUBLE}, {codes, CT_INT32}};
    ct_forest tree = tree_with_levels();
    ct_error error;
    uint32_t leaf[N];
    REQUIRE(ct_forest_check(&tree, 2, &error) == CT_OK);
    ct_route(&tree, columns, N, leaf);
    for (int row = 0; row < N; row++) CHECK_INT(leaf[row], expected[row]);
}

static void unsound_trees_are_refused(void)
{
    ct_forest tree = tree_with_levels();
    ct_error error;
    CHECK(ct_forest_check(&tree, 1, &error) == CT_BAD_INPUT); /* there is no column 1 */
    tree.n_levels = NULL;
    CHECK(ct_forest_check(&tree, 2, &error) == CT_BAD_INPUT); /* without levels node 1 has no threshold */
}

static const check_case cases[] = {{"rows go by threshold and level", rows_go_by_threshold_and_level},
                                   {"unsound trees are refused", unsound_trees_are_refused}};
CHECK_MAIN(cases)
