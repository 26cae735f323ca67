/* The best regression tree of a small table by trying all, in integers: shares nothing with the
 * search but the grid, the integer weights and the price of a split. */
#ifndef CT_TEST_BRUTE_RESPONSE_H
#define CT_TEST_BRUTE_RESPONSE_H

#include "brute_squares.h"
#include "exact/cost/response.h"
#include "random.h"

enum { BRUTE_ROWS = 192, BRUTE_DEPTH = 4, BRUTE_NODES = 1 << (BRUTE_DEPTH + 1) };

typedef struct {
    const ct_data *data;
    uint32_t min_bucket, min_split;
    const uint8_t *roots; /* NULL: any */
    int64_t z[BRUTE_ROWS], w[BRUTE_ROWS], split;
    double rounding; /* as in ct_exact_costs */
    int down;        /* as in ct_full */
} response_brute;

/* A tree as a heap: feature -1 is a leaf; rows with values from `above` on go right. */
typedef struct {
    int64_t cost;
    int32_t feature[BRUTE_NODES];
    double above[BRUTE_NODES];
} brute_tree;

static inline int64_t brute_leaf(const response_brute *b, const uint32_t *rows, uint32_t n)
{
    return brute_cost(b->down, b->z, b->w, rows, n);
}

/* The grid and the price, which are the library's. */
static inline int brute_begin(response_brute *b, const ct_data *data,
                              const ct_exact_options *options)
{
    ct_budget budget = {SIZE_MAX, 0};
    ct_arena arena;
    ct_exact_costs costs;
    ct_arena_init(&arena, &budget);
    int ready = data->n_rows <= BRUTE_ROWS &&
                ct_response_init(&costs, data, options->depth, options->complexity, 0, &arena,
                                 &reason) == CT_OK;
    b->data = data;
    b->min_bucket = options->min_bucket > 1 ? options->min_bucket : 1;
    b->min_split = options->min_split;
    b->roots = options->roots;
    for (uint32_t row = 0; ready && row < data->n_rows; row++) {
        b->z[row] = costs.response->full.z[row];
        b->w[row] = ct_full_weight(&costs.response->full, row);
    }
    b->split = ready && !options->any_size ? costs.split : 0;
    b->rounding = ready ? costs.rounding : 0;
    b->down = ready ? costs.response->full.down : 0;
    ct_arena_free(&arena);
    return ready;
}

/* Puts the rows below `above` first; how many these are. */
static inline uint32_t brute_part(const response_brute *b, uint32_t col, double above,
                                  const uint32_t *rows, uint32_t n, uint32_t *parted)
{
    uint32_t n_left = 0, at = 0;
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < n; i++)
            if ((ct_column_value(&b->data->columns[col], rows[i]) >= above) == side)
                parted[at++] = rows[i];
        if (!side) n_left = at;
    }
    return n_left;
}

/* The first of the cheapest trees: a leaf, else the first column, there the lowest threshold. */
static inline void brute_best(const response_brute *b, const uint32_t *rows, uint32_t n,
                              unsigned depth, int is_root, size_t at, brute_tree *tree)
{
    uint32_t parted[BRUTE_ROWS];
    tree->cost = brute_leaf(b, rows, n);
    tree->feature[at] = -1;
    if (!depth || n < b->min_split || n < 2 * b->min_bucket) return;
    for (uint32_t col = 0; col < b->data->n_cols; col++) {
        double last = -INFINITY;
        if (is_root && b->roots && !b->roots[col]) continue;
        for (uint32_t step = 0; step < n; step++) { /* values from the least on */
            double above = INFINITY;
            for (uint32_t i = 0; i < n; i++) {
                double x = ct_column_value(&b->data->columns[col], rows[i]);
                if (x > last && x < above) above = x;
            }
            if (above == INFINITY) break;
            last = above;
            uint32_t n_left = brute_part(b, col, above, rows, n, parted);
            if (n_left < b->min_bucket || n - n_left < b->min_bucket) continue;
            brute_tree left, right;
            brute_best(b, parted, n_left, depth - 1, 0, 2 * at, &left);
            if (b->split + left.cost >= tree->cost) continue;
            brute_best(b, parted + n_left, n - n_left, depth - 1, 0, 2 * at + 1, &right);
            if (b->split + left.cost + right.cost >= tree->cost) continue;
            for (size_t i = 1, width = 1; (at * width) < BRUTE_NODES; i++, width *= 2) {
                if (i == 1) continue;
                for (size_t j = 0; j < width; j++) {
                    size_t node = at * width + j;
                    const brute_tree *from = j < width / 2 ? &left : &right;
                    tree->feature[node] = from->feature[node];
                    tree->above[node] = from->above[node];
                }
            }
            tree->cost = b->split + left.cost + right.cost;
            tree->feature[at] = (int32_t) col;
            tree->above[at] = above;
        }
    }
}

static inline brute_tree brute_solve(const response_brute *b, unsigned depth)
{
    uint32_t rows[BRUTE_ROWS];
    brute_tree tree;
    for (size_t i = 0; i < BRUTE_NODES; i++) tree.feature[i] = -1;
    for (uint32_t row = 0; row < b->data->n_rows; row++) rows[row] = row;
    brute_best(b, rows, b->data->n_rows, depth, 1, 1, &tree);
    return tree;
}

#endif
