/* Bodies that lay the table and a row set out on the device.
 *
 * A row set is sent as the conditions on the way to it. Each row is looked at once; every order of
 * the table is then filtered by the rows that passed (members, sums over them, places), so that a
 * row set costs about as much as the table is long, and the batches that follow only what it holds
 * itself. An item is a word of 32 rows or positions, one for each lane of a warp, so that what
 * neighbours read and write lies together; the lanes make words of bits by votes. */
#ifndef CT_EXACT_OFFLOAD_ROWS_BODY_H
#define CT_EXACT_OFFLOAD_ROWS_BODY_H

#include "base/lanes.h"
#include "exact/offload/views.h"

CT_HD uint32_t ct_offload_rank(const ct_offload_table_view *table, uint32_t col, uint32_t row)
{
    const size_t at = (size_t) col * table->n_rows + row;
    return table->rank_bytes == 2 ? ((const uint16_t *) table->ranks)[at]
                                  : ((const uint32_t *) table->ranks)[at];
}

/* Whether a condition holds of a row: see ct_offload_conditions. */
CT_HD int ct_offload_holds(const ct_offload_table_view *table, uint32_t line, uint32_t threshold,
                           uint32_t row)
{
    return (uint32_t) (ct_offload_rank(table, line / 2, row) >= threshold) == line % 2;
}

CT_HD void ct_offload_set_rank(const ct_offload_table_view *table, uint32_t col, uint32_t row,
                               uint32_t rank)
{
    const size_t at = (size_t) col * table->n_rows + row;
    if (table->rank_bytes == 2) ((uint16_t *) table->ranks)[at] = (uint16_t) rank;
    else ((uint32_t *) table->ranks)[at] = rank;
}

/* How many of `n` positions are in word w. */
CT_HD uint32_t ct_offload_in_word(uint32_t n, uint32_t w)
{
    return n - w * 32 < 32 ? n - w * 32 : 32;
}

/* The lowest `count` bits set, fewer than 32. */
CT_HD uint32_t ct_offload_low_bits(uint32_t count)
{
    return (1u << count) - 1;
}

/* ---- ranks ---- */

CT_HD void ct_offload_take_ties(const ct_offload_views *v, size_t item)
{
    size_t col = item / v->table.words, w = item % v->table.words;
    uint64_t both = v->table.ties[col * v->table.tie_words + w / 2];
    v->scratch.members[item] = (uint32_t) (both >> (32 * (w % 2)));
}

CT_HD void ct_offload_make_ranks(ct_lanes lanes, const ct_offload_views *v, size_t item)
{
    uint32_t col = (uint32_t) (item / v->table.words), w = (uint32_t) (item % v->table.words);
    const uint32_t *order = v->table.order + (size_t) col * v->table.n_rows + (size_t) w * 32;
    uint32_t ties = v->scratch.members[item], n = ct_offload_in_word(v->table.n_rows, w);
    for (uint32_t bit = lanes.lane; bit < n; bit += lanes.width)
        ct_offload_set_rank(&v->table, v->table.first_col + col, order[bit],
                            v->scratch.starts[item] +
                                ct_hd_popcount(ties & ct_offload_low_bits(bit)));
}

/* ---- a row set ---- */

/* Does a row meet the conditions? None beyond the last does. */
CT_HD int ct_offload_meets(const ct_offload_views *v, uint32_t row)
{
    if (row >= v->table.n_rows) return 0;
    for (uint32_t i = 0; i < v->conditions.n; i++)
        if (!ct_offload_holds(&v->table, v->conditions.line[i], v->conditions.threshold[i], row))
            return 0;
    return 1;
}

CT_HD void ct_offload_make_flags(ct_lanes lanes, const ct_offload_views *v, size_t item)
{
    uint32_t first = (uint32_t) item * 32 + lanes.lane, flags = 0;
    for (uint32_t bit = 0; bit < 32; bit += lanes.width)
        flags |= ct_lanes_ballot(lanes, ct_offload_meets(v, first + bit)) << bit;
    if (lanes.lane == 0) v->scratch.flags[item] = flags;
}

/* Is the row at a position of a column's order in the row set? */
CT_HD int ct_offload_is_member(const ct_offload_views *v, uint32_t col, uint32_t position)
{
    if (position >= v->table.n_rows) return 0;
    uint32_t row = v->table.order[(size_t) col * v->table.n_rows + position];
    return (int) (v->scratch.flags[row / 32] >> row % 32 & 1);
}

CT_HD void ct_offload_find_members(ct_lanes lanes, const ct_offload_views *v, size_t item)
{
    uint32_t col = (uint32_t) (item / v->table.words), w = (uint32_t) (item % v->table.words);
    uint32_t first = w * 32 + lanes.lane, members = 0;
    if (col == v->table.n_window) members = v->scratch.flags[w];
    else
        for (uint32_t bit = 0; bit < 32; bit += lanes.width)
            members |= ct_lanes_ballot(lanes, ct_offload_is_member(v, col, first + bit)) << bit;
    if (lanes.lane == 0) v->scratch.members[item] = members;
}

CT_HD void ct_offload_place_members(ct_lanes lanes, const ct_offload_views *v, size_t item)
{
    uint32_t col = (uint32_t) (item / v->table.words), w = (uint32_t) (item % v->table.words);
    uint32_t members = v->scratch.members[item];
    const uint32_t *numbers = v->scratch.starts + (size_t) v->table.n_window * v->table.words;
    for (uint32_t bit = lanes.lane; bit < 32; bit += lanes.width) {
        uint32_t at = v->scratch.starts[item] + ct_hd_popcount(members & ct_offload_low_bits(bit));
        if (!(members >> bit & 1) || at >= v->rows.n_rows) continue; /* the host has counted them */
        if (col == v->table.n_window) {
            v->rows.rows[at] = w * 32 + bit;
            continue;
        }
        uint32_t row = v->table.order[(size_t) col * v->table.n_rows + (size_t) w * 32 + bit];
        uint32_t below = v->scratch.flags[row / 32] & ct_offload_low_bits(row % 32);
        v->rows.order[(size_t) col * v->rows.n_rows + at] =
            numbers[row / 32] + ct_hd_popcount(below);
    }
}

/* The table's row at a position of a column's order of the row set. */
CT_HD uint32_t ct_offload_row_at(const ct_offload_views *v, uint32_t col, uint32_t position)
{
    return v->rows.rows[v->rows.order[(size_t) col * v->rows.n_rows + position]];
}

/* Does the value change after a position? Not after the last. */
CT_HD int ct_offload_is_tie(const ct_offload_views *v, uint32_t col, uint32_t position)
{
    uint32_t of_table = v->table.first_col + col;
    if (position + 1 >= v->rows.n_rows) return 0;
    return ct_offload_rank(&v->table, of_table, ct_offload_row_at(v, col, position)) !=
           ct_offload_rank(&v->table, of_table, ct_offload_row_at(v, col, position + 1));
}

/* The class at a position; of none beyond the last. */
CT_HD uint32_t ct_offload_class_at(const ct_offload_views *v, uint32_t col, uint32_t position)
{
    if (position >= v->rows.n_rows) return UINT32_MAX;
    return v->table.classes[ct_offload_row_at(v, col, position)];
}

CT_HD void ct_offload_lay_out(ct_lanes lanes, const ct_offload_views *v, size_t item)
{
    uint32_t col = (uint32_t) (item / v->rows.words), w = (uint32_t) (item % v->rows.words);
    uint32_t first = w * 32 + lanes.lane, n_classes = v->table.n_classes, ties = 0;
    uint32_t *sets = v->rows.sets + item * n_classes;
    for (uint32_t bit = 0; bit < 32; bit += lanes.width) {
        uint32_t own = ct_offload_class_at(v, col, first + bit);
        ties |= ct_lanes_ballot(lanes, ct_offload_is_tie(v, col, first + bit)) << bit;
        for (uint32_t c = 0; c < n_classes; c++) {
            uint32_t members = ct_lanes_ballot(lanes, own == c) << bit;
            if (lanes.lane == c % lanes.width) sets[c] = bit ? sets[c] | members : members;
        }
    }
    if (lanes.lane == 0) v->rows.ties[item] = ties;
}

/* ---- sums ---- */

/* starts[i] of an order becomes its members before word i. On a device a block does so, see
 * kernels.cu. */
CT_HD void ct_offload_sum_members(const ct_offload_views *v, size_t item)
{
    const uint32_t *members = v->scratch.members + item * v->table.words;
    uint32_t *starts = v->scratch.starts + item * v->table.words, sum = 0;
    for (uint32_t i = 0; i < v->table.words; i++) {
        starts[i] = sum;
        sum += ct_hd_popcount(members[i]);
    }
}

#endif
