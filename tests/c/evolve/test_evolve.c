/* Model trees: sums, bounds and split searches against plain loops on small data. */
#include "evolve/changes.h"
#include "evolve/split_scratch.h"
#include "evolve/open_bound.h"
#include "evolve/kd_walk.h"
#include "evolve/paper_steps.h"
#include "evolve_data.h"

/* ---- cases ---- */

/* A tree on the table of `d`: the root split on the first column, and both its children. */
typedef struct {
    ct_model_table table;
    ct_model_tree tree;
    ct_split_scratch *scratch;
} fixture;

static int open_fixture(fixture *f, const evolve_data *d, uint32_t bins)
{
    return ct_gmt_model_table_init(&f->table, &d->data, bins, 1, &reason) == CT_OK &&
           ct_gmt_model_tree_init(&f->tree, &f->table, ct_gram_at(CT_SIMD_SCALAR), 8, 1, &reason) ==
               CT_OK &&
           (f->scratch = ct_gmt_split_scratch_new(&f->table, 8)) != NULL;
}

static void close_fixture(fixture *f)
{
    ct_gmt_split_scratch_free(f->scratch);
    ct_gmt_model_tree_free(&f->tree);
    ct_gmt_model_table_free(&f->table);
}

static void grow_by_hand(ct_model_tree *tree, ct_rng *rng, uint32_t n_splits)
{
    for (uint32_t i = 0; i < n_splits; i++) {
        int32_t leaves[CT_TREE_LEAVES];
        uint32_t n = ct_gmt_model_tree_leaves(tree, 0, leaves);
        ct_gmt_test test = {0, 0, {0}, 0};
        uint32_t span = tree->table->splitters[0].n_ranks;
        test.cut = span / 4 + ct_rng_below(rng, span / 2 + 1);
        ct_gmt_model_tree_expand(tree, leaves[ct_rng_below(rng, n)], &test);
        refresh(tree, 0, 1, 16);
    }
}

/* The leaf that each row would come to below a child of the root. */
static uint32_t plain_leaves(const ct_model_tree *tree, int32_t child, uint8_t *leaf)
{
    int32_t leaves[CT_TREE_LEAVES];
    uint32_t n = ct_gmt_model_tree_leaves(tree, child, leaves);
    for (uint32_t row = 0; row < tree->table->n_rows; row++) {
        int32_t at = child;
        while (!ct_gmt_is_leaf(tree, at))
            at = ct_gmt_goes_left(tree->table, &tree->nodes[at].test, row) ? tree->nodes[at].left
                                                                           : tree->nodes[at].right;
        for (uint32_t k = 0; k < n; k++)
            if (leaves[k] == at) leaf[row] = (uint8_t) k;
    }
    return n;
}

/* The splits from `node` down, whose leaves are numbered from `first` on; how many leaves. */
static uint32_t plain_splits_of(const ct_model_tree *tree, int32_t node, int side, uint32_t first,
                                plain_splits *splits)
{
    if (ct_gmt_is_leaf(tree, node)) return 1;
    uint32_t n = plain_splits_of(tree, tree->nodes[node].left, side, first, splits);
    n += plain_splits_of(tree, tree->nodes[node].right, side, first + n, splits);
    splits->splits[splits->n++] = (plain_split){side, first, first + n};
    return n;
}

/* The best test at the root of the tree against all there are. */
static void compare_line(fixture *f, const evolve_data *d, uint32_t minbucket, uint32_t min_n,
                         double price)
{
    plain_splits splits = {0};
    static uint8_t sides[2][MOST_ROWS];
    uint8_t *leaf[2] = {sides[0], sides[1]};
    uint32_t n_leaves[2] = {1, 1};
    ct_gmt_split_result answer;
    double unit = f->table.unit;
    ct_gmt_split_options o = {minbucket, UINT32_MAX, price * unit, -1, 0, min_n};
    memset(sides, 0, sizeof sides);
    if (!ct_gmt_is_leaf(&f->tree, 0))
        for (int side = 0; side < 2; side++) {
            int32_t child = side ? f->tree.nodes[0].right : f->tree.nodes[0].left;
            n_leaves[side] = plain_leaves(&f->tree, child, sides[side]);
            plain_splits_of(&f->tree, child, side, 0, &splits);
        }
    double expected = brute_split(d, leaf, n_leaves, &splits, &o);
    o.lambda = price; /* of the scaled response */
    REQUIRE_OK(ct_gmt_split_search(&f->tree, 0, INFINITY, &o, &f->scratch, 1, &answer, &reason));
    if (isinf(expected)) {
        CHECK(answer.best.test.splitter < 0);
        return;
    }
    double found = unit * (answer.best.sse + o.lambda * answer.best.terms);
    REQUIRE(answer.best.test.splitter >= 0);
    CHECK(fabs(found - expected) <= 1e-9 * unit * f->table.total);
    /* and the tree with it costs that */
    if (ct_gmt_is_leaf(&f->tree, 0)) ct_gmt_model_tree_expand(&f->tree, 0, &answer.best.test);
    else f->tree.nodes[0].test = answer.best.test;
    refresh(&f->tree, 0, 1, 16);
    CHECK(fabs(f->tree.sse - answer.best.sse) <= 1e-10 * f->table.total);
}

static void check_line(uint32_t seed, const evolve_data *d, uint32_t n_splits, uint32_t bins,
                       uint32_t min_n)
{
    fixture f;
    ct_rng rng = ct_rng_of(seed, 7, 0);
    REQUIRE(open_fixture(&f, d, bins));
    double price = 0.02 * f.tree.sse / d->data.n_rows;
    grow_by_hand(&f.tree, &rng, n_splits);
    compare_line(&f, d, 3, min_n, price);
    close_fixture(&f);
}

static void searches_are_exact(check_rng *r, uint32_t seed)
{
    evolve_data *d = new_data(seed, 30 + seed % 20, 1 + seed % 3, seed % 4 == 1 ? 5 : 0,
                              seed % 3 == 2 ? 2 + seed % 5 : 0, seed % 5 == 3 ? 2 : 0);
    if (seed % 2) d->data.weights = d->weights;
    check_line(seed, d, seed % 4, 2 + seed % 7, 0);
    for (uint32_t min_n = 8; seed % 4 > 1 && min_n < 30; min_n += 3)
        check_line(seed, d, seed % 4, 2 + seed % 7, min_n);
}

/* A split on sets of levels above others: every smallest size of a node that is split, at which
 * some sets leave too few rows to those below. The response has much of the levels, so the best
 * split is one on them. */
static void small_splits_of_sets(check_rng *r, uint32_t seed)
{
    evolve_data *d = new_data(seed, 36, 1, seed % 3 ? 3 : 0, 2 + seed % 5, seed % 5 == 3 ? 2 : 0);
    if (seed % 2) d->data.weights = d->weights;
    for (uint32_t row = 0; row < 36; row++) d->y[row] += 4 * (d->codes[row] % 3);
    for (uint32_t min_n = 5; min_n < 30; min_n++) check_line(seed, d, 2 + seed % 4, 4, min_n);
}

/* Of a node that has some of the rows, here those of the upper half of the first column. */
static void splits_below_are_exact(check_rng *r, uint32_t seed)
{
    evolve_data *d = new_data(60 + seed, 80, 2, 0, 0, 0), *subset = new_data(0, 40, 2, 0, 0, 0);
    static uint8_t nowhere[MOST_ROWS];
    uint8_t *leaf[2] = {nowhere, nowhere};
    const uint32_t one[2] = {1, 1};
    fixture f;
    ct_gmt_split_result answer;
    ct_gmt_test test = {0, 40, {0}, 0};
    REQUIRE(open_fixture(&f, d, 3));
    REQUIRE(ct_gmt_model_tree_expand(&f.tree, 0, &test));
    refresh(&f.tree, 0, 1, 16);
    const ct_model_node *node = &f.tree.nodes[f.tree.nodes[0].right];
    for (uint32_t i = 0; i < 40; i++) {
        uint32_t row = f.tree.rows[node->begin + i];
        for (int k = 0; k < 2; k++) subset->x[k][i] = d->x[k][row];
        subset->y[i] = d->y[row];
    }
    ct_gmt_split_options o = {3, UINT32_MAX, 0, -1, 0, 0};
    REQUIRE_OK(ct_gmt_split_search(&f.tree, f.tree.nodes[0].right, INFINITY, &o, &f.scratch, 1,
                                   &answer, &reason));
    CHECK(fabs(f.table.unit * answer.best.sse - brute_split(subset, leaf, one, NULL, &o)) <=
          1e-9 * f.table.unit * f.table.total);
    close_fixture(&f);
}

/* Splitters that some of the rows rule out: the last but not the second, whose threshold is better
 * than the one there is. */
static void some_rows_rule_out(void)
{
    evolve_data *d = new_data(71, MOST_ROWS, 3, 0, 0, 0);
    fixture f;
    ct_gmt_split_result answer, again;
    ct_gmt_test first = {0, MOST_ROWS / 2, {0}, 0}, second = {2, MOST_ROWS / 2, {0}, 0};
    for (uint32_t row = 0; row < MOST_ROWS; row++)
        d->y[row] = (d->x[1][row] < 3 ? d->x[0][row] : 5 - d->x[2][row]) + d->weights[row] * 3;
    REQUIRE(open_fixture(&f, d, 16));
    REQUIRE(ct_gmt_model_tree_expand(&f.tree, 0, &first));
    REQUIRE(ct_gmt_model_tree_expand(&f.tree, f.tree.nodes[0].right, &second));
    refresh(&f.tree, 0, 1, 16);
    ct_gmt_split_options o = {5, UINT32_MAX, 1e-3, -1, 0, 0};
    double now = ct_penalised(f.tree.sse, f.tree.terms, 3, o.lambda);
    REQUIRE_OK(ct_gmt_split_search(&f.tree, 0, now, &o, &f.scratch, 1, &answer, &reason));
    o.without = CT_GMT_SOME_ROWS;
    REQUIRE_OK(ct_gmt_split_search(&f.tree, 0, now, &o, &f.scratch, 1, &again, &reason));
    CHECK_INT(again.best.test.splitter, 1);
    CHECK_INT(answer.best.test.splitter, 1);
    CHECK(answer.best.sse == again.best.sse && answer.best.test.cut == again.best.test.cut);
    close_fixture(&f);
}

/* A long run of one value, and the best threshold right below it, so many rows above the start of
 * the bin that bins of even size would end within the run. */
static void runs_are_opened(void)
{
    for (uint32_t above = 0; above < 4; above++) {
        evolve_data *d = new_data(5, 400, 1, 0, 0, 0);
        for (uint32_t row = 0; row < 400; row++) {
            if (row < above) d->x[0][row] = 5;
            if (row >= 100 && row < 330) d->x[0][row] = row < 250 ? 1.5 : 2.25;
            d->y[row] = (d->x[0][row] < 1.5 ? 1 : -1) + 0.01 * d->x[0][row];
        }
        check_line(1, d, 0, 2, 0);
    }
}

/* Five rows at the end are far off: a leaf of their own would pay, but is too small. */
static void small_leaves_are_not_offered(void)
{
    for (uint32_t bins = 2; bins < 40; bins += 12) {
        evolve_data *d = new_data(6, 60, 1, 0, 0, 0);
        fixture f;
        d->data.n_regressors = 0;
        for (uint32_t row = 0; row < 60; row++) {
            d->x[0][row] = row;
            d->y[row] = row % 3 + (row >= 55 ? 50 : row >= 30 ? 2 : 0);
        }
        REQUIRE(open_fixture(&f, d, bins));
        for (uint32_t minbucket = 4; minbucket < 9; minbucket++) {
            ct_gmt_model_tree_collapse(&f.tree, 0);
            refresh(&f.tree, 0, 1, 16);
            compare_line(&f, d, minbucket, 0, 0);
        }
        close_fixture(&f);
    }
}

/* Below the root a side has a kink that levels 2 and 3 have and level 1 has not: which of the two
 * sides a set of levels is on decides, whether it has the first level or not. */
static void sets_have_sides(void)
{
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        evolve_data *d = new_data(8, 90, 1, 0, 3, 0);
        fixture f;
        for (uint32_t row = 0; row < 90; row++) {
            double x = d->x[0][row];
            d->y[row] = (d->codes[row] == 1) == mirrored ? fabs(x - 2.5) : 1 + x;
        }
        REQUIRE(open_fixture(&f, d, 8));
        ct_gmt_test test = {0, 45, {0}, 0};
        REQUIRE(ct_gmt_model_tree_expand(&f.tree, 0, &test));
        REQUIRE(ct_gmt_model_tree_expand(&f.tree, f.tree.nodes[0].left, &test));
        f.tree.nodes[0].test.cut = 60;
        refresh(&f.tree, 0, 1, 16);
        compare_line(&f, d, 3, 0, 1e-3);
        CHECK_INT(f.tree.nodes[0].test.splitter, 1);
        CHECK_INT(f.tree.nodes[0].test.levels[0] & 1, mirrored);
        close_fixture(&f);
    }
}

/* No way to divide the middle rows costs less than the bound says; and it says something. */
static void bounds_hold(check_rng *r, uint32_t seed)
{
    enum { P = 4, SIDE = 40, MIDDLE = 9, ROWS = 2 * SIDE + MIDDLE };
    const ct_gram_kernels *kernels = ct_gram_at(CT_SIMD_SCALAR);
    const size_t width = ct_gram_width(P), size = ct_gram_size(P);
    static double z[ROWS * 4], scratch[5 * P * P + 3 * P];
    double grams[3][40], sums[3 * 40], s[40 * CT_GRAM_LANES], sse[CT_GRAM_LANES],
        terms[CT_GRAM_LANES], least = INFINITY, sides = 0;
    ct_rng rng = ct_rng_of(seed, 6, 0);
    REQUIRE(width == 4 && size <= 40 && ct_gmt_open_bound_scratch(P) <= 5 * P * P + 3 * P);
    for (uint32_t i = 0; i < ROWS; i++) {
        double *row = z + i * width, shift = i < SIDE ? 0 : seed % 4 * 0.2;
        row[0] = 1;
        row[1] = i / (double) ROWS + 0.1 * uniform(&rng);
        row[2] = uniform(&rng);
        row[3] = row[1] + (1 + shift) * row[2] + shift + 0.5 * uniform(&rng);
    }
    for (uint32_t set = 0; set < 1u << MIDDLE; set++) {
        uint32_t rows[ROWS], bucket[ROWS];
        memset(sums, 0, sizeof sums);
        for (uint32_t i = 0; i < ROWS; i++) {
            rows[i] = i;
            bucket[i] = i < SIDE              ? 0
                        : i >= SIDE + MIDDLE  ? 1
                        : set >> (i - SIDE) & 1 ? 0
                                              : 1;
            if (!set && bucket[i] == 1 && i < SIDE + MIDDLE) bucket[i] = 2;
        }
        kernels->add(sums, bucket, z, rows, ROWS, P);
        if (!set) /* the three by themselves; the second pass below takes all on the right */
            memcpy(grams[0], sums, sizeof grams[0]),
                memcpy(grams[1], sums + size, size * sizeof *sums),
                memcpy(grams[2], sums + 2 * size, size * sizeof *sums);
        memset(s, 0, sizeof s);
        for (size_t i = 0; i < size; i++)
            s[i * CT_GRAM_LANES] = sums[i], s[i * CT_GRAM_LANES + 1] = sums[size + i];
        kernels->pivots(s, P, sse, terms);
        if (!set) sides = sse[0] + sse[1];
        else if (sse[0] + sse[1] < least) least = sse[0] + sse[1];
    }
    double bound = ct_gmt_open_bound(grams[0], grams[1], grams[2], P, scratch);
    CHECK(bound >= 0 && sides + bound <= least + 1e-12);
    check_state.tally[0] += bound > 0.3 * (least - sides);
    /* a side that does not determine its model says nothing */
    memset(grams[0], 0, sizeof grams[0]);
    CHECK(ct_gmt_open_bound(grams[0], grams[1], grams[2], P, scratch) == 0);
}

static void some_bounds_are_tight(void) { CHECK(check_state.tally[0] > 0); }

/* Sums after many moves against sums of the rows. */
static void sums_are_of_the_rows(void)
{
    evolve_data *d = new_data(3, 200, 2, 0, 0, 0);
    fixture f;
    ct_rng rng = ct_rng_of(3, 8, 0);
    REQUIRE(open_fixture(&f, d, 16));
    for (int round = 0; round < (CHECK_QUICK() ? 20 : 200); round++) {
        int32_t leaves[CT_TREE_LEAVES];
        grow_by_hand(&f.tree, &rng, 2);
        uint32_t n = ct_gmt_model_tree_leaves(&f.tree, 0, leaves);
        int32_t at = f.tree.nodes[leaves[ct_rng_below(&rng, n)]].parent;
        if (round % 3 == 1 && at >= 0) ct_gmt_model_tree_collapse(&f.tree, at);
        if (round % 3 == 2 && at >= 0) ct_gmt_model_tree_lift(&f.tree, at, f.tree.nodes[at].left);
        if (at >= 0) refresh(&f.tree, at, 2, 4);
        uint32_t deepest = round % 5 ? 4 : 2;
        refresh(&f.tree, 0, 2, deepest);
        double sse = 0;
        n = ct_gmt_model_tree_leaves(&f.tree, 0, leaves);
        uint32_t rows = 0;
        for (uint32_t k = 0; k < n; k++) {
            const ct_model_node *leaf = &f.tree.nodes[leaves[k]];
            uint8_t in[MOST_ROWS] = {0};
            double terms;
            for (uint32_t i = leaf->begin; i < leaf->end; i++) in[f.tree.rows[i]] = 1;
            rows += leaf->end - leaf->begin;
            CHECK(n == 1 || leaf->end - leaf->begin >= 2);
            CHECK(leaf->depth <= deepest);
            double plain = plain_sse(&d->data, in, &terms);
            CHECK(fabs(plain - f.table.unit * leaf->sse) <= 1e-9 * f.table.unit * f.table.total);
            CHECK_INT((long long) terms, (long long) leaf->terms);
            sse += leaf->sse;
        }
        CHECK_INT(rows, 200);
        CHECK_INT(n, f.tree.n_leaves);
        CHECK(fabs(sse - f.tree.sse) <= 1e-12 * f.table.total);
    }
    close_fixture(&f);
}

/* SSE of a leaf by the rows themselves and the columns that its model has. */
static void check_omitting(const fixture *f, const evolve_data *d, int32_t at)
{
    const ct_model_node *leaf = &f->tree.nodes[at];
    ct_gmt_model_data fewer = d->data;
    uint32_t regressors[MOST_COLUMNS];
    uint8_t in[MOST_ROWS] = {0};
    double terms;
    fewer.regressors = regressors;
    fewer.n_regressors = 0;
    for (uint32_t k = 0; k < d->data.n_regressors; k++)
        if (!ct_is_omitted(leaf->omitted, k + 1))
            regressors[fewer.n_regressors++] = d->data.regressors[k];
    for (uint32_t i = leaf->begin; i < leaf->end; i++) in[f->tree.rows[i]] = 1;
    const double plain = plain_sse(&fewer, in, &terms);
    CHECK(fabs(plain - f->table.unit * leaf->sse) <= 1e-9 * f->table.unit * f->table.total);
    CHECK_INT((long long) terms, (long long) leaf->terms);
}

/* A leaf's model has the columns it is to have, and its halves have the same; a branch that is
 * lifted or copied keeps its own, a leaf in place of a branch has all. */
static void models_omit_columns(void)
{
    evolve_data *d = new_data(4, 300, 4, 0, 0, 0);
    fixture f;
    ct_rng rng = ct_rng_of(4, 8, 0);
    REQUIRE(open_fixture(&f, d, 16));
    ct_model_tree copy;
    REQUIRE_OK(ct_gmt_model_tree_init_as(&copy, &f.tree, &reason));
    uint32_t n_omitted = 0;
    for (int round = 0; round < (CHECK_QUICK() ? 20 : 100); round++) {
        int32_t leaves[CT_TREE_LEAVES];
        grow_by_hand(&f.tree, &rng, 2);
        uint32_t n = ct_gmt_model_tree_leaves(&f.tree, 0, leaves);
        ct_model_node *leaf = &f.tree.nodes[leaves[ct_rng_below(&rng, n)]];
        const int32_t above = leaf->parent;
        leaf->omitted[0] |= UINT64_C(2) << ct_rng_below(&rng, 4);
        if (round % 3 == 1 && above >= 0) {
            ct_gmt_model_tree_collapse(&f.tree, above);
            CHECK(f.tree.nodes[above].omitted[0] == 0);
        }
        if (round % 3 == 2 && above >= 0) {
            const int32_t kept = f.tree.nodes[above].left;
            const uint64_t omitted = f.tree.nodes[kept].omitted[0];
            ct_gmt_model_tree_lift(&f.tree, above, kept);
            CHECK(f.tree.nodes[above].omitted[0] == omitted);
        }
        refresh(&f.tree, 0, 8, 4);
        n = ct_gmt_model_tree_leaves(&f.tree, 0, leaves);
        for (uint32_t k = 0; k < n; k++) {
            check_omitting(&f, d, leaves[k]);
            n_omitted += f.tree.nodes[leaves[k]].omitted[0] != 0;
        }
        ct_gmt_model_tree_collapse(&copy, 0);
        CHECK(ct_gmt_model_tree_graft(&copy, 0, &f.tree, 0));
        refresh(&copy, 0, 8, 4);
        CHECK(copy.sse == f.tree.sse && copy.terms == f.tree.terms);
    }
    CHECK(n_omitted > (CHECK_QUICK() ? 8 : 40));
    ct_gmt_model_tree_free(&copy);
    close_fixture(&f);
}

/* The matrix of a node is the sum of its rows, and those of a leaf rise. */
static void check_sums(const ct_model_tree *tree, int32_t at)
{
    const ct_model_node *node = &tree->nodes[at];
    const double *gram = tree->grams + (size_t) at * tree->table->size;
    uint32_t p = tree->table->p;
    for (uint32_t i = 0; i < p; i++)
        for (uint32_t j = 0; j <= i; j++) {
            long double sum = 0, size = 0;
            for (uint32_t k = node->begin; k < node->end; k++) {
                const double *z = tree->table->z + tree->rows[k] * tree->table->width;
                sum += (long double) z[i] * z[j];
                size += fabsl((long double) z[i] * z[j]);
            }
            CHECK(fabsl(sum - gram[ct_gram_row(i) + j]) <= 1e-12L * size);
        }
    for (uint32_t k = node->begin + 1; ct_gmt_is_leaf(tree, at) && k < node->end; k++)
        REQUIRE(tree->rows[k - 1] < tree->rows[k]);
}

/* Many rows are parted, sent down and summed in pieces: none is lost, and the sums are those of all
 * rows, whoever makes them. */
static void pieces_are_all_rows(void)
{
    evolve_data *d = new_planes(140000);
    fixture f;
    ct_split_scratch *scratch[3];
    REQUIRE(open_fixture(&f, d, 32));
    for (int i = 0; i < 3; i++)
        REQUIRE((scratch[i] = i ? ct_gmt_split_scratch_new(&f.table, 8) : f.scratch) != NULL);
    const ct_gmt_test test = {0, 100000, {0}, 0}, below = {1, 70000, {0}, 0};
    f.tree.threads = 3;
    check_sums(&f.tree, 0);
    REQUIRE(ct_gmt_model_tree_expand(&f.tree, 0, &test));
    REQUIRE(ct_gmt_model_tree_expand(&f.tree, f.tree.nodes[0].left, &below));
    refresh(&f.tree, 0, 1, 4);
    for (int32_t at = 0; at < 5; at++) check_sums(&f.tree, at);
    const ct_model_node *left = &f.tree.nodes[f.tree.nodes[0].left];
    CHECK(left->end >= 100000 && left->end < 100100); /* some values are equal */
    for (uint32_t k = 0; k < 140000; k++)
        CHECK(ct_gmt_goes_left(&f.table, &test, f.tree.rows[k]) == (k < left->end));
    ct_gmt_split_options options = {1, 2, 0.5, -1, 0, 0};
    ct_gmt_split_result first, again;
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        f.tree.threads = threads;
        REQUIRE_OK(ct_gmt_split_search(&f.tree, 0, INFINITY, &options, scratch, threads, threads ==
                                       1 ? &first : &again, &reason));
    }
    CHECK(!memcmp(&first.best.test, &again.best.test, sizeof first.best.test));
    CHECK(first.best.sse == again.best.sse && first.kept[0].sse == again.kept[0].sse &&
          first.kept[1].sse == again.kept[1].sse);
    REQUIRE(first.best.test.splitter >= 0);
    f.tree.nodes[0].test = first.best.test;
    refresh(&f.tree, 0, 1, 4);
    CHECK(fabs(f.tree.sse - first.best.sse) <= 1e-9 * f.table.total);
    for (int i = 1; i < 3; i++) ct_gmt_split_scratch_free(scratch[i]);
    close_fixture(&f);
}

/* A random change, the same in both trees of one shape. */
static void change_both(ct_model_tree *rows, ct_model_tree *sums_only, ct_rng *rng)
{
    ct_model_tree *both[2] = {rows, sums_only};
    int32_t node = ct_gmt_random_node(rows,
                                      ct_rng_below(rng, 3) ? ct_gmt_any_leaf : ct_gmt_any_split,
                                      rng);
    ct_gmt_test test;
    uint32_t kind = ct_rng_below(rng, 3);
    if (node == CT_NO_NODE || !ct_gmt_random_test(rows, &rows->nodes[node], rng, &test)) return;
    for (int k = 0; k < 2; k++) {
        ct_model_node *at = &both[k]->nodes[node];
        if (ct_gmt_is_leaf(both[k], node)) ct_gmt_model_tree_expand(both[k], node, &test);
        else if (kind == 0) ct_gmt_model_tree_lift(both[k], node, at->left);
        else at->test = test;
    }
}

/* What cells say of a tree against a tree of the same tests that has its rows. */
static void compare_trees(const ct_kd_tree *kd, const ct_model_tree *rows,
                          const ct_model_tree *sums_only, ct_node_rows *found)
{
    CHECK_INT(rows->n_leaves, sums_only->n_leaves);
    CHECK(fabs(rows->sse - sums_only->sse) <= 1e-10 * kd->table.total);
    for (uint32_t i = 0; i < rows->room; i++) {
        const ct_model_node *a = &rows->nodes[i], *b = &sums_only->nodes[i];
        CHECK_INT(a->used, b->used);
        if (!a->used || !b->used) continue;
        CHECK_INT(a->left, b->left);
        CHECK_INT(a->depth, b->depth);
        CHECK_INT(a->end - a->begin, b->end - b->begin);
        CHECK(fabs(a->sse - b->sse) <= 1e-10 * kd->table.total);
        ct_gmt_node_rows_find(found, kd, sums_only, (int32_t) i);
        REQUIRE(found->n_rows == a->end - a->begin);
        uint8_t in[MOST_ROWS] = {0};
        for (uint32_t k = a->begin; k < a->end; k++) in[rows->rows[k]] = 1;
        for (uint32_t k = 0; k < found->n_rows; k++) {
            uint32_t row = ct_gmt_node_rows_at(found, k);
            CHECK(in[row] && (k == 0 || row > ct_gmt_node_rows_at(found, k - 1)));
        }
    }
}

static void kd_trees_have_the_sums(check_rng *r, uint32_t seed)
{
    /* ties, a factor, missing values; cells that do not know one of the splitters; one tile and
     * several; more rows in a point than in a tile */
    const uint32_t n = seed % 2 ? 700 : 5000, values = seed == 2 ? 2 : seed % 3 ? 0 : 20;
    evolve_data *d = new_data(seed, n, 3, values, seed % 2 ? 5 : 0, seed % 4);
    const uint8_t along[4] = {1, seed % 3 == 0, seed != 2, 1};
    ct_rng rng = ct_rng_of(seed, 12, 0);
    ct_kd_tree kd;
    ct_model_table table;
    ct_model_tree rows, sums_only;
    ct_node_rows found;
    const ct_gram_kernels *kernels = ct_gram_at(CT_SIMD_SCALAR);
    REQUIRE(open_table(d, 16, &table));
    REQUIRE_OK(ct_gmt_kd_init(&kd, &table, kernels, along, &reason));
    REQUIRE_OK(ct_gmt_kd_model_tree(&kd, &sums_only, 9, &reason));
    REQUIRE_OK(ct_gmt_model_tree_init(&rows, &kd.table, kernels, 9, 1, &reason));
    REQUIRE_OK(ct_gmt_node_rows_init(&found, n, &reason));
    CHECK(kd.n > (seed == 2 ? 4 : 20));
    for (int round = 0; round < 30; round++) {
        change_both(&rows, &sums_only, &rng);
        uint32_t minbucket = round % 4 ? 3 : 60, depth_max = round % 5 ? 5 : 2;
        ct_tree_limits limits = {9, depth_max, minbucket, 1, round % 3 ? 0 : 200};
        ct_gmt_model_tree_refresh(&rows, 0, &limits);
        ct_gmt_kd_refresh(&kd, &sums_only, 0, &limits);
        compare_trees(&kd, &rows, &sums_only, &found);
    }
    ct_gmt_node_rows_free(&found);
    ct_gmt_model_tree_free(&rows), ct_gmt_model_tree_free(&sums_only);
    ct_gmt_kd_free(&kd);
}

/* ---- mutations of the evolution ---- */

static int same_test(const ct_gmt_test *a, const ct_gmt_test *b)
{
    return a->splitter == b->splitter && a->cut == b->cut &&
           !memcmp(a->levels, b->levels, sizeof a->levels) && a->missing_left == b->missing_left;
}

static ct_tree_steps no_steps(ct_model_tree *tree)
{
    ct_tree_steps steps;
    memset(&steps, 0, sizeof steps);
    steps.query.tree = tree;
    steps.query.node = CT_NO_NODE;
    return steps;
}

typedef struct {
    evolve_data *data;
    ct_model_table table;
    ct_kd_tree kd;
    ct_node_rows rows;
} mutation_data;

static const ct_tree_limits mutation_limits = {8, 5, 3, 1, 0};

static void mutation_begin(mutation_data *d)
{
    const uint8_t along[4] = {1, 1, 1, 1};
    d->data = new_data(3, 400, 3, 0, 0, 0);
    REQUIRE(open_table(d->data, 16, &d->table));
    REQUIRE_OK(ct_gmt_kd_init(&d->kd, &d->table, ct_gram_at(CT_SIMD_SCALAR), along, &reason));
    REQUIRE_OK(ct_gmt_node_rows_init(&d->rows, 400, &reason));
}

static void mutation_end(mutation_data *d)
{
    ct_gmt_node_rows_free(&d->rows);
    ct_gmt_kd_free(&d->kd);
}

/* One mutation, before the rows are brought into order. */
static ct_tree_steps mutate(ct_model_tree *tree, ct_rng rng)
{
    ct_tree_steps steps = no_steps(tree);
    steps.rng = rng;
    steps.may_mutate = 1;
    ct_gmt_steps_go_on(&steps, &mutation_limits);
    return steps;
}

static void bring_into_order(ct_tree_steps *steps, mutation_data *d)
{
    while (steps->query.node != CT_NO_NODE) {
        ct_gmt_kd_answer(&d->kd, &steps->query, &d->rows);
        ct_gmt_steps_go_on(steps, &mutation_limits);
    }
}

/* Of two nodes that have changed their tests one is the parent of the other, and each has that of
 * the other. Returns whether there were two. */
static int check_mutation(ct_model_tree *tree, mutation_data *d, ct_rng rng)
{
    ct_model_node before[2 * CT_TREE_LEAVES];
    int32_t changed[2] = {CT_NO_NODE, CT_NO_NODE};
    uint32_t n = 0;
    const uint32_t n_leaves = tree->n_leaves;
    memcpy(before, tree->nodes, tree->room * sizeof *before);
    ct_tree_steps steps = mutate(tree, rng);
    for (uint32_t i = 0; n_leaves == tree->n_leaves && i < tree->room; i++)
        if (before[i].used && before[i].left != CT_NO_NODE &&
            !same_test(&before[i].test, &tree->nodes[i].test)) {
            if (n < 2) changed[n] = (int32_t) i;
            n++;
        }
    CHECK(n <= 2);
    if (n == 2) {
        const ct_model_node *now = tree->nodes;
        CHECK(now[changed[0]].parent == changed[1] || now[changed[1]].parent == changed[0]);
        for (int i = 0; i < 2; i++)
            CHECK(same_test(&now[changed[i]].test, &before[changed[1 - i]].test));
    }
    bring_into_order(&steps, d);
    return n == 2;
}

static void parents_and_children_exchange(void)
{
    mutation_data d;
    ct_model_tree tree;
    int exchanged = 0;
    mutation_begin(&d);
    REQUIRE_OK(ct_gmt_kd_model_tree(&d.kd, &tree, 9, &reason));
    REQUIRE(tree.room <= 2 * CT_TREE_LEAVES);
    for (uint32_t i = 0; i < 2000; i++)
        exchanged += check_mutation(&tree, &d, ct_rng_of(i, 5, 0));
    CHECK(exchanged > 20);
    ct_gmt_model_tree_free(&tree);
    mutation_end(&d);
}

/* The node whose test is not what it was; CT_NO_NODE if none or more than one is. */
static int32_t changed_node(const ct_model_tree *tree, const ct_model_node *before)
{
    int32_t changed = CT_NO_NODE;
    for (uint32_t i = 0; i < tree->room; i++) {
        if (before[i].used != tree->nodes[i].used) return CT_NO_NODE;
        if (!before[i].used || same_test(&before[i].test, &tree->nodes[i].test)) continue;
        if (changed != CT_NO_NODE) return CT_NO_NODE;
        changed = (int32_t) i;
    }
    return changed;
}

/* Two mutated trees are crossed, and are then what they were. Whether one test of each changed:
 * each is then that of the other. */
static int check_crossing(const ct_model_tree *trees, ct_rng rng)
{
    ct_model_node before[2][2 * CT_TREE_LEAVES], scratch[4 * CT_TREE_LEAVES];
    ct_model_tree now[2] = {trees[0], trees[1]};
    ct_tree_steps steps[2] = {no_steps(&now[0]), no_steps(&now[1])};
    int32_t changed[2];
    for (int i = 0; i < 2; i++) memcpy(before[i], now[i].nodes, now[i].room * sizeof *before[i]);
    ct_gmt_cross_trees(&steps[0], &steps[1], 9, scratch, &rng);
    for (int i = 0; i < 2; i++) changed[i] = changed_node(&now[i], before[i]);
    const int exchanged = changed[0] != CT_NO_NODE && changed[1] != CT_NO_NODE;
    for (int i = 0; exchanged && i < 2; i++)
        CHECK(same_test(&now[i].nodes[changed[i]].test, &before[1 - i][changed[1 - i]].test));
    for (int i = 0; i < 2; i++) memcpy(now[i].nodes, before[i], now[i].room * sizeof *before[i]);
    return exchanged;
}

static void two_trees_exchange(void)
{
    mutation_data d;
    ct_model_tree trees[2];
    int exchanged = 0;
    mutation_begin(&d);
    for (uint32_t i = 0; i < 2; i++) {
        REQUIRE_OK(ct_gmt_kd_model_tree(&d.kd, &trees[i], 9, &reason));
        REQUIRE(trees[i].room <= 2 * CT_TREE_LEAVES);
        for (uint32_t k = 0; k < 40; k++) {
            ct_tree_steps steps = mutate(&trees[i], ct_rng_of(k, 5 + i, 0));
            bring_into_order(&steps, &d);
        }
    }
    for (uint32_t k = 0; k < 2000; k++) exchanged += check_crossing(trees, ct_rng_of(k, 7, 0));
    CHECK(exchanged > 100);
    for (int i = 0; i < 2; i++) ct_gmt_model_tree_free(&trees[i]);
    mutation_end(&d);
}

/* Kernels of every instruction set, to the last bit, for all numbers of columns. */
static void kernels_agree(void)
{
    const ct_gram_kernels *plain = ct_gram_at(CT_SIMD_SCALAR);
    for (int level = 0; level < CT_N_SIMD; level++) {
        if (!ct_cpu_has((ct_simd) level)) continue;
        const ct_gram_kernels *kernels = ct_gram_at((ct_simd) level);
        for (uint32_t p = 2; p < 20; p++) {
            static double z[64 * 20], a[3 * 256], b[3 * 256], s[2][256 * CT_GRAM_LANES];
            uint32_t bucket[64], rows[64];
            double sse[2][CT_GRAM_LANES], terms[2][CT_GRAM_LANES];
            ct_rng rng = ct_rng_of(p, 5, 0);
            size_t width = ct_gram_width(p), size = ct_gram_size(p);
            REQUIRE(size <= 256);
            memset(z, 0, sizeof z), memset(a, 0, sizeof a), memset(b, 0, sizeof b);
            for (uint32_t i = 0; i < 64; i++) {
                bucket[i] = ct_rng_below(&rng, 3);
                rows[i] = 63 - i;
                for (uint32_t k = 0; k < p; k++) z[i * width + k] = uniform(&rng) - 0.5;
                if (p > 3) /* one is aliased */
                    z[i * width + 2] = 0.3 * z[i * width + 1] + 0.7 * z[i * width];
            }
            plain->add(a, bucket, z, rows, 64, p);
            kernels->add(b, bucket, z, rows, 64, p);
            for (size_t i = 0; i < p; i++)
                for (size_t k = 0; k < 3; k++)
                    CHECK(!memcmp(a + k * size + ct_gram_row(i), b + k * size + ct_gram_row(i),
                                  (i + 1) * sizeof *a));
            double all[2][256] = {{0}};
            const uint32_t same[64] = {0};
            plain->add(all[0], same, z, rows, 64, p);
            kernels->sum(all[1], z, rows, 64, p);
            for (size_t i = 0; i < p; i++)
                CHECK(!memcmp(all[0] + ct_gram_row(i), all[1] + ct_gram_row(i),
                              (i + 1) * sizeof(double)));
            for (int t = 0; t < 2; t++)
                for (size_t i = 0; i < size; i++)
                    for (unsigned lane = 0; lane < CT_GRAM_LANES; lane++)
                        s[t][i * CT_GRAM_LANES + lane] = a[lane % 3 * size + i] * (lane + 1);
            double joined[2][256 * CT_GRAM_LANES], copied[2][256 * CT_GRAM_LANES];
            memcpy(joined, s, sizeof joined);
            plain->join_lanes(joined[0], s[0], copied[0], p);
            kernels->join_lanes(joined[1], s[1], copied[1], p);
            plain->pivots(s[0], p, sse[0], terms[0]);
            kernels->pivots(s[1], p, sse[1], terms[1]);
            CHECK(!memcmp(sse[0], sse[1], sizeof sse[0]));
            CHECK(!memcmp(terms[0], terms[1], sizeof terms[0]));
            CHECK(terms[0][0] == (p > 3 ? p - 2 : p - 1));
            kernels->join(b, b + size, p);
            for (size_t i = 0; i < p; i++)
                for (size_t k = 0; k <= i; k++) {
                    const size_t at = ct_gram_row(i) + k, first = at * CT_GRAM_LANES;
                    CHECK(b[at] == a[at] + a[size + at]);
                    CHECK(!memcmp(joined[0] + first, joined[1] + first, 8 * CT_GRAM_LANES));
                    CHECK(!memcmp(joined[0] + first, copied[1] + first, 8 * CT_GRAM_LANES));
                    CHECK(joined[1][first + 1] == 4 * a[size + at]);
                }
        }
    }
}

static const check_case cases[] = {
    {"split searches equal brute force", EACH(searches_are_exact, 0, 20, 6, 6)},
    {"splits below the root too", EACH(splits_below_are_exact, 0, 6, 6, 6)},
    {"some rows rule splitters out", some_rows_rule_out},
    {"runs of equal values are opened", runs_are_opened},
    {"sets of levels with small splits below", EACH(small_splits_of_sets, 0, 30, 12, 12)},
    {"small leaves are not offered", small_leaves_are_not_offered},
    {"sets of levels have sides", sets_have_sides},
    {"bounds of bins hold", EACH(bounds_hold, 0, 24, 4, 4), some_bounds_are_tight},
    {"sums are of the rows", sums_are_of_the_rows},
    {"models omit columns", models_omit_columns},
    {"pieces are all rows", pieces_are_all_rows},
    {"k-d trees have the sums", EACH(kd_trees_have_the_sums, 0, 8, 3, 3)},
    {"parents and children exchange their tests", parents_and_children_exchange},
    {"two trees exchange their tests", two_trees_exchange},
    {"kernels agree", kernels_agree},
};

CHECK_MAIN(cases)
