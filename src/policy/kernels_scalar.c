/* One build for any number of lanes: what the other sets are held against. */
#include "base/optimised.h"
#include "base/unguarded.h"

#include "policy/kernels.h"

#define CT_POLICY_ONE_WIDTH
#include "policy/kernels_isa.h"

#define ANY_WIDTH {"scalar", sweep_many, prefix_many, scan_many, walk_many, pairs_many}
const ct_policy_kernels ct_policy_scalar = {ANY_WIDTH, ANY_WIDTH, ANY_WIDTH, ANY_WIDTH, ANY_WIDTH};
