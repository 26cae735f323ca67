#include "exact/rows/layout.h"

#include <string.h>

#include "base/bits.h"
#include "exact/rows/planes.h"

/* Vectors of words are read whole, and so are the rows of these, behind the last one of the last
 * feature as well. */
enum { BEYOND = CT_WORD_STEP * 64 };

/* Sets up the arrays of pointers; NULL if memory ends. */
static ct_layout *layout_new(ct_worker *worker, uint32_t n_rows, uint32_t n_cols,
                             uint32_t n_classes)
{
    ct_arena *arena = &worker->arena;
    ct_layout *layout = CT_ARENA_ZEROED(arena, ct_layout, 1);
    if (!layout) return NULL;
    CT_ASSERT(n_rows > 0 && n_cols > 0 && n_classes > 0);
    layout->n_rows = n_rows;
    layout->n_cols = n_cols;
    layout->n_classes = n_classes;
    layout->words = CT_WORDS(n_rows);
    CT_ASSERT(layout->words % CT_WORD_STEP == 0 && layout->words * 64 >= n_rows);
    layout->n_values = CT_ARENA_NEW(arena, uint32_t, n_cols);
    layout->n_planes = CT_ARENA_NEW(arena, unsigned, n_cols);
    layout->order = CT_ARENA_NEW(arena, uint32_t *, n_cols);
    layout->ties = CT_ARENA_NEW(arena, uint64_t *, n_cols);
    layout->marks = CT_ARENA_NEW(arena, uint32_t *, n_cols);
    layout->digits = CT_ARENA_NEW(arena, uint8_t, n_rows);
    int weighted = ct_response_weights(worker->search->costs) != NULL;
    layout->weights = weighted
                          ? CT_ARENA_ZEROED(arena, int64_t, (size_t) n_cols * layout->words * 64)
                          : NULL;
    const ct_quantised *quantised = worker->search->costs->quantised;
    size_t quantised_words = quantised ? n_cols * (quantised->n_planes * layout->words) : 0;
    layout->n_quantised_planes = quantised ? quantised->n_planes : 0;
    layout->quantised_planes = quantised_words ? CT_ARENA_NEW(arena, uint64_t, quantised_words)
                                               : NULL;
    layout->quantised_bytes = quantised_words
                                  ? CT_ARENA_ZEROED(arena, uint8_t,
                                                    (size_t) n_cols * layout->words * 64)
                                  : NULL;
    int has_response = worker->search->costs->response != NULL;
    layout->stride = ((size_t) n_rows + 63) / 64 * 64;
    size_t listed = has_response ? n_cols * layout->stride + BEYOND : 0;
    layout->z = listed ? CT_ARENA_ZEROED(arena, int32_t, listed) : NULL;
    layout->ranks = listed ? CT_ARENA_NEW(arena, uint32_t, listed) : NULL;
    layout->tied = has_response ? CT_ARENA_NEW(arena, uint8_t, n_cols) : NULL;
    uint32_t *marks = CT_ARENA_NEW(arena, uint32_t, n_cols * (layout->words + 1));
    layout->sets = CT_ARENA_ZEROED(arena, uint64_t, (size_t) n_cols * n_classes * layout->words);
    if (!layout->n_values || !layout->n_planes || !layout->order || !layout->ties ||
        !layout->marks || !layout->digits || !marks || !layout->sets ||
        (weighted && !layout->weights) ||
        (listed && !(layout->z && layout->ranks && layout->tied)) ||
        (quantised_words && !(layout->quantised_planes && layout->quantised_bytes)))
        return NULL;
    for (uint32_t f = 0; f < n_cols; f++) layout->marks[f] = marks + f * (layout->words + 1);
    return layout;
}

/* Lists the ranks of f; its ties are in place. */
static void list_ranks(ct_layout *layout, uint32_t f)
{
    uint32_t *ranks = ct_layout_ranks(layout, f), rank = 0;
    for (uint32_t j = 0; ranks && j < layout->n_rows; j++) {
        ranks[j] = rank;
        rank += (uint32_t) ct_bit(layout->ties[f], j);
    }
}

/* Counts the tie marks of f; its order and ties are in place. */
static void finish_feature(ct_layout *layout, uint32_t f)
{
    uint32_t before = 0;
    for (size_t w = 0; w < layout->words; w++) {
        layout->marks[f][w] = before;
        before += ct_popcount(layout->ties[f][w]);
    }
    CT_ASSERT(before < layout->n_rows /* never after the last row */);
    layout->marks[f][layout->words] = before;
    layout->n_values[f] = before + 1;
    layout->n_planes[f] = ct_bit_width(before);
    if (layout->tied) layout->tied[f] = layout->n_values[f] < layout->n_rows;
    CT_ASSERT(layout->n_planes[f] <= 32);
}

static ct_layout *out_of_memory(ct_worker *worker)
{
    ct_worker_stop(worker, CT_END_MEMORY);
    return NULL;
}

/* The members of each class in the order of f, one by one. */
static void sets_by_row(ct_layout *layout, uint32_t f, const int32_t *classes)
{
    uint64_t *sets = ct_layout_sets(layout, f);
    CT_ASSERT(classes);
    for (uint32_t j = 0; j < layout->n_rows; j++)
        sets[(size_t) classes[layout->order[f][j]] * layout->words + j / 64] |= UINT64_C(1)
                                                                                << j % 64;
}

/* Class sets 64 rows at a time, from the bit planes of the class codes, which are in
 * layout->digits. */
static void sets_by_planes(ct_worker *worker, ct_layout *layout, uint32_t f, uint64_t *planes,
                           unsigned n_planes)
{
    uint64_t *sets = ct_layout_sets(layout, f);
    worker->search->kernels->planes(layout->digits, layout->order[f], layout->n_rows, planes,
                                    layout->words, n_planes);
    for (size_t w = 0; w * 64 < layout->n_rows; w++) {
        uint64_t rows = layout->n_rows - w * 64 < 64 ? ct_low_bits(layout->n_rows % 64)
                                                     : ~UINT64_C(0);
        for (uint32_t c = 0; c < layout->n_classes; c++) {
            uint64_t members = rows;
            for (unsigned bit = 0; bit < n_planes; bit++)
                members &= planes[bit * layout->words + w] ^ (UINT64_C(0) - (c >> bit & 1));
            sets[c * layout->words + w] = members;
        }
    }
}

static ct_status whole_sets(ct_worker *worker, ct_layout *layout, const int32_t *classes)
{
    enum { MANY = 16 }; /* from here on the planes would have to be combined too often */
    ct_arena_mark mark = ct_arena_here(&worker->arena);
    unsigned n_planes = ct_bit_width(layout->n_classes - 1);
    CT_ASSERT(layout->n_classes > MANY || n_planes <= 8);
    uint64_t *planes = CT_ARENA_NEW(&worker->arena, uint64_t,
                                    (n_planes ? n_planes : 1) * layout->words);
    if (!planes) return ct_worker_no_memory(worker);
    for (uint32_t row = 0; classes && row < layout->n_rows; row++)
        layout->digits[row] = (uint8_t) classes[row];
    for (uint32_t f = 0; f < layout->n_cols; f++) {
        if (layout->n_classes > MANY) sets_by_row(layout, f, classes);
        else sets_by_planes(worker, layout, f, planes, n_planes);
    }
    ct_arena_release(&worker->arena, mark);
    return CT_OK;
}

/* The quantised costs of rows, by number, in every feature's order. */
static void lay_out_quantised(const ct_worker *worker, ct_layout *layout, const uint8_t *costs)
{
    for (uint32_t f = 0; layout->quantised_bytes && f < layout->n_cols; f++) {
        uint8_t *bytes = ct_layout_quantised_bytes(layout, f);
        for (uint32_t j = 0; j < layout->n_rows; j++) bytes[j] = costs[layout->order[f][j]];
        worker->search->kernels->planes(costs, layout->order[f], layout->n_rows,
                                        ct_layout_quantised_planes(layout, f), layout->words,
                                        layout->n_quantised_planes);
    }
}

/* Lays out the response in full, for scans that go by it; layout->full is in place. */
static ct_status lay_out_wide(ct_worker *worker, ct_layout *layout, int abreast)
{
    const ct_exact_response *response = worker->search->costs->response;
    int in_full = response && response->rounded && !abreast &&
                  (response->overlaps || !ct_uses(worker, CT_SHORTCUT_FEW_BITS));
    if (!in_full) return CT_OK;
    layout->wide = CT_ARENA_NEW(&worker->arena, int64_t, layout->n_cols * layout->stride);
    if (!layout->wide) return ct_worker_no_memory(worker);
    for (uint32_t f = 0; f < layout->n_cols; f++)
        for (uint32_t j = 0; j < layout->n_rows; j++)
            ct_layout_wide(layout, f)[j] = layout->full.z[layout->order[f][j]];
    return CT_OK;
}

ct_layout *ct_layout_whole(ct_worker *worker, const ct_table *table, int abreast)
{
    CT_ASSERT(ct_table_is_ranked(table));
    ct_layout *layout = layout_new(worker, table->n_rows, table->n_cols, table->n_classes);
    if (!layout) return out_of_memory(worker);
    const int64_t *given = ct_response_weights(worker->search->costs);
    for (uint32_t f = 0; f < layout->n_cols; f++) {
        layout->order[f] = table->order[f];
        layout->ties[f] = table->ties[f];
        finish_feature(layout, f);
        list_ranks(layout, f);
        int64_t *weights = ct_layout_weights(layout, f);
        CT_ASSERT(layout->n_values[f] == table->n_values[f]);
        for (uint32_t j = 0; weights && j < layout->n_rows; j++)
            weights[j] = given[layout->order[f][j]];
        int32_t *z = ct_layout_z(layout, f);
        for (uint32_t j = 0; z && j < layout->n_rows; j++)
            z[j] = worker->search->costs->response->z[layout->order[f][j]];
    }
    const ct_exact_response *response = worker->search->costs->response;
    if (response && response->rounded) layout->full = response->full;
    if (worker->search->costs->quantised)
        lay_out_quantised(worker, layout, worker->search->costs->quantised->rows);
    if (lay_out_wide(worker, layout, abreast) != CT_OK ||
        whole_sets(worker, layout, table->data->classes) != CT_OK)
        return NULL;
    if (abreast) return layout;
    return ct_planes_take_room(worker, layout) == CT_OK ? layout : NULL;
}

/* The rows of feature f that a part is made of. */
typedef struct {
    const uint64_t *sets, *outer; /* [class][words] that hold in begin .. end; [words] or NULL */
    size_t begin, end, first, last; /* first .. last: words to look through */
    uint32_t n_classes;
    size_t words;
} part_rows;

static part_rows rows_of(const ct_layout *parent, const uint64_t *sets, const uint64_t *outer,
                         const size_t *begin, const size_t *end, uint32_t f)
{
    part_rows rows = {sets + (size_t) f * parent->n_classes * parent->words,
                      outer ? outer + f * parent->words : NULL,
                      begin[f],
                      end[f],
                      outer ? 0 : begin[f],
                      outer ? parent->words : end[f],
                      parent->n_classes,
                      parent->words};
    CT_ASSERT(rows.begin <= rows.end && rows.end <= parent->words);
    return rows;
}

/* Members of class c in a word. */
static uint64_t class_in(const part_rows *rows, uint32_t c, size_t w)
{
    return w >= rows->begin && w < rows->end ? rows->sets[c * rows->words + w] : 0;
}

static uint64_t members_in(const part_rows *rows, size_t w)
{
    uint64_t members = rows->outer ? rows->outer[w] : 0;
    for (uint32_t c = 0; c < rows->n_classes; c++) members |= class_in(rows, c, w);
    return members;
}

/* Lists the places of rows in the order of the parent; returns how many there are. */
static uint32_t list_places(const part_rows *rows, uint32_t *places)
{
    uint32_t n = 0;
    for (size_t w = rows->first; w < rows->last; w++)
        for (uint64_t rest = members_in(rows, w); rest; rest &= rest - 1)
            places[n++] = (uint32_t) (w * 64 + ct_trailing_zeros(rest));
    return n;
}

/* Tie marks and global ranks of f. */
static void part_ranks(ct_layout *layout, const ct_layout *parent, uint32_t f,
                       const uint32_t *places)
{
    const uint32_t *global = parent->global ? parent->global[f] : NULL;
    uint32_t rank = 0, last_rank = 0;
    for (uint32_t j = 0; j < layout->n_rows; j++) {
        size_t w = places[j] / 64;
        uint32_t parent_rank = parent->marks[f][w] +
                               ct_popcount(parent->ties[f][w] & ct_low_bits(places[j] % 64));
        CT_ASSERT((!j || parent_rank >= last_rank) && parent_rank < parent->n_values[f]);
        if (j && parent_rank == last_rank) continue;
        if (j) {
            layout->ties[f][(j - 1) / 64] |= UINT64_C(1) << (j - 1) % 64;
            rank++;
        }
        last_rank = parent_rank;
        layout->global[f][rank] = global ? global[parent_rank] : parent_rank;
        CT_ASSERT(!rank || layout->global[f][rank] > layout->global[f][rank - 1]);
    }
}

static void part_sets(ct_layout *layout, const part_rows *rows, uint32_t f, const uint32_t *places)
{
    uint64_t *own = ct_layout_sets(layout, f),
             *outer = rows->outer ? layout->outer + f * layout->words : NULL;
    const uint32_t n_rows = layout->n_rows, n_classes = layout->n_classes;
    const size_t words = layout->words;
    if (n_classes == 1 && !outer) { /* all are members */
        memset(own, 0xff, n_rows / 64 * sizeof *own);
        if (n_rows % 64) own[n_rows / 64] = ct_low_bits(n_rows % 64);
        return;
    }
    for (uint32_t j = 0; j < n_rows; j++) {
        size_t w = places[j] / 64, bit = places[j] % 64;
        for (uint32_t c = 0; c < n_classes; c++)
            own[c * words + j / 64] |= (class_in(rows, c, w) >> bit & 1) << j % 64;
        if (outer) outer[j / 64] |= (rows->outer[w] >> bit & 1) << j % 64;
    }
}

/* Lays out feature f of the part, whose rows are at `places`. */
static void part_feature(ct_layout *layout, const ct_layout *parent, uint32_t f,
                         const uint32_t *places)
{
    const uint32_t *from = parent->order[f];
    for (uint32_t j = 0; j < layout->n_rows; j++) layout->order[f][j] = from[places[j]];
    part_ranks(layout, parent, f, places);
}

/* part_feature() for rows with a response; members[words] is scratch memory. */
static void pick_feature(const ct_worker *worker, ct_layout *layout, const ct_layout *parent,
                         const part_rows *rows, uint32_t f, uint64_t *members)
{
    uint64_t *ties = layout->ties[f];
    const uint32_t *global = parent->global ? parent->global[f] : NULL;
    for (size_t w = rows->first; w < rows->last; w++) members[w] = members_in(rows, w);
    ct_pick pick = {members,
                    rows->first,
                    rows->last,
                    ct_layout_z(parent, f),
                    parent->order[f],
                    ct_layout_ranks(parent, f),
                    worker->search->costs->response->places,
                    ct_layout_z(layout, f),
                    layout->order[f],
                    ct_layout_ranks(layout, f),
                    layout->global[f],
                    ties,
                    0,
                    0};
    worker->search->kernels->pick(&pick);
    CT_ASSERT(pick.n_rows == layout->n_rows);
    for (size_t w = 0; w < layout->words; w++) /* ties are before the starts, but for the first */
        ties[w] = ties[w] >> 1 | (w + 1 < layout->words ? ties[w + 1] << 63 : 0);
    for (uint32_t i = 0; global && i < pick.n_values; i++)
        layout->global[f][i] = global[layout->global[f][i]];
}

/* The response in full of rows that have these numbers in the parent; full[2 n_rows]. */
static void part_full(ct_layout *layout, const ct_layout *parent, const uint32_t *rows,
                      int64_t *full)
{
    const uint32_t n = layout->n_rows;
    int64_t *weights = parent->full.weights ? full + n : NULL;
    for (uint32_t j = 0; j < n; j++) full[j] = parent->full.z[rows[j]];
    for (uint32_t j = 0; weights && j < n; j++) weights[j] = parent->full.weights[rows[j]];
    layout->full = (ct_full){full, weights, parent->full.down, parent->full.low_bits};
}

ct_layout *ct_layout_part(ct_worker *worker, const ct_layout *parent, const uint64_t *sets,
                          const uint64_t *outer, const size_t *begin, const size_t *end,
                          uint32_t n_rows, int abreast)
{
    ct_arena *arena = &worker->arena;
    uint32_t n_cols = parent->n_cols;
    CT_ASSERT(n_rows > 0 && n_rows <= parent->n_rows);
    ct_layout *layout = layout_new(worker, n_rows, n_cols, parent->n_classes);
    if (!layout) return out_of_memory(worker);
    layout->global = CT_ARENA_NEW(arena, uint32_t *, n_cols);
    size_t room = (size_t) n_rows + CT_LIST_PAD;
    uint32_t *numbers = CT_ARENA_NEW(arena, uint32_t, 2 * n_cols * room);
    uint64_t *ties = CT_ARENA_ZEROED(arena, uint64_t, n_cols * layout->words);
    int64_t *full = parent->full.z ? CT_ARENA_NEW(arena, int64_t, 2 * (size_t) n_rows) : NULL;
    if (outer) layout->outer = CT_ARENA_ZEROED(arena, uint64_t, n_cols * layout->words);
    ct_arena_mark mark = ct_arena_here(arena);
    uint32_t *renumber = CT_ARENA_NEW(arena, uint32_t, parent->n_rows);
    uint32_t *places = CT_ARENA_NEW(arena, uint32_t, n_rows);
    uint64_t *members = CT_ARENA_NEW(arena, uint64_t, parent->words);
    if (!layout->global || !numbers || !ties || !renumber || !places || !members ||
        (outer && !layout->outer) || (parent->full.z && !full))
        return out_of_memory(worker);

    for (uint32_t f = 0; f < n_cols; f++) {
        layout->order[f] = numbers + 2 * f * room;
        layout->global[f] = layout->order[f] + room;
        layout->ties[f] = ties + f * layout->words;
        part_rows rows = rows_of(parent, sets, outer, begin, end, f);
        if (!layout->z || layout->weights || outer) {
            uint32_t n = list_places(&rows, places);
            (void) n; /* the same in every order */
            CT_ASSERT(n == n_rows);
        }
        if (layout->z) pick_feature(worker, layout, parent, &rows, f, members);
        else part_feature(layout, parent, f, places);
        if (f == 0 && full) part_full(layout, parent, layout->order[0], full);
        for (uint32_t j = 0; f == 0 && j < n_rows; j++) renumber[layout->order[0][j]] = j;
        for (uint32_t j = 0; j < n_rows; j++) {
            CT_ASSERT(renumber[layout->order[f][j]] < n_rows);
            layout->order[f][j] = renumber[layout->order[f][j]];
        }
        const int64_t *weights = ct_layout_weights(parent, f);
        for (uint32_t j = 0; weights && j < n_rows; j++)
            ct_layout_weights(layout, f)[j] = weights[places[j]];
        for (uint32_t j = 0; f == 0 && parent->quantised_bytes && j < n_rows; j++)
            layout->digits[j] = parent->quantised_bytes[places[j]];
        part_sets(layout, &rows, f, places);
        finish_feature(layout, f);
    }
    ct_arena_release(arena, mark);
    lay_out_quantised(worker, layout, layout->digits);
    worker->statistics.layouts++;
    if (lay_out_wide(worker, layout, abreast) != CT_OK) return NULL;
    if (abreast) return layout;
    return ct_planes_take_room(worker, layout) == CT_OK ? layout : NULL;
}
