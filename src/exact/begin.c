#include "base/compact.h"

#include "exact/begin.h"

#include <math.h>

#include "exact/cost/penalty.h"
#include "exact/cost/response.h"
#include "exact/finish/counted.h"
#include "exact/search/roots.h"

/* Values from which on ranking takes longer than calling the team. */
static const double RANK_TOGETHER = 2e6;

/* Shortcuts that rest on what a row costs at most: with a response, where that is many times what
 * it costs, they close next to nothing. Measured, see bench/notes/exact.md. */
static const uint32_t CLOSE_NOTHING = UINT32_C(1) << CT_SHORTCUT_CROSSED |
                                      UINT32_C(1) << CT_SHORTCUT_NEIGHBOUR;

ct_status ct_search_check(const ct_exact_options *options, ct_error *error)
{
    if (options->depth > CT_MAX_DEPTH)
        return ct_fail(error, CT_BAD_INPUT, "depth must be between 0 and %d, not %u", CT_MAX_DEPTH,
                       options->depth);
    if (!(options->complexity >= 0) || !isfinite(options->complexity))
        return ct_fail(error, CT_BAD_INPUT, "complexity must be a number of at least 0");
    if (options->price_splits &&
        !(options->price_units > 0 && options->complexity > 0 &&
          options->price_splits <= ct_most_splits(UINT32_MAX, options->depth)))
        return ct_fail(error, CT_BAD_INPUT, "a price must be some units over the splits of a tree");
    if (options->any_size && options->complexity > 0)
        return ct_fail(error, CT_BAD_INPUT, "with a complexity the smallest tree is found");
    if (!(options->max_gap >= 0))
        return ct_fail(error, CT_BAD_INPUT, "max_gap must be a number of at least 0");
    if (!(options->max_cost >= 0))
        return ct_fail(error, CT_BAD_INPUT, "max_cost must be a number of at least 0");
    if (options->beside && !(options->within >= 0))
        return ct_fail(error, CT_BAD_INPUT, "within must be a number of at least 0");
    if (!(options->time_limit >= 0))
        return ct_fail(error, CT_BAD_INPUT, "time_limit must be a number of at least 0");
    if (!ct_kernels_find(options->simd))
        return ct_fail(error, CT_BAD_INPUT, "simd level '%.40s' is not available here",
                       options->simd);
    return CT_OK;
}

static int64_t units_of_outcome(const ct_exact_costs *costs, const ct_data *data,
                                const ct_outcome *tree)
{
    int64_t units = 0;
    for (uint32_t row = 0; row < data->n_rows; row++) {
        size_t own = (size_t) data->classes[row], label = (size_t) tree->labels[row];
        units += (costs->weights ? costs->weights[row] : 1) * ct_loss_units(costs, own, label);
    }
    return units;
}

static int64_t cost_of_outcome(const ct_exact_costs *costs, const ct_data *data,
                               const ct_outcome *tree, ct_arena *arena)
{
    if (data->response) return ct_response_of_tree(costs, data->n_rows, tree, arena);
    return ct_cost_of_units(costs, units_of_outcome(costs, data, tree)) +
           costs->split * tree->n_splits;
}

/* Costs from here on need not be found. */
static int64_t cap_of(const ct_exact_costs *costs, const ct_data *data,
                      const ct_exact_options *options, ct_arena *arena)
{
    int64_t cap = ct_objective_above(costs, options->max_cost);
    if (options->beside && ct_is_counted(costs))
        cap = ct_cost_beyond(costs, units_of_outcome(costs, data, options->beside),
                             options->beside->n_splits, options->within);
    if (data->response && options->evidence && !options->cheaper_than)
        cap = ct_response_proving(costs, options->max_cost);
    if (options->cheaper_than)
        cap = ct_smaller_cost(cap, cost_of_outcome(costs, data, options->cheaper_than, arena));
    return cap;
}

ct_status ct_search_set_rules(ct_exact_search *search, ct_exact_costs *costs, const ct_data *data,
                              const ct_exact_options *options, ct_arena *arena, ct_error *error)
{
    CT_TRY(ct_exact_costs_init(costs, data, options->depth, options->complexity,
                               options->one_word, arena, error));
    if (!data->response) {
        CT_TRY(ct_quantised_init(costs, data, arena, error));
        CT_TRY(ct_choices_init(costs, arena, error));
    }
    if (options->any_size) ct_penalty_none(costs);
    if (options->price_splits && ct_is_counted(costs))
        ct_penalty_fraction(costs, options->price_units, options->price_splits);
    search->costs = costs;
    search->split_cost = costs->split;
    search->breaks_ties =
        costs->split <= (ct_cost_of_units(costs, 1) - 1) / (int64_t) costs->most_splits;
    search->min_bucket = options->min_bucket < data->n_rows ? options->min_bucket : data->n_rows;
    if (!search->min_bucket) search->min_bucket = 1;
    search->max_leaves = ct_few_leaves(options->max_leaves, options->depth);
    search->min_split = options->min_split > 2 * search->min_bucket ? options->min_split
                                                                    : 2 * search->min_bucket;
    search->cap = cap_of(costs, data, options, arena);
    return CT_OK;
}

ct_status ct_search_totals(const ct_data *data, const ct_exact_costs *costs, ct_arena *arena,
                              ct_totals *totals, ct_error *error)
{
    if (ct_totals_new(totals, costs, arena) != CT_OK)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for %lu classes",
                       (unsigned long) data->n_classes);
    for (uint32_t row = 0; row < data->n_rows; row++) {
        size_t own = data->response ? 0 : (size_t) data->classes[row];
        CT_ASSERT(own < ct_data_classes(data));
        CT_ASSERT(!costs->weights || costs->weights[row] >= 0);
        totals->rows[own]++;
        if (totals->masses) totals->masses[own] += costs->weights[row];
        if (totals->moments) ct_response_add(costs, row, totals->moments);
        if (totals->full) ct_full_add(&costs->response->full, row, totals->full);
    }
    return CT_OK;
}

/* The columns of a table, dealt out to workers. */
typedef struct {
    ct_table *table;
    unsigned n_workers;
} ranking;

/* A search that is stopped here has not begun. */
static void rank_some(ct_worker *worker, void *data)
{
    const ranking *ranks = (const ranking *) data;
    ct_table *table = ranks->table;
    uint32_t most = worker->search->options->max_thresholds;
    for (uint32_t col = worker->number; col < table->n_cols && !ct_is_halted(worker);
         col += ranks->n_workers) {
        if (table->n_values[col]) continue; /* by an earlier part of the search */
        if (ct_table_rank(table, col, most, &worker->arena, &worker->capped) != CT_OK)
            ct_worker_stop(worker, CT_END_MEMORY);
        ct_worker_poll(worker, (uint64_t) table->n_rows * 64);
    }
    ct_arena_trim(&worker->arena); /* of what sorting took, before the search takes more */
}

/* With the team where that is longer than calling it. */
ct_status ct_search_rank(ct_worker *workers, ct_table *table, ct_error *error)
{
    ct_team *team = workers->team;
    int together = team && (double) table->n_rows * table->n_cols > RANK_TOGETHER;
    ranking ranks = {table, together ? team->n_workers : 1};
    if (together) ct_team_run(team, rank_some, &ranks);
    else rank_some(workers, &ranks);
    if (ct_is_halted(workers) && ct_stop_reason(workers->stop) == CT_END_MEMORY)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory to rank %lu columns of %lu rows",
                       (unsigned long) table->n_cols, (unsigned long) table->n_rows);
    return CT_OK;
}

void ct_search_set_options(ct_exact_search *search, const ct_data *data,
                           const ct_exact_options *options, double start)
{
    size_t half = options->memory_limit / 2;
    search->options = options;
    search->off = options->off | (data->response ? CLOSE_NOTHING : 0);
    search->kernels = ct_kernels_find(options->simd);
    search->deadline = start + options->time_limit;
    search->plane_budget = options->plane_budget < half ? options->plane_budget : half;
}
