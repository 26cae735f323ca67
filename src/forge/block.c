/* Predictions of a block of rows by bit planes. */
#include "base/compact.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "forge/blocks.h"
#include "forge/input.h"
#include "forge/sums.h"

/* Where trees are walked below their tops, rows whose codes and sums stay in the cache. */
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
    size_t sum = f->ensemble->sum == CT_FORGE_F32 ? sizeof(float) : sizeof(double);
    uint32_t rows = ct_forge_block_rows(f);
    size_t n_codes = (size_t) rows * f->n_coded + 2 * CT_FORGE_LIST_PADDING;
    ct_forge_block_scratch *scratch = CT_ARENA_ZEROED(arena, ct_forge_block_scratch, 1);
    if (!scratch) return NULL;
    scratch->rows = rows;
    scratch->table = CT_ARENA_NEW(arena, uint64_t, (size_t) f->n_planes * CT_FORGE_BLOCK_WORDS);
    scratch->sums = ct_arena_alloc(arena, (size_t) f->ensemble->n_outputs * rows, sum);
    scratch->codes = CT_ARENA_ZEROED(arena, uint16_t, n_codes);
    if (!scratch->table || !scratch->sums || !scratch->codes) return NULL;
    scratch->codes += CT_FORGE_LIST_PADDING;
    memset(scratch->table, 0, CT_FORGE_BLOCK_WORDS * sizeof *scratch->table); /* plane 0 */
    return scratch;
}

/* The values of a column, one row after another; rows from n up to `rows` are 0. */
static const double *column_of(const ct_forged *f, ct_forge_block_scratch *scratch,
                               const ct_column *column, uint32_t first, uint32_t n, unsigned rows)
{
    CT_ASSERT(n <= rows && rows <= CT_FORGE_BLOCK && rows % 64 == 0);
    if (column->type == CT_DOUBLE && n == rows) return (const double *) column->values + first;
    for (uint32_t row = 0; row < n; row++)
        scratch->x[row] = ct_forge_input(column, first + row, f->ensemble->number);
    for (uint32_t row = n; row < rows; row++) scratch->x[row] = 0;
    return scratch->x;
}

/* Doubles were ranked as floats, which leaves open those that are the same float as a threshold. */
static void resolve_ranks(const ct_forge_search *s, const double *x,
                          ct_forge_block_scratch *scratch, unsigned rows)
{
    for (unsigned w = 0; w < rows / 64; w++)
        for (uint64_t open = scratch->same[w]; open; open &= open - 1) {
            uint32_t row = 64 * w + ct_trailing_zeros(open), rank = scratch->ranks[row];
            while (rank < s->n && s->rounded[rank] == (float) x[row] && s->exact[rank] < x[row])
                rank++;
            scratch->ranks[row] = (uint8_t) rank;
        }
}

static void find_zeros(const ct_forged *f, const double *x, ct_forge_block_scratch *scratch,
                       uint32_t n)
{
    memset(scratch->zero, 0, sizeof scratch->zero);
    for (uint32_t row = 0; row < n; row++) {
        double value = f->ensemble->number == CT_FORGE_F32 ? (float) x[row] : x[row];
        scratch->zero[row / 64] |= (uint64_t) (fabs(value) <= CT_FORGE_ZERO) << (row % 64);
    }
}

/* Rows of a block, and trees of a group with their searches and tests of codes. */
typedef struct {
    uint32_t first, n, at; /* from row `at` of the scratch memory on */
    unsigned words;
    uint32_t tree, search, set; /* from these on */
    const ct_forge_plane_group *end;
} block_of;

static void evaluate_searches(const ct_forged *f, const ct_forge_planes *planes,
                              ct_forge_block_scratch *scratch, const ct_column *columns,
                              const block_of *b)
{
    unsigned rows = (b->n + 63) / 64 * 64;
    uint32_t loaded = 0;
    const double *x = NULL;
    memset(scratch->ranks, 0, sizeof scratch->ranks);
    for (uint32_t i = b->search; i < b->end->search_end; i++) {
        const ct_forge_search *s = &f->searches[i];
        if (!x || s->column != loaded)
            x = column_of(f, scratch, &columns[f->used[s->column]], b->first, b->n, rows);
        loaded = s->column;
        planes->ranks(x, s, rows, scratch->ranks, scratch->same);
        if (s->exact) resolve_ranks(s, x, scratch, rows);
        if (s->any_zero) find_zeros(f, x, scratch, b->n);
        planes->tests(s, scratch->ranks, s->any_zero ? scratch->zero : NULL, b->words,
                      scratch->table);
    }
}

/* Whether a row goes left by a test of a code. */
static int in_set(const ct_forge_ensemble *e, uint32_t node, double x)
{
    if (!isnan(x)) return ct_forge_ensemble_in_set(e, node, x);
    return e->missing[node] == CT_FORGE_MISSING_NONE ? e->set_else[node] : e->default_left[node];
}

static void evaluate_sets(const ct_forged *f, ct_forge_block_scratch *scratch,
                          const ct_column *columns, const block_of *b)
{
    const ct_forge_ensemble *e = f->ensemble;
    for (uint32_t i = b->set; i < b->end->set_end; i++) {
        const ct_forge_set_test *test = &f->set_tests[i];
        const ct_column *from = &columns[f->used[test->column]];
        uint64_t *plane = scratch->table + (size_t) test->plane * CT_FORGE_BLOCK_WORDS;
        memset(plane, 0, CT_FORGE_BLOCK_WORDS * sizeof *plane);
        for (uint32_t row = 0; row < b->n; row++) {
            int left = in_set(e, test->node, ct_forge_input(from, b->first + row, e->number));
            plane[row / 64] |= (uint64_t) !left << (row % 64);
        }
    }
}

/* ---- codes ---- */

/* Codes n rows of a column, n a block at most. */
static void code_block(const ct_forged *f, const ct_forge_planes *planes,
                       ct_forge_block_scratch *scratch, const ct_forge_ranked_column *coded,
                       const ct_column *from, uint32_t first, uint32_t n, uint16_t *codes)
{
    CT_ASSERT(n > 0 && n <= CT_FORGE_BLOCK);
    const ct_forge_ensemble *e = f->ensemble;
    unsigned rows = (n + 63) / 64 * 64;
    if (!coded->pivots) {
        for (uint32_t row = 0; row < n; row++)
            codes[row] = !in_set(e, coded->node, ct_forge_input(from, first + row, e->number));
        return;
    }
    const double *x = column_of(f, scratch, from, first, n, rows);
    planes->codes(x, coded, e->number == CT_FORGE_F32, rows, codes);
    if (coded->kind < CT_FORGE_ZERO_LEFT) return;
    for (uint32_t row = 0; row < n; row++)
        if (fabs(ct_forge_input(from, first + row, e->number)) <= CT_FORGE_ZERO)
            codes[row] = coded->kind == CT_FORGE_ZERO_LEFT ? 0 : UINT16_MAX;
}

static void code_rows(const ct_forged *f, const ct_forge_planes *planes,
                      ct_forge_block_scratch *scratch, const ct_column *columns, uint32_t first,
                      uint32_t n, uint32_t block)
{
    for (uint32_t i = 0; i < f->n_coded; i++)
        for (uint32_t at = 0; at < n; at += block) {
            size_t coded_block = (size_t) (at / block) * f->n_coded + i;
            code_block(f, planes, scratch, &f->coded[i], &columns[f->used[f->coded[i].column]],
                       first + at, n - at < block ? n - at : block,
                       scratch->codes + coded_block * CT_FORGE_BLOCK);
        }
}

/* ---- trees ---- */

static void add_planes(const ct_forged *f, const ct_forge_planes *planes,
                       ct_forge_block_scratch *scratch, const ct_forge_plane_tree *tree,
                       const block_of *b)
{
    CT_ASSERT(b->at + b->n <= scratch->rows && !tree->entry);
    const ct_forge_ensemble *e = f->ensemble;
    unsigned rows = (b->n + 63) / 64 * 64;
    for (uint32_t k = 0; k < e->leaf_width; k++) {
        size_t at = (size_t) (tree->output + k) * scratch->rows + b->at;
        size_t from = (size_t) k << tree->bits;
        if (e->sum == CT_FORGE_F32)
            planes->add32((float *) scratch->sums + at, (const float *) tree->terms + from,
                          tree->bits, scratch->leaf, rows);
        else
            planes->add64((double *) scratch->sums + at, (const double *) tree->terms + from,
                          tree->slices ? tree->slices + 8 * from : NULL, tree->bits, scratch->leaf,
                          rows);
    }
}

/* Adds the leaves where rows ended, one a row, so that their order does not matter. */
static void add_ends(const ct_forge_ensemble *e, ct_forge_block_scratch *scratch,
                     const ct_forge_plane_tree *tree, const block_of *b)
{
    CT_ASSERT(e->leaf_width == 1 && tree->nodes);
    const uint32_t *ends = scratch->lists.ends;
    size_t at = (size_t) tree->output * scratch->rows + b->at;
    for (uint32_t i = 0; i < b->n; i++) {
        const uint64_t *leaf = &tree->nodes[ends[i] / CT_FORGE_BLOCK];
        if (e->sum == CT_FORGE_F32) {
            float term;
            uint32_t word = (uint32_t) *leaf;
            memcpy(&term, &word, sizeof term);
            ((float *) scratch->sums)[at + ends[i] % CT_FORGE_BLOCK] += term;
        } else {
            double term;
            memcpy(&term, leaf, sizeof term);
            ((double *) scratch->sums)[at + ends[i] % CT_FORGE_BLOCK] += term;
        }
    }
}

static void add_wide_ends(const ct_forge_ensemble *e, ct_forge_block_scratch *scratch,
                          const ct_forge_plane_tree *tree, const block_of *b)
{
    CT_ASSERT(e->leaf_width > 1 && tree->nodes && tree->terms);
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t end = scratch->lists.ends[i];
        size_t leaf = (size_t) tree->nodes[end / CT_FORGE_BLOCK] * e->leaf_width;
        for (uint32_t k = 0; k < e->leaf_width; k++) {
            size_t at = (size_t) k * scratch->rows + b->at + end % CT_FORGE_BLOCK;
            if (e->sum == CT_FORGE_F32)
                ((float *) scratch->sums)[at] += ((const float *) tree->terms)[leaf + k];
            else
                ((double *) scratch->sums)[at] += ((const double *) tree->terms)[leaf + k];
        }
    }
}

static void add_trees(const ct_forged *f, const ct_forge_planes *planes,
                      ct_forge_block_scratch *scratch, const uint16_t *codes, const block_of *b)
{
    const ct_forge_ensemble *e = f->ensemble;
    for (uint32_t t = b->tree; t < b->end->tree_end; t++) {
        const ct_forge_plane_tree *tree = &f->trees[t];
        planes->leaves(tree, scratch->table, b->words, scratch->leaf);
        if (!tree->entry) {
            add_planes(f, planes, scratch, tree, b);
            continue;
        }
        planes->walk(tree, codes, scratch->leaf, b->n, &scratch->lists);
        if (e->leaf_width == 1) add_ends(e, scratch, tree, b);
        else add_wide_ends(e, scratch, tree, b);
    }
}

void ct_forge_block_predict(const ct_forged *f, const ct_forge_planes *planes,
                            ct_forge_block_scratch *scratch, const ct_column *columns,
                            uint32_t first, uint32_t n, uint32_t block, double *out, size_t stride)
{
    CT_ASSERT(n > 0 && n <= scratch->rows && block <= CT_FORGE_BLOCK);
    ct_forge_sums_begin(f->ensemble, scratch->sums, scratch->rows, (n + 63) / 64 * 64);
    code_rows(f, planes, scratch, columns, first, n, block);
    block_of b = {.end = f->groups};
    for (; b.tree < f->ensemble->n_trees; b.end++) {
        for (b.at = 0; b.at < n; b.at += block) {
            const size_t first_code = (size_t) (b.at / block) * f->n_coded * CT_FORGE_BLOCK;
            const uint16_t *codes = scratch->codes + first_code;
            b.first = first + b.at;
            b.n = n - b.at < block ? n - b.at : block;
            b.words = (b.n + 63) / 64;
            b.words = (b.words + planes->vector - 1) / planes->vector * planes->vector;
            evaluate_searches(f, planes, scratch, columns, &b);
            evaluate_sets(f, scratch, columns, &b);
            add_trees(f, planes, scratch, codes, &b);
        }
        b.tree = b.end->tree_end, b.search = b.end->search_end, b.set = b.end->set_end;
    }
    ct_forge_sums_end(f->ensemble, scratch->sums, scratch->rows, n, out + first, stride);
}
