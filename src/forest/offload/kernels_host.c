/* The kernels of forests on the host twin, one item after the other. */
#include "forest/offload/kernels.h"

#define THREADS_ON_HOST(id, view, body) CT_GPU_THREADS_ON_HOST(ct_forest_host_##id, view, body)
CT_FOREST_THREAD_KERNELS(THREADS_ON_HOST)
