#include "base/compact.h"

#include "exact/finish/incumbent.h"

#include <string.h>

#include "base/bits.h"
#include "exact/search/solve.h"
#include "exact/finish/complete.h"

static ct_split_code *new_heap(ct_worker *worker, unsigned depth)
{
    size_t size = ct_heap_size(depth);
    ct_split_code *codes = CT_ARENA_NEW(&worker->arena, ct_split_code, size);
    if (!codes) ct_worker_stop(worker, CT_END_MEMORY);
    for (size_t i = 0; codes && i < size; i++) codes[i] = CT_LEAF_CODE;
    return codes;
}

/* ---- what a tree costs ---- */

static uint32_t rows_at(const ct_forest *tree, uint32_t node)
{
    uint32_t sum = 0;
    for (uint32_t c = 0; c < tree->n_classes; c++)
        sum += tree->counts[(size_t) node * tree->n_classes + c];
    return sum;
}

/* No leaf costs this much, and three times it fits into an integer; the price of all splits of a
 * tree may not. */
static const int64_t TOO_MUCH = (int64_t) 1 << 60;

/* Cost of the subtree at `node`, where leaves cost leaf_cost[node]; negative if it breaks a rule.
 */
static int64_t subtree_cost(const ct_worker *worker, const ct_forest *tree,
                            const int64_t *leaf_cost, uint32_t node)
{
    uint32_t n_rows = rows_at(tree, node);
    CT_ASSERT(node < tree->n_nodes);
    if (n_rows < worker->search->min_bucket) return -1;
    if (tree->feature[node] < 0) return leaf_cost[node];
    if (!ct_may_split(worker, n_rows)) return -1;
    int64_t left = subtree_cost(worker, tree, leaf_cost, tree->left[node]);
    int64_t right = subtree_cost(worker, tree, leaf_cost, tree->right[node]);
    return left < 0 || right < 0
               ? -1
               : ct_smaller_cost(worker->search->split_cost + left + right, TOO_MUCH);
}

/* ---- leaves ---- */

/* A split into two leaves, as a node and as a place of the heap. */
typedef struct {
    uint32_t node;
    size_t at;
    int64_t loss; /* what its rows cost more as one leaf; INT64_MAX: there is none yet */
} twig;

/* Finds the split into two leaves below `node` whose removal costs least. Returns the leaves. */
static uint32_t weakest(const ct_forest *tree, const int64_t *leaf_cost, uint32_t node, size_t at,
                        twig *least)
{
    if (tree->feature[node] < 0) return 1;
    uint32_t left = tree->left[node], right = tree->right[node];
    uint32_t leaves = weakest(tree, leaf_cost, left, 2 * at + 1, least) +
                      weakest(tree, leaf_cost, right, 2 * at + 2, least);
    int64_t loss = leaf_cost[node] - leaf_cost[left] - leaf_cost[right];
    if (leaves == 2 && loss < least->loss) *least = (twig){node, at, loss};
    return leaves;
}

/* Makes leaves of the weakest splits until there are no more leaves than there may be. */
static void prune(const ct_exact_search *search, ct_forest *tree, const int64_t *leaf_cost,
                  ct_split_code *codes)
{
    for (twig least; search->max_leaves;) {
        least.loss = INT64_MAX;
        if (weakest(tree, leaf_cost, tree->roots[0], 0, &least) <= search->max_leaves) return;
        CT_ASSERT(least.loss < INT64_MAX);
        tree->feature[least.node] = -1;
        codes[least.at] = CT_LEAF_CODE;
    }
}

int ct_incumbent_assess(ct_worker *worker, ct_known_tree *known)
{
    ct_forest tree = {0};
    ct_error error;
    int64_t *leaf_cost;
    if (known->codes[0].feature < 0 || !ct_may_be_root(worker, (uint32_t) known->codes[0].feature))
        return 0;
    known->cost = -1;
    ct_arena_mark mark = ct_arena_here(&worker->arena);
    if (ct_complete(worker->search, known->codes, &worker->arena, NULL, &tree, &leaf_cost,
                    &error) == CT_OK) {
        uint32_t root = tree.roots[0];
        prune(worker->search, &tree, leaf_cost, known->codes);
        known->settled = 0;
        known->cost = subtree_cost(worker, &tree, leaf_cost, root);
        known->side[0] = subtree_cost(worker, &tree, leaf_cost, tree.left[root]);
        known->side[1] = subtree_cost(worker, &tree, leaf_cost, tree.right[root]);
    }
    ct_arena_release(&worker->arena, mark);
    ct_forest_free(&tree);
    CT_ASSERT(known->cost < 0 ||
              known->cost == worker->search->split_cost + known->side[0] + known->side[1]);
    return known->cost >= 0 && known->codes[0].feature >= 0;
}

/* ---- the caller's tree ---- */

typedef struct {
    const ct_worker *worker;
    const ct_table *table;
    const ct_exact_start *start;
    unsigned depth;
    ct_split_code *codes;
    uint32_t *rows, *spare;
} conversion;

/* Moves the rows below the threshold to the front; returns where the others start. */
static uint32_t divide(conversion *c, const ct_column *column, double threshold, uint32_t lo,
                       uint32_t hi)
{
    uint32_t left = lo, right = 0;
    for (uint32_t i = lo; i < hi; i++) {
        uint32_t row = c->rows[i];
        if (ct_column_value(column, row) < threshold) c->rows[left++] = row;
        else c->spare[right++] = row;
    }
    CT_ASSERT(left + right == hi);
    memcpy(c->rows + left, c->spare, right * sizeof *c->rows);
    return left;
}

/* How many rows have a value below the threshold. */
static uint32_t rows_below(const conversion *c, uint32_t feature, double threshold)
{
    const uint32_t *order = c->table->order[feature];
    uint32_t low = 0, high = c->table->n_rows;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        double x = ct_column_value(&c->table->data->columns[feature], order[middle]);
        if (x < threshold) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Moves *threshold to the one of the table, which need not have them all, that is nearest to it by
 * rows, and returns its rank; 0 if the column has none. A threshold of the caller becomes one of
 * the search here and nowhere else. */
static uint32_t nearest_threshold(const conversion *c, uint32_t feature, double *threshold)
{
    const uint64_t *ties = c->table->ties[feature];
    uint32_t n = c->table->n_rows, wanted = rows_below(c, feature, *threshold), rank = 0;
    uint32_t below = wanted,
             above = wanted ? wanted : 1; /* as rows on the left: 0 and n are none */
    while (below && !ct_bit(ties, below - 1)) below--;
    while (above < n && !ct_bit(ties, above - 1)) above++;
    if (!below && above == n) return 0;
    int up = !below || (above < n && above - wanted < wanted - below);
    uint32_t n_left = up ? above : below;
    CT_ASSERT(n_left > 0 && n_left < n);
    for (uint32_t j = 0; j < n_left; j++) rank += (uint32_t) ct_bit(ties, j);
    *threshold = ct_column_value(&c->table->data->columns[feature],
                                 c->table->order[feature][n_left]);
    CT_ASSERT(rank > 0 && rank < c->table->n_values[feature]);
    return rank;
}

/* Node `node` of the start goes to place `at` of the heap, with its rows lo .. hi. */
static void convert(conversion *c, uint32_t node, size_t at, unsigned level, uint32_t lo,
                    uint32_t hi)
{
    int32_t feature = c->start->feature[node];
    while (feature >= 0 && level < c->depth) {
        const ct_column *column = &c->table->data->columns[feature];
        double threshold = c->start->threshold[node];
        uint32_t middle = divide(c, column, threshold, lo, hi), rank = 0;
        if (middle > lo && middle < hi) {
            rank = nearest_threshold(c, (uint32_t) feature, &threshold);
            middle = divide(c, column, threshold, lo, hi);
        }
        if (rank && middle > lo && middle < hi) {
            if (!ct_may_split_at(c->worker, hi - lo, middle - lo)) return;
            c->codes[at] = (ct_split_code){feature, rank};
            convert(c, c->start->left[node], 2 * at + 1, level + 1, lo, middle);
            convert(c, c->start->right[node], 2 * at + 2, level + 1, middle, hi);
            return;
        }
        node = middle == lo ? c->start->right[node]
                            : c->start->left[node]; /* it separates nothing */
        feature = c->start->feature[node];
    }
}

int ct_incumbent_start(ct_worker *worker, ct_known_tree *known)
{
    const ct_exact_search *search = worker->search;
    const ct_table *table = search->table;
    if (!search->options->start) return 0;
    known->codes = new_heap(worker, search->options->depth);
    ct_arena_mark mark = ct_arena_here(&worker->arena);
    conversion c = {worker, table, search->options->start, search->options->depth, known->codes,
                    NULL,   NULL};
    c.rows = CT_ARENA_NEW(&worker->arena, uint32_t, table->n_rows);
    c.spare = CT_ARENA_NEW(&worker->arena, uint32_t, table->n_rows);
    int ready = known->codes && c.rows && c.spare;
    if (ready) {
        for (uint32_t row = 0; row < table->n_rows; row++) c.rows[row] = row;
        convert(&c, 0, 0, 0, 0, table->n_rows);
    } else {
        ct_worker_stop(worker, CT_END_MEMORY);
    }
    ct_arena_release(&worker->arena, mark);
    return ready && ct_incumbent_assess(worker, known);
}

/* ---- looking ahead ---- */

/* In tables of this many values, trees of depth two that are better by less than this share of the
 * leaf's cost are not looked for. To prove the last of them takes long there; small tables are
 * rather searched to the end (measured: bench/notes/exact.md). */
enum { SHARE_OF_COST = 50, MANY_VALUES = 1000000 };

static void look(ct_worker *worker, const ct_node *node, const ct_path *path, unsigned depth,
                 ct_split_code *codes, size_t at);

/* Goes on below the split at `at`. */
static void look_below(ct_worker *worker, const ct_node *node, const ct_path *path, unsigned depth,
                       ct_split_code *codes, size_t at)
{
    uint32_t f = (uint32_t) codes[at].feature, t = codes[at].threshold;
    CT_ASSERT(codes[at].feature >= 0 && t > 0);
    const ct_exact_costs *costs = worker->search->costs;
    ct_totals totals[2];
    if (ct_totals_new(&totals[0], costs, &worker->arena) != CT_OK ||
        ct_totals_new(&totals[1], costs, &worker->arena) != CT_OK) {
        ct_worker_stop(worker, CT_END_MEMORY);
        return;
    }
    ct_node_counts(worker, node, f, t, &totals[0]);
    if (totals[0].full) *totals[0].full = ct_node_full(worker, node, f, t);
    ct_totals_rest(&totals[1], &node->totals, &totals[0], costs->n_classes);
    for (int side = 0; side < 2 && !ct_is_halted(worker); side++) {
        ct_arena_mark mark = ct_arena_here(&worker->arena);
        ct_path below = ct_path_extend(path, f, side, t);
        ct_node child;
        if (ct_node_side(worker, &worker->arena, node, f, t, side, &totals[side], &child) == CT_OK)
            look(worker, &child, &below, depth - 1, codes, 2 * at + 1 + (size_t) side);
        ct_arena_release(&worker->arena, mark);
    }
}

/* Chooses the split at place `at` of the heap, for a row set of the whole table's layout, and those
 * below it. */
static void look(ct_worker *worker, const ct_node *node, const ct_path *path, unsigned depth,
                 ct_split_code *codes, size_t at)
{
    ct_arena_mark mark = ct_arena_here(&worker->arena);
    ct_bounds bounds;
    ct_split_code tree[3];
    ct_exact_task task = {0};
    task.depth = 2;
    task.path = path;
    task.cap = task.seen = INT64_MAX;
    task.on_cpu = 1; /* of equal trees a device may come to another one first */
    task.gap = (uint64_t) node->n_rows * node->layout->n_cols < MANY_VALUES
                   ? 0
                   : node->leaf_cost / SHARE_OF_COST;
    int64_t *root_bounds = CT_ARENA_NEW(&worker->arena, int64_t, node->layout->n_cols);
    if (!root_bounds) {
        ct_worker_stop(worker, CT_END_MEMORY);
    } else if (!ct_solve_at_once(worker, &node->totals, &task, &bounds)) {
        bounds = ct_solve(worker, NULL, node, &task, root_bounds, tree);
        CT_ASSERT(bounds.proven <= bounds.upper);
        if (bounds.upper < node->leaf_cost) {
            codes[at] = tree[0];
            memcpy(codes + 2 * at + 1, tree + 1,
                   2 * sizeof *tree); /* kept should the search stop before it looks there */
            if (depth > 2) look_below(worker, node, path, depth, codes, at);
        }
    }
    ct_arena_release(&worker->arena, mark);
}

int ct_incumbent_look_ahead(ct_worker *worker, const ct_node *root, ct_known_tree *known)
{
    const ct_path whole = {0};
    known->codes = new_heap(worker, worker->search->options->depth);
    if (!known->codes) return 0;
    look(worker, root, &whole, worker->search->options->depth, known->codes, 0);
    return ct_incumbent_assess(worker, known);
}
