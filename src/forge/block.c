/* Predictions of a block of rows by bit planes. */
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "forge/blocks.h"
#include "forge/input.h"
#include "forge/sums.h"

ct_block_room *ct_block_room_new(const ct_forged *f, ct_arena *arena)
{
    size_t sum = f->ensemble->sum == CT_F32 ? sizeof(float) : sizeof(double);
    ct_block_room *room = CT_ARENA_ZEROED(arena, ct_block_room, 1);
    if (!room) return NULL;
    room->table = CT_ARENA_NEW(arena, uint64_t, (size_t) f->n_planes * CT_BLOCK_WORDS);
    room->sums = ct_arena_alloc(arena, (size_t) f->ensemble->n_outputs * CT_BLOCK, sum);
    if (!room->table || !room->sums) return NULL;
    memset(room->table, 0, CT_BLOCK_WORDS * sizeof *room->table); /* plane 0 */
    return room;
}

/* One row after another; rows from n up to `rows` are 0. */
static const double *column_of(const ct_forged *f, ct_block_room *room, const ct_column *column,
                               uint32_t first, uint32_t n, unsigned rows)
{
    if (column->type == CT_DOUBLE && n == rows) return (const double *) column->values + first;
    for (uint32_t row = 0; row < n; row++)
        room->x[row] = ct_input(column, first + row, f->ensemble->number);
    for (uint32_t row = n; row < rows; row++) room->x[row] = 0;
    return room->x;
}

/* Doubles were ranked as floats, which leaves open those that are the same float as a threshold. */
static void settle_ranks(const ct_forge_search *s, const double *x, ct_block_room *room,
                         unsigned rows)
{
    for (unsigned w = 0; w < rows / 64; w++)
        for (uint64_t open = room->same[w]; open; open &= open - 1) {
            uint32_t row = 64 * w + ct_trailing_zeros(open), rank = room->ranks[row];
            while (rank < s->n && s->rounded[rank] == (float) x[row] && s->exact[rank] < x[row])
                rank++;
            room->ranks[row] = (uint8_t) rank;
        }
}

static void find_zeros(const ct_forged *f, const double *x, ct_block_room *room, uint32_t n)
{
    memset(room->zero, 0, sizeof room->zero);
    for (uint32_t row = 0; row < n; row++) {
        double value = f->ensemble->number == CT_F32 ? (float) x[row] : x[row];
        room->zero[row / 64] |= (uint64_t) (fabs(value) <= CT_ZERO) << (row % 64);
    }
}

static void answer_numbers(const ct_forged *f, const ct_forge_planes *planes, ct_block_room *room,
                           const ct_column *columns, uint32_t first, uint32_t n, unsigned words)
{
    unsigned rows = (n + 63) / 64 * 64;
    uint32_t loaded = 0;
    const double *x = NULL;
    memset(room->ranks, 0, sizeof room->ranks);
    for (uint32_t i = 0; i < f->n_searches; i++) {
        const ct_forge_search *s = &f->searches[i];
        if (!x || s->column != loaded)
            x = column_of(f, room, &columns[f->used[s->column]], first, n, rows);
        loaded = s->column;
        planes->ranks(x, s, rows, room->ranks, room->same);
        if (s->exact) settle_ranks(s, x, room, rows);
        if (s->any_zero) find_zeros(f, x, room, n);
        planes->tests(s, room->ranks, s->any_zero ? room->zero : NULL, words, room->table);
    }
}

static void answer_sets(const ct_forged *f, ct_block_room *room, const ct_column *columns,
                        uint32_t first, uint32_t n)
{
    const ct_forge_ensemble *e = f->ensemble;
    for (uint32_t i = 0; i < f->n_set_tests; i++) {
        const ct_set_test *test = &f->set_tests[i];
        const ct_column *from = &columns[f->used[test->column]];
        uint64_t *plane = room->table + (size_t) test->plane * CT_BLOCK_WORDS;
        int nan_left = e->missing[test->node] == CT_MISSING_NONE ? e->set_else[test->node]
                                                                 : e->default_left[test->node];
        memset(plane, 0, CT_BLOCK_WORDS * sizeof *plane);
        for (uint32_t row = 0; row < n; row++) {
            double x = ct_input(from, first + row, e->number);
            int left = isnan(x) ? nan_left : ct_ensemble_in_set(e, test->node, x);
            plane[row / 64] |= (uint64_t) !left << (row % 64);
        }
    }
}

static void add_trees(const ct_forged *f, const ct_forge_planes *planes, ct_block_room *room,
                      uint32_t n, unsigned words)
{
    const ct_forge_ensemble *e = f->ensemble;
    unsigned rows = (n + 63) / 64 * 64;
    for (uint32_t t = 0; t < e->n_trees; t++) {
        const ct_plane_tree *tree = &f->trees[t];
        planes->leaves(tree, room->table, words, room->leaf);
        for (uint32_t k = 0; k < e->leaf_width; k++) {
            size_t at = (size_t) (tree->output + k) * CT_BLOCK, from = (size_t) k << tree->bits;
            if (e->sum == CT_F32)
                planes->add32((float *) room->sums + at, (const float *) tree->terms + from,
                              tree->bits, room->leaf, rows);
            else
                planes->add64((double *) room->sums + at, (const double *) tree->terms + from,
                              tree->bits, room->leaf, rows);
        }
    }
}

void ct_block_predict(const ct_forged *f, const ct_forge_planes *planes, ct_block_room *room,
                      const ct_column *columns, uint32_t first, uint32_t n, double *out,
                      size_t stride)
{
    CT_ASSERT(n > 0 && n <= CT_BLOCK);
    unsigned words = (n + 63) / 64;
    words = (words + planes->vector - 1) / planes->vector * planes->vector;
    answer_numbers(f, planes, room, columns, first, n, words);
    answer_sets(f, room, columns, first, n);
    ct_sums_begin(f->ensemble, room->sums, CT_BLOCK, (n + 63) / 64 * 64);
    add_trees(f, planes, room, n, words);
    ct_sums_end(f->ensemble, room->sums, CT_BLOCK, n, out + first, stride);
}
