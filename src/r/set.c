/* .Call entries of sets of near-optimal trees (exact/sets/set.h).
 *
 * ffi_set_new(columns, y, n_classes, control, groups) makes a set, as an external pointer that
 * keeps the columns and control from being freed. The arguments are those of ffi_exact_solve(), and
 * control$max_nodes, and for each column the number of its predictor. Numbers of trees are digits
 * in text, as they may be larger than doubles hold. */
#include "base/compact.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "certify/recount.h"
#include "exact/sets/counts.h"
#include "exact/sets/set.h"
#include "exact/sets/values.h"
#include "r/callbacks.h"
#include "r/exact.h"

typedef struct {
    ct_set *set;
    uint32_t n_rows, n_cols, n_classes;
    int is_numeric; /* the response; then there is one class */
} r_set;

static void free_set(void *own) { ct_set_free(((r_set *) own)->set); }

static r_set *set_of(SEXP pointer)
{
    const int is_set =
        TYPEOF(pointer) == EXTPTRSXP && TYPEOF(R_ExternalPtrTag(pointer)) == LISTSXP;
    r_set *own = is_set ? (r_set *) R_ExternalPtrAddr(pointer) : NULL;
    if (!own || !own->set) Rf_error("the set of trees is not there any more");
    return own;
}

static const uint32_t *groups_of(SEXP groups, uint32_t n_cols)
{
    return (const uint32_t *) r_integers(groups, n_cols, "groups");
}

SEXP ffi_set_new(SEXP columns, SEXP y, SEXP n_classes, SEXP control, SEXP groups)
{
    r_problem problem = r_problem_of(columns, y, n_classes, control);
    ct_exact_options options = problem.options;
    ct_outcome beside;
    r_callbacks calls;
    ct_error error;
    double most_nodes = r_number(control, "max_nodes");
    options.beside = r_outcome_of(r_element(control, "beside"), r_element(control, "beside_splits"),
                                  &problem.data, &beside);
    options.within = options.beside ? r_number(control, "within") : 0;
    SEXP roots = r_element(control, "roots");
    if (roots != R_NilValue) options.roots = r_roots_of(roots, problem.data.n_cols);
    SEXP kept = PROTECT(Rf_list2(columns, control));
    SEXP pointer = PROTECT(r_owner(sizeof(r_set), kept, free_set));
    r_set *own = (r_set *) R_ExternalPtrAddr(pointer);
    PROTECT(r_callbacks_begin(&calls, R_NilValue, &options));
    ct_status status = ct_set_new(&problem.data, &options, groups_of(groups, problem.data.n_cols),
                                  most_nodes < 1e15 ? (size_t) most_nodes : 0, &own->set, &error);
    r_callbacks_jump_if(&calls, pointer);
    r_check(status, &error);
    own->n_rows = problem.data.n_rows;
    own->n_cols = problem.data.n_cols;
    own->n_classes = ct_data_classes(&problem.data);
    own->is_numeric = problem.data.response != NULL;
    UNPROTECT(3);
    return pointer;
}

/* Whether it is a set of this session. */
SEXP ffi_set_alive(SEXP pointer)
{
    return Rf_ScalarLogical(TYPEOF(pointer) == EXTPTRSXP && R_ExternalPtrAddr(pointer));
}

static SEXP digits(const uint64_t *count, unsigned words)
{
    CT_ASSERT(count && words > 0 && words <= CT_COUNT_WORDS);
    char text[CT_COUNT_DIGITS];
    ct_set_count_text(count, words, text);
    return Rf_mkChar(text);
}

/* The costs of the trees, how many have each, and how many there are. */
static void put_costs(SEXP list, const ct_set *set, uint32_t n)
{
    uint64_t total[CT_COUNT_WORDS] = {0};
    unsigned words = ct_set_words(set);
    SEXP costs = Rf_allocVector(REALSXP, n);
    SET_VECTOR_ELT(list, 0, costs);
    SEXP counts = Rf_allocVector(STRSXP, n);
    SET_VECTOR_ELT(list, 1, counts);
    SEXP numbers = Rf_allocVector(REALSXP, n);
    SET_VECTOR_ELT(list, 2, numbers);
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t *count;
        REAL(costs)[i] = ct_set_cost(set, i, &count);
        SET_STRING_ELT(counts, i, digits(count, words));
        REAL(numbers)[i] = ct_set_count_double(count, words);
        ct_set_count_add(total, words, count, words);
    }
    SET_VECTOR_ELT(list, 3, Rf_ScalarString(digits(total, words)));
    SET_VECTOR_ELT(list, 4, Rf_ScalarReal(ct_set_count_double(total, words)));
}

/* list(cost, count, n, total, length, complete, complete_cost, status, elapsed, size): of each cost
 * how many trees have it, in digits and as a double; complete_cost: no tree of that cost or less is
 * missing, -Inf if any may be. */
SEXP ffi_set_about(SEXP pointer)
{
    static const char *const names[] = {"cost",   "count",    "n",             "total",
                                        "length", "complete", "complete_cost", "status",
                                        "elapsed", "size"};
    static const char *const sizes[] = {"nodes", "options", "counts", "bytes"};
    const ct_set *set = set_of(pointer)->set;
    ct_set_facts facts = ct_set_about(set);
    int complete = facts.complete >= facts.budget;
    SEXP list = PROTECT(r_named_list(names, 10));
    put_costs(list, set, facts.n_costs);
    SET_VECTOR_ELT(list, 5, Rf_ScalarLogical(complete));
    SET_VECTOR_ELT(list, 6, Rf_ScalarReal(facts.complete < facts.least
                                              ? R_NegInf
                                              : ct_set_surely(set)));
    SET_VECTOR_ELT(list, 7, Rf_mkString(complete ? "complete" : ct_exact_end_name(facts.end)));
    SET_VECTOR_ELT(list, 8, Rf_ScalarReal(facts.seconds));
    const double of[] = {(double) facts.n_nodes, (double) facts.n_options, (double) facts.n_counts,
                         (double) facts.bytes};
    SET_VECTOR_ELT(list, 9, r_named_numbers(sizes, of, 4));
    UNPROTECT(1);
    return list;
}

/* The tree of a handle, which is freed, as ffi_exact_solve() returns it. Protect `where`. */
static SEXP tree_list(SEXP handle, const r_set *own, SEXP where)
{
    CT_ASSERT((uint32_t) Rf_xlength(where) == own->n_rows);
    for (uint32_t row = 0; row < own->n_rows; row++) INTEGER(where)[row]++;
    SEXP list = PROTECT(r_result_list((ct_exact_result *) R_ExternalPtrAddr(handle), own->n_cols,
                                      where, 0, R_NilValue));
    r_release(handle);
    UNPROTECT(1);
    return list;
}

/* The tree of that number, from 1, as ffi_exact_solve() returns it. */
SEXP ffi_set_tree(SEXP pointer, SEXP number)
{
    r_set *own = set_of(pointer);
    uint64_t k[CT_COUNT_WORDS];
    const uint64_t one = 1;
    ct_error error;
    unsigned words = ct_set_words(own->set);
    if (TYPEOF(number) != STRSXP || Rf_xlength(number) != 1 ||
        !ct_set_count_read(CHAR(STRING_ELT(number, 0)), k, words) || ct_set_count_is_zero(k, words))
        r_fail("the set has no tree of that number");
    ct_set_count_take(k, words, &one, 1);
    SEXP where = PROTECT(Rf_allocVector(INTSXP, own->n_rows));
    ct_exact_result *result;
    SEXP handle = PROTECT(r_exact_result(&result));
    r_check(ct_set_tree(own->set, k, result, (uint32_t *) INTEGER(where), &error), &error);
    SEXP list = tree_list(handle, own, where);
    UNPROTECT(2);
    return list;
}

/* Numbers of n trees at random, each as likely as any other, by R's random numbers. */
SEXP ffi_set_draw(SEXP pointer, SEXP n)
{
    const ct_set *set = set_of(pointer)->set;
    uint64_t total[CT_COUNT_WORDS] = {0}, k[CT_COUNT_WORDS];
    unsigned words = ct_set_words(set), used = words;
    const uint64_t *count, one = 1;
    ct_set_facts facts = ct_set_about(set);
    for (uint32_t i = 0; i < facts.n_costs; i++) {
        ct_set_cost(set, i, &count);
        ct_set_count_add(total, words, count, words);
    }
    if (ct_set_count_is_zero(total, words)) r_fail("the set has no trees");
    while (!total[used - 1]) used--;
    CT_ASSERT(used > 0);
    uint64_t mask = UINT64_MAX;
    while (mask >> 1 >= total[used - 1]) mask >>= 1;
    R_xlen_t length = Rf_asInteger(n);
    SEXP drawn = PROTECT(Rf_allocVector(STRSXP, length));
    GetRNGstate();
    for (R_xlen_t i = 0; i < length; i++) {
        do {
            memset(k, 0, sizeof k);
            for (unsigned w = 0; w < used; w++)
                for (int part = 0; part < 4; part++) /* 16 bits at a time: all generators have */
                    k[w] = k[w] << 16 | (uint64_t) floor(unif_rand() * 65536);
            k[used - 1] &= mask;
        } while (!ct_set_count_less(k, total, words));
        ct_set_count_add(k, words, &one, 1);
        SET_STRING_ELT(drawn, i, digits(k, words));
    }
    PutRNGstate();
    UNPROTECT(1);
    return drawn;
}

/* Rows by classes: the least cost of a tree that predicts the class, Inf if none does; of a numeric
 * response the lowest and the highest prediction. */
SEXP ffi_set_ranges(SEXP pointer, SEXP columns)
{
    r_set *own = set_of(pointer);
    ct_error error;
    r_columns x = r_columns_of(columns);
    if (x.n_cols != own->n_cols) Rf_error("there must be as many columns as the trees know");
    int n = own->is_numeric ? 2 : (int) own->n_classes;
    SEXP least = PROTECT(Rf_allocMatrix(REALSXP, n, (int) x.n_rows));
    r_check(ct_set_ranges(own->set, x.columns, x.n_rows, REAL(least), &error), &error);
    UNPROTECT(1);
    return least;
}

/* list(count, n, least): for each predictor, how many trees do without it, in digits and as a
 * double, and what the cheapest of them costs, Inf without any. */
SEXP ffi_set_without(SEXP pointer)
{
    static const char *const names[] = {"count", "n", "least"};
    r_set *own = set_of(pointer);
    unsigned words = ct_set_words(own->set);
    ct_error error;
    uint32_t n = ct_set_groups(own->set);
    uint64_t *counts = (uint64_t *) R_alloc((size_t) n * words, sizeof *counts);
    SEXP list = PROTECT(r_named_list(names, 3));
    for (int i = 0; i < 3; i++) SET_VECTOR_ELT(list, i, Rf_allocVector(i ? REALSXP : STRSXP, n));
    r_check(ct_set_without(own->set, counts, REAL(VECTOR_ELT(list, 2)), &error), &error);
    for (uint32_t i = 0; i < n; i++) {
        SET_STRING_ELT(VECTOR_ELT(list, 0), i, digits(counts + (size_t) i * words, words));
        REAL(VECTOR_ELT(list, 1))[i] = ct_set_count_double(counts + (size_t) i * words, words);
    }
    UNPROTECT(1);
    return list;
}

/* list(value, tree): the best tree by what rows add under the labels it gives them, a matrix of
 * classes by rows, and `per_leaf`; goal: see values.h; exchanged: the number of a column, 0: none.
 * sparing: that of a predictor, whose splits' savings are added in the objective, 0: none; less
 * than 0: they are taken away. Without with_tree the value alone. */
SEXP ffi_set_best(SEXP pointer, SEXP columns, SEXP gain, SEXP goal, SEXP per_leaf, SEXP exchanged,
                  SEXP sparing, SEXP with_tree)
{
    static const char *const names[] = {"value", "tree"};
    r_set *own = set_of(pointer);
    r_columns x = r_columns_of(columns);
    ct_error error;
    int64_t value;
    ct_set_question question = {.goal = (ct_set_value_goal) Rf_asInteger(goal),
                                .columns = x.columns, .n_rows = x.n_rows, .gain = REAL(gain),
                                .per_leaf = Rf_asInteger(per_leaf),
                                .exchanged = (uint32_t) Rf_asInteger(exchanged) - 1,
                                .sparing = (uint32_t) abs(Rf_asInteger(sparing)) - 1,
                                .sign = Rf_asInteger(sparing) < 0 ? -1 : 1};
    if (x.n_cols != own->n_cols || (uint32_t) Rf_ncols(gain) != x.n_rows ||
        (uint32_t) Rf_nrows(gain) != own->n_classes)
        Rf_error("there must be as many columns, classes and rows as the trees know");
    CT_ASSERT(question.goal >= CT_VALUE_LEAST && question.goal <= CT_VALUE_PREDICTORS);
    CT_ASSERT(question.exchanged + 1 <= own->n_cols && question.sparing + 1 <= own->n_cols);
    SEXP list = PROTECT(r_named_list(names, 2));
    SEXP where = PROTECT(Rf_allocVector(INTSXP, own->n_rows));
    ct_exact_result *result;
    SEXP handle = PROTECT(r_exact_result(&result));
    int wanted = Rf_asLogical(with_tree);
    r_check(ct_set_best(own->set, &question, &value, wanted ? result : NULL,
                        (uint32_t *) INTEGER(where), &error), &error);
    double unit = question.sparing < UINT32_MAX ? ct_set_unit(own->set) : 1;
    SET_VECTOR_ELT(list, 0, Rf_ScalarReal((double) value * unit));
    if (wanted) SET_VECTOR_ELT(list, 1, tree_list(handle, own, where));
    UNPROTECT(3);
    return list;
}

/* Writes the counts of the trees up to the budget of a claim. */
static void put_claim(const ct_set *set, ct_certify_set_claim *claim)
{
    ct_set_facts facts = ct_set_about(set);
    unsigned words = ct_set_words(set);
    ct_certify_cost_count *counts =
        (ct_certify_cost_count *) R_alloc(facts.n_costs + 1, sizeof *counts);
    claim->counts = counts;
    for (uint32_t i = 0; i < facts.n_costs; i++) {
        char text[CT_COUNT_DIGITS];
        const uint64_t *count;
        int64_t cost = ct_set_cost_count(set, i, &count);
        if (cost > claim->budget) break;
        ct_set_count_text(count, words, text);
        counts[claim->n_counts++] = (ct_certify_cost_count){cost, ct_certify_residues_of(text)};
    }
}

/* list(stopped, same, covers, differs, thresholds, row_sets, elapsed, bound): whether counting all
 * trees again, from the data, gives as many of each cost, as far as the set is complete; whether
 * that is all trees that cost at most `within` more than the tree of these labels; the least cost
 * of which it does not; with a response, up to which cost that is all trees. */
SEXP ffi_set_certify(SEXP pointer, SEXP columns, SEXP y, SEXP n_classes, SEXP control, SEXP groups,
                     SEXP labels, SEXP n_splits, SEXP within)
{
    static const char *const names[] = {"stopped",    "same",     "covers",  "differs",
                                        "thresholds", "row_sets", "elapsed", "bound"};
    const ct_set *set = set_of(pointer)->set;
    r_problem problem = r_problem_of(columns, y, n_classes, control);
    const ct_exact_options *options = &problem.options;
    SEXP roots = r_element(control, "roots");
    ct_outcome tree;
    ct_certify_set_claim of = {.budget = ct_set_about(set).complete,
                               .groups = groups_of(groups, problem.data.n_cols),
                               .within = Rf_asReal(within)};
    const ct_outcome *best = r_outcome_of(labels, n_splits, &problem.data, &tree);
    r_callbacks calls;
    ct_certify_recount_result result;
    ct_error error;
    double start = ct_seconds();
    if (roots != R_NilValue) of.roots = r_roots_of(roots, problem.data.n_cols);
    put_claim(set, &of);
    PROTECT(r_callbacks_begin(&calls, R_NilValue, &problem.options));
    ct_certify_claim claim = {.depth = options->depth, .complexity = options->complexity,
                              .min_bucket = options->min_bucket, .min_split = options->min_split,
                              .max_thresholds = options->max_thresholds, .best = best,
                              .stop = options->stop, .stop_data = options->stop_data};
    ct_status status = ct_certify_set(&problem.data, &claim, &of, &result, &error);
    r_callbacks_jump_if(&calls, NULL);
    r_check(status, &error);
    const double of_result[] = {result.stopped, result.same, result.covers,
                                result.differs < INT64_MAX ? ct_set_objective(set, result.differs)
                                                           : R_PosInf,
                                (double) result.thresholds, (double) result.row_sets,
                                ct_seconds() - start, result.bound};
    SEXP list = PROTECT(r_named_list(names, 8));
    for (int i = 0; i < 8; i++) SET_VECTOR_ELT(list, i, Rf_ScalarReal(of_result[i]));
    UNPROTECT(2);
    return list;
}
