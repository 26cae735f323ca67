#include "exact/finish/response_tree.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* ---- on the grid ---- */

static ct_full_sums sums_of(const ct_full *full, const uint32_t *rows, uint32_t n)
{
    ct_full_sums sums = {0, 0, 0};
    for (uint32_t i = 0; i < n; i++) ct_full_add(full, rows[i], &sums);
    return sums;
}

int64_t ct_response_leaf(const ct_costs *costs, const uint32_t *rows, uint32_t n)
{
    ct_full_sums sums = sums_of(&costs->response->full, rows, n);
    return ct_full_cost(&costs->response->full, &sums);
}

uint32_t ct_response_split(const ct_costs *costs, const uint32_t *rows, const uint32_t *ranks,
                           uint32_t n, uint32_t min_bucket, int64_t *spared)
{
    const ct_full *full = &costs->response->full;
    const ct_full_list list = {rows, ranks, n};
    const ct_full_sums all = sums_of(full, rows, n);
    uint32_t place;
    CT_ASSERT(n > 0 && min_bucket > 0);
    int64_t least = ct_full_split(full, &list, &all, min_bucket, INT64_MAX / 2, &place);
    *spared = place ? INT64_MAX / 2 - least : -1;
    return place;
}

/* ---- the rows themselves ---- */

/* Sums over the rows of each node. */
typedef struct {
    uint32_t *rows;
    double *weight, *sum, *rest; /* of weights; of w (y - centre); of w (y - mean) */
    double *mean;                /* less the centre */
    ct_full_sums *on_grid;
} recount;

typedef struct {
    const ct_data *data;
    const ct_costs *costs;
    ct_forest *tree;
    const ct_tree_rules *rules;
    recount sums;
} check;

static int node_is_sound(const check *c, uint32_t node)
{
    const ct_forest *tree = c->tree;
    if (tree->feature[node] < 0) return tree->left[node] == 0 && tree->right[node] == 0;
    return (uint32_t) tree->feature[node] < c->data->n_cols && isfinite(tree->threshold[node]) &&
           tree->left[node] > node && tree->left[node] < tree->n_nodes &&
           tree->right[node] > node && tree->right[node] < tree->n_nodes;
}

/* The child that a row goes to. */
static uint32_t step(const check *c, uint32_t node, uint32_t row)
{
    const ct_forest *tree = c->tree;
    double x = ct_column_value(&c->data->columns[tree->feature[node]], row);
    return x < tree->threshold[node] ? tree->left[node] : tree->right[node];
}

static double weight_at(const check *c, uint32_t row)
{
    return c->data->weights ? c->data->weights[row] : 1;
}

/* The response less the centre, which is exact where it is large beside its range; any number where
 * the row has no weight. */
static double response_at(const check *c, uint32_t row)
{
    return weight_at(c, row) > 0 ? c->data->response[row] - c->costs->response->centre : 0;
}

/* Adds a row to all nodes on its way; returns its leaf, n_nodes if that is too deep. */
static uint32_t walk(const check *c, uint32_t row)
{
    uint32_t node = c->tree->roots[0];
    double w = weight_at(c, row), y = response_at(c, row);
    for (unsigned level = 0; level <= c->rules->max_depth; level++) {
        c->sums.rows[node]++;
        c->sums.weight[node] += w;
        c->sums.sum[node] += w * y;
        ct_full_add(&c->costs->response->full, row, &c->sums.on_grid[node]);
        if (c->tree->feature[node] < 0) return node;
        node = step(c, node, row);
    }
    return c->tree->n_nodes;
}

/* The same with distances from the means. */
static void walk_again(const check *c, uint32_t row, double *deviance)
{
    double w = weight_at(c, row), y = response_at(c, row);
    for (uint32_t node = c->tree->roots[0];; node = step(c, node, row)) {
        double off = y - c->sums.mean[node];
        c->sums.rest[node] += w * off;
        deviance[node] += w * off * off;
        if (c->tree->feature[node] < 0) return;
    }
}

static int agrees(const check *c, uint32_t node)
{
    const ct_forest *tree = c->tree;
    uint32_t n = c->sums.rows[node];
    int is_leaf = tree->feature[node] < 0, is_root = node == tree->roots[0];
    if (is_leaf && !is_root && n < c->rules->min_bucket) return 0;
    if (!is_leaf && n < c->rules->min_split) return 0;
    if (tree->weights && !(fabs(c->sums.weight[node] - tree->weights[node]) <=
                           1e-9 * c->sums.weight[tree->roots[0]]))
        return 0;
    return n && n == tree->counts[node];
}

/* The means; of rows without weight the root's. */
static void set_values(const check *c)
{
    double centre = c->costs->response->centre;
    for (uint32_t node = 0; node < c->tree->n_nodes; node++) {
        double weight = c->sums.weight[node];
        c->sums.mean[node] = weight > 0 ? c->sums.sum[node] / weight
                                        : c->sums.mean[c->tree->roots[0]];
        c->tree->values[node] = centre + c->sums.mean[node];
    }
}

/* What the means were off by is taken out again. */
static void settle_deviance(const check *c, double *deviance)
{
    for (uint32_t node = 0; node < c->tree->n_nodes; node++) {
        double weight = c->sums.weight[node], rest = c->sums.rest[node];
        if (weight > 0) deviance[node] = fmax(deviance[node] - rest * rest / weight, 0);
    }
}

static ct_status count_again(const check *c, uint32_t *leaf_of_row, ct_response_facts *facts,
                             ct_error *error)
{
    ct_forest *tree = c->tree;
    for (uint32_t node = 0; node < tree->n_nodes; node++)
        if (!node_is_sound(c, node))
            return ct_fail(error, CT_INTERNAL, "check: node %lu is malformed",
                           (unsigned long) node);
    for (uint32_t row = 0; row < c->data->n_rows; row++) {
        uint32_t leaf = walk(c, row);
        if (leaf == tree->n_nodes)
            return ct_fail(error, CT_INTERNAL, "check: the tree is too deep");
        if (leaf_of_row) leaf_of_row[row] = leaf;
    }
    set_values(c);
    for (uint32_t row = 0; row < c->data->n_rows; row++) walk_again(c, row, facts->deviance);
    settle_deviance(c, facts->deviance);
    for (uint32_t node = 0; node < tree->n_nodes; node++) {
        if (!agrees(c, node))
            return ct_fail(error, CT_INTERNAL,
                           "check: the rows of node %lu are not as many as they should be",
                           (unsigned long) node);
        facts->splits += tree->feature[node] >= 0;
        if (tree->feature[node] >= 0) continue;
        facts->cost += ct_full_cost(&c->costs->response->full, &c->sums.on_grid[node]);
        facts->sse += facts->deviance[node];
    }
    return CT_OK;
}

ct_status ct_response_check(const ct_data *data, const ct_costs *costs, ct_forest *tree,
                            const ct_tree_rules *rules, uint32_t *leaf_of_row,
                            ct_response_facts *facts, ct_error *error)
{
    size_t n = tree->n_nodes;
    check c = {data, costs, tree, rules, {0}};
    CT_ASSERT(data->response && tree->values && tree->n_values == 1 && facts->deviance);
    c.sums.rows = (uint32_t *) ct_alloc(n * sizeof *c.sums.rows);
    c.sums.weight = (double *) ct_alloc(4 * n * sizeof *c.sums.weight);
    c.sums.on_grid = (ct_full_sums *) ct_alloc(n * sizeof *c.sums.on_grid);
    facts->sse = 0;
    facts->cost = facts->splits = 0;
    ct_status status = CT_OK;
    if (!c.sums.rows || !c.sums.weight || !c.sums.on_grid) {
        status = ct_fail(error, CT_NO_MEMORY, "not enough memory to check the tree");
    } else {
        c.sums.sum = c.sums.weight + n;
        c.sums.rest = c.sums.sum + n;
        c.sums.mean = c.sums.rest + n;
        memset(c.sums.rows, 0, n * sizeof *c.sums.rows);
        memset(c.sums.on_grid, 0, n * sizeof *c.sums.on_grid);
        for (size_t i = 0; i < 4 * n; i++) c.sums.weight[i] = 0;
        for (size_t i = 0; i < n; i++) facts->deviance[i] = 0;
        status = count_again(&c, leaf_of_row, facts, error);
    }
    ct_free(c.sums.rows);
    ct_free(c.sums.weight);
    ct_free(c.sums.on_grid);
    return status;
}
