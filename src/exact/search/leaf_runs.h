/* Where only trees with a leaf below the root can be good enough.
 *
 * A side that is split costs a split at least. Without a complexity penalty all splits of a tree
 * cost less than a unit, and so a bound of a side that is whole units grows by a split once the
 * side is split: fewer units would be below the bound, however many splits there are. Let R be what
 * the target leaves for the two sides of a threshold p between candidates a and b. By fact M of
 * interval.h tot(p) reaches the target
 *
 *   if both sides are split and their bounds, at a and at b, then reach R together;
 *   if the left side is a leaf that costs R - r(b) or more, or the right one and R - l(a).
 *
 * The further to the right, the more a leaf on the left costs. So what remains where the first of
 * these holds is a run of thresholds after a, with a leaf on the left, and one before b, with a
 * leaf on the right. Of a run the threshold farthest from its end of the interval is evaluated: its
 * other side is within those of all the others, so if it costs too much, so do they. */
#ifndef CT_EXACT_SEARCH_LEAF_RUNS_H
#define CT_EXACT_SEARCH_LEAF_RUNS_H

#include "exact/search/roots.h"

/* Whether this can be asked for in a search of that depth: rows cost all the same, and nobody
 * writes down why intervals are closed. With a complexity penalty runs are frequent, and looking
 * for their ends takes as long as depth two saves. */
int ct_leaf_runs_apply(const ct_worker *worker, unsigned depth);

/* 1 if every tree below the target with rows[0] .. rows[1] rows on its left, at a threshold of the
 * interval, has a leaf below the root. *t is then the threshold to evaluate; 0: there is no such
 * tree. */
int ct_leaf_runs_pick(ct_evaluator *evaluator, uint32_t feature, const ct_interval *i,
                      const uint32_t rows[2], uint32_t *t);

#endif
