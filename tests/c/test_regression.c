/* Regression trees against all trees that there are, in integers. CT_TABLES is how many random
 * tables of each kind are drawn. */
#include "brute_response.h"
#include "check.h"
#include "exact/kernels/kernels.h"

static uint32_t n_tables(uint32_t usual)
{
    const char *wanted = getenv("CT_TABLES");
    if (wanted) return (uint32_t) atoi(wanted);
    return CHECK_SLOW() ? usual / 20 : CHECK_QUICK() ? usual / 4 : usual;
}

/* ---- tables ---- */

/* A table of which the response is set. */
typedef struct {
    random_table table;
    double *y;
} response_table;

static response_table response_new(uint32_t n_rows, uint32_t n_cols)
{
    response_table t = {table_new(n_rows, n_cols, 1), NULL};
    t.y = (double *) calloc(n_rows, sizeof *t.y);
    t.table.data.classes = NULL;
    t.table.data.response = t.y;
    return t;
}

static void response_free(response_table *t)
{
    free(t->y);
    table_free(&t->table);
}

/* Ties, offsets, heavy tails, prices, few values; from a tree, or from nothing. */
static double random_response(rng *r, uint32_t kind, double signal)
{
    double u = rng_unit(r), noise = signal + u;
    switch (kind) {
    case 0: return rng_below(r, 3);
    case 1: return floor(10 * noise);
    case 2: return 1e9 + noise;
    case 3: return -1e8 + floor(100 * noise) / 100;
    case 4: return noise / (1e-4 + u * u);
    case 5: return floor(noise * 1000) * 500 + 99000;
    case 6: return floor(signal) + (rng_below(r, 20) ? 0 : 50);
    default: return noise;
    }
}

static response_table response_random(rng *r, uint32_t n_rows, uint32_t n_cols)
{
    response_table t = response_new(n_rows, n_cols);
    uint32_t kind = rng_below(r, 9), root = rng_below(r, n_cols), child = rng_below(r, n_cols);
    for (uint32_t col = 0; col < n_cols; col++) {
        double *x = table_column(&t.table, col);
        if (col && rng_below(r, 4) == 0) follow_column(r, table_column(&t.table, 0), x, n_rows);
        else if (col && rng_below(r, 8) == 0)
            memcpy(x, table_column(&t.table, col - 1), n_rows * sizeof *x);
        else fill_column(r, x, n_rows);
    }
    double cut = table_column(&t.table, root)[rng_below(r, n_rows)],
           below = table_column(&t.table, child)[rng_below(r, n_rows)];
    for (uint32_t i = 0; i < n_rows; i++) {
        double signal = 2 * (table_column(&t.table, root)[i] >= cut) +
                        (table_column(&t.table, child)[i] >= below);
        t.y[i] = random_response(r, kind, rng_below(r, 3) ? signal : 0);
    }
    return t;
}

static ct_options random_options(rng *r, response_table *t, int leaf_sizes)
{
    ct_options options = ct_options_default();
    uint32_t n = t->table.data.n_rows;
    options.depth = n > 18 ? 2 : n > 11 ? 2 + rng_below(r, 2) : 2 + rng_below(r, 3);
    if (rng_below(r, 3) == 0) options.complexity = rng_unit(r) * 0.1;
    if (leaf_sizes) {
        options.min_bucket = 1 + rng_below(r, 3);
        options.min_split = rng_below(r, 8);
    }
    if (rng_below(r, 6) == 0) {
        table_add_roots(&t->table, r);
        options.roots = t->table.roots;
    }
    return options;
}

/* ---- comparing ---- */

/* The leaf of a row of the table in brute force's tree. */
static size_t brute_leaf_of(const ct_data *data, const brute_tree *tree, uint32_t row)
{
    size_t at = 1;
    while (tree->feature[at] >= 0)
        at = 2 * at +
             (ct_column_value(&data->columns[tree->feature[at]], row) >= tree->above[at]);
    return at;
}

/* The cost of the answer on the grid, from the leaves of its rows. */
static int64_t cost_on_grid(const response_brute *b, const ct_forest *tree, const uint32_t *leaf)
{
    int64_t cost = 0;
    for (uint32_t node = 0; node < tree->n_nodes; node++) {
        uint32_t rows[BRUTE_ROWS], n = 0;
        if (tree->feature[node] >= 0) {
            cost += b->split;
            continue;
        }
        for (uint32_t row = 0; row < b->data->n_rows; row++)
            if (leaf[row] == node) rows[n++] = row;
        cost += brute_leaf(b, rows, n);
    }
    return cost;
}

/* The squared error of the rows themselves. */
static double sse_of(const ct_data *data, const ct_forest *tree, const uint32_t *leaf)
{
    double sse = 0;
    for (uint32_t node = 0; node < tree->n_nodes; node++) {
        double weight = 0, sum = 0, first = 0;
        int any = 0;
        for (uint32_t row = 0; row < data->n_rows; row++) {
            if (leaf[row] != node) continue;
            double w = data->weights ? data->weights[row] : 1;
            if (!any++) first = data->response[row];
            weight += w;
            sum += w * (data->response[row] - first);
        }
        for (uint32_t row = 0; row < data->n_rows; row++) {
            double w = data->weights ? data->weights[row] : 1,
                   off = data->response[row] - first - (weight > 0 ? sum / weight : 0);
            if (leaf[row] == node) sse += w * off * off;
        }
    }
    return sse;
}

static int check_answer(const response_table *t, const ct_options *options,
                        const response_brute *b, const brute_tree *expected)
{
    const ct_data *data = &t->table.data;
    uint32_t leaf[BRUTE_ROWS];
    ct_result result;
    ct_error error = {CT_OK, ""};
    ct_status status = ct_exact_solve(data, options, &result, leaf, &error);
    if (status != CT_OK) printf("    %s\n", error.message);
    if (!CHECK_INT(status, CT_OK)) return 0;
    int good = CHECK(result.end == CT_END_OPTIMAL);
    good &= CHECK_INT(cost_on_grid(b, &result.tree, leaf), expected->cost);
    if (!options->any_of_ties)
        for (uint32_t i = 0; i < data->n_rows; i++)
            for (uint32_t j = 0; j < i; j++)
                good &= (leaf[i] == leaf[j]) == (brute_leaf_of(data, expected, i) ==
                                                 brute_leaf_of(data, expected, j));
    CHECK(good);
    double sse = sse_of(data, &result.tree, leaf), all = result.deviance[result.tree.roots[0]];
    good &= CHECK(fabs(sse - result.errors) <= 1e-9 * sse + 1e-13 * all);
    good &= CHECK(result.bound <= result.cost && result.bound >= 0);
    double root = sqrt(result.cost);
    double least = fmax(root - 2.001 * result.grid_error - 1e-5 * root, 0);
    good &= CHECK(result.bound >= least * least - 2.001 * b->rounding);
    good &= CHECK_INT(result.tree.leaf, CT_LEAF_VALUES);
    ct_result_free(&result);
    return good;
}

static int compare(const response_table *t, const ct_options *options, uint32_t seed)
{
    response_brute b;
    if (!CHECK(brute_begin(&b, &t->table.data, options))) return 0;
    brute_tree expected = brute_solve(&b, options->depth);
    int good = check_answer(t, options, &b, &expected);
    if (!good) printf("    seed %lu\n", (unsigned long) seed);
    return good;
}

/* ---- cases ---- */

static void compare_tables(uint32_t n, uint32_t first_seed, int leaf_sizes, int weights)
{
    for (uint32_t i = 0; i < n; i++) {
        rng r = {first_seed + i};
        response_table t = response_random(&r, 5 + rng_below(&r, weights ? 12 : 25),
                                           1 + rng_below(&r, 4));
        if (weights) table_add_weights(&t.table, &r);
        ct_options options = random_options(&r, &t, leaf_sizes);
        int good = compare(&t, &options, first_seed + i);
        response_free(&t);
        if (!good) return;
    }
}

static void equals_brute_force(void) { compare_tables(n_tables(400), 1000, 0, 0); }
static void equals_with_leaf_sizes(void) { compare_tables(n_tables(400), 2000000, 1, 0); }
static void equals_with_weights(void) { compare_tables(n_tables(300), 4000000, 1, 1); }

static const check_case cases[] = {
    {"equals brute force", equals_brute_force},
    {"equals brute force with leaf sizes", equals_with_leaf_sizes},
    {"equals brute force with weights", equals_with_weights},
};

CHECK_MAIN(cases)
