/* .Call entries of histogram forests.
 *
 * In R a forest is a list: `nodes` (two integers a node: next, and feature + 65536 * cut),
 * `n_nodes` and `n_leaves` by tree, `number` (which trees), `counts` and `means` of leaves, `edges`
 * (by column), `n_classes`. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "forest/hist_forest.h"
#include "forest/sample.h"
#include "forest/walk.h"
#include "r_callbacks.h"

/* ---- arguments ---- */

static double number(SEXP control, const char *name)
{
    SEXP value = r_element(control, name);
    double x = (TYPEOF(value) == REALSXP || TYPEOF(value) == INTSXP) && Rf_xlength(value) == 1
                   ? Rf_asReal(value)
                   : NAN;
    if (!(x >= 0)) Rf_error("control element '%s' must be one number of at least 0", name);
    return x;
}

static uint32_t count_of(SEXP control, const char *name)
{
    double x = number(control, name);
    return x < UINT32_MAX ? (uint32_t) x : UINT32_MAX;
}

/* A seed of up to 53 bits. */
static uint64_t seed_of(SEXP control)
{
    return (uint64_t) fmin(number(control, "seed"), 9007199254740992.0);
}

static ct_hist_options options_of(SEXP control)
{
    ct_hist_options o;
    memset(&o, 0, sizeof o);
    o.n_trees = count_of(control, "trees");
    o.first_tree = count_of(control, "first_tree");
    o.mtry = count_of(control, "mtry");
    o.depth = count_of(control, "depth");
    o.min_n = count_of(control, "min_n");
    o.sample = count_of(control, "sample");
    o.replace = number(control, "replace") != 0;
    o.pool_by_level = number(control, "pool_by_level") != 0;
    o.rule = (ct_split_rule) (count_of(control, "rule") % 4);
    o.seed = seed_of(control);
    o.threads = count_of(control, "threads");
    if (o.threads > R_MOST_THREADS)
        Rf_error("there can be no more than %d threads", R_MOST_THREADS);
    SEXP simd = r_element(control, "simd");
    if (TYPEOF(simd) != STRSXP || Rf_xlength(simd) != 1)
        Rf_error("control element 'simd' must be a string");
    o.simd = ct_cpu_find(CHAR(STRING_ELT(simd, 0)));
    if (o.simd == CT_N_SIMD)
        r_fail("this machine has no instruction set '%s'", CHAR(STRING_ELT(simd, 0)));
    o.oob = number(control, "oob") != 0;
    o.permutation = number(control, "permutation") != 0;
    o.time_limit = number(control, "time_limit");
    double bytes = number(control, "memory_limit");
    o.memory_limit = bytes < (double) (SIZE_MAX / 4) ? (size_t) bytes : SIZE_MAX / 4;
    return o;
}

/* NULL, or one double a row. */
static const double *doubles_of(SEXP value, uint32_t n, const char *name)
{
    if (value == R_NilValue) return NULL;
    if (TYPEOF(value) != REALSXP || (uint32_t) Rf_xlength(value) != n)
        Rf_error("'%s' must be one double a row", name);
    return REAL_RO(value);
}

/* Class codes from 0; memory of the call. */
static const int32_t *classes_of(SEXP y, uint32_t n_rows, uint32_t n_classes)
{
    if (TYPEOF(y) != INTSXP || (uint32_t) Rf_xlength(y) != n_rows)
        Rf_error("the classes must be one integer a row");
    int32_t *codes = (int32_t *) R_alloc(n_rows ? n_rows : 1, sizeof *codes);
    for (uint32_t row = 0; row < n_rows; row++) {
        codes[row] = INTEGER_RO(y)[row] - 1;
        if (codes[row] < 0 || codes[row] >= (int32_t) n_classes)
            Rf_error("a class is out of range");
    }
    return codes;
}

/* ---- what is owned while R may fail ---- */

typedef struct {
    ct_codes codes;
    ct_hist_forest forest;
    ct_hist_extra extra;
} owned;

static void free_owned(SEXP pointer)
{
    owned *all = (owned *) R_ExternalPtrAddr(pointer);
    if (!all) return;
    ct_codes_free(&all->codes);
    ct_hist_forest_free(&all->forest);
    ct_hist_extra_free(&all->extra);
    free(all);
    R_ClearExternalPtr(pointer);
}

/* Protect it. */
static SEXP new_owned(owned **all)
{
    SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
    R_RegisterCFinalizerEx(pointer, free_owned, TRUE);
    *all = (owned *) calloc(1, sizeof **all);
    if (!*all) Rf_error("not enough memory");
    R_SetExternalPtrAddr(pointer, *all);
    UNPROTECT(1);
    return pointer;
}

/* ---- results ---- */

static SEXP nodes_of(const ct_hist_forest *forest)
{
    R_xlen_t n = 0;
    for (uint32_t i = 0; i < forest->n_trees; i++) n += forest->trees[i].n_nodes;
    SEXP out = Rf_allocVector(INTSXP, 2 * n);
    uint32_t *to = (uint32_t *) INTEGER(out);
    for (uint32_t i = 0; i < forest->n_trees; i++)
        for (uint32_t k = 0; k < forest->trees[i].n_nodes; k++) {
            const ct_hist_node *node = &forest->trees[i].nodes[k];
            *to++ = node->next;
            *to++ = node->feature | (uint32_t) node->cut << 16;
        }
    return out;
}

static SEXP leaf_counts(const ct_hist_forest *forest)
{
    size_t n = 0, width = forest->n_classes ? forest->n_classes : 1;
    for (uint32_t i = 0; i < forest->n_trees; i++) n += forest->trees[i].n_leaves * width;
    SEXP out = Rf_allocVector(INTSXP, (R_xlen_t) n);
    int *to = INTEGER(out);
    for (uint32_t i = 0; i < forest->n_trees; i++) {
        size_t bytes = forest->trees[i].n_leaves * width * sizeof *to;
        if (bytes) memcpy(to, forest->trees[i].counts, bytes);
        to += forest->trees[i].n_leaves * width;
    }
    return out;
}

static SEXP leaf_means(const ct_hist_forest *forest)
{
    R_xlen_t n = 0;
    if (forest->n_classes) return R_NilValue;
    for (uint32_t i = 0; i < forest->n_trees; i++) n += forest->trees[i].n_leaves;
    SEXP out = Rf_allocVector(REALSXP, n);
    double *to = REAL(out);
    for (uint32_t i = 0; i < forest->n_trees; i++) {
        memcpy(to, forest->trees[i].means, forest->trees[i].n_leaves * sizeof *to);
        to += forest->trees[i].n_leaves;
    }
    return out;
}

enum { NUMBER, NODES, LEAVES, DEPTH };

static SEXP by_tree(const ct_hist_forest *forest, int what)
{
    SEXP out = Rf_allocVector(INTSXP, forest->n_trees);
    for (uint32_t i = 0; i < forest->n_trees; i++) {
        const ct_hist_tree *tree = &forest->trees[i];
        uint32_t value = what == NUMBER   ? tree->number
                         : what == NODES  ? tree->n_nodes
                         : what == LEAVES ? tree->n_leaves
                                          : tree->depth;
        INTEGER(out)[i] = (int) value;
    }
    return out;
}

static SEXP edges_of(const ct_codes *codes)
{
    SEXP out = PROTECT(Rf_allocVector(VECSXP, codes->n_cols));
    for (uint32_t col = 0; col < codes->n_cols; col++) {
        uint32_t n = codes->columns[col].n_codes;
        SET_VECTOR_ELT(out, col, Rf_allocVector(REALSXP, n));
        if (n) memcpy(REAL(VECTOR_ELT(out, col)), codes->columns[col].edges, n * sizeof(double));
    }
    UNPROTECT(1);
    return out;
}

static SEXP forest_list(const owned *all)
{
    static const char *const names[] = {"n_classes", "number", "n_nodes", "n_leaves", "depth",
                                        "nodes",     "counts", "means",   "edges"};
    const ct_hist_forest *forest = &all->forest;
    SEXP list = PROTECT(r_named_list(names, sizeof names / sizeof *names));
    int i = 0;
    SET_VECTOR_ELT(list, i++, Rf_ScalarInteger((int) forest->n_classes));
    SET_VECTOR_ELT(list, i++, by_tree(forest, NUMBER));
    SET_VECTOR_ELT(list, i++, by_tree(forest, NODES));
    SET_VECTOR_ELT(list, i++, by_tree(forest, LEAVES));
    SET_VECTOR_ELT(list, i++, by_tree(forest, DEPTH));
    SET_VECTOR_ELT(list, i++, nodes_of(forest));
    SET_VECTOR_ELT(list, i++, leaf_counts(forest));
    SET_VECTOR_ELT(list, i++, leaf_means(forest));
    SET_VECTOR_ELT(list, i++, edges_of(&all->codes));
    UNPROTECT(1);
    return list;
}

/* Sums over the trees that rows were left out of: a matrix with a row a row; whole numbers, exact
 * below 2^53. */
static SEXP oob_sums(const owned *all, uint32_t n_rows)
{
    const ct_hist_extra *extra = &all->extra;
    if (!extra->oob_sums) return R_NilValue;
    size_t width = all->forest.n_classes ? all->forest.n_classes : 1;
    SEXP out = Rf_allocMatrix(REALSXP, (int) n_rows, (int) width);
    double unit = all->forest.n_classes ? ldexp(1, -32) : extra->unit;
    for (size_t row = 0; row < n_rows; row++)
        for (size_t k = 0; k < width; k++)
            REAL(out)[row + k * n_rows] = unit * (double) extra->oob_sums[row * width + k];
    return out;
}

static SEXP oob_trees(const owned *all, uint32_t n_rows)
{
    if (!all->extra.oob_trees) return R_NilValue;
    SEXP out = Rf_allocVector(INTSXP, n_rows);
    if (n_rows) memcpy(INTEGER(out), all->extra.oob_trees, n_rows * sizeof(int));
    return out;
}

static SEXP by_column(const int64_t *values, uint32_t n, double unit)
{
    if (!values) return R_NilValue;
    SEXP out = Rf_allocVector(REALSXP, n);
    for (uint32_t i = 0; i < n; i++) REAL(out)[i] = unit * (double) values[i];
    return out;
}

static SEXP result_list(const owned *all, uint32_t n_rows)
{
    static const char *const names[] = {"forest", "oob_sums", "oob_trees", "centre",
                                        "gains",  "harm",     "status",    "elapsed"};
    static const char *const ends[] = {"complete", "interrupted", "time limit", "memory limit"};
    SEXP list = PROTECT(r_named_list(names, sizeof names / sizeof *names));
    int i = 0;
    SET_VECTOR_ELT(list, i++, forest_list(all));
    SET_VECTOR_ELT(list, i++, oob_sums(all, n_rows));
    SET_VECTOR_ELT(list, i++, oob_trees(all, n_rows));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(all->extra.centre));
    SET_VECTOR_ELT(list, i++,
                   by_column(all->extra.gains, all->forest.n_cols, all->extra.gain_unit));
    SET_VECTOR_ELT(list, i++, by_column(all->extra.harm, all->forest.n_cols, all->extra.harm_unit));
    SET_VECTOR_ELT(list, i++, Rf_mkString(ends[all->extra.end]));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(all->extra.seconds));
    UNPROTECT(1);
    return list;
}

/* ---- growing ---- */

static void report(void *calls, uint32_t trees, double seconds)
{
    double numbers[2] = {seconds, trees};
    r_callbacks_report((r_callbacks *) calls, numbers, 2);
}

/* ---- learners ---- */

/* A call of the R function of two arguments. */
typedef struct {
    SEXP learner;
    const ct_learner_round *round;
    ct_learner_answer *answers;
} asking;

static SEXP counts_of(const uint32_t *values, uint32_t n, uint32_t add)
{
    SEXP out = Rf_allocVector(INTSXP, n);
    for (uint32_t i = 0; i < n; i++) INTEGER(out)[i] = (int) (values[i] + add);
    return out;
}

/* [bin, class, feature, leaf] */
static SEXP histogram_of(const ct_learner_round *round)
{
    R_xlen_t n = (R_xlen_t) CT_BIN_ROWS * round->n_classes * round->n_features * round->n_leaves;
    SEXP out = PROTECT(Rf_allocVector(INTSXP, n)), dim = PROTECT(Rf_allocVector(INTSXP, 4));
    memcpy(INTEGER(out), round->histogram, (size_t) n * sizeof(int));
    INTEGER(dim)[0] = CT_BIN_ROWS;
    INTEGER(dim)[1] = (int) round->n_classes;
    INTEGER(dim)[2] = (int) round->n_features;
    INTEGER(dim)[3] = (int) round->n_leaves;
    Rf_setAttrib(out, R_DimSymbol, dim);
    UNPROTECT(2);
    return out;
}

static SEXP info_of(const ct_learner_round *round)
{
    static const char *const names[] = {"tree", "depth", "features", "bins", "rows", "weight"};
    SEXP list = PROTECT(r_named_list(names, sizeof names / sizeof *names));
    int i = 0;
    SET_VECTOR_ELT(list, i++, Rf_ScalarInteger((int) round->tree + 1));
    SET_VECTOR_ELT(list, i++, Rf_ScalarInteger((int) round->depth));
    SET_VECTOR_ELT(list, i++, counts_of(round->features, round->n_features, 1));
    SET_VECTOR_ELT(list, i++, counts_of(round->n_bins, round->n_features, 0));
    SET_VECTOR_ELT(list, i++, counts_of(round->rows, round->n_leaves, 0));
    SET_VECTOR_ELT(list, i++, counts_of(round->weights, round->n_leaves, 0));
    UNPROTECT(1);
    return list;
}

/* The function gives three integers a leaf, of which R code has looked over the values: feature and
 * bin from 1 (NA: none), and 0 or 1. */
static SEXP ask_r(void *data)
{
    asking *a = (asking *) data;
    uint32_t n = a->round->n_leaves;
    SEXP histogram = PROTECT(histogram_of(a->round)), info = PROTECT(info_of(a->round));
    SEXP call = PROTECT(Rf_lang3(a->learner, histogram, info));
    SEXP answer = PROTECT(Rf_eval(call, R_GlobalEnv));
    if (TYPEOF(answer) != INTSXP || Rf_xlength(answer) != 3 * (R_xlen_t) n)
        Rf_error("the learner's answers are not valid");
    for (uint32_t i = 0; i < n; i++) {
        const int *own = INTEGER_RO(answer) + 3 * (size_t) i;
        int none = own[0] == NA_INTEGER || own[1] == NA_INTEGER || own[0] < 1 || own[1] < 1;
        a->answers[i].feature = none ? -1 : own[0] - 1;
        a->answers[i].bin = none ? 0 : (uint32_t) own[1] - 1;
        a->answers[i].missing_left = own[2] == 1;
    }
    UNPROTECT(4);
    return R_NilValue;
}

/* What growing calls: where it reports, asks whether to end, and learns. */
typedef struct {
    r_callbacks guard;
    SEXP learner;
} growth_calls;

static void report_growth(void *data, uint32_t trees, double seconds)
{
    report(&((growth_calls *) data)->guard, trees, seconds);
}

static int stop_growth(void *data)
{
    return r_callbacks_stop(&((growth_calls *) data)->guard);
}

static int learn(void *data, const ct_learner_round *round, ct_learner_answer *answers)
{
    growth_calls *calls = (growth_calls *) data;
    asking a = {calls->learner, round, answers};
    return r_callbacks_call(&calls->guard, ask_r, &a);
}

static int by_row_pays(uint32_t n_rows) { return n_rows > 1024; }

SEXP ffi_hist_grow(SEXP columns, SEXP y, SEXP n_classes, SEXP control)
{
    r_columns x = r_columns_of(columns);
    ct_hist_options options = options_of(control);
    ct_hist_data data;
    growth_calls calls;
    ct_error error;
    owned *all;
    double start = ct_seconds();
    memset(&data, 0, sizeof data);
    data.n_classes = (uint32_t) Rf_asInteger(n_classes);
    if (data.n_classes) data.classes = classes_of(y, x.n_rows, data.n_classes);
    else data.numbers = doubles_of(y, x.n_rows, "y");
    if (!data.classes && !data.numbers) Rf_error("there is no response");
    data.sampling = doubles_of(r_element(control, "sampling"), x.n_rows, "sampling");
    double bytes = ct_codes_bytes(x.n_cols, x.n_rows, by_row_pays(x.n_rows), options.threads);
    if (bytes > (double) options.memory_limit)
        r_fail("%.0f MB of memory are needed for the codes of the data, more than the limit",
               bytes / 1e6);
    SEXP handle = PROTECT(new_owned(&all));
    PROTECT(r_callbacks_init(&calls.guard, r_element(control, "report")));
    calls.learner = r_element(control, "learner");
    options.stop = stop_growth;
    options.report = report_growth;
    options.learn = calls.learner == R_NilValue ? NULL : learn;
    options.calls = &calls;
    r_check(ct_codes_init(&all->codes, x.columns, x.n_cols, x.n_rows, count_of(control, "bins"),
                          by_row_pays(x.n_rows), options.threads, &error),
            &error);
    data.codes = &all->codes;
    options.memory_limit -= (size_t) (bytes < (double) options.memory_limit ? bytes : 0);
    options.time_limit -= ct_seconds() - start;
    ct_status status = ct_hist_grow(&data, &options, &all->forest, &all->extra, &error);
    if (calls.guard.jumped) {
        free_owned(handle);
        r_callbacks_jump(&calls.guard);
    }
    r_check(status, &error);
    all->extra.seconds = ct_seconds() - start;
    SEXP list = PROTECT(result_list(all, x.n_rows));
    free_owned(handle);
    UNPROTECT(3);
    return list;
}

/* How often each row was drawn for a tree. control: seed, sample, replace, sampling, n_rows. */
SEXP ffi_hist_sample(SEXP control, SEXP number_)
{
    uint32_t n_rows = count_of(control, "n_rows");
    const double *weights = doubles_of(r_element(control, "sampling"), n_rows, "sampling");
    int replace = number(control, "replace") != 0;
    uint32_t sample = count_of(control, "sample");
    if (!replace && (sample > n_rows || weights)) Rf_error("there is no such sample");
    SEXP out = PROTECT(Rf_allocVector(INTSXP, n_rows));
    ct_sampler sampler;
    if (!ct_sampler_init(&sampler, n_rows, weights)) Rf_error("not enough memory");
    ct_sample(&sampler, seed_of(control), (uint32_t) Rf_asInteger(number_), sample, replace,
              (uint32_t *) INTEGER(out));
    ct_sampler_free(&sampler);
    UNPROTECT(1);
    return out;
}

/* ---- a forest from R ---- */

static const int *integers_of(SEXP list, const char *name, R_xlen_t n)
{
    SEXP value = r_element(list, name);
    if (TYPEOF(value) != INTSXP || (n >= 0 && Rf_xlength(value) != n))
        Rf_error("the forest's '%s' is not valid", name);
    return INTEGER_RO(value);
}

static int leaf_is_valid(const ct_hist_forest *forest, const ct_hist_tree *tree, uint32_t next)
{
    if (!forest->n_classes) return next < tree->n_leaves;
    if (next & CT_HIST_MIXED) return (next & ~CT_HIST_MIXED) < tree->n_leaves;
    return next % CT_HIST_CLASSES < forest->n_classes && !(next & CT_HIST_FLAG);
}

/* Whether every walk ends in a leaf that is there. */
static int node_is_valid(const ct_hist_forest *forest, const ct_hist_tree *tree, uint32_t i)
{
    const ct_hist_node *node = &tree->nodes[i];
    uint32_t left = node->next & ~CT_HIST_FLAG;
    if (node->feature == CT_HIST_LEAF) return leaf_is_valid(forest, tree, node->next);
    return node->feature < forest->n_cols && left > i && left < tree->n_nodes - 1;
}

/* The nodes of tree `i` are copied, so that they are looked over once and for all; the rest is
 * borrowed. */
static void read_tree(ct_hist_forest *forest, uint32_t i, const int *words)
{
    ct_hist_tree *tree = &forest->trees[i];
    for (uint32_t k = 0; k < tree->n_nodes; k++) {
        uint32_t split = (uint32_t) words[2 * (size_t) k + 1];
        tree->nodes[k] = (ct_hist_node){(uint32_t) words[2 * (size_t) k], (uint16_t) split,
                                        (uint16_t) (split >> 16)};
    }
    for (uint32_t k = 0; k < tree->n_nodes; k++)
        if (!node_is_valid(forest, tree, k))
            Rf_error("node %u of tree %u of the forest is not valid", k + 1, i + 1);
}

/* Memory of the call. */
static ct_hist_forest forest_of(SEXP list, uint32_t n_cols)
{
    ct_hist_forest forest;
    SEXP means = r_element(list, "means");
    R_xlen_t n_trees = Rf_xlength(r_element(list, "number")), nodes = 0, leaves = 0;
    forest.n_classes = (uint32_t) Rf_asInteger(r_element(list, "n_classes"));
    forest.n_cols = n_cols;
    forest.n_trees = (uint32_t) n_trees;
    if (forest.n_classes > CT_HIST_CLASSES) Rf_error("the forest has too many classes");
    const int *number = integers_of(list, "number", n_trees),
              *n_nodes = integers_of(list, "n_nodes", n_trees);
    const int *n_leaves = integers_of(list, "n_leaves", n_trees),
              *depth = integers_of(list, "depth", n_trees);
    uint32_t width = forest.n_classes ? forest.n_classes : 1;
    forest.trees = (ct_hist_tree *) R_alloc((size_t) n_trees, sizeof *forest.trees);
    for (R_xlen_t i = 0; i < n_trees; i++) {
        if (n_nodes[i] < 1 || n_leaves[i] < 0) Rf_error("the forest's sizes are not valid");
        nodes += n_nodes[i];
        leaves += n_leaves[i];
    }
    const int *words = integers_of(list, "nodes", 2 * nodes),
              *counts = integers_of(list, "counts", leaves * width);
    if (!forest.n_classes && (TYPEOF(means) != REALSXP || Rf_xlength(means) != leaves))
        Rf_error("the forest's 'means' is not valid");
    ct_hist_node *all = (ct_hist_node *) R_alloc((size_t) nodes, sizeof *all);
    double *mean = forest.n_classes ? NULL : REAL(means);
    for (R_xlen_t i = 0; i < n_trees; i++) {
        forest.trees[i] = (ct_hist_tree){(uint32_t) number[i],
                                         (uint32_t) n_nodes[i],
                                         (uint32_t) n_leaves[i],
                                         (uint32_t) depth[i],
                                         all,
                                         (uint32_t *) counts,
                                         mean};
        read_tree(&forest, (uint32_t) i, words);
        all += n_nodes[i];
        words += 2 * (R_xlen_t) n_nodes[i];
        counts += (R_xlen_t) n_leaves[i] * width;
        if (mean) mean += n_leaves[i];
    }
    return forest;
}

/* Edges are borrowed; memory of the call. */
static ct_code_column *edges_from(SEXP list, uint32_t n_cols)
{
    SEXP edges = r_element(list, "edges");
    if (TYPEOF(edges) != VECSXP || (uint32_t) Rf_xlength(edges) != n_cols)
        Rf_error("the columns are not those of the forest");
    ct_code_column *columns = (ct_code_column *) R_alloc(n_cols ? n_cols : 1, sizeof *columns);
    memset(columns, 0, n_cols * sizeof *columns);
    for (uint32_t col = 0; col < n_cols; col++) {
        SEXP own = VECTOR_ELT(edges, col);
        if (TYPEOF(own) != REALSXP || Rf_xlength(own) > CT_CODES)
            Rf_error("the forest's 'edges' are not valid");
        columns[col].n_codes = (uint32_t) Rf_xlength(own);
        columns[col].edges = REAL(own);
    }
    return columns;
}

/* ---- prediction ---- */

static int stop_quietly(void *calls) { return r_callbacks_stop(calls); }

/* Sums as R has them, [row][class] turned. */
static SEXP shares_matrix(const int64_t *sums, uint32_t n_rows, uint32_t width, uint32_t n_trees)
{
    SEXP out = Rf_allocMatrix(REALSXP, (int) n_rows, (int) width);
    for (size_t row = 0; row < n_rows; row++) {
        double all = 0; /* shares of mixed leaves are rounded down */
        for (uint32_t k = 0; k < width; k++) all += (double) sums[row * width + k];
        for (uint32_t k = 0; k < width; k++)
            REAL(out)
            [row + k * (size_t) n_rows] = n_trees ? (double) sums[row * width + k] / all : 0;
    }
    return out;
}

static SEXP votes_matrix(const uint32_t *votes, uint32_t n_rows, uint32_t width)
{
    SEXP out = Rf_allocMatrix(INTSXP, (int) n_rows, (int) width);
    for (size_t row = 0; row < n_rows; row++)
        for (uint32_t k = 0; k < width; k++)
            INTEGER(out)[row + k * (size_t) n_rows] = (int) votes[row * width + k];
    return out;
}

static SEXP room_for(ct_hist_output what, uint32_t n_rows, const ct_hist_forest *forest, void **out)
{
    SEXP answer = R_NilValue;
    size_t width = forest->n_classes ? forest->n_classes : 1;
    if (what == CT_HIST_LEAVES) {
        answer = Rf_allocMatrix(INTSXP, (int) n_rows, (int) forest->n_trees);
        *out = INTEGER(answer);
    } else if (what == CT_HIST_TREES) {
        answer = Rf_allocMatrix(REALSXP, (int) n_rows, (int) forest->n_trees);
        *out = REAL(answer);
    } else if (!forest->n_classes) {
        answer = Rf_allocVector(REALSXP, n_rows);
        *out = REAL(answer);
    } else {
        *out = R_alloc((size_t) n_rows * width + 1, sizeof(int64_t));
    }
    return answer;
}

/* `what`: 0 shares (numbers: sums over the trees), 1 votes, 2 leaves, 3 what each tree says. */
SEXP ffi_hist_predict(SEXP list, SEXP columns, SEXP what_, SEXP threads)
{
    r_columns x = r_columns_of(columns);
    ct_hist_output what = (ct_hist_output) (Rf_asInteger(what_) % 4);
    int n_threads = Rf_asInteger(threads);
    if (n_threads < 1 || n_threads > R_MOST_THREADS)
        Rf_error("'threads' must be a number from 1 to %d", R_MOST_THREADS);
    ct_hist_forest forest = forest_of(list, x.n_cols);
    ct_code_column *codes = edges_from(list, x.n_cols);
    if (what == CT_HIST_VOTES && !forest.n_classes) Rf_error("trees vote for classes alone");
    void *out = NULL;
    ct_error error;
    r_callbacks calls;
    SEXP answer = PROTECT(room_for(what, x.n_rows, &forest, &out));
    PROTECT(r_callbacks_init(&calls, R_NilValue));
    ct_halt stop = {stop_quietly, &calls, 0, 0};
    ct_status status = ct_hist_predict(&forest, codes, x.columns, x.n_rows, what,
                                       (unsigned) n_threads, &stop, out, &error);
    if (calls.jumped) r_callbacks_jump(&calls);
    r_check(status, &error);
    if (calls.interrupted) r_fail("interrupted");
    if (answer == R_NilValue)
        answer = what == CT_HIST_SHARES
                     ? shares_matrix((const int64_t *) out, x.n_rows, forest.n_classes,
                                     forest.n_trees)
                     : votes_matrix((const uint32_t *) out, x.n_rows, forest.n_classes);
    UNPROTECT(2);
    return answer;
}

/* ---- one tree, spelled out ---- */

static void note_leaf(const ct_hist_forest *forest, const ct_hist_tree *tree, uint32_t i,
                      SEXP counts, SEXP mean)
{
    const ct_hist_node *leaf = &tree->nodes[i];
    uint32_t width = forest->n_classes;
    if (!width) {
        REAL(mean)[i] = tree->means[leaf->next];
        REAL(counts)[i] = tree->counts[leaf->next];
        return;
    }
    for (uint32_t k = 0; k < width; k++) {
        double *cell = &REAL(counts)[i + (size_t) k * tree->n_nodes];
        if (leaf->next & CT_HIST_MIXED)
            *cell = tree->counts[(size_t) (leaf->next & ~CT_HIST_MIXED) * width + k];
        else *cell = leaf->next % CT_HIST_CLASSES == k ? leaf->next / CT_HIST_CLASSES : 0;
    }
}

/* The weights, and the mean, of a node are those of its children together. */
static void add_children(const ct_hist_forest *forest, const ct_hist_tree *tree, uint32_t i,
                         SEXP counts, SEXP mean)
{
    uint32_t left = tree->nodes[i].next & ~CT_HIST_FLAG,
             width = forest->n_classes ? forest->n_classes : 1;
    for (uint32_t k = 0; k < width; k++) {
        double *column = REAL(counts) + (size_t) k * tree->n_nodes;
        column[i] = column[left] + column[left + 1];
    }
    if (forest->n_classes) return;
    const double *weight = REAL(counts);
    REAL(mean)
    [i] = (REAL(mean)[left] * weight[left] + REAL(mean)[left + 1] * weight[left + 1]) / weight[i];
}

/* Tree `number_` (its place, from 1), one element a node, breadth first: feature (from 1, 0 in
 * leaves), threshold, left and right (from 1), default_left, counts (a matrix; numbers: weights),
 * mean. */
SEXP ffi_hist_tree(SEXP list, SEXP number_)
{
    static const char *const names[] = {"feature",      "threshold", "left", "right",
                                        "default_left", "counts",    "mean"};
    SEXP edges = r_element(list, "edges");
    uint32_t n_cols = (uint32_t) Rf_xlength(edges), place = (uint32_t) Rf_asInteger(number_) - 1;
    ct_hist_forest forest = forest_of(list, n_cols);
    ct_code_column *codes = edges_from(list, n_cols);
    if (place >= forest.n_trees) Rf_error("there is no such tree");
    const ct_hist_tree *tree = &forest.trees[place];
    int n = (int) tree->n_nodes;
    SEXP out = PROTECT(r_named_list(names, sizeof names / sizeof *names));
    SEXP feature = Rf_allocVector(INTSXP, n);
    SET_VECTOR_ELT(out, 0, feature);
    SEXP threshold = Rf_allocVector(REALSXP, n);
    SET_VECTOR_ELT(out, 1, threshold);
    SEXP left = Rf_allocVector(INTSXP, n);
    SET_VECTOR_ELT(out, 2, left);
    SEXP right = Rf_allocVector(INTSXP, n);
    SET_VECTOR_ELT(out, 3, right);
    SEXP default_left = Rf_allocVector(LGLSXP, n);
    SET_VECTOR_ELT(out, 4, default_left);
    SEXP counts = Rf_allocMatrix(REALSXP, n, forest.n_classes ? (int) forest.n_classes : 1);
    SET_VECTOR_ELT(out, 5, counts);
    SEXP mean = forest.n_classes ? R_NilValue : Rf_allocVector(REALSXP, n);
    SET_VECTOR_ELT(out, 6, mean);
    for (int i = n - 1; i >= 0; i--) {
        const ct_hist_node *node = &tree->nodes[i];
        int is_leaf = node->feature == CT_HIST_LEAF;
        INTEGER(feature)[i] = is_leaf ? 0 : node->feature + 1;
        INTEGER(left)[i] = is_leaf ? 0 : (int) (node->next & ~CT_HIST_FLAG) + 1;
        INTEGER(right)[i] = is_leaf ? 0 : INTEGER(left)[i] + 1;
        LOGICAL(default_left)[i] = !is_leaf && (node->next & CT_HIST_FLAG) != 0;
        REAL(threshold)
        [i] = is_leaf                                    ? NA_REAL
              : node->cut < codes[node->feature].n_codes ? codes[node->feature].edges[node->cut]
                                                         : R_PosInf;
        if (is_leaf) note_leaf(&forest, tree, (uint32_t) i, counts, mean);
        else add_children(&forest, tree, (uint32_t) i, counts, mean);
    }
    UNPROTECT(1);
    return out;
}
