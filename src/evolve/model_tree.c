#include "evolve/model_tree.h"

#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "evolve/conditions.h"
#include "evolve/pieces.h"

/* ---- memory ---- */

/* Takes the memory that trees with and without rows have in common. */
static ct_status init_nodes(ct_model_tree *tree, const ct_model_table *table,
                            const ct_gram_kernels *kernels, uint32_t leaves_max, ct_error *error)
{
    memset(tree, 0, sizeof *tree);
    tree->table = table;
    tree->kernels = kernels;
    tree->room = 2 * (leaves_max + CT_SPARE_LEAVES) - 1;
    CT_ASSERT(leaves_max + CT_SPARE_LEAVES <= CT_TREE_LEAVES);
    tree->nodes = (ct_model_node *) ct_alloc_zeroed(tree->room, sizeof *tree->nodes);
    tree->grams = (double *) ct_alloc_zeroed(tree->room * table->size, sizeof *tree->grams);
    tree->lanes = (double *) ct_alloc(table->size * CT_GRAM_LANES * sizeof *tree->lanes);
    if (!tree->nodes || !tree->grams || !tree->lanes)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    ct_model_node *root = &tree->nodes[0];
    root->used = 1;
    root->test.splitter = root->parent = root->left = root->right = CT_NO_NODE;
    root->end = table->n_rows;
    tree->n_leaves = 1;
    tree->threads = 1;
    return CT_OK;
}

ct_status ct_gmt_model_tree_init_without_rows(ct_model_tree *tree, const ct_model_table *table,
                                              const ct_gram_kernels *kernels, uint32_t leaves_max,
                                              ct_error *error)
{
    CT_TRY(init_nodes(tree, table, kernels, leaves_max, error));
    const size_t bytes = tree->room * table->size * sizeof *tree->tile;
    tree->tile = (double *) ct_alloc_zeroed(bytes, 1);
    if (!tree->tile) return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    return CT_OK;
}

/* Takes the memory for lists of rows. */
static ct_status init_rows(ct_model_tree *tree, ct_error *error)
{
    const ct_model_table *table = tree->table;
    tree->rows = (uint32_t *) ct_alloc(table->n_rows * sizeof *tree->rows);
    tree->spare = (uint32_t *) ct_alloc(table->n_rows * sizeof *tree->spare);
    tree->bits = (uint64_t *) ct_alloc((table->n_rows / 64 + 1) * sizeof *tree->bits);
    if (ct_pieces(table->n_rows) > 1)
        tree->pieces = (double *) ct_alloc(CT_PIECES * table->size * sizeof *tree->pieces);
    if (!tree->rows || !tree->spare || !tree->bits ||
        (ct_pieces(table->n_rows) > 1 && !tree->pieces))
        return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    return CT_OK;
}

ct_status ct_gmt_model_tree_init(ct_model_tree *tree, const ct_model_table *table,
                                 const ct_gram_kernels *kernels, uint32_t leaves_max,
                                 unsigned threads, ct_error *error)
{
    CT_TRY(init_nodes(tree, table, kernels, leaves_max, error));
    CT_TRY(init_rows(tree, error));
    tree->threads = threads;
    for (uint32_t row = 0; row < table->n_rows; row++) tree->rows[row] = row;
    const ct_tree_limits leaf = {1, 0, 1, 0, 0};
    ct_gmt_model_tree_refresh(tree, 0, &leaf);
    return CT_OK;
}

ct_status ct_gmt_model_tree_init_as(ct_model_tree *tree, const ct_model_tree *from, ct_error *error)
{
    CT_ASSERT(from->rows);
    uint32_t leaves_max = (from->room + 1) / 2 - CT_SPARE_LEAVES;
    CT_TRY(init_nodes(tree, from->table, from->kernels, leaves_max, error));
    CT_TRY(init_rows(tree, error));
    ct_gmt_model_tree_copy(tree, from);
    return CT_OK;
}

void ct_gmt_model_tree_free(ct_model_tree *tree)
{
    ct_free(tree->nodes), ct_free(tree->grams), ct_free(tree->rows);
    ct_free(tree->spare), ct_free(tree->lanes), ct_free(tree->bits), ct_free(tree->pieces);
    ct_free(tree->tile);
    memset(tree, 0, sizeof *tree);
}

void ct_gmt_model_tree_copy(ct_model_tree *to, const ct_model_tree *from)
{
    CT_ASSERT(to->table == from->table && to->room == from->room && !to->rows == !from->rows);
    memcpy(to->nodes, from->nodes, to->room * sizeof *to->nodes);
    if (to->rows) {
        memcpy(to->grams, from->grams, to->room * to->table->size * sizeof *to->grams);
        memcpy(to->rows, from->rows, to->table->n_rows * sizeof *to->rows);
    }
    to->n_leaves = from->n_leaves;
    to->sse = from->sse;
    to->terms = from->terms;
}

/* ---- moves ---- */

static int32_t new_node(ct_model_tree *tree, int32_t parent)
{
    for (uint32_t i = 1; i < tree->room; i++) {
        ct_model_node *node = &tree->nodes[i];
        if (node->used) continue;
        memset(node, 0, sizeof *node);
        node->used = 1;
        node->test.splitter = node->left = node->right = CT_NO_NODE;
        node->parent = parent;
        return (int32_t) i;
    }
    return CT_NO_NODE;
}

int ct_gmt_model_tree_expand(ct_model_tree *tree, int32_t node, const ct_gmt_test *test)
{
    CT_ASSERT(node >= 0 && (uint32_t) node < tree->room && tree->nodes[node].used);
    CT_ASSERT(ct_gmt_is_leaf(tree, node));
    CT_ASSERT((uint32_t) test->splitter < tree->table->n_splitters);
    int32_t left = new_node(tree, node);
    if (left == CT_NO_NODE) return 0;
    int32_t right = new_node(tree, node);
    if (right == CT_NO_NODE) {
        tree->nodes[left].used = 0;
        return 0;
    }
    ct_model_node *at = &tree->nodes[node];
    memcpy(tree->nodes[left].omitted, at->omitted, sizeof at->omitted);
    memcpy(tree->nodes[right].omitted, at->omitted, sizeof at->omitted);
    memset(at->omitted, 0, sizeof at->omitted);
    at->test = *test;
    at->left = left;
    at->right = right;
    return 1;
}

static void drop(ct_model_tree *tree, int32_t node)
{
    if (!ct_gmt_is_leaf(tree, node)) {
        drop(tree, tree->nodes[node].left);
        drop(tree, tree->nodes[node].right);
    }
    tree->nodes[node].used = 0;
}

void ct_gmt_model_tree_collapse(ct_model_tree *tree, int32_t node)
{
    CT_ASSERT(node >= 0 && (uint32_t) node < tree->room && tree->nodes[node].used);
    if (ct_gmt_is_leaf(tree, node)) return;
    drop(tree, tree->nodes[node].left);
    drop(tree, tree->nodes[node].right);
    tree->nodes[node].test.splitter = CT_NO_NODE;
    tree->nodes[node].left = tree->nodes[node].right = CT_NO_NODE;
}

void ct_gmt_model_tree_lift(ct_model_tree *tree, int32_t node, int32_t kept)
{
    CT_ASSERT(node >= 0 && (uint32_t) node < tree->room && tree->nodes[node].used);
    ct_model_node *to = &tree->nodes[node], *from = &tree->nodes[kept];
    CT_ASSERT(from->parent == node);
    drop(tree, to->left == kept ? to->right : to->left);
    to->test = from->test;
    to->left = from->left;
    to->right = from->right;
    memcpy(to->omitted, from->omitted, sizeof to->omitted);
    if (to->left != CT_NO_NODE)
        tree->nodes[to->left].parent = tree->nodes[to->right].parent = node;
    from->used = 0;
}

int ct_gmt_model_tree_graft(ct_model_tree *tree, int32_t node, const ct_model_tree *of,
                            int32_t from)
{
    CT_ASSERT(node >= 0 && (uint32_t) node < tree->room && tree->nodes[node].used);
    CT_ASSERT(from >= 0 && (uint32_t) from < of->room && of->nodes[from].used);
    const ct_model_node *source = &of->nodes[from];
    if (source->test.splitter < 0) {
        memcpy(tree->nodes[node].omitted, source->omitted, sizeof source->omitted);
        return 1;
    }
    if (!ct_gmt_model_tree_expand(tree, node, &source->test)) return 0;
    return ct_gmt_model_tree_graft(tree, tree->nodes[node].left, of, source->left) &&
           ct_gmt_model_tree_graft(tree, tree->nodes[node].right, of, source->right);
}

/* ---- rows and sums ---- */

/* The rows of a node, in pieces. */
typedef struct {
    ct_model_tree *tree;
    const ct_model_node *node;
    uint32_t pieces;
    uint32_t n_left[CT_PIECES];
} row_pieces;

static uint32_t begin_of(const row_pieces *p, uint64_t piece)
{
    const ct_model_node *node = p->node;
    return node->begin + ct_piece_begin(node->end - node->begin, p->pieces, (uint32_t) piece);
}

/* Moves rows that go left to where the piece begins, and others to the same position in `spare`. */
static void partition_pieces(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    row_pieces *p = (row_pieces *) data;
    ct_model_tree *tree = p->tree;
    (void) worker;
    for (uint64_t piece = begin; piece < end; piece++) {
        const uint32_t first = begin_of(p, piece), last = begin_of(p, piece + 1);
        uint32_t left = first, right = first;
        for (uint32_t i = first; i < last; i++) {
            uint32_t row = tree->rows[i];
            int goes_left = ct_gmt_goes_left(tree->table, &p->node->test, row);
            tree->rows[left] = row;
            tree->spare[right] = row;
            left += goes_left != 0;
            right += goes_left == 0;
        }
        p->n_left[piece] = left - first;
    }
}

/* Partitions the rows of a node, those of each side in their order; returns where the right ones
 * begin. */
static uint32_t partition_rows(ct_model_tree *tree, const ct_model_node *node)
{
    row_pieces p = {tree, node, ct_pieces(node->end - node->begin), {0}};
    ct_loop loop = {p.pieces, 1, CT_STATIC, tree->threads, partition_pieces, &p, NULL};
    ct_parallel_for(&loop);
    uint32_t left = node->begin, *rows = tree->rows;
    for (uint32_t i = 0; i < p.pieces; i++) {
        memmove(rows + left, rows + begin_of(&p, i), p.n_left[i] * sizeof *rows);
        left += p.n_left[i];
    }
    for (uint32_t i = 0, at = left; i < p.pieces; i++) {
        uint32_t first = begin_of(&p, i), n = begin_of(&p, i + 1) - first - p.n_left[i];
        if (n) memcpy(rows + at, tree->spare + first, n * sizeof *rows);
        at += n;
    }
    return left;
}

static void sum_pieces(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const row_pieces *p = (const row_pieces *) data;
    const ct_model_table *table = p->tree->table;
    (void) worker;
    for (uint64_t piece = begin; piece < end; piece++) {
        double *sum = p->tree->pieces + piece * table->size;
        uint32_t first = begin_of(p, piece), last = begin_of(p, piece + 1);
        memset(sum, 0, table->size * sizeof *sum);
        p->tree->kernels->sum(sum, table->z, p->tree->rows + first, last - first, table->p);
    }
}

/* The matrix of the rows of a leaf. */
static void sum_rows(ct_model_tree *tree, int32_t leaf)
{
    const ct_model_table *table = tree->table;
    const ct_model_node *node = &tree->nodes[leaf];
    double *gram = tree->grams + (size_t) leaf * table->size;
    row_pieces p = {tree, node, ct_pieces(node->end - node->begin), {0}};
    memset(gram, 0, table->size * sizeof *gram);
    if (p.pieces == 1) {
        tree->kernels->sum(gram, table->z, tree->rows + node->begin, node->end - node->begin,
                           table->p);
        return;
    }
    CT_ASSERT(tree->pieces);
    ct_loop loop = {p.pieces, 1, CT_STATIC, tree->threads, sum_pieces, &p, NULL};
    ct_parallel_for(&loop);
    for (uint32_t i = 0; i < p.pieces; i++)
        tree->kernels->join(gram, tree->pieces + i * table->size, table->p);
}

static void sum_children(ct_model_tree *tree, int32_t node)
{
    size_t size = tree->table->size;
    double *gram = tree->grams + (size_t) node * size;
    const double *left = tree->grams + (size_t) tree->nodes[node].left * size,
                 *right = tree->grams + (size_t) tree->nodes[node].right * size;
    for (size_t i = 0; i < size; i++) gram[i] = left[i] + right[i];
}

/* Sets omitted columns to 0, so that they are not in the model. */
static void clear_omitted(double *lanes, uint32_t p, const uint64_t *omitted)
{
    const size_t bytes = CT_GRAM_LANES * sizeof *lanes;
    for (uint32_t k = 1; k + 1 < p; k++) {
        if (!ct_is_omitted(omitted, k)) continue;
        for (uint32_t j = 0; j <= k; j++)
            memset(lanes + (ct_gram_row(k) + j) * CT_GRAM_LANES, 0, bytes);
        for (uint32_t i = k + 1; i < p; i++)
            memset(lanes + (ct_gram_row(i) + k) * CT_GRAM_LANES, 0, bytes);
    }
}

void ct_gmt_model_tree_solve_one(ct_model_tree *tree, int32_t node)
{
    CT_ASSERT(node >= 0 && (uint32_t) node < tree->room && tree->nodes[node].used);
    size_t size = tree->table->size;
    const double *gram = tree->grams + (size_t) node * size;
    double sse[CT_GRAM_LANES], terms[CT_GRAM_LANES];
    for (size_t i = 0; i < size; i++)
        for (unsigned lane = 0; lane < CT_GRAM_LANES; lane++)
            tree->lanes[i * CT_GRAM_LANES + lane] = gram[i];
    clear_omitted(tree->lanes, tree->table->p, tree->nodes[node].omitted);
    tree->kernels->pivots(tree->lanes, tree->table->p, sse, terms);
    tree->nodes[node].sse = sse[0];
    tree->nodes[node].terms = terms[0];
}

/* Puts the rows of a node in rising order, whatever tests were below it: sets a bit for each, and
 * reads the bits. */
static void sort_rows(ct_model_tree *tree, const ct_model_node *node)
{
    uint32_t *rows = tree->rows + node->begin, n = node->end - node->begin, words = 0, out = 0;
    uint64_t *bits = tree->bits;
    if (n == tree->table->n_rows) {
        for (uint32_t row = 0; row < n; row++) rows[row] = row;
        return;
    }
    for (uint32_t i = 0; i < n; i++) words = rows[i] / 64 >= words ? rows[i] / 64 + 1 : words;
    memset(bits, 0, words * sizeof *bits);
    for (uint32_t i = 0; i < n; i++) bits[rows[i] / 64] |= UINT64_C(1) << (rows[i] % 64);
    for (uint32_t word = 0; word < words; word++)
        for (uint64_t left = bits[word]; left; left &= left - 1)
            rows[out++] = word * 64 + (uint32_t) ct_trailing_zeros(left);
    CT_ASSERT(out == n);
}

/* Sends the rows below the node down and sets depths; removes small and deep branches. */
static void send_down(ct_model_tree *tree, int32_t at, const ct_tree_limits *limits)
{
    const uint32_t minbucket = limits->minbucket;
    ct_model_node *node = &tree->nodes[at];
    if (node->depth >= limits->depth_max || node->end - node->begin < limits->min_n)
        ct_gmt_model_tree_collapse(tree, at);
    while (!ct_gmt_is_leaf(tree, at)) {
        uint32_t middle = partition_rows(tree, node);
        if (middle - node->begin >= minbucket && node->end - middle >= minbucket) {
            ct_model_node *left = &tree->nodes[node->left], *right = &tree->nodes[node->right];
            left->begin = node->begin;
            left->end = right->begin = middle;
            right->end = node->end;
            left->depth = right->depth = node->depth + 1;
            break;
        }
        int32_t kept = middle - node->begin >= node->end - middle ? node->left : node->right;
        sort_rows(tree, node);
        ct_gmt_model_tree_lift(tree, at, kept);
    }
    if (ct_gmt_is_leaf(tree, at)) {
        sum_rows(tree, at);
    } else {
        send_down(tree, node->left, limits);
        send_down(tree, node->right, limits);
        sum_children(tree, at);
    }
    ct_gmt_model_tree_solve_one(tree, at);
}

void ct_gmt_model_tree_add_up(ct_model_tree *tree)
{
    tree->n_leaves = 0;
    tree->sse = tree->terms = 0;
    for (uint32_t i = 0; i < tree->room; i++) {
        const ct_model_node *node = &tree->nodes[i];
        if (!node->used || node->test.splitter >= 0) continue;
        tree->n_leaves++;
        tree->sse += node->sse;
        tree->terms += node->terms;
    }
}

static void solve_below(ct_model_tree *tree, int32_t node)
{
    if (!ct_gmt_is_leaf(tree, node)) {
        solve_below(tree, tree->nodes[node].left);
        solve_below(tree, tree->nodes[node].right);
        sum_children(tree, node);
    }
    ct_gmt_model_tree_solve_one(tree, node);
}

void ct_gmt_model_tree_solve(ct_model_tree *tree, int32_t node)
{
    CT_ASSERT(node >= 0 && (uint32_t) node < tree->room && tree->nodes[node].used);
    solve_below(tree, node);
    ct_gmt_model_tree_add_up(tree);
}

void ct_gmt_model_tree_refresh(ct_model_tree *tree, int32_t node, const ct_tree_limits *limits)
{
    CT_ASSERT(node >= 0 && (uint32_t) node < tree->room && tree->nodes[node].used);
    sort_rows(tree, &tree->nodes[node]);
    send_down(tree, node, limits);
    for (int32_t at = tree->nodes[node].parent; at != CT_NO_NODE; at = tree->nodes[at].parent)
        sum_children(tree, at);
    ct_gmt_model_tree_add_up(tree);
    ct_model_tree_is_sound(tree);
}

/* ---- reading and marking ---- */

uint32_t ct_gmt_model_tree_leaves(const ct_model_tree *tree, int32_t node, int32_t *leaves)
{
    if (ct_gmt_is_leaf(tree, node)) {
        leaves[0] = node;
        return 1;
    }
    uint32_t n = ct_gmt_model_tree_leaves(tree, tree->nodes[node].left, leaves);
    return n + ct_gmt_model_tree_leaves(tree, tree->nodes[node].right, leaves + n);
}

void ct_gmt_mark_all(ct_model_tree *tree)
{
    for (uint32_t i = 0; i < tree->room; i++) tree->nodes[i].dirty = tree->nodes[i].used;
}

static void mark_below(ct_model_tree *tree, int32_t node)
{
    tree->nodes[node].dirty = 1;
    if (ct_gmt_is_leaf(tree, node)) return;
    mark_below(tree, tree->nodes[node].left);
    mark_below(tree, tree->nodes[node].right);
}

void ct_gmt_mark_around(ct_model_tree *tree, int32_t node)
{
    mark_below(tree, node);
    for (int32_t at = tree->nodes[node].parent; at != CT_NO_NODE; at = tree->nodes[at].parent)
        tree->nodes[at].dirty = 1;
}
