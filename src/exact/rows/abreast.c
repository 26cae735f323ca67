#include "exact/rows/abreast.h"

#include <string.h>

#include "base/bits.h"
#include "base/status.h"

/* Bytes of the ranks of one feature, of places up to 255 or of those beyond. */
static size_t bytes_of(uint32_t n_rows, uint32_t n_cols)
{
    return ct_abreast_blocks(n_cols) * ct_abreast_stride(n_rows) * CT_BESIDE;
}

int ct_abreast_fits(const ct_worker *worker, uint32_t n_rows, uint32_t n_cols)
{
    const ct_exact_costs *costs = worker->search->costs;
    if (!costs->response || ct_response_weights(costs) || n_rows > CT_ABREAST_ROWS) return 0;
    return 2 * n_cols * bytes_of(n_rows, n_cols) <= worker->search->plane_budget;
}

/* The rows at the places of f's order, side by side with those of its block. */
static void place_rows(const ct_layout *layout, ct_abreast_layout *to, uint32_t f, int32_t *z)
{
    size_t at = f / CT_BESIDE * to->rows.stride * CT_BESIDE + f % CT_BESIDE;
    const int32_t *from = layout->z + f * layout->stride;
    const uint32_t *order = layout->order[f];
    for (uint32_t j = 0; j < layout->n_rows; j++, at += CT_BESIDE) {
        CT_ASSERT(order[j] < layout->n_rows);
        z[at] = from[j];
        to->places[at] = (uint8_t) order[j];
    }
}

/* Marks the places of f that `bits` names, with the marks of its block. */
static void mark_places(const ct_abreast *rows, uint32_t f, const uint64_t *bits, uint16_t *marks)
{
    marks += f / CT_BESIDE * rows->stride;
    for (size_t w = 0; w * 64 < rows->n_rows; w++)
        for (uint64_t rest = bits[w]; rest; rest &= rest - 1) {
            size_t place = w * 64 + ct_trailing_zeros(rest);
            marks[place] = (uint16_t) (marks[place] | 1U << f % CT_BESIDE);
        }
}

/* The rest of f: where its values start, and what is only there if need be. */
static void place_marks(const ct_layout *layout, ct_abreast_layout *to, uint32_t f,
                        uint16_t *starts, uint16_t *members)
{
    uint64_t bits[CT_ABREAST_ROWS / 64 + 1], before = 1;
    for (size_t w = 0; w * 64 < layout->n_rows; w++) {
        bits[w] = layout->ties[f][w] << 1 | before;
        before = layout->ties[f][w] >> 63;
    }
    mark_places(&to->rows, f, bits, starts);
    if (members) mark_places(&to->rows, f, ct_layout_sets(layout, f), members);
    for (uint32_t j = 0; to->beyond && j < layout->n_rows; j++) {
        uint16_t *beyond = to->beyond + f / CT_BESIDE * to->rows.stride + j;
        *beyond = (uint16_t) (*beyond | (layout->order[f][j] >> 8) << f % CT_BESIDE);
    }
    to->rows.tied |= layout->tied[f];
}

/* Room for the ranks of every feature. */
static int take_room(ct_arena *arena, const ct_layout *layout, ct_abreast_layout *to)
{
    size_t n = 2 * (size_t) layout->n_cols, bytes = bytes_of(layout->n_rows, layout->n_cols);
    to->ranks = CT_ARENA_ZEROED(arena, uint8_t *, n);
    to->made = CT_ARENA_ZEROED(arena, uint8_t, n);
    for (size_t i = 0; to->ranks && i < n; i++) {
        if (i % 2 && layout->n_values[i / 2] <= 256) continue;
        to->ranks[i] = CT_ARENA_NEW(arena, uint8_t, bytes);
        if (!to->ranks[i]) return 0;
    }
    return to->ranks && to->made;
}

ct_status ct_abreast_make(ct_worker *worker, ct_layout *layout)
{
    ct_arena *arena = &worker->arena;
    size_t stride = ct_abreast_stride(layout->n_rows),
           n = ct_abreast_blocks(layout->n_cols) * stride;
    ct_abreast_layout *to = CT_ARENA_ZEROED(arena, ct_abreast_layout, 1);
    if (!to) return ct_worker_no_memory(worker);
    CT_ASSERT(layout->n_rows <= CT_ABREAST_ROWS && layout->n_classes == 1 && layout->z);
    int32_t *z = CT_ARENA_ZEROED(arena, int32_t, n * CT_BESIDE);
    uint16_t *starts = CT_ARENA_ZEROED(arena, uint16_t, n),
             *members = layout->outer ? CT_ARENA_ZEROED(arena, uint16_t, n) : NULL;
    to->places = CT_ARENA_ZEROED(arena, uint8_t, n * CT_BESIDE);
    to->beyond = layout->n_rows > 256 ? CT_ARENA_ZEROED(arena, uint16_t, n) : NULL;
    if (!z || !starts || !to->places || (layout->outer && !members) ||
        (layout->n_rows > 256 && !to->beyond) || !take_room(arena, layout, to))
        return ct_worker_no_memory(worker);
    to->rows = (ct_abreast){layout->n_rows, stride, z, starts, members, 0};
    for (uint32_t f = 0; f < layout->n_cols; f++) {
        place_rows(layout, to, f, z);
        place_marks(layout, to, f, starts, members);
    }
    layout->abreast = to;
    return CT_OK;
}

/* The ranks of f by row, as one of both arrays has them. */
static void list_ranks(const ct_layout *layout, uint32_t f, int upper, uint8_t table[512])
{
    const uint32_t *ranks = layout->ranks + f * layout->stride;
    for (uint32_t j = 0; j < layout->n_rows; j++) {
        uint32_t rank = ranks[j], byte = upper ? rank > 255 ? rank - 255 : 0
                                               : rank < 255 ? rank : 255;
        CT_ASSERT(byte <= 255 && layout->order[f][j] < 512);
        table[layout->order[f][j]] = (uint8_t) byte;
    }
}

/* The ranks of f, or those above 255; at most once. */
static void make_ranks(ct_worker *worker, ct_layout *layout, uint32_t f, int upper)
{
    ct_abreast_layout *to = layout->abreast;
    size_t i = 2 * (size_t) f + (size_t) upper;
    CT_ASSERT(f < layout->n_cols && to->ranks[i]);
    if (to->made[i]) return;
    uint8_t table[512] = {0};
    list_ranks(layout, f, upper, table);
    worker->search->kernels->look_up(table, to->places, to->beyond,
                                     ct_abreast_blocks(layout->n_cols) * to->rows.stride,
                                     to->ranks[i]);
    to->made[i] = 1;
    worker->statistics.planes++;
}

void ct_abreast_prepare(ct_worker *worker, ct_layout *layout, uint32_t first, uint32_t step)
{
    for (uint32_t f = first; f < layout->n_cols; f += step)
        for (int upper = 0; upper < 2; upper++)
            if (layout->abreast->ranks[2 * (size_t) f + (size_t) upper])
                make_ranks(worker, layout, f, upper);
}

ct_cut ct_abreast_cut(ct_worker *worker, ct_layout *layout, uint32_t f, uint32_t t)
{
    int upper = t > 255;
    CT_ASSERT(t > 0 && t < layout->n_values[f]);
    make_ranks(worker, layout, f, upper);
    return (ct_cut){layout->abreast->ranks[2 * (size_t) f + (size_t) upper],
                    (uint8_t) (upper ? t - 255 : t)};
}
