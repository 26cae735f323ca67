/* The functions of the search that a device runs, each handed ct_offload_views: the bodies of
 * rows_body.h and scan_body.h.
 *
 * kernels_host.c has the host twin's side of each, kernels.cu CUDA's; the table of both is in
 * kernels.cu, or in kernels_stub.c where the package was built without CUDA. */
#ifndef CT_EXACT_OFFLOAD_KERNELS_H
#define CT_EXACT_OFFLOAD_KERNELS_H

#include "exact/offload/views.h"
#include "gpu/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(identifier, body, what one item is): a thread an item. */
#define CT_OFFLOAD_THREAD_KERNELS(X)                                            \
    X(TIES, ct_offload_take_ties, "a word of a column's ties")

/* ... a warp an item. */
#define CT_OFFLOAD_WARP_KERNELS(X)                                              \
    X(RANKS, ct_offload_make_ranks, "a word of a column's order")               \
    X(FLAGS, ct_offload_make_flags, "a word of the table's rows")               \
    X(MEMBERS, ct_offload_find_members, "a word of an order")                   \
    X(PLACE, ct_offload_place_members, "a word of an order")                    \
    X(LAY, ct_offload_lay_out, "a word of a column's order of the row set")     \
    X(SIDES, ct_offload_make_sides, "a word of rows of the row set, for a group")

/* ... and the others: a block an item, a warp an item with memory of its own. */
#define CT_OFFLOAD_KERNELS(X)                                                   \
    CT_OFFLOAD_THREAD_KERNELS(X)                                                \
    CT_OFFLOAD_WARP_KERNELS(X)                                                  \
    X(STARTS, ct_offload_sum_members, "an order: sums over `members`")          \
    X(COUNT, ct_scan_counted, "a column, part and groups: see scan_body.h")     \
    X(SCAN, ct_scan_end, "the same")

typedef enum {
#define CT_OFFLOAD_ID(id, body, item) CT_OFFLOAD_##id,
    CT_OFFLOAD_KERNELS(CT_OFFLOAD_ID)
#undef CT_OFFLOAD_ID
    CT_OFFLOAD_N_KERNELS
} ct_offload_kernel;

enum { CT_OFFLOAD_SUMMERS = 256 }; /* threads of a block that sums members */

extern const ct_gpu_kernel ct_offload_kernels[CT_OFFLOAD_N_KERNELS];

#define CT_OFFLOAD_ON_HOST(id, body, item) \
    void ct_offload_host_##id(const void *arguments, size_t items, void *shared);
CT_OFFLOAD_KERNELS(CT_OFFLOAD_ON_HOST)
#undef CT_OFFLOAD_ON_HOST

#ifdef __cplusplus
}
#endif

#endif
