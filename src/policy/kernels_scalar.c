/* One build for any number of lanes: what the other sets are held against. */
#include "base/optimised.h"
#include "base/unguarded.h"

#include "policy/kernels.h"

#define CT_POLICY_ANY_WIDTH
#include "policy/kernels_isa.h"

const ct_policy_kernel ct_policy_scalar = {"scalar", sweep_any, prefix_any, scan_any, walk_any,
                                           pairs_any};
