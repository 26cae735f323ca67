/* What a device runs: a function of one system, handed one struct of arguments, as the device's
 * text and as its host twin's. The systems have their functions in files of their own; nothing here
 * knows any of them.
 *
 * A function is given the number of items and processes all of them: on the device each thread,
 * warp or block processes one, on the host they are processed one after another. Written as a body
 * that takes one item (base/hd.h, base/lanes.h), one text is both, and the macros here and in
 * kernel.cuh make the two functions of it. */
#ifndef CT_GPU_KERNEL_H
#define CT_GPU_KERNEL_H

#include <stddef.h>

#include "base/lanes.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CT_GPU_LANES = 32,           /* threads of a warp */
    CT_GPU_BLOCK = 256,          /* threads of a block at most */
    CT_GPU_ARGUMENTS = 4 * 1024, /* bytes that CUDA hands to a function at most */
    CT_GPU_SHARED = 48 * 1024    /* bytes that every device grants a block without being asked */
};

/* Who takes the items. */
typedef struct {
    size_t items;
    unsigned blocks, threads; /* threads: of a block */
    size_t shared;            /* bytes that the threads of a block share, at most CT_GPU_SHARED */
} ct_gpu_grid;

ct_gpu_grid ct_gpu_threads(size_t items); /* a thread an item */
ct_gpu_grid ct_gpu_warps(size_t items);   /* a warp an item */
ct_gpu_grid ct_gpu_blocks(size_t items, unsigned threads, size_t shared); /* a block an item */

/* How code that was compiled at run time is started: blocks, and threads of a block, in x, y, z. */
typedef struct {
    unsigned blocks[3], threads[3];
    unsigned shared; /* bytes that the threads of a block share, at most CT_GPU_SHARED */
} ct_gpu_shape;

typedef struct {
    /* Takes all items. `shared`: memory of one block, NULL if the grid has none; the items use it
     * in turn. */
    void (*on_host)(const void *arguments, size_t items, void *shared);
    /* Starts it in a CUDA stream, see kernel.cuh; returns CUDA's code. NULL in a build without
     * CUDA. */
    int (*on_cuda)(const ct_gpu_grid *grid, void *stream, const void *arguments);
} ct_gpu_kernel;

/* The host's function of a body (const type *arguments, size_t item), and of one that a group works
 * on together: (ct_lanes lanes, const type *arguments, size_t item). */
#define CT_GPU_THREADS_ON_HOST(name, type, body)                                          \
    void name(const void *arguments, size_t items, void *shared)                          \
    {                                                                                     \
        (void) shared;                                                                    \
        for (size_t item = 0; item < items; item++) body((const type *) arguments, item); \
    }
#define CT_GPU_WARPS_ON_HOST(name, type, body)                                            \
    void name(const void *arguments, size_t items, void *shared)                          \
    {                                                                                     \
        (void) shared;                                                                    \
        for (size_t item = 0; item < items; item++)                                       \
            body(ct_lanes_alone(), (const type *) arguments, item);                        \
    }

#ifdef __cplusplus
}
#endif

#endif
