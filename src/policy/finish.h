/* From the tree of the search to the result: thresholds between values of the data, and all that is
 * said of nodes counted from the data. */
#ifndef CT_POLICY_FINISH_H
#define CT_POLICY_FINISH_H

#include "policy/policy.h"

/* CT_INTERNAL if rows that walk down the finished tree do not cost what the search says, or a leaf
 * is too small. */
ct_status ct_policy_finish(const ct_policy_data *data, const ct_policy_options *options,
                           const ct_policy_costs *costs, const ct_policy_tree *tree,
                           ct_policy_result *result, uint32_t *leaf_of_row, ct_error *error);

#endif
