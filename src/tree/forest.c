#include "base/compact.h"

#include "tree/forest.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"

ct_status ct_forest_init(ct_forest *forest, uint32_t n_trees, uint32_t room, uint32_t n_classes,
                         ct_error *error)
{
    CT_ASSERT(n_trees > 0 && room >= n_trees);
    memset(forest, 0, sizeof *forest);
    forest->n_trees = n_trees;
    forest->room = room;
    forest->leaf = CT_LEAF_COUNTS;
    forest->n_classes = n_classes;
    if (n_classes > SIZE_MAX / 8 / ((size_t) room + 1))
        return ct_fail(error, CT_NO_MEMORY, "the tree is too large");
    forest->roots = (uint32_t *) ct_alloc(n_trees * sizeof *forest->roots);
    forest->feature = (int32_t *) ct_alloc(room * sizeof *forest->feature);
    forest->threshold = (double *) ct_alloc(room * sizeof *forest->threshold);
    forest->left = (uint32_t *) ct_alloc(room * sizeof *forest->left);
    forest->right = (uint32_t *) ct_alloc(room * sizeof *forest->right);
    forest->label = (int32_t *) ct_alloc(room * sizeof *forest->label);
    forest->default_left = (uint8_t *) ct_alloc(room * sizeof *forest->default_left);
    forest->counts = (uint32_t *) ct_alloc((size_t) room * n_classes * sizeof *forest->counts);
    if (!forest->roots || !forest->feature || !forest->threshold || !forest->left ||
        !forest->right || !forest->label || !forest->default_left || !forest->counts)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for a tree of %lu nodes",
                       (unsigned long) room);
    return CT_OK;
}

ct_status ct_forest_add_weights(ct_forest *forest, ct_error *error)
{
    CT_ASSERT(!forest->weights && forest->room > 0);
    size_t size = (size_t) forest->room * forest->n_classes;
    forest->weights = (double *) ct_alloc(size * sizeof *forest->weights);
    if (!forest->weights)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for the weights of the nodes");
    for (size_t i = 0; i < size; i++) forest->weights[i] = 0;
    return CT_OK;
}

ct_status ct_forest_add_levels(ct_forest *forest, ct_error *error)
{
    CT_ASSERT(!forest->n_levels && forest->room > 0);
    forest->n_levels = (uint32_t *) ct_alloc_zeroed(forest->room, sizeof *forest->n_levels);
    forest->levels_left = (uint8_t **) ct_alloc_zeroed(forest->room, sizeof *forest->levels_left);
    if (!forest->n_levels || !forest->levels_left) {
        ct_free(forest->levels_left);
        forest->levels_left = NULL;
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for the levels of the nodes");
    }
    return CT_OK;
}

ct_status ct_forest_add_values(ct_forest *forest, uint32_t n_values, ct_error *error)
{
    CT_ASSERT(forest->room > 0 && n_values > 0 && !forest->values);
    if (n_values > SIZE_MAX / 8 / ((size_t) forest->room + 1))
        return ct_fail(error, CT_NO_MEMORY, "the tree is too large");
    forest->leaf = CT_LEAF_VALUES;
    forest->n_values = n_values;
    forest->values = (double *) ct_alloc((size_t) forest->room * n_values * sizeof *forest->values);
    if (!forest->values)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for the values of the leaves");
    return CT_OK;
}

ct_status ct_forest_add_terms(ct_forest *forest, uint32_t n_terms, ct_error *error)
{
    CT_ASSERT(!forest->first_term && !forest->coefficient);
    CT_TRY(ct_forest_add_values(forest, 1, error));
    forest->leaf = CT_LEAF_LINEAR;
    forest->n_terms = n_terms;
    forest->first_term = (uint32_t *) ct_alloc(((size_t) forest->room + 1) *
                                               sizeof *forest->first_term);
    forest->term_column = (uint32_t *) ct_alloc((size_t) n_terms * sizeof *forest->term_column);
    forest->coefficient = (double *) ct_alloc((size_t) n_terms * sizeof *forest->coefficient);
    if (!forest->first_term || !forest->term_column || !forest->coefficient)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for the models of the leaves");
    return CT_OK;
}

void ct_forest_free(ct_forest *forest)
{
    ct_free(forest->roots);
    ct_free(forest->feature);
    ct_free(forest->threshold);
    ct_free(forest->left);
    ct_free(forest->right);
    ct_free(forest->label);
    ct_free(forest->default_left);
    ct_free(forest->counts);
    ct_free(forest->weights);
    for (uint32_t i = 0; forest->levels_left && i < forest->room; i++)
        ct_free(forest->levels_left[i]);
    ct_free(forest->n_levels);
    ct_free(forest->levels_left);
    ct_free(forest->values);
    ct_free(forest->first_term);
    ct_free(forest->term_column);
    ct_free(forest->coefficient);
    memset(forest, 0, sizeof *forest);
}

double ct_threshold_between(double a, double b)
{
    CT_ASSERT(a < b && isfinite(a) && isfinite(b));
    double middle = a + (b - a) / 2;
    if (!isfinite(middle)) middle = a / 2 + b / 2;
    CT_ASSERT(isfinite(middle));
    return middle > a && middle <= b ? middle : b;
}
