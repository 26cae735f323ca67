#include "base/compact.h"

#include "exact/sets/values.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "exact/rows/ranks.h"
#include "exact/sets/frontier.h"
#include "exact/sets/parts.h"

typedef struct {
    ct_set *set;
    const ct_set_question *question;
    uint32_t n_classes;
    uint32_t *group;     /* [col] */
    ct_set_stumps stumps;
    int64_t *values;     /* [room] of the stumps that are listed */
    size_t room;
    int64_t *sums;       /* [room_sums + 1][class] of one column, by cuts */
    size_t room_sums;
    double *exchanged;   /* [n_rows] the column that is, in order; NULL: none is */
    ct_split_code *codes;
} asking;

/* Rows that are counted at a node, with the values of the exchanged column from `low` up to `high`
 * in its order. */
typedef struct {
    uint32_t *rows; /* [n] */
    uint32_t n, low, high;
} group;

/* A tree of a node: its leaf, or one that splits. */
typedef struct {
    ct_valued of;
    int is_leaf;
} chosen;

static int is_mask(const asking *a) { return a->question->goal == CT_VALUE_PREDICTORS; }

static int64_t times(const asking *a, const group *g)
{
    return a->exchanged ? (int64_t) g->high - g->low : 1;
}

/* What rows add under a label. */
static int64_t sum_of(const asking *a, const group *g, uint32_t label)
{
    double sum = 0;
    for (uint32_t i = 0; i < g->n; i++)
        sum += a->question->gain[(size_t) g->rows[i] * a->n_classes + label];
    return (int64_t) sum;
}

static int64_t leaf_value(const asking *a, const group *g, uint32_t label)
{
    return is_mask(a) ? 0 : a->question->per_leaf + times(a, g) * sum_of(a, g, label);
}

/* What a split on column f adds that spares so much beside the leaf in its place. */
static int64_t split_value(const asking *a, uint32_t f, int64_t spared)
{
    if (is_mask(a)) return (int64_t) 1 << a->group[f];
    return a->group[f] == a->question->sparing ? a->question->sign * spared : 0;
}

/* The value of a tree from those of its split and its sides. */
static int64_t joined(const asking *a, int64_t own, int64_t left, int64_t right)
{
    return is_mask(a) ? left | right | own : left + right + own;
}

/* How many values of the exchanged column are below a cut, of those of the group. */
static uint32_t exchanged_below(const asking *a, const group *g, double cut)
{
    uint32_t low = g->low, high = g->high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (a->exchanged[middle] < cut) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* ---- splits into two leaves ---- */

/* Rows by how many cuts of a column are not above their value: sums of what they add, from the
 * first on. Rows without a value come last. */
static void add_up(const asking *a, const group *g, const double *cuts, size_t n, uint32_t f)
{
    const uint32_t k = a->n_classes;
    memset(a->sums, 0, (n + 2) * k * sizeof *a->sums);
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t row = g->rows[i];
        double value = ct_column_value(&a->question->columns[f], row);
        size_t low = 0, high = n;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (cuts[middle] <= value) low = middle + 1;
            else high = middle;
        }
        if (ct_column_missing(&a->question->columns[f], row)) low = n + 1;
        for (uint32_t c = 0; c < k; c++)
            a->sums[low * k + c] += (int64_t) a->question->gain[(size_t) row * k + c];
    }
    for (size_t i = k; i < (n + 1) * k; i++) a->sums[i] += a->sums[i - k];
}

static int make_room(asking *a, size_t stumps)
{
    if (stumps <= a->room) return 1;
    size_t room = 2 * stumps;
    ct_free(a->values);
    ct_free(a->sums);
    a->values = (int64_t *) ct_alloc(2 * room * sizeof *a->values); /* and their cuts */
    a->sums = (int64_t *) ct_alloc((room + 2) * a->n_classes * sizeof *a->sums);
    a->room = a->values && a->sums ? room : 0;
    return a->room > 0;
}

/* The values of the stumps of a node from `first` up to `end`, which are on one column. */
static void value_column(asking *a, const group *g, const ct_node *node, size_t first, size_t end)
{
    const uint32_t n_rows = node->n_rows;
    const ct_set_stump *of = a->stumps.of;
    const uint32_t f = of[first].feature, k = a->n_classes;
    const int64_t *sums = a->sums, *all = sums + (end - first) * k, *missing = all + k;
    double *cuts = (double *) (void *) (a->values + a->room);
    for (size_t i = first; i < end; i++)
        cuts[i - first] = ct_set_cut(a->set, f, of[i].around);
    int exchanged = a->exchanged && f == a->question->exchanged;
    if (!exchanged) add_up(a, g, cuts, end - first, f);
    for (size_t i = first; i < end; i++) {
        const uint32_t *label = of[i].label;
        int64_t own = split_value(a, f, node->leaf_cost + a->set->search.split_cost - of[i].cost);
        if (is_mask(a)) {
            a->values[i] = own;
        } else if (exchanged) {
            int64_t low = exchanged_below(a, g, cuts[i - first]);
            a->values[i] = (low - g->low) * sum_of(a, g, label[0]) +
                           (g->high - low) * sum_of(a, g, label[1]);
        } else {
            const int64_t *left = sums + (i - first) * k;
            a->values[i] = times(a, g) * (left[label[0]] + all[label[1]] - left[label[1]] +
                                          missing[label[2 * of[i].n_left < n_rows]]);
        }
        if (!is_mask(a)) a->values[i] += 2 * a->question->per_leaf + own;
    }
}

/* Lists the stumps of a node of level one up to a cost, with their values. */
static ct_status value_stumps(asking *a, const ct_place *place, const group *g, int64_t most)
{
    ct_set_stumps *stumps = &a->stumps;
    CT_TRY(ct_set_stumps_list(stumps, &a->set->worker, place, a->set->groups, most));
    if (!make_room(a, stumps->n)) return CT_NO_MEMORY;
    for (size_t i = 0, end; i < stumps->n; i = end) {
        for (end = i + 1; end < stumps->n && stumps->of[end].feature == stumps->of[i].feature;)
            end++;
        value_column(a, g, place->node, i, end);
    }
    return CT_OK;
}

/* ---- both sides of a split ---- */

/* Where a value is missing the larger side of the training rows counts. */
static uint32_t part(const asking *a, const group *g, uint32_t f, double cut, int missing_left)
{
    uint32_t n_left = 0;
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t row = g->rows[i];
        const ct_column *column = &a->question->columns[f];
        if (!(ct_column_value(column, row) < cut) &&
            !(missing_left && ct_column_missing(column, row)))
            continue;
        g->rows[i] = g->rows[n_left];
        g->rows[n_left++] = row;
    }
    return n_left;
}

static void part_group(asking *a, const ct_place *place, const ct_set_option *option,
                       const group *g, group sides[2])
{
    const ct_node *node = place->node;
    uint32_t f = option->feature, around[2] = {0, 0},
             t = ct_layout_from_global(node->layout, f, option->threshold),
             n_left = ct_place_around(&a->set->worker, place, f, t, around);
    double cut = ct_set_cut(a->set, f, around);
    sides[0] = sides[1] = *g;
    if (a->exchanged && f == a->question->exchanged) {
        sides[0].high = sides[1].low = exchanged_below(a, g, cut);
        return;
    }
    sides[0].n = part(a, g, f, cut, 2 * n_left >= node->n_rows);
    sides[1].rows = g->rows + sides[0].n;
    sides[1].n = g->n - sides[0].n;
}

static int64_t least_cost(const asking *a, uint32_t index)
{
    return ct_set_costs(&a->set->graph, &a->set->graph.nodes[index])[0];
}

static ct_status ask(asking *a, const ct_place *place, uint32_t index, const group *g,
                     int64_t most, ct_frontier *found);

/* What both sides of an option have, and their leaves. */
typedef struct {
    group groups[2];
    ct_frontier found[2];
    ct_valued leaves[2];
} pair;

static void free_pair(pair *p)
{
    for (int side = 0; side < 2; side++) ct_frontier_free(&p->found[side]);
}

static ct_status ask_sides(asking *a, const ct_place *place, const ct_set_option *option,
                           const group *g, int64_t most, pair *p)
{
    const uint32_t index[2] = {option->left, option->right};
    memset(p, 0, sizeof *p);
    part_group(a, place, option, g, p->groups);
    for (int side = 0; side < 2; side++) {
        const ct_set_node *node = &a->set->graph.nodes[index[side]];
        int64_t own = most - a->set->search.split_cost - least_cost(a, index[!side]);
        ct_place child;
        p->found[side].lowest = a->question->goal == CT_VALUE_LEAST;
        p->leaves[side] = (ct_valued){leaf_value(a, &p->groups[side], node->label), node->leaf};
        ct_arena_mark mark = ct_arena_here(&a->set->worker.arena);
        ct_status status = ct_set_side(a->set, place, option, side, &child);
        if (status == CT_OK)
            status = ask(a, &child, index[side], &p->groups[side], own, &p->found[side]);
        ct_arena_release(&a->set->worker.arena, mark);
        CT_TRY(status);
    }
    return CT_OK;
}

/* The i-th tree of a side, its leaf first; 0 if there is none. */
static int tree_of(const pair *p, int side, size_t i, chosen *one)
{
    if (i > p->found[side].n) return 0;
    one->is_leaf = !i;
    one->of = i ? p->found[side].of[i - 1] : p->leaves[side];
    return 1;
}

/* Adds the pairs of both sides up to a cost, or finds the first one that is `wanted`; leaf: what
 * the node costs as one. */
static int join(const asking *a, int64_t leaf, const ct_set_option *option, const pair *p,
                int64_t most, ct_frontier *found, const ct_valued *wanted, chosen sides[2])
{
    const ct_set_node *left = &a->set->graph.nodes[option->left],
                      *right = &a->set->graph.nodes[option->right];
    int64_t own = split_value(a, option->feature, leaf - left->leaf - right->leaf);
    int idle = ct_set_is_idle(left, right);
    for (size_t i = 0; tree_of(p, 0, i, &sides[0]); i++) {
        for (size_t j = 0; tree_of(p, 1, j, &sides[1]); j++) {
            int64_t cost = a->set->search.split_cost + sides[0].of.cost + sides[1].of.cost,
                    value = joined(a, own, sides[0].of.value, sides[1].of.value);
            if (j && cost > most) break;
            if (cost > most || (idle && !i && !j)) continue;
            if (found) ct_frontier_add(found, value, cost);
            else if (value == wanted->value && cost == wanted->cost) return 1;
        }
    }
    return 0;
}

/* All trees of the node that split and cost at most so much. */
static ct_status ask(asking *a, const ct_place *place, uint32_t index, const group *g,
                     int64_t most, ct_frontier *found)
{
    const ct_set_graph *graph = &a->set->graph;
    const ct_set_node *node = &graph->nodes[index];
    if (node->level == 1) {
        CT_TRY(value_stumps(a, place, g, most));
        for (size_t i = 0; i < a->stumps.n; i++)
            ct_frontier_add(found, a->values[i], a->stumps.of[i].cost);
    }
    for (uint32_t i = 0; i < node->n_options; i++) {
        const ct_set_option *option = &graph->options[node->first_option + i];
        pair p;
        chosen sides[2];
        if (a->set->search.split_cost + least_cost(a, option->left) +
                least_cost(a, option->right) > most)
            continue;
        ct_status status = ask_sides(a, place, option, g, most, &p);
        if (status == CT_OK) join(a, node->leaf, option, &p, most, found, NULL, sides);
        found->failed |= p.found[0].failed | p.found[1].failed;
        free_pair(&p);
        if (status != CT_OK || found->failed) return status;
    }
    ct_frontier_sort(found);
    return CT_OK;
}

/* ---- the tree ---- */

static ct_status find(asking *a, const ct_place *place, uint32_t index, const group *g,
                      const chosen *wanted, size_t at);

static ct_status find_sides(asking *a, const ct_place *place, const ct_set_option *option,
                            const pair *p, const chosen sides[2], size_t at)
{
    a->codes[at] = (ct_split_code){(int32_t) option->feature, option->threshold};
    for (int side = 0; side < 2; side++) {
        ct_place child;
        ct_arena_mark mark = ct_arena_here(&a->set->worker.arena);
        ct_status status = ct_set_side(a->set, place, option, side, &child);
        if (status == CT_OK)
            status = find(a, &child, side ? option->right : option->left, &p->groups[side],
                          &sides[side], 2 * at + 1 + (size_t) side);
        ct_arena_release(&a->set->worker.arena, mark);
        CT_TRY(status);
    }
    return CT_OK;
}

static ct_status find_stump(asking *a, const ct_place *place, const group *g,
                            const ct_valued *wanted, size_t at)
{
    CT_TRY(value_stumps(a, place, g, wanted->cost));
    for (size_t i = 0; i < a->stumps.n; i++) {
        const ct_set_stump *stump = &a->stumps.of[i];
        if (stump->cost != wanted->cost || a->values[i] != wanted->value) continue;
        a->codes[at] = (ct_split_code){(int32_t) stump->feature, stump->threshold};
        return CT_OK;
    }
    return CT_INTERNAL;
}

/* Writes the first tree of a node with that value and cost under `at` of the codes. */
static ct_status find(asking *a, const ct_place *place, uint32_t index, const group *g,
                      const chosen *wanted, size_t at)
{
    const ct_set_graph *graph = &a->set->graph;
    const ct_set_node *node = &graph->nodes[index];
    if (wanted->is_leaf) return CT_OK;
    if (node->level == 1) return find_stump(a, place, g, &wanted->of, at);
    for (uint32_t i = 0; i < node->n_options; i++) {
        const ct_set_option *option = &graph->options[node->first_option + i];
        pair p;
        chosen sides[2];
        if (a->set->search.split_cost + least_cost(a, option->left) +
                least_cost(a, option->right) > wanted->of.cost)
            continue;
        ct_status status = ask_sides(a, place, option, g, wanted->of.cost, &p);
        int here = status == CT_OK && join(a, node->leaf, option, &p, wanted->of.cost, NULL,
                                           &wanted->of, sides);
        if (here) status = find_sides(a, place, option, &p, sides, at);
        free_pair(&p);
        if (here || status != CT_OK) return status;
    }
    return CT_INTERNAL;
}

/* ---- the whole ---- */

/* By which trees are compared: the lowest is best. */
static int64_t rank_of(const asking *a, int64_t value)
{
    if (is_mask(a)) return ct_popcount((uint64_t) value);
    return a->question->goal == CT_VALUE_NEAREST && value < 0 ? -value : value;
}

static chosen best_of(const asking *a, const group *g, const ct_frontier *found)
{
    const ct_set_node *root = ct_set_root(a->set);
    chosen best = {{leaf_value(a, g, root->label), root->leaf}, 1};
    int any = root->leaf <= a->set->budget;
    for (size_t i = 0; i < found->n; i++) { /* by cost */
        if (any && rank_of(a, found->of[i].value) >= rank_of(a, best.of.value) &&
            (rank_of(a, found->of[i].value) > rank_of(a, best.of.value) ||
             found->of[i].cost >= best.of.cost))
            continue;
        best = (chosen){found->of[i], 0};
        any = 1;
    }
    return best;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;
    return x < y ? -1 : x > y;
}

static int begin(asking *a, group *all)
{
    const ct_set_question *q = a->question;
    uint32_t n_cols = a->set->data.n_cols;
    all->rows = (uint32_t *) ct_alloc(((size_t) q->n_rows + 1) * sizeof *all->rows);
    a->group = (uint32_t *) ct_alloc(n_cols * sizeof *a->group);
    if (q->exchanged < n_cols)
        a->exchanged = (double *) ct_alloc(((size_t) q->n_rows + 1) * sizeof *a->exchanged);
    if (!all->rows || !a->group || !make_room(a, 64) || (q->exchanged < n_cols && !a->exchanged))
        return 0;
    for (uint32_t row = 0; row < q->n_rows; row++) {
        all->rows[row] = row;
        if (a->exchanged) a->exchanged[row] = ct_column_value(&q->columns[q->exchanged], row);
    }
    if (a->exchanged) qsort(a->exchanged, q->n_rows, sizeof *a->exchanged, ascending);
    for (uint32_t col = 0, n = 0; col < n_cols; col++) {
        n += col && a->set->groups[col] != a->set->groups[col - 1];
        a->group[col] = n;
    }
    all->n = all->high = q->n_rows;
    return 1;
}

static void end(asking *a, group *all)
{
    ct_set_stumps_free(&a->stumps);
    ct_free(all->rows);
    ct_free(a->group);
    ct_free(a->values);
    ct_free(a->sums);
    ct_free(a->exchanged);
}

/* The best value; with `codes` also the tree. */
static ct_status ask_all(asking *a, group *all, chosen *best)
{
    ct_set *set = a->set;
    ct_frontier found = {NULL, 0, 0, a->question->goal == CT_VALUE_LEAST, 0};
    ct_status status = begin(a, all) ? CT_OK : CT_NO_MEMORY;
    if (status == CT_OK) status = ct_set_stumps_init(&a->stumps, &set->worker);
    if (status == CT_OK)
        status = ask(a, &set->place, set->graph.root, all, set->budget, &found);
    if (status == CT_OK && found.failed) status = CT_BAD_INPUT;
    if (status == CT_OK) *best = best_of(a, all, &found);
    if (status == CT_OK && a->codes) status = find(a, &set->place, set->graph.root, all, best, 0);
    ct_frontier_free(&found);
    return status;
}

ct_status ct_set_best(ct_set *set, const ct_set_question *question, int64_t *value,
                      ct_exact_result *result, uint32_t *leaf_of_row, ct_error *error)
{
    CT_ASSERT(question && value && (leaf_of_row || !result));
    asking a = {0};
    group all = {0};
    chosen best = {{0, 0}, 1};
    size_t heap = ((size_t) 2 << set->options.depth) - 1;
    ct_arena_mark mark = ct_arena_here(&set->worker.arena);
    if (!ct_set_about(set).n_costs)
        return ct_fail(error, CT_BAD_INPUT, "the set has no trees");
    a.set = set;
    a.question = question;
    a.n_classes = ct_data_classes(&set->data);
    ct_set_resume(set);
    if (result) memset(result, 0, sizeof *result);
    if (result) a.codes = CT_ARENA_NEW(&set->worker.arena, ct_split_code, heap);
    for (size_t i = 0; a.codes && i < heap; i++) a.codes[i] = CT_LEAF_CODE;
    ct_status status = !result || a.codes ? ask_all(&a, &all, &best) : CT_NO_MEMORY;
    end(&a, &all);
    *value = best.of.value;
    if (status != CT_OK)
        status = ct_fail(error, status, status == CT_BAD_INPUT
                                            ? "its trees have too many different values"
                                            : "not enough memory to go through its trees");
    else if (result)
        status = ct_set_finish(set, a.codes, best.of.cost, result, leaf_of_row, error);
    ct_arena_release(&set->worker.arena, mark);
    return status;
}
