#include "search/check.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"

typedef struct {
    const ct_data *data;
    const ct_forest *tree;
    const ct_tree_rules *rules;
    uint32_t *counts; /* [n_nodes][n_classes] recounted */
} check;

static int node_is_sound(const check *c, uint32_t node)
{
    const ct_forest *tree = c->tree;
    int is_leaf = tree->feature[node] < 0;
    if (tree->label[node] < 0 || (uint32_t) tree->label[node] >= tree->n_classes) return 0;
    if (is_leaf) return tree->left[node] == 0 && tree->right[node] == 0;
    return (uint32_t) tree->feature[node] < c->data->n_cols && isfinite(tree->threshold[node]) &&
           tree->left[node] > node && tree->left[node] < tree->n_nodes && tree->right[node] > node &&
           tree->right[node] < tree->n_nodes;
}

/* The leaf of a row, or n_nodes if the way is longer than the tree may be deep. Counts the row in every node passed. */
static uint32_t walk(const check *c, uint32_t row)
{
    uint32_t node = c->tree->roots[0];
    for (unsigned level = 0; level <= c->rules->max_depth; level++) {
        c->counts[(size_t) node * c->tree->n_classes + (uint32_t) c->data->classes[row]]++;
        if (c->tree->feature[node] < 0) return node;
        double x = ct_column_value(&c->data->columns[c->tree->feature[node]], row);
        node = x < c->tree->threshold[node] ? c->tree->left[node] : c->tree->right[node];
    }
    return c->tree->n_nodes;
}

/* The node's recount is what the tree says and large enough, and its label the first of the largest classes. */
static int counts_agree(const check *c, uint32_t node)
{
    size_t n_classes = c->tree->n_classes;
    const uint32_t *counted = c->counts + node * n_classes;
    uint32_t total = 0, at_label = counted[c->tree->label[node]];
    for (size_t k = 0; k < n_classes; k++) {
        total += counted[k];
        if (counted[k] > at_label || (counted[k] == at_label && k < (size_t) c->tree->label[node])) return 0;
    }
    int is_leaf = c->tree->feature[node] < 0, is_root = node == c->tree->roots[0];
    if (is_leaf && !is_root && total < c->rules->min_bucket) return 0;
    if (!is_leaf && total < c->rules->min_split) return 0;
    return total && !memcmp(counted, c->tree->counts + node * n_classes, n_classes * sizeof *counted);
}

static ct_status recount(const check *c, uint32_t *leaf_of_row, uint64_t *errors, uint32_t *splits, ct_error *error)
{
    for (uint32_t node = 0; node < c->tree->n_nodes; node++) {
        if (!node_is_sound(c, node))
            return ct_fail(error, CT_INTERNAL, "check: node %lu is malformed", (unsigned long) node);
        *splits += c->tree->feature[node] >= 0;
    }
    for (uint32_t row = 0; row < c->data->n_rows; row++) {
        uint32_t leaf = walk(c, row);
        if (leaf == c->tree->n_nodes) return ct_fail(error, CT_INTERNAL, "check: the tree is too deep");
        *errors += c->tree->label[leaf] != c->data->classes[row];
        if (leaf_of_row) leaf_of_row[row] = leaf;
    }
    for (uint32_t node = 0; node < c->tree->n_nodes; node++)
        if (!counts_agree(c, node))
            return ct_fail(error, CT_INTERNAL, "check: the rows of node %lu are not as many as they should be",
                           (unsigned long) node);
    return CT_OK;
}

ct_status ct_check(const ct_data *data, const ct_forest *tree, const ct_tree_rules *rules, uint32_t *leaf_of_row,
                   uint64_t *errors, uint32_t *splits, ct_error *error)
{
    check c = {data, tree, rules, NULL};
    size_t size = (size_t) tree->n_nodes * tree->n_classes * sizeof *c.counts;
    *errors = 0;
    *splits = 0;
    c.counts = (uint32_t *) ct_alloc(size);
    if (!c.counts) return ct_fail(error, CT_NO_MEMORY, "not enough memory to check the tree");
    memset(c.counts, 0, size);
    ct_status status = recount(&c, leaf_of_row, errors, splits, error);
    ct_free(c.counts);
    return status;
}
