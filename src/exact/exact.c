#include "base/compact.h"

#include "exact/exact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "exact/begin.h"
#include "exact/device.h"
#include "exact/bound/class_counts.h"
#include "exact/bound/kept.h"
#include "base/bits.h"
#include "base/clock.h"
#include "base/memory.h"
#include "tree/route.h"
#include "exact/search/error_free.h"
#include "exact/search/lower_price.h"
#include "exact/search/solve.h"
#include "exact/cost/penalty.h"
#include "exact/finish/check.h"
#include "exact/finish/complete.h"
#include "exact/finish/counted.h"
#include "exact/finish/part_answer.h"
#include "exact/finish/response_tree.h"
#include "exact/run/history.h"
#include "exact/finish/incumbent.h"
#include "exact/finish/some_rows.h"
#include "exact/offload/offload.h"
#include "exact/offload/scheduler.h"
#include "exact/rows/abreast.h"
#include "exact/rows/tests.h"

enum { MOST_WORKERS = 256 };

/* By how much of themselves errors may differ from integers that stand for decimals. */
static const double LAST_BITS = 0x1p-46;

const char *ct_exact_end_name(ct_exact_end end)
{
    static const char *const names[] = {"optimal",     "gap reached", "time limit", "memory limit",
                                        "interrupted", "cost limit",  "device lost"};
    return names[end];
}

void ct_exact_result_free(ct_exact_result *result)
{
    ct_forest_free(&result->tree);
    ct_free(result->history);
    ct_free(result->root_bounds);
    ct_free(result->deviance);
    ct_free(result->saved);
    ct_counted_free(&result->counted);
    result->deviance = result->saved = NULL;
    result->history = NULL;
    result->root_bounds = NULL;
}

static ct_status check_start(const ct_exact_start *start, uint32_t n_cols, ct_error *error)
{
    if (!start) return CT_OK;
    uint32_t root = 0;
    ct_forest tree = {0};
    tree.n_trees = 1;
    tree.n_nodes = start->n_nodes;
    tree.roots = &root;
    tree.feature = (int32_t *) start->feature;
    tree.threshold = (double *) start->threshold;
    tree.left = (uint32_t *) start->left;
    tree.right = (uint32_t *) start->right;
    return ct_forest_check(&tree, n_cols, error);
}

/* Depth one needs no search: the best single split, if it beats the leaf. */
static ct_status solve_stump(ct_worker *worker, const ct_totals *totals, ct_split_code *codes,
                             ct_bounds *bounds, ct_error *error)
{
    int32_t feature;
    int64_t cost, leaf = ct_leaf_cost(worker->search->costs, totals);
    int64_t max_cost = ct_maximum_cost(worker->search->costs, totals,
                                       worker->search->table->n_rows);
    CT_TRY(ct_best_stump(worker->search, max_cost, &worker->arena, &feature, &cost, error));
    cost += worker->search->split_cost;
    if (feature < 0 || cost >= leaf) cost = leaf;
    else codes[0].feature = feature;
    *bounds = (ct_bounds){cost, cost, cost};
    return CT_OK;
}

static void tell_before(const ct_worker *worker, int64_t upper, int64_t lower)
{
    const ct_exact_costs *costs = worker->search->costs;
    ct_history_before(worker->search->history, ct_objective_value(costs, upper),
                      ct_objective_bound(costs, lower));
}

/* The better of the trees to begin with; `least` is a lower bound of all. */
static const ct_known_tree *begin_with(ct_worker *worker, const ct_node *root, int64_t least,
                                       ct_known_tree known[2])
{
    int given = ct_incumbent_start(worker, &known[0]);
    if (given) tell_before(worker, known[0].cost, least);
    const ct_exact_part *part = worker->search->options->part;
    int ahead = worker->search->options->depth > 2 && !(part && part->from) &&
                ct_incumbent_look_ahead(worker, root, &known[1]);
    if (given && ahead && known[0].cost < known[1].cost) ahead = 0;
    if (ahead) tell_before(worker, known[1].cost, least);
    return ahead ? &known[1] : given ? &known[0] : NULL;
}

/* Where the known tree has no errors, the best such tree and bounds of roots from some rows; 1 if
 * that is all of the answer. */
static int know_of_some_rows(ct_worker *worker, const ct_node *root, int64_t least,
                             ct_exact_task *task, int64_t *root_bounds, ct_known_tree *known,
                             ct_bounds *bounds)
{
    uint32_t n_cols = root->layout->n_cols;
    int64_t *own = CT_ARENA_ZEROED(&worker->arena, int64_t, n_cols);
    if (!own || !ct_some_rows_apply(worker, root, task)) return 0;
    int found = ct_some_rows_search(worker, root, task, own, known);
    task->root_bounds = own;
    if (!found) return 0;
    tell_before(worker, known->cost, least);
    task->known = known;
    task->hint = known->codes;
    if (!known->settled) return 0;
    *bounds = (ct_bounds){known->cost, known->cost, known->cost};
    memcpy(root_bounds, own, n_cols * sizeof *own);
    return 1;
}

/* Searches the whole table, laid out in `layout`; root_bounds[n_cols] as in ct_roots. */
static void search_layout(ct_worker *worker, ct_layout *layout, ct_exact_task *task,
                          int64_t *root_bounds, ct_split_code *codes, ct_bounds *bounds)
{
    ct_node root;
    ct_exact_task first;
    ct_known_tree known[2], without_errors;
    if (ct_node_whole(worker, &worker->arena, layout, &root) != CT_OK) return;
    root.sized = ct_search_is_sized(worker);
    int64_t least = ct_class_count_bound(worker, &root.totals, layout->n_classes, task->depth);
    task->known = worker->evidence ? NULL : begin_with(worker, &root, least, known);
    if (task->known)
        task->hint = task->known->codes, task->hint_size = (uint32_t) ct_heap_size(task->depth);
    int is_shared = !layout->planes.one_at_a_time || (layout->planes.together && task->depth == 2);
    ct_team *team = is_shared ? worker->team : NULL;
    int found = 0;
    if (know_of_some_rows(worker, &root, least, task, root_bounds, &without_errors, bounds)) {
        memcpy(codes, without_errors.codes, ct_heap_size(task->depth) * sizeof *codes);
        return;
    }
    if (!task->leaves && !worker->search->options->part &&
        ct_error_free_first(worker, task, &first)) {
        *bounds = ct_solve(worker, team, &root, &first, root_bounds, codes);
        found = bounds->upper < first.cap;
    }
    if (!found && ct_lower_price_applies(worker, &root, task)) {
        *bounds = ct_lower_price_solve(worker, team, &root, task, root_bounds, codes);
        found = 1;
    }
    if (!found) *bounds = ct_solve(worker, team, &root, task, root_bounds, codes);
    CT_ASSERT(bounds->upper >= 0 && bounds->proven >= 0);
    if (bounds->upper >= root.leaf_cost) codes[0] = CT_LEAF_CODE;
}

/* Whether the table is laid out for scans of many child features at once: small ones are, at depth
 * two. */
static int wants_abreast(const ct_worker *worker, const ct_exact_task *task)
{
    const ct_table *table = worker->search->table;
    return task->depth == 2 && task->leaves != 2 && ct_uses(worker, CT_SHORTCUT_COMPACTION) &&
           ct_abreast_fits(worker, table->n_rows, table->n_cols);
}

/* Searches the whole table; codes is a heap of the depth, all leaves. */
static void solve_table(ct_worker *worker, ct_exact_task *task, int64_t *root_bounds,
                        ct_split_code *codes, ct_bounds *bounds)
{
    ct_arena_mark mark = ct_arena_here(&worker->arena);
    int abreast = wants_abreast(worker, task);
    ct_layout *layout = ct_layout_whole(worker, worker->search->table, abreast);
    if (layout && (!abreast || ct_abreast_make(worker, layout) == CT_OK) &&
        ct_tests_make(worker, layout) == CT_OK)
        search_layout(worker, layout, task, root_bounds, codes, bounds);
    ct_arena_release(&worker->arena, mark); /* finishing the tree needs some of it */
}

static ct_status search_tree(ct_worker *worker, const ct_data *data, const ct_totals *totals,
                             int64_t *root_bounds, ct_split_code *codes, ct_bounds *bounds,
                             ct_error *error)
{
    ct_exact_task task = {0};
    const ct_path whole = {0};
    task.depth = worker->search->options->depth;
    task.leaves = worker->search->max_leaves;
    task.path = &whole;
    task.cap = worker->search->cap;
    task.gap = worker->search->gap;
    task.seen = INT64_MAX;
    task.first_of_ties = !worker->search->options->any_of_ties && !task.gap;
    if (ct_solve_at_once(worker, totals, &task, bounds)) return CT_OK;
    if (!ct_may_split(worker, data->n_rows)) {
        bounds->proven = bounds->upper;
        return CT_OK;
    }
    if (ct_is_halted(worker)) return CT_OK; /* perhaps before the columns were ranked */
    CT_ASSERT(ct_table_is_ranked(worker->search->table));
    if (task.depth == 1)
        return solve_stump(worker, totals, codes, bounds, error);
    solve_table(worker, &task, root_bounds, codes, bounds);
    return CT_OK;
}

/* What the search says of its answer, as a failure of the check. */
static ct_status disagree(const ct_exact_search *search, const ct_bounds *bounds, double objective,
                          uint32_t splits, ct_error *error)
{
    return ct_fail(error, CT_INTERNAL,
                   "check: errors of %.17g in %lu splits; the search said %.17g with bound %.17g",
                   objective, (unsigned long) splits,
                   ct_objective_value(search->costs, bounds->upper),
                   ct_objective_value(search->costs, bounds->proven));
}

/* Counts again what the tree's rows cost, in classes. */
static ct_status check_classes(const ct_exact_search *search, const ct_data *data,
                               const ct_tree_rules *rules, const ct_bounds *bounds,
                               ct_exact_result *result, uint32_t *leaf_of_row, uint32_t *splits,
                               ct_error *error)
{
    CT_TRY(ct_check(data, &result->tree, rules, leaf_of_row, &result->errors, splits, error));
    int64_t units = bounds->upper - search->split_cost * *splits;
    CT_ASSERT(units >= 0);
    if (units % ct_cost_of_units(search->costs, 1) || bounds->proven > bounds->upper ||
        fabs((double) (units >> search->costs->shift) * search->costs->unit - result->errors) >
            search->costs->rounding + LAST_BITS * result->errors)
        return disagree(search, bounds, result->errors, *splits, error);
    return CT_OK;
}

/* Checks a regression tree: its cost on the grid exactly; on the response itself, no further from
 * that than rounding may take it. */
static ct_status check_response(const ct_exact_search *search, const ct_data *data,
                                const ct_tree_rules *rules, const ct_bounds *bounds,
                                ct_exact_result *result, uint32_t *leaf_of_row, uint32_t *splits,
                                ct_error *error)
{
    const ct_exact_costs *costs = search->costs;
    ct_response_facts facts = {NULL, NULL, 0, 0, 0};
    CT_TRY(ct_forest_add_values(&result->tree, 1, error));
    facts.deviance = result->deviance = (double *) ct_alloc(result->tree.n_nodes * sizeof(double));
    facts.saved = result->saved = (double *) ct_alloc(result->tree.n_nodes * sizeof(double));
    if (!result->deviance || !result->saved)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for %lu nodes",
                       (unsigned long) result->tree.n_nodes);
    CT_TRY(ct_response_check(data, costs, &result->tree, rules, leaf_of_row, &facts, error));
    result->errors = facts.sse;
    result->grid_error = costs->response->error;
    *splits = facts.splits;
    double on_grid = (double) (facts.cost + result->tree.n_nodes) * costs->unit;
    double least = sqrt(fmax(facts.sse * (1 - costs->noise) - costs->rounding, 0));
    if (facts.cost + search->split_cost * facts.splits != bounds->upper ||
        bounds->proven > bounds->upper || least > sqrt(on_grid) + result->grid_error)
        return disagree(search, bounds, facts.sse, facts.splits, error);
    return CT_OK;
}

static ct_status finish(ct_worker *worker, const ct_data *data, const ct_split_code *codes,
                        const ct_bounds *bounds, ct_exact_result *result, uint32_t *leaf_of_row,
                        ct_error *error)
{
    const ct_exact_search *search = worker->search;
    const ct_exact_options *options = search->options;
    unsigned depth = options->depth;
    uint32_t splits = 0;
    int64_t *leaf_cost;
    CT_TRY(ct_complete(search, codes, &worker->arena, leaf_of_row, &result->tree, &leaf_cost,
                       error));
    CT_TRY(ct_counted_set(&result->counted, search->costs, leaf_cost, result->tree.n_nodes,
                          bounds->proven, error));
    result->counted.within = bounds->upper < search->cap;
    ct_tree_rules rules = {depth, options->min_bucket, options->min_split, options->max_leaves};
    CT_TRY((data->response ? check_response : check_classes)(search, data, &rules, bounds, result,
                                                             leaf_of_row, &splits, error));
    if (rules.max_leaves && splits >= rules.max_leaves)
        return ct_fail(error, CT_INTERNAL, "check: %lu splits make too many leaves",
                       (unsigned long) splits);
    CT_ASSERT(splits <= search->costs->most_splits);
    result->cost = result->errors + search->costs->penalty * splits;
    int optimal = bounds->proven == bounds->upper;
    result->bound = optimal && result->cost >= ct_exact_cost_hidden(search->costs)
                        ? result->cost
                        : fmin(result->cost, ct_objective_bound(search->costs, bounds->proven));
    result->split_cost = search->costs->penalty;
    CT_ASSERT(result->bound >= 0 && result->errors >= 0);
    if (optimal) result->end = CT_END_OPTIMAL;
    else if (ct_is_halted(worker)) result->end = ct_stop_reason(worker->stop);
    else result->end = bounds->upper < search->cap ? CT_END_GAP : CT_END_COST;
    return CT_OK;
}

/* What is proven of all trees holds for those with a certain root as well. Where no tree may have
 * that root, as none of its thresholds leaves enough rows, it counts as a split of `leaf` that
 * separates nothing. */
static ct_status keep_root_bounds(const ct_exact_search *search, const int64_t *root_bounds,
                                  int64_t proven, int64_t leaf, ct_exact_result *result,
                                      ct_error *error)
{
    uint32_t n_cols = search->table->n_cols;
    int64_t most = leaf + search->split_cost;
    CT_ASSERT(proven >= 0 && n_cols > 0);
    result->root_bounds = (double *) ct_alloc(n_cols * sizeof *result->root_bounds);
    if (!result->root_bounds)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for %lu columns",
                       (unsigned long) n_cols);
    for (uint32_t f = 0; f < n_cols; f++) {
        int64_t bound = ct_smaller_cost(ct_larger_cost(root_bounds[f], proven), most);
        result->root_bounds[f] = fmax(ct_objective_bound(search->costs, bound), result->bound);
    }
    return CT_OK;
}

ct_status ct_exact_conclude(ct_worker *worker, const ct_data *data, const ct_split_code *codes,
                            const ct_bounds *bounds, const int64_t *root_bounds,
                            ct_exact_result *result, uint32_t *leaf_of_row, ct_error *error)
{
    ct_arena_mark mark = ct_arena_here(&worker->arena);
    ct_totals totals;
    CT_TRY(ct_search_totals(data, worker->search->costs, &worker->arena, &totals, error));
    int64_t leaf = ct_leaf_cost(worker->search->costs, &totals);
    ct_arena_release(&worker->arena, mark);
    CT_TRY(finish(worker, data, codes, bounds, result, leaf_of_row, error));
    return keep_root_bounds(worker->search, root_bounds, bounds->proven, leaf, result, error);
}

static int any_capped(const ct_worker *workers)
{
    int capped = 0;
    for (unsigned i = 0; i < (workers->team ? workers->team->n_workers : 1); i++)
        capped |= workers[i].capped > 0;
    return capped;
}

/* ---- the whole ---- */

static ct_status solve(ct_worker *worker, unsigned n_workers, ct_exact_search *search,
                       ct_exact_kept *kept,
                       const ct_data *data, ct_exact_result *result, uint32_t *leaf_of_row,
                       ct_error *error)
{
    const ct_exact_options *options = search->options;
    ct_table *table;
    ct_totals totals;
    ct_exact_costs costs;
    CT_TRY(ct_kept_table(kept, data, &table, error));
    search->table = table;
    CT_TRY(ct_search_set_rules(search, &costs, data, options, &worker->arena, error));
    CT_TRY(ct_search_totals(data, &costs, &worker->arena, &totals, error));
    int64_t leaf = ct_leaf_cost(&costs, &totals);
    search->gap = ct_objective_gap(&costs, options->max_gap, ct_objective_value(&costs, leaf));
    tell_before(worker, leaf, 0);
    ct_status ranked = ct_search_rank(worker, table, error);
    kept->capped |= any_capped(worker);
    CT_TRY(ranked);
    if (ct_table_is_ranked(table))
        CT_TRY(ct_search_open_device(worker, n_workers, search, table, result, error));
    size_t heap = ct_heap_size(options->depth);
    ct_split_code *codes = CT_ARENA_NEW(&worker->arena, ct_split_code, heap ? heap : 1);
    if (!codes)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for a tree of depth %u",
                       options->depth);
    for (size_t i = 0; i < (heap ? heap : 1); i++) codes[i] = CT_LEAF_CODE;
    int64_t *root_bounds = CT_ARENA_ZEROED(&worker->arena, int64_t, data->n_cols);
    if (!root_bounds)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for %lu columns",
                       (unsigned long) data->n_cols);
    ct_bounds bounds;
    ct_arena_mark mark = ct_arena_here(&worker->arena);
    CT_TRY(search_tree(worker, data, &totals, root_bounds, codes, &bounds, error));
    CT_TRY(ct_part_answer(search, codes, &bounds, error));
    ct_arena_release(&worker->arena, mark); /* the tree is finished in memory that is warm, */
    ct_arena_trim(&worker->arena);          /* and of large tables scarce */
    CT_TRY(ct_exact_conclude(worker, data, codes, &bounds, root_bounds, result, leaf_of_row,
                             error));
    result->capped = kept->capped;
    return CT_OK;
}

static unsigned team_size(const ct_exact_options *options)
{
#ifdef _OPENMP
    if (options->threads > 1 && options->depth > 1)
        return options->threads < MOST_WORKERS ? options->threads : MOST_WORKERS;
#else
    (void) options;
#endif
    return 1;
}

static void add_statistics(ct_exact_statistics *sum, const ct_exact_statistics *more)
{
#define ADD(field, name, text) sum->field += more->field;
    CT_STATISTICS(ADD)
#undef ADD
}

static ct_status solve_with(ct_worker *workers, unsigned n_workers, ct_exact_search *search,
                            const ct_data *data, ct_exact_result *result, uint32_t *leaf_of_row,
                            ct_error *error)
{
    const ct_exact_options *options = search->options;
    size_t for_cache = options->depth > 3 ? options->memory_limit / 8 : 0;
    ct_exact_kept own;
    memset(&own, 0, sizeof own);
    ct_exact_kept *kept = options->part && options->part->kept ? options->part->kept : &own;
    ct_kept_begin(kept, options->memory_limit - for_cache, for_cache);
    ct_team team;
    ct_stop stop = {0};
    memset(workers, 0, n_workers * sizeof *workers);
    for (unsigned i = 0; i < n_workers; i++) {
        workers[i].search = search;
        workers[i].cache = kept->cache;
        workers[i].evidence = options->evidence;
        workers[i].stop = &stop;
        ct_arena_init(&workers[i].arena, &kept->budget);
    }
    if (n_workers > 1) {
        ct_team_init(&team, workers, n_workers);
        search->history->lock = &team.lock;
    }
    snprintf(result->device, sizeof result->device, "cpu");
    ct_status status = solve(workers, n_workers, search, kept, data, result, leaf_of_row, error);
    status = ct_search_close_device(search, status, result, error);
    result->threads = n_workers > 1 && team.called ? n_workers : 1;
    if (n_workers > 1) ct_team_free(&team);
    search->history->lock = NULL;
    for (unsigned i = 0; i < n_workers; i++) {
        ct_scheduler_free(workers[i].scheduler);
        ct_arena_free(&workers[i].arena);
        add_statistics(&result->statistics, &workers[i].statistics);
    }
    if (kept == &own) ct_exact_kept_free(kept);
    else ct_kept_end(kept);
    return status;
}

static ct_status keep_history(ct_history *history, ct_exact_result *result, ct_error *error)
{
    ct_exact_progress end = {ct_seconds() - history->start, result->cost, result->bound, 1};
    /* on the way costs were those of the search, which rounds them, and what had been proven is
     * lost where memory ran out */
    for (uint32_t i = 0; i < history->n; i++) {
        ct_exact_progress *moment = &history->moments[i];
        moment->upper = fmax(moment->upper, result->cost);
        moment->lower = fmin(moment->lower, result->bound);
    }
    ct_history_add(history, &end);
    result->history = (ct_exact_progress *) ct_alloc(history->n * sizeof *result->history);
    if (!result->history) return ct_fail(error, CT_NO_MEMORY, "not enough memory for the history");
    memcpy(result->history, history->moments, history->n * sizeof *result->history);
    result->n_history = history->n;
    return CT_OK;
}

ct_status ct_exact_solve(const ct_data *data, const ct_exact_options *options,
                         ct_exact_result *result, uint32_t *leaf_of_row, ct_error *error)
{
    double start = ct_seconds();
    memset(result, 0, sizeof *result);
    CT_TRY(ct_search_check(options, error));
    if ((options->evidence || options->part) &&
        ct_few_leaves(options->max_leaves, options->depth))
        return ct_fail(error, CT_BAD_INPUT,
                       "a limit on leaves has no certificate and is not searched for in parts");
    CT_TRY(check_start(options->start, data->n_cols, error));
    CT_TRY(ct_part_begin(options->part, data->n_cols, error));
    ct_exact_search search = {0};
    ct_history history = {0};
    history.options = options;
    history.start = start;
    search.history = &history;
    search.offload = &ct_offload_batches;
    ct_search_set_options(&search, data, options, start);
    unsigned n_workers = team_size(options);
    ct_worker *workers = (ct_worker *) ct_alloc(n_workers * sizeof *workers);
    if (!workers)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for %u threads", n_workers);
    ct_status status = solve_with(workers, n_workers, &search, data, result, leaf_of_row, error);
    ct_free(workers);
    result->simd = search.kernels->name;

    if (status == CT_OK) status = keep_history(&history, result, error);
    result->seconds = ct_seconds() - start;
    if (status != CT_OK) ct_exact_result_free(result);
    return status;
}
