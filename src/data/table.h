/* The data set as the growers see it: each column ranked once.
 *
 * For column f: `order` lists the rows by increasing value, `ties` marks the positions after which
 * the value changes. The dense rank of a position is the number of marks before it; a threshold t
 * in 1 .. n_values - 1 sends the ranks below t to the left. Built by ct_table_init and
 * ct_table_rank in the caller's arena and read-only afterwards; it borrows the data. */
#ifndef CT_DATA_TABLE_H
#define CT_DATA_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "data/data.h"

typedef struct {
    const ct_data *data; /* borrowed */
    uint32_t n_rows, n_cols, n_classes;
    size_t words;       /* 64-bit words of a bit set over the rows, a multiple of CT_WORD_STEP */
    /* [n_cols][n_rows], one after the other, and CT_ORDER_PAD more: vectors are read whole */
    uint32_t **order;
    uint64_t **ties;    /* [n_cols][words] */
    /* [n_cols] distinct values (after a cap: groups of values); 0 until the column is ranked */
    uint32_t *n_values;
} ct_table;

/* Words are padded to this many, the widest vector of any kernel, so that kernels need no tail. */
#define CT_WORD_STEP 8
#define CT_WORDS(bits)                                                                             \
    ((((size_t) (bits) + 63) / 64 + CT_WORD_STEP - 1) / CT_WORD_STEP * CT_WORD_STEP)

enum { CT_ORDER_PAD = 32 };

/* Checks the data and takes the memory; ct_table_rank fills it in. */
ct_status ct_table_init(ct_table *table, const ct_data *data, ct_arena *arena, ct_error *error);

/* Ranks one column; different ones may be ranked at the same time, each with an arena of its own
 * (for scratch memory, given back). `max_thresholds`: thresholds that are kept at most, at evenly
 * spaced quantiles of the distinct values; 0 keeps all. Sets *capped where there were more. */
ct_status ct_table_rank(ct_table *table, uint32_t col, uint32_t max_thresholds, ct_arena *arena,
                        int *capped);

/* Whether every column is ranked. Until then nothing may read order and ties. */
int ct_table_is_ranked(const ct_table *table);

#endif
