/* Contributions against the definition: Shapley values by all subsets of the features. */
#include "check.h"
#include "ensemble_random.h"
#include "base/memory.h"
#include "interpret_rows.h"
#include "forge/pack.h"
#include "forge/shap.h"
#include "forge/shap_background.h"
#include "forge/shap_pairs.h"

enum { MOST_ROWS = 300, MOST_PLAYERS = 8 };

static any_ensemble drawn;

/* ---- by the definition ---- */

/* What a tree says of output k where the features in `known` are known. */
static double value_of(const ct_forge_ensemble *e, uint32_t tree, uint32_t node, uint32_t k,
                       const double *x, uint64_t known)
{
    if (e->feature[node] < 0) return ct_forge_ensemble_term(e, tree, node, k);
    uint32_t left = e->left[node], right = e->right[node], feature = (uint32_t) e->feature[node];
    if (known >> feature & 1)
        return value_of(e, tree, ct_forge_ensemble_left(e, node, x[feature]) ? left : right, k, x,
                        known);
    return (e->cover[left] * value_of(e, tree, left, k, x, known) +
            e->cover[right] * value_of(e, tree, right, k, x, known)) / e->cover[node];
}

static double ensemble_value(const ct_forge_ensemble *e, uint32_t k, const double *x,
                             uint64_t known)
{
    double sum = e->base[k];
    for (uint32_t t = 0; t < e->n_trees; t++)
        if (e->leaf_width > 1 || e->output_of_tree[t] == k)
            sum += value_of(e, t, e->roots[t], e->leaf_width > 1 ? k : 0, x, known);
    return sum / e->divisor;
}

/* |S|! (n - |S| - 1)! / n! */
static double weight_of(uint32_t known, uint32_t n)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < MOST_PLAYERS; i++) size += known >> i & 1;
    double weight = 1.0 / n;
    for (uint32_t i = 1; i <= size; i++) weight *= (double) i / (n - i);
    return weight;
}

/* Values of a game whose players are the features, by the set of those known. */
static double values[1 << MOST_PLAYERS];

/* out[n]: by all subsets */
static void shapley_of_values(uint32_t n, double *out)
{
    for (uint32_t i = 0; i < n; i++) {
        out[i] = 0;
        for (uint32_t known = 0; known < 1u << n; known++)
            if (!(known >> i & 1))
                out[i] += weight_of(known, n) * (values[known | 1u << i] - values[known]);
    }
}

/* Grabisch and Roubens' interaction index of two players. */
static double interaction_of_values(uint32_t n, uint32_t i, uint32_t j)
{
    double sum = 0;
    uint32_t one = 1u << i, other = 1u << j;
    for (uint32_t known = 0; known < 1u << n; known++)
        if (!(known & (one | other))) /* |S|! (n - |S| - 2)! / (n - 1)! */
            sum += weight_of(known, n - 1) * (values[known | one | other] - values[known | one] -
                                              values[known | other] + values[known]);
    return sum;
}

/* out[n_features + 1] */
static void shapley(const ct_forge_ensemble *e, uint32_t k, const double *x, double *out)
{
    uint32_t n = e->n_features;
    for (uint32_t known = 0; known < 1u << n; known++)
        values[known] = ensemble_value(e, k, x, known);
    shapley_of_values(n, out);
    out[n] = values[0];
}

/* ---- random ensembles ---- */

/* Covers that add up, as those of training rows do, or not. */
static void draw_cover(ct_rng *r, int adds_up)
{
    ct_forge_ensemble *e = &drawn.ensemble;
    e->cover = drawn.cover;
    for (uint32_t i = e->n_nodes; i-- > 0;) {
        drawn.cover[i] = 1 + ct_rng_below(r, 50);
        if (adds_up && e->feature[i] >= 0)
            drawn.cover[i] = drawn.cover[e->left[i]] + drawn.cover[e->right[i]];
        else if (e->feature[i] < 0 && ct_rng_below(r, 20) == 0 && adds_up)
            drawn.cover[i] = 0;
        if (e->feature[i] >= 0 && drawn.cover[i] == 0) drawn.cover[i] = 1;
    }
}

typedef struct {
    double values[ANY_FEATURES * MOST_ROWS];
    ct_column columns[ANY_FEATURES];
    uint32_t n_rows;
} table;

static void draw_table(ct_rng *r, table *t, uint32_t n_rows)
{
    t->n_rows = n_rows;
    for (uint32_t col = 0; col < drawn.ensemble.n_features; col++) {
        t->columns[col] = (ct_column){t->values + (size_t) col * n_rows, CT_DOUBLE};
        for (uint32_t i = 0; i < n_rows; i++)
            t->values[(size_t) col * n_rows + i] = any_value(r, &drawn);
    }
}

static const double *row_of(const table *t, uint32_t row)
{
    static double x[ANY_FEATURES];
    for (uint32_t col = 0; col < drawn.ensemble.n_features; col++)
        x[col] = t->values[(size_t) col * t->n_rows + row];
    return x;
}

/* ---- against a background ---- */

static double mixed_value(const ct_forge_ensemble *e, uint32_t k, const table *t, uint32_t row,
                          uint64_t known)
{
    double x[ANY_FEATURES], sum = 0;
    for (uint32_t i = 0; i < t->n_rows; i++) {
        for (uint32_t col = 0; col < e->n_features; col++)
            x[col] = t->values[(size_t) col * t->n_rows + (known >> col & 1 ? row : i)];
        sum += ensemble_value(e, k, x, UINT64_MAX);
    }
    return sum / t->n_rows;
}

/* out[n_features + 1]: by all subsets, with the table itself as background. */
static void shapley_of_mixed(const ct_forge_ensemble *e, uint32_t k, const table *t, uint32_t row,
                             double *out)
{
    uint32_t n = e->n_features;
    for (uint32_t known = 0; known < 1u << n; known++)
        values[known] = mixed_value(e, k, t, row, known);
    shapley_of_values(n, out);
    out[n] = values[0];
}

/* The size of what is added up, with room for how often it is rounded. */
static double allowed(const ct_forge_ensemble *e)
{
    double sum = 0;
    for (uint32_t k = 0; k < e->n_outputs; k++) sum += fabs(e->base[k]);
    for (uint32_t t = 0; t < e->n_trees; t++) sum += fabs(e->weight[t]); /* values are within 1/2 */
    return 1e-13 * (1 + sum);
}

/* The same bits on each instruction set and for any number of threads. */
static void check_ways(const ct_forged *f, const table *t, const double *want, size_t n)
{
    double *got = (double *) malloc(n * sizeof *got);
    for (int level = 0; level < CT_N_SIMD; level++) {
        if (!ct_cpu_has((ct_simd) level)) continue;
        ct_forge_run run = {CT_FORGE_WAY_AUTO, 1 + (unsigned) level % 3, (ct_simd) level, NULL,
                            NULL, 0};
        CHECK_INT(ct_forged_shap(f, t->columns, t->n_rows, 0, &run, got, NULL), CT_OK);
        CHECK(!memcmp(got, want, n * sizeof *got));
    }
    free(got);
}

static void check_shape(uint32_t seed, const any_shape *s, uint32_t n_rows, uint32_t by_definition)
{
    static table t;
    ct_rng r = ct_rng_of(seed, 23, 0);
    ct_forged f;
    any_draw(&r, s, &drawn);
    draw_cover(&r, seed % 2);
    const ct_forge_ensemble *e = &drawn.ensemble;
    REQUIRE(CHECK_INT(ct_forge(e, &f, NULL), CT_OK));
    draw_table(&r, &t, n_rows);
    size_t width = e->n_features + 1, n = width * e->n_outputs * n_rows;
    double *out = (double *) malloc(n * sizeof *out);
    ct_forge_run run = {CT_FORGE_WAY_AUTO, 2, CT_SIMD_SCALAR, NULL, NULL, 0};
    REQUIRE(CHECK_INT(ct_forged_shap(&f, t.columns, n_rows, 0, &run, out, NULL), CT_OK));
    int right = 1;
    for (uint32_t row = 0; row < n_rows; row++)
        for (uint32_t k = 0; k < e->n_outputs; k++) {
            const double *x = row_of(&t, row);
            double want[MOST_PLAYERS + 1], sum = 0;
            for (uint32_t i = 0; i < width; i++) sum += out[(k * width + i) * n_rows + row];
            right &= fabs(sum - ensemble_value(e, k, x, UINT64_MAX)) <= allowed(e);
            if (row >= by_definition) continue;
            shapley(e, k, x, want);
            for (uint32_t i = 0; i < width; i++)
                right &= fabs(out[(k * width + i) * n_rows + row] - want[i]) <= allowed(e);
        }
    if (!CHECK(right)) printf("    seed %u\n", seed);
    check_ways(&f, &t, out, n);
    free(out);
    ct_forged_free(&f);
}

static void all_subsets(void)
{
    for (uint32_t seed = 0; seed < (CHECK_QUICK() ? 10u : 150u); seed++) {
        ct_rng r = ct_rng_of(seed, 6, 0);
        any_shape s;
        memset(&s, 0, sizeof s);
        s.n_trees = 1 + ct_rng_below(&r, 4);
        s.most_depth = ct_rng_below(&r, 10);
        s.leaf_chance = ct_rng_below(&r, 5);
        s.most_leaves = 64;
        s.n_features = 1 + ct_rng_below(&r, MOST_PLAYERS);
        s.n_outputs = 1 + ct_rng_below(&r, 2);
        s.wide = s.n_outputs > 1 && ct_rng_below(&r, 2);
        s.sets = ct_rng_below(&r, 2) * 5;
        s.rules = ct_rng_below(&r, 2);
        s.less = ct_rng_below(&r, 2) ? CT_FORGE_LESS : CT_FORGE_LESS_EQUAL;
        s.number = ct_rng_below(&r, 2) ? CT_FORGE_F32 : CT_FORGE_F64;
        s.sum = ct_rng_below(&r, 2) ? CT_FORGE_F32 : CT_FORGE_F64;
        check_shape(seed, &s, 12, seed % 3 ? 2 : 12);
    }
}

/* Many features on a path: sums alone, which the quadrature must give to the last digits. */
static void long_paths(void)
{
    const any_shape comb = {2, 39, 0, 40, 0, ANY_FEATURES, 1, 0, 0, 0, CT_FORGE_LESS, CT_FORGE_F64,
                            CT_FORGE_F64, 0};
    const any_shape bushy = {3, 12, 1, 400, 0, 30, 2, 1, 0, 1, CT_FORGE_LESS_EQUAL, CT_FORGE_F32,
                             CT_FORGE_F64, 0};
    check_shape(7, &comb, CHECK_QUICK() ? 20 : 300, 0);
    check_shape(9, &bushy, CHECK_QUICK() ? 20 : 300, 0);
}

/* Two features that decide together: x0 < 1 and x1 < 1 give 12, of 1/3 and 1/4 of the rows. */
static void by_hand(void)
{
    const any_shape s = {1, 0, 0, 1, 0, 2, 1, 0, 0, 0, CT_FORGE_LESS, CT_FORGE_F64, CT_FORGE_F64,
                         0};
    static const int32_t feature[] = {0, 1, -1, -1, -1};
    static const uint32_t left[] = {1, 3, 0, 0, 0}, right[] = {2, 4, 0, 0, 0};
    static const double cover[] = {12, 4, 8, 1, 3}, value[] = {0, 0, 0, 12, 0};
    ct_rng r = ct_rng_of(1, 1, 1);
    any_draw(&r, &s, &drawn);
    ct_forge_ensemble *e = &drawn.ensemble;
    e->n_nodes = 5, e->divisor = 1, e->cover = drawn.cover;
    for (uint32_t i = 0; i < 5; i++) {
        drawn.feature[i] = feature[i], drawn.left[i] = left[i], drawn.right[i] = right[i];
        drawn.cover[i] = cover[i], drawn.value[i] = value[i], drawn.threshold[i] = 1;
        drawn.missing[i] = CT_FORGE_MISSING_NAN, drawn.set_size[i] = 0, drawn.default_left[i] = 0;
    }
    drawn.base[0] = 2, drawn.weight[0] = 1;
    ct_forged f;
    REQUIRE(CHECK_INT(ct_forge(e, &f, NULL), CT_OK));
    const double x0[] = {0, 0, 2}, x1[] = {0, 2, 0};
    const ct_column columns[] = {{x0, CT_DOUBLE}, {x1, CT_DOUBLE}};
    /* v(none) = 1, v(0) = 3, v(1) = 4, v(both) = 12; with x1 = 2: 1, 3, 0, 0 */
    const double want[3][3] = {{5, 6, 3}, {1, -2, 3}, {-2.5, 1.5, 3}};
    double out[9];
    ct_forge_run run = {CT_FORGE_WAY_AUTO, 1, CT_SIMD_SCALAR, NULL, NULL, 0};
    CHECK_INT(ct_forged_shap(&f, columns, 3, 0, &run, out, NULL), CT_OK);
    for (uint32_t row = 0; row < 3; row++)
        for (uint32_t i = 0; i < 3; i++) CHECK(fabs(out[i * 3 + row] - want[row][i]) < 1e-14);
    ct_error error;
    drawn.cover[1] = 0;
    CHECK_INT(ct_forged_shap(&f, columns, 3, 0, &run, out, &error), CT_BAD_INPUT);
    e->cover = NULL;
    CHECK_INT(ct_forged_shap(&f, columns, 3, 0, &run, out, &error), CT_BAD_INPUT);
    ct_forged_free(&f);
}

/* Each allocation fails once. */
static void memory(void)
{
    static table t;
    const any_shape s = {3, 6, 2, 64, 0, 6, 2, 1, 3, 1, CT_FORGE_LESS, CT_FORGE_F64, CT_FORGE_F64,
                         0};
    ct_rng r = ct_rng_of(3, 3, 3);
    ct_forged f;
    ct_error error;
    static double out[2 * 7 * 7 * 5];
    any_draw(&r, &s, &drawn);
    draw_cover(&r, 0);
    REQUIRE(CHECK_INT(ct_forge(&drawn.ensemble, &f, NULL), CT_OK));
    draw_table(&r, &t, 5);
    ct_forge_run run = {CT_FORGE_WAY_AUTO, 2, CT_SIMD_SCALAR, NULL, NULL, 0};
    ct_status status = CT_NO_MEMORY;
    for (long after = 0; status != CT_OK; after++) {
        ct_alloc_fail_for(after, 1);
        status = ct_forged_shap(&f, t.columns, 5, 0, &run, out, &error);
        ct_alloc_fail_for(-1, 0);
        CHECK(status == CT_OK || (status == CT_NO_MEMORY && error.message[0]));
    }
    status = CT_NO_MEMORY;
    for (long after = 0; status != CT_OK; after++) {
        ct_alloc_fail_for(after, 1);
        status = ct_forged_shap_background(&f, t.columns, 5, t.columns, 5, 0, &run, out, &error);
        ct_alloc_fail_for(-1, 0);
        CHECK(status == CT_OK || (status == CT_NO_MEMORY && error.message[0]));
    }
    status = CT_NO_MEMORY;
    for (long after = 0; status != CT_OK; after++) {
        ct_alloc_fail_for(after, 1);
        status = ct_forged_shap_background(&f, t.columns, 5, t.columns, 5, 1, &run, out, &error);
        ct_alloc_fail_for(-1, 0);
        CHECK(status == CT_OK || (status == CT_NO_MEMORY && error.message[0]));
    }
    ct_forged_free(&f);
}

/* All trees by pairs, whatever is chosen otherwise. `want`: a base follows each output, if these
 * are no interactions. */
static int same_by_pairs(const ct_forged *f, const table *t, int interactions, const double *want)
{
    const ct_forge_ensemble *e = f->ensemble;
    size_t n = (size_t) e->n_features * t->n_rows * (interactions ? e->n_features : 1);
    double *got = (double *) malloc(n * sizeof *got);
    ct_budget budget = {SIZE_MAX / 2, 0};
    ct_arena arena;
    ct_arena_init(&arena, &budget);
    uint32_t most = f->deepest < f->n_used ? f->deepest : f->n_used;
    ct_forge_shap_pairs pairs = {f, t->columns, t->columns, t->n_rows, t->n_rows,
                                 ct_forge_pair_weights(most, &arena), 2, interactions, NULL};
    int same = 1;
    for (uint32_t k = 0; k < e->n_outputs; k++) {
        double expected = e->base[k];
        memset(got, 0, n * sizeof *got);
        for (uint32_t i = 0; i < e->n_trees; i++)
            if (e->leaf_width > 1 || e->output_of_tree[i] == k)
                CHECK_INT(ct_forge_shap_pairs_add(&pairs, i, e->leaf_width > 1 ? k : 0, got,
                                                  &expected, &arena), CT_OK);
        const double *of_output = want + k * (n + (interactions ? 0 : t->n_rows));
        for (size_t i = 0; i < n; i++)
            same &= fabs(got[i] / e->divisor - of_output[i]) <= allowed(e);
        if (!interactions) same &= fabs(expected / e->divisor - of_output[n]) <= allowed(e);
    }
    ct_arena_free(&arena);
    free(got);
    return same;
}

/* Of the first rows, by the definition. */
static int interactions_as_defined(const ct_forge_ensemble *e, const table *t, const double *got,
                                   uint32_t rows)
{
    uint32_t n = e->n_features;
    int right = 1;
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t k = 0; k < e->n_outputs; k++) {
            for (uint32_t known = 0; known < 1u << n; known++)
                values[known] = mixed_value(e, k, t, row, known);
            for (uint32_t i = 0; i < n; i++)
                for (uint32_t j = 0; j < n; j++) {
                    size_t at = ((size_t) k * n * n + i * n + j) * t->n_rows + row;
                    double want = i < j ? interaction_of_values(n, i, j) : 0;
                    right &= fabs(got[at] - want) <= 4 * allowed(e);
                }
        }
    return right;
}

/* By tables, with one thread and two, and by pairs. */
static int interactions_right(const ct_forged *f, const table *t, uint32_t by_definition)
{
    const ct_forge_ensemble *e = f->ensemble;
    size_t n = (size_t) e->n_outputs * e->n_features * e->n_features * t->n_rows;
    double *out = (double *) malloc(2 * n * sizeof *out);
    for (unsigned threads = 1; threads <= 2; threads++) {
        ct_forge_run run = {CT_FORGE_WAY_AUTO, threads, CT_SIMD_SCALAR, NULL, NULL, 0};
        CHECK_INT(ct_forged_shap_background(f, t->columns, t->n_rows, t->columns, t->n_rows,
                                            1, &run, out + (threads - 1) * n, NULL), CT_OK);
    }
    int right = !memcmp(out, out + n, n * sizeof *out) && same_by_pairs(f, t, 1, out) &&
        interactions_as_defined(e, t, out, by_definition);
    free(out);
    return right;
}

/* The sums of all rows, and the first rows by the definition; by tables and by pairs. */
static void check_background(uint32_t seed, const any_shape *s, uint32_t n_rows,
                             uint32_t by_definition)
{
    static table t;
    ct_rng r = ct_rng_of(seed, 29, 0);
    ct_forged f;
    any_draw(&r, s, &drawn);
    const ct_forge_ensemble *e = &drawn.ensemble;
    drawn.ensemble.cover = NULL;
    REQUIRE(CHECK_INT(ct_forge(e, &f, NULL), CT_OK));
    draw_table(&r, &t, n_rows);
    size_t width = e->n_features + 1, n = width * e->n_outputs * n_rows;
    double *out = (double *) malloc(2 * n * sizeof *out);
    for (unsigned threads = 1; threads <= 2; threads++) {
        ct_forge_run run = {CT_FORGE_WAY_AUTO, threads, CT_SIMD_SCALAR, NULL, NULL, 0};
        REQUIRE(CHECK_INT(ct_forged_shap_background(&f, t.columns, n_rows, t.columns, n_rows, 0,
                                                    &run, out + (threads - 1) * n, NULL), CT_OK));
    }
    int right = !memcmp(out, out + n, n * sizeof *out) && same_by_pairs(&f, &t, 0, out) &&
        interactions_right(&f, &t, by_definition);
    for (uint32_t row = 0; row < n_rows; row++)
        for (uint32_t k = 0; k < e->n_outputs; k++) {
            double want[MOST_PLAYERS + 1], sum = 0;
            for (uint32_t i = 0; i < width; i++) sum += out[(k * width + i) * n_rows + row];
            right &= fabs(sum - ensemble_value(e, k, row_of(&t, row), UINT64_MAX)) <= allowed(e);
            if (row >= by_definition) continue;
            shapley_of_mixed(e, k, &t, row, want);
            for (uint32_t i = 0; i < width; i++)
                right &= fabs(out[(k * width + i) * n_rows + row] - want[i]) <= allowed(e);
        }
    if (!CHECK(right)) printf("    seed %u\n", seed);
    free(out);
    ct_forged_free(&f);
}

static void backgrounds(void)
{
    for (uint32_t seed = 0; seed < (CHECK_QUICK() ? 10u : 80u); seed++) {
        ct_rng r = ct_rng_of(seed, 7, 0);
        any_shape s;
        memset(&s, 0, sizeof s);
        s.n_trees = 1 + ct_rng_below(&r, 4);
        s.most_depth = ct_rng_below(&r, 10);
        s.leaf_chance = ct_rng_below(&r, 5);
        s.most_leaves = 64;
        s.n_features = 1 + ct_rng_below(&r, MOST_PLAYERS - 1);
        s.n_outputs = 1 + ct_rng_below(&r, 2);
        s.wide = s.n_outputs > 1 && ct_rng_below(&r, 2);
        s.sets = ct_rng_below(&r, 2) * 5;
        s.rules = ct_rng_below(&r, 2);
        s.less = ct_rng_below(&r, 2) ? CT_FORGE_LESS : CT_FORGE_LESS_EQUAL;
        s.number = ct_rng_below(&r, 2) ? CT_FORGE_F32 : CT_FORGE_F64;
        s.sum = ct_rng_below(&r, 2) ? CT_FORGE_F32 : CT_FORGE_F64;
        check_background(seed, &s, seed % 3 ? 6 : 40, seed % 3 ? 6 : 2);
    }
    const any_shape comb = {2, 39, 0, 40, 0, ANY_FEATURES, 1, 0, 0, 0, CT_FORGE_LESS, CT_FORGE_F64,
                            CT_FORGE_F64, 0};
    const any_shape bushy = {3, 12, 1, 400, 0, 30, 2, 1, 0, 1, CT_FORGE_LESS_EQUAL, CT_FORGE_F32,
                             CT_FORGE_F64, 0};
    check_background(7, &comb, CHECK_QUICK() ? 9 : 40, 0);
    check_background(9, &bushy, CHECK_QUICK() ? 9 : 150, 0);
}

static const check_case cases[] = {
    {"backgrounds", backgrounds},
    {"by hand", by_hand},
    {"all subsets", all_subsets},
    {"long paths", long_paths},
    {"memory that ends", memory},
};
CHECK_MAIN(cases)
