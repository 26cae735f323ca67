#include "base/compact.h"

#include "exact/finish/response_tree.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sum.h"

/* ---- on the grid ---- */

static ct_full_sums sums_of(const ct_full *full, const uint32_t *rows, uint32_t n)
{
    ct_full_sums sums = {0, 0, 0, 0};
    for (uint32_t i = 0; i < n; i++) ct_full_add(full, rows[i], &sums);
    return sums;
}

int64_t ct_response_leaf(const ct_exact_costs *costs, const uint32_t *rows, uint32_t n)
{
    ct_full_sums sums = sums_of(&costs->response->full, rows, n);
    return ct_full_cost(&costs->response->full, &sums);
}

uint32_t ct_response_split(const ct_exact_costs *costs, const uint32_t *rows, const uint32_t *ranks,
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

/* By how much of themselves two sums of the same weights may differ. */
static const double LAST_BITS = 0x1p-50;

/* Sums over the rows of a node. Differences of responses have all their digits where these are near
 * each other, however far they are from those of other nodes. */
typedef struct {
    uint32_t rows;
    ct_sum weight;
    double from;        /* the response of a row that has a weight */
    ct_sum sum;         /* of w (y - from) */
    ct_sum rest, squares; /* of w (y - mean), nearly 0, and of w (y - mean)^2 */
    double below;       /* the last bit of the mean in the tree: what is left of the mean */
    ct_full_sums on_grid;
} recount;

typedef struct {
    const ct_data *data;
    const ct_exact_costs *costs;
    ct_forest *tree;
    const ct_tree_rules *rules;
    recount *nodes;
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

/* Adds a row to a node; of rows without weight the response may be any number. */
static void count(recount *node, const check *c, uint32_t row)
{
    double w = weight_at(c, row), y = c->data->response[row];
    node->rows++;
    ct_full_add(&c->costs->response->full, row, &node->on_grid);
    if (!(w > 0)) return;
    if (!(node->weight.high > 0)) node->from = y;
    ct_sum_add(&node->weight, w);
    ct_sum_add(&node->sum, w * (y - node->from));
}

/* Adds a row to all nodes on its way; returns its leaf, n_nodes if that is too deep. */
static uint32_t walk(const check *c, uint32_t row)
{
    uint32_t node = c->tree->roots[0];
    for (unsigned level = 0; level <= c->rules->max_depth; level++) {
        count(&c->nodes[node], c, row);
        if (c->tree->feature[node] < 0) return node;
        node = step(c, node, row);
    }
    return c->tree->n_nodes;
}

/* Sends a row down the tree once more, to add up squared distances from the means of nodes. */
static void walk_again(const check *c, uint32_t row)
{
    double w = weight_at(c, row);
    if (!(w > 0)) return;
    for (uint32_t node = c->tree->roots[0];; node = step(c, node, row)) {
        double off = c->data->response[row] - c->tree->values[node];
        ct_sum_add(&c->nodes[node].rest, w * off);
        ct_sum_add(&c->nodes[node].squares, w * off * off);
        if (c->tree->feature[node] < 0) return;
    }
}

static int agrees(const check *c, uint32_t node)
{
    const ct_forest *tree = c->tree;
    uint32_t n = c->nodes[node].rows;
    double weight = ct_sum_value(&c->nodes[node].weight);
    int is_leaf = tree->feature[node] < 0, is_root = node == tree->roots[0];
    if (is_leaf && !is_root && n < c->rules->min_bucket) return 0;
    if (!is_leaf && n < c->rules->min_split) return 0;
    if (tree->weights && !(fabs(weight - tree->weights[node]) <= LAST_BITS * weight)) return 0;
    return n && n == tree->counts[node];
}

/* The means; of rows without weight the root's. */
static void set_values(const check *c)
{
    for (uint32_t i = 0; i < c->tree->n_nodes; i++) {
        const recount *node = &c->nodes[i];
        double weight = ct_sum_value(&node->weight);
        c->tree->values[i] = weight > 0 ? node->from + ct_sum_value(&node->sum) / weight
                                        : c->tree->values[c->tree->roots[0]];
    }
}

/* What the means were off by is taken out of the squares, and put right. */
static void settle(const check *c, double *deviance)
{
    for (uint32_t i = 0; i < c->tree->n_nodes; i++) {
        recount *node = &c->nodes[i];
        double weight = ct_sum_value(&node->weight), rest = ct_sum_value(&node->rest);
        deviance[i] = 0;
        if (!(weight > 0)) continue;
        deviance[i] = fmax(ct_sum_value(&node->squares) - rest * (rest / weight), 0);
        double mean = c->tree->values[i] + rest / weight;
        node->below = rest / weight - (mean - c->tree->values[i]);
        c->tree->values[i] = mean;
    }
}

/* What the splits save, from the means on both sides. */
static void set_saved(const check *c, double *saved)
{
    const ct_forest *tree = c->tree;
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        saved[i] = 0;
        if (tree->feature[i] < 0) continue;
        uint32_t l = tree->left[i], r = tree->right[i];
        double left = ct_sum_value(&c->nodes[l].weight), right = ct_sum_value(&c->nodes[r].weight);
        if (!(left > 0 && right > 0)) continue;
        double off = tree->values[l] - tree->values[r] + (c->nodes[l].below - c->nodes[r].below);
        saved[i] = off * off * left * (right / (left + right));
    }
}

static ct_status count_again(const check *c, uint32_t *leaf_of_row, ct_response_facts *facts,
                             ct_error *error)
{
    ct_forest *tree = c->tree;
    ct_sum sse = {0, 0};
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
    for (uint32_t row = 0; row < c->data->n_rows; row++) walk_again(c, row);
    settle(c, facts->deviance);
    set_saved(c, facts->saved);
    for (uint32_t node = 0; node < tree->n_nodes; node++) {
        if (!agrees(c, node))
            return ct_fail(error, CT_INTERNAL,
                           "check: the rows of node %lu are not as many as they should be",
                           (unsigned long) node);
        facts->splits += tree->feature[node] >= 0;
        if (tree->feature[node] >= 0) continue;
        facts->cost += ct_full_cost(&c->costs->response->full, &c->nodes[node].on_grid);
        ct_sum_add(&sse, facts->deviance[node]);
    }
    facts->sse = ct_sum_value(&sse);
    return CT_OK;
}

ct_status ct_response_check(const ct_data *data, const ct_exact_costs *costs, ct_forest *tree,
                            const ct_tree_rules *rules, uint32_t *leaf_of_row,
                            ct_response_facts *facts, ct_error *error)
{
    size_t n = tree->n_nodes;
    check c = {data, costs, tree, rules, (recount *) ct_alloc(n * sizeof *c.nodes)};
    CT_ASSERT(data->response && tree->values && tree->n_values == 1 && facts->deviance &&
              facts->saved);
    facts->sse = 0;
    facts->cost = facts->splits = 0;
    if (!c.nodes) return ct_fail(error, CT_NO_MEMORY, "not enough memory to check the tree");
    memset(c.nodes, 0, n * sizeof *c.nodes);
    ct_status status = count_again(&c, leaf_of_row, facts, error);
    ct_free(c.nodes);
    return status;
}
