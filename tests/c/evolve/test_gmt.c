/* Model trees: optimum searches, on small data against plain loops. */
#include "evolve_data.h"

/* ---- what a certificate says ---- */

/* A fitted tree, and one of its nodes with the rows it has as data of their own. */
typedef struct {
    const evolve_data *all;
    const ct_gmt *gmt;
    evolve_data *subset;
    uint32_t rows[MOST_ROWS]; /* of the subset, in the optimum */
} node_data;

static int goes_left(const node_data *n, uint32_t node, uint32_t row)
{
    const ct_forest *forest = &n->gmt->forest;
    const ct_column *column = &n->all->columns[forest->feature[node]];
    if (ct_column_missing(column, row)) return forest->default_left[node];
    double x = ct_column_value(column, row);
    return forest->n_levels[node] ? forest->levels_left[node][(uint32_t) x - 1]
                                  : x < forest->threshold[node];
}

static uint32_t leaf_below(const node_data *n, uint32_t node, uint32_t row)
{
    const ct_forest *forest = &n->gmt->forest;
    while (forest->left[node])
        node = goes_left(n, node, row) ? forest->left[node] : forest->right[node];
    return node;
}

static uint32_t last_below(const ct_forest *forest, uint32_t node)
{
    while (forest->left[node]) node = forest->right[node];
    return node;
}

/* The rows of a node, as data. */
static void take_rows(node_data *n, uint32_t node)
{
    const evolve_data *all = n->all;
    evolve_data *subset = (evolve_data *) calloc(1, sizeof *subset);
    uint32_t last = last_below(&n->gmt->forest, node), q = all->data.n_cols - 1, count = 0;
    *subset = *all;
    for (uint32_t row = 0; row < all->data.n_rows; row++) {
        if ((uint32_t) n->gmt->where[row] < node || (uint32_t) n->gmt->where[row] > last) continue;
        for (uint32_t k = 0; k < q; k++) subset->x[k][count] = all->x[k][row];
        subset->codes[count] = all->codes[row];
        subset->y[count] = all->y[row];
        n->rows[count++] = row;
    }
    for (uint32_t k = 0; k < q; k++) subset->columns[k].values = subset->x[k];
    subset->columns[q].values = subset->codes;
    subset->data.n_rows = count;
    subset->data.columns = subset->columns;
    subset->data.response = subset->y;
    n->subset = subset;
}

/* What the leaves below a child cost with all rows of the node: the child in its place. */
static double cost_of_child(const node_data *n, uint32_t child, double lambda)
{
    double cost = -lambda;
    for (uint32_t leaf = child; leaf <= last_below(&n->gmt->forest, child); leaf++) {
        uint8_t in[MOST_ROWS] = {0};
        uint32_t count = 0;
        double terms;
        if (n->gmt->forest.left[leaf]) continue;
        for (uint32_t i = 0; i < n->subset->data.n_rows; i++)
            count += in[i] = leaf_below(n, child, n->rows[i]) == leaf;
        if (!count) return INFINITY;
        cost += plain_sse(&n->subset->data, in, &terms);
        cost += lambda * (terms + 1);
    }
    return cost;
}

/* The splits from `child` down. */
static void note_splits(const ct_forest *forest, uint32_t child, int side, plain_splits *splits)
{
    uint32_t leaves = 0; /* before the node */
    for (uint32_t at = child; at <= last_below(forest, child); at++) {
        uint32_t n = 0;
        for (uint32_t k = at; k <= last_below(forest, at); k++) n += !forest->left[k];
        if (forest->left[at])
            splits->splits[splits->n++] = (plain_split){side, leaves, leaves + n};
        else leaves++;
    }
}

/* The least cost of a node after any one change of it: another test above its subtrees, a test in a
 * leaf, one subtree in its place, a leaf. */
static double least_change(const node_data *n, uint32_t node, const ct_tree_limits *limits,
                           double lambda)
{
    static uint8_t sides[2][MOST_ROWS];
    const ct_forest *forest = &n->gmt->forest;
    uint8_t *leaf[2] = {sides[0], sides[1]};
    uint32_t n_leaves[2] = {1, 1};
    plain_splits splits = {0};
    double least = INFINITY;
    memset(sides, 0, sizeof sides);
    for (int side = 0; forest->left[node] && side < 2; side++) {
        uint32_t child = side ? forest->right[node] : forest->left[node];
        n_leaves[side] = 0;
        for (uint32_t at = child; at <= last_below(forest, child); at++) {
            if (forest->left[at]) continue;
            for (uint32_t i = 0; i < n->subset->data.n_rows; i++)
                if (leaf_below(n, child, n->rows[i]) == at)
                    sides[side][i] = (uint8_t) n_leaves[side];
            n_leaves[side]++;
        }
        note_splits(forest, child, side, &splits);
        least = fmin(least, cost_of_child(n, child, lambda));
    }
    ct_gmt_split_options line = {limits->minbucket, UINT32_MAX, lambda, -1, 0, limits->min_n};
    double leaf_cost = n->gmt->models.deviance[node] + lambda * n->gmt->models.rank[node];
    least = fmin(least, leaf_cost);
    if (n->subset->data.n_rows < limits->min_n) return least;
    return fmin(least, brute_split(n->subset, leaf, n_leaves, &splits, &line));
}

/* No change of any node of a certified tree lowers its cost: tried one by one. */
static void certificates_hold(check_rng *r, uint32_t seed)
{
    evolve_data *d = new_data(40 + seed, 60, 2, seed % 2 ? 8 : 0, seed % 3 ? 0 : 4, 0);
    ct_gmt_options o = default_options();
    ct_gmt gmt;
    o.limits.minbucket = 4;
    o.limits.min_n = seed % 2 ? 0 : 20;
    o.bins = 3;
    if (seed % 2 == 0) o.sample = 45;
    REQUIRE(fit(d, &o, &gmt));
    CHECK(gmt.certified);
    static node_data n;
    n.all = d;
    n.gmt = &gmt;
    check_state.tally[0] += gmt.forest.n_nodes / 2;
    for (uint32_t node = 0; node < gmt.forest.n_nodes; node++) {
        double now = -gmt.lambda;
        for (uint32_t i = node; i <= last_below(&gmt.forest, node); i++)
            if (!gmt.forest.left[i])
                now += gmt.models.deviance[i] + gmt.lambda * (gmt.models.rank[i] + 1);
        take_rows(&n, node);
        if (gmt.forest.left[node]) CHECK(n.subset->data.n_rows >= o.limits.min_n);
        CHECK(least_change(&n, node, &o.limits, gmt.lambda) >= now - 1e-9 * gmt.models.deviance[0]);
        free(n.subset);
    }
}

static void trees_have_splits(void) { CHECK(check_state.tally[0] > (CHECK_QUICK() ? 1 : 6)); }

/* ---- the same tree, whoever searches, and whatever is skipped ---- */

static void same_tree(void)
{
    evolve_data *d = new_data(21, CHECK_QUICK() ? 400 : 1500, 3, 0, 5, 1);
    ct_gmt_options o = default_options();
    ct_gmt first;
    o.sample = CHECK_QUICK() ? 300 : 1000;
    o.limits.leaves_max = 5; /* which moves under way exceed */
    REQUIRE(fit(d, &o, &first));
    CHECK(first.forest.n_nodes > 3);
    for (int kind = 0; kind < 2 + CT_N_SIMD; kind++) {
        ct_gmt again;
        o.threads = kind < 2 ? 2 + 5 * (unsigned) kind : 1;
        o.simd = kind < 2 ? CT_SIMD_SCALAR : (ct_simd) (kind - 2);
        if (!ct_cpu_has(o.simd)) continue;
        REQUIRE(fit(d, &o, &again));
        CHECK(same_fit(&first, &again, d->data.n_rows));
    }
}

/* Kicks that are a success: those ahead of them are made again, whoever made them. */
static void same_after_success(check_rng *r, uint32_t seed)
{
    evolve_data *d = new_data(seed + 1, 250, 3, 0, 5, 1);
    ct_gmt_options o = default_options();
    ct_gmt first, again;
    o.limits.complexity = 0.2;
    o.effort = o.patience = 40;
    REQUIRE(fit(d, &o, &first));
    check_state.tally[0] += first.n_moments - 1;
    for (o.threads = 2; o.threads < (CHECK_SLOW() ? 3 : 5); o.threads++) {
        REQUIRE(fit(d, &o, &again));
        CHECK(same_fit(&first, &again, d->data.n_rows));
        CHECK_INT(again.n_moments, first.n_moments);
    }
}

static void some_were_successes(void) { CHECK(check_state.tally[0] > 2); }

/* Rows in pieces: five planes are found, the same for any number of threads and instruction set. */
static void same_tree_of_many(void)
{
    evolve_data *d = new_planes(140000);
    ct_gmt_options o = default_options();
    ct_gmt first;
    o.sample = 2000;
    o.effort = o.patience = 4;
    REQUIRE(fit(d, &o, &first));
    CHECK_INT(first.forest.n_nodes, 9);
    double sse = 0;
    for (uint32_t i = 0; i < first.forest.n_nodes; i++)
        if (!first.forest.left[i]) sse += first.models.deviance[i];
    CHECK(sse <= 1.01 * 140000 * 0.1 * 0.1 / 12);
    for (int kind = 0; kind < (CHECK_QUICK() ? 1 : 2); kind++) {
        ct_gmt again;
        o.threads = kind ? 1 : 3;
        if (kind) o.simd = ct_cpu_find("auto");
        REQUIRE(fit(d, &o, &again));
        CHECK(same_fit(&first, &again, d->data.n_rows));
    }
}

/* Populations: the same for any number of threads and instruction set, and better than a leaf. */
static void other_ways(void)
{
    evolve_data *d = new_data(31, 500, 3, 0, 4, 1);
    for (int kind = 0; kind < 4; kind++) {
        ct_gmt_options o = default_options();
        ct_gmt first, again;
        o.mode = kind == 0 ? CT_GMT_MEMETIC : CT_GMT_PAPER;
        o.population = kind == 0 ? 3 : 9; /* which is 10 */
        o.paper.fitness = kind == 2 ? CT_FITNESS_WEIGHTED : CT_FITNESS_BIC;
        o.paper.alpha = 1e-4;
        if (kind == 3) o.sample = 200, o.paper.elite = 9, o.paper.crossover = 1;
        o.effort = o.patience = kind == 0 ? 10 : CHECK_QUICK() ? 20 : 60;
        o.limits.leaves_max = 6;
        REQUIRE(fit(d, &o, &first));
        CHECK(first.forest.n_nodes > 1 && first.forest.n_nodes <= 11);
        CHECK_INT(first.certified, kind == 0);
        CHECK_INT(first.kicks, o.effort);
        CHECK_INT(first.end, CT_GMT_DONE);
        double sse = 0;
        for (uint32_t i = 0; i < first.forest.n_nodes; i++)
            if (!first.forest.left[i]) sse += first.models.deviance[i];
        const ct_gmt_moment *last = &first.moments[first.n_moments - 1];
        /* what was evolved is what is there */
        if (kind) CHECK(fabs(last->sse - sse) <= 1e-9 * sse);
        for (uint32_t i = 1; kind != 2 && i < first.n_moments; i++)
            CHECK(first.moments[i].bic < first.moments[i - 1].bic);
        for (int turn = 0; turn < 2; turn++) {
            o.threads = turn ? 1 : 3;
            for (int level = 0; turn && level < CT_N_SIMD; level++)
                if (ct_cpu_has((ct_simd) level)) o.simd = (ct_simd) level;
            REQUIRE(fit(d, &o, &again));
            CHECK(same_fit(&first, &again, d->data.n_rows));
        }
        o.max_rows = 1; /* the start alone */
        REQUIRE(fit(d, &o, &again));
        CHECK_INT(again.end, CT_GMT_ROWS);
        CHECK_INT(again.kicks, 0);
    }
}

/* Enough rows for every short cut to be taken; noise in the last column. */
static void short_cuts_change_nothing(void)
{
    evolve_data *d = new_data(23, CHECK_QUICK() ? 4200 : MOST_ROWS, 3, 0, 0, 0);
    ct_gmt_options o = default_options();
    ct_gmt first;
    o.effort = CHECK_QUICK() ? 2 : 8;
    o.bins = 12;
    o.limits.leaves_max = 4;
    for (uint32_t row = 0; row < d->data.n_rows; row++) {
        double a = d->x[1][row], b = d->x[2][row];
        d->y[row] += a < 3 ? (b < 2 ? 4 * b : 9 - b) : 2 * a;
    }
    REQUIRE(fit(d, &o, &first));
    CHECK(first.forest.n_nodes > 1);
    const uint32_t without[] = {CT_GMT_BOUND, CT_GMT_SOME_ROWS, CT_GMT_CACHE,
                                CT_GMT_BOUND | CT_GMT_SOME_ROWS | CT_GMT_CACHE};
    for (int i = CHECK_QUICK() ? 3 : 0; i < 4; i++) {
        ct_gmt again;
        o.without = without[i];
        REQUIRE(fit(d, &o, &again));
        CHECK(same_fit(&first, &again, d->data.n_rows));
    }
}

static int stop_now(void *asked) { return ++*(int *) asked > 2; }

static void stops(void)
{
    evolve_data *d = new_data(9, 600, 2, 0, 0, 0);
    for (int kind = 0; kind < 3; kind++) {
        ct_gmt_options o = default_options();
        ct_gmt gmt;
        int asked = 0;
        o.effort = o.patience = kind == 2 ? 1000 : 1000000;
        if (kind == 0) o.time_limit = 0;
        if (kind == 1) o.stop = stop_now, o.calls = &asked;
        if (kind == 2) o.max_rows = 20000;
        REQUIRE(fit(d, &o, &gmt));
        CHECK_INT(gmt.end, kind == 0 ? CT_GMT_TIME : kind == 1 ? CT_GMT_INTERRUPTED : CT_GMT_ROWS);
        CHECK(kind == 2 || !gmt.certified);
        CHECK(gmt.forest.n_nodes % 2 == 1);
    }
}

/* No noise, and data without any information. */
static void odd_data(void)
{
    evolve_data *d = new_data(12, 300, 2, 0, 0, 0);
    ct_gmt_options o = default_options();
    ct_gmt gmt;
    for (uint32_t row = 0; row < 300; row++)
        d->y[row] = d->x[0][row] < 2 ? 1 + d->x[1][row] : 4 - 3 * d->x[0][row];
    REQUIRE(fit(d, &o, &gmt));
    CHECK_INT(gmt.forest.n_nodes, 3);
    CHECK(fabs(gmt.forest.threshold[0] - 2) < 0.1);
    CHECK(gmt.models.deviance[1] < 1e-20 && gmt.models.deviance[2] < 1e-20);
    for (uint32_t row = 0; row < 300; row++) d->y[row] = 3;
    REQUIRE(fit(d, &o, &gmt));
    CHECK_INT(gmt.forest.n_nodes, 1);
    CHECK(fabs(gmt.models.coefficients[0] - 3) < 1e-12);
    d->data.n_rows = 2; /* fewer rows than coefficients */
    d->y[0] = 1, d->y[1] = 2;
    REQUIRE(fit(d, &o, &gmt));
    CHECK_INT(gmt.models.rank[0], 2);
    CHECK_INT(gmt.models.aliased[2], 1);
    d->data.n_regressors = 0; /* constants in the leaves */
    d->data.n_rows = 300;
    for (uint32_t row = 0; row < 300; row++) d->y[row] = d->x[1][row] < 3 ? -1 : 2;
    REQUIRE(fit(d, &o, &gmt));
    CHECK_INT(gmt.forest.n_nodes, 3);
    CHECK(fabs(gmt.models.coefficients[1] + 1) < 1e-12);
}

static void refusals(void)
{
    evolve_data *d = new_data(13, 50, 2, 0, 3, 0);
    ct_gmt_options o = default_options();
    ct_gmt gmt;
    double x = d->x[0][4], y = d->y[2];
    d->x[0][4] = NAN;
    CHECK_FAILS(ct_gmt_fit(&d->data, &o, &gmt, &reason), CT_BAD_INPUT);
    d->x[0][4] = x, d->y[2] = INFINITY;
    CHECK_FAILS(ct_gmt_fit(&d->data, &o, &gmt, &reason), CT_BAD_INPUT);
    d->y[2] = y, d->codes[7] = 4;
    CHECK_FAILS(ct_gmt_fit(&d->data, &o, &gmt, &reason), CT_BAD_INPUT);
    d->codes[7] = 1, d->weights[3] = 0, d->data.weights = d->weights;
    CHECK_FAILS(ct_gmt_fit(&d->data, &o, &gmt, &reason), CT_BAD_INPUT);
    d->data.weights = NULL, o.bins = 1;
    CHECK_FAILS(ct_gmt_fit(&d->data, &o, &gmt, &reason), CT_BAD_INPUT);
    o.bins = 16, o.mode = CT_GMT_PAPER, o.population = 1;
    CHECK_FAILS(ct_gmt_fit(&d->data, &o, &gmt, &reason), CT_BAD_INPUT);
    o.population = 4, o.paper.elite = 5;
    CHECK_FAILS(ct_gmt_fit(&d->data, &o, &gmt, &reason), CT_BAD_INPUT);
    o.paper.elite = 1, o.paper.pressure = 2.5;
    CHECK_FAILS(ct_gmt_fit(&d->data, &o, &gmt, &reason), CT_BAD_INPUT);
    o.paper.pressure = 1.7, o.paper.mutation = NAN;
    CHECK_FAILS(ct_gmt_fit(&d->data, &o, &gmt, &reason), CT_BAD_INPUT);
    o.paper.mutation = 0.8;
    o.mode = CT_GMT_LOCAL, o.prove = 2;
    CHECK_FAILS(ct_gmt_fit(&d->data, &o, &gmt, &reason), CT_BAD_INPUT);
    o.limits.depth_max = 2, o.limits.leaves_max = 3;
    CHECK_FAILS(ct_gmt_fit(&d->data, &o, &gmt, &reason), CT_BAD_INPUT);
    o.limits.leaves_max = 4, d->n_levels[2] = 9;
    CHECK_FAILS(ct_gmt_fit(&d->data, &o, &gmt, &reason), CT_BAD_INPUT);
}

static void memory_ends(void)
{
    evolve_data *d = new_data(14, 80, 2, 0, 3, 0);
    ct_gmt_options o = default_options();
    o.population = 3;
    o.limits.leaves_max = 4;
    o.effort = 2;
    o.sample = 60;
    o.threads = 2;
    for (int mode = CT_GMT_LOCAL; mode <= CT_GMT_PAPER; mode++) {
        int fine = 0;
        o.mode = (ct_gmt_mode) mode;
        o.prove = mode == CT_GMT_LOCAL ? 2 : 0;
        o.limits.depth_max = mode == CT_GMT_LOCAL ? 2 : 6;
        for (long after = 0; !fine && after < 2000; after += after < 40 ? 1 : 17) {
            ct_gmt gmt;
            ct_status status = MEMORY_FOR(after, ct_gmt_fit(&d->data, &o, &gmt, &reason));
            CHECK(status == CT_OK || status == CT_NO_MEMORY);
            fine = status == CT_OK;
            ct_gmt_free(&gmt);
        }
        CHECK(fine);
    }
}

static const check_case cases[] = {
    {"certificates hold", EACH(certificates_hold, 0, 6, 2, 2), trees_have_splits},
    {"the same tree", same_tree},
    {"the same tree after a success", EACH(same_after_success, 1, 8, 3, 3), some_were_successes},
    {"the same tree of many rows", same_tree_of_many},
    {"other ways to search", other_ways},
    {"short cuts change nothing", short_cuts_change_nothing},
    {"stops", stops},
    {"odd data", odd_data},
    {"refusals", refusals},
    {"memory ends", memory_ends},
};

CHECK_MAIN(cases)
