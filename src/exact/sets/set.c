#include "base/compact.h"

#include "exact/sets/parts.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "exact/cost/penalty.h"
#include "exact/rows/ranks.h"

/* Parts of the memory for the search and for the graph. */
enum { SEARCH_PART = 2, RESERVE_PART = 16 };

/* A copy of n bytes, or NULL. */
static void *copy_of(const void *from, size_t n)
{
    void *copy = ct_alloc(n ? n : 1);
    if (copy && n) memcpy(copy, from, n);
    return copy;
}

static ct_status copy_columns(ct_set *set, const ct_data *data)
{
    uint32_t n = data->n_cols;
    set->columns = (ct_column *) copy_of(data->columns, n * sizeof *set->columns);
    set->coded = (ct_coded_column *) ct_alloc(n * sizeof *set->coded);
    if (!set->columns || !set->coded) return CT_NO_MEMORY;
    for (uint32_t col = 0; col < n; col++) {
        if (set->columns[col].type != CT_CODED) continue;
        set->coded[col] = *(const ct_coded_column *) data->columns[col].values;
        set->columns[col].values = &set->coded[col];
    }
    return CT_OK;
}

static ct_status copy_data(ct_set *set, const ct_data *data, const uint32_t *groups,
                           const uint8_t *roots)
{
    uint32_t n = data->n_cols;
    set->data = *data;
    if (copy_columns(set, data) != CT_OK) return CT_NO_MEMORY;
    if (data->response)
        set->response = (double *) copy_of(data->response, data->n_rows * sizeof *set->response);
    else
        set->classes = (int32_t *) copy_of(data->classes, data->n_rows * sizeof *set->classes);
    set->groups = (uint32_t *) ct_alloc(n * sizeof *set->groups);
    set->roots = roots ? (uint8_t *) copy_of(roots, n) : NULL;
    int copied = set->classes || set->response;
    if (!copied || !set->groups || (roots && !set->roots)) return CT_NO_MEMORY;
    for (uint32_t col = 0; col < n; col++) set->groups[col] = groups ? groups[col] : col;
    set->data.columns = set->columns;
    set->data.classes = set->classes;
    set->data.response = set->response;
    return CT_OK;
}

static ct_status check(const ct_data *data, const ct_exact_options *options, ct_error *error)
{
    CT_TRY(ct_search_check(options, error));
    if (options->depth > CT_SET_MOST_DEPTH)
        return ct_fail(error, CT_BAD_INPUT, "sets are of trees of depth %d at most, not %u",
                       CT_SET_MOST_DEPTH, options->depth);
    if (data->response && options->complexity > 1) /* the search knows no such price */
        return ct_fail(error, CT_BAD_INPUT,
                       "there are no sets of trees whose splits cost more than all rows do");
    if (ct_few_leaves(options->max_leaves, options->depth))
        return ct_fail(error, CT_BAD_INPUT, "there are no sets of trees with a limit on leaves");
    return CT_OK;
}

/* The worker, the table and the costs. */
static ct_status open_set(ct_set *set, const ct_exact_options *options, size_t most_nodes,
                          ct_error *error)
{
    size_t half = options->memory_limit / SEARCH_PART;
    ct_worker *worker = &set->worker;
    ct_table *table;
    ct_kept_begin(&set->kept, half, options->depth > 3 ? half / 4 : 0);
    set->graph.reserve = half / RESERVE_PART;
    set->graph.limit = half - set->graph.reserve;
    set->graph.most_nodes = most_nodes ? most_nodes : SIZE_MAX / 2;
    worker->search = &set->search;
    worker->cache = set->kept.cache;
    worker->stop = &set->stop;
    ct_arena_init(&worker->arena, &set->kept.budget);
    set->history.options = &set->options;
    set->search.history = &set->history;
    ct_search_set_options(&set->search, &set->data, &set->options, ct_seconds());
    CT_TRY(ct_kept_table(&set->kept, &set->data, &table, error));
    set->search.table = table;
    CT_TRY(ct_search_set_rules(&set->search, &set->costs, &set->data, &set->options, &worker->arena,
                               error));
    CT_TRY(ct_search_rank(worker, table, error));
    /* no tree costs more than all rows under their worst label and a split at each node */
    int64_t most = ((int64_t) 1 << CT_COST_BITS) + set->costs.most_splits * set->costs.split;
    set->budget = ct_smaller_cost(set->search.cap - 1, most);
    set->search.cap = set->budget + 1;
    return CT_OK;
}

/* What belongs to the call that made the set. */
static void forget_call(ct_set *set)
{
    set->options.beside = NULL;
    set->options.stop = NULL;
    set->options.report = NULL;
}

ct_status ct_set_new(const ct_data *data, const ct_exact_options *options, const uint32_t *groups,
                     size_t most_nodes, ct_set **made, ct_error *error)
{
    CT_ASSERT(data && options && made);
    double start = ct_seconds();
    *made = NULL;
    CT_TRY(check(data, options, error));
    CT_TRY(ct_data_check(data, error));
    ct_set *set = (ct_set *) ct_alloc(sizeof *set);
    if (!set) return ct_fail(error, CT_NO_MEMORY, "not enough memory for a set of trees");
    memset(set, 0, sizeof *set);
    set->options = *options;
    ct_status status = copy_data(set, data, groups, options->roots);
    set->options.roots = set->roots;
    set->options.start = NULL;
    set->options.one_word = 1;
    set->options.threads = 1;
    if (status != CT_OK)
        status = ct_fail(error, CT_NO_MEMORY, "not enough memory for a set of trees");
    if (status == CT_OK) status = open_set(set, options, most_nodes, error);
    if (status == CT_OK) {
        if (ct_table_is_ranked(set->search.table)) status = ct_set_build(set, error);
        else set->end = ct_stop_reason(&set->stop);
    }
    set->seconds = ct_seconds() - start;
    forget_call(set);
    if (status == CT_OK) *made = set;
    else ct_set_free(set);
    return status;
}

void ct_set_free(ct_set *set)
{
    if (!set) return;
    ct_set_graph_free(&set->graph);
    ct_arena_free(&set->worker.arena);
    ct_exact_kept_free(&set->kept);
    ct_free(set->columns);
    ct_free(set->coded);
    ct_free(set->classes);
    ct_free(set->response);
    ct_free(set->roots);
    ct_free(set->groups);
    ct_free(set);
}

void ct_set_resume(ct_set *set)
{
    memset(&set->stop, 0, sizeof set->stop);
    set->search.deadline = INFINITY;
}

/* ---- what there is ---- */

static uint32_t n_costs(const ct_set *set)
{
    return set->graph.n_nodes ? ct_set_root(set)->n_costs : 0;
}

ct_set_facts ct_set_about(const ct_set *set)
{
    const ct_set_graph *graph = &set->graph;
    ct_set_facts facts = {0};
    facts.budget = facts.least = set->budget;
    facts.n_costs = n_costs(set);
    if (facts.n_costs) facts.least = ct_set_costs(graph, ct_set_root(set))[0];
    facts.complete = graph->n_nodes ? ct_smaller_cost(ct_set_root(set)->open - 1, set->budget) : -1;
    facts.end = set->end;
    facts.n_nodes = graph->n_nodes;
    facts.n_options = graph->n_options;
    facts.n_counts = graph->n_costs;
    facts.bytes = graph->bytes;
    facts.seconds = set->seconds;
    return facts;
}

uint32_t ct_set_groups(const ct_set *set)
{
    CT_ASSERT(set->groups || !set->data.n_cols);
    uint32_t n = 0;
    for (uint32_t col = 0; col < set->data.n_cols; col++)
        n += !col || set->groups[col] != set->groups[col - 1];
    return n;
}

unsigned ct_set_words(const ct_set *set) { return set->graph.count_words[set->options.depth]; }

double ct_set_unit(const ct_set *set) { return ldexp(set->costs.unit, -(int) set->costs.shift); }

double ct_set_objective(const ct_set *set, int64_t cost)
{
    return ct_objective_value(&set->costs, cost);
}

/* The next integer may be the same double, and where integers are not quite what trees cost, those
 * above what is complete may cost less. */
double ct_set_surely(const ct_set *set)
{
    int64_t complete = ct_set_about(set).complete;
    double value = ct_set_objective(set, complete), next = ct_set_objective(set, complete + 1);
    if (value < ct_exact_cost_hidden(&set->costs))
        next = ct_objective_bound(&set->costs, complete + 1);
    return fmin(value, nextafter(next, -INFINITY));
}

int64_t ct_set_cost_count(const ct_set *set, uint32_t i, const uint64_t **count)
{
    const ct_set_node *root = ct_set_root(set);
    CT_ASSERT(i < root->n_costs);
    *count = ct_set_counts(&set->graph, root) + (size_t) i * ct_set_words(set);
    return ct_set_costs(&set->graph, root)[i];
}

double ct_set_cost(const ct_set *set, uint32_t i, const uint64_t **count)
{
    return ct_set_objective(set, ct_set_cost_count(set, i, count));
}

/* ---- on the way down ---- */

ct_status ct_set_side(ct_set *set, const ct_place *place, const ct_set_option *option, int side,
                      ct_place *child)
{
    CT_ASSERT((side == 0 || side == 1) && option->right < set->graph.n_nodes);
    uint32_t node = side ? option->right : option->left;
    uint32_t t = ct_layout_from_global(place->node->layout, option->feature, option->threshold);
    CT_TRY(ct_place_side(&set->worker, place, option->feature, t, side,
                         set->graph.nodes[node].level, 0, child));
    child->key = set->graph.nodes[node].key;
    return CT_OK;
}
