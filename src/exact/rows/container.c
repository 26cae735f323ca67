#include "exact/rows/container.h"

#include <string.h>

#include "base/bits.h"
#include "exact/rows/planes.h"

/* Sets up the arrays of pointers; NULL if memory ends. */
static ct_container *container_new(ct_worker *worker, uint32_t n_rows, uint32_t n_cols, uint32_t n_classes)
{
    ct_arena *arena = &worker->arena;
    ct_container *box = CT_ARENA_ZEROED(arena, ct_container, 1);
    if (!box) return NULL;
    CT_ASSERT(n_rows > 0 && n_cols > 0 && n_classes > 0);
    box->n_rows = n_rows;
    box->n_cols = n_cols;
    box->n_classes = n_classes;
    box->words = CT_WORDS(n_rows);
    CT_ASSERT(box->words % CT_WORD_STEP == 0 && box->words * 64 >= n_rows);
    box->n_values = CT_ARENA_NEW(arena, uint32_t, n_cols);
    box->n_planes = CT_ARENA_NEW(arena, unsigned, n_cols);
    box->order = CT_ARENA_NEW(arena, uint32_t *, n_cols);
    box->ties = CT_ARENA_NEW(arena, uint64_t *, n_cols);
    box->marks = CT_ARENA_NEW(arena, uint32_t *, n_cols);
    box->digits = CT_ARENA_NEW(arena, uint8_t, n_rows);
    int weighted = worker->search->costs->weights != NULL;
    box->weights = weighted ? CT_ARENA_ZEROED(arena, int64_t, (size_t) n_cols * box->words * 64) : NULL;
    const ct_quantised *quantised = worker->search->costs->quantised;
    size_t quantised_words = quantised ? n_cols * (quantised->n_planes * box->words) : 0;
    box->n_quantised_planes = quantised ? quantised->n_planes : 0;
    box->quantised_planes = quantised_words ? CT_ARENA_NEW(arena, uint64_t, quantised_words) : NULL;
    box->quantised_bytes = quantised_words ? CT_ARENA_ZEROED(arena, uint8_t, (size_t) n_cols * box->words * 64) : NULL;
    uint32_t *marks = CT_ARENA_NEW(arena, uint32_t, n_cols * (box->words + 1));
    box->sets = CT_ARENA_ZEROED(arena, uint64_t, (size_t) n_cols * n_classes * box->words);
    if (!box->n_values || !box->n_planes || !box->order || !box->ties || !box->marks ||
        !box->digits || !marks || !box->sets || (weighted && !box->weights) ||
        (quantised_words && !(box->quantised_planes && box->quantised_bytes)))
        return NULL;
    for (uint32_t f = 0; f < n_cols; f++) box->marks[f] = marks + f * (box->words + 1);
    return box;
}

/* Counts the tie marks of f; its order and ties are in place. */
static void finish_feature(ct_container *box, uint32_t f)
{
    uint32_t before = 0;
    for (size_t w = 0; w < box->words; w++) {
        box->marks[f][w] = before;
        before += ct_popcount(box->ties[f][w]);
    }
    CT_ASSERT(before < box->n_rows /* never after the last row */);
    box->marks[f][box->words] = before;
    box->n_values[f] = before + 1;
    box->n_planes[f] = ct_bit_width(before);
    CT_ASSERT(box->n_planes[f] <= 32);
}

static ct_container *out_of_memory(ct_worker *worker)
{
    ct_worker_stop(worker, CT_END_MEMORY);
    return NULL;
}

/* The members of each class in the order of f, one by one. */
static void sets_by_row(ct_container *box, uint32_t f, const int32_t *classes)
{
    uint64_t *sets = ct_container_sets(box, f);
    for (uint32_t j = 0; j < box->n_rows; j++)
        sets[(size_t) classes[box->order[f][j]] * box->words + j / 64] |= UINT64_C(1) << j % 64;
}

/* The same 64 at a time, from the bit planes of the class codes, which are in box->digits. */
static void sets_by_planes(ct_worker *worker, ct_container *box, uint32_t f, uint64_t *planes, unsigned n_planes)
{
    uint64_t *sets = ct_container_sets(box, f);
    worker->search->kernels->planes(box->digits, box->order[f], box->n_rows, planes, box->words, n_planes);
    for (size_t w = 0; w * 64 < box->n_rows; w++) {
        uint64_t rows = box->n_rows - w * 64 < 64 ? ct_low_bits(box->n_rows % 64) : ~UINT64_C(0);
        for (uint32_t c = 0; c < box->n_classes; c++) {
            uint64_t members = rows;
            for (unsigned bit = 0; bit < n_planes; bit++)
                members &= planes[bit * box->words + w] ^ (UINT64_C(0) - (c >> bit & 1));
            sets[c * box->words + w] = members;
        }
    }
}

static int whole_sets(ct_worker *worker, ct_container *box, const int32_t *classes)
{
    enum { MANY = 16 }; /* from here on the planes would have to be combined too often */
    ct_arena_mark mark = ct_arena_here(&worker->arena);
    unsigned n_planes = ct_bit_width(box->n_classes - 1);
    CT_ASSERT(box->n_classes > MANY || n_planes <= 8);
    uint64_t *planes = CT_ARENA_NEW(&worker->arena, uint64_t, (n_planes ? n_planes : 1) * box->words);
    if (!planes) return 0;
    for (uint32_t row = 0; row < box->n_rows; row++) box->digits[row] = (uint8_t) classes[row];
    for (uint32_t f = 0; f < box->n_cols; f++) {
        if (box->n_classes > MANY) sets_by_row(box, f, classes);
        else sets_by_planes(worker, box, f, planes, n_planes);
    }
    ct_arena_release(&worker->arena, mark);
    return 1;
}

/* The quantised costs of rows, by number, in every feature's order. */
static void lay_out_quantised(const ct_worker *worker, ct_container *box, const uint8_t *costs)
{
    for (uint32_t f = 0; box->quantised_bytes && f < box->n_cols; f++) {
        uint8_t *bytes = ct_container_quantised_bytes(box, f);
        for (uint32_t j = 0; j < box->n_rows; j++) bytes[j] = costs[box->order[f][j]];
        worker->search->kernels->planes(costs, box->order[f], box->n_rows, ct_container_quantised_planes(box, f), box->words,
                                        box->n_quantised_planes);
    }
}

ct_container *ct_container_whole(ct_worker *worker, const ct_table *table)
{
    CT_ASSERT(ct_table_is_ranked(table));
    ct_container *box = container_new(worker, table->n_rows, table->n_cols, table->n_classes);
    if (!box) return out_of_memory(worker);
    for (uint32_t f = 0; f < box->n_cols; f++) {
        box->order[f] = table->order[f];
        box->ties[f] = table->ties[f];
        finish_feature(box, f);
        int64_t *weights = ct_container_weights(box, f);
        CT_ASSERT(box->n_values[f] == table->n_values[f]);
        for (uint32_t j = 0; weights && j < box->n_rows; j++) weights[j] = worker->search->costs->weights[box->order[f][j]];
    }
    if (worker->search->costs->quantised) lay_out_quantised(worker, box, worker->search->costs->quantised->rows);
    return whole_sets(worker, box, table->data->classes) && ct_planes_take_room(worker, box) ? box : out_of_memory(worker);
}

static uint64_t members_in(const uint64_t *sets, uint32_t n_classes, size_t words, size_t w)
{
    uint64_t members = 0;
    for (uint32_t c = 0; c < n_classes; c++) members |= sets[c * words + w];
    return members;
}

/* Writes order, ties, sets and global ranks of feature f of the part; `renumber` gives the new row numbers. */
static void part_feature(ct_container *box, const ct_container *parent, const uint64_t *sets, size_t begin, size_t end,
                         uint32_t f, const uint32_t *renumber)
{
    uint32_t j = 0, rank = 0, last_rank = 0;
    uint64_t *own = ct_container_sets(box, f);
    int64_t *weights = ct_container_weights(box, f);
    for (size_t w = begin; w < end; w++) {
        for (uint64_t rest = members_in(sets, box->n_classes, parent->words, w); rest; rest &= rest - 1, j++) {
            unsigned bit = ct_trailing_zeros(rest);
            uint32_t parent_rank = parent->marks[f][w] + ct_popcount(parent->ties[f][w] & ct_low_bits(bit));
            CT_ASSERT(j < box->n_rows && (!j || parent_rank >= last_rank) && parent_rank < parent->n_values[f]);
            if (j && parent_rank != last_rank) {
                box->ties[f][(j - 1) / 64] |= UINT64_C(1) << (j - 1) % 64;
                rank++;
            }
            last_rank = parent_rank;
            box->global[f][rank] = parent->global ? parent->global[f][parent_rank] : parent_rank;
            CT_ASSERT(!rank || box->global[f][rank] > box->global[f][rank - 1]);
            CT_ASSERT(renumber[parent->order[f][w * 64 + bit]] < box->n_rows);
            box->order[f][j] = renumber[parent->order[f][w * 64 + bit]];
            if (weights) weights[j] = ct_container_weights(parent, f)[w * 64 + bit];
            for (uint32_t c = 0; c < box->n_classes; c++)
                own[c * box->words + j / 64] |= (sets[c * parent->words + w] >> bit & 1) << j % 64;
        }
    }
    finish_feature(box, f);
    CT_ASSERT(j == box->n_rows && rank + 1 == box->n_values[f] /* the same rows in every order */);
}

ct_container *ct_container_part(ct_worker *worker, const ct_container *parent, const uint64_t *sets,
                                const size_t *begin, const size_t *end, uint32_t n_rows)
{
    ct_arena *arena = &worker->arena;
    uint32_t n_cols = parent->n_cols;
    CT_ASSERT(n_rows > 0 && n_rows <= parent->n_rows);
    ct_container *box = container_new(worker, n_rows, n_cols, parent->n_classes);
    if (!box) return out_of_memory(worker);
    box->global = CT_ARENA_NEW(arena, uint32_t *, n_cols);
    uint32_t *numbers = CT_ARENA_NEW(arena, uint32_t, 2 * (size_t) n_cols * n_rows);
    uint64_t *ties = CT_ARENA_ZEROED(arena, uint64_t, n_cols * box->words);
    ct_arena_mark mark = ct_arena_here(arena);
    uint32_t *renumber = CT_ARENA_NEW(arena, uint32_t, parent->n_rows);
    if (!box->global || !numbers || !ties || !renumber) return out_of_memory(worker);

    CT_ASSERT(begin[0] <= end[0] && end[0] <= parent->words);
    uint32_t next = 0;
    for (size_t w = begin[0]; w < end[0]; w++)
        for (uint64_t rest = members_in(sets, box->n_classes, parent->words, w); rest; rest &= rest - 1, next++) {
            size_t position = w * 64 + ct_trailing_zeros(rest);
            renumber[parent->order[0][position]] = next;
            if (parent->quantised_bytes) box->digits[next] = parent->quantised_bytes[position];
        }
    CT_ASSERT(next == n_rows);
    for (uint32_t f = 0; f < n_cols; f++) {
        box->order[f] = numbers + 2 * (size_t) f * n_rows;
        box->global[f] = box->order[f] + n_rows;
        box->ties[f] = ties + f * box->words;
        part_feature(box, parent, sets + (size_t) f * box->n_classes * parent->words, begin[f], end[f], f,
                     renumber);
    }
    ct_arena_release(arena, mark);
    lay_out_quantised(worker, box, box->digits);
    worker->statistics.containers++;
    return ct_planes_take_room(worker, box) ? box : out_of_memory(worker);
}
