/* Least sizes of leaves, and of nodes that are split, in a solve by counts (triples.h).
 *
 * Counts are of trees of any sizes, which bound the others; so do the bounds between roots. Of a
 * root whose trees may cost less than the best one the sides are searched again: behind each second
 * test that may be good enough, the rows in all third ones are counted. */
#ifndef CT_EXACT_SEARCH_SIZED_H
#define CT_EXACT_SEARCH_SIZED_H

#include "exact/search/counting.h"

/* Takes root i, whose value is the least cost but for sizes, if a tree of these is below the best.
 */
void ct_sized_take(ct_counting *x, uint32_t i);
/* A lower bound of all trees of these sizes. */
int64_t ct_sized_least(const ct_counting *x);
/* Writes a side of the root that is found. */
void ct_sized_write_side(const ct_counting *x, int side, ct_split_code *tree);

#endif
