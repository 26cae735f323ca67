/* .Call entries of model trees. */
#include "base/compact.h"

#include <limits.h>
#include <stdlib.h>

#include "evolve/gmt.h"
#include "r/callbacks.h"

/* ---- arguments ---- */

static ct_gmt_options options_of(SEXP control)
{
    return (ct_gmt_options){
        .limits.leaves_max = r_count(control, "max_leaves"),
        .limits.depth_max = r_count(control, "depth"),
        .limits.minbucket = r_count(control, "minbucket"),
        .limits.min_n = r_count(control, "min_n"),
        .limits.complexity = r_number(control, "complexity"),
        .mode = (ct_gmt_mode) r_count(control, "mode"),
        .population = r_count(control, "population"),
        .paper.fitness = (ct_gmt_fitness) r_count(control, "fitness"),
        .paper.alpha = r_number(control, "alpha"),
        .paper.crossover = r_number(control, "crossover"),
        .paper.mutation = r_number(control, "mutation"),
        .paper.pressure = r_number(control, "pressure"),
        .paper.elite = r_count(control, "elite"),
        .bins = r_count(control, "bins"),
        .effort = r_count(control, "effort"),
        .patience = r_count(control, "patience"),
        .max_rows = r_number(control, "max_rows"),
        .sample = r_count(control, "sample"),
        .open_max = r_count(control, "open_max"),
        .prove = r_count(control, "certify"),
        .seed = r_seed(control),
        .threads = r_threads(control),
        .simd = r_simd(control),
        .time_limit = r_number(control, "time_limit"),
        .device = r_device(r_element(control, "device"))};
}

static ct_gmt_model_data data_of(SEXP columns, SEXP y, SEXP weights, SEXP control)
{
    const r_columns x = r_columns_of(columns);
    uint32_t n_levels, n_parts;
    ct_gmt_model_data data = {.n_rows = x.n_rows, .n_cols = x.n_cols, .columns = x.columns,
                              .response = r_doubles(y, x.n_rows, "y"),
                              .weights = r_doubles_if(weights, x.n_rows, "weights"),
                              .no_intercept = r_count(control, "no_intercept") != 0};
    data.regressors = r_column_numbers(control, "regressors", x.n_cols, &data.n_regressors);
    data.splitters = r_column_numbers(control, "splitters", x.n_cols, &data.n_splitters);
    data.assign = r_column_numbers(control, "parts", INT_MAX, &n_parts);
    if (n_parts != data.n_regressors) Rf_error("'parts' must be one number a regressor");
    data.n_levels = r_column_numbers(control, "n_levels", INT_MAX, &n_levels);
    if (n_levels != data.n_splitters) Rf_error("'n_levels' must be one number a splitter");
    return data;
}

/* ---- what is owned while R may fail ---- */

static void free_gmt(void *gmt) { ct_gmt_free((ct_gmt *) gmt); }

static void report(void *calls, double seconds, uint32_t kicks, double bic)
{
    double numbers[3] = {seconds, kicks, bic};
    r_callbacks_report((r_callbacks *) calls, numbers, 3);
}

/* ---- results ---- */

static SEXP flags(const uint8_t *x, uint32_t n)
{
    SEXP out = Rf_allocVector(LGLSXP, n);
    for (uint32_t i = 0; i < n; i++) LOGICAL(out)[i] = x[i];
    return out;
}

static SEXP levels_of(const ct_forest *forest)
{
    CT_ASSERT(forest->n_levels && forest->levels_left);
    SEXP out = PROTECT(Rf_allocVector(VECSXP, forest->n_nodes));
    for (uint32_t i = 0; i < forest->n_nodes; i++)
        if (forest->n_levels[i])
            SET_VECTOR_ELT(out, i, flags(forest->levels_left[i], forest->n_levels[i]));
    UNPROTECT(1);
    return out;
}

/* The proof of optimality as a list, NULL where none was asked for. */
static SEXP proof_of(const ct_gmt_proof *proof)
{
    static const char *const names[] = {"depth", "bins", "complete", "bound", "cost", "gap",
                                        "lambda", "solved", "touched", "elapsed"};
    if (!proof->depth) return R_NilValue;
    SEXP list = PROTECT(r_named_list(names, sizeof names / sizeof *names));
    int i = 0;
    SET_VECTOR_ELT(list, i++, Rf_ScalarInteger((int) proof->depth));
    SET_VECTOR_ELT(list, i++, Rf_ScalarInteger((int) proof->bins));
    SET_VECTOR_ELT(list, i++, Rf_ScalarLogical(proof->complete));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(proof->bound));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(proof->cost));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(proof->gap));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(proof->lambda));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(proof->solved));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(proof->touched));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(proof->seconds));
    UNPROTECT(1);
    return list;
}

/* The history as a matrix: columns kick, leaves, BIC, SSE, rows touched, seconds. */
static SEXP moments_of(const ct_gmt *gmt)
{
    uint32_t n = gmt->n_moments;
    SEXP out = Rf_allocMatrix(REALSXP, (int) n, 6);
    for (uint32_t i = 0; i < n; i++) {
        const ct_gmt_moment *moment = &gmt->moments[i];
        const double row[6] = {moment->kick, moment->n_leaves, moment->bic, moment->sse,
                               (double) moment->touched, moment->seconds};
        for (size_t k = 0; k < 6; k++) REAL(out)[i + k * n] = row[k];
    }
    return out;
}

static SEXP result_list(const ct_gmt *gmt, uint32_t n_rows)
{
    static const char *const names[] = {
        "feature", "threshold", "left",     "right",   "default_left", "learned",
        "levels",  "n",         "weight",   "deviance", "rank",        "coefficients",
        "aliased", "dropped",   "unscaled",  "factors",  "low",     "high",         "where",
        "moments", "kicks",     "touched",  "bic",     "lambda",       "certified",
        "status",  "elapsed",   "optimum",  "device",  "device_note",  "device_answers"};
    static const char *const ends[] = {"complete", "row limit", "interrupted", "time limit"};
    const ct_forest *forest = &gmt->forest;
    const ct_gmt_node_models *models = &gmt->models;
    const uint32_t n = forest->n_nodes;
    const size_t p = models->p;
    CT_ASSERT(n > 0 && p > 0 && (size_t) gmt->end < sizeof ends / sizeof *ends);
    SEXP list = PROTECT(r_named_list(names, sizeof names / sizeof *names));
    int i = r_put_nodes(list, 0, forest);
    SET_VECTOR_ELT(list, i++, flags(gmt->learned, n));
    SET_VECTOR_ELT(list, i++, levels_of(forest));
    SET_VECTOR_ELT(list, i++, r_integers_from(models->n, n, 0));
    SET_VECTOR_ELT(list, i++, r_doubles_from(models->weight, n));
    SET_VECTOR_ELT(list, i++, r_doubles_from(models->deviance, n));
    SET_VECTOR_ELT(list, i++, r_integers_from(models->rank, n, 0));
    SET_VECTOR_ELT(list, i++, r_doubles_from(models->coefficients, (R_xlen_t) (n * p)));
    SET_VECTOR_ELT(list, i++, flags(models->aliased, (uint32_t) (n * p)));
    SET_VECTOR_ELT(list, i++, flags(gmt->dropped, (uint32_t) (n * p)));
    SET_VECTOR_ELT(list, i++, r_doubles_from(models->unscaled, (R_xlen_t) (n * p * p)));
    SET_VECTOR_ELT(list, i++,
                   r_doubles_from(models->triangles, (R_xlen_t) (n * (p + 1) * (p + 1))));
    SET_VECTOR_ELT(list, i++, r_doubles_from(models->low, (R_xlen_t) (n * p)));
    SET_VECTOR_ELT(list, i++, r_doubles_from(models->high, (R_xlen_t) (n * p)));
    SET_VECTOR_ELT(list, i++, r_integers_from((const uint32_t *) gmt->where, n_rows, 1));
    SET_VECTOR_ELT(list, i++, moments_of(gmt));
    SET_VECTOR_ELT(list, i++, Rf_ScalarInteger((int) gmt->kicks));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal((double) gmt->touched));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(gmt->bic));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(gmt->lambda));
    SET_VECTOR_ELT(list, i++, Rf_ScalarLogical(gmt->certified));
    SET_VECTOR_ELT(list, i++, Rf_mkString(ends[gmt->end]));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(gmt->seconds));
    SET_VECTOR_ELT(list, i++, proof_of(&gmt->proof));
    SET_VECTOR_ELT(list, i++, Rf_mkString(gmt->device.name));
    SET_VECTOR_ELT(list, i++, Rf_mkString(gmt->device.note));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal((double) gmt->device_answers));
    CT_ASSERT(i == Rf_xlength(list));
    UNPROTECT(1);
    return list;
}

/* Columns: a list of double, integer or logical vectors. control: regressors, splitters (columns
 * from 1), n_levels (1 + the levels of a factor, else 1), and the options by their names. */
SEXP ffi_gmt_fit(SEXP columns, SEXP y, SEXP weights, SEXP control)
{
    ct_gmt_model_data data = data_of(columns, y, weights, control);
    ct_gmt_options options = options_of(control);
    r_callbacks calls;
    ct_error error;
    SEXP handle = PROTECT(r_owner(sizeof(ct_gmt), R_NilValue, free_gmt));
    ct_gmt *gmt = (ct_gmt *) R_ExternalPtrAddr(handle);
    PROTECT(r_callbacks_init(&calls, r_element(control, "report")));
    options.stop = r_callbacks_stop;
    options.report = report;
    options.calls = &calls;
    ct_status status = ct_gmt_fit(&data, &options, gmt, &error);
    r_callbacks_jump_if(&calls, handle);
    r_check(status, &error);
    SEXP list = PROTECT(result_list(gmt, data.n_rows));
    r_release(handle);
    UNPROTECT(3);
    return list;
}
