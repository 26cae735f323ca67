#include "base/compact.h"

#include "r/glue.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ct_column column_of(SEXP x, R_xlen_t offset)
{
    CT_ASSERT(offset >= 0 && offset <= Rf_xlength(x));
    ct_column column;
    if (TYPEOF(x) == REALSXP) {
        column.values = REAL_RO(x) + offset;
        column.type = CT_DOUBLE;
    } else if (TYPEOF(x) == INTSXP) {
        column.values = INTEGER_RO(x) + offset;
        column.type = CT_INT32;
    } else if (TYPEOF(x) == LGLSXP) {
        column.values = LOGICAL_RO(x) + offset;
        column.type = CT_INT32;
    } else {
        Rf_error("a column must be a double, integer or logical vector");
    }
    return column;
}

/* The codes may come from anywhere: one without a level would read beyond them. */
static ct_column coded_column_of(SEXP x)
{
    CT_ASSERT(TYPEOF(x) == VECSXP);
    SEXP codes = Rf_xlength(x) == 2 ? VECTOR_ELT(x, 0) : R_NilValue;
    SEXP levels = Rf_xlength(x) == 2 ? VECTOR_ELT(x, 1) : R_NilValue;
    if (TYPEOF(codes) != RAWSXP || TYPEOF(levels) != REALSXP || Rf_xlength(levels) < 1 ||
        Rf_xlength(levels) > UINT16_MAX + 1)
        Rf_error("a coded column must be a raw vector of codes and a double for each level");
    ct_coded_column *coded = (ct_coded_column *) R_alloc(1, sizeof *coded);
    coded->codes = (const uint16_t *) (const void *) RAW_RO(codes);
    coded->levels = REAL_RO(levels);
    coded->n_levels = (uint32_t) Rf_xlength(levels);
    ct_column column = {coded, CT_CODED};
    for (R_xlen_t row = 0; row < Rf_xlength(codes) / 2; row++)
        if (coded->codes[row] >= coded->n_levels) Rf_error("a code has no level");
    return column;
}

static R_xlen_t rows_of(SEXP x, int coded)
{
    if (!coded || TYPEOF(x) != VECSXP) return Rf_xlength(x);
    return Rf_xlength(x) ? Rf_xlength(VECTOR_ELT(x, 0)) / 2 : 0;
}

static r_columns columns_of(SEXP x, int coded)
{
    r_columns all;
    int is_matrix = Rf_isMatrix(x);
    if (!is_matrix && TYPEOF(x) != VECSXP)
        Rf_error("the columns must be a matrix or a list of vectors");
    R_xlen_t n_cols = is_matrix ? Rf_ncols(x) : Rf_xlength(x);
    R_xlen_t n_rows = is_matrix ? Rf_nrows(x) : n_cols ? rows_of(VECTOR_ELT(x, 0), coded) : 0;
    if (n_rows > INT_MAX || n_cols > INT_MAX)
        Rf_error("more than 2^31 - 1 rows or columns are not supported");
    all.n_rows = (uint32_t) n_rows;
    all.n_cols = (uint32_t) n_cols;
    all.columns = (ct_column *) R_alloc((size_t) (n_cols ? n_cols : 1), sizeof(ct_column));
    for (R_xlen_t col = 0; col < n_cols; col++) {
        SEXP column = is_matrix ? x : VECTOR_ELT(x, col);
        if (!is_matrix && rows_of(column, coded) != n_rows)
            Rf_error("the columns differ in length");
        all.columns[col] = is_matrix                                ? column_of(x, col * n_rows)
                           : coded && TYPEOF(column) == VECSXP ? coded_column_of(column)
                                                               : column_of(column, 0);
    }
    return all;
}

r_columns r_columns_of(SEXP x) { return columns_of(x, 0); }
r_columns r_training_columns_of(SEXP x) { return columns_of(x, 1); }

static void add_levels(ct_forest *tree, SEXP levels_left)
{
    CT_ASSERT(tree->n_nodes > 0 && !tree->levels_left);
    if (TYPEOF(levels_left) != VECSXP || Rf_xlength(levels_left) != tree->n_nodes)
        Rf_error("'levels_left' must be a list with one element a node");
    tree->n_levels = (uint32_t *) R_alloc(tree->n_nodes, sizeof *tree->n_levels);
    tree->levels_left = (uint8_t **) R_alloc(tree->n_nodes, sizeof *tree->levels_left);
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        SEXP left = VECTOR_ELT(levels_left, i);
        R_xlen_t n = Rf_xlength(left);
        tree->n_levels[i] = 0;
        if (!n) continue;
        if (TYPEOF(left) != LGLSXP || n < 2 || n > INT_MAX)
            Rf_error("'levels_left' must have logical vectors");
        tree->n_levels[i] = (uint32_t) n - 1;
        tree->levels_left[i] = (uint8_t *) R_alloc((size_t) n, 1);
        for (R_xlen_t k = 0; k < n; k++) tree->levels_left[i][k] = LOGICAL_RO(left)[k] == TRUE;
    }
}

ct_forest r_tree_of(SEXP feature, SEXP threshold, SEXP left, SEXP right, SEXP default_left,
                    SEXP levels_left)
{
    R_xlen_t n = Rf_xlength(feature);
    ct_forest tree;
    memset(&tree, 0, sizeof tree);
    if (n > INT_MAX) Rf_error("there are too many nodes");
    const int *features = r_integers(feature, n, "feature"), *lefts = r_integers(left, n, "left"),
              *rights = r_integers(right, n, "right");
    const double *thresholds = r_doubles(threshold, n, "threshold");
    if (TYPEOF(default_left) != LGLSXP || Rf_xlength(default_left) != n || n < 1)
        Rf_error("'default_left' must be a logical vector with one value a node");
    tree.n_trees = 1;
    tree.n_nodes = (uint32_t) n;
    tree.roots = (uint32_t *) R_alloc(1, sizeof *tree.roots);
    tree.feature = (int32_t *) R_alloc((size_t) n, sizeof *tree.feature);
    tree.left = (uint32_t *) R_alloc((size_t) n, sizeof *tree.left);
    tree.right = (uint32_t *) R_alloc((size_t) n, sizeof *tree.right);
    tree.default_left = (uint8_t *) R_alloc((size_t) n, sizeof *tree.default_left);
    tree.threshold = (double *) R_alloc((size_t) n, sizeof *tree.threshold);
    tree.roots[0] = 0;
    for (R_xlen_t i = 0; i < n; i++) {
        tree.feature[i] = features[i] > 0 ? features[i] - 1 : -1;
        tree.left[i] = lefts[i] > 0 ? (uint32_t) lefts[i] - 1 : 0;
        tree.right[i] = rights[i] > 0 ? (uint32_t) rights[i] - 1 : 0;
        tree.default_left[i] = LOGICAL_RO(default_left)[i] == TRUE;
        tree.threshold[i] = thresholds[i];
    }
    if (levels_left != R_NilValue) add_levels(&tree, levels_left);
    return tree;
}

/* Indices from 1 as indices from 0; what is none becomes one that no check lets pass. */
static uint32_t *indices_of(SEXP x, R_xlen_t n, uint32_t from, const char *name)
{
    CT_ASSERT(n >= 0 && from <= 1);
    const int *given = r_integers(x, n, name);
    uint32_t *out = (uint32_t *) R_alloc((size_t) (n ? n : 1), sizeof *out);
    for (R_xlen_t i = 0; i < n; i++)
        out[i] = given[i] < (int) from ? UINT32_MAX : (uint32_t) given[i] - from;
    return out;
}

static void add_terms(ct_forest *forest, SEXP leaf)
{
    SEXP coefficient = r_element(leaf, "coefficient");
    R_xlen_t n = Rf_xlength(coefficient);
    CT_ASSERT(forest->leaf == CT_LEAF_VALUES && forest->n_values == 1);
    if (n > INT_MAX) Rf_error("'coefficient' is too long");
    const double *given = r_doubles(coefficient, n, "coefficient");
    forest->leaf = CT_LEAF_LINEAR;
    forest->n_terms = (uint32_t) n;
    forest->term_column = indices_of(r_element(leaf, "column"), n, 1, "column");
    forest->first_term = indices_of(r_element(leaf, "first_term"), (R_xlen_t) forest->n_nodes + 1,
                                    0, "first_term");
    forest->coefficient = (double *) R_alloc((size_t) (n ? n : 1), sizeof *forest->coefficient);
    for (R_xlen_t i = 0; i < n; i++) forest->coefficient[i] = given[i];
}

ct_forest r_forest_of(SEXP nodes, SEXP leaf)
{
    if (TYPEOF(nodes) != VECSXP || TYPEOF(leaf) != VECSXP)
        Rf_error("'nodes' and 'leaf' must be lists");
    ct_forest forest = r_tree_of(r_element(nodes, "feature"), r_element(nodes, "threshold"),
                                 r_element(nodes, "left"), r_element(nodes, "right"),
                                 r_element(nodes, "default_left"), r_element(nodes, "levels_left"));
    SEXP roots = r_element(nodes, "roots"), values = r_element(leaf, "values");
    if (Rf_xlength(roots) < 1 || Rf_xlength(roots) > INT_MAX)
        Rf_error("'roots' must have one value a tree");
    forest.n_trees = (uint32_t) Rf_xlength(roots);
    forest.roots = indices_of(roots, Rf_xlength(roots), 1, "roots");
    if (!Rf_isMatrix(values) || Rf_nrows(values) != (int) forest.n_nodes)
        Rf_error("'values' must have a row for each node");
    size_t n = forest.n_nodes, k = (size_t) Rf_ncols(values);
    const double *given = r_doubles(values, (R_xlen_t) (n * k), "values");
    forest.leaf = CT_LEAF_VALUES;
    forest.n_values = (uint32_t) k;
    forest.values = (double *) R_alloc(n * k + 1, sizeof *forest.values);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < k; j++) forest.values[i * k + j] = given[i + j * n];
    if (Rf_xlength(leaf) == 1) return forest;
    if (k != 1) Rf_error("'values' must have one column, the intercepts");
    add_terms(&forest, leaf);
    return forest;
}

/* A condition of class contree_core_error; not protected. */
static SEXP condition_of(const char *status, const char *message)
{
    static const char *const names[] = {"message", "call", "status"},
                      *const classes[] = {"contree_core_error", "error", "condition"};
    SEXP condition = PROTECT(r_named_list(names, 3)), labels = PROTECT(Rf_allocVector(STRSXP, 3));
    SET_VECTOR_ELT(condition, 0, Rf_mkString(message));
    SET_VECTOR_ELT(condition, 2, Rf_mkString(status));
    for (int i = 0; i < 3; i++) SET_STRING_ELT(labels, i, Rf_mkChar(classes[i]));
    Rf_classgets(condition, labels);
    UNPROTECT(2);
    return condition;
}

static void raise_condition(SEXP condition)
{
    CT_ASSERT(Rf_inherits(condition, "contree_core_error"));
    PROTECT(condition);
    Rf_eval(PROTECT(Rf_lang2(Rf_install("stop"), condition)), R_BaseEnv);
    UNPROTECT(2);
}

/* The name of a status in R/util-conditions.R. */
static const char *name_of(ct_status status)
{
    return status == CT_INTERNAL    ? "internal"
           : status == CT_NO_DEVICE ? "no device"
           : status == CT_NO_MEMORY ? "no memory"
                                    : "bad input";
}

void r_fail(const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    raise_condition(condition_of(name_of(CT_BAD_INPUT), message));
}

void r_interrupted(void) { raise_condition(r_interruption()); }

SEXP r_interruption(void) { return condition_of("interrupted", "interrupted"); }

void r_check(ct_status status, const ct_error *error)
{
    if (status != CT_OK) raise_condition(r_failure(status, error));
}

SEXP r_failure(ct_status status, const ct_error *error)
{
    CT_ASSERT(status != CT_OK && error);
    return condition_of(name_of(status), error->message);
}

SEXP r_element(SEXP list, const char *name)
{
    CT_ASSERT(name && *name);
    SEXP names = Rf_getAttrib(list, R_NamesSymbol);
    for (R_xlen_t i = 0; i < Rf_xlength(names); i++)
        if (!strcmp(CHAR(STRING_ELT(names, i)), name)) return VECTOR_ELT(list, i);
    Rf_error("the control list has no element '%s'", name);
    return R_NilValue;
}

int r_flag(SEXP value, const char *name)
{
    if (TYPEOF(value) != LGLSXP || Rf_xlength(value) != 1 || LOGICAL_RO(value)[0] == NA_LOGICAL)
        Rf_error("'%s' must be TRUE or FALSE", name);
    return LOGICAL_RO(value)[0];
}

double r_number(SEXP control, const char *name)
{
    SEXP value = r_element(control, name);
    int is_number = TYPEOF(value) == REALSXP || TYPEOF(value) == INTSXP;
    double x = is_number && Rf_xlength(value) == 1 ? Rf_asReal(value) : NAN;
    if (!(x >= 0)) Rf_error("control element '%s' must be one number of at least 0", name);
    return x;
}

uint32_t r_count(SEXP control, const char *name)
{
    double x = r_number(control, name);
    return x < UINT32_MAX ? (uint32_t) x : UINT32_MAX;
}

uint64_t r_seed(SEXP control)
{
    return (uint64_t) fmin(r_number(control, "seed"), 9007199254740992.0);
}

unsigned r_threads(SEXP control)
{
    uint32_t threads = r_count(control, "threads");
    if (threads > R_MOST_THREADS) Rf_error("there can be no more than %d threads", R_MOST_THREADS);
    return threads;
}

unsigned r_threads_of(SEXP threads)
{
    int n = Rf_asInteger(threads);
    if (n < 1 || n > R_MOST_THREADS)
        Rf_error("'threads' must be a number from 1 to %d", R_MOST_THREADS);
    return (unsigned) n;
}

ct_simd r_simd(SEXP control)
{
    SEXP name = r_element(control, "simd");
    if (TYPEOF(name) != STRSXP || Rf_xlength(name) != 1)
        Rf_error("control element 'simd' must be a string");
    ct_simd level = ct_cpu_find(CHAR(STRING_ELT(name, 0)));
    if (level == CT_N_SIMD)
        r_fail("this machine has no instruction set '%s'", CHAR(STRING_ELT(name, 0)));
    return level;
}

ct_gpu_choice r_device(SEXP value)
{
    if (TYPEOF(value) != STRSXP || Rf_xlength(value) != 1)
        Rf_error("the element or argument 'device' must be a string");
    const char *name = CHAR(STRING_ELT(value, 0));
    if (!strcmp(name, "cpu")) return (ct_gpu_choice){CT_ON_CPU, 0};
    if (!strcmp(name, "auto")) return (ct_gpu_choice){CT_ON_AUTO, 0};
    if (!strcmp(name, "twin")) return (ct_gpu_choice){CT_ON_TWIN, 0};
    if (strncmp(name, "cuda:", 5) || strlen(name) >= 10)
        Rf_error("there is no device of that name");
    long wanted = strtol(name + 5, NULL, 10);
    return (ct_gpu_choice){CT_ON_CUDA, wanted < 0 ? 0 : (int) wanted};
}

const int *r_integers(SEXP value, R_xlen_t n, const char *name)
{
    if (TYPEOF(value) != INTSXP || Rf_xlength(value) != n)
        Rf_error("'%s' must be an integer vector of length %ld", name, (long) n);
    return INTEGER_RO(value);
}

const double *r_doubles(SEXP value, R_xlen_t n, const char *name)
{
    if (TYPEOF(value) != REALSXP || Rf_xlength(value) != n)
        Rf_error("'%s' must be a double vector of length %ld", name, (long) n);
    return REAL_RO(value);
}

const double *r_doubles_if(SEXP value, R_xlen_t n, const char *name)
{
    return value == R_NilValue ? NULL : r_doubles(value, n, name);
}

uint32_t *r_column_numbers(SEXP control, const char *name, uint32_t n_cols, uint32_t *n)
{
    CT_ASSERT(n_cols <= INT_MAX);
    SEXP value = r_element(control, name);
    *n = (uint32_t) Rf_xlength(value);
    if (!*n) return NULL;
    const int *given = r_integers(value, *n, name);
    uint32_t *out = (uint32_t *) R_alloc(*n, sizeof *out);
    for (uint32_t i = 0; i < *n; i++) {
        if (given[i] < 1 || (uint32_t) given[i] > n_cols) Rf_error("'%s' names no column", name);
        out[i] = (uint32_t) given[i] - 1;
    }
    return out;
}

/* What lies before the memory of an owner. */
typedef union {
    void (*release)(void *memory);
    max_align_t aligned;
} owner_head;

void r_release(SEXP owner)
{
    void *memory = R_ExternalPtrAddr(owner);
    if (!memory) return;
    owner_head *head = (owner_head *) memory - 1;
    head->release(memory);
    free(head);
    R_ClearExternalPtr(owner);
}

SEXP r_owner(size_t bytes, SEXP tag, void (*release)(void *memory))
{
    CT_ASSERT(bytes > 0 && release);
    SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, tag, R_NilValue));
    R_RegisterCFinalizerEx(pointer, r_release, TRUE);
    owner_head *head = (owner_head *) calloc(1, sizeof *head + bytes);
    if (!head) Rf_error("not enough memory");
    head->release = release;
    R_SetExternalPtrAddr(pointer, head + 1);
    UNPROTECT(1);
    return pointer;
}

SEXP r_named_list(const char *const *names, int n)
{
    CT_ASSERT(names && n > 0);
    SEXP list = PROTECT(Rf_allocVector(VECSXP, n)), labels = PROTECT(Rf_allocVector(STRSXP, n));
    for (int i = 0; i < n; i++) SET_STRING_ELT(labels, i, Rf_mkChar(names[i]));
    Rf_setAttrib(list, R_NamesSymbol, labels);
    UNPROTECT(2);
    return list;
}

SEXP r_named_numbers(const char *const *names, const double *values, int n)
{
    SEXP list = PROTECT(r_named_list(names, n)), out = PROTECT(r_doubles_from(values, n));
    Rf_setAttrib(out, R_NamesSymbol, Rf_getAttrib(list, R_NamesSymbol));
    UNPROTECT(2);
    return out;
}

SEXP r_integers_from(const uint32_t *values, R_xlen_t n, int plus)
{
    CT_ASSERT(values || !n);
    SEXP out = Rf_allocVector(INTSXP, n);
    for (R_xlen_t i = 0; i < n; i++) INTEGER(out)[i] = (int) values[i] + plus;
    return out;
}

SEXP r_doubles_from(const double *values, R_xlen_t n)
{
    CT_ASSERT(values || !n);
    SEXP out = Rf_allocVector(REALSXP, n);
    if (n) memcpy(REAL(out), values, (size_t) n * sizeof *values);
    return out;
}

int r_put_nodes(SEXP list, int i, const ct_forest *tree)
{
    const uint32_t n = tree->n_nodes;
    CT_ASSERT(n > 0 && i + 5 <= Rf_xlength(list));
    SET_VECTOR_ELT(list, i, r_integers_from((const uint32_t *) tree->feature, n, 1));
    SET_VECTOR_ELT(list, i + 1, r_doubles_from(tree->threshold, n));
    SET_VECTOR_ELT(list, i + 2, r_integers_from(tree->left, n, 1));
    SET_VECTOR_ELT(list, i + 3, r_integers_from(tree->right, n, 1));
    SET_VECTOR_ELT(list, i + 4, Rf_allocVector(LGLSXP, n));
    for (uint32_t k = 0; k < n; k++) {
        LOGICAL(VECTOR_ELT(list, i + 4))[k] = tree->default_left[k];
        if (tree->feature[k] >= 0) continue;
        REAL(VECTOR_ELT(list, i + 1))[k] = NA_REAL;
        INTEGER(VECTOR_ELT(list, i + 2))[k] = INTEGER(VECTOR_ELT(list, i + 3))[k] = 0;
    }
    return i + 5;
}
