/* .Call entry of policy trees.
 *
 * ffi_policy_solve(columns, rewards, control): rewards are a double matrix, a row a row of the
 * columns and a column an action; control has depth, minbucket, price (of a split, as a sum of
 * rewards), time_limit, memory_limit, threads and simd, max_leaves (infinite: any), start (NULL, or
 * the vectors of a tree), roots (NULL, or whether the root may be split on each column) and report
 * (NULL, or a function of elapsed, cost, bound and closed). The list that comes back has for every
 * node, the root first: feature (column from 1, 0 in a leaf), threshold (NA in a leaf), left, right
 * (from 1, 0 in a leaf), default_left, action (from 1), n and regret; and for the tree: where (the
 * leaf of each row), cost (the regret of the leaves and the prices of the splits), bound (no tree
 * costs less), units (of the cost, in two numbers, the first of which counts more: less is better),
 * rounding (mean rewards of trees were compared to within it), status, search, elapsed, simd,
 * threads, interrupted. */
#include "base/compact.h"

#include <stdlib.h>

#include "base/clock.h"
#include "policy/prove.h"
#include "r/callbacks.h"
#include "r/certify.h"
#include "r/exact.h"
#include "tree/route.h"

static size_t size_of(double bytes)
{
    CT_ASSERT(bytes >= 0);
    return bytes < (double) (SIZE_MAX / 4) ? (size_t) bytes : SIZE_MAX / 4;
}

static ct_policy_options options_of(SEXP control, r_callbacks *calls)
{
    const double leaves = r_number(control, "max_leaves");
    ct_policy_options options = {
        .depth = r_count(control, "depth"), .min_bucket = r_count(control, "minbucket"),
        .price = r_number(control, "price"), .time_limit = r_number(control, "time_limit"),
        .memory_limit = size_of(r_number(control, "memory_limit")),
        .threads = r_threads(control), .simd = r_simd(control), .stop = r_callbacks_stop,
        .stop_data = calls, .max_leaves = leaves < UINT32_MAX ? (uint32_t) leaves : 0};
    return options;
}

/* The tree that the search begins with, NULL without one; memory of the call. */
static const ct_policy_start *start_of(SEXP list, uint32_t n_cols)
{
    ct_error error;
    if (list == R_NilValue) return NULL;
    const ct_forest tree = r_tree_of(r_element(list, "feature"), r_element(list, "threshold"),
                                     r_element(list, "left"), r_element(list, "right"),
                                     r_element(list, "default_left"), R_NilValue);
    r_check(ct_forest_check(&tree, n_cols, &error), &error);
    ct_policy_start *start = (ct_policy_start *) R_alloc(1, sizeof *start);
    *start = (ct_policy_start){tree.n_nodes, tree.feature, tree.threshold, tree.left, tree.right};
    return start;
}

static void report(void *calls, const ct_policy_progress *now)
{
    const double numbers[4] = {now->seconds, now->cost, now->bound, now->closed};
    r_callbacks_report((r_callbacks *) calls, numbers, 4);
}

static void free_result(void *result) { ct_policy_result_free((ct_policy_result *) result); }

static SEXP counts_of(const ct_policy_counts *counts)
{
    static const char *const names[] = {"cuts", "sweeps", "walks", "confirmed", "problems"};
    const double values[] = {(double) counts->cuts, (double) counts->sweeps,
                             (double) counts->walks, (double) counts->confirmed,
                             (double) counts->problems};
    return r_named_numbers(names, values, 5);
}

static SEXP result_list(const ct_policy_result *result, SEXP where, int interrupted)
{
    static const char *const names[] = {
        "feature", "threshold", "left", "right", "default_left", "action", "n", "regret", "where",
        "cost", "bound", "units", "rounding", "status", "search", "elapsed", "simd", "threads",
        "interrupted"};
    SEXP list = PROTECT(r_named_list(names, sizeof names / sizeof *names));
    const uint32_t n = result->tree.n_nodes;
    int i = r_put_nodes(list, 0, &result->tree);
    SET_VECTOR_ELT(list, i++, r_integers_from(result->action, n, 1));
    SET_VECTOR_ELT(list, i++, r_integers_from(result->n, n, 0));
    SET_VECTOR_ELT(list, i++, r_doubles_from(result->regret, n));
    SET_VECTOR_ELT(list, i++, where);
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(result->cost));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(result->bound));
    SET_VECTOR_ELT(list, i, Rf_allocVector(REALSXP, 2));
    REAL(VECTOR_ELT(list, i))[0] = (double) (result->units >> 31);
    REAL(VECTOR_ELT(list, i++))[1] = (double) (result->units & INT32_MAX);
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(result->rounding));
    SET_VECTOR_ELT(list, i++, Rf_mkString(ct_policy_end_name(result->end)));
    SET_VECTOR_ELT(list, i++, counts_of(&result->counts));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(result->seconds));
    SET_VECTOR_ELT(list, i++, Rf_mkString(result->simd));
    SET_VECTOR_ELT(list, i++, Rf_ScalarInteger((int) result->threads));
    SET_VECTOR_ELT(list, i++, Rf_ScalarLogical(interrupted));
    CT_ASSERT(i == Rf_xlength(list) && result->units >= 0);
    UNPROTECT(1);
    return list;
}

static ct_policy_data data_of(SEXP columns, SEXP rewards)
{
    r_columns x = r_training_columns_of(columns);
    if (TYPEOF(rewards) != REALSXP || !Rf_isMatrix(rewards) ||
        (uint32_t) Rf_nrows(rewards) != x.n_rows || Rf_ncols(rewards) < 1)
        Rf_error("the rewards must be a double matrix with a row for each row of the columns");
    const ct_policy_data data = {x.columns, x.n_rows, x.n_cols, REAL_RO(rewards),
                                 (uint32_t) Rf_ncols(rewards)};
    return data;
}

SEXP ffi_policy_solve(SEXP columns, SEXP rewards, SEXP control)
{
    const ct_policy_data data = data_of(columns, rewards);
    r_callbacks calls;
    ct_error error;
    SEXP where = PROTECT(Rf_allocVector(INTSXP, data.n_rows)),
         report_function = r_element(control, "report"), roots = r_element(control, "roots");
    SEXP handle = PROTECT(r_owner(sizeof(ct_policy_result), R_NilValue, free_result));
    ct_policy_result *result = (ct_policy_result *) R_ExternalPtrAddr(handle);
    ct_policy_options options = options_of(control, &calls);
    options.start = start_of(r_element(control, "start"), data.n_cols);
    if (roots != R_NilValue) options.roots = r_roots_of(roots, data.n_cols);
    if (report_function != R_NilValue) options.report = report, options.report_data = &calls;
    PROTECT(r_callbacks_init(&calls, report_function));
    uint32_t *leaves = (uint32_t *) INTEGER(where);
    const ct_status status = ct_policy_solve(&data, &options, result, leaves, &error);
    r_callbacks_jump_if(&calls, handle);
    r_check(status, &error);
    for (uint32_t row = 0; row < data.n_rows; row++) {
        CT_ASSERT(leaves[row] < result->tree.n_nodes);
        leaves[row]++;
    }
    SEXP list = PROTECT(result_list(result, where, calls.interrupted));
    r_release(handle);
    UNPROTECT(4);
    return list;
}

/* ---- certificates ---- */

static ct_certify_policy claim_of(const ct_policy_data *data, SEXP control, SEXP actions,
                                  SEXP n_splits, r_callbacks *calls)
{
    ct_certify_policy claim = {.depth = r_count(control, "depth"),
                               .min_bucket = r_count(control, "minbucket"),
                               .price = r_number(control, "price"), .stop = r_callbacks_stop,
                               .stop_data = calls};
    if (actions == R_NilValue) return claim;
    const int *given = r_integers(actions, data->n_rows, "actions");
    uint32_t *own = (uint32_t *) R_alloc(data->n_rows, sizeof *own);
    for (uint32_t row = 0; row < data->n_rows; row++) own[row] = (uint32_t) given[row] - 1;
    claim.actions = own;
    const int splits = Rf_asInteger(n_splits);
    if (splits < 0) Rf_error("a tree must have a number of splits");
    claim.n_splits = (uint32_t) splits;
    return claim;
}

/* list(log, status, elapsed), as ffi_certificate() gives them: of the proof that no tree has less
 * regret than control$start less `slack` or, if that is NULL, than `bound`. */
SEXP ffi_policy_certificate(SEXP columns, SEXP rewards, SEXP control, SEXP bound, SEXP slack,
                            SEXP limit)
{
    const ct_policy_data data = data_of(columns, rewards);
    const ct_certify_rewards same = {data.columns, data.n_rows, data.n_cols, data.rewards,
                                     data.n_actions};
    const double start = ct_seconds();
    r_callbacks calls;
    ct_bytes *bytes;
    ct_error error;
    ct_policy_end end;
    SEXP handle = PROTECT(r_bytes_handle(&bytes, Rf_asReal(limit)));
    ct_policy_options options = options_of(control, &calls);
    options.start = start_of(r_element(control, "start"), data.n_cols);
    PROTECT(r_callbacks_init(&calls, R_NilValue));
    const ct_certify_policy claim = claim_of(&data, control, R_NilValue, R_NilValue, &calls);
    ct_certify_policy_begin(&same, &claim, bytes);
    const ct_status status = ct_policy_prove(&data, &options, Rf_asReal(bound), Rf_asReal(slack),
                                             bytes, &end, &error);
    r_callbacks_jump_if(&calls, handle);
    r_check(status, &error);
    SEXP list = PROTECT(r_certificate_of(bytes, ct_policy_end_name(end), ct_seconds() - start));
    r_release(handle);
    UNPROTECT(3);
    return list;
}

/* What the certificate proves, and whether a tree that gives the rows these actions attains it; as
 * ffi_certify(). */
SEXP ffi_policy_certify(SEXP columns, SEXP rewards, SEXP control, SEXP actions, SEXP n_splits,
                        SEXP certificate)
{
    if (TYPEOF(certificate) != RAWSXP) Rf_error("a certificate must be a raw vector");
    const ct_policy_data data = data_of(columns, rewards);
    const ct_certify_rewards same = {data.columns, data.n_rows, data.n_cols, data.rewards,
                                     data.n_actions};
    const double start = ct_seconds();
    r_callbacks calls;
    ct_certify_result checked;
    ct_error error;
    PROTECT(r_callbacks_init(&calls, R_NilValue));
    const ct_certify_policy claim = claim_of(&data, control, actions, n_splits, &calls);
    const ct_status status = ct_certify_policy_check(&same, &claim, RAW_RO(certificate),
                                                     (size_t) Rf_xlength(certificate), &checked,
                                                     &error);
    r_callbacks_jump_if(&calls, NULL);
    r_check(status, &error);
    SEXP list = r_checked(&checked, ct_seconds() - start);
    UNPROTECT(1);
    return list;
}
