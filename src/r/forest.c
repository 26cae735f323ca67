/* .Call entries of histogram forests: growing.
 *
 * In R a forest is a list: `nodes` (two integers a node: next, and feature + 65536 * cut),
 * `n_nodes` and `n_leaves` by tree, `number` (which trees), `counts` and `means` of leaves, `edges`
 * (by column), `n_classes`; and, where leaves keep their rows, `rows` and `row_ends` as in
 * ct_hist_tree. */
#include "base/compact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "data/hash.h"
#include "forest/offload/grow.h"
#include "forest/sample/sample.h"
#include "forest/split/criteria.h"
#include "forest/words.h"
#include "r/callbacks.h"
#include "r/forest.h"
#include "r/growth.h"

/* ---- arguments ---- */

static ct_forest_split_rule rule_of(SEXP name)
{
    const char *text = TYPEOF(name) == STRSXP && Rf_xlength(name) == 1 ? CHAR(STRING_ELT(name, 0))
                                                                       : "";
    for (unsigned i = 0; i < ct_n_criteria; i++)
        if (!strcmp(text, ct_criteria[i].name)) return ct_criteria[i].rule;
    Rf_error("no such split rule");
}

/* The names of the criteria there are for a response. */
SEXP ffi_hist_criteria(SEXP is_classes)
{
    const ct_forest_criterion_of of =
        Rf_asLogical(is_classes) == TRUE ? CT_OF_CLASSES : CT_OF_NUMBERS;
    R_xlen_t n = 0;
    for (unsigned i = 0; i < ct_n_criteria; i++) n += ct_criteria[i].of == of;
    SEXP names = PROTECT(Rf_allocVector(STRSXP, n));
    for (unsigned i = ct_n_criteria; i-- > 0;)
        if (ct_criteria[i].of == of) SET_STRING_ELT(names, --n, Rf_mkChar(ct_criteria[i].name));
    UNPROTECT(1);
    return names;
}

static ct_hist_options options_of(SEXP control)
{
    const double bytes = r_number(control, "memory_limit");
    return (ct_hist_options){
        .n_trees = r_count(control, "trees"),
        .first_tree = r_count(control, "first_tree"),
        .mtry = r_count(control, "mtry"),
        .depth = r_count(control, "depth"),
        .min_n = r_count(control, "min_n"),
        .min_bucket = r_count(control, "min_bucket"),
        .holdout = r_number(control, "holdout") != 0,
        .honesty = r_number(control, "honesty"),
        .prior = r_number(control, "prior"),
        .sample = r_count(control, "sample"),
        .replace = r_number(control, "replace") != 0,
        .pool_by_level = r_number(control, "pool_by_level") != 0,
        .rule = rule_of(r_element(control, "rule")),
        .seed = r_seed(control),
        .threads = r_threads(control),
        .simd = r_simd(control),
        .oob = r_number(control, "oob") != 0,
        .gains = r_number(control, "gains") != 0,
        .permutation = r_number(control, "permutation") != 0,
        .local = r_number(control, "local") != 0,
        .time_limit = r_number(control, "time_limit"),
        .memory_limit = bytes < (double) (SIZE_MAX / 4) ? (size_t) bytes : SIZE_MAX / 4};
}

/* Class codes from 0; memory of the call. */
static const int32_t *classes_of(SEXP y, uint32_t n_rows, uint32_t n_classes)
{
    CT_ASSERT(n_classes > 0 && n_classes <= INT32_MAX);
    const int *from = r_integers(y, n_rows, "y");
    int32_t *codes = (int32_t *) R_alloc(n_rows ? n_rows : 1, sizeof *codes);
    for (uint32_t row = 0; row < n_rows; row++) {
        codes[row] = from[row] - 1;
        if (codes[row] < 0 || codes[row] >= (int32_t) n_classes)
            Rf_error("a class is out of range");
    }
    return codes;
}

/* Weights of the rows, of which at least one is above 0; or NULL. */
static const double *sampling_of(SEXP control, uint32_t n_rows)
{
    const double *weights = r_doubles_if(r_element(control, "sampling"), n_rows, "sampling");
    double largest = 0;
    for (uint32_t row = 0; weights && row < n_rows; row++) {
        if (!(weights[row] >= 0 && R_FINITE(weights[row]))) Rf_error("'sampling' is not valid");
        if (weights[row] > largest) largest = weights[row];
    }
    if (weights && largest == 0) Rf_error("no row can be sampled");
    return weights;
}

/* Exposures of the rows, all above 0; or NULL. */
static const double *exposure_of(SEXP control, uint32_t n_rows)
{
    const double *exposure = r_doubles_if(r_element(control, "exposure"), n_rows, "exposure");
    for (uint32_t row = 0; exposure && row < n_rows; row++)
        if (!(exposure[row] > 0 && R_FINITE(exposure[row]))) Rf_error("'exposure' is not valid");
    return exposure;
}

/* Places of the rows in the order of the response, or NULL. */
static const uint32_t *ranks_of(SEXP ranks, uint32_t n_rows)
{
    if (ranks == R_NilValue) return NULL;
    const uint32_t *places = (const uint32_t *) r_integers(ranks, n_rows, "ranks");
    for (uint32_t row = 0; row < n_rows; row++)
        if (places[row] >= n_rows) Rf_error("a rank is out of range");
    return places;
}

/* Times and events of the rows of a survival forest, as in ct_hist_data, or NULL. */
static const uint32_t *survival_of(SEXP survival, uint32_t n_rows, uint32_t n_times)
{
    if (survival == R_NilValue) return NULL;
    const uint32_t *codes = (const uint32_t *) r_integers(survival, n_rows, "survival");
    for (uint32_t row = 0; row < n_rows; row++)
        if (codes[row] / 2 > n_times || !codes[row] || (row && codes[row] < codes[row - 1]))
            Rf_error("'survival' is not valid");
    return codes;
}

/* `monotone`: -1, 0 or 1 for each column, or NULL. */
static const int32_t *ways_of(SEXP control, uint32_t n_cols)
{
    SEXP from = r_element(control, "monotone");
    if (from == R_NilValue) return NULL;
    const int *ways = r_integers(from, n_cols, "monotone");
    for (uint32_t col = 0; col < n_cols; col++) CT_ASSERT(ways[col] >= -1 && ways[col] <= 1);
    return ways;
}

/* Samples that are given, a vector of counts for each tree; memory of the call. */
static const int32_t *const *samples_of(SEXP control, uint32_t n_rows, uint32_t n_trees)
{
    SEXP from = r_element(control, "inbag");
    if (from == R_NilValue) return NULL;
    if (TYPEOF(from) != VECSXP || (uint32_t) Rf_xlength(from) != n_trees)
        Rf_error("'inbag' must be a list with an element a tree");
    const int32_t **samples = (const int32_t **) R_alloc(n_trees, sizeof *samples);
    for (uint32_t i = 0; i < n_trees; i++)
        samples[i] = r_integers(VECTOR_ELT(from, i), n_rows, "inbag");
    return samples;
}

/* ---- what is owned while R may fail ---- */

typedef struct {
    ct_hist_codes codes;
    ct_hist_forest forest;
    ct_hist_extra extra;
    ct_gpu_used used;
} owned;

static void free_owned(void *memory)
{
    owned *all = (owned *) memory;
    ct_hist_codes_free(&all->codes);
    ct_hist_forest_free(&all->forest);
    ct_hist_extra_free(&all->extra);
}

/* ---- results ---- */

static SEXP nodes_of(const ct_hist_forest *forest)
{
    R_xlen_t n = 0;
    for (uint32_t i = 0; i < forest->n_trees; i++) n += forest->trees[i].n_nodes;
    SEXP out = Rf_allocVector(INTSXP, 2 * n);
    uint32_t *to = (uint32_t *) INTEGER(out);
    for (uint32_t i = 0; i < forest->n_trees; i++) {
        CT_ASSERT(forest->trees[i].n_nodes > 0 && forest->trees[i].nodes);
        for (uint32_t k = 0; k < forest->trees[i].n_nodes; k++) {
            const ct_hist_node *node = &forest->trees[i].nodes[k];
            *to++ = node->next;
            *to++ = node->feature | (uint32_t) node->cut << 16;
        }
    }
    return out;
}

enum { COUNTS, MEANS, MEMBERS, ENDS };

/* An array of a tree, NULL where the forest has none, and how long it is. */
static const void *array_of(const ct_hist_forest *forest, uint32_t i, int what, size_t *n)
{
    const ct_hist_tree *tree = &forest->trees[i];
    *n = tree->n_leaves;
    if (what == COUNTS) *n *= ct_forest_leaf_width(forest->n_classes);
    if (what == MEMBERS) *n = tree->ends ? tree->ends[tree->n_leaves - 1] : 0;
    return what == COUNTS    ? (const void *) tree->counts
           : what == MEANS   ? (const void *) tree->means
           : what == MEMBERS ? (const void *) tree->members
                             : (const void *) tree->ends;
}

/* The arrays of all trees one behind the other; NULL where the forest has none. */
static SEXP joined(const ct_hist_forest *forest, int what)
{
    const size_t size = what == MEANS ? sizeof(double) : sizeof(int);
    size_t all = 0, n;
    if (what == MEANS && forest->n_classes) return R_NilValue;
    if (what >= MEMBERS && (!forest->n_trees || !forest->trees[0].ends)) return R_NilValue;
    for (uint32_t i = 0; i < forest->n_trees; i++, all += n) array_of(forest, i, what, &n);
    SEXP out = Rf_allocVector(what == MEANS ? REALSXP : INTSXP, (R_xlen_t) all);
    char *to = what == MEANS ? (char *) REAL(out) : (char *) INTEGER(out);
    for (uint32_t i = 0; i < forest->n_trees; i++, to += n * size) {
        const void *from = array_of(forest, i, what, &n);
        CT_ASSERT(from || !n);
        if (n) memcpy(to, from, n * size);
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

static SEXP edges_of(const ct_hist_codes *codes)
{
    SEXP out = PROTECT(Rf_allocVector(VECSXP, codes->n_cols));
    for (uint32_t col = 0; col < codes->n_cols; col++) {
        uint32_t n = codes->columns[col].n_codes;
        CT_ASSERT(n <= CT_HIST_CODES && (codes->columns[col].edges || !n));
        SET_VECTOR_ELT(out, col, Rf_allocVector(REALSXP, n));
        if (n) memcpy(REAL(VECTOR_ELT(out, col)), codes->columns[col].edges, n * sizeof(double));
    }
    UNPROTECT(1);
    return out;
}

static SEXP forest_list(const owned *all)
{
    static const char *const names[] = {"n_classes", "number", "n_nodes", "n_leaves", "depth",
                                        "nodes",     "counts", "means",   "edges",
                                        "rows",      "row_ends"};
    const ct_hist_forest *forest = &all->forest;
    SEXP list = PROTECT(r_named_list(names, sizeof names / sizeof *names));
    int i = 0;
    SET_VECTOR_ELT(list, i++, Rf_ScalarInteger((int) forest->n_classes));
    SET_VECTOR_ELT(list, i++, by_tree(forest, NUMBER));
    SET_VECTOR_ELT(list, i++, by_tree(forest, NODES));
    SET_VECTOR_ELT(list, i++, by_tree(forest, LEAVES));
    SET_VECTOR_ELT(list, i++, by_tree(forest, DEPTH));
    SET_VECTOR_ELT(list, i++, nodes_of(forest));
    SET_VECTOR_ELT(list, i++, joined(forest, COUNTS));
    SET_VECTOR_ELT(list, i++, joined(forest, MEANS));
    SET_VECTOR_ELT(list, i++, edges_of(&all->codes));
    SET_VECTOR_ELT(list, i++, joined(forest, MEMBERS));
    SET_VECTOR_ELT(list, i++, joined(forest, ENDS));
    UNPROTECT(1);
    return list;
}

/* A string that tells apart what trees are grown from: the codes of all rows, and their edges. */
static SEXP hash_of_codes(const ct_hist_codes *codes)
{
    enum { ABREAST = 4 };
    uint64_t hash = ct_hash(codes->n_rows, codes->n_cols);
    size_t i = 0, n = (size_t) codes->n_rows * codes->n_cols;
    for (; i + ABREAST <= n; i += ABREAST) {
        const uint16_t *c = codes->codes + i;
        hash = ct_hash(hash, c[0] | (uint64_t) c[1] << 16 | (uint64_t) c[2] << 32 |
                                 (uint64_t) c[3] << 48);
    }
    for (; i < n; i++) hash = ct_hash(hash, codes->codes[i]);
    for (uint32_t col = 0; col < codes->n_cols; col++)
        for (uint32_t code = 0; code < codes->columns[col].n_codes; code++)
            hash = ct_hash_double(hash, codes->columns[col].edges[code]);
    char text[20];
    snprintf(text, sizeof text, "%016llx", (unsigned long long) hash);
    return Rf_mkString(text);
}

/* values[n][n_words] as a matrix, in which a row adds up to what its words are. */
static SEXP words_matrix(const int64_t *values, uint32_t n, uint32_t n_words, double unit)
{
    CT_ASSERT(values && n_words > 0);
    SEXP out = Rf_allocMatrix(REALSXP, (int) n, (int) n_words);
    for (uint32_t k = 0; k < n_words; k++) {
        const double own = ldexp(unit, (int) k * CT_WORD_BITS);
        for (size_t i = 0; i < n; i++)
            REAL(out)[i + k * (size_t) n] = own * (double) values[i * n_words + k];
    }
    return out;
}

/* Sums over the trees that rows were left out of: a matrix with a row a row, and a column a class
 * or a word; whole numbers, exact below 2^53. */
static SEXP oob_sums(const owned *all, uint32_t n_rows)
{
    const ct_hist_extra *extra = &all->extra;
    if (!extra->oob_sums) return R_NilValue;
    if (!all->forest.n_classes)
        return words_matrix(extra->oob_sums, n_rows, extra->out_words, extra->unit);
    const size_t width = all->forest.n_classes;
    const double unit = ldexp(1, -32);
    SEXP out = Rf_allocMatrix(REALSXP, (int) n_rows, (int) width);
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

/* Sums by column: a vector, or where they have several words a matrix, a row a column. */
static SEXP by_column(const int64_t *values, uint32_t n, uint32_t n_words, double unit)
{
    if (!values) return R_NilValue;
    if (n_words > 1) return words_matrix(values, n, n_words, unit);
    SEXP out = Rf_allocVector(REALSXP, n);
    for (uint32_t i = 0; i < n; i++) REAL(out)[i] = unit * (double) values[i];
    return out;
}

/* Importances by row, a matrix with a row a data row and a column a column; or NULL. */
static SEXP local_matrix(const owned *all, uint32_t n_rows)
{
    const size_t n_cols = all->forest.n_cols;
    if (!all->extra.local) return R_NilValue;
    SEXP out = Rf_allocMatrix(REALSXP, (int) n_rows, (int) n_cols);
    for (size_t row = 0; row < n_rows; row++)
        for (size_t col = 0; col < n_cols; col++)
            REAL(out)[row + col * n_rows] =
                all->extra.local_unit * (double) all->extra.local[row * n_cols + col];
    return out;
}

static SEXP result_list(const owned *all, uint32_t n_rows)
{
    static const char *const names[] = {"forest", "oob_sums",    "oob_trees", "centre",
                                        "gains",  "harm",        "local",     "status",
                                        "elapsed", "device",     "device_note", "hash"};
    static const char *const ends[] = {"complete", "interrupted", "time limit", "memory limit"};
    SEXP list = PROTECT(r_named_list(names, sizeof names / sizeof *names));
    int i = 0;
    SET_VECTOR_ELT(list, i++, forest_list(all));
    SET_VECTOR_ELT(list, i++, oob_sums(all, n_rows));
    SET_VECTOR_ELT(list, i++, oob_trees(all, n_rows));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(all->extra.centre));
    SET_VECTOR_ELT(list, i++,
                   by_column(all->extra.gains, all->forest.n_cols, all->extra.gain_words,
                             all->extra.gain_unit));
    SET_VECTOR_ELT(list, i++,
                   by_column(all->extra.harm, all->forest.n_cols, all->extra.harm_words,
                             all->extra.harm_unit));
    SET_VECTOR_ELT(list, i++, local_matrix(all, n_rows));
    CT_ASSERT((size_t) all->extra.end < sizeof ends / sizeof *ends);
    SET_VECTOR_ELT(list, i++, Rf_mkString(ends[all->extra.end]));
    SET_VECTOR_ELT(list, i++, Rf_ScalarReal(all->extra.seconds));
    SET_VECTOR_ELT(list, i++, Rf_mkString(all->used.name));
    SET_VECTOR_ELT(list, i++, Rf_mkString(all->used.note));
    CT_ASSERT(i + 1 == Rf_xlength(list));
    if (all->forest.n_trees) SET_VECTOR_ELT(list, i, hash_of_codes(&all->codes));
    UNPROTECT(1);
    return list;
}

/* ---- growing ---- */

/* What stop_coding() looks at while columns are coded. */
typedef struct {
    r_growth *calls;
    double end; /* in ct_seconds() */
} coding;

static int stop_coding(void *data)
{
    const coding *c = (const coding *) data;
    return r_growth_stop(c->calls) || ct_seconds() > c->end;
}

/* control: `sets`, the columns whose codes are levels without an order. */
static void mark_sets(ct_hist_codes *codes, SEXP control)
{
    uint32_t n;
    const uint32_t *sets = r_column_numbers(control, "sets", codes->n_cols, &n);
    for (uint32_t i = 0; i < n; i++) {
        ct_hist_code_column *column = &codes->columns[sets[i]];
        column->is_set = column->n_codes <= CT_HIST_SET_LEVELS;
    }
}

/* Bytes that the codes take; *by_row: whether row by row as well, which is faster where rows are
 * many, or walk, and there is memory for it. */
static double bytes_of_codes(const r_columns *x, const ct_hist_options *options, int *by_row)
{
    double bytes = 0;
    for (*by_row = x->n_rows > 1024 || options->permutation;; *by_row = 0) {
        bytes = ct_hist_codes_bytes(x->columns, x->n_cols, x->n_rows, *by_row, options->threads);
        if (!*by_row || 2 * bytes < (double) options->memory_limit) return bytes;
    }
}

SEXP ffi_hist_grow(SEXP columns, SEXP y, SEXP n_classes, SEXP control)
{
    r_columns x = r_training_columns_of(columns);
    ct_hist_options options = options_of(control);
    const ct_gpu_choice device = r_device(r_element(control, "device"));
    r_growth calls;
    ct_error error;
    double start = ct_seconds();
    const int of_classes = Rf_asInteger(n_classes);
    if (of_classes < 0) Rf_error("there is no such number of classes");
    ct_hist_data data = {.n_classes = (uint32_t) of_classes};
    if (data.n_classes) data.classes = classes_of(y, x.n_rows, data.n_classes);
    else data.numbers = r_doubles(y, x.n_rows, "y");
    data.sampling = sampling_of(control, x.n_rows);
    data.exposure = exposure_of(control, x.n_rows);
    data.n_times = r_count(control, "n_times");
    data.survival = survival_of(r_element(control, "survival"), x.n_rows, data.n_times);
    data.ranks = ranks_of(r_element(control, "ranks"), x.n_rows);
    data.always = r_column_numbers(control, "always", x.n_cols, &data.n_always);
    data.monotone = ways_of(control, x.n_cols);
    data.column_weights = r_doubles_if(r_element(control, "select_weights"), x.n_cols,
                                       "select_weights");
    data.drawn = samples_of(control, x.n_rows, options.n_trees);
    int by_row;
    double bytes = bytes_of_codes(&x, &options, &by_row);
    if (bytes > (double) options.memory_limit)
        r_fail("%.0f MB of memory are needed for the codes of the data, more than the limit",
               bytes / 1e6);
    SEXP handle = PROTECT(r_owner(sizeof(owned), R_NilValue, free_owned));
    owned *all = (owned *) R_ExternalPtrAddr(handle);
    PROTECT(r_callbacks_init(&calls.guard, r_element(control, "report")));
    calls.learner = r_element(control, "learner");
    options.stop = r_growth_stop;
    options.report = r_growth_report;
    options.learn = calls.learner == R_NilValue ? NULL : r_growth_learn;
    options.calls = &calls;
    coding now = {&calls, start + options.time_limit};
    ct_halt halt = {stop_coding, &now, 0, 0};
    ct_status status = ct_hist_codes_init(&all->codes, x.columns, x.n_cols, x.n_rows,
                                          r_count(control, "bins"), by_row, options.threads, &halt,
                                          &error);
    if (status == CT_OK) mark_sets(&all->codes, control);
    data.codes = &all->codes;
    options.memory_limit -= (size_t) (bytes < (double) options.memory_limit ? bytes : 0);
    options.time_limit -= ct_seconds() - start;
    all->extra.end = calls.guard.interrupted ? CT_HIST_INTERRUPTED : CT_HIST_TIME;
    if (status == CT_OK && !halt.stopped)
        status = ct_hist_grow_at(&device, &data, &options, &all->forest, &all->extra, &all->used,
                                 &error);
    r_callbacks_jump_if(&calls.guard, handle);
    r_check(status, &error);
    all->extra.seconds = ct_seconds() - start;
    SEXP list = PROTECT(result_list(all, x.n_rows));
    r_release(handle);
    UNPROTECT(3);
    return list;
}

/* Numbers of rows, from 1, in an order that the seed alone decides. */
SEXP ffi_hist_shuffle(SEXP control)
{
    const uint32_t n_rows = r_count(control, "n_rows");
    SEXP out = PROTECT(Rf_allocVector(INTSXP, n_rows));
    ct_hist_shuffle(r_seed(control), n_rows, (uint32_t *) INTEGER(out));
    for (uint32_t row = 0; row < n_rows; row++) INTEGER(out)[row]++;
    UNPROTECT(1);
    return out;
}

/* How often each row was drawn for a tree. control: seed, sample, replace, sampling, n_rows. */
SEXP ffi_hist_sample(SEXP control, SEXP number_)
{
    uint32_t n_rows = r_count(control, "n_rows");
    const double *weights = sampling_of(control, n_rows);
    int replace = r_number(control, "replace") != 0;
    uint32_t sample = r_count(control, "sample");
    if (!replace && (sample > n_rows || weights)) Rf_error("there is no such sample");
    SEXP out = PROTECT(Rf_allocVector(INTSXP, n_rows));
    ct_hist_sampler sampler;
    if (ct_hist_sampler_init(&sampler, n_rows, weights) != CT_OK) Rf_error("not enough memory");
    ct_hist_sample(&sampler, r_seed(control), (uint32_t) Rf_asInteger(number_), sample, replace,
                   NULL, (uint32_t *) INTEGER(out));
    ct_hist_sampler_free(&sampler);
    UNPROTECT(1);
    return out;
}
