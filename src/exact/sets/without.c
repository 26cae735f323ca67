/* How many trees of a set do without a predictor, and what they cost. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "exact/sets/counts.h"
#include "exact/sets/parts.h"

/* How many trees of each node and cost do without each group of columns: beside the counts of the
 * graph another one for each group, found on the way back up. */
typedef struct {
    ct_set *set;
    uint32_t n_groups;
    uint32_t *group;   /* [col] */
    uint64_t *counts;  /* [n_groups][words of all counts of the graph], laid out as these */
    uint8_t *done;     /* [node] */
    ct_set_stumps stumps;
} asking;

static uint64_t *counts_of(const asking *a, uint32_t group, const ct_set_node *node)
{
    return a->counts + group * a->set->graph.n_counts + node->first_count;
}

static ct_status ask_stumps(asking *a, const ct_place *place, const ct_set_node *node)
{
    const ct_set_graph *graph = &a->set->graph;
    unsigned words = graph->count_words[node->level];
    const uint64_t one = 1;
    for (uint32_t g = 0; g < a->n_groups; g++)
        memcpy(counts_of(a, g, node), ct_set_counts(graph, node),
               (size_t) node->n_costs * words * sizeof(uint64_t));
    if (!node->level) return CT_OK;
    CT_TRY(ct_set_stumps_list(&a->stumps, &a->set->worker, place, a->set->groups, node->budget));
    for (size_t i = 0; i < a->stumps.n; i++) {
        const ct_set_stump *stump = &a->stumps.of[i];
        uint32_t at = ct_set_find_cost(graph, node, stump->cost);
        if (at == node->n_costs) continue;
        ct_set_count_take(counts_of(a, a->group[stump->feature], node) + (size_t) at * words, words,
                          &one, 1);
    }
    return CT_OK;
}

/* Adds the pairs of both sides that do without a group. */
static void add_pairs(const asking *a, uint32_t group, const ct_set_node *node,
                      const ct_set_node *left, const ct_set_node *right)
{
    const ct_set_graph *graph = &a->set->graph;
    const int64_t *of_left = ct_set_costs(graph, left), *of_right = ct_set_costs(graph, right);
    const uint64_t *n_left = counts_of(a, group, left), *n_right = counts_of(a, group, right),
                   one = 1;
    unsigned words = graph->count_words[node->level], below = graph->count_words[node->level - 1];
    uint64_t *counts = counts_of(a, group, node);
    int64_t split_cost = a->set->search.split_cost, most = node->budget - split_cost;
    for (uint32_t i = 0; i < left->n_costs; i++) {
        for (uint32_t j = 0; j < right->n_costs && of_left[i] + of_right[j] <= most; j++) {
            uint32_t at = ct_set_find_cost(graph, node, split_cost + of_left[i] + of_right[j]);
            if (at == node->n_costs) continue; /* of the pair of leaves that does not count */
            ct_count_add_product(counts + (size_t) at * words, words, n_left + i * below, below,
                                 n_right + j * below, below);
        }
    }
    if (left->leaf + right->leaf > most || !ct_set_is_idle(left, right)) return;
    uint32_t at = ct_set_find_cost(graph, node, split_cost + left->leaf + right->leaf);
    if (at < node->n_costs) ct_set_count_take(counts + (size_t) at * words, words, &one, 1);
}

static ct_status ask(asking *a, const ct_place *place, uint32_t index);

static ct_status ask_sides(asking *a, const ct_place *place, const ct_set_option *option)
{
    for (int side = 0; side < 2; side++) {
        uint32_t index = side ? option->right : option->left;
        ct_place child;
        if (a->done[index]) continue;
        ct_arena_mark mark = ct_arena_here(&a->set->worker.arena);
        ct_status status = ct_set_side(a->set, place, option, side, &child);
        if (status == CT_OK) status = ask(a, &child, index);
        ct_arena_release(&a->set->worker.arena, mark);
        CT_TRY(status);
    }
    return CT_OK;
}

static ct_status ask(asking *a, const ct_place *place, uint32_t index)
{
    const ct_set_graph *graph = &a->set->graph;
    const ct_set_node *node = &graph->nodes[index];
    a->done[index] = 1;
    if (node->level < 2) return ask_stumps(a, place, node);
    unsigned words = graph->count_words[node->level];
    uint32_t at_leaf = ct_set_find_cost(graph, node, node->leaf);
    for (uint32_t g = 0; g < a->n_groups; g++) {
        memset(counts_of(a, g, node), 0, (size_t) node->n_costs * words * sizeof(uint64_t));
        if (at_leaf < node->n_costs)
            ct_count_add_word(counts_of(a, g, node) + (size_t) at_leaf * words, words, 0, 1);
    }
    for (uint32_t i = 0; i < node->n_options; i++) {
        const ct_set_option *option = &graph->options[node->first_option + i];
        CT_TRY(ask_sides(a, place, option));
        for (uint32_t g = 0; g < a->n_groups; g++)
            if (a->group[option->feature] != g)
                add_pairs(a, g, node, &graph->nodes[option->left], &graph->nodes[option->right]);
    }
    return CT_OK;
}

/* What the root says of a group. */
static void answer(const asking *a, uint32_t group, uint64_t *count, double *least)
{
    const ct_set_node *root = ct_set_root(a->set);
    unsigned words = ct_set_words(a->set);
    const uint64_t *counts = counts_of(a, group, root);
    memset(count, 0, words * sizeof *count);
    *least = INFINITY;
    for (uint32_t i = 0; i < root->n_costs; i++) {
        if (ct_set_count_is_zero(counts + (size_t) i * words, words)) continue;
        if (*least == INFINITY)
            *least = ct_set_objective(a->set, ct_set_costs(&a->set->graph, root)[i]);
        ct_set_count_add(count, words, counts + (size_t) i * words, words);
    }
}

static int make_room(asking *a)
{
    const ct_set *set = a->set;
    a->group = (uint32_t *) ct_alloc(set->data.n_cols * sizeof *a->group);
    a->done = (uint8_t *) ct_alloc(set->graph.n_nodes);
    a->n_groups = ct_set_groups(set);
    for (uint32_t col = 0, n = 0; a->group && col < set->data.n_cols; col++) {
        n += col && set->groups[col] != set->groups[col - 1];
        a->group[col] = n;
    }
    double bytes = (double) a->n_groups * (double) set->graph.n_counts * sizeof *a->counts;
    if (!a->group || !a->done || bytes > (double) set->options.memory_limit) return 0;
    memset(a->done, 0, set->graph.n_nodes);
    a->counts = (uint64_t *) ct_alloc((size_t) bytes + 1);
    return a->counts != NULL;
}

ct_status ct_set_without(ct_set *set, uint64_t *counts, double *least, ct_error *error)
{
    asking a = {0};
    if (!ct_set_about(set).n_costs)
        return ct_fail(error, CT_BAD_INPUT, "the set has no trees");
    a.set = set;
    ct_set_resume(set);
    ct_status status = make_room(&a) ? CT_OK : CT_NO_MEMORY;
    ct_arena_mark mark = ct_arena_here(&set->worker.arena);
    if (status == CT_OK) status = ct_set_stumps_init(&a.stumps, &set->worker);
    if (status == CT_OK) status = ask(&a, &set->place, set->graph.root);
    for (uint32_t g = 0; status == CT_OK && g < a.n_groups; g++)
        answer(&a, g, counts + (size_t) g * ct_set_words(set), &least[g]);
    ct_arena_release(&set->worker.arena, mark);
    ct_set_stumps_free(&a.stumps);
    ct_free(a.group);
    ct_free(a.done);
    ct_free(a.counts);
    if (status == CT_OK) return CT_OK;
    return ct_fail(error, CT_NO_MEMORY, "not enough memory for the question");
}
