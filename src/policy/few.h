/* The best tree of fewer splits than its depth allows. */
#ifndef CT_POLICY_FEW_H
#define CT_POLICY_FEW_H

#include "policy/rows.h"
#include "policy/search.h"

/* ct_policy_solve_rows() for trees of at most `splits`, by this worker alone. */
ct_status ct_policy_solve_few(ct_policy_worker *team, unsigned number, const ct_policy_rows *set,
                              unsigned depth, uint32_t splits, ct_policy_best *best, int64_t *low);

#endif
