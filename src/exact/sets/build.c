/* Fills in the graph of a set: splits within the budget of each node, and what their sides have. */
#include "exact/sets/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "exact/rows/ranks.h"
#include "exact/sets/few_valued.h"
#include "exact/sets/splits.h"
#include "exact/sets/tally.h"

typedef struct {
    ct_set *set;
    ct_worker *worker;
    ct_set_graph *graph;
    ct_set_stumps stumps;
    ct_set_tally tally;
} builder;

typedef ct_set_split split;

static ct_status no_memory(builder *b) { return ct_worker_no_memory(b->worker); }

/* ---- counts ---- */

/* Adds the pairs of trees of both sides up to the budget. */
static int add_pairs(builder *b, const ct_set_node *node, const ct_set_node *left,
                     const ct_set_node *right)
{
    const ct_set_graph *graph = b->graph;
    const int64_t *of_left = ct_set_costs(graph, left), *of_right = ct_set_costs(graph, right);
    const uint64_t *n_left = ct_set_counts(graph, left), *n_right = ct_set_counts(graph, right);
    unsigned words = graph->count_words[node->level], below = graph->count_words[node->level - 1];
    int64_t split_cost = b->set->search.split_cost;
    for (uint32_t i = 0; i < left->n_costs; i++) {
        int64_t most = node->budget - split_cost - of_left[i];
        for (uint32_t j = 0; j < right->n_costs && of_right[j] <= most; j++) {
            uint64_t *count = ct_set_tally_at(&b->tally, split_cost + of_left[i] + of_right[j]);
            if (!count) return 0;
            ct_count_add_product(count, words, n_left + i * below, below, n_right + j * below,
                                 below);
        }
    }
    int64_t leaves = split_cost + left->leaf + right->leaf;
    if (leaves > node->budget || !ct_set_is_idle(left, right)) return 1;
    const uint64_t one = 1;
    uint64_t *count = ct_set_tally_at(&b->tally, leaves);
    if (count) ct_set_count_take(count, words, &one, 1);
    return count != NULL;
}

static int add_leaf(builder *b, const ct_set_node *node)
{
    if (node->leaf > node->budget) return 1;
    uint64_t *count = ct_set_tally_at(&b->tally, node->leaf);
    if (count) ct_count_add_word(count, b->graph->count_words[node->level], 0, 1);
    return count != NULL;
}

/* ---- level one ---- */

static ct_status build_stumps(builder *b, const ct_place *place, uint32_t index)
{
    ct_set_node node = b->graph->nodes[index];
    unsigned words = b->graph->count_words[node.level];
    int64_t least = node.leaf;
    b->stumps.n = 0;
    if (node.level > 0)
        CT_TRY((place->few ? ct_few_valued_stumps : ct_set_stumps_count)(
            &b->stumps, b->worker, place, b->set->groups, node.budget));
    for (size_t i = 0; i < b->stumps.n; i++)
        least = ct_smaller_cost(least, b->stumps.of[i].cost);
    int fits = ct_set_tally_begin(&b->tally, least, node.budget, words) && add_leaf(b, &node);
    for (size_t i = 0; fits && i < b->stumps.n; i++) {
        uint64_t *count = ct_set_tally_at(&b->tally, b->stumps.of[i].cost);
        if (count) ct_count_add_word(count, words, 0, b->stumps.of[i].n_left);
        else fits = 0;
    }
    if (!fits || !ct_set_tally_end(&b->tally, b->graph, &node)) return no_memory(b);
    node.open = INT64_MAX;
    b->graph->nodes[index] = node;
    return CT_OK;
}

/* ---- levels above ---- */

static ct_status build(builder *b, const ct_place *place, uint32_t level, int64_t budget,
                       uint32_t *index);

/* The keys of the left sides of splits on one feature, which come by threshold. */
static void set_keys(const ct_place *place, split *splits, size_t n)
{
    const ct_node *node = place->node;
    const ct_layout *layout = node->layout;
    uint32_t f = splits[0].of.feature, n_left = 0;
    const uint64_t *sets = ct_node_sets(node, f);
    ct_rows_key key = {{0, 0}};
    size_t next = 0;
    for (size_t w = node->rows.begin[f]; w < node->rows.end[f]; w++) {
        uint64_t members = 0;
        for (uint32_t c = 0; c < layout->n_classes; c++) members |= sets[c * layout->words + w];
        for (; members; members &= members - 1) {
            size_t position = w * 64 + ct_trailing_zeros(members);
            key = ct_rows_key_sum(key, place->words[ct_place_row(place, f, position)]);
            n_left++;
            if (n_left != splits[next].of.n_left) continue;
            splits[next++].left = key;
            if (next == n) return;
        }
    }
    CT_ASSERT(0);
}

/* Leaves out splits on columns of one group that part the rows as one before does. */
static size_t once_each(const builder *b, const ct_place *place, split *splits, size_t n)
{
    const uint32_t *groups = b->set->groups;
    size_t kept = 0, first = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t group = groups[splits[i].of.feature];
        int again = 0;
        while (first < kept && groups[splits[first].of.feature] != group) first++;
        if (ct_is_grouped(groups, b->set->data.n_cols, splits[i].of.feature)) {
            ct_rows_key own = ct_rows_key_either(splits[i].left, place->key);
            for (size_t j = first; j < kept && !again; j++) {
                ct_rows_key other = ct_rows_key_either(splits[j].left, place->key);
                again = !memcmp(&own, &other, sizeof own);
            }
        }
        if (!again) splits[kept++] = splits[i];
    }
    return kept;
}

/* Lists the splits of a node with their keys, by a search. */
static ct_status search_splits(builder *b, const ct_place *place, uint32_t level, int64_t budget,
                             split **splits, size_t *n, int64_t *open)
{
    ct_survivors found;
    *n = 0;
    *splits = NULL;
    ct_status status = ct_set_splits(b->worker, place->node, level, budget, &place->path,
                                     place->is_table, &found);
    *open = found.open;
    if (status == CT_OK && found.n) {
        *splits = (split *) ct_alloc(found.n * sizeof **splits);
        if (!*splits) status = no_memory(b);
    }
    for (uint32_t i = 0; *splits && i < found.n; i++) {
        memset(&(*splits)[i], 0, sizeof **splits);
        (*splits)[i].of = found.of[i];
        (*splits)[i].total = b->set->search.split_cost + found.of[i].side[0] +
                             found.of[i].side[1];
    }
    for (uint32_t i = 0, end; *splits && i < found.n; i = end) {
        for (end = i + 1; end < found.n && found.of[end].feature == found.of[i].feature;) end++;
        set_keys(place, *splits + i, end - i);
    }
    if (*splits) *n = found.n;
    ct_free(found.of);
    return status;
}

/* Lists the splits of a node, each one once. */
static ct_status find_splits(builder *b, const ct_place *place, uint32_t level, int64_t budget,
                             split **splits, size_t *n, int64_t *open)
{
    ct_status status = place->few
                           ? ct_few_valued_splits(b->worker, place, budget, splits, n, open)
                           : search_splits(b, place, level, budget, splits, n, open);
    if (status == CT_OK) *n = once_each(b, place, *splits, *n);
    return status;
}

/* The node of a side of a split; *open: what its trees that may be missing cost at least, with the
 * rest of the split. */
static ct_status build_side(builder *b, const ct_place *place, split *s, int side, uint32_t level,
                            int64_t budget, int64_t *open)
{
    ct_rows_key key = side ? ct_rows_key_rest(place->key, s->left) : s->left;
    int64_t slack = budget - s->total, own = s->of.side[side] + slack;
    size_t known = ct_set_graph_find(b->graph, &key, level - 1);
    if (known == SIZE_MAX || b->graph->nodes[known].budget < own) {
        ct_place child;
        ct_arena_mark mark = ct_arena_here(&b->worker->arena);
        ct_status status = place->few ? ct_few_valued_side(b->worker, place, s, side, &child)
                                      : ct_place_side(b->worker, place, s->of.feature,
                                                      s->of.threshold, side, level - 1,
                                                      level > 3 && ct_place_has_tests(place),
                                                      &child);
        child.key = key;
        if (status == CT_OK) status = build(b, &child, level - 1, own, &s->sides[side]);
        ct_arena_release(&b->worker->arena, mark);
        CT_TRY(status);
        known = s->sides[side];
    }
    s->sides[side] = (uint32_t) known;
    int64_t missing = b->graph->nodes[known].open;
    if (b->graph->nodes[known].budget < own) /* stopped before it was made anew */
        missing = ct_smaller_cost(missing, b->graph->nodes[known].budget + 1);
    if (missing < INT64_MAX)
        *open = ct_smaller_cost(*open, s->total - s->of.side[side] + missing);
    return CT_OK;
}

static int by_total(const void *a, const void *b)
{
    const split *x = *(split *const *) a, *y = *(split *const *) b;
    if (x->total != y->total) return x->total < y->total ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Both sides of all splits, the cheapest first, so that what a stop leaves out is dear. */
static ct_status build_sides(builder *b, const ct_place *place, split *splits, size_t n,
                             uint32_t level, int64_t budget, int64_t *open)
{
    split **order = (split **) ct_alloc((n + 1) * sizeof(split *));
    if (!order) return no_memory(b);
    for (size_t i = 0; i < n; i++) order[i] = &splits[i];
    qsort(order, n, sizeof(split *), by_total);
    ct_status status = CT_OK;
    for (size_t i = 0; i < n; i++) {
        split *s = order[i];
        for (int side = 0; side < 2 && status == CT_OK && !ct_is_halted(b->worker); side++) {
            status = build_side(b, place, s, side, level, budget, open);
            s->done = side && status == CT_OK;
        }
        if (!s->done) *open = ct_smaller_cost(*open, s->total);
    }
    ct_free(order);
    return ct_is_halted(b->worker) ? CT_OK : status;
}

/* Counts the trees of a node whose splits are there; those that none has within the budget are left
 * out. */
static ct_status finish(builder *b, uint32_t index, const split *splits, size_t n)
{
    ct_set_graph *graph = b->graph;
    if (ct_is_halted(b->worker)) { /* what is there is put together yet */
        graph->limit += graph->reserve;
        graph->reserve = 0;
    }
    if (!ct_set_graph_options(graph, n)) return no_memory(b);
    ct_set_node node = graph->nodes[index];
    int64_t least = node.leaf;
    node.first_option = graph->n_options;
    node.n_options = 0;
    for (size_t i = 0; i < n; i++) least = ct_smaller_cost(least, splits[i].total);
    int fits = ct_set_tally_begin(&b->tally, least, node.budget, graph->count_words[node.level]) &&
               add_leaf(b, &node);
    for (size_t i = 0; fits && i < n; i++) {
        const split *s = &splits[i];
        if (!s->done || !graph->nodes[s->sides[0]].n_costs || !graph->nodes[s->sides[1]].n_costs)
            continue; /* of a search that was stopped */
        fits = add_pairs(b, &node, &graph->nodes[s->sides[0]], &graph->nodes[s->sides[1]]);
        graph->options[graph->n_options++] =
            (ct_set_option){s->of.feature, s->of.threshold, s->sides[0], s->sides[1]};
        node.n_options++;
    }
    if (!fits || !ct_set_tally_end(&b->tally, graph, &node)) return no_memory(b);
    graph->nodes[index] = node;
    return CT_OK;
}

/* In the table's ranks, as options have it. */
static void to_global(const ct_place *place, split *splits, size_t n)
{
    for (size_t i = 0; i < n; i++)
        splits[i].of.threshold = ct_layout_to_global(place->node->layout, splits[i].of.feature,
                                                     splits[i].of.threshold);
}

static ct_status build_splits(builder *b, const ct_place *as_is, uint32_t level, int64_t budget,
                              uint32_t index)
{
    split *splits = NULL;
    size_t n = 0;
    int64_t open = INT64_MAX;
    ct_status status = CT_OK;
    ct_place place = *as_is;
    ct_arena_mark mark = ct_arena_here(&b->worker->arena);
    if (level < 4 && !place.few && ct_place_has_tests(&place))
        status = ct_few_valued_make(b->worker, &place, level, budget);
    if (status == CT_OK && ct_may_split(b->worker, place.node->n_rows))
        status = find_splits(b, &place, level, budget, &splits, &n, &open);
    if (status == CT_OK) status = build_sides(b, &place, splits, n, level, budget, &open);
    to_global(&place, splits, n);
    if (status == CT_OK) status = finish(b, index, splits, n);
    ct_free(splits);
    ct_arena_release(&b->worker->arena, mark);
    b->graph->nodes[index].open = status == CT_OK ? open : 0;
    return status;
}

static ct_status begin_node(builder *b, const ct_place *place, uint32_t level, int64_t budget,
                            uint32_t index)
{
    ct_set_node *node = &b->graph->nodes[index];
    node->budget = budget;
    node->n_rows = place->node->n_rows;
    node->leaf = ct_side_cost(&b->set->costs, &place->node->totals, &node->label);
    node->value = ct_leaf_value_of(&b->set->costs, &place->node->totals, node->label);
    node->open = 0;
    node->n_costs = node->n_options = 0;
    if (level < 2) return build_stumps(b, place, index);
    return build_splits(b, place, level, budget, index);
}

/* Where a node is made anew for a larger budget and that is stopped, the old one stays: others have
 * counted its trees. */
static ct_status build(builder *b, const ct_place *place, uint32_t level, int64_t budget,
                       uint32_t *index)
{
    size_t known = ct_set_graph_find(b->graph, &place->key, level);
    if (known == SIZE_MAX) {
        known = ct_set_graph_add(b->graph, &place->key, level);
        if (known == SIZE_MAX) return no_memory(b);
        *index = (uint32_t) known;
        return begin_node(b, place, level, budget, *index);
    }
    ct_set_node before = b->graph->nodes[known];
    *index = (uint32_t) known;
    ct_status status = begin_node(b, place, level, budget, *index);
    if (ct_is_halted(b->worker)) b->graph->nodes[known] = before;
    return status;
}

/* ---- the whole ---- */

/* Words that hold the number of trees of each level: a cut, or none, and a tree on either side. */
static int set_words(ct_set *set)
{
    const ct_table *table = set->search.table;
    double cuts = 1, bits = 0;
    for (uint32_t f = 0; f < table->n_cols; f++) cuts += table->n_values[f];
    for (unsigned level = 0; level <= set->options.depth; level++) {
        set->graph.count_words[level] = (unsigned) (bits + 1) / 64 + 1;
        if (set->graph.count_words[level] > CT_COUNT_WORDS) return 0;
        bits = log2(cuts) + 2 * bits + .001;
    }
    return 1;
}

static ct_status build_root(builder *b, ct_error *error)
{
    ct_set *set = b->set;
    if (!set_words(set))
        return ct_fail(error, CT_BAD_INPUT, "the trees of depth %u on %lu columns are too many to "
                       "be counted", set->options.depth, (unsigned long) set->data.n_cols);
    ct_status status = ct_place_table(&set->worker, &set->place);
    ct_arena_mark mark = ct_arena_here(&set->worker.arena);
    if (status == CT_OK) status = ct_set_stumps_init(&b->stumps, &set->worker);
    if (status == CT_OK)
        (void) build(b, &set->place, set->options.depth, set->budget, &set->graph.root);
    ct_arena_release(&set->worker.arena, mark);
    if (set->graph.n_nodes && ct_set_root(set)->n_costs) return CT_OK; /* what there is counts */
    if (ct_is_halted(&set->worker) && ct_stop_reason(&set->stop) == CT_END_MEMORY)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for any of the trees");
    return CT_OK;
}

ct_status ct_set_build(ct_set *set, ct_error *error)
{
    builder b = {set, &set->worker, &set->graph, {0}, {0}};
    ct_status status = build_root(&b, error);
    ct_set_stumps_free(&b.stumps);
    ct_set_tally_free(&b.tally);
    set->end = ct_is_halted(&set->worker) ? ct_stop_reason(&set->stop) : CT_END_OPTIMAL;
    return status;
}
