#include "tree/predict.h"

#include <math.h>
#include <string.h>

#include "base/hd.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "tree/route.h"

enum { ROWS_AT_A_TIME = 4096 };

typedef struct {
    const ct_forest *forest;
    const ct_column *columns;
    uint32_t n_rows;
    const double *outputs; /* [n_nodes][n_outputs]; of a linear model its intercept */
    uint32_t n_outputs;
    const int32_t *leaf;   /* [n_rows] in the tree at hand */
    double *out;
} sums;

uint32_t ct_forest_outputs(const ct_forest *forest)
{
    return forest->leaf == CT_LEAF_COUNTS ? forest->n_classes : forest->n_values;
}

static double value_or_nan(const ct_column *column, uint32_t row)
{
    if (column->type == CT_DOUBLE) return ((const double *) column->values)[row];
    return ct_integer_number(((const int32_t *) column->values)[row]);
}

static double linear(const sums *s, uint32_t node, uint32_t row)
{
    const ct_forest *forest = s->forest;
    double sum = s->outputs[node];
    for (uint32_t k = forest->first_term[node]; k < forest->first_term[node + 1]; k++)
        sum += ct_hd_product(forest->coefficient[k],
                             value_or_nan(&s->columns[forest->term_column[k]], row));
    return sum;
}

static void add_leaves(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const sums *s = (const sums *) data;
    (void) worker;
    for (uint64_t row = begin; row < end; row++) {
        uint32_t node = (uint32_t) s->leaf[row];
        if (s->forest->leaf == CT_LEAF_LINEAR) {
            s->out[row] += linear(s, node, (uint32_t) row);
            continue;
        }
        for (uint32_t k = 0; k < s->n_outputs; k++)
            s->out[(size_t) k * s->n_rows + row] += s->outputs[(size_t) node * s->n_outputs + k];
    }
}

/* The proportions of the classes in each node; all 0 in one without rows. */
static void proportions(const ct_forest *forest, double *outputs)
{
    size_t n = forest->n_classes;
    for (size_t node = 0; node < forest->n_nodes; node++) {
        double total = 0, *of_node = outputs + node * n;
        for (size_t k = 0; k < n; k++) {
            of_node[k] = forest->weights ? forest->weights[node * n + k]
                                         : forest->counts[node * n + k];
            total += of_node[k];
        }
        for (size_t k = 0; k < n; k++) of_node[k] = total > 0 ? of_node[k] / total : 0;
    }
}

static ct_status add_trees(sums *s, int32_t *nodes, int32_t *leaf, uint32_t n_cols,
                           uint32_t n_threads, ct_error *error)
{
    const ct_forest *forest = s->forest;
    ct_loop loop = {s->n_rows, ROWS_AT_A_TIME, CT_STATIC, n_threads, add_leaves, s, NULL};
    s->leaf = leaf;
    for (uint32_t node = 0; node < forest->n_nodes; node++) nodes[node] = (int32_t) node;
    for (uint32_t tree = 0; tree < forest->n_trees; tree++) {
        CT_TRY(
            ct_route(forest, tree, s->columns, n_cols, s->n_rows, nodes, n_threads, leaf, error));
        ct_parallel_for(&loop);
    }
    return CT_OK;
}

ct_status ct_predict(const ct_forest *forest, const ct_column *columns, uint32_t n_cols,
                     uint32_t n_rows, uint32_t n_threads, double *out, ct_error *error)
{
    CT_ASSERT(forest->n_nodes > 0 && (columns || !n_cols) && (out || !n_rows));
    uint32_t n_outputs = ct_forest_outputs(forest);
    int counts = forest->leaf == CT_LEAF_COUNTS;
    double *made = counts ? (double *) ct_alloc((size_t) forest->n_nodes * n_outputs * sizeof *made)
                          : NULL;
    int32_t *nodes = (int32_t *) ct_alloc((size_t) forest->n_nodes * sizeof *nodes);
    int32_t *leaf = (int32_t *) ct_alloc((size_t) n_rows * sizeof *leaf);
    ct_status status;
    if ((counts && !made) || !nodes || !leaf) {
        status = ct_fail(error, CT_NO_MEMORY, "no memory to predict %lu rows",
                         (unsigned long) n_rows);
    } else {
        sums s = {forest, columns, n_rows, counts ? made : forest->values, n_outputs, NULL, out};
        if (counts) proportions(forest, made);
        memset(out, 0, (size_t) n_rows * n_outputs * sizeof *out);
        status = add_trees(&s, nodes, leaf, n_cols, n_threads, error);
    }
    ct_free(made);
    ct_free(nodes);
    ct_free(leaf);
    return status;
}
