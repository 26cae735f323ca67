/* The functions on the host twin, one item after the other. */
#include "base/compact.h"

#include "forge/offload/kernels.h"

#include "forge/offload/sums_body.h"

#define WARPS_ON_HOST(id, body, item) \
    CT_GPU_WARPS_ON_HOST(ct_forged_host_##id, ct_forged_views, body)
CT_FORGED_WARP_KERNELS(WARPS_ON_HOST)

#define THREADS_ON_HOST(id, body, item) \
    CT_GPU_THREADS_ON_HOST(ct_forged_host_##id, ct_forged_views, body)
CT_FORGED_THREAD_KERNELS(THREADS_ON_HOST)
