/* Row sets all of whose columns have few values: their splits, and the row sets these make, by
 * counts of tests (rows/tests.h) in place of rows.
 *
 * Where two levels or more are left, a row set is counted once: search/triples.h gives all roots
 * within the budget with what their sides cost, and at depth three the same of the tests below
 * them, so that no side is searched. What lies below is a quadrant of two tests, never laid out.
 * Tests that part the rows alike are counted together; the splits on a list are those of the
 * columns, each one, the right way round, as they part the rows they are splits of. */
#ifndef CT_EXACT_SETS_FEW_VALUED_H
#define CT_EXACT_SETS_FEW_VALUED_H

#include "exact/search/triples.h"
#include "exact/sets/place.h"
#include "exact/sets/splits.h"
#include "exact/sets/stumps.h"

/* Makes of it the same row set, counted for trees of `level`, 2 or 3, in the worker's arena, or
 * leaves it as it is if it has more than CT_MOST_TESTS. CT_NO_MEMORY, and a stop is asked for, if
 * memory ends, here and below. */
ct_status ct_few_valued_make(ct_worker *worker, ct_place *place, uint32_t level, int64_t budget);

/* The splits that cost `budget` at most, by feature and threshold, into *splits[*n], to be freed by
 * the caller. *open: as in ct_survivors. Of a place that is counted, as those that follow. */
ct_status ct_few_valued_splits(ct_worker *worker, const ct_place *place, int64_t budget,
                               ct_set_split **splits, size_t *n, int64_t *open);

/* A side of a split, whose node has no rows, but totals. */
ct_status ct_few_valued_side(ct_worker *worker, const ct_place *place, const ct_set_split *split,
                             int side, ct_place *child);

/* ct_set_stumps_count() where all columns have few values. */
ct_status ct_few_valued_stumps(ct_set_stumps *stumps, ct_worker *worker, const ct_place *place,
                               const uint32_t *groups, int64_t budget);

#endif
