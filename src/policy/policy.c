#include "policy/policy.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "data/table.h"
#include "policy/finish.h"
#include "policy/solve.h"

enum { MOST_WORKERS = 64 };

/* ---- when to end ---- */

typedef struct {
    const ct_policy_options *options;
    double deadline;
    ct_policy_end end;
} asked;

static int ask(void *data)
{
    asked *a = (asked *) data;
    if (ct_seconds() >= a->deadline) a->end = CT_POLICY_TIME;
    else if (a->options->stop && a->options->stop(a->options->stop_data))
        a->end = CT_POLICY_INTERRUPT;
    return a->end != CT_POLICY_OPTIMAL;
}

const char *ct_policy_end_name(ct_policy_end end)
{
    static const char *const names[] = {"optimal", "time limit", "memory limit", "interrupted"};
    return names[end];
}

/* ---- one search ---- */

static ct_status check(const ct_policy_data *data, const ct_policy_options *options,
                       ct_error *error)
{
    if (!data->n_actions || data->n_actions > CT_POLICY_MOST_ACTIONS)
        return ct_fail(error, CT_BAD_INPUT, "there must be 1 to %d actions, not %lu",
                       CT_POLICY_MOST_ACTIONS, (unsigned long) data->n_actions);
    if (options->depth > CT_POLICY_DEPTH)
        return ct_fail(error, CT_BAD_INPUT, "policy trees have a depth of at most %d, not %u",
                       CT_POLICY_DEPTH, options->depth);
    if (!(options->price >= 0))
        return ct_fail(error, CT_BAD_INPUT, "the price of a split must not be negative");
    return CT_OK;
}

/* The table has a response where other searches have theirs: the rewards of the first action. */
static ct_status make_table(ct_table *table, const ct_data *data, ct_arena *arena,
                            ct_error *error)
{
    int capped = 0;
    CT_TRY(ct_table_init(table, data, arena, error));
    for (uint32_t col = 0; col < data->n_cols; col++)
        if (ct_table_rank(table, col, 0, arena, &capped) != CT_OK)
            return ct_fail(error, CT_NO_MEMORY, "not enough memory to rank the columns");
    return CT_OK;
}

/* The best tree and what is proven; the rows are those of the data. */
static ct_status search_tree(ct_policy_worker *team, unsigned n_workers,
                             const ct_policy_data *data, const ct_policy_options *options,
                             asked *end, ct_policy_best *best, int64_t *low, ct_error *error)
{
    const ct_data all = {data->n_rows, data->n_cols, 0, data->columns, NULL, NULL, NULL,
                         data->rewards};
    const ct_policy_costs *costs = team->search->costs;
    ct_table table;
    ct_policy_rows set;
    CT_TRY(make_table(&table, &all, &team->arena, error));
    if (ct_policy_rows_all(&set, &table, costs, &team->arena) != CT_OK)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory to begin the search");
    best->tree.cost = INT64_MAX;
    if (ct_policy_solve_rows(team, 0, n_workers, &set, options->depth, best, low) != CT_OK)
        end->end = CT_POLICY_MEMORY;
    return CT_OK;
}

static void keep_numbers(ct_policy_result *result, const ct_policy_search *search,
                         const asked *end, const ct_policy_best *best, int64_t low)
{
    const ct_policy_costs *costs = search->costs;
    result->cost = ct_policy_reward_of(costs, best->tree.cost);
    result->bound = ct_policy_reward_of(costs, low < best->tree.cost ? low : best->tree.cost);
    result->price = ct_policy_reward_of(costs, costs->price);
    result->rounding = costs->rounding;
    result->end = low < best->tree.cost ? end->end : CT_POLICY_OPTIMAL;
    result->simd = search->kernel->name;
}

static ct_status solve_with(ct_policy_worker *team, unsigned n_workers,
                            const ct_policy_data *data, const ct_policy_options *options,
                            ct_policy_result *result, uint32_t *leaf_of_row, ct_error *error)
{
    ct_policy_costs costs;
    asked end = {options, ct_seconds() + options->time_limit, CT_POLICY_OPTIMAL};
    ct_halt halt = {ask, &end, 0, 0};
    ct_policy_best best;
    int64_t low = 0;
    CT_TRY(ct_policy_costs_init(&costs, data->rewards, data->n_rows, data->n_actions,
                                options->depth ? options->depth : 1, options->price, &team->arena,
                                error));
    ct_policy_search search = {&costs, ct_policy_kernels_at(options->simd, costs.lanes), 1, NULL,
                               options->off, &halt};
    const ct_policy_search relaxed = search;
    if (options->min_bucket > 1) search.min_bucket = options->min_bucket, search.relaxed = &relaxed;
    for (unsigned i = 0; i < n_workers; i++) team[i].search = &search;
    ct_policy_best_init(&best, 0);
    ct_status status = search_tree(team, n_workers, data, options, &end, &best, &low, error);
    ct_lock_free(&best.lock);
    CT_TRY(status);
    keep_numbers(result, &search, &end, &best, low);
    return ct_policy_finish(data, options, &costs, &best.tree, result, leaf_of_row, error);
}

static void add_counts(ct_policy_counts *sum, const ct_policy_counts *more)
{
    sum->cuts += more->cuts;
    sum->sweeps += more->sweeps;
    sum->walks += more->walks;
    sum->confirmed += more->confirmed;
    sum->problems += more->problems;
}

ct_status ct_policy_solve(const ct_policy_data *data, const ct_policy_options *options,
                          ct_policy_result *result, uint32_t *leaf_of_row, ct_error *error)
{
    const double start = ct_seconds();
    unsigned n_workers = options->threads < 1 || options->depth < 2 ? 1 : options->threads;
    if (n_workers > MOST_WORKERS) n_workers = MOST_WORKERS;
    ct_budget budget = {options->memory_limit, 0};
    memset(result, 0, sizeof *result);
    CT_TRY(check(data, options, error));
    ct_policy_worker *team = (ct_policy_worker *) ct_alloc(n_workers * sizeof *team);
    if (!team) return ct_fail(error, CT_NO_MEMORY, "not enough memory for %u threads", n_workers);
    memset(team, 0, n_workers * sizeof *team);
    for (unsigned i = 0; i < n_workers; i++) {
        team[i].number = i;
        ct_arena_init(&team[i].arena, &budget);
    }
    const ct_status status = solve_with(team, n_workers, data, options, result, leaf_of_row, error);
    for (unsigned i = 0; i < n_workers; i++) {
        ct_arena_free(&team[i].arena);
        add_counts(&result->counts, &team[i].counts);
    }
    ct_free(team);
    result->threads = n_workers;
    result->seconds = ct_seconds() - start;
    if (status != CT_OK) ct_policy_result_free(result);
    return status;
}

void ct_policy_result_free(ct_policy_result *result)
{
    ct_forest_free(&result->tree);
    ct_free(result->action);
    ct_free(result->n);
    ct_free(result->regret);
    memset(result, 0, sizeof *result);
}
