#include "core/sort.h"

#include <string.h>

enum { DIGIT = 11, BUCKETS = 1 << DIGIT, PASSES = 3 };

size_t ct_sort_scratch(uint32_t n_rows)
{
    return 2 * (size_t) n_rows * sizeof(uint64_t);
}

/* An unsigned code in the order of the doubles. Adding zero turns -0 into +0. */
static uint64_t ordered_double(double value)
{
    uint64_t bits;
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static uint64_t ordered_value(const ct_column *column, uint32_t row)
{
    if (column->type == CT_DOUBLE) return ordered_double(((const double *) column->values)[row]);
    return (uint64_t) ((uint32_t) ((const int32_t *) column->values)[row] ^ UINT32_C(0x80000000)) << 32;
}

/* Items are (key << 32 | row). Sorts them by key, stably, digit by digit from the lowest; digits that are the same in
 * all items cost nothing. Returns whichever of the two buffers holds the result. */
static uint64_t *radix_sort(uint64_t *items, uint64_t *spare, uint32_t n)
{
    static const unsigned shifts[PASSES] = {32, 32 + DIGIT, 32 + 2 * DIGIT};
    uint32_t counts[PASSES][BUCKETS];
    memset(counts, 0, sizeof counts);
    for (uint32_t i = 0; i < n; i++)
        for (unsigned pass = 0; pass < PASSES; pass++) counts[pass][items[i] >> shifts[pass] & (BUCKETS - 1)]++;
    for (unsigned pass = 0; pass < PASSES; pass++) {
        uint32_t *count = counts[pass], start = 0;
        if (count[items[0] >> shifts[pass] & (BUCKETS - 1)] == n) continue;
        for (unsigned bucket = 0; bucket < BUCKETS; bucket++) {
            uint32_t size = count[bucket];
            count[bucket] = start;
            start += size;
        }
        for (uint32_t i = 0; i < n; i++) spare[count[items[i] >> shifts[pass] & (BUCKETS - 1)]++] = items[i];
        uint64_t *sorted = spare;
        spare = items;
        items = sorted;
    }
    return items;
}

static void insertion_sort(uint64_t *items, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        uint64_t item = items[i];
        uint32_t j = i;
        for (; j && items[j - 1] > item; j--) items[j] = items[j - 1];
        items[j] = item;
    }
}

/* Rows first..last of the order agree in the high half of their values: sorts them by the low half. */
static void repair_run(const ct_column *column, uint32_t *order, uint32_t first, uint32_t last, uint64_t *items)
{
    uint32_t n = last - first + 1, highest = 0, ascending = 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = order[first + i], low = (uint32_t) ordered_value(column, row);
        if (low < highest) ascending = 0;
        highest = low;
        items[i] = (uint64_t) low << 32 | row;
    }
    if (ascending) return;
    if (n <= 64) insertion_sort(items, n);
    else items = radix_sort(items, items + n, n);
    for (uint32_t i = 0; i < n; i++) order[first + i] = (uint32_t) items[i];
}

uint32_t ct_sort_column(const ct_column *column, uint32_t n_rows, void *scratch, uint32_t *order, uint64_t *ties)
{
    uint64_t *items = (uint64_t *) scratch, *spare = items + n_rows;
    for (uint32_t row = 0; row < n_rows; row++)
        items[row] = (ordered_value(column, row) & UINT64_C(0xffffffff00000000)) | row;
    uint64_t *sorted = radix_sort(items, spare, n_rows);

    /* Bits of `ties` first mark where the high halves differ; the sorted items are scratch once `order` is written. */
    for (uint32_t j = 0; j < n_rows; j++) {
        order[j] = (uint32_t) sorted[j];
        if (j + 1 < n_rows && sorted[j] >> 32 != sorted[j + 1] >> 32) ties[j / 64] |= UINT64_C(1) << j % 64;
    }
    uint32_t n_values = 1;
    for (uint32_t first = 0, j = 0; j < n_rows; j++) {
        int ends = ties[j / 64] >> j % 64 & 1;
        if (!ends && j + 1 < n_rows) continue;
        if (j > first && column->type == CT_DOUBLE) {
            repair_run(column, order, first, j, items);
            for (uint32_t i = first; i < j; i++)
                if (ordered_value(column, order[i]) != ordered_value(column, order[i + 1])) {
                    ties[i / 64] |= UINT64_C(1) << i % 64;
                    n_values++;
                }
        }
        n_values += (uint32_t) ends;
        first = j + 1;
    }
    return n_values;
}
