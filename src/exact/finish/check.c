#include "base/compact.h"

#include "exact/finish/check.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sum.h"

/* By how much of themselves two sums of the same weights and losses may differ: integers that stand
 * for decimals, and products of doubles, are off by their last bits. */
static const double LAST_BITS = 0x1p-46;

typedef struct {
    const ct_data *data;
    const ct_forest *tree;
    const ct_tree_rules *rules;
    uint32_t *counts; /* [n_nodes][n_classes] recounted */
    ct_sum *weights;  /* [n_nodes][n_classes] of the rows; NULL: 1 each */
    uint32_t *level;  /* [n_nodes] from 1 at the root; 0: no parent was seen */
} check;

static int node_is_sound(const check *c, uint32_t node)
{
    const ct_forest *tree = c->tree;
    int is_leaf = tree->feature[node] < 0;
    if (tree->label[node] < 0 || (uint32_t) tree->label[node] >= tree->n_classes) return 0;
    if (is_leaf) return tree->left[node] == 0 && tree->right[node] == 0;
    return (uint32_t) tree->feature[node] < c->data->n_cols && isfinite(tree->threshold[node]) &&
           tree->left[node] > node && tree->left[node] < tree->n_nodes &&
           tree->right[node] > node && tree->right[node] < tree->n_nodes;
}

/* Every node has one parent but the root, which has none, and none is too deep. */
static ct_status check_shape(const check *c, ct_error *error)
{
    const ct_forest *tree = c->tree;
    memset(c->level, 0, tree->n_nodes * sizeof *c->level);
    c->level[tree->roots[0]] = 1;
    for (uint32_t node = 0; node < tree->n_nodes; node++) {
        uint32_t level = c->level[node], children[2] = {tree->left[node], tree->right[node]};
        if (!node_is_sound(c, node) || !level)
            return ct_fail(error, CT_INTERNAL, "check: node %lu is malformed",
                           (unsigned long) node);
        if (level > c->rules->max_depth + 1)
            return ct_fail(error, CT_INTERNAL, "check: the tree is too deep");
        for (int side = 0; side < 2 && tree->feature[node] >= 0; side++) {
            if (c->level[children[side]])
                return ct_fail(error, CT_INTERNAL, "check: node %lu has two parents",
                               (unsigned long) children[side]);
            c->level[children[side]] = level + 1;
        }
    }
    return CT_OK;
}

/* The leaf of a row. Its ways are as good as random, so that a branch would often be foretold
 * wrongly. */
static uint32_t leaf_of(const check *c, uint32_t row)
{
    const ct_forest *tree = c->tree;
    uint32_t node = tree->roots[0];
    for (int32_t feature; (feature = tree->feature[node]) >= 0;) {
        uint32_t left = tree->left[node], right = tree->right[node];
        double x = ct_column_value(&c->data->columns[feature], row);
        node = right ^ ((left ^ right) & -(uint32_t) (x < tree->threshold[node]));
    }
    return node;
}

/* Counts the rows in their leaves, then up to the root. */
static void count_rows(const check *c, uint32_t *leaf_of_row)
{
    const ct_forest *tree = c->tree;
    size_t n_classes = tree->n_classes;
    for (uint32_t row = 0; row < c->data->n_rows; row++) {
        uint32_t leaf = leaf_of(c, row);
        size_t at = leaf * n_classes + (uint32_t) c->data->classes[row];
        c->counts[at]++;
        if (c->weights) ct_sum_add(&c->weights[at], c->data->weights[row]);
        if (leaf_of_row) leaf_of_row[row] = leaf;
    }
    for (uint32_t node = tree->n_nodes; node-- > 0;) {
        if (tree->feature[node] < 0) continue;
        size_t at = node * n_classes, left = tree->left[node] * n_classes,
               right = tree->right[node] * n_classes;
        for (size_t k = 0; k < n_classes; k++) {
            c->counts[at + k] = c->counts[left + k] + c->counts[right + k];
            if (!c->weights) continue;
            c->weights[at + k] = c->weights[left + k];
            ct_sum_join(&c->weights[at + k], &c->weights[right + k]);
        }
    }
}

/* What label `label` costs the rows of a node: weights by class, or counts. */
static double label_cost(const check *c, uint32_t node, size_t label)
{
    size_t n = c->tree->n_classes;
    ct_sum cost = {0, 0};
    for (size_t k = 0; k < n; k++) {
        double loss = c->data->loss ? c->data->loss[k * n + label] : k != label;
        ct_sum_add(&cost, loss * (c->weights ? ct_sum_value(&c->weights[node * n + k])
                                             : c->counts[node * n + k]));
    }
    return ct_sum_value(&cost);
}

/* No other label is cheaper by more than last bits, and without losses and weights none before it
 * as cheap. */
static int label_is_best(const check *c, uint32_t node)
{
    size_t label = (size_t) c->tree->label[node];
    CT_ASSERT(label < c->tree->n_classes);
    int plain = !c->data->weights && !c->data->loss;
    double cost = label_cost(c, node, label),
           least = plain ? cost : cost * (1 - LAST_BITS);
    for (size_t k = 0; k < c->tree->n_classes; k++) {
        double other = label_cost(c, node, k);
        if (other < least || (plain && other == cost && k < label)) return 0;
    }
    return 1;
}

static int weights_agree(const check *c, uint32_t node)
{
    size_t n = c->tree->n_classes;
    for (size_t k = node * n; k < (node + 1) * n; k++) {
        double weight = ct_sum_value(&c->weights[k]);
        if (fabs(weight - c->tree->weights[k]) > LAST_BITS * weight) return 0;
    }
    return 1;
}

/* The node's recount is what the tree says and large enough, and its label the best one. */
static int counts_agree(const check *c, uint32_t node)
{
    size_t n_classes = c->tree->n_classes;
    const uint32_t *counted = c->counts + node * n_classes;
    uint32_t total = 0;
    for (size_t k = 0; k < n_classes; k++) total += counted[k];
    if (!label_is_best(c, node)) return 0;
    int is_leaf = c->tree->feature[node] < 0, is_root = node == c->tree->roots[0];
    if (is_leaf && !is_root && total < c->rules->min_bucket) return 0;
    if (!is_leaf && total < c->rules->min_split) return 0;
    if (c->weights && !weights_agree(c, node)) return 0;
    return total &&
           !memcmp(counted, c->tree->counts + node * n_classes, n_classes * sizeof *counted);
}

static ct_status recount(const check *c, uint32_t *leaf_of_row, double *objective, uint32_t *splits,
                         ct_error *error)
{
    ct_sum sum = {0, 0};
    CT_TRY(check_shape(c, error));
    count_rows(c, leaf_of_row);
    for (uint32_t node = 0; node < c->tree->n_nodes; node++) {
        if (!counts_agree(c, node))
            return ct_fail(error, CT_INTERNAL,
                           "check: the rows of node %lu are not as many as they should be",
                           (unsigned long) node);
        *splits += c->tree->feature[node] >= 0;
        if (c->tree->feature[node] < 0)
            ct_sum_add(&sum, label_cost(c, node, (size_t) c->tree->label[node]));
    }
    *objective = ct_sum_value(&sum);
    return CT_OK;
}

ct_status ct_check(const ct_data *data, const ct_forest *tree, const ct_tree_rules *rules,
                   uint32_t *leaf_of_row, double *objective, uint32_t *splits, ct_error *error)
{
    size_t size = (size_t) tree->n_nodes * tree->n_classes;
    check c = {data, tree, rules, NULL, NULL, NULL};
    *objective = 0;
    *splits = 0;
    c.counts = (uint32_t *) ct_alloc(size * sizeof *c.counts);
    c.weights = data->weights ? (ct_sum *) ct_alloc(size * sizeof *c.weights) : NULL;
    c.level = (uint32_t *) ct_alloc(tree->n_nodes * sizeof *c.level);
    ct_status status = CT_OK;
    if (!c.counts || !c.level || (data->weights && !c.weights)) {
        status = ct_fail(error, CT_NO_MEMORY, "not enough memory to check the tree");
    } else {
        memset(c.counts, 0, size * sizeof *c.counts);
        for (size_t i = 0; c.weights && i < size; i++) c.weights[i] = (ct_sum){0, 0};
        status = recount(&c, leaf_of_row, objective, splits, error);
    }
    ct_free(c.counts);
    ct_free(c.weights);
    ct_free(c.level);
    return status;
}
