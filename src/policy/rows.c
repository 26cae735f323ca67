#include "policy/rows.h"

#include <string.h>

#include "base/bits.h"

/* Rows of a block: the larger the set, the more. A cut then takes as long as some of these blocks
 * have rows; where there are many actions, more blocks are walked. */
static uint32_t block_rows(uint32_t n, uint32_t lanes)
{
    uint32_t rows = n < 2000 ? 16 : n < 8000 ? 32 : n < 40000 ? 64 : 128;
    if (lanes >= 32 && rows > 32) rows /= 2;
    while (n / rows >= UINT16_MAX - 1) rows *= 2;
    return rows;
}

static uint32_t padded(uint32_t n_blocks)
{
    return (n_blocks + CT_POLICY_STEP - 1) / CT_POLICY_STEP * CT_POLICY_STEP;
}

/* Blocks of whole groups of equal values. */
static void cut_blocks(ct_policy_column *column, uint32_t n, uint32_t least)
{
    uint32_t n_blocks = 0, begin = 0;
    int32_t closed = INT32_MAX / 2;
    for (uint32_t i = 0; i < n; i++) {
        column->block[column->order[i]] = (uint16_t) n_blocks;
        if (!column->last[i] && i + 1 < n) continue;
        if (i + 1 - begin >= least || i + 1 == n) {
            column->end[n_blocks] = i + 1;
            column->closed[n_blocks++] = closed;
            begin = i + 1;
            closed = INT32_MAX / 2;
        } else {
            closed = 0;
        }
    }
    column->n_blocks = n_blocks;
}

static void sum_blocks(const ct_policy_rows *set, ct_policy_column *column)
{
    const size_t lanes = set->costs->lanes;
    int32_t *sums = column->sums;
    for (uint32_t b = 0, i = 0; b < column->n_blocks; b++, sums += lanes) {
        if (b) memcpy(sums, sums - lanes, lanes * sizeof *sums);
        for (; i < column->end[b]; i++)
            for (size_t lane = 0; lane < lanes; lane++)
                sums[lane] += set->coarse[column->order[i] * lanes + lane];
    }
}

/* Blocks of a column whose order is there; 0 without memory. */
static int finish_column(ct_policy_rows *set, ct_policy_column *column, ct_arena *arena)
{
    const uint32_t least = block_rows(set->n, set->costs->lanes), room = set->n / least + 1;
    column->block = CT_ARENA_NEW(arena, uint16_t, set->n);
    column->end = CT_ARENA_NEW(arena, uint32_t, room);
    column->closed = CT_ARENA_NEW(arena, int32_t, room);
    if (!column->block || !column->end || !column->closed) return 0;
    cut_blocks(column, set->n, least);
    const uint32_t blocks = padded(column->n_blocks);
    column->sums = CT_ARENA_ZEROED(arena, int32_t, (size_t) blocks * set->costs->lanes);
    if (!column->sums) return 0;
    sum_blocks(set, column);
    if (blocks > set->most_blocks) set->most_blocks = blocks;
    return 1;
}

/* Costs of the rows of a set, and of all as a leaf. */
static int take_costs(ct_policy_rows *set, ct_arena *arena)
{
    const size_t lanes = set->costs->lanes, n_actions = set->costs->n_actions;
    set->coarse = CT_ARENA_NEW(arena, int32_t, set->n * lanes);
    set->total = CT_ARENA_ZEROED(arena, int32_t, lanes);
    int64_t *sums = CT_ARENA_ZEROED(arena, int64_t, n_actions);
    if (!set->coarse || !set->total || !sums) return 0;
    for (size_t row = 0; row < set->n; row++) {
        int32_t *to = set->coarse + row * lanes;
        ct_policy_row_copy(to, set->costs->coarse + set->rows[row] * lanes, set->costs->lanes);
        for (size_t lane = 0; lane < lanes; lane++) set->total[lane] += to[lane];
        for (size_t a = 0; a < n_actions; a++)
            sums[a] += set->costs->exact[set->rows[row] * n_actions + a];
    }
    set->action = 0;
    for (uint32_t a = 1; a < n_actions; a++)
        if (sums[a] < sums[set->action]) set->action = a;
    set->leaf = sums[set->action];
    return 1;
}

static int begin_set(ct_policy_rows *set, uint32_t n, uint32_t n_cols, const ct_policy_costs *costs,
                     ct_arena *arena)
{
    memset(set, 0, sizeof *set);
    set->n = n, set->n_cols = n_cols, set->costs = costs;
    set->rows = CT_ARENA_NEW(arena, uint32_t, n);
    set->columns = CT_ARENA_ZEROED(arena, ct_policy_column, n_cols);
    if (!set->rows || !set->columns) return 0;
    for (uint32_t col = 0; col < n_cols; col++) {
        set->columns[col].order = CT_ARENA_NEW(arena, uint32_t, n);
        set->columns[col].last = CT_ARENA_NEW(arena, uint8_t, n);
        if (!set->columns[col].order || !set->columns[col].last) return 0;
    }
    return 1;
}

static ct_status end_set(ct_policy_rows *set, ct_arena *arena)
{
    if (!take_costs(set, arena)) return CT_NO_MEMORY;
    for (uint32_t col = 0; col < set->n_cols; col++)
        if (!finish_column(set, &set->columns[col], arena)) return CT_NO_MEMORY;
    return CT_OK;
}

ct_status ct_policy_rows_all(ct_policy_rows *set, const ct_table *table,
                             const ct_policy_costs *costs, ct_arena *arena)
{
    const uint32_t n = table->n_rows;
    if (!begin_set(set, n, table->n_cols, costs, arena)) return CT_NO_MEMORY;
    for (uint32_t row = 0; row < n; row++) set->rows[row] = row;
    for (uint32_t col = 0; col < table->n_cols; col++) {
        memcpy(set->columns[col].order, table->order[col], n * sizeof(uint32_t));
        for (uint32_t i = 0; i < n; i++)
            set->columns[col].last[i] = (uint8_t) ct_bit(table->ties[col], i);
    }
    return end_set(set, arena);
}

/* The rows of the side in the order of a column, by their new numbers. The value changes behind one
 * of them if it does at any position up to the next. */
static void filter(const ct_policy_column *from, uint32_t n, const uint32_t *number,
                   ct_policy_column *to)
{
    uint32_t kept = 0;
    uint8_t changes = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t row = number[from->order[i]];
        if (row != UINT32_MAX) {
            if (kept) to->last[kept - 1] = changes;
            to->order[kept++] = row;
            changes = 0;
        }
        changes |= from->last[i];
    }
    to->last[kept - 1] = 0;
}

ct_status ct_policy_rows_part(ct_policy_rows *set, const ct_policy_rows *of, const uint32_t *place,
                              uint32_t begin, uint32_t end, ct_arena *arena)
{
    CT_ASSERT(begin < end && end <= of->n && (begin > 0 || end < of->n));
    const uint32_t n = end - begin;
    uint32_t kept = 0, *number = CT_ARENA_NEW(arena, uint32_t, of->n);
    if (!number || !begin_set(set, n, of->n_cols, of->costs, arena)) return CT_NO_MEMORY;
    for (uint32_t row = 0; row < of->n; row++) {
        number[row] = place[row] - begin < n ? kept : UINT32_MAX;
        if (number[row] != UINT32_MAX) set->rows[kept++] = of->rows[row];
    }
    for (uint32_t col = 0; col < of->n_cols; col++)
        filter(&of->columns[col], of->n, number, &set->columns[col]);
    return end_set(set, arena);
}

uint32_t ct_policy_middle_cut(const ct_policy_rows *set, uint32_t column, uint32_t low,
                              uint32_t high, uint32_t min_bucket)
{
    CT_ASSERT(column < set->n_cols && low <= high && min_bucket > 0);
    const uint8_t *last = set->columns[column].last;
    const uint32_t first = low + 1 > min_bucket ? low + 1 : min_bucket,
                   most = set->n - min_bucket + 1, end = high < most ? high : most;
    if (first >= end) return 0;
    const uint32_t middle = first + (end - first) / 2;
    for (uint32_t off = 0; off <= end - first; off++) {
        if (middle + off < end && last[middle + off - 1]) return middle + off;
        if (middle >= first + off && last[middle - off - 1]) return middle - off;
    }
    return 0;
}
