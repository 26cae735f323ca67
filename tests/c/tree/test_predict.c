/* What forests say of rows: every payload of the leaves, one tree and several, on trees made by
 * hand and against a walk row by row. */
#include <math.h>

#include "check.h"
#include "random.h"
#include "tree/predict.h"
#include "tree/route.h"

/* Two trees over two columns. The first splits column 0 at 0 (node 0), and its right child column 1
 * at 2 (node 2), missing to the right; leaves 1, 3, 4. The second is a leaf alone (node 5). */
enum { NODES = 6, ROWS = 5 };
static uint32_t roots[] = {0, 5}, left[NODES] = {1, 0, 3}, right[NODES] = {2, 0, 4};
static int32_t feature[NODES] = {0, -1, 1, -1, -1, -1};
static double threshold[NODES] = {0, 0, 2};
static uint8_t default_left[NODES] = {1};
static const double x[ROWS] = {-1, 1, 1, NAN, 3};
static const int32_t z[ROWS] = {7, 1, 2, 5, INT32_MIN};
static const ct_column columns[] = {{x, CT_DOUBLE}, {z, CT_INT32}};
static const uint32_t leaf_of_row[ROWS] = {1, 3, 4, 1, 4};

static ct_forest forest_of(uint32_t n_trees)
{
    ct_forest forest = {0};
    forest.n_trees = n_trees;
    forest.n_nodes = n_trees == 2 ? 6 : 5;
    forest.roots = roots;
    forest.feature = feature;
    forest.threshold = threshold;
    forest.left = left;
    forest.right = right;
    forest.default_left = default_left;
    return forest;
}

/* Of linear models; see ct_forest for what is borrowed. */
static ct_forest linear_forest(uint32_t n_trees, double *values, uint32_t n_terms,
                               uint32_t *first_term, uint32_t *term_column, double *coefficient)
{
    ct_forest forest = forest_of(n_trees);
    forest.leaf = CT_LEAF_LINEAR;
    forest.n_values = 1;
    forest.values = values;
    forest.n_terms = n_terms;
    forest.first_term = first_term;
    forest.term_column = term_column;
    forest.coefficient = coefficient;
    return forest;
}

static void say(const ct_forest *forest, uint32_t n_threads, double *out)
{
    REQUIRE_OK(ct_forest_check(forest, 2, &reason));
    REQUIRE_OK(ct_predict(forest, columns, 2, ROWS, n_threads, out, &reason));
}

static void counts_give_proportions(void)
{
    uint32_t counts[] = {4, 4, 1, 3, 3, 1, 2, 0, 0, 0, 1, 1};
    double weights[] = {0, 0, 0.5, 1.5, 0, 0, 0, 0.25, 0, 0, 9, 1}, out[2 * ROWS];
    ct_forest forest = forest_of(1);
    forest.n_classes = 2;
    forest.counts = counts;
    CHECK_INT(ct_forest_outputs(&forest), 2);
    say(&forest, 1, out);
    static const double first[] = {0.25, 1, 0, 0.25, 0}; /* leaf 4 has no rows */
    static const double second[] = {0.75, 0, 0, 0.75, 0};
    for (int row = 0; row < ROWS; row++)
        CHECK(out[row] == first[row] && out[ROWS + row] == second[row]);
    forest.weights = weights;
    say(&forest, 1, out);
    CHECK(out[0] == 0.25 && out[ROWS] == 0.75 && out[1] == 0 && out[ROWS + 1] == 1);
    forest = forest_of(2);
    forest.n_classes = 2;
    forest.counts = counts;
    say(&forest, 1, out);
    for (int row = 0; row < ROWS; row++) CHECK(out[row] == first[row] + 0.5);
}

static void values_are_those_of_the_leaves(void)
{
    double values[NODES * 3], out[3 * ROWS];
    for (uint32_t n_values = 1; n_values <= 3; n_values++)
        for (uint32_t n_trees = 1; n_trees <= 2; n_trees++) {
            ct_forest forest = forest_of(n_trees);
            forest.leaf = CT_LEAF_VALUES;
            forest.n_values = n_values;
            forest.values = values;
            for (uint32_t i = 0; i < NODES * n_values; i++) values[i] = 100 + i;
            CHECK_INT(ct_forest_outputs(&forest), n_values);
            say(&forest, 2, out);
            for (uint32_t row = 0; row < ROWS; row++)
                for (uint32_t k = 0; k < n_values; k++) {
                    double expected = values[leaf_of_row[row] * n_values + k];
                    if (n_trees == 2) expected += values[5 * n_values + k];
                    CHECK(out[k * ROWS + row] == expected);
                }
        }
}

static void linear_models_are_computed(void)
{
    double values[NODES] = {0, 10, 0, 20, 30, 0.5}, coefficient[] = {2, -1, 0.25}, out[ROWS];
    uint32_t first_term[] = {0, 0, 1, 1, 3, 3, 3}, term_column[] = {1, 0, 1};
    ct_forest forest = linear_forest(2, values, 3, first_term, term_column, coefficient);
    say(&forest, 1, out);
    /* leaf 1: 10 + 2 z; leaf 3: 20 - x + z / 4; leaf 4: 30, whatever is missing; each with 0.5 of
     * the other tree */
    static const double expected[ROWS] = {24.5, 19.75, 30.5, 20.5, 30.5};
    for (int row = 0; row < ROWS; row++) CHECK(out[row] == expected[row]);
    term_column[0] = 0; /* leaf 1: 10 + 2 x, missing in the fourth row */
    say(&forest, 1, out);
    CHECK(out[0] == 8.5 && isnan(out[3]));
}

static void integers_that_are_missing_make_no_number(void)
{
    double values[NODES] = {1, 1, 1, 1, 1, 1}, coefficient[] = {1}, out[ROWS];
    uint32_t first_term[] = {0, 0, 0, 0, 0, 1, 1}, term_column[] = {1};
    ct_forest forest = linear_forest(1, values, 1, first_term, term_column, coefficient);
    say(&forest, 1, out);
    CHECK(out[2] == 3 && isnan(out[4]) && out[0] == 1);
}

static void unsound_models_are_refused(void)
{
    double values[NODES] = {0}, coefficient[] = {1, 1};
    uint32_t first_term[] = {0, 0, 1, 1, 2, 2, 2}, term_column[] = {1, 0};
    ct_forest forest = linear_forest(2, values, 2, first_term, term_column, coefficient);
    CHECK_OK(ct_forest_check(&forest, 2, &reason));
    CHECK_FAILS(ct_forest_check(&forest, 1, &reason), CT_BAD_INPUT);
    term_column[0] = 2; /* there are two columns */
    CHECK_FAILS(ct_forest_check(&forest, 2, &reason), CT_BAD_INPUT);
    term_column[0] = 1;
    first_term[3] = 0;  /* goes back */
    CHECK_FAILS(ct_forest_check(&forest, 2, &reason), CT_BAD_INPUT);
    first_term[3] = 1;
    first_term[6] = 3;  /* beyond the terms */
    CHECK_FAILS(ct_forest_check(&forest, 2, &reason), CT_BAD_INPUT);
}

/* The same sums in the same order, whatever the number of threads. */
static void threads_do_not_matter(void)
{
    enum { MANY = 9000 };
    static double many[MANY], one[MANY], more[MANY];
    double values[NODES] = {0.1, 0.2, 0.3, 0.4, 0.7, 1e-3}, coefficient[] = {0.3};
    uint32_t first_term[] = {0, 0, 1, 1, 1, 1, 1}, term_column[] = {0};
    rng r = {5};
    for (int i = 0; i < MANY; i++) many[i] = rng_unit(&r) - 0.5;
    const ct_column both[] = {{many, CT_DOUBLE}, {many, CT_DOUBLE}};
    ct_forest forest = linear_forest(2, values, 1, first_term, term_column, coefficient);
    REQUIRE_OK(ct_predict(&forest, both, 2, MANY, 1, one, &reason));
    REQUIRE_OK(ct_predict(&forest, both, 2, MANY, 3, more, &reason));
    uint32_t wrong = 0;
    for (int i = 0; i < MANY; i++) {
        double expected = many[i] < 0 ? 0.2 + 0.3 * many[i] + 1e-3 : 0.4 + 1e-3;
        wrong += one[i] != more[i] || fabs(one[i] - expected) > 1e-15;
    }
    CHECK_INT(wrong, 0);
}

static void a_forest_has_room_for_each_payload(void)
{
    for (int kind = 0; kind < 3; kind++)
        for (int k = 0;; k++) {
            ct_forest forest;
            ct_alloc_fail_after(k);
            ct_status status = ct_forest_init(&forest, 2, 20, kind ? 0 : 3, &reason);
            if (status == CT_OK && kind == 1) status = ct_forest_add_values(&forest, 4, &reason);
            if (status == CT_OK && kind == 2) status = ct_forest_add_terms(&forest, 30, &reason);
            ct_alloc_fail_after(-1);
            CHECK(forest.leaf == (ct_leaf) kind || status == CT_NO_MEMORY);
            ct_forest_free(&forest);
            if (status == CT_OK) break;
            CHECK(status == CT_NO_MEMORY);
            REQUIRE(k < 20);
        }
}

static void failures_leave_nothing(void)
{
    double values[NODES] = {0}, out[ROWS];
    uint32_t counts[NODES] = {0};
    for (int k = 0;; k++) {
        ct_forest forest = forest_of(2);
        forest.leaf = k % 2 ? CT_LEAF_VALUES : CT_LEAF_COUNTS;
        forest.n_values = forest.n_classes = 1;
        forest.values = values;
        forest.counts = counts;
        ct_alloc_fail_after(k / 2);
        ct_status status = ct_predict(&forest, columns, 2, ROWS, 2, out, &reason);
        ct_alloc_fail_after(-1);
        if (status == CT_OK && k % 2) break;
        CHECK(status == CT_NO_MEMORY || status == CT_OK);
        REQUIRE(k < 200);
    }
}

static const check_case cases[] = {
    {"counts give proportions", counts_give_proportions},
    {"values are those of the leaves", values_are_those_of_the_leaves},
    {"linear models are computed", linear_models_are_computed},
    {"integers that are missing make no number", integers_that_are_missing_make_no_number},
    {"unsound models are refused", unsound_models_are_refused},
    {"threads do not matter", threads_do_not_matter},
    {"a forest has room for each payload", a_forest_has_room_for_each_payload},
    {"failures leave nothing", failures_leave_nothing}};
CHECK_MAIN(cases)
