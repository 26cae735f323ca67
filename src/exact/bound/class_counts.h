/* A lower bound of the cost of the trees of a row set, from its class counts alone. */
#ifndef CT_EXACT_BOUND_CLASS_COUNTS_H
#define CT_EXACT_BOUND_CLASS_COUNTS_H

#include "exact/run/worker.h"

/* A lower bound from the class counts alone: a tree of depth k has at most 2^k leaves, each right
 * on the rows of one class only, so it is wrong on all but the 2^k largest classes. (Weaker than,
 * but unlike, equivalent candidates.) Where losses depend on the label: what the rows cost under
 * the best 2^k labels, see exact/cost/choices.h, unless these are too many. With a response 0. */
int64_t ct_class_count_bound(const ct_worker *worker, const ct_totals *totals, uint32_t n_classes,
                             unsigned depth);

#endif
