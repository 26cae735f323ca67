/* Bodies that lay the table and a row set out on the device: one item each, whatever thread takes
 * it.
 *
 * A row set is sent as the conditions on the way to it. Each row is looked at once; every order of
 * the table is then filtered by the rows that passed (members, sums over them, places), so that a
 * row set costs about as much as the table is long, and the batches that follow only what it holds
 * itself. */
#ifndef CT_EXACT_OFFLOAD_ROWS_BODY_H
#define CT_EXACT_OFFLOAD_ROWS_BODY_H

#include "base/lanes.h"
#include "exact/offload/views.h"

CT_HD uint32_t ct_offload_rank(const ct_offload_table_view *table, uint32_t col, uint32_t row)
{
    const void *ranks = table->ranks + table->rank_at[col];
    if (table->rank_bytes[col] == 1) return ((const uint8_t *) ranks)[row];
    if (table->rank_bytes[col] == 2) return ((const uint16_t *) ranks)[row];
    return ((const uint32_t *) ranks)[row];
}

CT_HD void ct_offload_set_rank(const ct_offload_table_view *table, uint32_t col, uint32_t row,
                               uint32_t rank)
{
    void *ranks = table->ranks + table->rank_at[col];
    if (table->rank_bytes[col] == 1) ((uint8_t *) ranks)[row] = (uint8_t) rank;
    else if (table->rank_bytes[col] == 2) ((uint16_t *) ranks)[row] = (uint16_t) rank;
    else ((uint32_t *) ranks)[row] = rank;
}

/* How many of `n` positions are in word w. */
CT_HD uint32_t ct_offload_in_word(uint32_t n, uint32_t w)
{
    return n - w * 32 < 32 ? n - w * 32 : 32;
}

/* The lowest `count` bits set; count in 0..31. */
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

CT_HD void ct_offload_make_ranks(const ct_offload_views *v, size_t item)
{
    uint32_t col = (uint32_t) (item / v->table.words), w = (uint32_t) (item % v->table.words);
    const uint32_t *order = v->table.order + (size_t) col * v->table.n_rows + (size_t) w * 32;
    uint32_t ties = v->scratch.members[item], rank = v->scratch.starts[item];
    for (uint32_t bit = 0; bit < ct_offload_in_word(v->table.n_rows, w); bit++) {
        ct_offload_set_rank(&v->table, v->table.first_col + col, order[bit], rank);
        rank += ties >> bit & 1;
    }
}

/* ---- a row set ---- */

CT_HD void ct_offload_make_flags(const ct_offload_views *v, size_t item)
{
    uint32_t w = (uint32_t) item, flags = 0;
    for (uint32_t bit = 0; bit < ct_offload_in_word(v->table.n_rows, w); bit++) {
        uint32_t row = w * 32 + bit, in = 1;
        for (uint32_t i = 0; i < v->conditions.n; i++) {
            uint32_t line = v->conditions.line[i], rank = ct_offload_rank(&v->table, line / 2, row);
            in &= (uint32_t) (rank >= v->conditions.threshold[i]) == line % 2;
        }
        flags |= in << bit;
    }
    v->scratch.flags[w] = flags;
}

CT_HD void ct_offload_find_members(const ct_offload_views *v, size_t item)
{
    uint32_t col = (uint32_t) (item / v->table.words), w = (uint32_t) (item % v->table.words),
             members = 0;
    if (col == v->table.n_window) {
        v->scratch.members[item] = v->scratch.flags[w];
        return;
    }
    const uint32_t *order = v->table.order + (size_t) col * v->table.n_rows + (size_t) w * 32;
    for (uint32_t bit = 0; bit < ct_offload_in_word(v->table.n_rows, w); bit++)
        members |= (v->scratch.flags[order[bit] / 32] >> (order[bit] % 32) & 1) << bit;
    v->scratch.members[item] = members;
}

CT_HD void ct_offload_place_members(const ct_offload_views *v, size_t item)
{
    uint32_t col = (uint32_t) (item / v->table.words), w = (uint32_t) (item % v->table.words);
    uint32_t at = v->scratch.starts[item], members = v->scratch.members[item];
    const uint32_t *numbers = v->scratch.starts + (size_t) v->table.n_window * v->table.words;
    for (uint32_t bit = 0; members; bit++, members >>= 1) {
        if (!(members & 1)) continue;
        if (at >= v->rows.n_rows) return; /* never: the host has counted them */
        if (col == v->table.n_window) {
            v->rows.rows[at++] = w * 32 + bit;
            continue;
        }
        uint32_t row = v->table.order[(size_t) col * v->table.n_rows + (size_t) w * 32 + bit];
        uint32_t below = v->scratch.flags[row / 32] & ct_offload_low_bits(row % 32);
        v->rows.order[(size_t) col * v->rows.n_rows + at++] =
            numbers[row / 32] + ct_hd_popcount(below);
    }
}

CT_HD void ct_offload_lay_out(const ct_offload_views *v, size_t item)
{
    uint32_t col = (uint32_t) (item / v->rows.words), w = (uint32_t) (item % v->rows.words);
    uint32_t n_classes = v->table.n_classes, ties = 0, n = ct_offload_in_word(v->rows.n_rows, w);
    size_t start = (size_t) col * v->rows.n_rows + (size_t) w * 32;
    uint32_t *sets = v->rows.sets + item * n_classes;
    uint32_t row = v->rows.rows[v->rows.order[start]],
             rank = ct_offload_rank(&v->table, v->table.first_col + col, row);
    for (uint32_t c = 0; c < n_classes; c++) sets[c] = 0;
    for (uint32_t bit = 0; bit < n; bit++) {
        sets[v->table.classes[row]] |= 1u << bit;
        if (w * 32 + bit + 1 == v->rows.n_rows) break;
        row = v->rows.rows[v->rows.order[start + bit + 1]];
        uint32_t next = ct_offload_rank(&v->table, v->table.first_col + col, row);
        ties |= (uint32_t) (next != rank) << bit;
        rank = next;
    }
    v->rows.ties[item] = ties;
}

/* ---- sums ---- */

/* starts[i] of an order becomes its members before word i. */
CT_HD void ct_offload_sum_members(ct_lanes lanes, const ct_offload_views *v, size_t item)
{
    const uint32_t *members = v->scratch.members + item * v->table.words;
    uint32_t *starts = v->scratch.starts + item * v->table.words, sum = 0;
    for (uint32_t start = 0; start < v->table.words; start += lanes.width) {
        uint32_t i = start + lanes.lane, total;
        uint32_t lower =
            ct_lanes_scan(lanes, i < v->table.words ? ct_hd_popcount(members[i]) : 0, &total);
        if (i < v->table.words) starts[i] = sum + lower;
        sum += total;
    }
}

#endif
