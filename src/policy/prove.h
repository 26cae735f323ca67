/* A second search that writes down why no tree has less regret than one that is known. */
#ifndef CT_POLICY_PROVE_H
#define CT_POLICY_PROVE_H

#include "base/bytes.h"
#include "policy/policy.h"

/* Added to the exponent of the unit of costs, so that it is written as a number of at least 0. */
#define CT_POLICY_EXPONENT 2000

/* Appends to `evidence` what shows that no tree costs less than options->start does less `slack`,
 * or, without one, than `bound`; both are sums of rewards. *end is CT_POLICY_OPTIMAL if all of it
 * is written, else the reason why not. Errors: as ct_policy_solve.
 *
 * The evidence is the exponent of the unit of costs and how many bits stand below it for the number
 * of splits, see costs.h; and of all rows, if trees have two levels or more, what follows: 0 if
 * none of their splits was looked at. Else 1 and, of trees of two levels, for each column the cuts
 * that were evaluated by their number of rows on the left, as steps from one to the next, and 0; of
 * trees of more levels, for each evaluated cut its column from 1, its rows on the left, the same of
 * the left and of the right side with a level less, and, where leaves have a least size, 0, or 1
 * and the same of the sides again; and 0 behind the last. */
ct_status ct_policy_prove(const ct_policy_data *data, const ct_policy_options *options,
                          double bound, double slack, ct_bytes *evidence, ct_policy_end *end,
                          ct_error *error);

#endif
