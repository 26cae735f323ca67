/* Problems of depth two and three on features of few values, solved by counts: the rows of each
 * class in every two and every three thresholds, each triple counted once (kernels/triples.h).
 *
 * Called in place of the search over root splits and answers as that does: the least cost, the tree
 * that the rule for ties wants, and a lower bound for each root feature; these are the costs
 * themselves, but for roots that a bound has ruled out. A root that was counted bounds the others:
 * opt(A) >= opt(B) - D(B \ A), for sides A and B of two roots, as in bound/interval.h.
 *
 * Only where rows cost all the same, or with a response (sums.h).
 * No evidence is written: a search that writes some (evidence.h) does without, knows the cost that
 * was found here, and records thresholds as in any other table, which is all that src/certify
 * needs. */
#ifndef CT_EXACT_SEARCH_TRIPLES_H
#define CT_EXACT_SEARCH_TRIPLES_H

#include "exact/rows/tests.h"
#include "exact/search/roots.h"

/* Whether a task is one of these, unless its node has more than CT_MOST_TESTS. */
int ct_triples_apply(const ct_worker *worker, const ct_layout *layout, const ct_exact_task *task);

/* Solves it, into *bounds, which say nothing before, root_bounds and tree as ct_solve() does; 0 if
 * the node has more tests. If memory ends, a stop is asked for. */
int ct_triples_solve(ct_worker *worker, const ct_node *node, const ct_exact_task *task,
                     int64_t *root_bounds, ct_split_code *tree, ct_bounds *bounds);

/* A solve by counts for all roots whose trees cost `budget` at most (exact/sets/few_valued.h). */
typedef struct ct_counting ct_counting;

/* What trees with a test at their root cost, and with them both sides, 1 being the rows in it. */
typedef struct {
    int64_t value, side[2];
    uint32_t rows_in;
} ct_counted_root;

/* Counts, in the worker's arena; *made is NULL if the node has more tests. The node and the task,
 * of depth 2 or 3, are borrowed. CT_NO_MEMORY, and a stop is asked for, if memory ends. */
ct_status ct_counting_new(ct_worker *worker, const ct_node *node, const ct_exact_task *task,
                          int64_t budget, ct_counting **made, const ct_test_node **tests);
/* Costs of root i. 1: the least, as for all roots within the budget unless the search was stopped;
 * 0: lower bounds. */
int ct_counting_root(const ct_counting *x, uint32_t i, ct_counted_root *root);
/* At depth three, of test j at the root of a side of root i whose least cost is known. */
void ct_counting_second(const ct_counting *x, uint32_t i, int side, uint32_t j,
                        ct_counted_root *root);
/* Rows of class c of the node's own that are in the first test (in[0]) or not, and in the second.
 */
uint32_t ct_counting_rows(const ct_counting *x, const uint32_t tests[2], const uint8_t in[2],
                          uint32_t c);
/* A lower bound of what such a quadrant below a known root costs with one split: if no better, its
 * leaves have one label. */
int64_t ct_counting_stump(const ct_counting *x, const uint32_t tests[2], const uint8_t in[2]);

#endif
