#include "evolve/kd_walk.h"

#include <string.h>

#include "base/memory.h"
#include "evolve/conditions.h"

enum { BLOCK = 256 };

/* ---- cells to the nodes of a tree ---- */

/* Cells on their way down to the leaves below a node, which sums them; or to a node, which lists
 * its rows. */
typedef struct {
    const ct_kd_tree *kd;
    ct_model_tree *tree;
    ct_node_rows *rows; /* NULL: sums are wanted */
    ct_kd_path path;
    double *sums; /* [node][size] of the tree, or of the current tile */
    int in_tile;
    uint32_t n_rows[2 * CT_TREE_LEAVES]; /* [node] of the current tile */
} descent;

void ct_gmt_kd_path_to(ct_kd_path *path, const ct_model_tree *tree, int32_t node)
{
    memset(path->off_path, 0, tree->room);
    path->target = CT_NO_NODE;
    for (int32_t at = node; tree->nodes[at].parent != CT_NO_NODE; at = tree->nodes[at].parent) {
        const ct_model_node *parent = &tree->nodes[tree->nodes[at].parent];
        path->off_path[parent->left == at ? parent->right : parent->left] = 1;
    }
}

static void begin_descent(descent *p, const ct_kd_tree *kd, ct_model_tree *tree, int32_t node)
{
    p->kd = kd;
    p->tree = tree;
    p->rows = NULL;
    ct_gmt_kd_path_to(&p->path, tree, node);
    p->sums = tree->grams;
    p->in_tile = 0;
    memset(p->n_rows, 0, tree->room * sizeof *p->n_rows);
}

static void add_range(ct_node_rows *rows, uint32_t begin, uint32_t end)
{
    uint32_t n = rows->n;
    if (!n || rows->first[n - 1] + (rows->n_rows - rows->before[n - 1]) != begin) {
        rows->first[n] = begin;
        rows->before[n] = rows->n_rows;
        rows->n++;
    }
    rows->n_rows += end - begin;
}

/* Adds a cell that lies within a node. */
static void add_cell(descent *p, uint32_t cell, int32_t node)
{
    const size_t size = p->kd->table.size;
    const ct_cell *of = &p->kd->cells[cell];
    if (p->rows) {
        add_range(p->rows, of->begin, of->end);
        return;
    }
    *(p->in_tile ? &p->n_rows[node] : &p->tree->nodes[node].end) += of->end - of->begin;
    p->kd->kernels->join(p->sums + (size_t) node * size, p->kd->grams + cell * size,
                         p->kd->table.p);
}

/* Adds the rows of a cell that lies in several nodes below `node`. */
static void add_rows(descent *p, uint32_t cell, int32_t node)
{
    const ct_model_table *table = &p->kd->table;
    const ct_cell *of = &p->kd->cells[cell];
    uint32_t rows[BLOCK], bucket[BLOCK], n = 0;
    for (uint32_t row = of->begin; row < of->end; row++) {
        int32_t at = node;
        while (!ct_path_ends(&p->path, p->tree, at)) {
            const ct_model_node *split = &p->tree->nodes[at];
            at = ct_gmt_goes_left(table, &split->test, row) ? split->left : split->right;
        }
        if (p->path.off_path[at]) continue;
        if (p->rows) {
            add_range(p->rows, row, row + 1);
            continue;
        }
        p->n_rows[at]++;
        rows[n] = row;
        bucket[n++] = (uint32_t) at;
        if (n < BLOCK) continue;
        p->kd->kernels->add(p->sums, bucket, table->z, rows, n, table->p);
        n = 0;
    }
    if (n) p->kd->kernels->add(p->sums, bucket, table->z, rows, n, table->p);
}

static void begin_tile(descent *p)
{
    p->in_tile = 1;
    p->sums = p->tree->tile;
}

/* Adds what the tile has counted and summed to the nodes, and clears it. */
static void end_tile(descent *p)
{
    const size_t size = p->kd->table.size;
    for (size_t node = 0; node < p->tree->room; node++) {
        double *sum = p->sums + node * size;
        if (!p->n_rows[node]) continue;
        p->kd->kernels->join(p->tree->grams + node * size, sum, p->kd->table.p);
        memset(sum, 0, size * sizeof *sum);
        p->tree->nodes[node].end += p->n_rows[node];
        p->n_rows[node] = 0;
    }
    p->in_tile = 0;
    p->sums = p->tree->grams;
}

static void descend(descent *p, uint32_t cell, int32_t node);

/* Sends down the halves of a cell that a test cuts, or its rows. */
static void descend_halves(descent *p, uint32_t cell, int32_t node)
{
    const ct_cell *of = &p->kd->cells[cell];
    const int is_tile = !p->in_tile && of->end - of->begin <= CT_TILE_ROWS;
    if (is_tile) begin_tile(p);
    if (of->half && (!p->in_tile || p->kd->along[p->tree->nodes[node].test.splitter])) {
        descend(p, cell + 1, node);
        descend(p, of->half, node);
    } else {
        CT_ASSERT(p->in_tile /* larger cells have halves */);
        add_rows(p, cell, node);
    }
    if (is_tile) end_tile(p);
}

/* Sends a cell down from a node, piece by piece where a test cuts it. */
static void descend(descent *p, uint32_t cell, int32_t node)
{
    node = ct_cell_descends(p->kd, &p->path, p->tree, cell, node);
    if (!ct_path_ends(&p->path, p->tree, node))
        descend_halves(p, cell, node);
    else if (!p->path.off_path[node])
        add_cell(p, cell, node);
}

/* ---- trees ---- */

static void clear_below(ct_model_tree *tree, int32_t node)
{
    const size_t size = tree->table->size;
    tree->nodes[node].begin = tree->nodes[node].end = 0;
    memset(tree->grams + (size_t) node * size, 0, size * sizeof(double));
    if (ct_gmt_is_leaf(tree, node)) return;
    clear_below(tree, tree->nodes[node].left);
    clear_below(tree, tree->nodes[node].right);
}

void ct_gmt_count_below(ct_model_tree *tree, int32_t node)
{
    CT_ASSERT(node >= 0 && (uint32_t) node < tree->room && tree->nodes[node].used);
    ct_model_node *at = &tree->nodes[node];
    if (ct_gmt_is_leaf(tree, node)) return;
    ct_gmt_count_below(tree, at->left);
    ct_gmt_count_below(tree, at->right);
    at->end = tree->nodes[at->left].end + tree->nodes[at->right].end;
}

/* Computes the sums of the leaves below a node, and the numbers of rows of all nodes there. */
static void fill(const ct_kd_tree *kd, ct_model_tree *tree, int32_t node)
{
    descent p;
    begin_descent(&p, kd, tree, node);
    clear_below(tree, node);
    descend(&p, 0, 0);
    ct_gmt_count_below(tree, node);
}

/* Removes the first branch from the top that is too small or too deep. Returns its node, or
 * CT_NO_NODE. *counted: the numbers of rows are still right, since no row has changed its leaf. */
static int32_t prune_one(ct_model_tree *tree, int32_t node, const ct_tree_limits *limits,
                         int *counted)
{
    const ct_model_node *at = &tree->nodes[node];
    if (ct_gmt_is_leaf(tree, node)) return CT_NO_NODE;
    if (at->depth >= limits->depth_max || at->end < limits->min_n) {
        ct_gmt_model_tree_collapse(tree, node);
        *counted = 1;
        return node;
    }
    const uint32_t left = tree->nodes[at->left].end, right = tree->nodes[at->right].end;
    if (left < limits->minbucket || right < limits->minbucket) {
        *counted = left == 0 || right == 0;
        ct_gmt_model_tree_lift(tree, node, left >= right ? at->left : at->right);
        return node;
    }
    tree->nodes[at->left].depth = tree->nodes[at->right].depth = at->depth + 1;
    int32_t pruned = prune_one(tree, at->left, limits, counted);
    return pruned != CT_NO_NODE ? pruned : prune_one(tree, at->right, limits, counted);
}

int32_t ct_gmt_refresh_next(ct_refreshing *r, ct_model_tree *tree, const ct_tree_limits *limits)
{
    int32_t at;
    int counted = 0;
    while ((at = prune_one(tree, r->top, limits, &counted)) != CT_NO_NODE) {
        if (!counted) {
            if (r->stale == at) r->stale = CT_NO_NODE;
            return at;
        }
        r->stale = r->stale == CT_NO_NODE || r->stale == at ? at : r->top;
    }
    at = r->stale;
    r->stale = CT_NO_NODE;
    return at;
}

void ct_gmt_kd_refresh(const ct_kd_tree *kd, ct_model_tree *tree, int32_t node,
                       const ct_tree_limits *limits)
{
    CT_ASSERT(node >= 0 && (uint32_t) node < tree->room && tree->nodes[node].used);
    ct_refreshing r = {node, CT_NO_NODE};
    for (int32_t at = node; at != CT_NO_NODE; at = ct_gmt_refresh_next(&r, tree, limits))
        fill(kd, tree, at);
    ct_gmt_model_tree_solve(tree, node);
    ct_model_tree_is_sound(tree);
}

ct_status ct_gmt_kd_model_tree(const ct_kd_tree *kd, ct_model_tree *tree, uint32_t leaves_max,
                               ct_error *error)
{
    CT_TRY(ct_gmt_model_tree_init_without_rows(tree, &kd->table, kd->kernels, leaves_max, error));
    const ct_tree_limits leaf = {1, 0, 1, 0, 0};
    ct_gmt_kd_refresh(kd, tree, 0, &leaf);
    return CT_OK;
}

/* ---- the rows of a node ---- */

ct_status ct_gmt_node_rows_init(ct_node_rows *rows, uint32_t n_rows, ct_error *error)
{
    memset(rows, 0, sizeof *rows);
    rows->first = (uint32_t *) ct_alloc(n_rows * sizeof *rows->first);
    rows->before = (uint32_t *) ct_alloc(n_rows * sizeof *rows->before);
    if (!rows->first || !rows->before) return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    return CT_OK;
}

void ct_gmt_node_rows_free(ct_node_rows *rows)
{
    ct_free(rows->first), ct_free(rows->before);
    memset(rows, 0, sizeof *rows);
}

void ct_gmt_node_rows_find(ct_node_rows *rows, const ct_kd_tree *kd, const ct_model_tree *tree,
                           int32_t node)
{
    ct_model_tree same = *tree;
    descent p;
    begin_descent(&p, kd, &same, node);
    p.path.target = node;
    p.rows = rows;
    rows->n = rows->n_rows = 0;
    descend(&p, 0, 0);
}

uint32_t ct_gmt_node_rows_at(const ct_node_rows *rows, uint32_t number)
{
    uint32_t low = 0, high = rows->n;
    CT_ASSERT(number < rows->n_rows);
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (rows->before[middle] <= number) low = middle;
        else high = middle;
    }
    return rows->first[low] + (number - rows->before[low]);
}

/* ---- queries ---- */

static void solve_leaves(ct_model_tree *tree, int32_t node)
{
    if (ct_gmt_is_leaf(tree, node)) {
        ct_gmt_model_tree_solve_one(tree, node);
        return;
    }
    solve_leaves(tree, tree->nodes[node].left);
    solve_leaves(tree, tree->nodes[node].right);
}

void ct_gmt_kd_answer(const ct_kd_tree *kd, ct_kd_query *query, ct_node_rows *rows)
{
    if (!query->n_numbers) {
        fill(kd, query->tree, query->node);
        solve_leaves(query->tree, query->node);
        return;
    }
    ct_gmt_node_rows_find(rows, kd, query->tree, query->node);
    for (uint32_t i = 0; i < query->n_numbers; i++)
        query->rows[i] = ct_gmt_node_rows_at(rows, query->numbers[i]);
}
