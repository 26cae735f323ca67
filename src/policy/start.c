#include "policy/start.h"

typedef struct {
    const ct_policy_data *data;
    const ct_policy_options *options;
    const ct_policy_costs *costs;
    int64_t *sums; /* [n_actions] */
    uint32_t min_bucket, splits;
} reading;

static int64_t leaf_cost(const reading *r, const uint32_t *rows, uint32_t n)
{
    const size_t k = r->costs->n_actions;
    int64_t least = INT64_MAX;
    memset(r->sums, 0, k * sizeof *r->sums);
    for (uint32_t i = 0; i < n; i++)
        for (size_t a = 0; a < k; a++) r->sums[a] += r->costs->exact[rows[i] * k + a];
    for (size_t a = 0; a < k; a++) least = r->sums[a] < least ? r->sums[a] : least;
    return least;
}

/* Puts rows below the threshold first; returns how many, and the threshold's neighbours. */
static uint32_t part(const ct_column *column, double threshold, uint32_t *rows, uint32_t n,
                     ct_policy_split *split)
{
    double low = 0, high = 0;
    uint32_t left = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t row = rows[i];
        const double x = ct_column_value(column, row);
        if (x < threshold) {
            if (!left || x > low) low = x, split->below = row;
            rows[i] = rows[left];
            rows[left++] = row;
        } else {
            if (i == left || x < high) high = x, split->above = row;
        }
    }
    return left;
}

/* Splits that save nothing are left out. Returns the cost of the node, and `cut`, the rows on the
 * left of its split. */
static int64_t read_node(reading *r, uint32_t node, uint32_t *rows, uint32_t n, unsigned depth,
                         ct_policy_tree *tree, uint32_t at, uint32_t *cut)
{
    const ct_policy_start *start = r->options->start;
    const int64_t leaf = leaf_cost(r, rows, n);
    const uint32_t before = r->splits;
    CT_ASSERT(node < start->n_nodes && n > 0 && depth <= CT_POLICY_DEPTH);
    CT_ASSERT(start->feature[node] < (int32_t) r->data->n_cols);
    ct_policy_split split = {start->feature[node], 0, 0};
    tree->splits[at].column = -1;
    if (!depth || split.column < 0) return leaf;
    const uint32_t left = part(&r->data->columns[split.column], start->threshold[node], rows, n,
                               &split);
    if (left < r->min_bucket || n - left < r->min_bucket) return leaf;
    uint32_t unused;
    r->splits++;
    const int64_t cost = r->costs->price +
                         read_node(r, start->left[node], rows, left, depth - 1, tree, 2 * at + 1,
                                   &unused) +
                         read_node(r, start->right[node], rows + left, n - left, depth - 1, tree,
                                   2 * at + 2, &unused);
    if (cost >= leaf) {
        r->splits = before;
        return leaf;
    }
    tree->splits[at] = split;
    *cut = left;
    return cost;
}

ct_status ct_policy_begin_with(ct_policy_best *best, const ct_policy_data *data,
                               const ct_policy_options *options, const ct_policy_costs *costs,
                               ct_arena *arena)
{
    reading r = {.data = data, .options = options, .costs = costs,
                 .sums = CT_ARENA_NEW(arena, int64_t, costs->n_actions), .min_bucket = 1};
    uint32_t *rows = CT_ARENA_NEW(arena, uint32_t, data->n_rows);
    ct_policy_tree *tree = CT_ARENA_ZEROED(arena, ct_policy_tree, 1);
    if (!r.sums || !rows || !tree) return CT_NO_MEMORY;
    if (options->min_bucket > 1) r.min_bucket = options->min_bucket;
    for (uint32_t row = 0; row < data->n_rows; row++) rows[row] = row;
    uint32_t cut = 0;
    const int64_t cost = read_node(&r, 0, rows, data->n_rows, options->depth, tree, 0, &cut);
    if (options->max_leaves && r.splits >= options->max_leaves) return CT_OK;
    best->cut = cut;
    best->tree = *tree;
    best->tree.cost = cost + 1;
    return CT_OK;
}

int ct_policy_is_begin(ct_policy_best *best, const ct_policy_best *begin)
{
    const ct_policy_split *root = &best->tree.splits[0], *first = &begin->tree.splits[0];
    if (first->column < 0 || root->column != first->column || best->cut != begin->cut ||
        best->tree.cost != begin->tree.cost)
        return 0;
    best->tree.cost--;
    return 1;
}
