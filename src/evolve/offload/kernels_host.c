/* The kernels of model trees on the host twin, a group of one lane. */
#include "base/compact.h"

#include "evolve/offload/kernels.h"

#include "evolve/offload/body.h"

#define WARPS_ON_HOST(id, body, item) \
    CT_GPU_WARPS_ON_HOST(ct_evolve_host_##id, ct_evolve_views, body)
CT_EVOLVE_KERNELS(WARPS_ON_HOST)
