/* Sends the rows of a node to its children. */
#ifndef CT_FOREST_SCAN_ROWS_H
#define CT_FOREST_SCAN_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* A row of the sample: where its codes are in the view of its node, and how often it was drawn. */
typedef struct {
    uint32_t row, weight;
} ct_item;

enum {
    CT_TO_LEFT = 1,
    CT_TO_CODE = 16,        /* the code decides */
    CT_TRANSPOSED_ROWS = 8, /* rows that are transposed together */
    CT_PARTITION_PAD = 8
};

/* What all rows of a node are asked: of the bin, which is enough but for the one that the cut goes
 * through; then of the code. Nothing is owned. */
typedef struct {
    const uint16_t *codes;     /* of the column */
    const uint32_t *code_rows; /* [row] the place of its code; NULL: the row */
    const uint8_t *bins;       /* [row]; NULL: only codes are tested */
    const uint8_t *sides;      /* [256] of a bin: CT_TO_LEFT, CT_TO_CODE or 0 */
    /* codes, raised so, go left below; by 1 where missing ones become 0 */
    uint32_t raise, below;
} ct_hist_test;

/* Rows of one class that lie side by side. */
typedef struct {
    uint32_t class_, n, weight;
} ct_hist_run;

/* The test put to the codes of a node's items, in their order, and some more up to a multiple
 * of 8. */
typedef struct {
    const uint16_t *codes;
    const uint8_t *weights; /* [CT_SMALL_ROWS] of the items of a small node, or NULL */
    uint16_t raise, most;   /* codes, raised so, go left up to this one */
} ct_hist_own_test;

static inline uint32_t ct_code_goes_left(const ct_hist_test *q, uint32_t row)
{
    uint16_t code = q->codes[q->code_rows ? q->code_rows[row] : row];
    return (uint16_t) (code + q->raise) < q->below;
}

static inline uint32_t ct_hist_goes_left(const ct_hist_test *q, uint32_t row)
{
    uint32_t side = q->bins ? q->sides[q->bins[row]] : (uint32_t) CT_TO_CODE;
    return side == CT_TO_CODE ? ct_code_goes_left(q, row) : side;
}

/* As one word: compilers take the two apart. */
static inline void ct_copy_item(ct_item *to, const ct_item *from)
{
    uint64_t both;
    __builtin_memcpy(&both, from, sizeof both);
    __builtin_memcpy(to, &both, sizeof both);
}

/* An item as one word, of which loops that load much have the halves for less than two loads. */
static inline uint64_t ct_item_word(const ct_item *item)
{
    uint64_t word;
    __builtin_memcpy(&word, item, sizeof word);
    return word;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
static inline uint32_t ct_word_row(uint64_t word) { return (uint32_t) (word >> 32); }
static inline uint32_t ct_word_weight(uint64_t word) { return (uint32_t) word; }
#else
static inline uint32_t ct_word_row(uint64_t word) { return (uint32_t) word; }
static inline uint32_t ct_word_weight(uint64_t word) { return (uint32_t) (word >> 32); }
#endif

/* Parts n items from the i-th on, of which n_left went left, without a branch that cannot be
 * foreseen: both sides are stored, one of them stays. Returns how many went left in all. */
static inline uint32_t ct_partition_from(const ct_hist_test *q, const ct_item *items, uint32_t i,
                                         uint32_t n, uint32_t n_left, ct_item *left, ct_item *right)
{
    for (; i < n; i++) {
        ct_item item = items[i];
        uint32_t goes_left = ct_hist_goes_left(q, item.row);
        ct_copy_item(left + n_left, &item);
        ct_copy_item(right + (i - n_left), &item);
        n_left += goes_left;
    }
    return n_left;
}

static inline uint32_t ct_weight_of(const ct_item *items, uint32_t n)
{
    uint32_t weight = 0;
    for (uint32_t i = 0; i < n; i++) weight += items[i].weight;
    return weight;
}

static inline uint32_t ct_own_goes_left(const ct_hist_own_test *q, uint32_t place)
{
    return (uint16_t) (q->codes[place] + q->raise) <= q->most;
}

/* As ct_partition_from. */
static inline uint32_t ct_partition_own_from(const ct_hist_own_test *q, const ct_item *items,
                                             uint32_t i, uint32_t n, uint32_t n_left, ct_item *left,
                                             ct_item *right)
{
    for (; i < n; i++) {
        ct_item item = items[i];
        ct_copy_item(left + n_left, &item);
        ct_copy_item(right + (i - n_left), &item);
        n_left += ct_own_goes_left(q, i);
    }
    return n_left;
}

/* What scan.h has of these, in portable C. */
static inline uint32_t ct_partition_plain(const ct_hist_test *q, const ct_item *items, uint32_t n,
                                          ct_item *left, ct_item *right, uint32_t *weight)
{
    uint32_t n_left = ct_partition_from(q, items, 0, n, 0, left, right);
    *weight = ct_weight_of(left, n_left);
    return n_left;
}

static inline void ct_partition_own_plain(const ct_hist_own_test *q, const ct_item *items,
                                          const ct_hist_run *runs, uint32_t n_runs, ct_item *left,
                                          ct_item *right, ct_hist_run *left_runs)
{
    uint32_t begin = 0, n_left = 0;
    for (uint32_t k = 0; k < n_runs; begin += runs[k].n, k++) {
        uint32_t now = ct_partition_own_from(q, items, begin, begin + runs[k].n, n_left, left,
                                             right);
        left_runs[k] = (ct_hist_run){runs[k].class_, now - n_left,
                                     ct_weight_of(left + n_left, now - n_left)};
        n_left = now;
    }
}

static inline uint32_t ct_drawn_plain(const uint32_t *rows, const uint32_t *counts, uint32_t n,
                                      ct_item *items, uint32_t *weight)
{
    CT_ASSERT(rows && counts && items && weight);
    uint32_t n_items = 0, sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        const ct_item item = {rows[i], counts[i]};
        ct_copy_item(&items[n_items], &item);
        sum += item.weight;
        n_items += item.weight > 0;
    }
    *weight = sum;
    return n_items;
}

static inline void ct_weights_plain(const ct_item *items, uint32_t n, uint32_t first,
                                    uint8_t *bytes, uint16_t *words, uint16_t *pairs)
{
    CT_ASSERT(n <= 64);
    for (uint32_t i = 0; i < n; i++) {
        bytes[i] = (uint8_t) items[i].weight;
        words[i] = (uint16_t) items[i].weight;
        pairs[i] = (uint16_t) (words[i] << (i < first ? 0 : 8));
    }
}

static inline void ct_range_plain(const uint16_t *codes, uint32_t n, uint16_t *low, uint16_t *high)
{
    CT_ASSERT(codes && n > 0);
    *low = *high = codes[0];
    for (uint32_t i = 1; i < n; i++) {
        if (codes[i] < *low) *low = codes[i];
        if (codes[i] > *high) *high = codes[i];
    }
}

static inline void ct_beside_plain(const uint16_t *codes, uint32_t n, uint16_t most, uint16_t *low,
                                   uint16_t *high)
{
    *low = 0, *high = UINT16_MAX;
    for (uint32_t i = 0; i < n; i++) {
        if (codes[i] <= most && codes[i] > *low) *low = codes[i];
        if (codes[i] > most && codes[i] < *high) *high = codes[i];
    }
}

static inline void ct_transpose_plain(const uint16_t *const *rows, uint32_t n_cols, uint16_t *to,
                                      size_t stride)
{
    for (uint32_t col = 0; col < n_cols; col++)
        for (unsigned i = 0; i < CT_TRANSPOSED_ROWS; i++) to[col * stride + i] = rows[i][col];
}

#endif
