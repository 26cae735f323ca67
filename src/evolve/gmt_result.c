#include "base/compact.h"

#include "evolve/gmt_result.h"

#include <math.h>

#include "base/memory.h"
#include "evolve/conditions.h"

typedef struct {
    const ct_gmt_model_data *data;
    const ct_model_tree *tree;
    ct_gmt *gmt;
} writer;

/* Nodes of the search in preorder: their nodes, and the forest's children. */
static uint32_t number_nodes(const ct_model_tree *tree, int32_t node, ct_forest *forest,
                             int32_t *nodes)
{
    uint32_t number = forest->n_nodes++;
    nodes[number] = node;
    forest->left[number] = forest->right[number] = 0;
    if (ct_gmt_is_leaf(tree, node)) return number;
    forest->left[number] = number_nodes(tree, tree->nodes[node].left, forest, nodes);
    forest->right[number] = number_nodes(tree, tree->nodes[node].right, forest, nodes);
    return number;
}

/* The largest value on the left and the least on the right; whether rows without one are there. */
typedef struct {
    double below, above;
    int any_below, any_above, any_missing;
} gap;

static gap gap_of(const ct_model_tree *tree, int32_t node, const ct_column *column)
{
    CT_ASSERT(tree->rows && tree->nodes[node].begin < tree->nodes[node].end);
    const ct_model_node *at = &tree->nodes[node];
    gap g = {0, 0, 0, 0, 0};
    for (uint32_t i = at->begin; i < at->end; i++) {
        uint32_t row = tree->rows[i];
        if (ct_column_missing(column, row)) {
            g.any_missing = 1;
            continue;
        }
        double x = ct_column_value(column, row);
        if (ct_gmt_goes_left(tree->table, &at->test, row)) {
            if (!g.any_below || x > g.below) g.below = x;
            g.any_below = 1;
        } else {
            if (!g.any_above || x < g.above) g.above = x;
            g.any_above = 1;
        }
    }
    return g;
}

static ct_status write_levels(ct_forest *forest, uint32_t number, const ct_gmt_test *test,
                              uint32_t n_levels, ct_error *error)
{
    uint8_t *left = (uint8_t *) ct_alloc(n_levels + 1);
    if (!left) return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    for (uint32_t level = 0; level < n_levels; level++)
        left[level] = (uint8_t) (test->levels[level / 64] >> (level % 64) & 1);
    left[n_levels] = forest->default_left[number];
    forest->levels_left[number] = left;
    forest->n_levels[number] = n_levels;
    return CT_OK;
}

static ct_status write_split(const writer *w, uint32_t number, int32_t node, ct_error *error)
{
    CT_ASSERT(number < w->gmt->forest.n_nodes && !ct_gmt_is_leaf(w->tree, node));
    const ct_model_tree *tree = w->tree;
    const ct_model_node *at = &tree->nodes[node];
    const uint32_t s = (uint32_t) at->test.splitter, column = w->data->splitters[s];
    ct_forest *forest = &w->gmt->forest;
    gap g = gap_of(tree, node, &w->data->columns[column]);
    const ct_model_node *left = &tree->nodes[at->left], *right = &tree->nodes[at->right];
    forest->feature[number] = (int32_t) column;
    forest->default_left[number] = (uint8_t) (g.any_missing
                                                  ? at->test.missing_left != 0
                                                  : left->end - left->begin >=
                                                        right->end - right->begin);
    w->gmt->learned[number] = (uint8_t) g.any_missing;
    if (w->data->n_levels[s])
        return write_levels(forest, number, &at->test, w->data->n_levels[s], error);
    forest->threshold[number] = !g.any_above   ? INFINITY
                                : !g.any_below ? -INFINITY
                                               : ct_threshold_between(g.below, g.above);
    return CT_OK;
}

/* Models of all nodes, since a tree may be cut anywhere. */
static ct_status write_models(const writer *w, ct_error *error)
{
    ct_forest *forest = &w->gmt->forest;
    const ct_gmt_node_models *models = &w->gmt->models;
    uint32_t n_terms = 0;
    for (size_t i = 0; i < (size_t) models->n_nodes * models->p; i++)
        n_terms += i % models->p != 0 && models->coefficients[i] != 0;
    CT_TRY(ct_forest_add_terms(forest, n_terms, error));
    n_terms = 0;
    for (uint32_t node = 0; node < models->n_nodes; node++) {
        const double *b = models->coefficients + (size_t) node * models->p;
        forest->first_term[node] = n_terms;
        forest->values[node] = b[0];
        for (uint32_t k = 1; k < models->p; k++) {
            if (b[k] == 0) continue;
            forest->term_column[n_terms] = w->data->regressors[k - 1];
            forest->coefficient[n_terms++] = b[k];
        }
    }
    forest->first_term[models->n_nodes] = n_terms;
    return CT_OK;
}

/* By the columns of z, of which the intercept is the first. */
static void write_dropped(const writer *w, uint32_t number, const ct_model_node *at)
{
    const uint32_t p = w->data->n_regressors + 1;
    uint8_t *dropped = w->gmt->dropped + (size_t) number * p;
    for (uint32_t k = 0; k < p; k++) dropped[k] = (uint8_t) ct_is_omitted(at->omitted, k);
}

static ct_status new_forest(ct_forest *forest, uint32_t n_nodes, ct_error *error)
{
    CT_TRY(ct_forest_init(forest, 1, n_nodes, 0, error));
    forest->roots[0] = 0;
    return ct_forest_add_levels(forest, error);
}

static ct_status write_nodes(const writer *w, uint32_t n_nodes, int32_t *nodes, ct_error *error)
{
    ct_gmt *gmt = w->gmt;
    ct_forest *forest = &gmt->forest;
    number_nodes(w->tree, 0, forest, nodes);
    for (uint32_t number = 0; number < n_nodes; number++) {
        const ct_model_node *at = &w->tree->nodes[nodes[number]];
        forest->feature[number] = -1;
        forest->threshold[number] = NAN;
        forest->default_left[number] = gmt->learned[number] = 0;
        write_dropped(w, number, at);
        if (at->test.splitter >= 0) {
            CT_TRY(write_split(w, number, nodes[number], error));
            continue;
        }
        for (uint32_t i = at->begin; i < at->end; i++)
            gmt->where[w->tree->rows[i]] = (int32_t) number;
    }
    return CT_OK;
}

ct_status ct_gmt_write(const ct_gmt_model_data *data, const ct_model_tree *tree, unsigned threads,
                       ct_gmt *gmt, ct_error *error)
{
    ct_model_tree_is_sound(tree);
    const writer w = {data, tree, gmt};
    ct_forest *forest = &gmt->forest;
    uint32_t n_nodes = 2 * tree->n_leaves - 1;
    CT_TRY(new_forest(forest, n_nodes, error));
    gmt->where = (int32_t *) ct_alloc(data->n_rows * sizeof *gmt->where);
    gmt->learned = (uint8_t *) ct_alloc(n_nodes);
    gmt->dropped = (uint8_t *) ct_alloc((size_t) n_nodes * (data->n_regressors + 1));
    int32_t *nodes = (int32_t *) ct_alloc(n_nodes * sizeof *nodes);
    ct_status status = gmt->where && gmt->learned && gmt->dropped && nodes
                           ? write_nodes(&w, n_nodes, nodes, error)
                           : ct_fail(error, CT_NO_MEMORY, "not enough memory");
    ct_free(nodes);
    CT_TRY(status);
    CT_TRY(ct_gmt_node_models_fit(&gmt->models, data, n_nodes, forest->left, forest->right,
                                  gmt->where, gmt->dropped, threads, error));
    return write_models(&w, error);
}
