/* Trees of depth three on columns of two values. Three columns part the rows into eight sets; what
 * these cost with each action, in exact costs, is added up once for all trees that split on the
 * three, so that nothing is bounded and nothing confirmed. */
#ifndef CT_POLICY_TWO_VALUED_H
#define CT_POLICY_TWO_VALUED_H

#include "policy/rows.h"
#include "policy/search.h"

/* Whether the columns of the set are like that, and not too many. */
int ct_policy_two_valued(const ct_policy_worker *worker, const ct_policy_rows *set);

/* Whether that takes less than a moment, so that no smaller tree need be found before. */
int ct_policy_two_valued_quick(const ct_policy_rows *set);

/* ct_policy_solve_rows() for depth three on columns of two values. */
ct_status ct_policy_two_valued_solve(ct_policy_worker *team, unsigned number, unsigned threads,
                                     const ct_policy_rows *set, ct_policy_best *best, int64_t *low);

#endif
