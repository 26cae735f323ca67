#include "base/compact.h"

#include "exact/finish/complete.h"

#include <string.h>

#include "base/bits.h"
#include "base/sum.h"
#include "exact/finish/response_tree.h"

/* ---- the best split of rows sorted by one feature ---- */

/* What labels spare of some rows, beside each row's worst label; the best of them. */
typedef struct {
    int64_t *labels; /* [label] */
    int64_t most;
} spared;

typedef struct {
    const ct_exact_costs *costs;
    const int32_t *classes;
    uint32_t min_bucket;  /* least rows on either side */
    spared left, right;
    /* [most] what is spared from each change of value on, the last change first */
    int64_t *right_most;
    uint32_t most;        /* no feature has more values */
} stump_scratch;

static ct_status stump_scratch_init(stump_scratch *s, ct_arena *arena,
                                    const ct_exact_search *search)
{
    s->costs = search->costs;
    s->classes = search->table->data->classes;
    s->min_bucket = search->min_bucket;
    s->left.labels = CT_ARENA_NEW(arena, int64_t, search->costs->n_classes);
    s->right.labels = CT_ARENA_NEW(arena, int64_t, search->costs->n_classes);
    s->most = 1;
    for (uint32_t f = 0; f < search->table->n_cols; f++)
        if (search->table->n_values[f] > s->most) s->most = search->table->n_values[f];
    s->right_most = CT_ARENA_NEW(arena, int64_t, s->most);
    return s->left.labels && s->right.labels && s->right_most ? CT_OK : CT_NO_MEMORY;
}

static void spare_none(spared *s, uint32_t n_classes)
{
    memset(s->labels, 0, n_classes * sizeof *s->labels);
    s->most = 0;
}

/* `unit`: rows cost 1 each. */
CT_HOT void spare(spared *s, const ct_exact_costs *costs, uint32_t row, size_t own, int unit)
{
    CT_ASSERT(own < costs->n_classes);
    int64_t weight = unit || !costs->weights ? 1 : costs->weights[row];
    if (unit || !costs->gains) {
        s->labels[own] += weight * (unit || costs->plain ? 1 : costs->most[own]);
        if (s->labels[own] > s->most) s->most = s->labels[own];
        return;
    }
    const int64_t *gains = costs->gains + own * costs->n_classes;
    for (uint32_t k = 0; k < costs->n_classes; k++) {
        s->labels[k] += weight * gains[k];
        if (s->labels[k] > s->most) s->most = s->labels[k];
    }
}

/* best_split() for classes. What changes is copied, so that it stays in registers. */
CT_HOT uint32_t split_classes(const uint32_t *rows, const uint32_t *ranks, uint32_t n,
                              const stump_scratch *s, int unit, int64_t *most)
{
    uint32_t place = 0, changes = 0;
    const int32_t *classes = s->classes;
    spared left = s->left, right = s->right;
    *most = -1;
    spare_none(&left, s->costs->n_classes);
    spare_none(&right, s->costs->n_classes);
    for (uint32_t j = n - 1; j > 0; j--) {
        spare(&right, s->costs, rows[j], (size_t) classes[rows[j]], unit);
        CT_ASSERT(ranks[j - 1] <= ranks[j] && changes < s->most);
        if (ranks[j - 1] < ranks[j]) s->right_most[changes++] = right.most;
    }
    for (uint32_t j = 0; changes > 0; j++) {
        spare(&left, s->costs, rows[j], (size_t) classes[rows[j]], unit);
        if (ranks[j] == ranks[j + 1]) continue;
        int64_t both = left.most + s->right_most[--changes];
        if (both <= *most || j + 1 < s->min_bucket || n - (j + 1) < s->min_bucket) continue;
        *most = both;
        place = j + 1;
    }
    return place;
}

/* Splits rows[0 .. n) (n >= 1), sorted with their ranks: the most that is spared and, as the number
 * of rows to the left, the first place that does; 0 if there is no place that may be. */
static uint32_t best_split(const uint32_t *rows, const uint32_t *ranks, uint32_t n,
                           const stump_scratch *s, int64_t *most)
{
    CT_ASSERT(n > 0 && s->min_bucket > 0);
    if (s->costs->response)
        return ct_response_split(s->costs, rows, ranks, n, s->min_bucket, most);
    if (s->costs->plain && !s->costs->weights && !s->costs->gains)
        return split_classes(rows, ranks, n, s, 1, most);
    return split_classes(rows, ranks, n, s, 0, most);
}

/* ---- finishing a tree ---- */

/* A node with two leaves: its threshold is still to be found among rows lo .. hi of `rows`. */
typedef struct {
    uint32_t node, feature, lo, hi, filled;
} pending;

typedef struct {
    const ct_table *table;
    const ct_split_code *codes;
    unsigned depth;
    ct_forest *forest;
    int64_t *leaf_cost;     /* [node] */
    ct_totals totals;
    ct_sum *weights;        /* [class] of the rows of a node; NULL: 1 each */
    /* [n_rows] while the tree grows, the rows of each node side by side; then those of pending
     * nodes by their feature, and their ranks */
    uint32_t *rows, *spare;
    uint32_t *owner;        /* [n_rows] 1 + the pending node of a row; 0: none */
    pending *pendings;
    uint32_t n_pendings;
    stump_scratch stump;
} completion;

static double value(const completion *c, uint32_t feature, uint32_t row)
{
    return ct_column_value(&c->table->data->columns[feature], row);
}

/* All rows with a response are of one class. */
static size_t own_class(const completion *c, uint32_t row)
{
    return c->table->data->response ? 0 : (size_t) c->table->data->classes[row];
}

/* Counts the rows of a node in c->totals, and adds up their weights. */
static void count_rows(completion *c, uint32_t node, const uint32_t *rows, uint32_t n)
{
    const ct_data *data = c->table->data;
    const uint32_t n_classes = c->forest->n_classes;
    uint32_t *counts = c->totals.rows = c->forest->counts + (size_t) node * n_classes;
    int64_t *masses = c->totals.masses;
    memset(counts, 0, n_classes * sizeof *counts);
    if (data->response) counts[0] = n;
    else for (uint32_t i = 0; i < n; i++) counts[data->classes[rows[i]]]++;
    if (masses) memset(masses, 0, n_classes * sizeof *masses);
    for (uint32_t i = 0; masses && i < n; i++)
        masses[own_class(c, rows[i])] += c->stump.costs->weights[rows[i]];
    if (!c->weights) return;
    memset(c->weights, 0, n_classes * sizeof *c->weights);
    for (uint32_t i = 0; i < n; i++)
        ct_sum_add(&c->weights[own_class(c, rows[i])], data->weights[rows[i]]);
    for (uint32_t k = 0; k < n_classes; k++)
        c->forest->weights[(size_t) node * n_classes + k] = ct_sum_value(&c->weights[k]);
}

/* What label `label` costs the rows of a node in the objective. */
static double label_cost(const completion *c, uint32_t node, size_t label)
{
    const ct_data *data = c->table->data;
    const size_t n = c->forest->n_classes, at = node * n;
    ct_sum cost = {0, 0};
    for (size_t k = 0; k < n; k++) {
        double loss = data->loss ? data->loss[k * n + label] : k != label,
               rows = data->weights ? c->forest->weights[at + k] : c->forest->counts[at + k];
        ct_sum_add(&cost, loss * rows);
    }
    return ct_sum_value(&cost);
}

/* `label` is the cheapest in rounded costs: in the objective it may be another one, and a leaf must
 * not cost more than it has to. */
static uint32_t cheapest_label(const completion *c, uint32_t node, uint32_t label)
{
    if (c->stump.costs->rounding == 0 || c->table->data->response) return label;
    double least = label_cost(c, node, label);
    for (uint32_t k = 0; k < c->forest->n_classes; k++) {
        double cost = label_cost(c, node, k);
        if (cost >= least) continue;
        least = cost;
        label = k;
    }
    return label;
}

/* The next node, with the class counts and the label of its rows. */
static uint32_t add_node(completion *c, const uint32_t *rows, uint32_t n)
{
    ct_forest *forest = c->forest;
    uint32_t node = forest->n_nodes++, label;
    CT_ASSERT(forest->n_nodes <= forest->room);
    count_rows(c, node, rows, n);
    label = 0;
    c->leaf_cost[node] = c->stump.costs->response
                             ? ct_response_leaf(c->stump.costs, rows, n)
                             : ct_best_label(c->stump.costs, &c->totals, &label);
    CT_ASSERT(c->leaf_cost[node] >= 0 && label < forest->n_classes);
    forest->feature[node] = -1;
    forest->threshold[node] = 0;
    forest->left[node] = forest->right[node] = 0;
    forest->label[node] = (int32_t) cheapest_label(c, node, label);
    forest->default_left[node] = 0;
    return node;
}

/* The smallest value whose rank in the table is `rank`: the rows below it are those that go left.
 */
static double value_at_rank(const completion *c, uint32_t feature, uint32_t rank)
{
    CT_ASSERT(rank > 0 && rank < c->table->n_values[feature]);
    const uint64_t *ties = c->table->ties[feature];
    size_t w = 0;
    for (unsigned count; (count = ct_popcount(ties[w])) < rank; w++) rank -= count;
    return value(c, feature, c->table->order[feature][w * 64 + ct_select(ties[w], rank - 1) + 1]);
}

/* Moves the rows below `boundary` to the front of rows lo .. hi, both parts in their old order;
 * returns where the others start and sets the threshold between the parts. */
static uint32_t partition(completion *c, uint32_t feature, double boundary, uint32_t lo,
                          uint32_t hi, double *threshold)
{
    uint32_t left = lo, right = 0;
    double below = 0, above = 0;
    for (uint32_t i = lo; i < hi; i++) {
        uint32_t row = c->rows[i];
        double x = value(c, feature, row);
        if (x < boundary) {
            if (left == lo || x > below) below = x;
            c->rows[left++] = row;
        } else {
            if (!right || x < above) above = x;
            c->spare[right++] = row;
        }
    }
    memcpy(c->rows + left, c->spare, right * sizeof *c->rows);
    CT_ASSERT(left > lo && left < hi && right == hi - left /* a split has rows on both sides */);
    *threshold = ct_threshold_between(below, above);
    return left;
}

static void set_split(ct_forest *forest, uint32_t node, uint32_t feature, double threshold,
                      uint32_t left, uint32_t right, uint32_t n_left, uint32_t n_right)
{
    CT_ASSERT(left > node && right > node && n_left > 0 && n_right > 0);
    forest->feature[node] = (int32_t) feature;
    forest->threshold[node] = threshold;
    forest->left[node] = left;
    forest->right[node] = right;
    forest->default_left[node] = n_left >= n_right;
}

/* Whether the split has two leaves and its threshold is to be found: at the lowest level, and where
 * the code has none. */
static int is_lowest(ct_split_code code, unsigned levels)
{
    return levels == 1 || code.threshold == 0;
}

/* Adds the subtree at heap index i for rows lo .. hi; returns its node. */
static uint32_t grow(completion *c, size_t i, unsigned level, uint32_t lo, uint32_t hi)
{
    CT_ASSERT(lo < hi && hi <= c->table->n_rows);
    uint32_t node = add_node(c, c->rows + lo, hi - lo);
    ct_split_code code = level < c->depth ? c->codes[i] : CT_LEAF_CODE;
    if (code.feature < 0) return node;
    CT_ASSERT((uint32_t) code.feature < c->table->n_cols);
    uint32_t feature = (uint32_t) code.feature;
    if (is_lowest(code, c->depth - level)) {
        c->pendings[c->n_pendings++] = (pending){node, feature, lo, hi, lo};
        for (uint32_t j = lo; j < hi; j++) c->owner[c->rows[j]] = c->n_pendings;
        c->forest->n_nodes += 2; /* its two leaves */
        return node;
    }
    double threshold;
    uint32_t middle = partition(c, feature, value_at_rank(c, feature, code.threshold), lo, hi,
                                &threshold);
    uint32_t left = grow(c, 2 * i + 1, level + 1, lo, middle);
    uint32_t right = grow(c, 2 * i + 2, level + 1, middle, hi);
    set_split(c->forest, node, feature, threshold, left, right, middle - lo, hi - middle);
    return node;
}

/* Lists the rows of all pending nodes that split on `feature`, by its order, with their ranks. */
static void sort_pending_rows(completion *c, uint32_t feature)
{
    const uint32_t *order = c->table->order[feature];
    uint32_t rank = 0;
    for (uint32_t j = 0; j < c->table->n_rows; j++) {
        uint32_t owner = c->owner[order[j]];
        pending *p = owner ? &c->pendings[owner - 1] : NULL;
        if (p && p->feature == feature) {
            uint32_t at = p->filled++;
            CT_ASSERT(at < p->hi);
            c->rows[at] = order[j];
            c->spare[at] = rank;
        }
        rank += (uint32_t) ct_bit(c->table->ties[feature], j);
    }
}

/* Splits one pending node; 0 if its rows cannot be, which the search rules out. */
static int finish_pending(completion *c, const pending *p)
{
    int64_t most;
    uint32_t n = p->hi - p->lo, next = c->forest->n_nodes;
    CT_ASSERT(p->filled == p->hi);
    const uint32_t *rows = c->rows + p->lo;
    uint32_t n_left = best_split(rows, c->spare + p->lo, n, &c->stump, &most);
    if (!n_left) return 0;
    CT_ASSERT(n_left < n);
    c->forest->n_nodes = p->node + 1;
    uint32_t left = add_node(c, rows, n_left), right = add_node(c, rows + n_left, n - n_left);
    c->forest->n_nodes = next;
    double threshold = ct_threshold_between(value(c, p->feature, rows[n_left - 1]),
                                            value(c, p->feature, rows[n_left]));
    set_split(c->forest, p->node, p->feature, threshold, left, right, n_left, n - n_left);
    return 1;
}

static int finish_all(completion *c)
{
    for (uint32_t i = 0; i < c->n_pendings; i++) {
        if (c->pendings[i].filled == c->pendings[i].lo)
            sort_pending_rows(c, c->pendings[i].feature);
        if (!finish_pending(c, &c->pendings[i])) return 0;
    }
    return 1;
}

/* Nodes that the codes stand for, and how many of them have two leaves. */
static uint32_t count_nodes(const ct_split_code *codes, size_t i, unsigned levels, uint32_t *lowest)
{
    if (!levels || codes[i].feature < 0) return 1;
    if (is_lowest(codes[i], levels)) {
        (*lowest)++;
        return 3;
    }
    return 1 + count_nodes(codes, 2 * i + 1, levels - 1, lowest) +
           count_nodes(codes, 2 * i + 2, levels - 1, lowest);
}

ct_status ct_complete(const ct_exact_search *search, const ct_split_code *codes, ct_arena *arena,
                      uint32_t *scratch, ct_forest *forest, int64_t **leaf_cost, ct_error *error)
{
    const ct_table *table = search->table;
    unsigned depth = search->options->depth;
    uint32_t n_lowest = 0, n_nodes = count_nodes(codes, 0, depth, &n_lowest),
             n_rows = table->n_rows;
    CT_TRY(ct_forest_init(forest, 1, n_nodes, table->n_classes, error));
    if (table->data->weights) CT_TRY(ct_forest_add_weights(forest, error));
    completion c = {0};
    c.leaf_cost = CT_ARENA_NEW(arena, int64_t, n_nodes);
    if (leaf_cost) *leaf_cost = c.leaf_cost;
    ct_arena_mark mark = ct_arena_here(arena);
    c.table = table;
    c.codes = codes;
    c.depth = depth;
    c.forest = forest;
    c.rows = CT_ARENA_NEW(arena, uint32_t, n_rows);
    c.spare = CT_ARENA_NEW(arena, uint32_t, n_rows);
    c.owner = scratch ? scratch : CT_ARENA_NEW(arena, uint32_t, n_rows);
    c.pendings = CT_ARENA_NEW(arena, pending, n_lowest);
    if (forest->weights) c.weights = CT_ARENA_NEW(arena, ct_sum, forest->n_classes);
    ct_status status = CT_OK;
    if (!c.leaf_cost || !c.rows || !c.spare || !c.owner || !c.pendings ||
        (forest->weights && !c.weights) ||
        ct_totals_new(&c.totals, search->costs, arena) != CT_OK ||
        stump_scratch_init(&c.stump, arena, search) != CT_OK) {
        status = ct_fail(error, CT_NO_MEMORY, "not enough memory to finish the tree");
    } else {
        memset(c.owner, 0, n_rows * sizeof *c.owner);
        for (uint32_t row = 0; row < n_rows; row++) c.rows[row] = row;
        forest->roots[0] = grow(&c, 0, 0, 0, n_rows);
        if (!finish_all(&c))
            status = ct_fail(error, CT_INTERNAL, "a split of the tree does not separate its rows");
    }
    ct_arena_release(arena, mark);
    return status;
}

ct_status ct_best_stump(const ct_exact_search *search, int64_t max_cost, ct_arena *arena,
                        int32_t *feature, int64_t *cost, ct_error *error)
{
    const ct_table *table = search->table;
    ct_arena_mark mark = ct_arena_here(arena);
    stump_scratch stump;
    uint32_t *ranks = CT_ARENA_NEW(arena, uint32_t, table->n_rows);
    if (!ranks || stump_scratch_init(&stump, arena, search) != CT_OK) {
        ct_arena_release(arena, mark);
        return ct_fail(error, CT_NO_MEMORY, "not enough memory to split the rows");
    }
    int64_t best = -1, most;
    *feature = -1;
    for (uint32_t f = 0; f < table->n_cols; f++) {
        uint32_t rank = 0;
        if (search->options->roots && !search->options->roots[f]) continue;
        for (uint32_t j = 0; j < table->n_rows; j++) {
            ranks[j] = rank;
            rank += (uint32_t) ct_bit(table->ties[f], j);
        }
        if (!best_split(table->order[f], ranks, table->n_rows, &stump, &most) || most <= best)
            continue;
        *feature = (int32_t) f;
        best = most;
    }
    *cost = search->costs->response ? INT64_MAX / 2 - best
                                    : max_cost - ct_cost_of_units(search->costs, best);
    CT_ASSERT(*feature < 0 || *cost >= 0);
    ct_arena_release(arena, mark);
    return CT_OK;
}
