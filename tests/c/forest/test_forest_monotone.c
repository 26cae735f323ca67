/* Forests that must rise or fall with a column: tree by tree, over all values that it has. */
#include "check.h"
#include "forest_data.h"

enum { LEVELS = 24 };

/* By how much the tree says more, at most, of a row with a higher value than with the one below. */
static void steps_of(const forest_table *t, const ct_hist_tree *tree, uint32_t row, uint32_t col,
                     double *lowest, double *highest)
{
    double *x = t->values + (size_t) col * t->n_rows + row;
    const double own = *x;
    double before = 0;
    for (uint32_t level = 0; level < LEVELS; level++) {
        *x = level / 8.0 - 3;
        const double now = tree->means[tree->nodes[raw_leaf(t, tree, row)].next];
        if (level && now - before < *lowest) *lowest = now - before;
        if (level && now - before > *highest) *highest = now - before;
        before = now;
    }
    *x = own;
}

static void steps_of_forest(const forest_table *t, const ct_hist_options *o, uint32_t col,
                            double *lowest, double *highest)
{
    ct_hist_forest forest;
    ct_hist_extra extra;
    ct_error error;
    *lowest = *highest = 0;
    CHECK_INT(ct_hist_grow(&t->data, o, &forest, &extra, &error), CT_OK);
    for (uint32_t i = 0; i < forest.n_trees; i++)
        for (uint32_t row = 0; row < t->n_rows; row += 7)
            steps_of(t, &forest.trees[i], row, col, lowest, highest);
    ct_hist_forest_free(&forest);
    ct_hist_extra_free(&extra);
}

static void no_step_against(void)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        const uint32_t n = seed % 3 == 0 ? 60 : seed % 3 == 1 ? 300 : 1500,
                       col = (uint32_t) (seed / 3 % 2);
        const int32_t way = seed % 2 ? 1 : -1, ways[3] = {col ? 0 : way, col ? way : 0, 0};
        forest_table t = forest_table_new(seed, n, 3, 0, LEVELS, 0, CT_HIST_CODES);
        ct_hist_options o = forest_options(&t, 4);
        double lowest, highest;
        o.mtry = 2;
        o.min_bucket = 1 + (uint32_t) seed % 2;
        steps_of_forest(&t, &o, col, &lowest, &highest);
        CHECK(way > 0 ? lowest < 0 : highest > 0); /* so that it could have failed */
        t.data.monotone = ways;
        steps_of_forest(&t, &o, col, &lowest, &highest);
        CHECK(way > 0 ? lowest >= 0 : highest <= 0);
        forest_table_free(&t);
    }
}

/* Rows of one value, and others that lack it, are parted one way alone if only that is allowed. */
static void no_leaf_without_rows(void)
{
    for (uint64_t seed = 0; seed < 24; seed++) {
        const uint32_t n_classes = seed % 2 ? 2 : 0, n = seed % 3 ? 40 : 400;
        const int32_t ways[3] = {seed % 4 < 2 ? 1 : -1, 0, 0};
        forest_table t = forest_table_new(seed, n, 3, n_classes, 2 + (uint32_t) seed % 5, 0.4,
                                          CT_HIST_CODES);
        ct_hist_options o = forest_options(&t, 10);
        ct_hist_forest forest;
        ct_hist_extra extra;
        ct_error error;
        t.data.monotone = ways;
        CHECK_INT(ct_hist_grow(&t.data, &o, &forest, &extra, &error), CT_OK);
        for (uint32_t i = 0; i < forest.n_trees; i++) {
            const ct_hist_tree *tree = &forest.trees[i];
            for (uint32_t leaf = 0; !n_classes && leaf < tree->n_leaves; leaf++)
                CHECK(tree->counts[leaf] > 0 && isfinite(tree->means[leaf]));
            for (uint32_t leaf = 0; n_classes && leaf < tree->n_leaves; leaf++)
                CHECK(tree->counts[2 * leaf] + tree->counts[2 * leaf + 1] > 0);
        }
        ct_hist_forest_free(&forest);
        ct_hist_extra_free(&extra);
        forest_table_free(&t);
    }
}

static const check_case cases[] = {{"no step against", no_step_against},
                                   {"no leaf without rows", no_leaf_without_rows}};
CHECK_MAIN(cases)
