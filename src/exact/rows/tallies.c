#include "exact/rows/tallies.h"

#include <string.h>

#include "exact/rows/ranks.h"

enum {
    MOST_CELLS = UINT16_MAX,
    MOST_NOTES = 64,
    NOTES_BYTES = 1 << 22 /* of one evaluator, at most; but 4 notes at least */
};

/* Tallies of the rows before place `start` in the order of f. */
typedef struct {
    uint32_t f, start, n_rows;
    uint64_t *cells;
} note;

struct ct_tally_notes {
    const ct_tally_table *table;
    int outer;
    uint32_t room, n, next; /* notes there is room for; made; the next to be written */
    note *notes;            /* [room] */
};

/* Lays the features' values out as cells; 0 if there are too many of them. */
static int lay_out_cells(const ct_worker *worker, const ct_layout *layout, uint32_t *first)
{
    uint64_t n = 0, least = worker->search->options->tally_rows;
    for (uint32_t g = 0; g < layout->n_cols; g++) {
        first[g] = (uint32_t) n;
        n += layout->n_values[g];
        if (n > MOST_CELLS) return 0;
    }
    first[layout->n_cols] = (uint32_t) n;
    return n * least <= (uint64_t) layout->n_rows * layout->n_cols;
}

/* The lowest and highest response of the layout's rows. 0 if numbers of rows and sums of their
 * responses do not fit into a cell side by side, or n T into 63 bits (see response/tallies.h). */
static int fit_sums(const ct_layout *layout, ct_tally_table *table)
{
    const int32_t *z = ct_layout_z(layout, 0);
    int64_t low = z[0], high = z[0];
    for (uint32_t j = 1; j < layout->n_rows; j++) {
        if (z[j] < low) low = z[j];
        if (z[j] > high) high = z[j];
    }
    table->bias = -low;
    table->shift = ct_bit_width((uint64_t) layout->n_rows * (uint64_t) (high - low));
    return table->shift + ct_bit_width(layout->n_rows) <= 62;
}

static uint16_t *list_cells(const ct_layout *layout, ct_arena *arena, const uint32_t *first)
{
    size_t n_cols = layout->n_cols;
    uint16_t *cells = CT_ARENA_NEW(arena, uint16_t, layout->n_rows * n_cols);
    for (uint32_t g = 0; cells && g < n_cols; g++)
        for (uint32_t j = 0; j < layout->n_rows; j++) {
            uint32_t cell = first[g] + ct_layout_ranks(layout, g)[j];
            CT_ASSERT(cell < first[g + 1]);
            cells[layout->order[g][j] * n_cols + g] = (uint16_t) cell;
        }
    return cells;
}

/* Adds the rows at places from .. to - 1 in the order of f, or takes them away. Returns how many
 * these are. */
static uint32_t add_rows(const ct_tally_table *table, int outer, uint32_t f, uint32_t from,
                     uint32_t to, int away, uint64_t *tallies)
{
    const ct_layout *layout = table->node->layout;
    const size_t n_cols = layout->n_cols;
    const uint64_t *sets = ct_node_sets(table->node, f),
                   *others = outer ? table->node->rows.outer : NULL;
    const int32_t *z = ct_layout_z(layout, f);
    uint32_t n = 0;
    for (size_t w = from / 64; w * 64 < to; w++) {
        uint64_t rest = w >= table->node->rows.begin[f] && w < table->node->rows.end[f] ? sets[w]
                                                                                       : 0;
        if (others) rest |= others[f * layout->words + w];
        if (w == from / 64) rest &= ~ct_low_bits(from % 64);
        if (to - w * 64 < 64) rest &= ct_low_bits(to % 64);
        n += ct_popcount(rest);
        for (; rest; rest &= rest - 1) {
            size_t j = w * 64 + ct_trailing_zeros(rest);
            const uint16_t *cells = table->cells + layout->order[f][j] * n_cols;
            uint64_t row = UINT64_C(1) << table->shift;
            if (!outer) row += (uint64_t) (z[j] + table->bias);
            if (away) row = -row;
            for (size_t g = 0; g < n_cols; g++) tallies[cells[g]] += row;
        }
    }
    return n;
}

static const uint64_t *tally_all(const ct_tally_table *table, ct_arena *arena, int outer)
{
    uint64_t *all = CT_ARENA_ZEROED(arena, uint64_t, table->first[table->node->layout->n_cols]);
    if (all) add_rows(table, outer, 0, 0, table->node->layout->n_rows, 0, all);
    return all;
}

ct_tally_table *ct_tally_table_new(const ct_worker *worker, ct_arena *arena, const ct_node *node)
{
    const ct_layout *layout = node->layout;
    if (node->kind != CT_RESPONSE || layout->weights || layout->wide) return NULL;
    ct_tally_table *table = CT_ARENA_ZEROED(arena, ct_tally_table, 1);
    if (!table) return NULL;
    table->node = node;
    table->first = CT_ARENA_NEW(arena, uint32_t, (size_t) layout->n_cols + 1);
    if (!table->first || !lay_out_cells(worker, layout, table->first) || !fit_sums(layout, table))
        return NULL;
    table->cells = list_cells(layout, arena, table->first);
    if (!table->cells) return NULL;
    table->all = tally_all(table, arena, 0);
    if (node->sized) table->outer = tally_all(table, arena, 1);
    return table->all && (table->outer || !node->sized) ? table : NULL;
}

ct_tally_notes *ct_tally_notes_new(ct_arena *arena, const ct_tally_table *table, int outer)
{
    size_t n_cells = table->first[table->node->layout->n_cols],
           room = NOTES_BYTES / sizeof(uint64_t) / n_cells;
    ct_tally_notes *notes = CT_ARENA_ZEROED(arena, ct_tally_notes, 1);
    if (!notes) return NULL;
    room = room > MOST_NOTES ? MOST_NOTES : room < 4 ? 4 : room;
    notes->table = table;
    notes->outer = outer;
    notes->room = (uint32_t) room;
    notes->notes = CT_ARENA_ZEROED(arena, note, room);
    uint64_t *cells = CT_ARENA_NEW(arena, uint64_t, room * n_cells);
    if (!notes->notes || !cells) return NULL;
    for (size_t i = 0; i < room; i++) notes->notes[i].cells = cells + i * n_cells;
    return notes;
}

/* The note of f that is nearest to a place; NULL if none is less than `most` rows away. */
static const note *nearest(const ct_tally_notes *notes, uint32_t f, uint32_t start, uint32_t most)
{
    const note *best = NULL;
    for (uint32_t i = 0; i < notes->n; i++) {
        const note *n = &notes->notes[i];
        uint32_t far = n->start < start ? start - n->start : n->start - start;
        if (n->f != f || far >= most) continue;
        best = n;
        most = far;
    }
    return best;
}

/* Fills in the next note: of the nearest one, or an end, and the rows in between. */
static void make_note(ct_tally_notes *notes, uint32_t f, uint32_t start, note *to)
{
    const ct_tally_table *table = notes->table;
    const ct_node *node = table->node;
    size_t size = table->first[node->layout->n_cols] * sizeof(uint64_t);
    uint32_t n = node->layout->n_rows, begin, changed;
    int from_left = start <= n - start;
    const note *near = nearest(notes, f, start, from_left ? start : n - start);
    if (near) {
        begin = near->start;
        to->n_rows = near->n_rows;
        memmove(to->cells, near->cells, size);
    } else if (from_left) {
        begin = to->n_rows = 0;
        memset(to->cells, 0, size);
    } else {
        begin = n;
        to->n_rows = node->n_rows + (notes->outer ? node->n_outer : 0);
        memcpy(to->cells, notes->outer ? table->outer : table->all, size);
    }
    if (begin < start) changed = add_rows(table, notes->outer, f, begin, start, 0, to->cells);
    else changed = add_rows(table, notes->outer, f, start, begin, 1, to->cells);
    to->n_rows += begin < start ? changed : -changed;
    to->f = f;
    to->start = start;
}

const uint64_t *ct_tallies_left(ct_tally_notes *notes, const ct_worker *worker, uint32_t f,
                                uint32_t t, uint32_t *n_left)
{
    const ct_layout *layout = notes->table->node->layout;
    uint32_t start = (uint32_t) ct_layout_start(worker, layout, f, t);
    const note *found = nearest(notes, f, start, 1);
    CT_ASSERT(start > 0 && start < layout->n_rows && notes->room > 0);
    if (!found) {
        make_note(notes, f, start, &notes->notes[notes->next]);
        found = &notes->notes[notes->next];
        if (notes->n < notes->room) notes->n++;
    }
    if (found == &notes->notes[notes->next]) notes->next = (notes->next + 1) % notes->room;
    if (n_left) *n_left = found->n_rows;
    return found->cells;
}
