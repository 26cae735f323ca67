/* Outer sets: rows that count for the sizes of leaves, see exact/bound/interval.h.
 *
 * The outer set of a node is the rows of the node and those of node->rows.outer; where a node is
 * not `sized`, leaves may have any size. The bits live in the arena that they are made in. */
#ifndef CT_EXACT_ROWS_OUTER_H
#define CT_EXACT_ROWS_OUTER_H

#include "exact/rows/node.h"

/* The rows that are besides in the outer set of a side, if that is known and not too large for it
 * to pay. */
typedef struct {
    uint64_t *rows; /* [g][words] in the layout of the parent; NULL: none */
    uint32_t n_rows;
    int sized;
} ct_outer;

/* Of `side`, the rows of a sized parent on one side of threshold t of f: the outer set is that of
 * threshold `around`, or that of the parent (0). CT_NO_MEMORY, and a stop is asked for, if memory
 * ends. */
ct_status ct_outer_side(ct_worker *worker, ct_arena *arena, const ct_node *parent, uint32_t f,
                        uint32_t around, int side, const ct_node *node, ct_outer *outer);

/* How many rows thresholds of f leave on the left at least and at most, if either side of the outer
 * set of a sized node is to have `least` rows: limits[2]; none if the first is the larger. */
void ct_outer_limits(const ct_node *node, uint32_t f, uint32_t least, uint32_t limits[2]);

#endif
