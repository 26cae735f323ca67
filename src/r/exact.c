/* .Call entries of the exact search.
 *
 * ffi_exact_solve(columns, y, n_classes, control): y are integer codes of n_classes classes from 1;
 * or a double vector without NA, with n_classes 0L, for a regression tree (control$loss is NULL
 * then). The list that comes back has for every node, the root first: feature (column from 1, 0 in
 * a leaf), threshold (NA in a leaf), left, right (from 1, 0 in a leaf), default_left; of classes
 * label, counts, weights (NULL without control$weights); of a regression tree in their place
 *
 *   value      weighted mean of y
 *   n          number of rows
 *   weight     sum of their weights, n without
 *   deviance   weighted sum of (y - value)^2
 *   saved      what a split takes off it, 0 in leaves
 *
 * and for the tree: where (the leaf of each row), objective (errors; of a regression tree the sum
 * of the leaves' deviances), cost (objective + split_cost * splits), bound (no tree costs less),
 * split_cost (of a regression tree complexity * deviance of the root), root_bounds, status, capped,
 * search, elapsed, simd, threads, device, device_note, history, interrupted, counted (see
 * counted_list()), part (NULL, or what r/part.c says of a search in parts, which control$part asks
 * for); of a regression tree also grid_error: the search compares y rounded to a grid, and
 * sqrt(deviance) of every tree is within grid_error of what it compares; 0 where all decimals of y
 * fit. max_gap and max_cost are in the units of `cost`; with max_cost a tree may come back that
 * costs more by what the grid takes off. */
#include "base/compact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "data/hash.h"
#include "exact/cost/penalty.h"
#include "tree/route.h"
#include "r/callbacks.h"
#include "r/exact.h"

/* ---- arguments ---- */

/* `value` where it fits into a size, all that fits otherwise. */
static size_t size_of(double value)
{
    CT_ASSERT(value >= 0);
    return value < (double) (SIZE_MAX / 2) ? (size_t) value : SIZE_MAX;
}

static uint32_t shortcuts_off(SEXP names)
{
    uint32_t off = 0;
    for (R_xlen_t i = 0; i < Rf_xlength(names); i++) {
        ct_exact_shortcut shortcut = ct_exact_shortcut_find(CHAR(STRING_ELT(names, i)));
        if (shortcut == CT_EXACT_N_SHORTCUTS)
            r_fail("there is no shortcut named '%s'", CHAR(STRING_ELT(names, i)));
        off |= UINT32_C(1) << shortcut;
    }
    return off;
}

static void set_device(ct_exact_options *options, SEXP device)
{
    static const ct_exact_device_wish wishes[] = {CT_EXACT_DEVICE_CPU, CT_EXACT_DEVICE_AUTO,
                                                  CT_EXACT_DEVICE_CUDA, CT_EXACT_DEVICE_TWIN};
    const ct_gpu_choice choice = r_device(device);
    options->device = wishes[choice.wish];
    if (choice.wish == CT_ON_CUDA) options->device_number = choice.number;
}

static ct_exact_options options_of(SEXP control)
{
    ct_exact_options options = ct_exact_options_default();
    double max_thresholds = r_number(control, "max_thresholds");
    double max_leaves = r_number(control, "max_leaves");
    SEXP simd = r_element(control, "simd"), switches = r_element(control, "switches");
    if (TYPEOF(simd) != STRSXP || Rf_xlength(simd) != 1 || TYPEOF(switches) != STRSXP)
        Rf_error("control elements 'simd' and 'switches' must be character vectors");
    options.depth = r_count(control, "depth");
    options.complexity = r_number(control, "complexity");
    options.min_bucket = r_count(control, "minbucket");
    options.min_split = r_count(control, "min_n");
    options.max_leaves = max_leaves < UINT32_MAX ? (uint32_t) max_leaves : 0;
    options.max_gap = r_number(control, "max_gap");
    options.max_cost = r_number(control, "max_cost");
    options.max_thresholds = max_thresholds < UINT32_MAX ? (uint32_t) max_thresholds : 0;
    options.time_limit = r_number(control, "time_limit");
    options.memory_limit = size_of(r_number(control, "memory_limit"));
    options.threads = r_threads(control);
    options.any_of_ties = r_number(control, "any_of_ties") != 0;
    options.any_size = r_number(control, "any_size") != 0;
    set_device(&options, r_element(control, "device"));
    options.simd = CHAR(STRING_ELT(simd, 0));
    options.off = shortcuts_off(switches);
    return options;
}

/* c(high, rest, splits): what so many splits cost together, high + rest units; NULL: what
 * `complexity` says. */
static void set_price(ct_exact_options *options, SEXP price)
{
    if (price == R_NilValue) return;
    if (TYPEOF(price) != REALSXP || Rf_xlength(price) != 3)
        Rf_error("control element 'price' must be NULL or 3 doubles");
    const double *given = REAL_RO(price);
    if (!(fabs(given[0]) < 0x1p62) || !(fabs(given[1]) < 0x1p62) || !(given[2] >= 1) ||
        !(given[2] < UINT32_MAX))
        Rf_error("control element 'price' must be a number of units and of splits");
    options->price_units = (int64_t) given[0] + (int64_t) given[1];
    options->price_splits = (uint32_t) given[2];
}

/* The tree to begin with, a list of the vectors of its nodes; memory of the call. */
static ct_exact_start start_of(SEXP list, uint32_t n_cols)
{
    ct_error error;
    ct_forest tree = r_tree_of(r_element(list, "feature"), r_element(list, "threshold"),
                               r_element(list, "left"), r_element(list, "right"),
                               r_element(list, "default_left"), R_NilValue);
    r_check(ct_forest_check(&tree, n_cols, &error), &error);
    ct_exact_start start = {tree.n_nodes, tree.feature, tree.threshold, tree.left, tree.right};
    return start;
}

const uint8_t *r_roots_of(SEXP allowed, uint32_t n_cols)
{
    if (TYPEOF(allowed) != LGLSXP || (uint32_t) Rf_xlength(allowed) != n_cols)
        Rf_error("control element 'roots' must be a logical, one value for each column");
    uint8_t *roots = (uint8_t *) R_alloc(n_cols ? n_cols : 1, 1);
    for (uint32_t col = 0; col < n_cols; col++) roots[col] = LOGICAL_RO(allowed)[col] == TRUE;
    return roots;
}

/* Codes from 0, -1 for NA; memory of the call. */
static int32_t *codes_of(SEXP y, uint32_t n_rows, const char *name)
{
    const int *given = r_integers(y, n_rows, name);
    int32_t *codes = (int32_t *) R_alloc(n_rows ? n_rows : 1, sizeof *codes);
    for (uint32_t row = 0; row < n_rows; row++)
        codes[row] = given[row] == NA_INTEGER ? -1 : given[row] - 1;
    return codes;
}

static r_problem regression_of(const r_columns *x, SEXP y, SEXP n_classes, const double *weights,
                               SEXP control)
{
    CT_ASSERT(TYPEOF(y) == REALSXP);
    if (Rf_asInteger(n_classes) != 0 || (uint32_t) Rf_xlength(y) != x->n_rows)
        Rf_error("a response must be one double for each row, without classes");
    if (r_element(control, "loss") != R_NilValue) Rf_error("a response has no losses");
    r_problem problem = {{x->n_rows, x->n_cols, 0, x->columns, NULL, weights, NULL, REAL_RO(y)},
                         options_of(control)};
    return problem;
}

r_problem r_problem_of(SEXP columns, SEXP y, SEXP n_classes, SEXP control)
{
    r_columns x = r_training_columns_of(columns);
    const double *weights = r_doubles_if(r_element(control, "weights"), x.n_rows, "weights");
    if (TYPEOF(y) == REALSXP) return regression_of(&x, y, n_classes, weights, control);
    uint32_t k = (uint32_t) Rf_asInteger(n_classes);
    const double *loss = r_doubles_if(r_element(control, "loss"), (R_xlen_t) k * k, "loss");
    /* only a loss makes an answer of a class without rows */
    if (k < 1 || (k > x.n_rows && !loss))
        Rf_error("there must be at least one class, and a row of each");
    r_problem problem = {{x.n_rows, x.n_cols, k, x.columns, codes_of(y, x.n_rows, "y"),
                          weights, loss, NULL},
                         options_of(control)};
    return problem;
}

const ct_outcome *r_outcome_of(SEXP labels, SEXP n_splits, const ct_data *data, ct_outcome *tree)
{
    if (labels == R_NilValue) return NULL;
    int splits = Rf_asInteger(n_splits);
    if (splits == NA_INTEGER || splits < 0 || (uint32_t) splits >= data->n_rows)
        Rf_error("a tree must have fewer splits than rows");
    uint32_t n_labels = data->response ? (uint32_t) splits + 1 : data->n_classes;
    const int32_t *codes = codes_of(labels, data->n_rows, "labels");
    for (uint32_t row = 0; row < data->n_rows; row++) {
        if (codes[row] < 0 || (uint32_t) codes[row] >= n_labels)
            Rf_error("row %lu has no such label", (unsigned long) row + 1);
    }
    *tree = (ct_outcome){codes, (uint32_t) splits};
    return tree;
}

/* ---- results ---- */

static void free_result(void *result) { ct_exact_result_free((ct_exact_result *) result); }

SEXP r_exact_result(ct_exact_result **result)
{
    SEXP owner = r_owner(sizeof **result, R_NilValue, free_result);
    *result = (ct_exact_result *) R_ExternalPtrAddr(owner);
    return owner;
}

/* Weights of the classes by node, a matrix; NULL if rows have no weights. */
static SEXP weights(const ct_forest *tree)
{
    if (!tree->weights) return R_NilValue;
    SEXP out = Rf_allocMatrix(REALSXP, (int) tree->n_nodes, (int) tree->n_classes);
    for (size_t i = 0; i < tree->n_nodes; i++)
        for (size_t c = 0; c < tree->n_classes; c++)
            REAL(out)[i + c * tree->n_nodes] = tree->weights[i * tree->n_classes + c];
    return out;
}

static SEXP counts(const ct_forest *tree)
{
    CT_ASSERT(tree->counts && tree->n_classes > 0);
    SEXP out = Rf_allocMatrix(REALSXP, (int) tree->n_nodes, (int) tree->n_classes);
    for (size_t i = 0; i < tree->n_nodes; i++)
        for (size_t c = 0; c < tree->n_classes; c++)
            REAL(out)[i + c * tree->n_nodes] = tree->counts[i * tree->n_classes + c];
    return out;
}

static SEXP statistics(const ct_exact_statistics *s)
{
    static const char *const names[] = {
#define NAME(field, name, text) name,
        CT_STATISTICS(NAME)
#undef NAME
    };
    const double values[] = {
#define VALUE(field, name, text) (double) s->field,
        CT_STATISTICS(VALUE)
#undef VALUE
    };
    return r_named_numbers(names, values, sizeof values / sizeof *values);
}

static SEXP history(const ct_exact_result *result)
{
    CT_ASSERT(result->history || !result->n_history);
    static const char *const names[] = {"time", "cost", "bound"};
    SEXP list = PROTECT(r_named_list(names, 3));
    for (int i = 0; i < 3; i++) SET_VECTOR_ELT(list, i, Rf_allocVector(REALSXP, result->n_history));
    for (uint32_t i = 0; i < result->n_history; i++) {
        REAL(VECTOR_ELT(list, 0))[i] = result->history[i].seconds;
        REAL(VECTOR_ELT(list, 1))[i] = result->history[i].upper;
        REAL(VECTOR_ELT(list, 2))[i] = result->history[i].lower;
    }
    UNPROTECT(1);
    return list;
}

static SEXP weight_or_n(const ct_forest *tree)
{
    if (tree->weights) return r_doubles_from(tree->weights, tree->n_nodes);
    SEXP out = Rf_allocVector(REALSXP, tree->n_nodes);
    for (uint32_t i = 0; i < tree->n_nodes; i++) REAL(out)[i] = tree->counts[i];
    return out;
}

/* What nodes say of their classes; returns how many elements that is. */
static int put_classes(SEXP list, const ct_forest *tree)
{
    CT_ASSERT(tree->label && tree->leaf != CT_LEAF_VALUES);
    int i = 0;
    SET_VECTOR_ELT(list, i++, r_integers_from((const uint32_t *) tree->label, tree->n_nodes, 1));
    SET_VECTOR_ELT(list, i++, counts(tree));
    SET_VECTOR_ELT(list, i++, weights(tree));
    return i;
}

/* What nodes say of the response, and the tree of its grid. */
static int put_response(SEXP list, const ct_exact_result *result)
{
    const ct_forest *tree = &result->tree;
    int i = 0;
    CT_ASSERT(tree->values && tree->n_values == 1);
    SET_VECTOR_ELT(list, i++, r_doubles_from(tree->values, tree->n_nodes));
    SET_VECTOR_ELT(list, i++, r_integers_from(tree->counts, tree->n_nodes, 0));
    SET_VECTOR_ELT(list, i++, weight_or_n(tree));
    SET_VECTOR_ELT(list, i++, r_doubles_from(result->deviance, tree->n_nodes));
    SET_VECTOR_ELT(list, i++, r_doubles_from(result->saved, tree->n_nodes));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(result->grid_error));
    return i;
}

/* list(unit, nodes, rest, least, least_rest, surely, within): see ct_exact_counted. */
static SEXP counted_list(const ct_exact_counted *counted, uint32_t n_nodes)
{
    static const char *const names[] = {"unit",       "nodes",  "rest",  "least",
                                        "least_rest", "surely", "within"};
    const ct_whole_numbers *nodes = &counted->nodes, *least = &counted->least;
    SEXP list = PROTECT(r_named_list(names, 7));
    SET_VECTOR_ELT(list, 0, Rf_ScalarReal(counted->unit));
    SET_VECTOR_ELT(list, 1, r_doubles_from(nodes->high, n_nodes));
    if (nodes->rest) SET_VECTOR_ELT(list, 2, r_doubles_from(nodes->rest, n_nodes));
    SET_VECTOR_ELT(list, 3, r_doubles_from(least->high, counted->n_least));
    if (least->rest) SET_VECTOR_ELT(list, 4, r_doubles_from(least->rest, counted->n_least));
    SET_VECTOR_ELT(list, 5, r_doubles_from(counted->surely, counted->n_least));
    SET_VECTOR_ELT(list, 6, Rf_ScalarLogical(counted->within));
    UNPROTECT(1);
    return list;
}

#define R_NODE_NAMES "feature", "threshold", "left", "right", "default_left"
#define R_TREE_NAMES                                                                               \
    "where", "objective", "cost", "bound", "split_cost", "root_bounds", "status", "capped",        \
        "search", "elapsed", "simd", "threads", "device", "device_note", "history", "interrupted", \
        "counted", "part"

SEXP r_result_list(const ct_exact_result *result, uint32_t n_cols, SEXP where, int interrupted,
                   SEXP part)
{
    static const char *const of_classes[] = {"label", "counts", "weights", R_NODE_NAMES,
                                             R_TREE_NAMES};
    static const char *const of_response[] = {"value",      "n",          "weight",     "deviance",
                                              "saved", "grid_error", R_NODE_NAMES, R_TREE_NAMES};
    const ct_forest *tree = &result->tree;
    int regression = tree->leaf == CT_LEAF_VALUES;
    CT_ASSERT(tree->n_nodes > 0 && TYPEOF(where) == INTSXP);
    SEXP list = PROTECT(regression
                            ? r_named_list(of_response, sizeof of_response / sizeof *of_response)
                            : r_named_list(of_classes, sizeof of_classes / sizeof *of_classes));
    int i = regression ? put_response(list, result) : put_classes(list, tree);
    i = r_put_nodes(list, i, tree);
    SET_VECTOR_ELT(list, i++, where);
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(result->errors));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(result->cost));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(result->bound));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(result->split_cost));
    SET_VECTOR_ELT(list, i++, r_doubles_from(result->root_bounds, n_cols));
    SET_VECTOR_ELT(list, i++, Rf_mkString(ct_exact_end_name(result->end)));
    SET_VECTOR_ELT(list, i++, Rf_ScalarLogical(result->capped));
    SET_VECTOR_ELT(list, i++, statistics(&result->statistics));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(result->seconds));
    SET_VECTOR_ELT(list, i++, Rf_mkString(result->simd));
    SET_VECTOR_ELT(list, i++, Rf_ScalarInteger((int) result->threads));
    SET_VECTOR_ELT(list, i++, Rf_mkString(result->device));
    SET_VECTOR_ELT(list, i++, Rf_mkString(result->device_note));
    SET_VECTOR_ELT(list, i++, history(result));
    SET_VECTOR_ELT(list, i++, Rf_ScalarLogical(interrupted));
    SET_VECTOR_ELT(list, i++, counted_list(&result->counted, tree->n_nodes));
    SET_VECTOR_ELT(list, i++, part);
    CT_ASSERT(i == Rf_xlength(list));
    UNPROTECT(1);
    return list;
}

/* ---- entries ---- */

SEXP ffi_exact_solve(SEXP columns, SEXP y, SEXP n_classes, SEXP control)
{
    r_problem problem = r_problem_of(columns, y, n_classes, control);
    const ct_data *data = &problem.data;
    ct_exact_options options = problem.options;
    SEXP start_list = r_element(control, "start");
    ct_exact_start start;
    if (start_list != R_NilValue) {
        start = start_of(start_list, data->n_cols);
        options.start = &start;
    }
    ct_outcome beside;
    options.beside = r_outcome_of(r_element(control, "beside"), r_element(control, "beside_splits"),
                                  data, &beside);
    options.within = options.beside ? r_number(control, "within") : 0;
    set_price(&options, r_element(control, "price"));
    SEXP roots = r_element(control, "roots");
    if (roots != R_NilValue) options.roots = r_roots_of(roots, data->n_cols);
    SEXP part = PROTECT(r_part_begin(r_element(control, "part"), &options, data->n_cols));
    r_callbacks calls;
    ct_error error;
    SEXP where = PROTECT(Rf_allocVector(INTSXP, data->n_rows));
    ct_exact_result *result;
    SEXP handle = PROTECT(r_exact_result(&result));
    PROTECT(r_callbacks_begin(&calls, r_element(control, "report"), &options));
    ct_status status = ct_exact_solve(data, &options, result, (uint32_t *) INTEGER(where), &error);
    r_callbacks_jump_if(&calls, handle);
    r_check(status, &error);
    for (uint32_t row = 0; row < data->n_rows; row++) {
        CT_ASSERT((uint32_t) INTEGER(where)[row] < result->tree.n_nodes);
        INTEGER(where)[row]++;
    }
    SEXP of_part = PROTECT(r_part_answer(part, data->n_cols));
    SEXP list = PROTECT(r_result_list(result, data->n_cols, where, calls.interrupted, of_part));
    r_release(handle);
    UNPROTECT(6);
    return list;
}

/* A string that tells data apart, see data/hash.h. */
SEXP ffi_data_hash(SEXP columns, SEXP y, SEXP n_classes, SEXP control)
{
    char text[17];
    r_problem problem = r_problem_of(columns, y, n_classes, control);
    snprintf(text, sizeof text, "%016llx", (unsigned long long) ct_data_hash(&problem.data, 0));
    return Rf_mkString(text);
}

/* One number a column that tells its values apart, data/hash.h: as many bits as a double has. */
SEXP ffi_column_hashes(SEXP columns)
{
    r_columns x = r_columns_of(columns);
    SEXP hashes = PROTECT(Rf_allocVector(REALSXP, x.n_cols));
    for (uint32_t col = 0; col < x.n_cols; col++)
        REAL(hashes)[col] = (double) (ct_column_hash(&x.columns[col], x.n_rows) >> 11);
    UNPROTECT(1);
    return hashes;
}

/* list(grain, rounding, hidden, blur, unit, total): what the errors of all trees with any
 * `complexity` are multiples of, 0 if the costs of rows have to be rounded, and with a numeric
 * response; by how much that may change those of a tree; below which cost that is by more than the
 * last digits of doubles; how far, as a root of a sum of squares, a response of decimals is from
 * these; a unit of the search; and what a complexity of 1 is to it. */
SEXP ffi_cost_grain(SEXP columns, SEXP y, SEXP n_classes, SEXP control)
{
    static const char *const names[] = {"grain", "rounding", "hidden", "blur", "unit", "total"};
    r_problem problem = r_problem_of(columns, y, n_classes, control);
    ct_budget budget = {problem.options.memory_limit, 0};
    ct_arena arena;
    ct_exact_costs costs = {0};
    ct_error error;
    ct_arena_init(&arena, &budget);
    ct_status status = ct_data_check(&problem.data, &error);
    if (status == CT_OK)
        status = ct_exact_costs_init(&costs, &problem.data, problem.options.depth,
                                     problem.data.response ? 0.0 : 1.0, 0, &arena, &error);
    double grain = status == CT_OK ? ct_exact_cost_grain(&costs) : 0,
           rounding = status == CT_OK ? ct_exact_cost_rounding(&costs) : 0,
           hidden = status == CT_OK ? ct_exact_cost_hidden(&costs) : 0,
           blur = status == CT_OK && costs.response ? costs.response->blur : 0;
    const double unit = costs.unit, total = costs.total;
    ct_arena_free(&arena);
    r_check(status, &error);
    const double values[] = {grain, rounding, hidden, blur, unit, total};
    SEXP list = PROTECT(r_named_list(names, 6));
    for (int i = 0; i < 6; i++) SET_VECTOR_ELT(list, i, Rf_ScalarReal(values[i]));
    UNPROTECT(1);
    return list;
}

/* For each column c(high, low) of `errors` and each number of `splits` what the errors are beside
 * as many times what rows weigh, both in the same unit: weights, or n rows of weight 1 where these
 * are NULL. */
SEXP ffi_complexities(SEXP errors, SEXP splits, SEXP unit, SEXP weights, SEXP n)
{
    R_xlen_t k = Rf_xlength(splits);
    if (TYPEOF(errors) != REALSXP || Rf_xlength(errors) != 2 * k || TYPEOF(splits) != REALSXP)
        Rf_error("errors and splits must be doubles, two of the former for each of the latter");
    if (weights != R_NilValue && TYPEOF(weights) != REALSXP) Rf_error("weights must be doubles");
    ct_sum total = {Rf_asReal(n), 0};
    if (weights != R_NilValue) total.high = 0;
    for (R_xlen_t i = 0; i < Rf_xlength(weights); i++) ct_sum_add(&total, REAL_RO(weights)[i]);
    SEXP out = PROTECT(Rf_allocVector(REALSXP, k));
    for (R_xlen_t i = 0; i < k; i++) {
        ct_sum amount = {0, 0};
        ct_sum_add(&amount, REAL_RO(errors)[2 * i]);
        ct_sum_add(&amount, REAL_RO(errors)[2 * i + 1]);
        REAL(out)[i] = ct_sum_ratio(ct_sum_times(amount, Rf_asReal(unit)),
                                    ct_sum_times(total, REAL_RO(splits)[i]));
    }
    UNPROTECT(1);
    return out;
}

/* The sum of the products of two vectors of doubles, with all its digits. */
SEXP ffi_sum_products(SEXP x, SEXP y)
{
    ct_sum sum = {0, 0};
    if (TYPEOF(x) != REALSXP || TYPEOF(y) != REALSXP || Rf_xlength(x) != Rf_xlength(y))
        Rf_error("x and y must be doubles, as many of either");
    for (R_xlen_t i = 0; i < Rf_xlength(x); i++) {
        const ct_sum product = ct_sum_times((ct_sum){REAL_RO(x)[i], 0}, REAL_RO(y)[i]);
        ct_sum_join(&sum, &product);
    }
    return Rf_ScalarReal(ct_sum_value(&sum));
}
