/* All root splits of a row set that cost no more than a budget, in place of the best one: the same
 * search, in which the limit stays where it is and a split below it goes on a list.
 *
 * A split below the limit is below the caps of its sides, so the costs of these are exact; any
 * other was evaluated and costs more, or lies where a bound exceeds the budget. */
#ifndef CT_EXACT_SEARCH_SURVIVORS_H
#define CT_EXACT_SEARCH_SURVIVORS_H

#include "exact/search/roots.h"

/* Called by the search with what it found at m, and with the bound of what it leaves open. */
void ct_survivors_look(const ct_evaluator *evaluator, uint32_t feature, const ct_candidate *m,
                       int64_t upper);
static inline void ct_survivors_leave(ct_survivors *survivors, int64_t bound)
{
    if (bound < survivors->open) survivors->open = bound;
}

#endif
