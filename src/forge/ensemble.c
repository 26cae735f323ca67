#include "base/compact.h"

#include "forge/ensemble.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static int is_float(double x)
{
    return !isfinite(x) || (fabs(x) <= 3.4028234663852886e38 && (double) (float) x == x);
}

static ct_status bad(ct_error *error, const char *what, uint32_t where)
{
    return ct_fail(error, CT_BAD_INPUT, "%s (at %u, from 1)", what, (unsigned) where + 1);
}

static ct_status check_sizes(const ct_forge_ensemble *e, ct_error *error)
{
    if (e->n_trees < 1 || e->n_trees > CT_FORGE_MOST_TREES)
        return ct_fail(error, CT_BAD_INPUT, "an ensemble has 1 to %d trees", CT_FORGE_MOST_TREES);
    if (e->n_nodes < e->n_trees || e->n_nodes > CT_FORGE_MOST_NODES)
        return ct_fail(error, CT_BAD_INPUT, "there are fewer nodes than trees, or too many");
    if (e->n_features > CT_FORGE_MOST_FEATURES)
        return ct_fail(error, CT_BAD_INPUT, "there are more than %d features",
                       CT_FORGE_MOST_FEATURES);
    if (e->n_outputs < 1 || e->n_outputs > CT_FORGE_MOST_OUTPUTS)
        return ct_fail(error, CT_BAD_INPUT, "an ensemble has 1 to %d outputs",
                       CT_FORGE_MOST_OUTPUTS);
    if (e->leaf_width != 1 && e->leaf_width != e->n_outputs)
        return ct_fail(error, CT_BAD_INPUT, "leaves have one value, or one for each output");
    return CT_OK;
}

static ct_status check_contract(const ct_forge_ensemble *e, ct_error *error)
{
    if ((e->less != CT_FORGE_LESS && e->less != CT_FORGE_LESS_EQUAL) ||
        (e->number != CT_FORGE_F32 && e->number != CT_FORGE_F64) ||
        (e->sum != CT_FORGE_F32 && e->sum != CT_FORGE_F64))
        return ct_fail(error, CT_BAD_INPUT, "the contract is none that is known");
    if (!isfinite(e->divisor) || !(e->divisor > 0))
        return ct_fail(error, CT_BAD_INPUT, "the divisor of the sums must be above 0");
    for (uint32_t k = 0; k < e->n_outputs; k++)
        if (!isfinite(e->base[k]) || (e->sum == CT_FORGE_F32 && !is_float(e->base[k])))
            return bad(error, "the base is not finite, or no float where sums are", k);
    return CT_OK;
}

/* A range may be infinite, and what stands for a missing value may be NaN: so is the sum then. */
static ct_status check_ranges(const ct_forge_ensemble *e, ct_error *error)
{
    if (!e->other) return CT_OK;
    if (e->first_code[0] != 0 || e->first_code[e->n_terms] != e->n_codes)
        return ct_fail(error, CT_BAD_INPUT, "the numbers of codes are not all there");
    for (uint32_t k = 0; k < e->n_terms; k++)
        if (e->first_code[k] > e->first_code[k + 1] || !(e->low[k] <= e->high[k]) ||
            isinf(e->other[k]))
            return bad(error, "a linear model's term is not what it should be", k);
    for (uint32_t i = 0; i < e->n_codes; i++)
        if (!isfinite(e->of_code[i])) return bad(error, "the number of a code is not finite", i);
    for (uint32_t i = 0; i < e->n_nodes; i++)
        if (!(e->lowest[i] <= e->highest[i]))
            return bad(error, "a linear model's range is empty", i);
    return CT_OK;
}

static ct_status check_models(const ct_forge_ensemble *e, ct_error *error)
{
    if (!e->first_term) return CT_OK;
    if (e->number != CT_FORGE_F64 || e->sum != CT_FORGE_F64 || e->leaf_width != 1)
        return ct_fail(error, CT_BAD_INPUT, "linear models are of doubles, one a leaf");
    if (e->first_term[0] != 0 || e->first_term[e->n_nodes] != e->n_terms)
        return ct_fail(error, CT_BAD_INPUT, "the terms of the linear models are not all there");
    for (uint32_t i = 0; i < e->n_nodes; i++)
        if (e->first_term[i] > e->first_term[i + 1] || !isfinite(e->intercept[i]))
            return bad(error, "a linear model is not what it should be", i);
    for (uint32_t k = 0; k < e->n_terms; k++)
        if (e->term_feature[k] >= e->n_features || !isfinite(e->slope[k]))
            return bad(error, "a linear model's term is not what it should be", k);
    return check_ranges(e, error);
}

static ct_status check_trees(const ct_forge_ensemble *e, ct_error *error)
{
    for (uint32_t t = 0; t < e->n_trees; t++) {
        uint32_t end = ct_forge_ensemble_end(e, t);
        if (e->roots[t] >= end || end > e->n_nodes || (t == 0 && e->roots[t] != 0))
            return bad(error, "the roots are not in order", t);
        if (e->output_of_tree[t] >= e->n_outputs || (e->leaf_width > 1 && e->output_of_tree[t]))
            return bad(error, "a tree's output is none of the ensemble's", t);
        if (!isfinite(e->weight[t]) || (e->sum == CT_FORGE_F32 && !is_float(e->weight[t])))
            return bad(error, "a tree's weight is not finite, or no float where sums are", t);
    }
    return CT_OK;
}

static ct_status check_leaf(const ct_forge_ensemble *e, uint32_t tree, uint32_t i, ct_error *error)
{
    for (uint32_t k = 0; k < e->leaf_width; k++) {
        double value = e->value[(uint64_t) i * e->leaf_width + k];
        if (!isfinite(value) || !isfinite(ct_forge_ensemble_term(e, tree, i, k)))
            return bad(error, "a leaf's value is not finite", i);
        if (e->sum == CT_FORGE_F32 && !is_float(value))
            return bad(error, "a leaf's value is no float, but sums are", i);
    }
    return CT_OK;
}

static ct_status check_split(const ct_forge_ensemble *e, uint32_t i, uint32_t end, ct_error *error)
{
    if (e->feature[i] < 0 || (uint32_t) e->feature[i] >= e->n_features)
        return bad(error, "a node's feature is none of the ensemble's", i);
    if (e->left[i] <= i || e->left[i] >= end || e->right[i] <= i || e->right[i] >= end)
        return bad(error, "a node's child is not behind it in its tree", i);
    if (e->default_left[i] > 1 || e->missing[i] >= CT_FORGE_N_MISSING)
        return bad(error, "a node's rule for missing values is none that is known", i);
    if (e->set_size[i]) {
        if (e->set_size[i] > CT_FORGE_MOST_CODES || e->set_first[i] > e->n_set_bits ||
            e->set_size[i] > e->n_set_bits - e->set_first[i] || e->set_else[i] > 1)
            return bad(error, "a node's set of codes is not there", i);
        if (e->missing[i] == CT_FORGE_MISSING_ZERO)
            return bad(error, "zero cannot be missing where it is a code", i);
    } else if (isnan(e->threshold[i])) {
        return bad(error, "a node's threshold is no number", i);
    } else if (e->number == CT_FORGE_F32 && !is_float(e->threshold[i])) {
        return bad(error, "a node's threshold is no float, but the input is", i);
    }
    return CT_OK;
}

/* A node that is no root is the child of one node: with children behind their parents that makes
 * trees of them. */
static ct_status check_nodes(const ct_forge_ensemble *e, uint8_t *parents, ct_error *error)
{
    memset(parents, 0, e->n_nodes);
    for (uint32_t t = 0; t < e->n_trees; t++) {
        uint32_t end = ct_forge_ensemble_end(e, t);
        for (uint32_t i = e->roots[t]; i < end; i++) {
            if (e->cover && !(isfinite(e->cover[i]) && e->cover[i] >= 0))
                return bad(error, "a node's cover is not finite, or below 0", i);
            if (i > e->roots[t] && parents[i] != 1)
                return bad(error, "a node is the child of none, or of several", i);
            if (e->feature[i] == -1) {
                CT_TRY(check_leaf(e, t, i, error));
                continue;
            }
            CT_TRY(check_split(e, i, end, error));
            if (parents[e->left[i]]++ || parents[e->right[i]]++)
                return bad(error, "two nodes share a child", i);
        }
    }
    return CT_OK;
}

ct_status ct_forge_ensemble_check(const ct_forge_ensemble *e, ct_error *error)
{
    CT_TRY(check_sizes(e, error));
    CT_TRY(check_contract(e, error));
    CT_TRY(check_models(e, error));
    CT_TRY(check_trees(e, error));
    uint8_t *parents = (uint8_t *) ct_alloc(e->n_nodes);
    if (!parents) return ct_fail(error, CT_NO_MEMORY, "not enough memory to check an ensemble");
    ct_status status = check_nodes(e, parents, error);
    ct_free(parents);
    return status;
}
