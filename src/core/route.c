#include "core/route.h"

#include <math.h>

static int level_goes_left(const ct_forest *tree, uint32_t node, int32_t code)
{
    uint32_t n = tree->n_levels[node], level = code > 0 && (uint32_t) code <= n ? (uint32_t) code - 1 : n;
    return tree->levels_left[node][level];
}

static int goes_left(const ct_forest *tree, uint32_t node, const ct_column *column, uint32_t row)
{
    if (column->type == CT_INT32) {
        int32_t x = ((const int32_t *) column->values)[row];
        if (x == INT32_MIN) return tree->default_left[node];
        if (tree->n_levels && tree->n_levels[node]) return level_goes_left(tree, node, x);
        return x < tree->threshold[node];
    }
    double x = ((const double *) column->values)[row];
    return isnan(x) ? tree->default_left[node] : x < tree->threshold[node];
}

void ct_route(const ct_forest *tree, const ct_column *columns, uint32_t n_rows, uint32_t *leaf_of_row)
{
    for (uint32_t row = 0; row < n_rows; row++) {
        uint32_t node = tree->roots[0];
        while (tree->feature[node] >= 0)
            node = goes_left(tree, node, &columns[tree->feature[node]], row) ? tree->left[node] : tree->right[node];
        leaf_of_row[row] = node;
    }
}

ct_status ct_forest_check(const ct_forest *forest, uint32_t n_cols, ct_error *error)
{
    for (uint32_t node = 0; node < forest->n_nodes; node++) {
        if (forest->feature[node] < 0) continue;
        uint32_t left = forest->left[node], right = forest->right[node];
        if ((uint32_t) forest->feature[node] >= n_cols || left <= node || right <= node || left >= forest->n_nodes ||
            right >= forest->n_nodes || (isnan(forest->threshold[node]) && !(forest->n_levels && forest->n_levels[node])))
            return ct_fail(error, CT_BAD_INPUT, "node %lu of the tree is not valid", (unsigned long) node + 1);
    }
    return CT_OK;
}
