/* .Call entries of imported and forged ensembles.
 *
 * In R an ensemble is a list. One element a node:
 *
 *   feature            from 1, 0 in leaves
 *   threshold          of the split
 *   left, right        children, from 1
 *   default_left       where rows without a value go
 *   missing            what counts as no value: ct_forge_missing
 *   set                which of `sets`, from 1; 0: none
 *   leaf_id            the number that the source gives to a leaf
 *   values             a matrix, a row a node
 *   cover              weight of the training rows; of no length: not known
 *   intercept          of linear models; of no length: there are none
 *   first_term         from 0, one element more than nodes
 *   lowest, highest    limits of what such a model says; of no length: there are none
 *
 * one element a term of a linear model:
 *
 *   term_feature       from 1
 *   slope
 *   low, high, other   limits of x, and what x is where it is missing; of no length: none
 *   first_code         from 0, one element more: where x is a code, what it counts is in of_code
 *
 * and one element a tree: roots, output (from 1), weight. `sets` has logical vectors: which codes
 * from 0 on go left; `set_else` says it of the codes beyond. The contract of predictions is in
 * n_features, base, divisor, less, number, sum and minus_fraction. */
#include "base/compact.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cpu.h"
#include "forge/blocks.h"
#include "forge/pack.h"
#include "forge/run.h"
#include "forge/shap.h"
#include "forge/shap_background.h"
#include "r/callbacks.h"
#include "r/forge.h"

/* ---- what is owned while R may fail ---- */

typedef r_forged owned;

static void free_owned(void *memory)
{
    owned *all = (owned *) memory;
    r_forged_leave(&all->on);
    ct_forge_scratch_pool_free(&all->rooms);
    ct_forged_free(&all->forged);
    ct_arena_free(&all->arena);
    ct_arena_free(&all->of_schedule);
    ct_forge_text_free(&all->schedule);
}

/* An empty ensemble behind an external pointer; protect it. */
static SEXP new_owned(owned **all)
{
    SEXP pointer = r_owner(sizeof **all, Rf_install("contree_forged"), free_owned);
    *all = (owned *) R_ExternalPtrAddr(pointer);
    (*all)->budget.limit = SIZE_MAX / 2;
    ct_arena_init(&(*all)->arena, &(*all)->budget);
    ct_arena_init(&(*all)->of_schedule, &(*all)->budget);
    return pointer;
}

r_forged *r_forged_of(SEXP pointer)
{
    if (TYPEOF(pointer) != EXTPTRSXP || R_ExternalPtrTag(pointer) != Rf_install("contree_forged") ||
        !R_ExternalPtrAddr(pointer))
        Rf_error("this is no forged ensemble");
    return (r_forged *) R_ExternalPtrAddr(pointer);
}

r_columns r_forged_columns(const r_forged *all, SEXP columns)
{
    r_columns x = r_columns_of(columns);
    if (x.n_cols != all->ensemble.n_features)
        Rf_error("the columns are not those of the ensemble");
    return x;
}

static void *allocate(owned *all, size_t n, size_t size)
{
    CT_ASSERT(size > 0);
    void *memory = ct_arena_zeroed(&all->arena, n ? n : 1, size);
    if (!memory) Rf_error("not enough memory");
    return memory;
}

/* ---- an ensemble from R ---- */

static const int *integers(SEXP list, const char *name, R_xlen_t n)
{
    return r_integers(r_element(list, name), n, name);
}

/* Numbers from `from` on as numbers from 0; what is below becomes one that no check lets pass. */
static uint32_t *indices(owned *all, SEXP list, const char *name, R_xlen_t n, int from)
{
    CT_ASSERT(from == 0 || from == 1);
    const int *given = integers(list, name, n);
    uint32_t *out = (uint32_t *) allocate(all, (size_t) n, sizeof *out);
    for (R_xlen_t i = 0; i < n; i++)
        out[i] = given[i] < from ? UINT32_MAX : (uint32_t) given[i] - (uint32_t) from;
    return out;
}

static double *numbers(owned *all, SEXP list, const char *name, R_xlen_t n)
{
    const double *given = r_doubles(r_element(list, name), n, name);
    double *out = (double *) allocate(all, (size_t) n, sizeof *out);
    if (n) memcpy(out, given, (size_t) n * sizeof *out);
    return out;
}

/* Truth values, or small numbers, as bytes. */
static uint8_t *bytes(owned *all, SEXP list, const char *name, R_xlen_t n)
{
    SEXP x = r_element(list, name);
    if ((TYPEOF(x) != LGLSXP && TYPEOF(x) != INTSXP) || Rf_xlength(x) != n)
        Rf_error("'%s' must be a vector of length %ld", name, (long) n);
    const int *given = TYPEOF(x) == LGLSXP ? LOGICAL_RO(x) : INTEGER_RO(x);
    uint8_t *out = (uint8_t *) allocate(all, (size_t) n, 1);
    for (R_xlen_t i = 0; i < n; i++)
        out[i] = given[i] < 0 || given[i] > 255 ? 255 : (uint8_t) given[i];
    return out;
}

/* Which of two words an element is: 0 the first, 1 the second. */
static int word_of(SEXP list, const char *name, const char *first, const char *second)
{
    SEXP x = r_element(list, name);
    const char *given = TYPEOF(x) == STRSXP && Rf_xlength(x) == 1 ? CHAR(STRING_ELT(x, 0)) : "";
    if (!strcmp(given, first)) return 0;
    if (strcmp(given, second)) Rf_error("'%s' must be \"%s\" or \"%s\"", name, first, second);
    return 1;
}

/* Reads all sets into one row of bits; first[i] and size[i] are the bits of set i. */
static void read_sets(owned *all, SEXP sets, uint32_t *first, uint32_t *size)
{
    uint64_t n_bits = 0;
    for (R_xlen_t i = 0; i < Rf_xlength(sets); i++) {
        SEXP set = VECTOR_ELT(sets, i);
        if (TYPEOF(set) != LGLSXP || Rf_xlength(set) < 1 || Rf_xlength(set) > CT_FORGE_MOST_CODES)
            Rf_error("'sets' must have logical vectors");
        first[i] = (uint32_t) n_bits;
        size[i] = (uint32_t) Rf_xlength(set);
        n_bits += size[i];
        if (n_bits > UINT32_MAX - 8) Rf_error("the sets are too large");
    }
    uint8_t *bits = (uint8_t *) allocate(all, (size_t) n_bits / 8 + 1, 1);
    for (R_xlen_t i = 0; i < Rf_xlength(sets); i++)
        for (uint32_t k = 0; k < size[i]; k++)
            if (LOGICAL_RO(VECTOR_ELT(sets, i))[k] == TRUE)
                bits[(first[i] + k) / 8] |= (uint8_t) (1u << ((first[i] + k) % 8));
    all->ensemble.sets = bits;
    all->ensemble.n_set_bits = (uint32_t) n_bits;
}

static void add_sets(owned *all, SEXP list, R_xlen_t n)
{
    SEXP sets = r_element(list, "sets");
    if (TYPEOF(sets) != VECSXP || Rf_xlength(sets) > INT_MAX) Rf_error("'sets' must be a list");
    R_xlen_t n_sets = Rf_xlength(sets);
    uint32_t *first = (uint32_t *) R_alloc((size_t) n_sets + 1, sizeof *first);
    uint32_t *size = (uint32_t *) R_alloc((size_t) n_sets + 1, sizeof *size);
    read_sets(all, sets, first, size);
    const uint8_t *beyond = bytes(all, list, "set_else", n_sets);
    const int *which = integers(list, "set", n);
    uint32_t *node_first = (uint32_t *) allocate(all, (size_t) n, sizeof *first);
    uint32_t *node_size = (uint32_t *) allocate(all, (size_t) n, sizeof *size);
    uint8_t *node_else = (uint8_t *) allocate(all, (size_t) n, 1);
    for (R_xlen_t i = 0; i < n; i++) {
        if (!which[i]) continue;
        if (which[i] < 0 || which[i] > n_sets) Rf_error("'set' must be numbers of sets");
        node_first[i] = first[which[i] - 1];
        node_size[i] = size[which[i] - 1];
        node_else[i] = beyond[which[i] - 1];
    }
    all->ensemble.set_first = node_first;
    all->ensemble.set_size = node_size;
    all->ensemble.set_else = node_else;
}

/* Transposes R's matrix of values to value[node][output]. */
static void add_values(owned *all, SEXP list, R_xlen_t n)
{
    SEXP x = r_element(list, "values");
    if (!Rf_isMatrix(x) || TYPEOF(x) != REALSXP || Rf_nrows(x) != n)
        Rf_error("'values' must be a double matrix with a row for each node");
    size_t width = (size_t) Rf_ncols(x);
    double *out = (double *) allocate(all, (size_t) n * width, sizeof *out);
    for (size_t k = 0; k < width; k++)
        for (size_t i = 0; i < (size_t) n; i++) out[i * width + k] = REAL_RO(x)[i + k * (size_t) n];
    all->ensemble.value = out;
    all->ensemble.leaf_width = (uint32_t) width;
}

static void add_contract(owned *all, SEXP list)
{
    ct_forge_ensemble *e = &all->ensemble;
    R_xlen_t n_outputs = Rf_xlength(r_element(list, "base"));
    if (n_outputs > CT_FORGE_MOST_OUTPUTS) Rf_error("there are too many outputs");
    e->n_outputs = (uint32_t) n_outputs;
    e->base = numbers(all, list, "base", n_outputs);
    e->divisor = numbers(all, list, "divisor", 1)[0];
    e->n_features = indices(all, list, "n_features", 1, 0)[0];
    e->less = word_of(list, "less", "<", "<=") ? CT_FORGE_LESS_EQUAL : CT_FORGE_LESS;
    e->number = word_of(list, "number", "float", "double") ? CT_FORGE_F64 : CT_FORGE_F32;
    e->sum = word_of(list, "sum", "float", "double") ? CT_FORGE_F64 : CT_FORGE_F32;
    e->minus_fraction = r_flag(r_element(list, "minus_fraction"), "minus_fraction");
}

static void add_ranges(owned *all, SEXP list, R_xlen_t n, R_xlen_t n_terms)
{
    ct_forge_ensemble *e = &all->ensemble;
    R_xlen_t n_codes = Rf_xlength(r_element(list, "of_code"));
    if (n_codes > CT_FORGE_MOST_NODES) Rf_error("there are too many numbers of codes");
    e->n_codes = (uint32_t) n_codes;
    e->low = numbers(all, list, "low", n_terms);
    e->high = numbers(all, list, "high", n_terms);
    e->other = numbers(all, list, "other", n_terms);
    e->first_code = indices(all, list, "first_code", n_terms + 1, 0);
    e->of_code = numbers(all, list, "of_code", n_codes);
    e->lowest = numbers(all, list, "lowest", n);
    e->highest = numbers(all, list, "highest", n);
}

/* Reads linear models of leaves; there are none where `intercept` has no length. */
static void add_models(owned *all, SEXP list, R_xlen_t n)
{
    ct_forge_ensemble *e = &all->ensemble;
    if (!Rf_xlength(r_element(list, "intercept"))) return;
    R_xlen_t n_terms = Rf_xlength(r_element(list, "slope"));
    if (n_terms > CT_FORGE_MOST_NODES) Rf_error("there are too many terms of linear models");
    e->n_terms = (uint32_t) n_terms;
    e->first_term = indices(all, list, "first_term", n + 1, 0);
    e->term_feature = indices(all, list, "term_feature", n_terms, 1);
    e->slope = numbers(all, list, "slope", n_terms);
    e->intercept = numbers(all, list, "intercept", n);
    if (Rf_xlength(r_element(list, "lowest"))) add_ranges(all, list, n, n_terms);
}

static void read_ensemble(owned *all, SEXP list)
{
    ct_forge_ensemble *e = &all->ensemble;
    if (TYPEOF(list) != VECSXP) Rf_error("an ensemble must be a list");
    R_xlen_t n = Rf_xlength(r_element(list, "feature"));
    R_xlen_t n_trees = Rf_xlength(r_element(list, "roots"));
    if (n > CT_FORGE_MOST_NODES || n_trees > CT_FORGE_MOST_TREES)
        Rf_error("the ensemble is too large");
    e->n_nodes = (uint32_t) n;
    e->n_trees = (uint32_t) n_trees;
    add_contract(all, list);
    e->roots = indices(all, list, "roots", n_trees, 1);
    e->output_of_tree = indices(all, list, "output", n_trees, 1);
    e->weight = numbers(all, list, "weight", n_trees);
    const int *feature = integers(list, "feature", n);
    int32_t *from_0 = (int32_t *) allocate(all, (size_t) n, sizeof *from_0);
    for (R_xlen_t i = 0; i < n; i++) from_0[i] = feature[i] < 0 ? -2 : feature[i] - 1;
    e->feature = from_0;
    e->threshold = numbers(all, list, "threshold", n);
    e->left = indices(all, list, "left", n, 1);
    e->right = indices(all, list, "right", n, 1);
    e->default_left = bytes(all, list, "default_left", n);
    e->missing = bytes(all, list, "missing", n);
    int32_t *ids = (int32_t *) allocate(all, (size_t) n, sizeof *ids);
    if (n) memcpy(ids, integers(list, "leaf_id", n), (size_t) n * sizeof *ids);
    e->leaf_id = ids;
    if (Rf_xlength(r_element(list, "cover"))) e->cover = numbers(all, list, "cover", n);
    add_values(all, list, n);
    add_sets(all, list, n);
    add_models(all, list, n);
}

/* An external pointer to what predicts. */
SEXP ffi_forge(SEXP list)
{
    owned *all;
    ct_error error;
    SEXP pointer = PROTECT(new_owned(&all));
    read_ensemble(all, list);
    r_check(ct_forge(&all->ensemble, &all->forged, &error), &error);
    all->row = ct_forge_tile_scratch_new(&all->forged, &all->arena, 1);
    if (!all->row) Rf_error("not enough memory");
    UNPROTECT(1);
    return pointer;
}

/* Raises an error with the first fault of an ensemble. */
SEXP ffi_ensemble_check(SEXP list)
{
    owned *all;
    ct_error error;
    SEXP pointer = PROTECT(new_owned(&all));
    read_ensemble(all, list);
    ct_status status = ct_forge_ensemble_check(&all->ensemble, &error);
    r_release(pointer);
    r_check(status, &error);
    UNPROTECT(1);
    return R_NilValue;
}

/* Whether the pointer has an ensemble: not after the session in which it was made. */
SEXP ffi_forged_alive(SEXP pointer)
{
    int alive = TYPEOF(pointer) == EXTPTRSXP && R_ExternalPtrAddr(pointer) != NULL &&
                R_ExternalPtrTag(pointer) == Rf_install("contree_forged");
    return Rf_ScalarLogical(alive);
}

SEXP ffi_forged_info(SEXP pointer)
{
    static const char *const names[] = {"depth", "mean_depth", "used", "planes", "tests",
                                        "networks", "simd", "bytes", "planes_from", "deep"};
    const owned *all = r_forged_of(pointer);
    const ct_forged *f = &all->forged;
    CT_ASSERT(f->ensemble == &all->ensemble && (f->trees || !f->has_planes));
    int networks = 0, deep = 0;
    for (uint32_t t = 0; f->has_planes && t < f->ensemble->n_trees; t++) {
        networks += f->trees[t].kind != CT_FORGE_REACH;
        deep += f->trees[t].entry != NULL;
    }
    SEXP list = PROTECT(r_named_list(names, 10));
    SET_VECTOR_ELT(list, 0, Rf_ScalarInteger((int) f->deepest));
    SET_VECTOR_ELT(list, 1, Rf_ScalarReal(f->mean_depth));
    SET_VECTOR_ELT(list, 2, Rf_ScalarInteger((int) f->n_used));
    SET_VECTOR_ELT(list, 3, Rf_ScalarLogical(f->has_planes));
    SET_VECTOR_ELT(list, 4, Rf_ScalarInteger(f->has_planes ? (int) f->n_tests : NA_INTEGER));
    SET_VECTOR_ELT(list, 5, Rf_ScalarInteger(networks));
    SET_VECTOR_ELT(list, 6, Rf_mkString(ct_simd_name(ct_cpu_find("auto"))));
    SET_VECTOR_ELT(list, 7, Rf_ScalarReal((double) f->arena.held));
    SET_VECTOR_ELT(list, 8, Rf_ScalarInteger(f->has_planes ? (int) ct_forged_planes_from(f)
                                                           : NA_INTEGER));
    SET_VECTOR_ELT(list, 9, Rf_ScalarInteger(deep));
    UNPROTECT(1);
    return list;
}

/* ---- prediction ---- */

ct_forge_run r_run_of(SEXP threads, SEXP way, SEXP simd)
{
    int which = Rf_asInteger(way);
    if (which < CT_FORGE_WAY_AUTO || which > CT_FORGE_WAY_WALK) Rf_error("there is no such way");
    if (TYPEOF(simd) != STRSXP || Rf_xlength(simd) != 1) Rf_error("'simd' must be a string");
    const ct_forge_run run = {.threads = r_threads_of(threads), .way = (ct_forge_way) which,
                              .simd = ct_cpu_find(CHAR(STRING_ELT(simd, 0)))};
    if (run.simd == CT_N_SIMD)
        r_fail("this machine has no instruction set '%s'", CHAR(STRING_ELT(simd, 0)));
    return run;
}

/* Sums with the memory of the run before, unless that is one that R left for this one: events are
 * seen to while it asks for interrupts. */
static ct_status predict_sums(r_forged *all, const r_columns *x, ct_forge_run *run, double *out,
                              ct_error *error)
{
    int was_running = all->running;
    CT_ASSERT(x->n_cols == all->ensemble.n_features && run->stop);
    if (!was_running) run->kept = &all->rooms;
    all->running = 1;
    ct_status status = ct_forged_predict(&all->forged, x->columns, x->n_rows, run, out, error);
    all->running = was_running;
    return status;
}

/* A matrix: sums, a column an output; or with `leaves` the numbers of leaves, a column a tree.
 * way: 0 the best, 1 planes, 2 walks. A string says what failed: for R to catch an error would take
 * longer than some rows. */
SEXP ffi_forged_predict(SEXP pointer, SEXP columns, SEXP leaves, SEXP threads, SEXP way, SEXP simd)
{
    owned *all = r_forged_of(pointer);
    const ct_forge_ensemble *e = &all->ensemble;
    r_columns x = r_forged_columns(all, columns);
    ct_forge_run run = r_run_of(threads, way, simd);
    int want_leaves = r_flag(leaves, "leaves");
    ct_error error;
    r_callbacks calls;
    SEXP out = PROTECT(Rf_allocMatrix(want_leaves ? INTSXP : REALSXP, (int) x.n_rows,
                                      (int) (want_leaves ? e->n_trees : e->n_outputs)));
    PROTECT(r_callbacks_init(&calls, R_NilValue));
    ct_halt stop = {r_callbacks_stop, &calls, 0, 0};
    run.stop = &stop;
    ct_status status =
        want_leaves
            ? ct_forged_leaves(&all->forged, x.columns, x.n_rows, &run, INTEGER(out), &error)
            : predict_sums(all, &x, &run, REAL(out), &error);
    r_callbacks_jump_if(&calls, NULL);
    UNPROTECT(2);
    if (status != CT_OK) return r_failure(status, &error);
    return calls.interrupted ? r_interruption() : out;
}

/* The sums of one row. NULL where it is no double vector of all features without attributes, or the
 * pointer is of another session. */
SEXP ffi_forged_row(SEXP pointer, SEXP row)
{
    if (TYPEOF(row) != REALSXP || ATTRIB(row) != R_NilValue || TYPEOF(pointer) != EXTPTRSXP ||
        !R_ExternalPtrAddr(pointer))
        return R_NilValue;
    const owned *all = r_forged_of(pointer);
    if (Rf_xlength(row) != (R_xlen_t) all->ensemble.n_features) return R_NilValue;
    CT_ASSERT(all->row && all->row->rows == 1);
    SEXP out = Rf_allocVector(REALSXP, (R_xlen_t) all->ensemble.n_outputs);
    ct_forge_tile_row(&all->forged, all->row, REAL_RO(row), REAL(out));
    return out;
}

/* Contributions, or interactions of pairs. `background`: columns as well, or NULL. */
static SEXP explain(SEXP pointer, SEXP columns, SEXP background, SEXP threads, SEXP simd, int pairs)
{
    const owned *all = r_forged_of(pointer);
    const ct_forge_ensemble *e = &all->ensemble;
    const ct_forged *f = &all->forged;
    int known = Rf_isNull(background);
    r_columns x = r_forged_columns(all, columns),
              other = known ? x : r_forged_columns(all, background);
    ct_forge_run run = r_run_of(threads, Rf_ScalarInteger(CT_FORGE_WAY_AUTO), simd);
    ct_error error;
    r_callbacks calls;
    const double pair_values = (double) x.n_rows * e->n_features * e->n_features * e->n_outputs;
    if (pairs && pair_values > R_XLEN_T_MAX) Rf_error("there are too many interactions");
    R_xlen_t n = pairs ? (R_xlen_t) pair_values : 0;
    SEXP out = PROTECT(pairs ? Rf_allocVector(REALSXP, n)
                             : Rf_alloc3DArray(REALSXP, (int) x.n_rows, (int) e->n_features + 1,
                                               (int) e->n_outputs));
    PROTECT(r_callbacks_init(&calls, R_NilValue));
    ct_halt stop = {r_callbacks_stop, &calls, 0, 0};
    run.stop = &stop;
    ct_status status;
    if (known) status = ct_forged_shap(f, x.columns, x.n_rows, pairs, &run, REAL(out), &error);
    else
        status = ct_forged_shap_background(f, x.columns, x.n_rows, other.columns, other.n_rows,
                                           pairs, &run, REAL(out), &error);
    r_callbacks_end(&calls, status, &error);
    UNPROTECT(2);
    return out;
}

/* SHAP values: an array [row, feature and last the base, output]. */
SEXP ffi_forged_shap(SEXP pointer, SEXP columns, SEXP background, SEXP threads, SEXP simd)
{
    return explain(pointer, columns, background, threads, simd, 0);
}

/* Shapley interaction values: a vector [row, feature, feature, output]. */
SEXP ffi_forged_interactions(SEXP pointer, SEXP columns, SEXP background, SEXP threads, SEXP simd)
{
    return explain(pointer, columns, background, threads, simd, 1);
}

/* ---- numbers of documents ---- */

/* The numbers of a string with blanks between them, each rounded once; NA where something else is
 * among them. */
SEXP ffi_numbers(SEXP text)
{
    if (TYPEOF(text) != STRSXP || Rf_xlength(text) != 1) Rf_error("'text' must be a string");
    const char *at = CHAR(STRING_ELT(text, 0));
    R_xlen_t n = 0;
    for (const char *c = at; *c; c++) n += *c != ' ' && (c == at || c[-1] == ' ');
    SEXP out = PROTECT(Rf_allocVector(REALSXP, n));
    for (R_xlen_t i = 0; i < n; i++) {
        char *end;
        while (*at == ' ') at++;
        CT_ASSERT(*at);
        double x = strtod(at, &end);
        int is_number = end != at && (*end == ' ' || !*end);
        REAL(out)[i] = is_number ? x : NA_REAL;
        for (at = is_number ? end : at; !is_number && *at && *at != ' ';) at++;
    }
    UNPROTECT(1);
    return out;
}

/* Rounds numbers to the nearest floats, returned as doubles. */
SEXP ffi_floats(SEXP numbers_)
{
    const R_xlen_t n = Rf_xlength(numbers_);
    const double *given = r_doubles(numbers_, n, "numbers");
    SEXP out = PROTECT(Rf_allocVector(REALSXP, n));
    for (R_xlen_t i = 0; i < n; i++) REAL(out)[i] = (double) (float) given[i];
    UNPROTECT(1);
    return out;
}

/* The margin of a float between 0 and 1, as XGBoost computes it. */
SEXP ffi_float_logit(SEXP p)
{
    return Rf_ScalarReal((double) -logf(1.0f / (float) Rf_asReal(p) - 1.0f));
}

SEXP ffi_float_log(SEXP p)
{
    return Rf_ScalarReal((double) logf((float) Rf_asReal(p)));
}
