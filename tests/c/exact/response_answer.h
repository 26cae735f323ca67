/* Tables with a response, and what a search says of them against brute force: the tree, its cost on
 * the grid, and the bound. */
#ifndef CT_TEST_RESPONSE_ANSWER_H
#define CT_TEST_RESPONSE_ANSWER_H

#include "brute_response.h"
#include "solve.h"

/* A table of which the response is set. */
typedef struct {
    random_table table;
    double *y;
} response_table;

static inline response_table response_new(uint32_t n_rows, uint32_t n_cols)
{
    response_table t = {table_new(n_rows, n_cols, 1), NULL};
    t.y = (double *) keep_new(n_rows, sizeof *t.y);
    t.table.data.classes = NULL;
    t.table.data.response = t.y;
    return t;
}

/* The leaf of a row of the table in brute force's tree. */
static inline size_t brute_leaf_of(const ct_data *data, const brute_tree *tree, uint32_t row)
{
    size_t at = 1;
    while (tree->feature[at] >= 0)
        at = 2 * at +
             (ct_column_value(&data->columns[tree->feature[at]], row) >= tree->above[at]);
    return at;
}

/* The cost of the answer on the grid, from the leaves of its rows. */
static inline int64_t cost_on_grid(const response_brute *b, const ct_forest *tree,
                                   const uint32_t *leaf)
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
static inline double sse_of(const ct_data *data, const ct_forest *tree, const uint32_t *leaf)
{
    double sse = 0;
    for (uint32_t node = 0; node < tree->n_nodes; node++) {
        double weight = 0, sum = 0, first = 0;
        int any = 0;
        for (uint32_t row = 0; row < data->n_rows; row++) {
            if (leaf[row] != node) continue;
            double w = data->weights ? data->weights[row] : 1;
            if (w > 0 && !any++) first = data->response[row];
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

static inline void check_answer(const response_table *t, const ct_exact_options *options,
                                const response_brute *b, const brute_tree *expected)
{
    const ct_data *data = &t->table.data;
    uint32_t leaf[BRUTE_ROWS];
    ct_exact_result result;
    if (!solve_rows(data, options, &result, leaf)) return;
    CHECK(result.end == CT_END_OPTIMAL);
    CHECK_INT(cost_on_grid(b, &result.tree, leaf), expected->cost);
    int same = 1;
    if (!options->any_of_ties && !(options->any_size && expected->cost == 0))
        for (uint32_t i = 0; i < data->n_rows; i++)
            for (uint32_t j = 0; j < i; j++)
                same &= (leaf[i] == leaf[j]) == (brute_leaf_of(data, expected, i) ==
                                                 brute_leaf_of(data, expected, j));
    CHECK(same);
    double sse = sse_of(data, &result.tree, leaf), all = result.deviance[result.tree.roots[0]];
    CHECK_NEAR(result.errors, sse, 1e-9 * sse + 1e-13 * all);
    CHECK(result.bound <= result.cost && result.bound >= 0);
    double root = sqrt(result.cost);
    double least = fmax(root - 2.001 * result.grid_error - 1e-5 * root, 0);
    CHECK(result.bound >= least * least - 2.001 * b->rounding - 1e-12 * all);
    CHECK_INT(result.tree.leaf, CT_LEAF_VALUES);
}

static inline void compare(const response_table *t, const ct_exact_options *options)
{
    response_brute b;
    if (!CHECK(brute_begin(&b, &t->table.data, options))) return;
    brute_tree expected = brute_solve(&b, options->depth);
    check_answer(t, options, &b, &expected);
}

#endif
