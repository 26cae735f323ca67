/* Reading the orders of a layout: ranks, positions and thresholds. */
#ifndef CT_EXACT_ROWS_RANKS_H
#define CT_EXACT_ROWS_RANKS_H

#include "exact/rows/layout.h"

/* Rank of the value at a position of f's order. */
uint32_t ct_layout_rank(const ct_layout *layout, uint32_t f, size_t position);
/* First position of f's order whose rank is not below t; t in 1 .. n_values - 1. */
size_t ct_layout_start(const ct_worker *worker, const ct_layout *layout, uint32_t f, uint32_t t);

/* A threshold in the table's ranks, and back: the first own threshold that is not below it. */
uint32_t ct_layout_to_global(const ct_layout *layout, uint32_t f, uint32_t t);
uint32_t ct_layout_from_global(const ct_layout *layout, uint32_t f, uint32_t global);

#endif
