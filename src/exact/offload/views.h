/* What the kernels are handed: where on the device the table, the row set and the batch are. All of
 * it goes to every kernel, by value.
 *
 * Bit sets have words of 32 rows here, one for each lane of a team. */
#ifndef CT_EXACT_OFFLOAD_VIEWS_H
#define CT_EXACT_OFFLOAD_VIEWS_H

#include "exact/offload/device.h"

/* The data set, sent once. `ranks` is made on the device. Orders, and all that is made of them, are
 * there for the columns of a window: those from first_col on. It has all columns if there is memory
 * for that. Below, g counts from its first one. */
typedef struct {
    uint32_t n_rows, n_cols, n_classes;
    uint32_t first_col, n_window;
    uint32_t words;         /* of a bit set over all rows */
    uint32_t rank_bytes;    /* 2 or 4: uint16_t or uint32_t */
    const uint32_t *order;  /* [g][n_rows] */
    const uint64_t *ties;   /* [g][tie_words] as in data/table.h */
    size_t tie_words;
    void *ranks;            /* [column][n_rows] */
    const uint8_t *classes; /* [row] */
} ct_offload_table_view;

/* A row set: its rows numbered from 0, in the order of each column. */
typedef struct {
    uint32_t n_rows, words;
    uint32_t *rows;   /* [n_rows] of the table */
    uint32_t *order;  /* [g][n_rows] */
    uint32_t *ties;   /* [g][words] where the value of g changes */
    uint32_t *sets;   /* [g][words][class] members */
} ct_offload_rows_view;

/* Scratch memory while ranks or a row set are made. */
typedef struct {
    uint32_t *flags;   /* [words of the table] the rows wanted */
    /* [n_window + 1][words of the table] the same in each order; last, in that of the rows. */
    uint32_t *members;
    uint32_t *starts;  /* [n_window + 1][words of the table] members before the word */
} ct_offload_scratch_view;

/* A batch of candidates. They go by groups of CT_GPU_LANES, one bit each of a word of `sides`, and
 * the groups by quads of four, whose words lie beside each other: a read of one row brings them
 * all. Bits that have no candidate mean nothing. */
typedef struct {
    uint32_t n_candidates, n_groups, n_quads;
    /* 2: some candidates are of parts; 1: of the whole row set, and what is not left is right. */
    uint32_t n_sides;
    uint32_t totals_col; /* column of the table whose counts make the totals */
    const ct_offload_candidate *candidates;
    const uint32_t *wanted; /* [group][side][column] see ct_offload_submit */
    /* [row][quad][side][group of the quad] bit p: the row is left of candidate p of the group;
     * right of it. */
    uint32_t *sides;
    uint32_t *counts; /* [g][group][part of the order][side][class][candidate] rows in the part */
    uint32_t *totals; /* [group][side][class][candidate] rows of the side */
    int32_t *errors;  /* see ct_offload_wait */
} ct_offload_batch_view;

typedef struct {
    ct_offload_table_view table;
    ct_offload_scratch_view scratch;
    ct_offload_rows_view rows;
    ct_offload_conditions conditions;
    ct_offload_batch_view batch;
} ct_offload_views;

#endif
