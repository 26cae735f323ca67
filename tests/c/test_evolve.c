/* Model trees: sums, line searches and local searches against plain loops on small data. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check.h"
#include "evolve/gmt.h"

enum { MOST_ROWS = 3000, MOST_COLUMNS = 6 };

/* ---- data ---- */

typedef struct {
    double x[MOST_COLUMNS][MOST_ROWS], y[MOST_ROWS], weights[MOST_ROWS];
    int32_t codes[MOST_ROWS];
    ct_column columns[MOST_COLUMNS + 1];
    uint32_t regressors[MOST_COLUMNS], splitters[MOST_COLUMNS + 1], n_levels[MOST_COLUMNS + 1];
    ct_model_data data;
} evolve_data;

static double uniform(ct_rng *rng) { return (ct_rng_next(rng) + 0.5) / 4294967296.0; }

/* `values`: how many different ones a column has, so that there are ties; 0: all differ. `levels`:
 * of a factor as the last splitter. `holes`: in how many of 8 rows a splitter has no value. */
static evolve_data *new_data(uint32_t seed, uint32_t n, uint32_t q, uint32_t values,
                             uint32_t levels, uint32_t holes)
{
    evolve_data *d = (evolve_data *) calloc(1, sizeof *d);
    ct_rng rng = ct_rng_of(seed, 99, 0);
    for (uint32_t row = 0; row < n; row++) {
        d->codes[row] = levels ? 1 + (int32_t) ct_rng_below(&rng, levels) : 1;
        for (uint32_t k = 0; k < q; k++)
            d->x[k][row] = values ? ct_rng_below(&rng, values) : 5 * uniform(&rng);
        double a = d->x[0][row], b = q > 1 ? d->x[1][row] : 0;
        d->y[row] = (a < 2 ? a + b : 3 - 2 * a) + 0.5 * (d->codes[row] % 3) + 0.3 * uniform(&rng);
        d->weights[row] = 0.5 + uniform(&rng);
        /* the last column has holes as a splitter and is no regressor then */
        if (holes && ct_rng_below(&rng, 8) < holes) d->x[q - 1][row] = NAN;
    }
    for (uint32_t k = 0; k < q; k++) {
        d->columns[k].values = d->x[k];
        d->columns[k].type = CT_DOUBLE;
        d->regressors[k] = d->splitters[k] = k;
    }
    d->columns[q].values = d->codes;
    d->columns[q].type = CT_INT32;
    d->splitters[q] = q;
    d->n_levels[q] = levels;
    d->data = (ct_model_data){n,
                              q + 1,
                              d->columns,
                              holes ? q - 1 : q,
                              d->regressors,
                              levels ? q + 1 : q,
                              d->splitters,
                              d->n_levels,
                              d->y,
                              NULL};
    return d;
}

static ct_gmt_options default_options(void)
{
    ct_gmt_options o;
    memset(&o, 0, sizeof o);
    o.limits = (ct_tree_limits){16, 6, 6, 1};
    o.bins = 16;
    o.effort = 12;
    o.patience = 12;
    o.max_rows = INFINITY;
    o.sample = 20000;
    o.open_max = 2;
    o.seed = 1;
    o.threads = 1;
    o.simd = CT_SIMD_SCALAR;
    o.time_limit = INFINITY;
    return o;
}

/* ---- second opinions ---- */

/* SSE of the rows with `in`, by Householder on the rows themselves, as one node's model. */
static double plain_sse(const ct_model_data *data, const uint8_t *in, double *terms)
{
    ct_model_data part = *data;
    static double x[MOST_COLUMNS][MOST_ROWS], y[MOST_ROWS], weights[MOST_ROWS];
    ct_column columns[MOST_COLUMNS];
    uint32_t regressors[MOST_COLUMNS], zero = 0, n = 0;
    int32_t where[MOST_ROWS] = {0};
    for (uint32_t row = 0; row < data->n_rows; row++) {
        if (!in[row]) continue;
        for (uint32_t k = 0; k < data->n_regressors; k++)
            x[k][n] = ct_column_value(&data->columns[data->regressors[k]], row);
        if (data->weights) weights[n] = data->weights[row];
        y[n++] = data->response[row];
    }
    for (uint32_t k = 0; k < data->n_regressors; k++) {
        columns[k].values = x[k];
        columns[k].type = CT_DOUBLE;
        regressors[k] = k;
    }
    part.n_rows = n;
    part.columns = columns;
    part.regressors = regressors;
    part.response = y;
    part.weights = data->weights ? weights : NULL;
    ct_node_models models;
    ct_error error;
    *terms = 0;
    if (!n) return 0;
    CHECK(ct_node_models_fit(&models, &part, 1, &zero, &zero, where, 1, &error) == CT_OK);
    double sse = models.deviance[0];
    *terms = models.rank[0];
    ct_node_models_free(&models);
    return sse;
}

typedef struct {
    double cost;
    uint32_t n_tried;
} plain_best;

/* Where a row goes by a test that is given in values. */
static int plain_left(const evolve_data *d, uint32_t s, double threshold, uint32_t set,
                      int missing_left, uint32_t row)
{
    const ct_column *column = &d->data.columns[d->data.splitters[s]];
    if (ct_column_missing(column, row)) return missing_left;
    double x = ct_column_value(column, row);
    return d->data.n_levels[s] ? (int) (set >> ((uint32_t) x - 1) & 1) : x < threshold;
}

/* The cost of a test at the root, above the leaves of both its subtrees, whose rows `leaf` tells:
 * [side][row]. INFINITY if a leaf has too few rows. */
static double cost_of_test(const evolve_data *d, const uint8_t *left, uint8_t *const *leaf,
                           const uint32_t *n_leaves, const ct_line_options *o)
{
    uint8_t in[MOST_ROWS];
    double cost = o->lambda * (n_leaves[0] + n_leaves[1] - 1);
    for (int side = 0; side < 2; side++)
        for (uint32_t k = 0; k < n_leaves[side]; k++) {
            uint32_t n = 0;
            double terms;
            for (uint32_t row = 0; row < d->data.n_rows; row++)
                n += in[row] = (left[row] != 0) == (side == 0) && leaf[side][row] == k;
            if (n < o->minbucket) return INFINITY;
            cost += plain_sse(&d->data, in, &terms);
            cost += o->lambda * terms;
        }
    return cost;
}

static void try_test(const evolve_data *d, uint32_t s, double threshold, uint32_t set,
                     uint8_t *const *leaf, const uint32_t *n_leaves, const ct_line_options *o,
                     plain_best *best)
{
    uint8_t left[MOST_ROWS];
    for (int missing_left = 0; missing_left < 2; missing_left++) {
        for (uint32_t row = 0; row < d->data.n_rows; row++)
            left[row] = (uint8_t) plain_left(d, s, threshold, set, missing_left, row);
        double cost = cost_of_test(d, left, leaf, n_leaves, o);
        best->n_tried++;
        if (cost < best->cost) best->cost = cost;
    }
}

/* All thresholds and sets of all splitters, at the root of a tree. */
static double brute_line(const evolve_data *d, uint8_t *const *leaf, const uint32_t *n_leaves,
                         const ct_line_options *o)
{
    plain_best best = {INFINITY, 0};
    for (uint32_t s = 0; s < d->data.n_splitters; s++) {
        uint32_t n_levels = d->data.n_levels[s];
        for (uint32_t set = 1; n_levels && set + 1 < 1u << n_levels; set++)
            try_test(d, s, 0, set, leaf, n_leaves, o, &best);
        const ct_column *column = &d->data.columns[d->data.splitters[s]];
        for (uint32_t row = 0; !n_levels && row < d->data.n_rows; row++)
            if (!ct_column_missing(column, row))
                try_test(d, s, ct_column_value(column, row), 0, leaf, n_leaves, o, &best);
        if (!n_levels) try_test(d, s, INFINITY, 0, leaf, n_leaves, o, &best);
    }
    return best.cost;
}

/* ---- cases ---- */

/* A tree on the table of `d`: the root split on the first column, and both its children. */
typedef struct {
    ct_model_table table;
    ct_model_tree tree;
    ct_line_scratch *scratch;
} fixture;

static int open_fixture(fixture *f, const evolve_data *d, uint32_t bins)
{
    ct_error error;
    return ct_model_table_init(&f->table, &d->data, bins, 1, &error) == CT_OK &&
           ct_model_tree_init(&f->tree, &f->table, ct_gram_at(CT_SIMD_SCALAR), 8, &error) ==
               CT_OK &&
           (f->scratch = ct_line_scratch_new(&f->table, 8)) != NULL;
}

static void close_fixture(fixture *f)
{
    ct_line_scratch_free(f->scratch);
    ct_model_tree_free(&f->tree);
    ct_model_table_free(&f->table);
}

static void grow_by_hand(ct_model_tree *tree, ct_rng *rng, uint32_t n_splits)
{
    for (uint32_t i = 0; i < n_splits; i++) {
        int32_t leaves[CT_TREE_LEAVES];
        uint32_t n = ct_model_tree_leaves(tree, 0, leaves);
        ct_test test = {0, 0, {0}, 0};
        uint32_t span = tree->table->splitters[0].n_ranks;
        test.cut = span / 4 + ct_rng_below(rng, span / 2 + 1);
        ct_model_tree_expand(tree, leaves[ct_rng_below(rng, n)], &test);
        ct_model_tree_refresh(tree, 0, 1, 16);
    }
}

/* The leaf that each row would come to below a child of the root. */
static uint32_t plain_leaves(const ct_model_tree *tree, int32_t child, uint8_t *leaf)
{
    int32_t leaves[CT_TREE_LEAVES];
    uint32_t n = ct_model_tree_leaves(tree, child, leaves);
    for (uint32_t row = 0; row < tree->table->n_rows; row++) {
        int32_t at = child;
        while (!ct_is_leaf(tree, at))
            at = ct_goes_left(tree->table, &tree->nodes[at].test, row) ? tree->nodes[at].left
                                                                       : tree->nodes[at].right;
        for (uint32_t k = 0; k < n; k++)
            if (leaves[k] == at) leaf[row] = (uint8_t) k;
    }
    return n;
}

static void check_line(uint32_t seed, const evolve_data *d, uint32_t n_splits, uint32_t bins)
{
    fixture f;
    static uint8_t sides[2][MOST_ROWS];
    uint8_t *leaf[2] = {sides[0], sides[1]};
    uint32_t n_leaves[2] = {1, 1};
    ct_line_answer answer;
    ct_error error;
    ct_rng rng = ct_rng_of(seed, 7, 0);
    memset(sides, 0, sizeof sides);
    REQUIRE(open_fixture(&f, d, bins));
    ct_line_options o = {3, UINT32_MAX, 0.02 * f.tree.sse * f.table.unit / d->data.n_rows, -1};
    grow_by_hand(&f.tree, &rng, n_splits);
    if (!ct_is_leaf(&f.tree, 0))
        for (int side = 0; side < 2; side++) {
            int32_t child = side ? f.tree.nodes[0].right : f.tree.nodes[0].left;
            n_leaves[side] = plain_leaves(&f.tree, child, sides[side]);
        }
    double expected = brute_line(d, leaf, n_leaves, &o), unit = f.table.unit;
    o.lambda /= unit; /* of the scaled response */
    REQUIRE(ct_line_search(&f.tree, 0, INFINITY, &o, &f.scratch, 1, &answer, &error) == CT_OK);
    if (isinf(expected)) {
        CHECK(answer.best.test.splitter < 0);
    } else {
        double found = unit * (answer.best.sse + o.lambda * answer.best.terms);
        REQUIRE(answer.best.test.splitter >= 0);
        CHECK(fabs(found - expected) <= 1e-9 * unit * f.table.total);
        /* and the tree with it costs that */
        if (ct_is_leaf(&f.tree, 0)) ct_model_tree_expand(&f.tree, 0, &answer.best.test);
        else f.tree.nodes[0].test = answer.best.test;
        ct_model_tree_refresh(&f.tree, 0, 1, 16);
        CHECK(fabs(f.tree.sse - answer.best.sse) <= 1e-10 * f.table.total);
    }
    close_fixture(&f);
}

static void lines_are_exact(void)
{
    for (uint32_t seed = 0; seed < (CHECK_QUICK() ? 6 : 20); seed++) {
        evolve_data *d = new_data(seed, 30 + seed % 20, 1 + seed % 3, seed % 4 == 1 ? 5 : 0,
                                  seed % 3 == 2 ? 2 + seed % 5 : 0, seed % 5 == 3 ? 2 : 0);
        if (seed % 2) d->data.weights = d->weights;
        check_line(seed, d, seed % 4, 2 + seed % 7);
        free(d);
    }
}

/* A long run of one value, and the best threshold right below it, so many rows above the start of
 * the bin that parts of even size would end within the run. */
static void runs_are_opened(void)
{
    for (uint32_t above = 0; above < 4; above++) {
        evolve_data *d = new_data(5, 400, 1, 0, 0, 0);
        for (uint32_t row = 0; row < 400; row++) {
            if (row < above) d->x[0][row] = 5;
            if (row >= 100 && row < 330) d->x[0][row] = row < 250 ? 1.5 : 2.25;
            d->y[row] = (d->x[0][row] < 1.5 ? 1 : -1) + 0.01 * d->x[0][row];
        }
        check_line(1, d, 0, 2);
        free(d);
    }
}

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
        uint32_t n = ct_model_tree_leaves(&f.tree, 0, leaves);
        int32_t at = f.tree.nodes[leaves[ct_rng_below(&rng, n)]].parent;
        if (round % 3 == 1 && at >= 0) ct_model_tree_collapse(&f.tree, at);
        if (round % 3 == 2 && at >= 0) ct_model_tree_lift(&f.tree, at, f.tree.nodes[at].left);
        if (at >= 0) ct_model_tree_refresh(&f.tree, at, 2, 4);
        uint32_t deepest = round % 5 ? 4 : 2;
        ct_model_tree_refresh(&f.tree, 0, 2, deepest);
        double sse = 0;
        n = ct_model_tree_leaves(&f.tree, 0, leaves);
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
    free(d);
}

/* No other test at any node of a certified tree lowers its cost: tried one by one. */
static void certificates_hold(void)
{
    for (uint32_t seed = 0; seed < (CHECK_QUICK() ? 2 : 6); seed++) {
        evolve_data *d = new_data(40 + seed, 60, 2, seed % 2 ? 8 : 0, seed % 3 ? 0 : 4, 0);
        ct_gmt_options o = default_options();
        ct_gmt gmt;
        ct_error error;
        static uint8_t sides[2][MOST_ROWS];
        uint8_t *leaf[2] = {sides[0], sides[1]};
        REQUIRE(ct_gmt_fit(&d->data, &o, &gmt, &error) == CT_OK);
        CHECK(gmt.certified);
        double now = 0;
        uint32_t n_leaves[2] = {0, 0}, right = gmt.forest.right[0];
        for (uint32_t i = 0; i < gmt.forest.n_nodes; i++)
            if (!gmt.forest.left[i])
                now += gmt.models.deviance[i] + gmt.lambda * (gmt.models.rank[i] + 1);
        now -= gmt.lambda;
        if (right) {
            /* the root's test, with the subtrees as they are; its children's leaves by routing */
            for (uint32_t row = 0; row < 60; row++)
                for (int side = 0; side < 2; side++) {
                    uint32_t at = side ? right : 1, begin = at;
                    while (gmt.forest.left[at]) {
                        const ct_column *c = &d->data.columns[gmt.forest.feature[at]];
                        double x = ct_column_value(c, row);
                        int left = gmt.forest.n_levels[at]
                                       ? gmt.forest.levels_left[at][(uint32_t) x - 1]
                                       : x < gmt.forest.threshold[at];
                        at = left ? gmt.forest.left[at] : gmt.forest.right[at];
                    }
                    uint32_t number = 0;
                    for (uint32_t i = begin; i < at; i++) number += !gmt.forest.left[i];
                    sides[side][row] = (uint8_t) number;
                    if (number + 1 > n_leaves[side]) n_leaves[side] = number + 1;
                }
            for (uint32_t i = 0, n = 0; i < gmt.forest.n_nodes; i++) {
                n += !gmt.forest.left[i];
                if (i + 1 == right) n_leaves[0] = n;
                if (i + 1 == gmt.forest.n_nodes) n_leaves[1] = n - n_leaves[0];
            }
        } else {
            memset(sides, 0, sizeof sides);
            n_leaves[0] = n_leaves[1] = 1;
        }
        ct_line_options line = {o.limits.minbucket, UINT32_MAX, gmt.lambda, -1};
        CHECK(brute_line(d, leaf, n_leaves, &line) >= now - 1e-9 * gmt.models.deviance[0]);
        CHECK(gmt.models.deviance[0] + gmt.lambda * gmt.models.rank[0] >=
              now - 1e-9 * gmt.models.deviance[0]);
        ct_gmt_free(&gmt);
        free(d);
    }
}

static int same_trees(const ct_gmt *a, const ct_gmt *b, uint32_t n_rows)
{
    size_t n = a->forest.n_nodes;
    return n == b->forest.n_nodes && a->touched == b->touched && a->kicks == b->kicks &&
           !memcmp(a->forest.feature, b->forest.feature, n * sizeof *a->forest.feature) &&
           !memcmp(a->models.coefficients, b->models.coefficients,
                   n * a->models.p * sizeof(double)) &&
           !memcmp(a->where, b->where, n_rows * sizeof *a->where);
}

static void same_tree(void)
{
    evolve_data *d = new_data(21, CHECK_QUICK() ? 400 : 1500, 3, 0, 5, 1);
    ct_gmt_options o = default_options();
    ct_gmt first;
    ct_error error;
    o.sample = CHECK_QUICK() ? 300 : 1000;
    o.limits.leaves_max = 5; /* which moves under way exceed */
    REQUIRE(ct_gmt_fit(&d->data, &o, &first, &error) == CT_OK);
    CHECK(first.forest.n_nodes > 3);
    for (int kind = 0; kind < 2 + CT_N_SIMD; kind++) {
        ct_gmt again;
        o.threads = kind < 2 ? 2 + 5 * (unsigned) kind : 1;
        o.simd = kind < 2 ? CT_SIMD_SCALAR : (ct_simd) (kind - 2);
        if (!ct_cpu_has(o.simd)) continue;
        REQUIRE(ct_gmt_fit(&d->data, &o, &again, &error) == CT_OK);
        CHECK(same_trees(&first, &again, d->data.n_rows));
        ct_gmt_free(&again);
    }
    ct_gmt_free(&first);
    free(d);
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
            uint32_t bucket[64];
            double sse[2][CT_GRAM_LANES], terms[2][CT_GRAM_LANES];
            ct_rng rng = ct_rng_of(p, 5, 0);
            size_t width = ct_gram_width(p), size = ct_gram_size(p);
            REQUIRE(size <= 256);
            memset(z, 0, sizeof z), memset(a, 0, sizeof a), memset(b, 0, sizeof b);
            for (uint32_t i = 0; i < 64; i++) {
                bucket[i] = ct_rng_below(&rng, 3);
                for (uint32_t k = 0; k < p; k++) z[i * width + k] = uniform(&rng) - 0.5;
                if (p > 3) /* one is aliased */
                    z[i * width + 2] = 0.3 * z[i * width + 1] + 0.7 * z[i * width];
            }
            plain->add(a, bucket, z, 64, p);
            kernels->add(b, bucket, z, 64, p);
            for (size_t i = 0; i < p; i++)
                for (size_t k = 0; k < 3; k++)
                    CHECK(!memcmp(a + k * size + ct_gram_row(i), b + k * size + ct_gram_row(i),
                                  (i + 1) * sizeof *a));
            for (int t = 0; t < 2; t++)
                for (size_t i = 0; i < size; i++)
                    for (unsigned lane = 0; lane < CT_GRAM_LANES; lane++)
                        s[t][i * CT_GRAM_LANES + lane] = a[lane % 3 * size + i] * (lane + 1);
            plain->pivots(s[0], p, sse[0], terms[0]);
            kernels->pivots(s[1], p, sse[1], terms[1]);
            CHECK(!memcmp(sse[0], sse[1], sizeof sse[0]));
            CHECK(!memcmp(terms[0], terms[1], sizeof terms[0]));
            CHECK(terms[0][0] == (p > 3 ? p - 2 : p - 1));
        }
    }
}

static int stop_now(void *asked) { return ++*(int *) asked > 2; }

static void stops(void)
{
    evolve_data *d = new_data(9, 600, 2, 0, 0, 0);
    for (int kind = 0; kind < 3; kind++) {
        ct_gmt_options o = default_options();
        ct_gmt gmt;
        ct_error error;
        int asked = 0;
        o.effort = o.patience = kind == 2 ? 1000 : 1000000;
        if (kind == 0) o.time_limit = 0;
        if (kind == 1) o.stop = stop_now, o.calls = &asked;
        if (kind == 2) o.max_rows = 20000;
        REQUIRE(ct_gmt_fit(&d->data, &o, &gmt, &error) == CT_OK);
        CHECK_INT(gmt.end, kind == 0 ? CT_GMT_TIME : kind == 1 ? CT_GMT_INTERRUPTED : CT_GMT_ROWS);
        CHECK(kind == 2 || !gmt.certified);
        CHECK(gmt.forest.n_nodes % 2 == 1);
        ct_gmt_free(&gmt);
    }
    free(d);
}

/* No noise, and data without any information. */
static void odd_data(void)
{
    evolve_data *d = new_data(12, 300, 2, 0, 0, 0);
    ct_gmt_options o = default_options();
    ct_gmt gmt;
    ct_error error;
    for (uint32_t row = 0; row < 300; row++)
        d->y[row] = d->x[0][row] < 2 ? 1 + d->x[1][row] : 4 - 3 * d->x[0][row];
    REQUIRE(ct_gmt_fit(&d->data, &o, &gmt, &error) == CT_OK);
    CHECK_INT(gmt.forest.n_nodes, 3);
    CHECK(fabs(gmt.forest.threshold[0] - 2) < 0.1);
    CHECK(gmt.models.deviance[1] < 1e-20 && gmt.models.deviance[2] < 1e-20);
    ct_gmt_free(&gmt);
    for (uint32_t row = 0; row < 300; row++) d->y[row] = 3;
    REQUIRE(ct_gmt_fit(&d->data, &o, &gmt, &error) == CT_OK);
    CHECK_INT(gmt.forest.n_nodes, 1);
    CHECK(fabs(gmt.models.coefficients[0] - 3) < 1e-12);
    ct_gmt_free(&gmt);
    d->data.n_rows = 2; /* fewer rows than coefficients */
    d->y[0] = 1, d->y[1] = 2;
    REQUIRE(ct_gmt_fit(&d->data, &o, &gmt, &error) == CT_OK);
    CHECK_INT(gmt.models.rank[0], 2);
    CHECK_INT(gmt.models.aliased[2], 1);
    ct_gmt_free(&gmt);
    d->data.n_regressors = 0; /* constants in the leaves */
    d->data.n_rows = 300;
    for (uint32_t row = 0; row < 300; row++) d->y[row] = d->x[1][row] < 3 ? -1 : 2;
    REQUIRE(ct_gmt_fit(&d->data, &o, &gmt, &error) == CT_OK);
    CHECK_INT(gmt.forest.n_nodes, 3);
    CHECK(fabs(gmt.models.coefficients[1] + 1) < 1e-12);
    ct_gmt_free(&gmt);
    free(d);
}

static void refusals(void)
{
    evolve_data *d = new_data(13, 50, 2, 0, 3, 0);
    ct_gmt_options o = default_options();
    ct_gmt gmt;
    ct_error error;
    double x = d->x[0][4], y = d->y[2];
    d->x[0][4] = NAN;
    CHECK_INT(ct_gmt_fit(&d->data, &o, &gmt, &error), CT_BAD_INPUT);
    d->x[0][4] = x, d->y[2] = INFINITY;
    CHECK_INT(ct_gmt_fit(&d->data, &o, &gmt, &error), CT_BAD_INPUT);
    d->y[2] = y, d->codes[7] = 4;
    CHECK_INT(ct_gmt_fit(&d->data, &o, &gmt, &error), CT_BAD_INPUT);
    d->codes[7] = 1, d->weights[3] = 0, d->data.weights = d->weights;
    CHECK_INT(ct_gmt_fit(&d->data, &o, &gmt, &error), CT_BAD_INPUT);
    d->data.weights = NULL, o.bins = 1;
    CHECK_INT(ct_gmt_fit(&d->data, &o, &gmt, &error), CT_BAD_INPUT);
    free(d);
}

static void memory_ends(void)
{
    evolve_data *d = new_data(14, 80, 2, 0, 3, 0);
    ct_gmt_options o = default_options();
    int fine = 0;
    o.limits.leaves_max = 4;
    o.effort = 2;
    o.sample = 60;
    o.threads = 2;
    for (long after = 0; !fine && after < 2000; after += after < 40 ? 1 : 17) {
        ct_gmt gmt;
        ct_error error;
        ct_alloc_fail_after(after);
        ct_status status = ct_gmt_fit(&d->data, &o, &gmt, &error);
        ct_alloc_fail_for(-1, 0);
        CHECK(status == CT_OK || status == CT_NO_MEMORY);
        fine = status == CT_OK;
        ct_gmt_free(&gmt);
    }
    CHECK(fine);
    free(d);
}

static const check_case cases[] = {
    {"line searches equal brute force", lines_are_exact},
    {"runs of equal values are opened", runs_are_opened},
    {"sums are of the rows", sums_are_of_the_rows},
    {"certificates hold", certificates_hold},
    {"the same tree", same_tree},
    {"kernels agree", kernels_agree},
    {"stops", stops},
    {"odd data", odd_data},
    {"refusals", refusals},
    {"memory ends", memory_ends},
};

CHECK_MAIN(cases)
