/* .Call entry of policy trees.
 *
 * ffi_policy_solve(columns, rewards, control): rewards are a double matrix, a row a row of the
 * columns and a column an action; control has depth, minbucket, price (of a split, as a sum of
 * rewards), time_limit, memory_limit, threads and simd. The list that comes back has for every
 * node, the root first: feature (column from 1, 0 in a leaf), threshold (NA in a leaf), left, right
 * (from 1, 0 in a leaf), default_left, action (from 1), n and regret; and for the tree: where (the
 * leaf of each row), cost (the regret of the leaves and the prices of the splits), bound (no tree
 * costs less), rounding (mean rewards of trees were compared to within it), status, search,
 * elapsed, simd, threads, interrupted. */
#include <stdlib.h>

#include "policy/policy.h"
#include "r/callbacks.h"

static ct_policy_options options_of(SEXP control, r_callbacks *calls)
{
    const double bytes = r_number(control, "memory_limit");
    ct_policy_options options = {
        r_count(control, "depth"), r_count(control, "minbucket"), r_number(control, "price"),
        r_number(control, "time_limit"),
        bytes < (double) (SIZE_MAX / 4) ? (size_t) bytes : SIZE_MAX / 4, r_threads(control),
        r_simd(control), 0, r_callbacks_stop, calls};
    return options;
}

static void free_result(SEXP pointer)
{
    ct_policy_result *result = (ct_policy_result *) R_ExternalPtrAddr(pointer);
    if (!result) return;
    ct_policy_result_free(result);
    free(result);
    R_ClearExternalPtr(pointer);
}

enum { FEATURE, LEFT, RIGHT, DEFAULT_LEFT, ACTION, ROWS };

static SEXP by_node(const ct_policy_result *result, int what)
{
    const ct_forest *tree = &result->tree;
    SEXP out = Rf_allocVector(what == DEFAULT_LEFT ? LGLSXP : INTSXP, tree->n_nodes);
    int *to = what == DEFAULT_LEFT ? LOGICAL(out) : INTEGER(out);
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        const int is_leaf = tree->feature[i] < 0;
        to[i] = what == FEATURE        ? tree->feature[i] + 1
                : what == LEFT         ? (is_leaf ? 0 : (int) tree->left[i] + 1)
                : what == RIGHT        ? (is_leaf ? 0 : (int) tree->right[i] + 1)
                : what == DEFAULT_LEFT ? tree->default_left[i]
                : what == ACTION       ? (int) result->action[i] + 1
                                       : (int) result->n[i];
    }
    return out;
}

static SEXP doubles_by_node(const ct_policy_result *result, int thresholds)
{
    const ct_forest *tree = &result->tree;
    SEXP out = Rf_allocVector(REALSXP, tree->n_nodes);
    for (uint32_t i = 0; i < tree->n_nodes; i++)
        REAL(out)[i] = !thresholds            ? result->regret[i]
                       : tree->feature[i] < 0 ? NA_REAL
                                              : tree->threshold[i];
    return out;
}

static SEXP counts_of(const ct_policy_counts *counts)
{
    static const char *const names[] = {"cuts", "sweeps", "walks", "confirmed", "problems"};
    const double values[] = {(double) counts->cuts, (double) counts->sweeps,
                             (double) counts->walks, (double) counts->confirmed,
                             (double) counts->problems};
    SEXP out = PROTECT(Rf_allocVector(REALSXP, 5)), labels = PROTECT(Rf_allocVector(STRSXP, 5));
    for (int i = 0; i < 5; i++) {
        REAL(out)[i] = values[i];
        SET_STRING_ELT(labels, i, Rf_mkChar(names[i]));
    }
    Rf_setAttrib(out, R_NamesSymbol, labels);
    UNPROTECT(2);
    return out;
}

static SEXP result_list(const ct_policy_result *result, SEXP where, int interrupted)
{
    static const char *const names[] = {
        "feature", "threshold", "left", "right", "default_left", "action", "n", "regret", "where",
        "cost", "bound", "rounding", "status", "search", "elapsed", "simd", "threads",
        "interrupted"};
    SEXP list = PROTECT(r_named_list(names, sizeof names / sizeof *names));
    int i = 0;
    SET_VECTOR_ELT(list, i++, by_node(result, FEATURE));
    SET_VECTOR_ELT(list, i++, doubles_by_node(result, 1));
    for (int what = LEFT; what <= ROWS; what++) SET_VECTOR_ELT(list, i++, by_node(result, what));
    SET_VECTOR_ELT(list, i++, doubles_by_node(result, 0));
    SET_VECTOR_ELT(list, i++, where);
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(result->cost));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(result->bound));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(result->rounding));
    SET_VECTOR_ELT(list, i++, Rf_mkString(ct_policy_end_name(result->end)));
    SET_VECTOR_ELT(list, i++, counts_of(&result->counts));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(result->seconds));
    SET_VECTOR_ELT(list, i++, Rf_mkString(result->simd));
    SET_VECTOR_ELT(list, i++, Rf_ScalarInteger((int) result->threads));
    SET_VECTOR_ELT(list, i++, Rf_ScalarLogical(interrupted));
    UNPROTECT(1);
    return list;
}

SEXP ffi_policy_solve(SEXP columns, SEXP rewards, SEXP control)
{
    r_columns x = r_training_columns_of(columns);
    if (TYPEOF(rewards) != REALSXP || !Rf_isMatrix(rewards) ||
        (uint32_t) Rf_nrows(rewards) != x.n_rows || Rf_ncols(rewards) < 1)
        Rf_error("the rewards must be a double matrix with a row for each row of the columns");
    const ct_policy_data data = {x.columns, x.n_rows, x.n_cols, REAL_RO(rewards),
                                 (uint32_t) Rf_ncols(rewards)};
    r_callbacks calls;
    ct_error error;
    SEXP where = PROTECT(Rf_allocVector(INTSXP, x.n_rows));
    SEXP handle = PROTECT(r_owner(sizeof(ct_policy_result), R_NilValue, free_result));
    ct_policy_result *result = (ct_policy_result *) R_ExternalPtrAddr(handle);
    PROTECT(r_callbacks_init(&calls, R_NilValue));
    const ct_policy_options options = options_of(control, &calls);
    uint32_t *leaves = (uint32_t *) INTEGER(where);
    const ct_status status = ct_policy_solve(&data, &options, result, leaves, &error);
    if (calls.jumped) {
        free_result(handle);
        r_callbacks_jump(&calls);
    }
    r_check(status, &error);
    for (uint32_t row = 0; row < x.n_rows; row++) INTEGER(where)[row]++;
    SEXP list = PROTECT(result_list(result, where, calls.interrupted));
    free_result(handle);
    UNPROTECT(4);
    return list;
}
