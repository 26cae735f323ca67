/* The functions of model trees that a device runs, each handed ct_evolve_views: the bodies of
 * body.h.
 *
 * kernels_host.c has the host twin's side of each, kernels.cu CUDA's; the table of both is in
 * kernels.cu, or in kernels_stub.c where the package was built without CUDA. */
#ifndef CT_EVOLVE_OFFLOAD_KERNELS_H
#define CT_EVOLVE_OFFLOAD_KERNELS_H

#include "evolve/offload/views.h"
#include "gpu/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(identifier, body, what one item is): a warp an item. */
#define CT_EVOLVE_KERNELS(X)                                                                       \
    X(PIECE_NARROW, ct_piece_narrow, "a piece, of up to 7 columns")                                \
    X(PIECE_MIDDLE, ct_piece_middle, "a piece, of up to 13 columns")                               \
    X(PIECE_WIDE, ct_piece_wide, "a piece")                                                        \
    X(ANSWER, ct_answer, "a leaf, or a row that is nth_rows for")

typedef enum {
#define CT_EVOLVE_ID(id, body, item) CT_EVOLVE_##id,
    CT_EVOLVE_KERNELS(CT_EVOLVE_ID)
#undef CT_EVOLVE_ID
    CT_EVOLVE_N_KERNELS
} ct_evolve_kernel;

extern const ct_gpu_kernel ct_evolve_kernels[CT_EVOLVE_N_KERNELS];

#define CT_EVOLVE_ON_HOST(id, body, item) \
    void ct_evolve_host_##id(const void *arguments, size_t items, void *shared);
CT_EVOLVE_KERNELS(CT_EVOLVE_ON_HOST)
#undef CT_EVOLVE_ON_HOST

#ifdef __cplusplus
}
#endif

#endif
