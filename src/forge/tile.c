/* Predictions of a tile of rows by walks from node to node. */
#include "base/compact.h"

#include "forge/blocks.h"
#include "forge/input.h"
#include "forge/step.h"
#include "forge/sums.h"

ct_forge_tile_scratch *ct_forge_tile_scratch_new(const ct_forged *f, ct_arena *arena, uint32_t rows)
{
    CT_ASSERT(rows > 0);
    size_t sum = f->ensemble->sum == CT_FORGE_F32 ? sizeof(float) : sizeof(double);
    size_t width = f->n_used ? f->n_used : 1;
    ct_forge_tile_scratch *scratch = CT_ARENA_NEW(arena, ct_forge_tile_scratch, 1);
    if (!scratch) return NULL;
    scratch->rows = rows;
    scratch->x = CT_ARENA_ZEROED(arena, double, rows * width);
    scratch->at = CT_ARENA_NEW(arena, uint32_t, (size_t) rows + CT_FORGE_LANES);
    scratch->sums = ct_arena_alloc(arena, (size_t) f->ensemble->n_outputs * rows, sum);
    return scratch->x && scratch->at && scratch->sums ? scratch : NULL;
}

/* ---- steps ---- */

static inline uint32_t step(const ct_forged_node *node, double x)
{
    return node->next + ct_forge_step_right(node, x);
}

static inline uint32_t any_step(const ct_forged *f, uint32_t at, double x)
{
    const ct_forged_node *node = &f->nodes[at];
    return node->next + ct_forge_step_any_right(f->ensemble, f->node_of[at], node, x);
}

/* CT_FORGE_LANES walks at once, each waiting for memory while others go on. */
#define WALK_LANES(name, step_of)                                                                  \
    static void name(const ct_forged *f, uint32_t *at, const double *const *x)                     \
    {                                                                                              \
        const ct_forged_node *nodes = f->nodes;                                                    \
        uint32_t moved = 1;                                                                        \
        while (moved) {                                                                            \
            moved = 0;                                                                             \
            for (unsigned lane = 0; lane < CT_FORGE_LANES; lane++) {                               \
                const ct_forged_node *node = &nodes[at[lane]];                                     \
                double value = x[lane][node->what & CT_FORGE_WALK_COLUMN];                         \
                uint32_t next = step_of;                                                           \
                moved |= next ^ at[lane];                                                          \
                at[lane] = next;                                                                   \
            }                                                                                      \
        }                                                                                          \
    }
WALK_LANES(walk_plain, step(node, value))
WALK_LANES(walk_any, any_step(f, at[lane], value))

static inline void walk_lanes(const ct_forged *f, uint32_t *at, const double *const *x)
{
    if (f->plain) walk_plain(f, at, x);
    else walk_any(f, at, x);
}

/* ---- all rows down one tree, or one row down all trees ---- */

/* Leaves of n rows into scratch->at. */
static void walk_tree(const ct_forged *f, ct_forge_tile_scratch *scratch, uint32_t tree, uint32_t n)
{
    CT_ASSERT(tree < f->ensemble->n_trees && n <= scratch->rows);
    for (uint32_t row = 0; row < n; row += CT_FORGE_LANES) {
        const double *x[CT_FORGE_LANES];
        for (uint32_t lane = 0; lane < CT_FORGE_LANES; lane++) {
            uint32_t which = row + lane < n ? row + lane : row;
            x[lane] = scratch->x + (size_t) which * f->n_used;
            scratch->at[row + lane] = f->ensemble->roots[tree];
        }
        walk_lanes(f, scratch->at + row, x);
    }
}

/* A tree on its way, counted from the first of those walked together. */
typedef struct {
    uint32_t at, tree;
} active_walk;

enum { TREES_AT_ONCE = 256 };

/* Leaves of a row in n trees from `first` on. In a pass each tree goes down one node, which is
 * asked for in time for the next; those at their leaves leave the list. */
#define WALK_TREES(name, step_of)                                                                  \
    static void name(const ct_forged *f, const double *x, uint32_t first, uint32_t n,              \
                     uint32_t *leaf)                                                               \
    {                                                                                              \
        const ct_forged_node *nodes = f->nodes;                                                    \
        active_walk list[TREES_AT_ONCE];                                                           \
        for (uint32_t i = 0; i < n; i++)                                                           \
            list[i] = (active_walk){f->ensemble->roots[first + i], i};                             \
        while (n) {                                                                                \
            uint32_t left = 0;                                                                     \
            for (uint32_t i = 0; i < n; i++) {                                                     \
                const uint32_t at = list[i].at, tree = list[i].tree;                               \
                const ct_forged_node *node = &nodes[at];                                           \
                double value = x[node->what & CT_FORGE_WALK_COLUMN];                               \
                uint32_t next = step_of;                                                           \
                __builtin_prefetch(&nodes[next]);                                                  \
                leaf[tree] = next;                                                                 \
                list[left] = (active_walk){next, tree};                                            \
                left += next != at;                                                                \
            }                                                                                      \
            n = left;                                                                              \
        }                                                                                          \
    }
WALK_TREES(walk_trees_plain, step(node, value))
WALK_TREES(walk_trees_any, any_step(f, at, value))

static void add_leaf(const ct_forged *f, ct_forge_tile_scratch *scratch, uint32_t tree,
                     uint32_t row, uint32_t at)
{
    CT_ASSERT(row < scratch->rows && !(f->nodes[at].what & CT_FORGE_WALK_INNER));
    const ct_forge_ensemble *e = f->ensemble;
    for (uint32_t k = 0; k < e->leaf_width; k++) {
        size_t sum = (size_t) (e->output_of_tree[tree] + k) * scratch->rows + row;
        double term = e->leaf_width == 1 ? f->nodes[at].threshold
                                         : ct_forge_ensemble_term(e, tree, f->node_of[at], k);
        if (e->first_term)
            term = ct_forge_ensemble_model(e, tree, f->node_of[at],
                                           scratch->x + (size_t) row * f->n_used, f->term_column);
        if (e->sum == CT_FORGE_F32) ((float *) scratch->sums)[sum] += (float) term;
        else ((double *) scratch->sums)[sum] += term;
    }
}

/* One row down the next CT_FORGE_LANES trees, or as many as there are: returns how many. No list is
 * kept, which takes less where trees are about as deep as one another. */
static uint32_t walk_shallow_trees(const ct_forged *f, const double *row, uint32_t tree,
                                   uint32_t *at)
{
    CT_ASSERT(tree < f->ensemble->n_trees);
    const double *x[CT_FORGE_LANES];
    uint32_t n = f->ensemble->n_trees - tree;
    for (uint32_t lane = 0; lane < CT_FORGE_LANES; lane++) {
        x[lane] = row;
        at[lane] = f->ensemble->roots[tree + (lane < n ? lane : 0)];
    }
    walk_lanes(f, at, x);
    return n < CT_FORGE_LANES ? n : CT_FORGE_LANES;
}

static uint32_t walk_deep_trees(const ct_forged *f, const double *row, uint32_t tree, uint32_t *at)
{
    uint32_t n = f->ensemble->n_trees - tree;
    if (n > TREES_AT_ONCE) n = TREES_AT_ONCE;
    if (f->plain) walk_trees_plain(f, row, tree, n, at);
    else walk_trees_any(f, row, tree, n, at);
    return n;
}

/* Walks a row of the tile down all trees, and adds their leaves. */
static void add_trees(const ct_forged *f, ct_forge_tile_scratch *scratch, uint32_t row)
{
    enum { DEEP = 12 };
    const double *x = scratch->x + (size_t) row * f->n_used;
    for (uint32_t t = 0; t < f->ensemble->n_trees;) {
        uint32_t leaf[TREES_AT_ONCE];
        uint32_t n = f->deepest > DEEP ? walk_deep_trees(f, x, t, leaf)
                                       : walk_shallow_trees(f, x, t, leaf);
        for (uint32_t i = 0; i < n; i++) add_leaf(f, scratch, t + i, row, leaf[i]);
        t += n;
    }
}

void ct_forge_tile_row(const ct_forged *f, ct_forge_tile_scratch *scratch, const double *x,
                       double *out)
{
    CT_ASSERT(scratch->rows == 1);
    for (uint32_t column = 0; column < f->n_used; column++) {
        double value = x[f->used[column]];
        scratch->x[column] = f->ensemble->number == CT_FORGE_F32 ? (float) value : value;
    }
    ct_forge_sums_begin(f->ensemble, scratch->sums, 1, 1);
    add_trees(f, scratch, 0);
    ct_forge_sums_end(f->ensemble, scratch->sums, 1, 1, out, 1);
}

void ct_forge_tile_predict(const ct_forged *f, ct_forge_tile_scratch *scratch,
                           const ct_column *columns, uint32_t first, uint32_t n, double *out,
                           size_t stride)
{
    CT_ASSERT(n > 0 && n <= scratch->rows);
    ct_forge_input_rows(f, columns, first, n, scratch->x);
    ct_forge_sums_begin(f->ensemble, scratch->sums, scratch->rows, n);
    if (n < CT_FORGE_LANES) {
        for (uint32_t row = 0; row < n; row++) add_trees(f, scratch, row);
    } else {
        for (uint32_t t = 0; t < f->ensemble->n_trees; t++) {
            walk_tree(f, scratch, t, n);
            for (uint32_t row = 0; row < n; row++) add_leaf(f, scratch, t, row, scratch->at[row]);
        }
    }
    ct_forge_sums_end(f->ensemble, scratch->sums, scratch->rows, n, out + first, stride);
}

void ct_forge_tile_leaves(const ct_forged *f, ct_forge_tile_scratch *scratch,
                          const ct_column *columns, uint32_t first, uint32_t n, int32_t *out,
                          size_t stride)
{
    CT_ASSERT(n > 0 && n <= scratch->rows);
    ct_forge_input_rows(f, columns, first, n, scratch->x);
    for (uint32_t t = 0; t < f->ensemble->n_trees; t++) {
        walk_tree(f, scratch, t, n);
        for (uint32_t row = 0; row < n; row++)
            out[t * stride + first + row] = f->ensemble->leaf_id[f->node_of[scratch->at[row]]];
    }
}
