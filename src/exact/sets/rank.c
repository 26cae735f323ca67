/* The k-th tree of a set, by its number among those of each cost, node by node. */
#include "base/compact.h"

#include <string.h>

#include "base/clock.h"
#include "exact/sets/parts.h"
#include "exact/sets/tally.h"

/* A tree on its way from its number to its splits. */
typedef struct {
    ct_set *set;
    ct_set_stumps stumps;
    ct_split_code *codes; /* a heap with one level more than the trees have: see tree_search() */
} ranking;

/* Which of the pairs of trees of an option costs `cost` and is the k-th of these: the costs of both
 * sides, and the numbers of their trees; 0, and k is less by all of them, if it is none. */
static int find_pair(const ct_set *set, uint32_t level, const ct_set_option *option, int64_t cost,
                     uint64_t *k, int64_t sides[2], uint64_t *numbers[2])
{
    CT_ASSERT(level > 1 && option->left < set->graph.n_nodes);
    const ct_set_graph *graph = &set->graph;
    const ct_set_node *left = &graph->nodes[option->left], *right = &graph->nodes[option->right];
    const int64_t *of_left = ct_set_costs(graph, left), *of_right = ct_set_costs(graph, right);
    unsigned n = graph->count_words[level], below = graph->count_words[level - 1];
    const uint64_t one = 1;
    cost -= set->search.split_cost;
    for (uint32_t i = 0, j = right->n_costs; i < left->n_costs; i++) {
        while (j && of_right[j - 1] > cost - of_left[i]) j--;
        if (!j || of_right[j - 1] != cost - of_left[i]) continue;
        const uint64_t *n_left = ct_set_counts(graph, left) + (size_t) i * below,
                       *n_right = ct_set_counts(graph, right) + (size_t) (j - 1) * below;
        uint64_t pairs[CT_COUNT_WORDS] = {0}, by[CT_COUNT_WORDS] = {0};
        ct_count_add_product(pairs, n, n_left, below, n_right, below);
        int idle = ct_set_is_idle(left, right) && of_left[i] == left->leaf &&
                   of_right[j - 1] == right->leaf;
        if (idle) ct_set_count_take(pairs, n, &one, 1);
        if (!ct_set_count_less(k, pairs, n)) {
            ct_set_count_take(k, n, pairs, n);
            continue;
        }
        if (idle) ct_count_add_word(k, n, 0, 1); /* leaves come first: the pair left out is */
        memcpy(by, n_right, below * sizeof *by);
        ct_set_count_divide(k, by, n, numbers[0], numbers[1]);
        sides[0] = of_left[i];
        sides[1] = of_right[j - 1];
        return 1;
    }
    return 0;
}

static ct_status take_node(ranking *r, const ct_place *place, uint32_t index, int64_t cost,
                           uint64_t *k, size_t at, ct_error *error);

static ct_status lost(ct_error *error)
{
    return ct_fail(error, CT_INTERNAL, "a tree of the set is not where it was counted");
}

/* The k-th of the stumps of that cost. */
static ct_status take_stump(ranking *r, const ct_place *place, int64_t cost, uint64_t k, size_t at,
                            ct_error *error)
{
    ct_worker *worker = &r->set->worker;
    if (ct_set_stumps_list(&r->stumps, worker, place, r->set->groups, cost) != CT_OK)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for a tree of the set");
    for (size_t i = 0; i < r->stumps.n; i++) {
        const ct_set_stump *stump = &r->stumps.of[i];
        if (stump->cost != cost || k--) continue;
        r->codes[at] = (ct_split_code){(int32_t) stump->feature, stump->threshold};
        return CT_OK;
    }
    return lost(error);
}

static ct_status take_option(ranking *r, const ct_place *place, const ct_set_option *option,
                             const int64_t sides[2], uint64_t *numbers[2], size_t at,
                             ct_error *error)
{
    r->codes[at] = (ct_split_code){(int32_t) option->feature, option->threshold};
    for (int side = 0; side < 2; side++) {
        ct_place child;
        uint32_t index = side ? option->right : option->left;
        ct_arena_mark mark = ct_arena_here(&r->set->worker.arena);
        ct_status status = ct_set_side(r->set, place, option, side, &child);
        if (status != CT_OK)
            status = ct_fail(error, status, "not enough memory for a tree of the set");
        else
            status = take_node(r, &child, index, sides[side], numbers[side],
                               2 * at + 1 + (size_t) side, error);
        ct_arena_release(&r->set->worker.arena, mark);
        CT_TRY(status);
    }
    return CT_OK;
}

/* Writes the k-th tree of that cost of a node under `at` of the codes. */
static ct_status take_node(ranking *r, const ct_place *place, uint32_t index, int64_t cost,
                           uint64_t *k, size_t at, ct_error *error)
{
    const ct_set_graph *graph = &r->set->graph;
    const ct_set_node *node = &graph->nodes[index];
    unsigned n = graph->count_words[node->level];
    const uint64_t one = 1;
    if (node->leaf == cost) {
        if (ct_set_count_is_zero(k, n)) return CT_OK;
        ct_set_count_take(k, n, &one, 1);
    }
    if (node->level == 1) return take_stump(r, place, cost, k[0], at, error);
    for (uint32_t i = 0; i < node->n_options; i++) {
        const ct_set_option *option = &graph->options[node->first_option + i];
        uint64_t quotient[CT_COUNT_WORDS], rest[CT_COUNT_WORDS], *numbers[2] = {quotient, rest};
        int64_t sides[2];
        if (find_pair(r->set, node->level, option, cost, k, sides, numbers))
            return take_option(r, place, option, sides, numbers, at, error);
    }
    return lost(error);
}

/* The cost of the k-th tree, and its number among those of this cost. */
static ct_status find_cost(const ct_set *set, uint64_t *k, int64_t *cost, ct_error *error)
{
    unsigned n = ct_set_words(set);
    ct_set_facts facts = ct_set_about(set);
    for (uint32_t i = 0; i < facts.n_costs; i++) {
        const uint64_t *count = ct_set_counts(&set->graph, ct_set_root(set)) + (size_t) i * n;
        *cost = ct_set_costs(&set->graph, ct_set_root(set))[i];
        if (ct_set_count_less(k, count, n)) return CT_OK;
        ct_set_count_take(k, n, count, n);
    }
    return ct_fail(error, CT_BAD_INPUT, "the set has no such tree");
}

static ct_status take_tree(ct_set *set, uint64_t *k, int64_t cost, ct_split_code *codes,
                           ct_error *error)
{
    ranking r;
    r.set = set;
    r.codes = codes;
    if (ct_set_stumps_init(&r.stumps, &set->worker) != CT_OK)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for a tree of the set");
    ct_status status = take_node(&r, &set->place, set->graph.root, cost, k, 0, error);
    ct_set_stumps_free(&r.stumps);
    return status;
}

ct_status ct_set_finish(ct_set *set, const ct_split_code *codes, int64_t cost,
                        ct_exact_result *result, uint32_t *leaf_of_row, ct_error *error)
{
    CT_ASSERT(set->graph.n_nodes && ct_set_root(set)->n_costs > 0);
    ct_exact_options deeper = set->options;
    ct_exact_search search = set->search;
    ct_worker worker = set->worker;
    int64_t least = ct_set_costs(&set->graph, ct_set_root(set))[0];
    ct_bounds bounds = {least, least, cost};
    if (set->graph.nodes[set->graph.root].open <= least) bounds.proven = 0;
    deeper.depth++;
    search.options = &deeper;
    worker.search = &search;
    int64_t *root_bounds = CT_ARENA_ZEROED(&worker.arena, int64_t, set->data.n_cols);
    ct_status status =
        root_bounds ? ct_exact_conclude(&worker, &set->data, codes, &bounds, root_bounds, result,
                                        leaf_of_row, error)
                    : ct_fail(error, CT_NO_MEMORY, "not enough memory for a tree of the set");
    set->worker.arena = worker.arena;
    if (status != CT_OK) ct_exact_result_free(result);
    result->simd = set->search.kernels->name;
    result->threads = 1;
    memcpy(result->device, "cpu", 4);
    return status;
}

ct_status ct_set_tree(ct_set *set, const uint64_t *k, ct_exact_result *result,
                      uint32_t *leaf_of_row, ct_error *error)
{
    CT_ASSERT(k && result && leaf_of_row);
    double start = ct_seconds();
    uint64_t left[CT_COUNT_WORDS];
    int64_t cost = 0;
    ct_arena_mark mark = ct_arena_here(&set->worker.arena);
    size_t heap = ((size_t) 2 << set->options.depth) - 1;
    memset(result, 0, sizeof *result);
    memcpy(left, k, ct_set_words(set) * sizeof *left);
    CT_TRY(find_cost(set, left, &cost, error));
    ct_set_resume(set);
    ct_split_code *codes = CT_ARENA_NEW(&set->worker.arena, ct_split_code, heap);
    for (size_t i = 0; codes && i < heap; i++) codes[i] = CT_LEAF_CODE;
    ct_status status = codes ? take_tree(set, left, cost, codes, error)
                             : ct_fail(error, CT_NO_MEMORY, "not enough memory for a tree");
    if (status == CT_OK) status = ct_set_finish(set, codes, cost, result, leaf_of_row, error);
    ct_arena_release(&set->worker.arena, mark);
    result->seconds = ct_seconds() - start;
    return status;
}
