/* Sorting one column: the order of its rows and where its value changes. From here on a split is an
 * integer.
 *
 * Doubles are compared exactly (+0 and -0 are equal). Cost: a radix sort of row numbers by keys of
 * 16 to 32 bits that rise with the value, mostly in two passes, then a repair where values share a
 * key. Rows of two values are dealt out instead. Of coded columns the levels are sorted so, and the
 * rows are counted by level. */
#ifndef CT_DATA_SORT_H
#define CT_DATA_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/parallel.h"
#include "data/data.h"

/* Bytes of scratch that ct_sort_column wants for n rows of doubles or integers: memory owned by the
 * caller, free to reuse afterwards. */
size_t ct_sort_scratch(uint32_t n_rows);

/* Bytes of scratch to sort this column: if it is coded, they depend on its levels only. */
size_t ct_sort_scratch_of(const ct_column *column, uint32_t n_rows);

/* Writes the rows by increasing value (equal values by increasing row) to order[n_rows]; sets bit j
 * of `ties` (n_rows bits, zeroed by the caller) where the value after position j differs from the
 * one at j, so never the last one. Returns the number of distinct values; 0 once `stop` (NULL:
 * none), which is asked as this worker, says so. */
uint32_t ct_sort_column(const ct_column *column, uint32_t n_rows, void *scratch, uint32_t *order,
                        uint64_t *ties, ct_halt *stop, unsigned worker);

#endif
