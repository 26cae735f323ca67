#include "base/compact.h"

#include "policy/policy.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "data/table.h"
#include "policy/few.h"
#include "policy/finish.h"
#include "policy/prove.h"
#include "policy/solve.h"
#include "policy/start.h"

enum { MOST_WORKERS = 64 };

/* ---- when to end ---- */

typedef struct {
    const ct_policy_options *options;
    const ct_policy_search *search;
    ct_policy_best *best;
    uint32_t n_cols;
    double begin;
    ct_policy_end end;
} halting;

static void report_progress(const halting *a)
{
    const ct_policy_search *s = a->search;
    uint32_t n = 0, closed = 0;
    ct_lock_take(&a->best->lock);
    const int64_t cost = a->best->tree.cost;
    ct_lock_leave(&a->best->lock);
    int64_t low = cost;
    for (uint32_t col = 0; col < a->n_cols; col++) {
        const int64_t bound = ct_atomic_read(&s->bounds[col]);
        if (s->roots && !s->roots[col]) continue;
        n++, closed += bound >= cost;
        if (bound < low) low = bound;
    }
    const ct_policy_progress now = {ct_seconds() - a->begin, ct_policy_reward_of(s->costs, cost),
                                    ct_policy_reward_of(s->costs, low),
                                    n ? (double) closed / n : 1};
    a->options->report(a->options->report_data, &now);
}

static int check_end(void *data)
{
    halting *a = (halting *) data;
    if (a->options->report) report_progress(a);
    if (ct_seconds() >= a->begin + a->options->time_limit) a->end = CT_POLICY_TIME;
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
static ct_status make_table(ct_table *table, const ct_data *data, ct_arena *arena, ct_error *error)
{
    int capped = 0;
    CT_TRY(ct_table_init(table, data, arena, error));
    for (uint32_t col = 0; col < data->n_cols; col++)
        if (ct_table_rank(table, col, 0, arena, &capped) != CT_OK)
            return ct_fail(error, CT_NO_MEMORY, "not enough memory to rank the columns");
    return CT_OK;
}

/* What a search is made of; the workers point to it. */
typedef struct {
    const ct_policy_data *data;
    const ct_policy_options *options;
    ct_policy_worker *team;
    unsigned n_workers;
    ct_table table;
    ct_policy_costs costs;
    ct_policy_rows whole;
    ct_policy_search search, relaxed;
    halting end;
    ct_halt halt;
    ct_policy_best best;
    int64_t low; /* no tree costs less */
} task;

static ct_status begin_task(task *t, ct_bytes *evidence, ct_error *error)
{
    const ct_policy_data *data = t->data;
    const ct_policy_options *options = t->options;
    const ct_data all = {data->n_rows, data->n_cols, 0, data->columns, NULL, NULL, NULL,
                         data->rewards};
    ct_arena *arena = &t->team->arena;
    CT_TRY(ct_policy_costs_init(&t->costs, data->rewards, data->n_rows, data->n_actions,
                                options->depth ? options->depth : 1, options->price, arena,
                                error));
    CT_TRY(make_table(&t->table, &all, arena, error));
    int64_t *bounds = CT_ARENA_ZEROED(arena, int64_t, data->n_cols);
    if (!bounds || ct_policy_rows_all(&t->whole, &t->table, &t->costs, arena) != CT_OK)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory to begin the search");
    t->end = (halting){options, &t->search, &t->best, data->n_cols, ct_seconds(),
                      CT_POLICY_OPTIMAL};
    t->halt = (ct_halt){check_end, &t->end, 0, 0};
    t->search = (ct_policy_search){.costs = &t->costs,
                                   .kernel = ct_policy_kernels_at(options->simd, t->costs.lanes),
                                   .min_bucket = 1, .off = options->off, .halt = &t->halt,
                                   .whole = &t->whole, .roots = options->roots,
                                   .depth = options->depth, .bounds = bounds,
                                   .evidence = evidence};
    t->relaxed = t->search;
    if (options->min_bucket > 1)
        t->search.min_bucket = options->min_bucket, t->search.relaxed = &t->relaxed;
    for (unsigned i = 0; i < t->n_workers; i++) t->team[i].search = &t->search;
    return CT_OK;
}

static void search_tree(task *t)
{
    const ct_policy_options *o = t->options;
    const uint32_t splits = o->max_leaves ? o->max_leaves - 1 : CT_POLICY_SPLITS;
    const ct_status status =
        splits < (UINT32_C(1) << o->depth) - 1
            ? ct_policy_solve_few(t->team, 0, &t->whole, o->depth, splits, &t->best, &t->low)
            : ct_policy_solve_rows(t->team, 0, t->n_workers, &t->whole, o->depth, &t->best,
                                   &t->low);
    if (status != CT_OK) t->end.end = CT_POLICY_MEMORY;
}

static void keep_numbers(ct_policy_result *result, const task *t)
{
    const ct_policy_costs *costs = &t->costs;
    const int64_t cost = t->best.tree.cost;
    result->units = cost;
    result->cost = ct_policy_reward_of(costs, cost);
    result->bound = ct_policy_reward_of(costs, t->low < cost ? t->low : cost);
    result->price = ct_policy_reward_of(costs, costs->price);
    result->rounding = costs->rounding;
    result->end = t->low < cost ? t->end.end : CT_POLICY_OPTIMAL;
    result->simd = t->search.kernel->name;
}

static ct_status solve_task(task *t, ct_policy_result *result, uint32_t *leaf_of_row,
                            ct_error *error)
{
    CT_TRY(begin_task(t, NULL, error));
    if (t->options->start && ct_policy_begin_with(&t->best, t->data, t->options, &t->costs,
                                                  &t->team->arena) != CT_OK)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory to begin the search");
    const ct_policy_best begin = t->best;
    search_tree(t);
    (void) ct_policy_is_begin(&t->best, &begin);
    keep_numbers(result, t);
    return ct_policy_finish(t->data, t->options, &t->costs, &t->best.tree, result, leaf_of_row,
                            error);
}

/* A search that knows what its best tree costs finds none, and writes why. */
static ct_status prove_task(task *t, double bound, double slack, ct_bytes *evidence,
                            ct_policy_end *end, ct_error *error)
{
    CT_TRY(begin_task(t, evidence, error));
    int64_t cap = ct_policy_cost_of(&t->costs, bound);
    if (t->options->start) {
        if (ct_policy_begin_with(&t->best, t->data, t->options, &t->costs, &t->team->arena) !=
            CT_OK)
            return ct_fail(error, CT_NO_MEMORY, "not enough memory to begin the search");
        cap = t->best.tree.cost - 1 - ct_policy_cost_of(&t->costs, slack);
    }
    t->best.tree.cost = cap;
    t->best.tree.splits[0].column = -1;
    ct_bytes_put(evidence, (uint64_t) ((int64_t) t->costs.exponent + CT_POLICY_EXPONENT));
    ct_bytes_put(evidence, t->costs.tie_bits);
    search_tree(t);
    if (evidence->lost) t->end.end = CT_POLICY_MEMORY;
    *end = t->end.end;
    return CT_OK;
}

static void add_counts(ct_policy_counts *sum, const ct_policy_counts *more)
{
    sum->cuts += more->cuts;
    sum->sweeps += more->sweeps;
    sum->walks += more->walks;
    sum->confirmed += more->confirmed;
    sum->problems += more->problems;
}

/* With workers, of whom each has memory of its own. */
static ct_status begin_team(task *t, const ct_policy_data *data, const ct_policy_options *options,
                            unsigned n_workers, ct_budget *budget, ct_error *error)
{
    memset(t, 0, sizeof *t);
    t->data = data, t->options = options, t->n_workers = n_workers;
    CT_TRY(check(data, options, error));
    t->team = (ct_policy_worker *) ct_alloc_zeroed(n_workers, sizeof *t->team);
    if (!t->team) return ct_fail(error, CT_NO_MEMORY, "not enough memory for the workers");
    for (unsigned i = 0; i < n_workers; i++) {
        t->team[i].number = i;
        ct_arena_init(&t->team[i].arena, budget);
    }
    ct_policy_best_init(&t->best, INT64_MAX);
    return CT_OK;
}

static void end_team(task *t, ct_policy_counts *counts)
{
    ct_lock_free(&t->best.lock);
    for (unsigned i = 0; i < t->n_workers; i++) {
        ct_arena_free(&t->team[i].arena);
        if (counts) add_counts(counts, &t->team[i].counts);
    }
    ct_free(t->team);
}

ct_status ct_policy_solve(const ct_policy_data *data, const ct_policy_options *options,
                          ct_policy_result *result, uint32_t *leaf_of_row, ct_error *error)
{
    const double start = ct_seconds();
    unsigned n_workers = options->threads < 1 || options->depth < 2 ? 1 : options->threads;
    if (n_workers > MOST_WORKERS) n_workers = MOST_WORKERS;
    ct_budget budget = {options->memory_limit, 0};
    task t;
    memset(result, 0, sizeof *result);
    CT_TRY(begin_team(&t, data, options, n_workers, &budget, error));
    const ct_status status = solve_task(&t, result, leaf_of_row, error);
    end_team(&t, &result->counts);
    result->threads = n_workers;
    result->seconds = ct_seconds() - start;
    if (status != CT_OK) ct_policy_result_free(result);
    return status;
}

ct_status ct_policy_prove(const ct_policy_data *data, const ct_policy_options *options,
                          double bound, double slack, ct_bytes *evidence, ct_policy_end *end,
                          ct_error *error)
{
    ct_policy_options again = *options;
    ct_budget budget = {options->memory_limit, 0};
    task t;
    again.off |= UINT32_C(1) << CT_POLICY_PRICE;
    again.roots = NULL;
    again.report = NULL;
    CT_TRY(begin_team(&t, data, &again, 1, &budget, error));
    const ct_status status = prove_task(&t, bound, slack, evidence, end, error);
    end_team(&t, NULL);
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
