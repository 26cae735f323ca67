/* The functions of forests that a device runs, each handed one of the views below: the bodies of
 * *_body.h.
 *
 * kernels_host.c has the host twin's side of each, kernels.cu CUDA's; the table of both is in
 * kernels.cu, or in kernels_stub.c where the package was built without CUDA. */
#ifndef CT_FOREST_OFFLOAD_KERNELS_H
#define CT_FOREST_OFFLOAD_KERNELS_H

#include "forest/offload/image_body.h"
#include "forest/offload/large_body.h"
#include "forest/offload/leaves_body.h"
#include "forest/offload/medium_body.h"
#include "forest/offload/partition_body.h"
#include "forest/offload/pixel_count_body.h"
#include "forest/offload/random_body.h"
#include "forest/offload/sample_body.h"
#include "forest/offload/walk_body.h"
#include "gpu/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(identifier, view, body): a thread an item. */
#define CT_FOREST_THREAD_KERNELS(X)                           \
    X(WALK_ROW, ct_walk_view, ct_hist_walk_row)               \
    X(WALK_SHARES, ct_walk_view, ct_walk_add_shares)          \
    X(WALK_VOTES, ct_walk_view, ct_walk_add_votes)            \
    X(WALK_MEANS, ct_walk_view, ct_walk_add_means)            \
    X(WALK_SAY, ct_walk_view, ct_walk_say)                    \
    X(IMAGE_WALK, ct_pixel_view, ct_pixel_walk_pixel)         \
    X(IMAGE_SUMS, ct_pixel_view, ct_pixel_add_shares)         \
    X(IMAGE_SAY, ct_pixel_view, ct_pixel_say)                 \
    X(PIXEL_CLEAR, ct_pixel_count_view, ct_pixel_clear)       \
    X(SAMPLE_CLEAR, ct_grow_view, ct_sample_clear)            \
    X(RANDOM_DRAW, ct_grow_view, ct_random_draw)              \
    X(LEAVES_OUT, ct_grow_view, ct_leaves_out)

/* X(identifier, view, body): a warp an item. */
#define CT_FOREST_WARP_KERNELS(X)                                                                  \
    X(SAMPLE_SUM, ct_grow_view, ct_sample_sum)                                                     \
    X(ROOT_SUM, ct_grow_view, ct_root_sum)                                                         \
    X(ROOT_FINISH, ct_grow_view, ct_root_finish)                                                   \
    X(LARGE_DRAW, ct_grow_view, ct_large_draw)                                                     \
    X(PARTITION_FINISH, ct_grow_view, ct_partition_finish)                                         \
    X(LEAVES_SAY, ct_grow_view, ct_leaves_say)

/* ... a block an item, with memory that its threads share. X(..., threads of a block at most,
 * blocks that are to find room on a multiprocessor) */
#define CT_FOREST_GROUP_KERNELS(X)                                                                 \
    X(SAMPLE_TEST, ct_grow_view, ct_sample_test, CT_GPU_BLOCK, 1)                                  \
    X(SAMPLE_DRAW, ct_grow_view, ct_sample_draw, CT_GPU_BLOCK, 1)                                  \
    X(ROOT_COUNT, ct_grow_view, ct_root_count, CT_GPU_BLOCK, 1)                                    \
    X(ROOT_MOVE, ct_grow_view, ct_root_move, CT_GPU_BLOCK, 1)                                      \
    X(LARGE_SEARCH, ct_grow_view, ct_large_search, CT_GPU_BLOCK, 4)                                \
    X(RANDOM_RANGE, ct_grow_view, ct_random_range, CT_GPU_BLOCK, 1)                                \
    X(RANDOM_SCORE, ct_grow_view, ct_random_score, CT_GPU_BLOCK, 1)                                \
    X(LARGE_SPLIT, ct_grow_view, ct_large_split, CT_GPU_BLOCK, 1)                                  \
    X(PARTITION_COUNT, ct_grow_view, ct_partition_count, CT_GPU_BLOCK, 1)                          \
    X(PARTITION_MOVE, ct_grow_view, ct_partition_move, CT_GPU_BLOCK, 1)                            \
    X(PIXEL_COUNT, ct_pixel_count_view, ct_pixel_count, CT_GPU_BLOCK, 1)                           \
    X(MEDIUM_FINISH, ct_grow_view, ct_medium_finish, CT_MEDIUM_THREADS, 5)

#define CT_FOREST_KERNELS(X)    \
    CT_FOREST_THREAD_KERNELS(X) \
    CT_FOREST_WARP_KERNELS(X)   \
    CT_FOREST_GROUP_KERNELS(X)

typedef enum {
#define CT_FOREST_ID(id, ...) CT_FOREST_##id,
    CT_FOREST_KERNELS(CT_FOREST_ID)
#undef CT_FOREST_ID
    CT_FOREST_N_KERNELS
} ct_forest_kernel;

extern const ct_gpu_kernel ct_forest_kernels[CT_FOREST_N_KERNELS];

#define CT_FOREST_ON_HOST(id, ...) \
    void ct_forest_host_##id(const void *arguments, size_t items, void *shared);
CT_FOREST_KERNELS(CT_FOREST_ON_HOST)
#undef CT_FOREST_ON_HOST

#ifdef __cplusplus
}
#endif

#endif
