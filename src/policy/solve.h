/* The best tree of a row set, of any depth: below a cut of the root lie two smaller problems, down
 * to trees of depth two (two.h). */
#ifndef CT_POLICY_SOLVE_H
#define CT_POLICY_SOLVE_H

#include "policy/rows.h"
#include "policy/search.h"

/* Into *best the best tree of that depth, if it costs less than what is there; *low: none costs
 * less, unless it is what *best had. The two are the same once the search is complete; after
 * CT_NO_MEMORY, or a halt, they need not be. `team`: the workers, of whom as many as `threads`
 * share the columns of the root, and else worker `number` is alone. */
ct_status ct_policy_solve_rows(ct_policy_worker *team, unsigned number, unsigned threads,
                               const ct_policy_rows *set, unsigned depth, ct_policy_best *best,
                               int64_t *low);

#endif
