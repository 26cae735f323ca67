/* Forged ensembles against the interpreter, to the last bit; and the interpreter by hand. */
#include "check.h"
#include "ensemble_rows.h"
#include "base/memory.h"
#include "forge/pack.h"
#include "forge/planes.h"
#include "forge/run.h"

enum { MOST_BATCHES = 6 }; /* of one size */

static any_ensemble drawn;

/* Batches of `batch` rows of a table, each way and on each instruction set. */
static int agrees(const ct_forged *f, any_table *t, uint32_t batch, unsigned threads,
                  const double *expected)
{
    const ct_forge_ensemble *e = &drawn.ensemble;
    double *got = (double *) malloc((size_t) batch * e->n_outputs * sizeof *got);
    static const uint32_t blocks[] = {0, 64, 100};
    int same = 1;
    for (int level = 0; level <= CT_N_SIMD; level++) { /* the last: walks */
        if (level < CT_N_SIMD && (!f->has_planes || !ct_cpu_has((ct_simd) level))) continue;
        ct_forge_run run = {level < CT_N_SIMD ? CT_FORGE_WAY_PLANES : CT_FORGE_WAY_WALK, threads,
                            level < CT_N_SIMD ? (ct_simd) level : CT_SIMD_SCALAR, NULL, NULL,
                            blocks[batch % 3]};
        uint32_t first = 0;
        for (int i = 0; i < MOST_BATCHES && first + batch <= t->n_rows && same; i++) {
            ct_column columns[ANY_FEATURES];
            columns_from(t, first, columns);
            CHECK_INT(ct_forged_predict(f, columns, batch, &run, got, NULL), CT_OK);
            for (uint32_t k = 0; k < e->n_outputs; k++)
                same = same && same_bits(got + (size_t) k * batch,
                                         expected + (size_t) k * t->n_rows + first, batch);
            first += batch;
        }
        if (!same) printf("    level %d, batches of %u\n", level, batch);
        if (!same) break;
    }
    free(got);
    return same;
}

/* What was drawn, on rows with codes if it has sets. */
static void check_drawn(uint32_t seed, ct_rng *r, int sets, uint32_t n_rows,
                        const uint32_t *batches, unsigned n_batches)
{
    ct_error error = {CT_OK, ""};
    ct_forged f;
    if (!CHECK_INT(ct_forge(&drawn.ensemble, &f, &error), CT_OK)) {
        printf("    seed %u: %s\n", seed, error.message);
        return;
    }
    any_table t = new_table(r, &drawn, n_rows, sets);
    const ct_forge_ensemble *e = &drawn.ensemble;
    double *expected = (double *) malloc((size_t) n_rows * e->n_outputs * sizeof *expected);
    int32_t *leaves = (int32_t *) malloc((size_t) n_rows * e->n_trees * sizeof *leaves);
    int32_t *got = (int32_t *) malloc((size_t) n_rows * e->n_trees * sizeof *got);
    interpret_table(&t, &drawn, expected, leaves);
    for (unsigned i = 0; i < n_batches; i++)
        if (!CHECK(agrees(&f, &t, batches[i], 1 + i % 3, expected)))
            printf("    seed %u\n", seed);
    ct_forge_run run = {CT_FORGE_WAY_WALK, 2, CT_SIMD_SCALAR, NULL, NULL, 0};
    CHECK_INT(ct_forged_leaves(&f, t.columns, n_rows, &run, got, NULL), CT_OK);
    CHECK(!memcmp(got, leaves, (size_t) n_rows * e->n_trees * sizeof *got));
    free(expected);
    free(leaves);
    free(got);
    free_table(&t);
    ct_forged_free(&f);
}

static void check_shape(uint32_t seed, const any_shape *shape, uint32_t n_rows,
                        const uint32_t *batches, unsigned n_batches)
{
    ct_rng r = ct_rng_of(seed, 17, 0);
    any_draw(&r, shape, &drawn);
    check_drawn(seed, &r, shape->sets > 0, n_rows, batches, n_batches);
}

/* FORGE_ENSEMBLES: how many; 10,000 on demand. */
static void random_ensembles(void)
{
    static const uint32_t batches[] = {1, 3, 7, 8, 9, 63, 64, 65, 255, 257};
    const char *wanted = getenv("FORGE_ENSEMBLES");
    uint32_t n = wanted ? (uint32_t) atol(wanted) : CHECK_QUICK() ? 12 : 250;
    for (uint32_t seed = 0; seed < n; seed++) {
        ct_rng r = ct_rng_of(seed, 5, 0);
        any_shape s = any_shape_of(&r);
        uint32_t few[2] = {batches[seed % 10], 1 + ct_rng_below(&r, 150)};
        check_shape(seed, &s, CHECK_QUICK() ? 300 : 520, few, 2);
    }
}

/* Every size of a batch up to two blocks and a row. */
static void all_batches(void)
{
    uint32_t batches[1025], n = 0;
    for (uint32_t b = 1; b <= 1025; b += CHECK_QUICK() ? 171 : 1) batches[n++] = b;
    const any_shape s = {3, 6, 1, 256, 0, 4, 2, 0, 2, 1, CT_FORGE_LESS, CT_FORGE_F32, CT_FORGE_F32,
                         0};
    check_shape(99, &s, 1025, batches, n);
}

/* Perfect trees of each depth, and combs as deep as leaves allow, alone. */
static void each_depth(void)
{
    static const uint32_t batch[] = {257};
    for (uint32_t depth = 0; depth <= 10; depth++)
        for (int exact = 0; exact < 2; exact++) {
            const ct_forge_number number = exact ? CT_FORGE_F64 : CT_FORGE_F32;
            any_shape s = {2, depth, 0, 2000, 0, 6, 1, 0, 0, 0, CT_FORGE_LESS_EQUAL, number,
                           number, 0};
            for (uint32_t seed = 0; seed < (CHECK_QUICK() ? 1 : 4); seed++)
                check_shape(1000 + 10 * depth + seed, &s, 257, batch, 1);
        }
    for (uint32_t leaves = 250; leaves < 260; leaves += 3) {
        const any_shape comb = {2, 300, 7, leaves, 0, 30, 1, 0, 0, 1, CT_FORGE_LESS, CT_FORGE_F64,
                                CT_FORGE_F64, 0};
        check_shape(2000 + leaves, &comb, 257, batch, 1);
    }
}

/* ---- one test a level ---- */

static void copy_test(uint32_t from, uint32_t to)
{
    drawn.feature[to] = drawn.feature[from], drawn.threshold[to] = drawn.threshold[from];
    drawn.default_left[to] = drawn.default_left[from], drawn.missing[to] = drawn.missing[from];
    drawn.set_first[to] = drawn.set_first[from], drawn.set_size[to] = drawn.set_size[from];
    drawn.set_else[to] = drawn.set_else[from];
}

/* The tests of each level become that of its first node; the last test of the first tree, 0 where
 * it has one at most. */
static uint32_t make_symmetric(void)
{
    static uint32_t depth[ANY_NODES];
    uint32_t last = 0;
    for (uint32_t t = 0; t < drawn.ensemble.n_trees; t++) {
        uint32_t level[20] = {0}, root = drawn.roots[t];
        depth[root] = 0;
        for (uint32_t i = root; i < ct_forge_ensemble_end(&drawn.ensemble, t); i++) {
            if (drawn.feature[i] < 0) continue;
            if (!level[depth[i]]) level[depth[i]] = i + 1;
            copy_test(level[depth[i]] - 1, i);
            depth[drawn.left[i]] = depth[drawn.right[i]] = depth[i] + 1;
            if (t == 0) last = i;
        }
    }
    return last;
}

/* Whether bytes of terms are there where they are asked for, and are those of the terms. */
static int slices_hold(const ct_forged *f, const ct_forge_plane_tree *tree)
{
    int wanted = f->ensemble->sum == CT_FORGE_F64 && tree->bits >= CT_FORGE_SLICED_BITS &&
        !tree->entry;
    if (!wanted || !tree->slices) return wanted == (tree->slices != NULL);
    size_t n = (size_t) 1 << tree->bits;
    for (size_t i = 0; i < f->ensemble->leaf_width * n; i++) {
        uint64_t bits = 0;
        for (unsigned byte = 8; byte-- > 0;)
            bits = bits << 8 | tree->slices[(i / n * 8 + byte) * n + i % n];
        if (memcmp(&bits, (const double *) tree->terms + i, sizeof bits)) return 0;
    }
    return 1;
}

static uint32_t count_symmetric(void)
{
    uint32_t n = 0;
    ct_forged f;
    if (!CHECK_INT(ct_forge(&drawn.ensemble, &f, NULL), CT_OK)) return 0;
    for (uint32_t t = 0; t < drawn.ensemble.n_trees; t++) {
        n += f.trees[t].kind == CT_FORGE_SYMMETRIC;
        CHECK(slices_hold(&f, &f.trees[t]));
    }
    ct_forged_free(&f);
    return n;
}

/* Trees of each depth, with one output, several, and several a leaf; then a last test that is
 * another than those beside it. */
static void one_test_a_level(void)
{
    static const uint32_t batches[] = {1, 63, 64, 65, 130, 600};
    for (uint32_t depth = 1; depth <= 9; depth++)
        for (uint32_t i = 0; i < (CHECK_QUICK() ? 3 : 12); i++) {
            const any_shape s = {9, depth, 0, 2000, i % 2 ? 0 : 15, 4, 1 + i % 3, i % 3 == 2, i % 8,
                                 i % 4 == 1, i % 2 ? CT_FORGE_LESS : CT_FORGE_LESS_EQUAL,
                                 i / 2 % 2 ? CT_FORGE_F32 : CT_FORGE_F64,
                                 i % 4 == 3 ? CT_FORGE_F32 : CT_FORGE_F64, 0};
            ct_rng r = ct_rng_of(depth, i, 23);
            any_draw(&r, &s, &drawn);
            uint32_t last = make_symmetric(), n = count_symmetric();
            CHECK(depth > CT_FORGE_NETWORK_DEPTH || n == 9);
            check_drawn(100 * depth + i, &r, s.sets > 0, 600, batches, 6);
            if (!last || depth > CT_FORGE_NETWORK_DEPTH) continue;
            if (drawn.set_size[last]) drawn.set_else[last] ^= 1;
            else drawn.feature[last] = (drawn.feature[last] + 1) % 4;
            CHECK_INT(count_symmetric(), 8);
            check_drawn(100 * depth + i, &r, s.sets > 0, 600, batches + 4, 2);
        }
}

/* ---- deep trees ---- */

/* All rules and types, with several blocks of rows at a time. */
static void deep_trees(void)
{
    static const uint32_t batches[] = {5, 64, 513, 1100, 2600};
    for (uint32_t i = 0; i < (CHECK_QUICK() ? 8 : 48); i++) {
        const any_shape s = {1 + i % 3,
                             15 + i,
                             i % 4,
                             3000,
                             i % 2 ? 0 : 511,
                             1 + i % 7,
                             1 + i % 3,
                             i % 6 == 2,
                             i % 4 ? 0 : 2,
                             i % 3 > 0,
                             i % 2 ? CT_FORGE_LESS : CT_FORGE_LESS_EQUAL,
                             i / 2 % 2 ? CT_FORGE_F32 : CT_FORGE_F64,
                             i / 4 % 2 ? CT_FORGE_F32 : CT_FORGE_F64,
                             0};
        check_shape(3000 + i, &s, 2600, batches, 5);
    }
}

/* More rows than the blocks that one group of trees takes before the next does: several groups, and
 * passes of 64 blocks, the last with a few rows. */
static void many_blocks(void)
{
    enum { N = 64 * CT_FORGE_BLOCK + 70 };
    static const uint32_t batch[] = {N, 4097};
    for (uint32_t i = 0; i < (CHECK_QUICK() ? 1 : 4); i++) {
        const any_shape s = {3 + i, 40, 0, 12000, 0, 2, 1 + i % 2, 0, i == 3 ? 1 : 0, 1,
                             CT_FORGE_LESS, i % 2 ? CT_FORGE_F32 : CT_FORGE_F64,
                             i / 2 ? CT_FORGE_F32 : CT_FORGE_F64, 0};
        check_shape(4000 + i, &s, N, batch, 2);
    }
}

/* Two trees whose tests are all of one column, and have more thresholds than a coded column takes:
 * two coded columns, and two groups. */
static void many_thresholds(void)
{
    const any_shape s = {2, 60, 0, 37000, 0, 1, 1, 0, 0, 0, CT_FORGE_LESS, CT_FORGE_F64,
                         CT_FORGE_F64, 0};
    ct_rng r = ct_rng_of(1, 2, 3);
    ct_forged f;
    double expected[600];
    do any_draw(&r, &s, &drawn);
    while (drawn.ensemble.n_nodes < 140000);
    for (uint32_t i = 0; i < drawn.ensemble.n_nodes; i++) {
        drawn.threshold[i] = any_unit(&r) - 0.5;
        drawn.default_left[i] = 1;
    }
    any_table t = new_table(&r, &drawn, 600, 0);
    interpret_table(&t, &drawn, expected, NULL);
    REQUIRE(CHECK_INT(ct_forge(&drawn.ensemble, &f, NULL), CT_OK));
    CHECK_INT(f.n_coded, 2);
    CHECK_INT(f.n_groups, 2);
    CHECK(f.has_planes && agrees(&f, &t, 600, 1, expected));
    ct_forged_free(&f);
    free_table(&t);
}

/* Tests of codes below tops that are more than coded columns may be: all trees are walked. */
static void beyond_codes(void)
{
    const any_shape s = {1, 60, 0, 6000, 0, 3, 1, 0, 16, 1, CT_FORGE_LESS, CT_FORGE_F64,
                         CT_FORGE_F64, 0};
    const ct_forge_run planes = {CT_FORGE_WAY_PLANES, 1, CT_SIMD_SCALAR, NULL, NULL, 0};
    const ct_forge_run any = {CT_FORGE_WAY_AUTO, 1, CT_SIMD_SCALAR, NULL, NULL, 0};
    ct_rng r = ct_rng_of(1, 2, 3);
    ct_forged f;
    double expected[600], got[600];
    do any_draw(&r, &s, &drawn);
    while (drawn.ensemble.n_nodes < 11000);
    any_table t = new_table(&r, &drawn, 600, 1);
    interpret_table(&t, &drawn, expected, NULL);
    REQUIRE(CHECK_INT(ct_forge(&drawn.ensemble, &f, NULL), CT_OK));
    CHECK(!f.has_planes && ct_forged_planes_from(&f) == UINT32_MAX);
    CHECK_INT(ct_forged_predict(&f, t.columns, 600, &planes, got, NULL), CT_BAD_INPUT);
    CHECK_INT(ct_forged_predict(&f, t.columns, 600, &any, got, NULL), CT_OK);
    CHECK(same_bits(got, expected, 600));
    ct_forged_free(&f);
    free_table(&t);
}

/* ---- by hand ---- */

/* Two trees: x0 < 1 ? (x1 in {0, 2} ? 1 : 2) : 4; and 8 alone, times 0.5. */
static any_ensemble *by_hand_ensemble(void)
{
    static const int32_t feature[] = {0, 1, -1, -1, -1, -1};
    static const double value[] = {0, 0, 1, 2, 4, 8};
    static const uint32_t left[] = {1, 2, 0, 0, 0, 0}, right[] = {4, 3, 0, 0, 0, 0};
    const any_shape s = {1, 0, 0, 1, 0, 2, 1, 0, 0, 0, CT_FORGE_LESS, CT_FORGE_F32, CT_FORGE_F32,
                         0};
    ct_rng r = ct_rng_of(1, 1, 1);
    any_draw(&r, &s, &drawn);
    ct_forge_ensemble *e = &drawn.ensemble;
    e->n_trees = 2, e->n_nodes = 6, e->divisor = 1, e->minus_fraction = 0, e->n_set_bits = 3;
    for (uint32_t i = 0; i < 6; i++) {
        drawn.feature[i] = feature[i], drawn.value[i] = value[i], drawn.leaf_id[i] = (int32_t) i;
        drawn.left[i] = left[i], drawn.right[i] = right[i], drawn.threshold[i] = 1;
        drawn.default_left[i] = 1, drawn.missing[i] = CT_FORGE_MISSING_NAN;
        drawn.set_first[i] = 0, drawn.set_size[i] = 0, drawn.set_else[i] = 0;
    }
    drawn.set_size[1] = 3, drawn.sets[0] = 5;
    drawn.roots[0] = 0, drawn.roots[1] = 5, drawn.output[0] = drawn.output[1] = 0;
    drawn.weight[0] = 1, drawn.weight[1] = 0.5, drawn.base[0] = 0.25;
    return &drawn;
}

static double row_by_hand(double x0, double x1)
{
    double x[2] = {x0, x1}, out[1];
    interpret_row(&drawn.ensemble, x, out);
    return out[0] - 4.25; /* the base and the second tree */
}

static void interpreter(void)
{
    any_ensemble *a = by_hand_ensemble();
    REQUIRE(CHECK_INT(ct_forge_ensemble_check(&a->ensemble, NULL), CT_OK));
    CHECK(row_by_hand(0, 0) == 1 && row_by_hand(0, 1) == 2 && row_by_hand(0, 2) == 1);
    CHECK(row_by_hand(1, 0) == 4 && row_by_hand(nextafter(1, 0), 0) == 4); /* 1 as a float */
    CHECK(row_by_hand(nextafterf(1, 0), 0) == 1);
    CHECK(row_by_hand(NAN, 0) == 1 && row_by_hand(NAN, NAN) == 1);
    CHECK(row_by_hand(0, 3) == 2 && row_by_hand(0, -1) == 2 && row_by_hand(0, INFINITY) == 2);
    CHECK(row_by_hand(0, 2.9) == 1 && row_by_hand(0, -0.5) == 2 && row_by_hand(0, -0.0) == 1);
    a->ensemble.minus_fraction = 1;
    CHECK(row_by_hand(0, -0.5) == 1 && row_by_hand(0, -1) == 2);
    a->set_else[1] = 1;
    CHECK(row_by_hand(0, -1) == 1 && row_by_hand(0, 1e9) == 1 && row_by_hand(0, 1) == 2);
    a->default_left[0] = 0;
    CHECK(row_by_hand(NAN, 0) == 4);
    a->missing[0] = CT_FORGE_MISSING_NONE;
    CHECK(row_by_hand(NAN, 0) == 1);
    a->missing[0] = CT_FORGE_MISSING_ZERO;
    CHECK(row_by_hand(NAN, 0) == 4 && row_by_hand(-0.0, 0) == 4 && row_by_hand(1e-35, 0) == 4);
    CHECK(row_by_hand(1e-34, 0) == 1);
    a->ensemble.less = CT_FORGE_LESS_EQUAL;
    CHECK(row_by_hand(1, 0) == 1);
    a->ensemble.number = CT_FORGE_F64;
    CHECK(row_by_hand(nextafter(1, 2), 0) == 4);
    a->ensemble.divisor = 2;
    CHECK(row_by_hand(1, 0) + 4.25 == 5.25 / 2);
}

/* The first leaf is 0.5 + 2 x1 - 3 x0. */
static any_ensemble *by_hand_models(void)
{
    any_ensemble *a = by_hand_ensemble();
    ct_forge_ensemble *e = &a->ensemble;
    e->number = e->sum = CT_FORGE_F64;
    ct_rng r = ct_rng_of(2, 1, 1);
    any_models(&r, a);
    e->n_terms = 2;
    for (uint32_t i = 0; i <= 6; i++) a->first_term[i] = i > 2 ? 2 : 0;
    for (uint32_t i = 0; i < 6; i++) a->intercept[i] = a->value[i];
    a->intercept[2] = 0.5;
    a->term_feature[0] = 1, a->term_feature[1] = 0;
    a->slope[0] = 2, a->slope[1] = -3;
    return a;
}

static void linear_models(void)
{
    any_ensemble *a = by_hand_models();
    REQUIRE(CHECK_INT(ct_forge_ensemble_check(&a->ensemble, NULL), CT_OK));
    CHECK(row_by_hand(0.5, 2) == 0.5 + 4 - 1.5);
    CHECK(row_by_hand(NAN, 2) == 1); /* a missing value: the value of the leaf */
    CHECK(row_by_hand(0.5, 1) == 2 && row_by_hand(1, NAN) == 4);
    a->weight[0] = 0.5;
    CHECK(row_by_hand(0.5, 2) == 1.5 && row_by_hand(NAN, 2) == 0.5);
}

/* The same with x1 taken to -1 .. 1.5, 5 where it is missing, and x0 a code; and 9 .. 20 in all. */
static any_ensemble *by_hand_ranges(void)
{
    any_ensemble *a = by_hand_models();
    ct_rng r = ct_rng_of(3, 1, 1);
    any_ranges(&r, a);
    a->first_code[0] = a->first_code[1] = 0, a->first_code[2] = a->ensemble.n_codes = 2;
    a->of_code[0] = -1, a->of_code[1] = -5;
    a->low[0] = -1, a->high[0] = 1.5, a->other[0] = 5, a->other[1] = -2;
    for (uint32_t i = 0; i < 6; i++) a->lowest[i] = i == 2 ? 9 : -INFINITY;
    for (uint32_t i = 0; i < 6; i++) a->highest[i] = i == 2 ? 20 : INFINITY;
    return a;
}

static void ranges(void)
{
    any_ensemble *a = by_hand_ranges();
    REQUIRE(CHECK_INT(ct_forge_ensemble_check(&a->ensemble, NULL), CT_OK));
    CHECK(row_by_hand(0, 2) == 9 && row_by_hand(-1, 2) == 9.5 && row_by_hand(NAN, 2) == 9.5);
    CHECK(row_by_hand(-1, NAN) == 16.5);
    a->of_code[0] = -12;
    CHECK(row_by_hand(0, 2) == 20 && row_by_hand(0.9, 2) == 20);
    a->other[1] = NAN;
    CHECK(isnan(row_by_hand(NAN, 2)));
}

/* The columns that are used are others than all. */
static void columns_of_models(void)
{
    any_ensemble *a = by_hand_ranges();
    ct_forge_ensemble *e = &a->ensemble;
    const double x[3] = {9, 0.5, 2};
    double expected, got;
    ct_forged f;
    e->n_features = 3;
    e->other = NULL;
    for (uint32_t i = 0; i < e->n_nodes; i++) a->feature[i] += a->feature[i] >= 0;
    for (uint32_t k = 0; k < e->n_terms; k++) a->term_feature[k]++;
    REQUIRE(CHECK_INT(ct_forge(e, &f, NULL), CT_OK));
    ct_column columns[3] = {{x, CT_DOUBLE}, {x + 1, CT_DOUBLE}, {x + 2, CT_DOUBLE}};
    const ct_forge_run run = {CT_FORGE_WAY_WALK, 1, CT_SIMD_SCALAR, NULL, NULL, 0};
    interpret_row(e, x, &expected);
    CHECK_INT(ct_forged_predict(&f, columns, 1, &run, &got, NULL), CT_OK);
    CHECK(got == expected && got == 7.25);
    ct_forged_free(&f);
}

/* Floats are added as floats: 1 + 2^-24 twice, and 2^-24 twice + 1, differ. */
static void order_of_sums(void)
{
    any_ensemble *a = by_hand_ensemble();
    double x[2] = {5, 0}, out[1];
    a->base[0] = 1, a->value[4] = ldexp(1, -24), a->value[5] = ldexp(1, -23);
    interpret_row(&a->ensemble, x, out);
    CHECK(out[0] == 1);
    a->ensemble.sum = CT_FORGE_F64;
    interpret_row(&a->ensemble, x, out);
    CHECK(out[0] == 1 + ldexp(1, -23));
}

/* ---- faults ---- */

static int refused(void)
{
    ct_error error = {CT_OK, ""};
    return ct_forge_ensemble_check(&drawn.ensemble, &error) == CT_BAD_INPUT && error.message[0];
}

#define REFUSED(change)         \
    do {                        \
        by_hand_ensemble();     \
        ct_forge_ensemble *e = &drawn.ensemble; \
        (void) e;               \
        change;                 \
        CHECK(refused());       \
    } while (0)

static void faults(void)
{
    by_hand_ensemble();
    CHECK(!refused());
    REFUSED(e->n_trees = 0);
    REFUSED(e->n_trees = 7);
    REFUSED(e->n_nodes = 1);
    REFUSED(e->n_features = 1);
    REFUSED(e->n_features = (1 << 24) + 1);
    REFUSED(e->n_outputs = 0);
    REFUSED(e->leaf_width = 0);
    REFUSED(e->leaf_width = 2);
    REFUSED(e->divisor = 0);
    REFUSED(e->divisor = NAN);
    REFUSED(e->less = (ct_forge_less) 2);
    REFUSED(e->number = (ct_forge_number) 2);
    REFUSED(e->sum = (ct_forge_number) 2);
    REFUSED(drawn.base[0] = INFINITY);
    REFUSED(drawn.base[0] = 0.1);
    REFUSED(drawn.weight[1] = NAN);
    REFUSED(drawn.weight[1] = 0.1);
    REFUSED(drawn.output[1] = 1);
    REFUSED(drawn.roots[0] = 1);
    REFUSED(drawn.roots[1] = 0);
    REFUSED(drawn.roots[1] = 6);
    REFUSED(drawn.feature[0] = 2);
    REFUSED(drawn.feature[0] = -2);
    REFUSED(drawn.left[0] = 0);
    REFUSED(drawn.left[1] = 4);
    REFUSED(drawn.left[1] = 3);
    REFUSED(drawn.right[0] = 5);
    REFUSED(drawn.feature[0] = -1);
    REFUSED(drawn.default_left[0] = 2);
    REFUSED(drawn.missing[0] = 3);
    REFUSED(drawn.missing[1] = CT_FORGE_MISSING_ZERO);
    REFUSED(drawn.set_size[1] = 4);
    REFUSED(drawn.set_first[1] = 1);
    REFUSED(drawn.set_first[1] = UINT32_MAX);
    REFUSED(drawn.set_else[1] = 2);
    REFUSED(drawn.threshold[0] = NAN);
    REFUSED(drawn.threshold[0] = 0.1);
    REFUSED(drawn.value[2] = NAN);
    REFUSED(drawn.value[2] = 0.1);
    REFUSED((drawn.value[5] = FLT_MAX, drawn.weight[1] = 2));
    REFUSED((by_hand_models(), e->number = CT_FORGE_F32));
    REFUSED((by_hand_models(), e->sum = CT_FORGE_F32));
    REFUSED((by_hand_models(), drawn.first_term[0] = 1));
    REFUSED((by_hand_models(), drawn.first_term[3] = 3));
    REFUSED((by_hand_models(), e->n_terms = 3));
    REFUSED((by_hand_models(), drawn.term_feature[1] = 2));
    REFUSED((by_hand_models(), drawn.slope[0] = INFINITY));
    REFUSED((by_hand_models(), drawn.intercept[1] = NAN));
    REFUSED((by_hand_ranges(), drawn.first_code[0] = 1));
    REFUSED((by_hand_ranges(), drawn.first_code[1] = 3));
    REFUSED((by_hand_ranges(), e->n_codes = 3));
    REFUSED((by_hand_ranges(), drawn.low[1] = INFINITY, drawn.high[1] = 1));
    REFUSED((by_hand_ranges(), drawn.high[0] = NAN));
    REFUSED((by_hand_ranges(), drawn.other[0] = INFINITY));
    REFUSED((by_hand_ranges(), drawn.of_code[1] = NAN));
    REFUSED((by_hand_ranges(), drawn.lowest[2] = 21));
}

/* Memory kept from run to run: of fewer rows than before, of more threads, of another instruction
 * set. */
static void kept_memory(void)
{
    const any_shape s = {20, 14, 1, 700, 0, 4, 2, 1, 2, 1, CT_FORGE_LESS, CT_FORGE_F64,
                         CT_FORGE_F64, 0};
    static double once[2 * 2100], again[2 * 2100];
    ct_rng r = ct_rng_of(4, 4, 4);
    ct_forged f;
    ct_forge_scratch_pool kept;
    memset(&kept, 0, sizeof kept);
    any_draw(&r, &s, &drawn);
    any_table t = new_table(&r, &drawn, 2100, 0);
    CHECK_INT(ct_forge(&drawn.ensemble, &f, NULL), CT_OK);
    for (int i = 0; i < 24; i++) {
        static const unsigned n_threads[] = {1, 3, 2};
        static const uint32_t n_rows[] = {2100, 64, 513, 1};
        ct_simd simd = (ct_simd) (i % CT_N_SIMD);
        ct_forge_run run = {CT_FORGE_WAY_PLANES, n_threads[i % 3], CT_SIMD_SCALAR, NULL, &kept, 0};
        uint32_t n = n_rows[i % 4];
        if (ct_cpu_has(simd)) run.simd = simd;
        CHECK_INT(ct_forged_predict(&f, t.columns, n, &run, again, NULL), CT_OK);
        CHECK(kept.n > 0);
        run.kept = NULL;
        CHECK_INT(ct_forged_predict(&f, t.columns, n, &run, once, NULL), CT_OK);
        CHECK(same_bits(once, again, 2 * n));
    }
    ct_forge_scratch_pool_free(&kept);
    CHECK(kept.n == 0 && kept.of == NULL);
    free_table(&t);
    ct_forged_free(&f);
}

/* Each allocation fails once, and with all that follow. */
static void memory(void)
{
    const any_shape s = {3, 14, 1, 700, 0, 4, 2, 1, 2, 1, CT_FORGE_LESS, CT_FORGE_F64, CT_FORGE_F64,
                         0};
    ct_rng r = ct_rng_of(3, 3, 3);
    ct_error error;
    any_draw(&r, &s, &drawn);
    any_table t = new_table(&r, &drawn, 700, 0);
    double got[2 * 700];
    int32_t leaves[3 * 700];
    for (long after = 0, failed = 1; failed; after++) {
        failed = 0;
        for (long count = 1; count <= 1000000; count += 999999) {
            ct_forged f;
            error = (ct_error){CT_OK, ""};
            ct_alloc_fail_for(after, count);
            ct_status status = ct_forge(&drawn.ensemble, &f, &error);
            ct_forge_scratch_pool kept;
            memset(&kept, 0, sizeof kept);
            ct_forge_run run = {CT_FORGE_WAY_PLANES, 1, CT_SIMD_SCALAR, NULL, &kept, 0};
            for (; status == CT_OK && run.threads <= 2; run.threads++)
                status = ct_forged_predict(&f, t.columns, 700, &run, got, &error);
            CHECK(status == CT_OK || kept.n < 2);
            ct_forge_scratch_pool_free(&kept);
            run.way = CT_FORGE_WAY_WALK;
            if (status == CT_OK)
                status = ct_forged_predict(&f, t.columns, 700, &run, got, &error);
            if (status == CT_OK)
                status = ct_forged_leaves(&f, t.columns, 700, &run, leaves, &error);
            ct_alloc_fail_for(-1, 0);
            CHECK(status == CT_OK || (status == CT_NO_MEMORY && error.message[0]));
            failed |= status != CT_OK;
            ct_forged_free(&f);
        }
    }
    free_table(&t);
}

/* ---- networks alone ---- */

enum { MOST_TESTS = (1 << CT_FORGE_NETWORK_DEPTH) - 1 };

/* The answers of a row to the tests of a perfect tree: planes 1 + test. */
static void set_answers(uint64_t *table, uint32_t n_tests, uint32_t row, const uint8_t *answer)
{
    for (uint32_t i = 0; i < n_tests; i++) {
        uint64_t *plane = table + (size_t) (i + 1) * CT_FORGE_BLOCK_WORDS;
        uint64_t bit = UINT64_C(1) << row % 64;
        plane[row / 64] = answer[i] ? plane[row / 64] | bit : plane[row / 64] & ~bit;
    }
}

/* A block through a network on each instruction set; `want` by walking down. */
static int network_agrees(const ct_forge_plane_tree *tree, const uint64_t *table,
                          const uint8_t *want)
{
    uint8_t leaf[CT_FORGE_BLOCK];
    for (int level = 0; level < CT_N_SIMD; level++) {
        if (!ct_cpu_has((ct_simd) level)) continue;
        memset(leaf, 255, sizeof leaf);
        ct_forge_planes_at((ct_simd) level)->leaves(tree, table, CT_FORGE_BLOCK_WORDS, leaf);
        if (memcmp(leaf, want, sizeof leaf)) return 0;
    }
    return 1;
}

static uint8_t walk_down(const uint8_t *answer, uint32_t depth)
{
    uint32_t at = 0;
    for (uint32_t level = 0; level < depth; level++) at = 2 * at + 1 + answer[at];
    return (uint8_t) (at - ((1u << depth) - 1));
}

/* Up to depth 4 all answers that there are to all tests. Beyond, all paths, where the tests beside
 * a path answer 0, 1, or anything, twice. */
static void draw_answers(ct_rng *r, uint32_t depth, uint32_t which, uint8_t *answer)
{
    uint32_t n = (1u << depth) - 1, at = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (depth <= 4) answer[i] = which >> i & 1;
        else if (which >> depth < 2) answer[i] = (uint8_t) (which >> depth);
        else answer[i] = (uint8_t) ct_rng_below(r, 2);
    }
    for (uint32_t level = depth; depth > 4 && level-- > 0;) {
        answer[at] = which >> level & 1;
        at = 2 * at + 1 + answer[at];
    }
}

static void networks(void)
{
    static uint64_t table[(MOST_TESTS + 1) * CT_FORGE_BLOCK_WORDS];
    static uint32_t program[MOST_TESTS];
    ct_rng r = ct_rng_of(8, 8, 8);
    for (uint32_t i = 0; i < MOST_TESTS; i++) program[i] = i + 1;
    for (uint32_t depth = 1; depth <= CT_FORGE_NETWORK_DEPTH; depth++) {
        const ct_forge_plane_tree tree = {.kind = CT_FORGE_NETWORK, .bits = depth,
                                          .program = program};
        uint32_t n_tests = (1u << depth) - 1, n = depth <= 4 ? 1u << n_tests : 4u << depth;
        if (n < CT_FORGE_BLOCK) n = CT_FORGE_BLOCK;
        for (uint32_t first = 0; first < n; first += CT_FORGE_BLOCK) {
            uint8_t want[CT_FORGE_BLOCK], answer[MOST_TESTS];
            for (uint32_t row = 0; row < CT_FORGE_BLOCK; row++) {
                draw_answers(&r, depth, first + row, answer);
                set_answers(table, n_tests, row, answer);
                want[row] = walk_down(answer, depth);
            }
            if (!CHECK(network_agrees(&tree, table, want))) printf("    depth %u\n", depth);
        }
    }
}

/* A tree of one node more than walks of lists can number, level by level: node i has the children
 * 2 i + 1 and 2 i + 2. All rows take the old walks. */
static void beyond_nodes(void)
{
    enum { N = CT_FORGE_DEEP_NODES + 1 };
    static int32_t feature[N], id[N];
    static double threshold[N], value[N];
    static uint32_t left[N], right[N], none[N];
    static uint8_t byte[N];
    const uint32_t zero = 0;
    const double one = 1, base = 0;
    if (CHECK_SLOW()) return;
    for (uint32_t i = 0; i < N; i++) {
        int leaf = i >= N / 2;
        feature[i] = leaf ? -1 : (int32_t) (i % 3);
        threshold[i] = leaf ? 0 : (double) (i % 1000) - 500;
        left[i] = leaf ? 0 : 2 * i + 1;
        right[i] = leaf ? 0 : 2 * i + 2;
        id[i] = (int32_t) i;
    }
    const ct_forge_ensemble e = {
        .n_trees = 1, .n_nodes = N, .n_features = 3, .n_outputs = 1, .roots = &zero,
        .feature = feature, .threshold = threshold, .left = left, .right = right,
        .default_left = byte, .missing = byte, .set_first = none, .set_size = none,
        .set_else = byte, .leaf_width = 1, .value = value, .leaf_id = id, .output_of_tree = &zero,
        .weight = &one, .less = CT_FORGE_LESS, .number = CT_FORGE_F64, .sum = CT_FORGE_F64,
        .base = &base, .divisor = 1};
    ct_forged f;
    REQUIRE(CHECK_INT(ct_forge(&e, &f, NULL), CT_OK));
    CHECK(!f.has_planes);
    ct_forged_free(&f);
}

static const check_case cases[] = {
    {"interpreter by hand", interpreter},  {"order of sums", order_of_sums},
    {"faults are refused", faults},        {"random ensembles", random_ensembles},
    {"all batches", all_batches},          {"each depth", each_depth},
    {"one test a level", one_test_a_level},
    {"deep trees", deep_trees},            {"many thresholds", many_thresholds},
    {"many blocks", many_blocks},
    {"too many codes", beyond_codes},      {"too many nodes", beyond_nodes},
    {"networks", networks},                {"linear models by hand", linear_models},
    {"linear models: ranges", ranges},     {"linear models: columns", columns_of_models},
    {"memory kept", kept_memory},
    {"memory that ends", memory},
};
CHECK_MAIN(cases)
