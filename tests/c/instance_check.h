/* What must hold of the exact search on one instance, whatever the instance is.
 *
 * All fits of the same problem, however they were made, tell something about one number, the least cost: they narrow
 * an interval down, and contradict each other if it ends up empty. So the answers of different instruction sets, layouts
 * and sets of shortcuts, of stopped searches, of easier and harder problems and of the two second opinions are all
 * compared in the same way. */
#ifndef CT_TEST_INSTANCE_CHECK_H
#define CT_TEST_INSTANCE_CHECK_H

#include "brute.h"
#include "check.h"
#include "instance.h"
#include "reference.h"

/* Costs are fixed-point numbers in the library. */
static const double TOLERANCE = 1e-6;

/* ---- what is known of the least cost ---- */

typedef struct {
    double lower, upper;
} known;

static inline void narrow(known *k, double lower, double upper, const char *what)
{
    if (!CHECK(lower <= k->upper + TOLERANCE && k->lower <= upper + TOLERANCE)) {
        printf("    %s: the least cost lies in %.12g .. %.12g, but was in %.12g .. %.12g\n", what, lower, upper, k->lower,
               k->upper);
        return;
    }
    if (lower > k->lower) k->lower = lower;
    if (upper < k->upper) k->upper = upper;
}

/* ---- one fit ---- */

typedef struct {
    int done;      /* 0: there was too little memory to begin with, or a check failed */
    ct_end end;
    double cost, bound;
    uint32_t splits;
    ct_statistics statistics;
} fit;

/* A search is stopped after so many looks at the clock, which depend on its work alone; larger instances would take
 * minutes with all shortcuts off. */
enum { MOST_POLLS = 1 };

static inline int stop_when_spent(void *left) { return --*(int *) left < 0; }

/* Walks every row down the tree and adds up: the cost from the definition. NAN if a row gets lost. */
static inline double recounted_cost(const ct_data *data, const ct_options *options, const ct_forest *tree, uint32_t *splits)
{
    double errors = 0;
    *splits = 0;
    for (uint32_t node = 0; node < tree->n_nodes; node++) *splits += tree->feature[node] >= 0;
    for (uint32_t row = 0; row < data->n_rows; row++) {
        uint32_t node = tree->roots[0], level = 0;
        for (; tree->feature[node] >= 0; level++) {
            double x = ct_column_value(&data->columns[tree->feature[node]], row);
            node = x < tree->threshold[node] ? tree->left[node] : tree->right[node];
        }
        if (level > options->depth) return NAN;
        errors += tree->label[node] != data->classes[row];
    }
    return errors + options->complexity * data->n_rows * *splits;
}

/* What the end says about the distance of the two bounds. */
static inline int end_agrees(const ct_options *options, const ct_result *result)
{
    double gap = result->cost - result->bound;
    switch (result->end) {
    case CT_END_OPTIMAL: return gap == 0;
    case CT_END_GAP: return gap > 0 && gap <= options->max_gap + TOLERANCE;
    case CT_END_MEMORY: return gap > 0 && options->memory_limit < SIZE_MAX;
    case CT_END_INTERRUPT: return gap > 0;
    default: return 0;
    }
}

static inline fit fit_once(const ct_data *data, const ct_options *options)
{
    fit f = {0};
    int polls = MOST_POLLS;
    ct_options stoppable = *options;
    ct_result result;
    ct_error error = {CT_OK, ""};
    stoppable.stop = stop_when_spent;
    stoppable.stop_data = &polls;
    ct_status status = ct_exact_solve(data, &stoppable, &result, NULL, &error);
    if (status == CT_NO_MEMORY && options->memory_limit < SIZE_MAX) return f;
    if (!CHECK(status == CT_OK)) {
        printf("    %s\n", error.message);
        return f;
    }
    f.done = 1;
    f.end = result.end;
    f.cost = result.cost;
    f.bound = result.bound;
    f.statistics = result.statistics;
    CHECK(result.bound <= result.cost);
    CHECK(end_agrees(options, &result));
    CHECK(fabs(recounted_cost(data, options, &result.tree, &f.splits) - result.cost) < TOLERANCE);
    ct_result_free(&result);
    return f;
}

/* Fits and narrows. */
static inline fit fit_known(const ct_data *data, const ct_options *options, known *k, const char *what)
{
    fit f = fit_once(data, options);
    if (f.done) narrow(k, f.bound, f.cost, what);
    return f;
}

/* ---- the properties ---- */

/* The same course of the search on every instruction set. */
static inline void check_levels(const ct_data *data, const ct_options *plain, known *k)
{
    ct_options options = *plain;
    fit first = {0};
    for (unsigned i = 0; ct_kernels_at(i); i++) {
        options.simd = ct_kernels_at(i)->name;
        fit f = fit_known(data, &options, k, options.simd);
        if (!first.done) first = f;
        CHECK(f.cost == first.cost && f.bound == first.bound);
        CHECK(!memcmp(&f.statistics, &first.statistics, sizeof first.statistics));
    }
}

/* The instance's own shortcuts, layout, gap and memory, one after the other and then all at once. */
static inline void check_options(const instance *in, const ct_options *plain, known *k)
{
    const ct_data *data = &in->table.data;
    ct_options options = *plain;
    options.off = in->options.off;
    fit_known(data, &options, k, "shortcuts off");
    options = *plain;
    options.plane_budget = in->options.plane_budget;
    fit_known(data, &options, k, "plane budget");
    options = *plain;
    options.max_gap = in->options.max_gap;
    fit_known(data, &options, k, "gap");
    options = *plain;
    options.memory_limit = in->options.memory_limit;
    fit_known(data, &options, k, "memory limit");
    fit_known(data, &in->options, k, "all at once");
    if (data->n_rows > 40) return;
    options = *plain;
    options.off = (UINT32_C(1) << CT_N_SHORTCUTS) - 1;
    fit_known(data, &options, k, "all shortcuts off");
}

/* Several threads find what one does. */
static inline void check_crew(const ct_data *data, const ct_options *plain, known *k)
{
    ct_options options = *plain;
    options.crew_after = 0;
    options.threads = 2 + data->n_rows % 2;
    fit_known(data, &options, k, "crew");
}

/* Against problems whose least cost is above or below. */
static inline void check_monotone(const ct_data *data, const ct_options *plain, known *k)
{
    known other = {0, HUGE_VAL};
    ct_options options = *plain;
    fit f;
    if (options.depth) {
        options.depth--;
        f = fit_known(data, &options, &other, "one level less");
        if (f.done) narrow(k, 0, f.cost, "against one level less");
    }
    if (plain->complexity > 0) {
        options = *plain;
        options.complexity = 0;
        f = fit_once(data, &options);
        if (f.done) narrow(k, f.bound, f.cost + plain->complexity * data->n_rows * f.splits, "against complexity 0");
    }
    if (plain->max_thresholds) {
        options = *plain;
        options.max_thresholds = 0;
        f = fit_once(data, &options);
        if (f.done) narrow(k, f.bound, HUGE_VAL, "against all thresholds");
    }
}

/* Distinct values of all columns. */
static inline double count_values(const random_table *t)
{
    double count = 0, *values = (double *) malloc(t->data.n_rows * sizeof *values);
    for (uint32_t col = 0; col < t->data.n_cols; col++)
        count += distinct_values((const double *) t->data.columns[col].values, t->data.n_rows, values);
    free(values);
    return count;
}

/* The second opinions, where they are quick. */
static inline void check_references(const random_table *table, const ct_options *plain, known *k)
{
    static brute b;
    random_table t = table_capped(table, plain->max_thresholds);
    if (plain->depth == 2 && count_values(&t) * t.data.n_rows * t.data.n_cols <= 1e7) {
        double least = depth2_optimum(&t.data, plain);
        narrow(k, least, least, "reference");
    }
    if (plain->depth <= BRUTE_DEPTH && t.data.n_rows <= 12) {
        double least = brute_optimum(&b, &t.data, plain);
        narrow(k, least, least, "brute force");
    }
    table_free(&t);
}

/* All of it. Failures are counted in check_state. */
static inline void check_instance(const instance *in)
{
    known k = {0, HUGE_VAL};
    ct_options plain = in->options, defaults = ct_options_default();
    plain.off = 0;
    plain.max_gap = 0;
    plain.memory_limit = defaults.memory_limit;
    plain.plane_budget = defaults.plane_budget;
    check_levels(&in->table.data, &plain, &k);
    check_options(in, &plain, &k);
    check_crew(&in->table.data, &plain, &k);
    check_monotone(&in->table.data, &plain, &k);
    check_references(&in->table, &plain, &k);
    if (!isnan(in->optimum)) narrow(&k, in->optimum, in->optimum, "known optimum");
}

#endif
