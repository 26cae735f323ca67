/* Thresholds at depth two whose scans have rounded the response, counted in full.
 *
 * Costs in scans are bounds there (exact/cost/response.h). A threshold that these rule out is no
 * better in full; of one that they leave a chance, leaves and the splits of those child features
 * that may be best are counted here, so that what becomes the best tree has its own cost, and what
 * does not is proven not to be better. Of equal child features the first is taken. */
#ifndef CT_EXACT_SEARCH_IN_FULL_H
#define CT_EXACT_SEARCH_IN_FULL_H

#include "exact/search/roots.h"

typedef struct ct_in_full ct_in_full;

/* Scratch memory for a node; NULL if that ends. */
ct_in_full *ct_in_full_new(const ct_node *node, ct_arena *arena);

/* The sums and leaf costs of both sides of threshold t of f. */
void ct_in_full_leaves(ct_in_full *in_full, ct_evaluator *evaluator, uint32_t f, uint32_t t,
                       int64_t leaf[2]);

/* Splits a side of the last threshold by the child features whose bounds in children->errors are
 * below its need: the answers as of a scan. */
void ct_in_full_split(ct_in_full *in_full, ct_evaluator *evaluator, int side,
                      ct_children *children);

#endif
