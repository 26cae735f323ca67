#include "base/compact.h"

#include "policy/finish.h"

#include <string.h>

#include "base/memory.h"
#include "base/sum.h"

/* ---- nodes ---- */

static uint32_t count_nodes(const ct_policy_tree *tree, uint32_t at, unsigned depth)
{
    if (!depth || tree->splits[at].column < 0) return 1;
    return 1 + count_nodes(tree, 2 * at + 1, depth - 1) + count_nodes(tree, 2 * at + 2, depth - 1);
}

/* In preorder; returns the number of the node. */
static uint32_t add_node(ct_forest *forest, const ct_policy_data *data, const ct_policy_tree *tree,
                         uint32_t at, unsigned depth)
{
    const uint32_t node = forest->n_nodes++;
    const ct_policy_split *split = &tree->splits[at];
    forest->feature[node] = -1;
    forest->threshold[node] = 0;
    forest->left[node] = forest->right[node] = 0;
    forest->default_left[node] = 0;
    forest->label[node] = 0;
    if (!depth || split->column < 0) return node;
    CT_ASSERT((uint32_t) split->column < data->n_cols);
    const ct_column *column = &data->columns[split->column];
    forest->feature[node] = split->column;
    forest->threshold[node] = ct_threshold_between(ct_column_value(column, split->below),
                                                   ct_column_value(column, split->above));
    forest->left[node] = add_node(forest, data, tree, 2 * at + 1, depth - 1);
    forest->right[node] = add_node(forest, data, tree, 2 * at + 2, depth - 1);
    return node;
}

/* ---- what they say ---- */

static uint32_t leaf_of(const ct_forest *tree, const ct_policy_data *data, uint32_t row)
{
    uint32_t node = 0;
    while (tree->feature[node] >= 0) {
        const double x = ct_column_value(&data->columns[tree->feature[node]], row);
        node = x < tree->threshold[node] ? tree->left[node] : tree->right[node];
    }
    return node;
}

/* Nodes that come later are children of earlier ones. */
static void add_up(const ct_forest *tree, uint32_t *n, int64_t *exact, ct_sum *sums, size_t k)
{
    for (uint32_t node = tree->n_nodes; node-- > 0;) {
        if (tree->feature[node] < 0) continue;
        const uint32_t sides[2] = {tree->left[node], tree->right[node]};
        for (int s = 0; s < 2; s++) {
            n[node] += n[sides[s]];
            for (size_t a = 0; a < k; a++) {
                exact[node * k + a] += exact[sides[s] * k + a];
                ct_sum_join(&sums[node * k + a], &sums[sides[s] * k + a]);
            }
        }
        tree->default_left[node] = n[sides[0]] >= n[sides[1]];
    }
}

static void count_rows(const ct_policy_data *data, const ct_policy_costs *costs,
                       const ct_forest *tree, uint32_t *leaf_of_row, uint32_t *n, int64_t *exact,
                       ct_sum *sums)
{
    const size_t k = data->n_actions;
    for (uint32_t row = 0; row < data->n_rows; row++) {
        const uint32_t leaf = leaf_of_row[row] = leaf_of(tree, data, row);
        n[leaf]++;
        for (size_t a = 0; a < k; a++) {
            exact[leaf * k + a] += costs->exact[row * k + a];
            ct_sum_add(&sums[leaf * k + a], data->rewards[a * data->n_rows + row]);
        }
    }
    add_up(tree, n, exact, sums, k);
}

/* The action and what the node costs with it, and the mean rewards. */
static int64_t say_node(const ct_policy_costs *costs, ct_policy_result *result, uint32_t node,
                        const int64_t *exact, const ct_sum *sums)
{
    uint32_t best = 0;
    for (uint32_t a = 0; a < costs->n_actions; a++) {
        if (exact[a] < exact[best]) best = a;
        result->tree.values[(size_t) node * costs->n_actions + a] =
            ct_sum_value(&sums[a]) / result->n[node];
    }
    result->action[node] = best;
    result->regret[node] = ct_policy_reward_of(costs, exact[best]);
    return exact[best];
}

static ct_status check_tree(const ct_policy_options *options, const ct_policy_costs *costs,
                            const ct_policy_tree *tree, const ct_policy_result *result,
                            int64_t cost, ct_error *error)
{
    int64_t splits = 0;
    for (uint32_t node = 0; node < result->tree.n_nodes; node++) {
        splits += result->tree.feature[node] >= 0;
        if (node && result->n[node] < (options->min_bucket ? options->min_bucket : 1))
            return ct_fail(error, CT_INTERNAL, "a leaf of the policy tree has too few rows");
    }
    if (cost + splits * costs->price != tree->cost)
        return ct_fail(error, CT_INTERNAL,
                       "the rewards of the policy tree are not those that the search has counted");
    return CT_OK;
}

/* ---- all ---- */

static ct_status make_result(ct_policy_result *result, uint32_t n_nodes, uint32_t n_actions,
                             ct_error *error)
{
    CT_TRY(ct_forest_init(&result->tree, 1, n_nodes, 0, error));
    CT_TRY(ct_forest_add_values(&result->tree, n_actions, error));
    result->action = (uint32_t *) ct_alloc(n_nodes * sizeof *result->action);
    result->n = (uint32_t *) ct_alloc_zeroed(n_nodes, sizeof *result->n);
    result->regret = (double *) ct_alloc(n_nodes * sizeof *result->regret);
    if (!result->action || !result->n || !result->regret)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for the tree");
    return CT_OK;
}

static ct_status say_all(const ct_policy_data *data, const ct_policy_options *options,
                         const ct_policy_costs *costs, const ct_policy_tree *tree,
                         ct_policy_result *result, uint32_t *leaf_of_row, int64_t *exact,
                         ct_sum *sums, ct_error *error)
{
    const size_t k = data->n_actions, size = result->tree.n_nodes * k;
    int64_t cost = 0;
    memset(exact, 0, size * sizeof *exact);
    memset(sums, 0, size * sizeof *sums);
    count_rows(data, costs, &result->tree, leaf_of_row, result->n, exact, sums);
    for (uint32_t node = 0; node < result->tree.n_nodes; node++) {
        const int64_t own = say_node(costs, result, node, exact + node * k, sums + node * k);
        if (result->tree.feature[node] < 0) cost += own;
    }
    return check_tree(options, costs, tree, result, cost, error);
}

ct_status ct_policy_finish(const ct_policy_data *data, const ct_policy_options *options,
                           const ct_policy_costs *costs, const ct_policy_tree *tree,
                           ct_policy_result *result, uint32_t *leaf_of_row, ct_error *error)
{
    CT_ASSERT(data->n_rows == costs->n_rows && data->n_actions == costs->n_actions);
    CT_ASSERT(options->depth <= CT_POLICY_DEPTH && tree->cost >= 0);
    const uint32_t n_nodes = count_nodes(tree, 0, options->depth);
    CT_TRY(make_result(result, n_nodes, data->n_actions, error));
    result->tree.roots[0] = 0;
    add_node(&result->tree, data, tree, 0, options->depth);
    const size_t size = (size_t) n_nodes * data->n_actions;
    int64_t *exact = (int64_t *) ct_alloc(size * sizeof *exact);
    ct_sum *sums = (ct_sum *) ct_alloc(size * sizeof *sums);
    ct_status status = exact && sums
                           ? say_all(data, options, costs, tree, result, leaf_of_row, exact, sums,
                                     error)
                           : ct_fail(error, CT_NO_MEMORY, "not enough memory for the tree");
    ct_free(sums);
    ct_free(exact);
    return status;
}
