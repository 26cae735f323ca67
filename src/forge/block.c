/* Predictions of a block of rows by bit planes. */
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "forge/blocks.h"
#include "forge/input.h"
#include "forge/sums.h"

/* Where trees are walked, as many rows as have their codes and sums in the cache. */
uint32_t ct_forge_block_rows(const ct_forged *f)
{
    enum { BLOCKS = 64, BYTES = 1 << 20 };
    uint64_t row = f->n_coded * sizeof(uint16_t) + f->ensemble->n_outputs * sizeof(double);
    uint32_t rows = CT_FORGE_BLOCK * (f->n_coded ? BLOCKS : 1);
    while (rows > CT_FORGE_BLOCK && rows * row > BYTES) rows /= 2;
    return rows;
}

ct_forge_block_scratch *ct_forge_block_scratch_new(const ct_forged *f, ct_arena *arena)
{
    CT_ASSERT(f->has_planes && f->n_planes > 0);
    size_t sum = f->ensemble->sum == CT_F32 ? sizeof(float) : sizeof(double);
    uint32_t rows = ct_forge_block_rows(f);
    size_t n_codes = (size_t) rows * f->n_coded + 2 * CT_FORGE_LIST_PADDING;
    ct_forge_block_scratch *room = CT_ARENA_ZEROED(arena, ct_forge_block_scratch, 1);
    if (!room) return NULL;
    room->rows = rows;
    room->table = CT_ARENA_NEW(arena, uint64_t, (size_t) f->n_planes * CT_FORGE_BLOCK_WORDS);
    room->sums = ct_arena_alloc(arena, (size_t) f->ensemble->n_outputs * rows, sum);
    room->codes = CT_ARENA_ZEROED(arena, uint16_t, n_codes);
    if (!room->table || !room->sums || !room->codes) return NULL;
    room->codes += CT_FORGE_LIST_PADDING;
    memset(room->table, 0, CT_FORGE_BLOCK_WORDS * sizeof *room->table); /* plane 0 */
    return room;
}

/* One row after another; rows from n up to `rows` are 0. */
static const double *column_of(const ct_forged *f, ct_forge_block_scratch *room,
                               const ct_column *column, uint32_t first, uint32_t n, unsigned rows)
{
    if (column->type == CT_DOUBLE && n == rows) return (const double *) column->values + first;
    for (uint32_t row = 0; row < n; row++)
        room->x[row] = ct_forge_input(column, first + row, f->ensemble->number);
    for (uint32_t row = n; row < rows; row++) room->x[row] = 0;
    return room->x;
}

/* Doubles were ranked as floats, which leaves open those that are the same float as a threshold. */
static void settle_ranks(const ct_forge_search *s, const double *x, ct_forge_block_scratch *room,
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

static void find_zeros(const ct_forged *f, const double *x, ct_forge_block_scratch *room,
                       uint32_t n)
{
    memset(room->zero, 0, sizeof room->zero);
    for (uint32_t row = 0; row < n; row++) {
        double value = f->ensemble->number == CT_F32 ? (float) x[row] : x[row];
        room->zero[row / 64] |= (uint64_t) (fabs(value) <= CT_FORGE_ZERO) << (row % 64);
    }
}

/* Rows of a block, and trees of a group with their searches and tests of codes. */
typedef struct {
    uint32_t first, n, at; /* row `at` of the room's */
    unsigned words;
    uint32_t tree, search, set; /* from these on */
    const ct_forge_plane_group *end;
} block_of;

static void answer_numbers(const ct_forged *f, const ct_forge_planes *planes,
                           ct_forge_block_scratch *room, const ct_column *columns,
                           const block_of *b)
{
    unsigned rows = (b->n + 63) / 64 * 64;
    uint32_t loaded = 0;
    const double *x = NULL;
    memset(room->ranks, 0, sizeof room->ranks);
    for (uint32_t i = b->search; i < b->end->search_end; i++) {
        const ct_forge_search *s = &f->searches[i];
        if (!x || s->column != loaded)
            x = column_of(f, room, &columns[f->used[s->column]], b->first, b->n, rows);
        loaded = s->column;
        planes->ranks(x, s, rows, room->ranks, room->same);
        if (s->exact) settle_ranks(s, x, room, rows);
        if (s->any_zero) find_zeros(f, x, room, b->n);
        planes->tests(s, room->ranks, s->any_zero ? room->zero : NULL, b->words, room->table);
    }
}

/* Whether a row goes left by a test of a code. */
static int in_set(const ct_forge_ensemble *e, uint32_t node, double x)
{
    if (!isnan(x)) return ct_forge_ensemble_in_set(e, node, x);
    return e->missing[node] == CT_MISSING_NONE ? e->set_else[node] : e->default_left[node];
}

static void answer_sets(const ct_forged *f, ct_forge_block_scratch *room, const ct_column *columns,
                        const block_of *b)
{
    const ct_forge_ensemble *e = f->ensemble;
    for (uint32_t i = b->set; i < b->end->set_end; i++) {
        const ct_forge_set_test *test = &f->set_tests[i];
        const ct_column *from = &columns[f->used[test->column]];
        uint64_t *plane = room->table + (size_t) test->plane * CT_FORGE_BLOCK_WORDS;
        memset(plane, 0, CT_FORGE_BLOCK_WORDS * sizeof *plane);
        for (uint32_t row = 0; row < b->n; row++) {
            int left = in_set(e, test->node, ct_forge_input(from, b->first + row, e->number));
            plane[row / 64] |= (uint64_t) !left << (row % 64);
        }
    }
}

/* ---- codes ---- */

/* Of n rows of a column, n a block at most. */
static void code_block(const ct_forged *f, const ct_forge_planes *planes,
                       ct_forge_block_scratch *room, const ct_forge_ranked_column *coded,
                       const ct_column *from, uint32_t first, uint32_t n, uint16_t *codes)
{
    const ct_forge_ensemble *e = f->ensemble;
    unsigned rows = (n + 63) / 64 * 64;
    if (!coded->pivots) {
        for (uint32_t row = 0; row < n; row++)
            codes[row] = !in_set(e, coded->node, ct_forge_input(from, first + row, e->number));
        return;
    }
    const double *x = column_of(f, room, from, first, n, rows);
    planes->codes(x, coded, e->number == CT_F32, rows, codes);
    if (coded->kind < CT_ZERO_LEFT) return;
    for (uint32_t row = 0; row < n; row++)
        if (fabs(ct_forge_input(from, first + row, e->number)) <= CT_FORGE_ZERO)
            codes[row] = coded->kind == CT_ZERO_LEFT ? 0 : UINT16_MAX;
}

static void code_rows(const ct_forged *f, const ct_forge_planes *planes,
                      ct_forge_block_scratch *room, const ct_column *columns, uint32_t first,
                      uint32_t n, uint32_t block)
{
    for (uint32_t i = 0; i < f->n_coded; i++)
        for (uint32_t at = 0; at < n; at += block) {
            size_t place = (size_t) (at / block) * f->n_coded + i;
            code_block(f, planes, room, &f->coded[i], &columns[f->used[f->coded[i].column]],
                       first + at, n - at < block ? n - at : block,
                       room->codes + place * CT_FORGE_BLOCK);
        }
}

/* ---- trees ---- */

static void add_planes(const ct_forged *f, const ct_forge_planes *planes,
                       ct_forge_block_scratch *room, const ct_forge_plane_tree *tree,
                       const block_of *b)
{
    const ct_forge_ensemble *e = f->ensemble;
    unsigned rows = (b->n + 63) / 64 * 64;
    for (uint32_t k = 0; k < e->leaf_width; k++) {
        size_t at = (size_t) (tree->output + k) * room->rows + b->at;
        size_t from = (size_t) k << tree->bits;
        if (e->sum == CT_F32)
            planes->add32((float *) room->sums + at, (const float *) tree->terms + from,
                          tree->bits, room->leaf, rows);
        else
            planes->add64((double *) room->sums + at, (const double *) tree->terms + from,
                          tree->slices ? tree->slices + 8 * from : NULL, tree->bits, room->leaf,
                          rows);
    }
}

/* Each row has one end, so that their order does not matter. */
static void add_ends(const ct_forge_ensemble *e, ct_forge_block_scratch *room,
                     const ct_forge_plane_tree *tree, const block_of *b)
{
    const uint32_t *ends = room->lists.ends;
    size_t at = (size_t) tree->output * room->rows + b->at;
    for (uint32_t i = 0; i < b->n; i++) {
        const uint64_t *leaf = &tree->nodes[ends[i] / CT_FORGE_BLOCK];
        if (e->sum == CT_F32) {
            float term;
            uint32_t word = (uint32_t) *leaf;
            memcpy(&term, &word, sizeof term);
            ((float *) room->sums)[at + ends[i] % CT_FORGE_BLOCK] += term;
        } else {
            double term;
            memcpy(&term, leaf, sizeof term);
            ((double *) room->sums)[at + ends[i] % CT_FORGE_BLOCK] += term;
        }
    }
}

static void add_wide_ends(const ct_forge_ensemble *e, ct_forge_block_scratch *room,
                          const ct_forge_plane_tree *tree, const block_of *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t end = room->lists.ends[i];
        size_t leaf = (size_t) tree->nodes[end / CT_FORGE_BLOCK] * e->leaf_width;
        for (uint32_t k = 0; k < e->leaf_width; k++) {
            size_t at = (size_t) k * room->rows + b->at + end % CT_FORGE_BLOCK;
            if (e->sum == CT_F32)
                ((float *) room->sums)[at] += ((const float *) tree->terms)[leaf + k];
            else
                ((double *) room->sums)[at] += ((const double *) tree->terms)[leaf + k];
        }
    }
}

static void add_trees(const ct_forged *f, const ct_forge_planes *planes,
                      ct_forge_block_scratch *room, const uint16_t *codes, const block_of *b)
{
    const ct_forge_ensemble *e = f->ensemble;
    for (uint32_t t = b->tree; t < b->end->tree_end; t++) {
        const ct_forge_plane_tree *tree = &f->trees[t];
        planes->leaves(tree, room->table, b->words, room->leaf);
        if (!tree->entry) {
            add_planes(f, planes, room, tree, b);
            continue;
        }
        planes->walk(tree, codes, room->leaf, b->n, &room->lists);
        if (e->leaf_width == 1) add_ends(e, room, tree, b);
        else add_wide_ends(e, room, tree, b);
    }
}

void ct_forge_block_predict(const ct_forged *f, const ct_forge_planes *planes,
                            ct_forge_block_scratch *room, const ct_column *columns, uint32_t first,
                            uint32_t n, uint32_t block, double *out, size_t stride)
{
    CT_ASSERT(n > 0 && n <= room->rows && block <= CT_FORGE_BLOCK);
    ct_forge_sums_begin(f->ensemble, room->sums, room->rows, (n + 63) / 64 * 64);
    code_rows(f, planes, room, columns, first, n, block);
    block_of b = {.end = f->groups};
    for (; b.tree < f->ensemble->n_trees; b.end++) {
        for (b.at = 0; b.at < n; b.at += block) {
            const size_t first_code = (size_t) (b.at / block) * f->n_coded * CT_FORGE_BLOCK;
            const uint16_t *codes = room->codes + first_code;
            b.first = first + b.at;
            b.n = n - b.at < block ? n - b.at : block;
            b.words = (b.n + 63) / 64;
            b.words = (b.words + planes->vector - 1) / planes->vector * planes->vector;
            answer_numbers(f, planes, room, columns, &b);
            answer_sets(f, room, columns, &b);
            add_trees(f, planes, room, codes, &b);
        }
        b.tree = b.end->tree_end, b.search = b.end->search_end, b.set = b.end->set_end;
    }
    ct_forge_sums_end(f->ensemble, room->sums, room->rows, n, out + first, stride);
}
