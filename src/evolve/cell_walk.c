#include "evolve/cell_walk.h"

#include <string.h>

#include "base/memory.h"
#include "evolve/conditions.h"

enum { BLOCK = 256 };

/* ---- cells to the nodes of a tree ---- */

/* Cells on their way to the leaves below a node, or to a node alone, whose rows are wanted then. */
typedef struct {
    const ct_row_cells *all;
    ct_model_tree *tree;
    ct_node_rows *rows;   /* NULL: sums */
    ct_cell_way way;
    double *sums;         /* [node][size] of the tree, or of the tile under way */
    int in_tile;
    uint32_t n_rows[2 * CT_TREE_LEAVES]; /* [node] of the tile */
} pouring;

void ct_gmt_cell_way_to(ct_cell_way *way, const ct_model_tree *tree, int32_t node)
{
    memset(way->away, 0, tree->room);
    way->target = CT_NO_NODE;
    for (int32_t at = node; tree->nodes[at].parent != CT_NO_NODE; at = tree->nodes[at].parent) {
        const ct_model_node *parent = &tree->nodes[tree->nodes[at].parent];
        way->away[parent->left == at ? parent->right : parent->left] = 1;
    }
}

static void begin_pouring(pouring *p, const ct_row_cells *cells, ct_model_tree *tree, int32_t node)
{
    p->all = cells;
    p->tree = tree;
    p->rows = NULL;
    ct_gmt_cell_way_to(&p->way, tree, node);
    p->sums = tree->grams;
    p->in_tile = 0;
    memset(p->n_rows, 0, tree->room * sizeof *p->n_rows);
}

static void add_stretch(ct_node_rows *rows, uint32_t begin, uint32_t end)
{
    uint32_t n = rows->n;
    if (!n || rows->first[n - 1] + (rows->n_rows - rows->before[n - 1]) != begin) {
        rows->first[n] = begin;
        rows->before[n] = rows->n_rows;
        rows->n++;
    }
    rows->n_rows += end - begin;
}

/* A cell that lies within a node. */
static void take_cell(pouring *p, uint32_t cell, int32_t node)
{
    const size_t size = p->all->table.size;
    const ct_cell *of = &p->all->cells[cell];
    if (p->rows) {
        add_stretch(p->rows, of->begin, of->end);
        return;
    }
    *(p->in_tile ? &p->n_rows[node] : &p->tree->nodes[node].end) += of->end - of->begin;
    p->all->kernels->join(p->sums + (size_t) node * size, p->all->grams + cell * size,
                          p->all->table.p);
}

/* The rows of a cell that lies in several nodes, from `node` on. */
static void take_rows(pouring *p, uint32_t cell, int32_t node)
{
    const ct_model_table *table = &p->all->table;
    const ct_cell *of = &p->all->cells[cell];
    uint32_t rows[BLOCK], place[BLOCK], n = 0;
    for (uint32_t row = of->begin; row < of->end; row++) {
        int32_t at = node;
        while (!ct_way_ends(&p->way, p->tree, at)) {
            const ct_model_node *split = &p->tree->nodes[at];
            at = ct_gmt_goes_left(table, &split->test, row) ? split->left : split->right;
        }
        if (p->way.away[at]) continue;
        if (p->rows) {
            add_stretch(p->rows, row, row + 1);
            continue;
        }
        p->n_rows[at]++;
        rows[n] = row;
        place[n++] = (uint32_t) at;
        if (n < BLOCK) continue;
        p->all->kernels->add(p->sums, place, table->z, rows, n, table->p);
        n = 0;
    }
    if (n) p->all->kernels->add(p->sums, place, table->z, rows, n, table->p);
}

static void begin_tile(pouring *p)
{
    p->in_tile = 1;
    p->sums = p->tree->tile;
}

/* What it has counted and summed goes to the nodes; it leaves zeros. */
static void end_tile(pouring *p)
{
    const size_t size = p->all->table.size;
    for (size_t node = 0; node < p->tree->room; node++) {
        double *sum = p->sums + node * size;
        if (!p->n_rows[node]) continue;
        p->all->kernels->join(p->tree->grams + node * size, sum, p->all->table.p);
        memset(sum, 0, size * sizeof *sum);
        p->tree->nodes[node].end += p->n_rows[node];
        p->n_rows[node] = 0;
    }
    p->in_tile = 0;
    p->sums = p->tree->grams;
}

static void pour(pouring *p, uint32_t cell, int32_t node);

/* A test cuts the cell: its halves, or its rows. */
static void pour_parts(pouring *p, uint32_t cell, int32_t node)
{
    const ct_cell *of = &p->all->cells[cell];
    const int is_tile = !p->in_tile && of->end - of->begin <= CT_TILE_ROWS;
    if (is_tile) begin_tile(p);
    if (of->half &&
        (!p->in_tile || p->all->along[p->tree->nodes[node].test.splitter])) {
        pour(p, cell + 1, node);
        pour(p, of->half, node);
    } else {
        CT_ASSERT(p->in_tile /* larger cells have halves */);
        take_rows(p, cell, node);
    }
    if (is_tile) end_tile(p);
}

/* Sends a cell down from a node, its parts where a test cuts it. */
static void pour(pouring *p, uint32_t cell, int32_t node)
{
    node = ct_cell_falls(p->all, &p->way, p->tree, cell, node);
    if (!ct_way_ends(&p->way, p->tree, node)) pour_parts(p, cell, node);
    else if (!p->way.away[node]) take_cell(p, cell, node);
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

/* The sums of the leaves below a node, and the number of rows of all nodes. */
static void fill(const ct_row_cells *cells, ct_model_tree *tree, int32_t node)
{
    pouring p;
    begin_pouring(&p, cells, tree, node);
    clear_below(tree, node);
    pour(&p, 0, 0);
    ct_gmt_count_below(tree, node);
}

/* From the top, the first branch that is too small or too deep goes. Returns where, or CT_NO_NODE.
 * *counted: the numbers of rows are known all the same, since no row has gone another way. */
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

void ct_gmt_row_cells_refresh(const ct_row_cells *cells, ct_model_tree *tree, int32_t node,
                              const ct_tree_limits *limits)
{
    CT_ASSERT(node >= 0 && (uint32_t) node < tree->room && tree->nodes[node].used);
    ct_refreshing r = {node, CT_NO_NODE};
    for (int32_t at = node; at != CT_NO_NODE; at = ct_gmt_refresh_next(&r, tree, limits))
        fill(cells, tree, at);
    ct_gmt_model_tree_solve(tree, node);
    ct_model_tree_is_sound(tree);
}

ct_status ct_gmt_row_cells_tree(const ct_row_cells *cells, ct_model_tree *tree, uint32_t leaves_max,
                                ct_error *error)
{
    CT_TRY(ct_gmt_model_tree_init_bare(tree, &cells->table, cells->kernels, leaves_max, error));
    const ct_tree_limits leaf = {1, 0, 1, 0, 0};
    ct_gmt_row_cells_refresh(cells, tree, 0, &leaf);
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

void ct_gmt_node_rows_find(ct_node_rows *rows, const ct_row_cells *cells, const ct_model_tree *tree,
                           int32_t node)
{
    ct_model_tree same = *tree;
    pouring p;
    begin_pouring(&p, cells, &same, node);
    p.way.target = node;
    p.rows = rows;
    rows->n = rows->n_rows = 0;
    pour(&p, 0, 0);
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

/* ---- questions ---- */

static void solve_leaves(ct_model_tree *tree, int32_t node)
{
    if (ct_gmt_is_leaf(tree, node)) {
        ct_gmt_model_tree_solve_one(tree, node);
        return;
    }
    solve_leaves(tree, tree->nodes[node].left);
    solve_leaves(tree, tree->nodes[node].right);
}

void ct_gmt_cell_answer(const ct_row_cells *cells, ct_cell_question *question, ct_node_rows *rows)
{
    if (!question->n_numbers) {
        fill(cells, question->tree, question->node);
        solve_leaves(question->tree, question->node);
        return;
    }
    ct_gmt_node_rows_find(rows, cells, question->tree, question->node);
    for (uint32_t i = 0; i < question->n_numbers; i++)
        question->rows[i] = ct_gmt_node_rows_at(rows, question->numbers[i]);
}
