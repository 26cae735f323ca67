/* Tallies: how many rows have which value of each child feature, and the sum of their response. Of
 * features with few values, for problems of depth two; see kernels/response/tallies.h.
 *
 * An evaluator keeps those of the rows left of some thresholds. At another one it goes on from the
 * nearest of these: only the rows in between are added or taken away. */
#ifndef CT_EXACT_ROWS_TALLIES_H
#define CT_EXACT_ROWS_TALLIES_H

#include "exact/rows/node.h"

/* What all evaluators of a node share. Read-only. */
typedef struct {
    const ct_node *node;      /* borrowed */
    uint32_t *first;          /* [n_cols + 1] see ct_tallies */
    const uint16_t *cells;    /* [row of the layout][n_cols] */
    const uint64_t *all;      /* [cell] of all rows of the node, */
    const uint64_t *outer;    /* and of those and the ones besides; NULL: node not sized */
    unsigned shift;
    int64_t bias;
} ct_tally_table;

/* What one evaluator keeps. */
typedef struct ct_tally_notes ct_tally_notes;

/* From the arena, lasting as long as the node. NULL if it does not pay, is not possible (rows have
 * weights), or memory ends. */
ct_tally_table *ct_tally_table_new(const ct_worker *worker, ct_arena *arena, const ct_node *node);

/* `outer`: of the outer set, in which z counts as 0. NULL if memory ends. */
ct_tally_notes *ct_tally_notes_new(ct_arena *arena, const ct_tally_table *table, int outer);

/* The tallies of the rows left of threshold t of f; *n_left, unless NULL: how many these are. Valid
 * until the call after the next. */
const uint64_t *ct_tallies_left(ct_tally_notes *notes, const ct_worker *worker, uint32_t f,
                                uint32_t t, uint32_t *n_left);

#endif
