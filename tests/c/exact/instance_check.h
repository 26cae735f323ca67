/* What must hold of the exact search on one instance, whatever the instance is.
 *
 * All fits of the same problem, however they were made, tell something about one number, the least
 * cost: they narrow an interval down, and contradict each other if it ends up empty. So the answers
 * of different instruction sets, layouts and sets of shortcuts, of stopped searches, of easier and
 * harder problems and of the two second opinions are all compared in the same way. */
#ifndef CT_TEST_INSTANCE_CHECK_H
#define CT_TEST_INSTANCE_CHECK_H

#include "brute.h"
#include "check.h"
#include "instance.h"
#include "instance_bounds.h"
#include "instance_units.h"
#include "reference.h"
#include "solve.h"

/* Costs with weights or losses are rounded; sums of doubles differ by the order of their terms. */
static inline double tolerance_of(const ct_data *data, unsigned depth)
{
    if (!data->weights && !data->loss) return 1e-9;
    return (rounding_share(data, depth) + 1e-9) * dearest_of(data);
}

/* ---- what is known of the least cost ---- */

typedef struct {
    double lower, upper, tolerance;
    /* [n_cols] the largest lower bound of trees with that root so far; NULL: not kept */
    double *rooted;
} known;

static inline void narrow(known *k, double lower, double upper, const char *what)
{
    if (!CHECK(lower <= k->upper + k->tolerance && k->lower <= upper + k->tolerance)) {
        printf("    %s: the least cost lies in %.12g .. %.12g, but was in %.12g .. %.12g\n", what,
               lower, upper, k->lower, k->upper);
        return;
    }
    if (lower > k->lower) k->lower = lower;
    if (upper < k->upper) k->upper = upper;
}

/* A tree with that root is known. */
static inline void narrow_rooted(const known *k, uint32_t root, double upper, const char *what)
{
    if (!CHECK(k->rooted[root] <= upper + k->tolerance))
        printf("    %s: a tree with root %u costs %.12g, but was to cost %.12g\n", what, root,
               upper, k->rooted[root]);
}

/* ---- one fit ---- */

typedef struct {
    int done;      /* 0: there was too little memory to begin with, or a check failed */
    int stopped;   /* it was told to stop, perhaps too late */
    ct_exact_end end;
    double cost, bound;
    uint32_t splits;
    uint64_t tree; /* a hash of its splits */
    int32_t root;
    ct_exact_statistics statistics;
} fit;

/* A search is stopped after so many looks at the clock, which depend on its work alone; larger
 * instances would take minutes with all shortcuts off. */
enum { MOST_POLLS = 1 };

static inline int stop_when_spent(void *left) { return --*(int *) left < 0; }

static inline uint64_t hash_tree(const ct_forest *tree)
{
    uint64_t hash = tree->n_nodes;
    for (uint32_t node = 0; node < tree->n_nodes; node++) {
        uint64_t bits;
        memcpy(&bits, &tree->threshold[node], sizeof bits);
        hash = (hash * 31 + (uint64_t) (tree->feature[node] + 1)) * UINT64_C(0x100000001b3) + bits;
    }
    return hash;
}

/* Walks every row down the tree and adds up: the cost from the definition. NAN if a row gets lost.
 */
static inline double recounted_cost(const ct_data *data, const ct_exact_options *options,
                                    const ct_forest *tree, uint32_t *splits)
{
    double cost = 0;
    *splits = 0;
    for (uint32_t node = 0; node < tree->n_nodes; node++) *splits += tree->feature[node] >= 0;
    for (uint32_t row = 0; row < data->n_rows; row++) {
        uint32_t node = tree->roots[0], level = 0;
        for (; tree->feature[node] >= 0; level++) {
            double x = ct_column_value(&data->columns[tree->feature[node]], row);
            node = x < tree->threshold[node] ? tree->left[node] : tree->right[node];
        }
        if (level > options->depth) return NAN;
        cost += cost_of_row(data, row, (uint32_t) tree->label[node]);
    }
    return cost + options->complexity * sum_of_weights(data) * *splits;
}

/* What the end says about the distance of the two bounds. */
static inline int end_agrees(const ct_exact_options *options, const ct_exact_result *result,
                             double tolerance, double off)
{
    double gap = result->cost - result->bound;
    switch (result->end) {
    case CT_END_OPTIMAL: return gap <= off;
    case CT_END_GAP: return gap <= options->max_gap;
    case CT_END_MEMORY: return options->memory_limit < SIZE_MAX;
    case CT_END_INTERRUPT:
        return 1; /* with the least cost proven, perhaps, and not that no smaller tree has it */
    case CT_END_COST: return result->bound > options->max_cost - options->max_gap - tolerance;
    default: return 0;
    }
}

/* k->rooted learns what was proven, k itself nothing. */
static inline fit fit_once(const ct_data *data, const ct_exact_options *options, const known *k)
{
    fit f;
    memset(&f, 0, sizeof f);
    int polls = MOST_POLLS;
    ct_exact_options stoppable = *options;
    ct_exact_result result;
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
    f.stopped = polls < 0;
    f.end = result.end;
    f.cost = result.cost;
    f.bound = result.bound;
    f.statistics = result.statistics;
    f.tree = hash_tree(&result.tree);
    f.root = result.tree.feature[result.tree.roots[0]];
    CHECK(result.bound <= result.cost);
    if (!CHECK(end_agrees(options, &result, k->tolerance, rounded_off(data, options, result.cost))))
        printf("    end %s: cost %.17g, bound %.17g, gap allowed %g, cost allowed %.17g\n",
               ct_exact_end_name(result.end), result.cost, result.bound, options->max_gap,
               options->max_cost);
    CHECK(fabs(recounted_cost(data, options, &result.tree, &f.splits) - result.cost) <=
          k->tolerance);
    CHECK(f.root < 0 || !options->roots || options->roots[f.root]);
    for (uint32_t col = 0; k->rooted && col < data->n_cols; col++)
        if (result.root_bounds[col] > k->rooted[col]) k->rooted[col] = result.root_bounds[col];
    ct_exact_result_free(&result);
    return f;
}

/* Fits and narrows. */
static inline fit fit_known(const ct_data *data, const ct_exact_options *options, known *k,
                            const char *what)
{
    fit f = fit_once(data, options, k);
    if (f.done) narrow(k, f.bound, f.cost, what);
    if (f.done && f.root >= 0 && k->rooted) narrow_rooted(k, (uint32_t) f.root, f.cost, what);
    return f;
}

/* ---- the properties ---- */

/* The same course of the search on every instruction set. Returns one of them. */
static inline fit check_levels(const ct_data *data, const ct_exact_options *plain, known *k)
{
    ct_exact_options options = *plain;
    fit first;
    memset(&first, 0, sizeof first);
    for (unsigned i = 0; ct_kernels_at(i); i++) {
        options.simd = ct_kernels_at(i)->name;
        fit f = fit_known(data, &options, k, options.simd);
        if (!first.done) first = f;
        CHECK(f.cost == first.cost && f.bound == first.bound && f.tree == first.tree);
        CHECK(!memcmp(&f.statistics, &first.statistics, sizeof first.statistics));
    }
    return first;
}

/* The instance's own shortcuts, layout, limits, memory and threads, one after the other and then
 * all at once. */
static inline void check_options(const instance *in, const ct_exact_options *plain, known *k)
{
    const ct_data *data = &in->table.data;
    ct_exact_options options = *plain;
    options.off = in->options.off;
    fit_known(data, &options, k, "shortcuts off");
    options = *plain;
    options.plane_budget = in->options.plane_budget;
    fit_known(data, &options, k, "plane budget");
    options = *plain;
    options.max_gap = in->options.max_gap;
    fit_known(data, &options, k, "gap");
    options = *plain;
    options.max_cost = in->options.max_cost;
    fit_known(data, &options, k, "cost limit");
    options = *plain;
    options.any_of_ties = 1;
    fit_known(data, &options, k, "any of ties");
    options = *plain;
    options.memory_limit = in->options.memory_limit;
    fit_known(data, &options, k, "memory limit");
    options = in->options;
    options.roots = plain->roots;
    options.team_after = 0;
    fit_known(data, &options, k, "all at once");
    if (data->n_rows > 40) return;
    options = *plain;
    options.off = (UINT32_C(1) << CT_EXACT_N_SHORTCUTS) - 1;
    fit_known(data, &options, k, "all shortcuts off");
}

/* Several threads find what one does, and the same tree. */
static inline void check_team(const ct_data *data, const ct_exact_options *plain, const fit *alone,
                              known *k)
{
    ct_exact_options options = *plain;
    options.team_after = 0;
    options.threads = 2 + data->n_rows % 2;
    fit f = fit_known(data, &options, k, "team");
    if (f.done && !f.stopped && !alone->stopped) CHECK(f.tree == alone->tree);
    options.any_of_ties = 1;
    fit_known(data, &options, k, "team, any of ties");
}

/* A search that may split its root on one column alone has to cost at least what was proven of such
 * trees. */
static inline void check_rooted(const ct_data *data, const ct_exact_options *plain, known *k)
{
    ct_exact_options options = *plain;
    known other = {0, HUGE_VAL, k->tolerance, NULL};
    uint32_t col = data->n_rows % data->n_cols;
    if (plain->roots && !plain->roots[col]) return;
    uint8_t *only = (uint8_t *) calloc(data->n_cols, 1);
    only[col] = 1;
    options.roots = only;
    fit f = fit_known(data, &options, &other, "one root");
    if (f.done) narrow(k, 0, f.cost, "against one root");
    if (f.done && f.root >= 0) narrow_rooted(k, col, f.cost, "against one root");
    free(only);
}

/* Against problems whose least cost is above or below. */
static inline void check_monotone(const ct_data *data, const ct_exact_options *plain, known *k)
{
    known other = {0, HUGE_VAL, k->tolerance, NULL};
    ct_exact_options options = *plain;
    fit f;
    if (options.depth) {
        options.depth--;
        f = fit_known(data, &options, &other, "one level less");
        if (f.done) narrow(k, 0, f.cost, "against one level less");
    }
    if (plain->complexity > 0) {
        options = *plain;
        options.complexity = 0;
        f = fit_once(data, &options, &other);
        double of_splits = plain->complexity * sum_of_weights(data) * f.splits;
        if (f.done) narrow(k, f.bound, f.cost + of_splits, "against complexity 0");
    }
    if (plain->max_thresholds) {
        options = *plain;
        options.max_thresholds = 0;
        f = fit_once(data, &options, &other);
        if (f.done) narrow(k, f.bound, HUGE_VAL, "against all thresholds");
    }
    if (plain->roots) {
        options = *plain;
        options.roots = NULL;
        f = fit_once(data, &options, &other);
        if (f.done) narrow(k, f.bound, HUGE_VAL, "against all roots");
    }
}

/* Distinct values of all columns. */
static inline double count_values(const random_table *t)
{
    double count = 0, *values = (double *) malloc(t->data.n_rows * sizeof *values);
    for (uint32_t col = 0; col < t->data.n_cols; col++)
        count += distinct_values((const double *) t->data.columns[col].values, t->data.n_rows,
                                 values);
    free(values);
    return count;
}

/* Trees with every root are known, and the best of all. */
static inline void check_against(const ct_exact_options *plain, const double *rooted,
                                 uint32_t n_cols, double least, known *k, const char *what)
{
    narrow(k, least, least, what);
    for (uint32_t col = 0; col < n_cols; col++)
        if (!plain->roots || plain->roots[col]) narrow_rooted(k, col, rooted[col], what);
}

/* Of equal trees one of the smallest was to be found, and of these one with the first root: with
 * leaves that cost less than any two trees may differ by. Costs that were rounded need not be
 * equal. */
static inline void check_first(const ct_data *data, const ct_exact_options *plain, const fit *first,
                               double *rooted)
{
    const double leaf_cost = 0x1p-16, near = 0x1p-24;
    uint32_t root = 0;
    if (data->weights || data->loss || first->stopped || plain->any_size) return;
    double least = depth2_optimum(data, plain, leaf_cost, rooted);
    CHECK(fabs(first->cost + leaf_cost * first->splits - least) <= near);
    while (root < data->n_cols &&
           ((plain->roots && !plain->roots[root]) || rooted[root] > least + near))
        root++;
    if (first->root >= 0) CHECK_INT(first->root, root);
}

/* The very tree of the rule, if the search ends: cost, leaves, and the first of those that are
 * left. Costs that are nearly equal may be told apart or not. */
static inline void is_the_tree(brute *rules[2], const ct_data *data,
                               const ct_exact_options *options, const char *what)
{
    ct_exact_result result;
    ct_error error = {CT_OK, ""};
    int is = 0;
    if (ct_exact_solve(data, options, &result, NULL, &error) != CT_OK) return;
    if (options->any_size && result.cost == 0) is = 1; /* that of looking ahead */
    for (int i = 0; i < 2 && !is; i++)
        is = brute_is_tree(rules[i], &result.tree, result.tree.roots[0], brute_all(rules[i]),
                           options->depth, options->roots);
    if (!CHECK(is)) printf("    not the first of the smallest optimal trees: %s\n", what);
    ct_exact_result_free(&result);
}

/* However it is searched. Losses beside weights are rounded to few bits, and what is nearly equal
 * then is not told apart. */
static inline void check_rule(brute *b, const random_table *capped, const ct_exact_options *plain,
                              const instance *in)
{
    static brute exact;
    const ct_data *data = &capped->data;
    ct_exact_options options = *plain;
    brute *rules[2] = {b, &exact};
    if (data->weights && data->loss && data->n_classes > 2) return;
    brute_optimum_by(&exact, data, plain, BRUTE_EXACT);
    options.max_thresholds = 0;
    is_the_tree(rules, data, &options, "plainly");
    options.team_after = 0;
    for (options.threads = 2; options.threads <= 4; options.threads += 2)
        is_the_tree(rules, data, &options, "threads");
    options.threads = 1;
    options.plane_budget = 0;
    is_the_tree(rules, data, &options, "plane budget");
    options.plane_budget = plain->plane_budget;
    options.device = CT_EXACT_DEVICE_TWIN;
    is_the_tree(rules, data, &options, "twin");
    options.device = CT_EXACT_DEVICE_CPU;
    options.off = in->options.off;
    is_the_tree(rules, data, &options, "shortcuts off");
    options.off = (UINT32_C(1) << CT_EXACT_N_SHORTCUTS) - 1;
    is_the_tree(rules, data, &options, "all shortcuts off");
}

/* The second opinions, where they are quick. */
static inline void check_references(const instance *in, const ct_exact_options *plain,
                                    const fit *first, known *k)
{
    const random_table *table = &in->table;
    static brute b;
    random_table t = table_capped(table, plain->max_thresholds);
    const ct_data *data = &t.data;
    double *rooted = (double *) malloc(data->n_cols * sizeof *rooted);
    double work = count_values(&t) * data->n_rows * data->n_cols *
                  (data->loss ? data->n_classes : 1);
    if (plain->depth == 2 && work <= 1e7) {
        double least = depth2_optimum(data, plain, 0, rooted);
        check_against(plain, rooted, data->n_cols, least, k, "reference");
        check_first(data, plain, first, rooted);
    }
    if (plain->depth <= BRUTE_DEPTH && data->n_rows <= 12) {
        double least = brute_optimum(&b, data, plain);
        for (uint32_t col = 0; col < data->n_cols; col++)
            rooted[col] = brute_rooted(&b, col, plain->depth);
        check_against(plain, rooted, data->n_cols, least, k, "brute force");
        check_rule(&b, &t, plain, in);
    }
    free(rooted);
    table_free(&t);
}

/* What is remembered on the way, by the instance's own options and by the plain ones. */
static inline void check_bounds(const instance *in, const ct_exact_options *plain)
{
    ct_exact_options own = in->options;
    own.roots = plain->roots;
    bounds_hold(&in->table, plain);
    bounds_hold(&in->table, &own);
}

/* All of it. Failures are counted in check_state. */
static inline void check_instance(const instance *in)
{
    const ct_data *data = &in->table.data;
    known k = {0, HUGE_VAL, tolerance_of(data, in->options.depth), NULL};
    ct_exact_options plain = ct_exact_options_default();
    plain.depth = in->options.depth;
    plain.complexity = in->options.complexity;
    plain.min_bucket = in->options.min_bucket;
    plain.min_split = in->options.min_split;
    plain.max_thresholds = in->options.max_thresholds;
    plain.any_size = in->options.any_size;
    plain.roots = in->table.roots;
    k.rooted = (double *) calloc(data->n_cols, sizeof *k.rooted);
    fit first = check_levels(data, &plain, &k);
    check_options(in, &plain, &k);
    check_team(data, &plain, &first, &k);
    check_rooted(data, &plain, &k);
    check_monotone(data, &plain, &k);
    check_references(in, &plain, &first, &k);
    check_units(in, &plain);
    check_bounds(in, &plain);
    if (!isnan(in->optimum)) narrow(&k, in->optimum, in->optimum, "known optimum");
    free(k.rooted);
}

#endif
