/* The functions of predictions that a device runs, each handed ct_forged_views: the bodies of
 * planes_body.h and sums_body.h.
 *
 * kernels_host.c has the host twin's side of each, kernels.cu CUDA's; the table of both is in
 * kernels.cu, or in kernels_stub.c where the package was built without CUDA. */
#ifndef CT_FORGE_OFFLOAD_KERNELS_H
#define CT_FORGE_OFFLOAD_KERNELS_H

#include "forge/offload/views.h"
#include "gpu/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(identifier, body, what one item is): a warp an item. */
#define CT_FORGED_WARP_KERNELS(X)                                               \
    X(VALUES, ct_forge_find_ranks, "a search, for a word of rows")              \
    X(CODES, ct_forge_find_code, "a test of codes, for a word of rows")

/* Functions with a thread an item. */
#define CT_FORGED_THREAD_KERNELS(X)                                             \
    X(TESTS, ct_forge_find_tests, "a group of tests, for a word of rows")       \
    X(NETWORKS, ct_forge_find_leaves, "a tree, for a word of rows")             \
    X(WALKS, ct_forge_walk_row, "a tree and a row")                             \
    X(LEAVES, ct_forge_add_leaves, "a slice of an output, four rows of a word")   \
    X(NODES, ct_forge_add_nodes, "a slice of an output, and a row")             \
    X(SUMS, ct_forge_end_row, "an output and a row")

#define CT_FORGED_KERNELS(X)                                                    \
    CT_FORGED_WARP_KERNELS(X)                                                   \
    CT_FORGED_THREAD_KERNELS(X)

typedef enum {
#define CT_FORGED_ID(id, body, item) CT_FORGED_##id,
    CT_FORGED_KERNELS(CT_FORGED_ID)
#undef CT_FORGED_ID
    CT_FORGED_N_KERNELS
} ct_forged_kernel;

extern const ct_gpu_kernel ct_forged_kernels[CT_FORGED_N_KERNELS];

#define CT_FORGED_ON_HOST(id, body, item) \
    void ct_forged_host_##id(const void *arguments, size_t items, void *shared);
CT_FORGED_KERNELS(CT_FORGED_ON_HOST)
#undef CT_FORGED_ON_HOST

#ifdef __cplusplus
}
#endif

#endif
