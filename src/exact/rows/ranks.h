/* Reading the orders of a container: ranks, positions and thresholds. */
#ifndef CT_EXACT_ROWS_RANKS_H
#define CT_EXACT_ROWS_RANKS_H

#include "exact/rows/container.h"

/* Rank of the value at a position of f's order. */
uint32_t ct_container_rank(const ct_container *box, uint32_t f, size_t position);
/* First position of f's order whose rank is not below t; t in 1 .. n_values - 1. */
size_t ct_container_start(const ct_worker *worker, const ct_container *box, uint32_t f, uint32_t t);

/* A threshold in the table's ranks, and back: the first own threshold that is not below it. */
uint32_t ct_container_to_global(const ct_container *box, uint32_t f, uint32_t t);
uint32_t ct_container_from_global(const ct_container *box, uint32_t f, uint32_t global);

#endif
