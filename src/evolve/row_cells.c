#include "evolve/row_cells.h"

#include <string.h>

#include "base/memory.h"

enum { CELL_ROWS = 16, BLOCK = 256 };

/* ---- cells from rows ---- */

typedef struct {
    ct_row_cells *cells;
    const ct_model_table *table;
    uint32_t *rows, *spare;
    int failed;
} halving;

/* The splitter that a box is widest in, of the width of the data; -1 if it is a point in all. */
static int32_t widest(const halving *h, const ct_cell_range *box)
{
    double most = 0;
    int32_t chosen = -1;
    for (uint32_t s = 0; s < h->table->n_splitters; s++) {
        double width = (double) (box[s].high - box[s].low) / (h->table->splitters[s].n_ranks + 1.0);
        if (h->cells->along[s] && width > most) most = width, chosen = (int32_t) s;
    }
    return chosen;
}

/* Rows of lower rank to the front, each side in its order. Returns where the others begin. */
static uint32_t part_rows(halving *h, uint32_t begin, uint32_t end, uint32_t s, uint32_t middle)
{
    const uint32_t *rank = h->table->splitters[s].rank;
    uint32_t left = begin, n_right = 0;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t row = h->rows[i];
        int goes_left = rank[row] < middle;
        h->rows[left] = row;
        h->spare[n_right] = row;
        left += goes_left != 0;
        n_right += goes_left == 0;
    }
    if (n_right) memcpy(h->rows + left, h->spare, n_right * sizeof *h->rows);
    return left;
}

static uint32_t add_cell(halving *h, uint32_t begin, uint32_t end)
{
    ct_row_cells *all = h->cells;
    if (all->n == all->room) {
        uint32_t room = 2 * all->room + 64;
        ct_cell *more = (ct_cell *) ct_alloc(room * sizeof *more);
        if (!more) {
            h->failed = 1;
            return 0;
        }
        if (all->n) memcpy(more, all->cells, all->n * sizeof *more);
        ct_free(all->cells);
        all->cells = more;
        all->room = room;
    }
    all->cells[all->n] = (ct_cell){begin, end, 0};
    return all->n++;
}

/* Halves the cell in the middle of its box, which is changed meanwhile. */
static void halve(halving *h, uint32_t cell, uint32_t begin, uint32_t end, ct_cell_range *box)
{
    int32_t s = end - begin > CELL_ROWS ? widest(h, box) : -1;
    if (s < 0 || h->failed) return;
    const ct_cell_range whole = box[s];
    uint32_t middle = whole.low + (whole.high - whole.low + 1) / 2,
             right = part_rows(h, begin, end, (uint32_t) s, middle);
    if (right > begin) {
        uint32_t below = right < end ? add_cell(h, begin, right) : cell;
        box[s].high = middle - 1;
        halve(h, below, begin, right, box);
        box[s] = whole;
    }
    if (right < end) {
        uint32_t above = right > begin ? add_cell(h, right, end) : cell;
        if (above != cell && !h->failed) h->cells->cells[cell].half = above;
        box[s].low = middle;
        halve(h, above, right, end, box);
        box[s] = whole;
    }
}

/* Of a cell without halves, from its rows. */
static void measure_rows(ct_row_cells *all, const ct_cell *cell, ct_cell_range *ranges,
                         double *gram)
{
    const ct_model_table *table = &all->table;
    uint32_t rows[BLOCK];
    for (uint32_t s = 0; s < table->n_splitters; s++) {
        ct_cell_range range = {UINT32_MAX, 0, 0};
        for (uint32_t row = cell->begin; row < cell->end; row++) {
            uint32_t rank = table->splitters[s].rank[row];
            if (rank == CT_RANK_MISSING) {
                range.any_missing = 1;
                continue;
            }
            if (rank < range.low) range.low = rank;
            if (rank > range.high) range.high = rank;
        }
        ranges[s] = range;
    }
    memset(gram, 0, table->size * sizeof *gram);
    for (uint32_t begin = cell->begin; begin < cell->end; begin += BLOCK) {
        uint32_t n = cell->end - begin < BLOCK ? cell->end - begin : BLOCK;
        for (uint32_t i = 0; i < n; i++) rows[i] = begin + i;
        all->kernels->sum(gram, table->z, rows, n, table->p);
    }
}

static void join_halves(ct_row_cells *all, uint32_t cell)
{
    const size_t size = all->table.size, n = all->table.n_splitters;
    const uint32_t half[2] = {cell + 1, all->cells[cell].half};
    const double *a = all->grams + half[0] * size, *b = all->grams + half[1] * size;
    for (size_t i = 0; i < size; i++) all->grams[cell * size + i] = a[i] + b[i];
    for (size_t s = 0; s < n; s++) {
        const ct_cell_range *x = &all->ranges[half[0] * n + s], *y = &all->ranges[half[1] * n + s];
        ct_cell_range *to = &all->ranges[cell * n + s];
        to->low = x->low < y->low ? x->low : y->low;
        to->high = x->high > y->high ? x->high : y->high;
        to->any_missing = x->any_missing || y->any_missing;
    }
}

static ct_status measure(ct_row_cells *all, ct_error *error)
{
    const size_t size = all->table.size, n_splitters = all->table.n_splitters;
    all->grams = (double *) ct_alloc(all->n * size * sizeof *all->grams);
    all->ranges = (ct_cell_range *) ct_alloc((all->n * n_splitters + 1) * sizeof *all->ranges);
    if (!all->grams || !all->ranges) return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    for (uint32_t i = all->n; i-- > 0;) {
        if (all->cells[i].half) join_halves(all, i);
        else
            measure_rows(all, &all->cells[i], all->ranges + i * n_splitters,
                         all->grams + i * size);
    }
    return CT_OK;
}

static ct_status cut_cells(halving *h, ct_error *error)
{
    const ct_model_table *table = h->table;
    const uint32_t n_rows = table->n_rows, n_splitters = table->n_splitters;
    ct_cell_range *box = (ct_cell_range *) ct_alloc((n_splitters + 1) * sizeof *box);
    h->rows = (uint32_t *) ct_alloc(n_rows * sizeof *h->rows);
    h->spare = (uint32_t *) ct_alloc(n_rows * sizeof *h->spare);
    h->failed = !box || !h->rows || !h->spare;
    for (uint32_t row = 0; row < n_rows && !h->failed; row++) h->rows[row] = row;
    for (uint32_t s = 0; s < n_splitters && !h->failed; s++) {
        /* rows without a value are behind the others */
        box[s].low = 0;
        box[s].high = table->splitters[s].n_ranks;
    }
    if (!h->failed) halve(h, add_cell(h, 0, n_rows), 0, n_rows, box);
    ct_free(box), ct_free(h->spare);
    return h->failed ? ct_fail(error, CT_NO_MEMORY, "not enough memory") : CT_OK;
}

ct_status ct_row_cells_init(ct_row_cells *cells, const ct_model_table *table,
                            const ct_gram_kernels *kernels, const uint8_t *along, ct_error *error)
{
    halving h = {cells, table, NULL, NULL, 0};
    memset(cells, 0, sizeof *cells);
    cells->kernels = kernels;
    cells->along = (uint8_t *) ct_alloc(table->n_splitters + 1);
    if (!cells->along) return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    memcpy(cells->along, along, table->n_splitters);
    ct_status status = cut_cells(&h, error);
    if (status == CT_OK)
        status = ct_model_table_take(&cells->table, table, h.rows, table->n_rows, CT_MODEL_BINS,
                                     error);
    ct_free(h.rows);
    return status == CT_OK ? measure(cells, error) : status;
}

void ct_row_cells_free(ct_row_cells *cells)
{
    ct_model_table_free(&cells->table);
    ct_free(cells->cells), ct_free(cells->ranges), ct_free(cells->grams), ct_free(cells->along);
    memset(cells, 0, sizeof *cells);
}

/* ---- cells to the nodes of a tree ---- */

typedef enum { SIDE_LEFT, SIDE_RIGHT, SIDE_BOTH } cell_side;

static cell_side side_of_levels(const ct_test *test, const ct_cell_range *range)
{
    uint32_t first = range->low;
    uint64_t left = test->levels[first / 64] >> (first % 64) & 1;
    for (uint32_t level = first + 1; level <= range->high; level++)
        if ((test->levels[level / 64] >> (level % 64) & 1) != left) return SIDE_BOTH;
    return left ? SIDE_LEFT : SIDE_RIGHT;
}

static cell_side side_of(const ct_row_cells *all, uint32_t cell, const ct_test *test)
{
    const ct_model_table *table = &all->table;
    const ct_cell_range *range = &all->ranges[cell * (size_t) table->n_splitters +
                                              (size_t) test->splitter];
    const cell_side of_missing = test->missing_left ? SIDE_LEFT : SIDE_RIGHT;
    if (range->low > range->high) return of_missing;
    cell_side side = table->splitters[test->splitter].n_levels ? side_of_levels(test, range)
                     : range->high < test->cut               ? SIDE_LEFT
                     : range->low >= test->cut               ? SIDE_RIGHT
                                                             : SIDE_BOTH;
    return range->any_missing && side != of_missing ? SIDE_BOTH : side;
}

/* Where cells go: to the nodes below `target`, or to that alone (`rows`). Other nodes are `away`.
 */
typedef struct {
    const ct_row_cells *all;
    ct_model_tree *tree;
    uint8_t away[2 * CT_TREE_LEAVES];
    ct_node_rows *rows;
    int32_t target;
} pouring;

static void mark_way(pouring *p, const ct_model_tree *tree, int32_t target)
{
    memset(p->away, 0, tree->room);
    for (int32_t at = target; tree->nodes[at].parent != CT_NO_NODE; at = tree->nodes[at].parent) {
        const ct_model_node *parent = &tree->nodes[tree->nodes[at].parent];
        p->away[parent->left == at ? parent->right : parent->left] = 1;
    }
}

static int is_end(const pouring *p, const ct_model_tree *tree, int32_t node)
{
    return p->away[node] || (p->rows ? node == p->target : ct_is_leaf(tree, node));
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
    double *to = p->tree->grams + (size_t) node * size;
    const double *gram = p->all->grams + cell * size;
    for (size_t i = 0; i < size; i++) to[i] += gram[i];
    p->tree->nodes[node].end += of->end - of->begin;
}

/* The rows of a cell that lies in several nodes, from `node` on. */
static void take_rows(pouring *p, uint32_t cell, int32_t node)
{
    const ct_model_table *table = &p->all->table;
    const ct_cell *of = &p->all->cells[cell];
    uint32_t rows[BLOCK], place[BLOCK], n = 0;
    for (uint32_t row = of->begin; row < of->end; row++) {
        int32_t at = node;
        while (!is_end(p, p->tree, at)) {
            const ct_model_node *split = &p->tree->nodes[at];
            at = ct_goes_left(table, &split->test, row) ? split->left : split->right;
        }
        if (p->away[at]) continue;
        if (p->rows) {
            add_stretch(p->rows, row, row + 1);
            continue;
        }
        p->tree->nodes[at].end++;
        rows[n] = row;
        place[n++] = (uint32_t) at;
        if (n < BLOCK) continue;
        p->all->kernels->add(p->tree->grams, place, table->z, rows, n, table->p);
        n = 0;
    }
    if (n) p->all->kernels->add(p->tree->grams, place, table->z, rows, n, table->p);
}

/* Sends a cell down from a node, its halves where a test cuts it. */
static void pour(pouring *p, uint32_t cell, int32_t node)
{
    while (!is_end(p, p->tree, node)) {
        const ct_model_node *split = &p->tree->nodes[node];
        cell_side side = side_of(p->all, cell, &split->test);
        if (side == SIDE_BOTH) {
            uint32_t half = p->all->cells[cell].half;
            if (!half || !p->all->along[split->test.splitter]) {
                take_rows(p, cell, node);
                return;
            }
            pour(p, cell + 1, node);
            pour(p, half, node);
            return;
        }
        node = side == SIDE_LEFT ? split->left : split->right;
    }
    if (!p->away[node]) take_cell(p, cell, node);
}

/* ---- trees ---- */

static void clear_below(ct_model_tree *tree, int32_t node)
{
    const size_t size = tree->table->size;
    tree->nodes[node].begin = tree->nodes[node].end = 0;
    memset(tree->grams + (size_t) node * size, 0, size * sizeof(double));
    if (ct_is_leaf(tree, node)) return;
    clear_below(tree, tree->nodes[node].left);
    clear_below(tree, tree->nodes[node].right);
}

static void count_below(ct_model_tree *tree, int32_t node)
{
    ct_model_node *at = &tree->nodes[node];
    if (ct_is_leaf(tree, node)) return;
    count_below(tree, at->left);
    count_below(tree, at->right);
    at->end = tree->nodes[at->left].end + tree->nodes[at->right].end;
}

/* The sums of the leaves below a node, and the number of rows of all nodes. */
static void fill(const ct_row_cells *cells, ct_model_tree *tree, int32_t node)
{
    pouring p = {cells, tree, {0}, NULL, CT_NO_NODE};
    mark_way(&p, tree, node);
    clear_below(tree, node);
    pour(&p, 0, 0);
    count_below(tree, node);
}

/* Small and deep branches go, from the top. */
static void prune(const ct_row_cells *cells, ct_model_tree *tree, int32_t node, uint32_t minbucket,
                  uint32_t depth_max)
{
    ct_model_node *at = &tree->nodes[node];
    if (at->depth >= depth_max && !ct_is_leaf(tree, node)) {
        ct_model_tree_collapse(tree, node);
        fill(cells, tree, node);
    }
    while (!ct_is_leaf(tree, node)) {
        uint32_t left = tree->nodes[at->left].end, right = tree->nodes[at->right].end;
        if (left >= minbucket && right >= minbucket) break;
        ct_model_tree_lift(tree, node, left >= right ? at->left : at->right);
        fill(cells, tree, node);
    }
    if (ct_is_leaf(tree, node)) return;
    tree->nodes[at->left].depth = tree->nodes[at->right].depth = at->depth + 1;
    prune(cells, tree, at->left, minbucket, depth_max);
    prune(cells, tree, at->right, minbucket, depth_max);
}

void ct_row_cells_refresh(const ct_row_cells *cells, ct_model_tree *tree, int32_t node,
                          uint32_t minbucket, uint32_t depth_max)
{
    fill(cells, tree, node);
    prune(cells, tree, node, minbucket, depth_max);
    ct_model_tree_solve(tree, node);
}

ct_status ct_row_cells_tree(const ct_row_cells *cells, ct_model_tree *tree, uint32_t leaves_max,
                            ct_error *error)
{
    CT_TRY(ct_model_tree_init_bare(tree, &cells->table, cells->kernels, leaves_max, error));
    ct_row_cells_refresh(cells, tree, 0, 1, 0);
    return CT_OK;
}

/* ---- the rows of a node ---- */

ct_status ct_node_rows_init(ct_node_rows *rows, uint32_t n_rows, ct_error *error)
{
    memset(rows, 0, sizeof *rows);
    rows->first = (uint32_t *) ct_alloc(n_rows * sizeof *rows->first);
    rows->before = (uint32_t *) ct_alloc(n_rows * sizeof *rows->before);
    if (!rows->first || !rows->before) return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    return CT_OK;
}

void ct_node_rows_free(ct_node_rows *rows)
{
    ct_free(rows->first), ct_free(rows->before);
    memset(rows, 0, sizeof *rows);
}

void ct_node_rows_find(ct_node_rows *rows, const ct_row_cells *cells, const ct_model_tree *tree,
                       int32_t node)
{
    ct_model_tree same = *tree;
    pouring p = {cells, &same, {0}, rows, node};
    rows->n = rows->n_rows = 0;
    mark_way(&p, tree, node);
    pour(&p, 0, 0);
}

uint32_t ct_node_rows_at(const ct_node_rows *rows, uint32_t number)
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
