/* A tree to begin with, as one of the search. */
#ifndef CT_POLICY_START_H
#define CT_POLICY_START_H

#include "policy/policy.h"

/* Into *best the tree on these rows, less what it may not have; it costs 1 more than it does, so
 * that the search finds the first tree of its cost. CT_NO_MEMORY. */
ct_status ct_policy_begin_with(ct_policy_best *best, const ct_policy_data *data,
                               const ct_policy_options *options, const ct_policy_costs *costs,
                               ct_arena *arena);

/* Once the search is over: whether that tree is still there. Its cost is then what it is. */
int ct_policy_is_begin(ct_policy_best *best, const ct_policy_best *begin);

#endif
