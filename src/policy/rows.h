/* A row set of the search: orders of its rows by each column, cut into blocks, with the coarse
 * costs of its rows and their prefix sums. Rows are numbered from 0 within the set. Memory of the
 * arena that it is made in. */
#ifndef CT_POLICY_ROWS_H
#define CT_POLICY_ROWS_H

#include "data/table.h"
#include "policy/costs.h"
#include "policy/kernels.h"

typedef struct {
    uint32_t *order;   /* [n] rows by increasing value */
    uint8_t *last;     /* [n] 1: the value changes behind this position */
    uint16_t *block;   /* [row] */
    uint32_t n_blocks;
    uint32_t *end;     /* [n_blocks] the position behind a block, where the value changes */
    int32_t *closed;   /* [n_blocks] see ct_policy_side */
    int32_t *sums;     /* [padded][lanes] costs up to the end of each block */
} ct_policy_column;

typedef struct ct_policy_rows {
    uint32_t n, n_cols, most_blocks; /* of any column, padded */
    const ct_policy_costs *costs;
    uint32_t *rows;            /* [n] of the table */
    int32_t *coarse;           /* [n][lanes] */
    int32_t *total;            /* [lanes] */
    ct_policy_column *columns; /* [n_cols] */
    int64_t leaf;              /* the exact cost as a leaf, */
    uint32_t action;           /* and the first action that has it */
} ct_policy_rows;

/* All rows of a ranked table. */
ct_status ct_policy_rows_all(ct_policy_rows *set, const ct_table *table,
                             const ct_policy_costs *costs, ct_arena *arena);

/* Rows whose place[row], the position in the order of a column, is from begin to end - 1. */
ct_status ct_policy_rows_part(ct_policy_rows *set, const ct_policy_rows *of, const uint32_t *place,
                              uint32_t begin, uint32_t end, ct_arena *arena);

/* The cut between two of a column's, nearest to their middle, at which the value changes and both
 * sides have min_bucket rows; 0: none. */
uint32_t ct_policy_middle_cut(const ct_policy_rows *set, uint32_t column, uint32_t low,
                              uint32_t high, uint32_t min_bucket);

#endif
