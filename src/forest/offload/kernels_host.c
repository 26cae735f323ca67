/* The kernels of forests on the host twin, one item after the other. */
#include "base/compact.h"

#include "forest/offload/kernels.h"

#define THREADS_ON_HOST(id, view, body) CT_GPU_THREADS_ON_HOST(ct_forest_host_##id, view, body)
#define WARPS_ON_HOST(id, view, body) CT_GPU_WARPS_ON_HOST(ct_forest_host_##id, view, body)
#define GROUPS_ON_HOST(id, view, body, threads, blocks)                              \
    void ct_forest_host_##id(const void *arguments, size_t items, void *shared)      \
    {                                                                                \
        for (size_t item = 0; item < items; item++)                                  \
            body(ct_group_alone(), (const view *) arguments, item, shared);           \
    }
CT_FOREST_THREAD_KERNELS(THREADS_ON_HOST)
CT_FOREST_WARP_KERNELS(WARPS_ON_HOST)
CT_FOREST_GROUP_KERNELS(GROUPS_ON_HOST)
