/* A batch of trees on a device: its memory, how it grows level by level, what is fetched of it. */
#ifndef CT_FOREST_OFFLOAD_BATCH_H
#define CT_FOREST_OFFLOAD_BATCH_H

#include "base/parallel.h"
#include "forest/offload/grow_views.h"
#include "forest/sample/sample.h"
#include "gpu/gpu.h"

/* How much of everything there is room for. */
typedef struct {
    uint32_t trees;         /* of a batch */
    uint32_t capacity;      /* items of a tree */
    uint32_t node_capacity; /* nodes of one */
    uint32_t large, chunks; /* large nodes of a level, and chunks of their items */
    uint32_t medium;        /* tasks that wait for a block */
    uint32_t draw_chunks, row_chunks;
    uint32_t leaves;        /* whose answers are there at a time; those of one tree at least */
    uint32_t staged;        /* nodes that are fetched at a time; those of one tree at least */
    int draws;              /* samples are drawn on the device */
    int oob, permutation;   /* as in ct_hist_options */
} ct_batch_plan;

/* Of a forest, with `trees` a batch. `table` has all but its pointers. */
ct_batch_plan ct_forest_batch_plan_of(const ct_grow_table *table, const ct_hist_options *options,
                                      uint32_t trees);
/* Bytes on the device that a batch takes. */
size_t ct_forest_batch_bytes(const ct_grow_table *table, const ct_batch_plan *plan);

/* Of one worker. Begins as zeros. */
typedef struct {
    ct_batch_plan plan;
    const ct_hist_sampler *sampler; /* borrowed */
    ct_gpu *gpu;
    ct_gpu_stream stream;
    ct_gpu_block on_device, on_host;
    ct_grow_view view;
    ct_grow_level levels[2];
    /* On the host, pinned. */
    ct_grow_sizes *sizes, *none;
    /* [tree] of the batch */
    uint32_t *n_nodes, *n_placed, *depths, *leaf_begins;
    uint32_t *counts;    /* [row] where samples are not drawn on the device */
    ct_grow_node *nodes; /* of some trees */
} ct_hist_batch;

/* Takes memory and begins sums of rows left out. */
ct_status ct_forest_batch_open(ct_hist_batch *batch, ct_gpu *gpu, const ct_grow_table *table,
                               const ct_batch_plan *plan, const ct_hist_sampler *sampler);
void ct_forest_batch_close(ct_hist_batch *batch);

/* Grows n trees, numbers first and so on, to their end; then sizes are known. *done is 0 where it
 * was stopped. CT_NO_DEVICE; *heavy: since a row was drawn too often for the device. */
ct_status ct_forest_batch_grow(ct_hist_batch *batch, uint32_t first, uint32_t n, ct_halt *stop,
                               unsigned worker, int *done, int *heavy);

/* Trees from..*end - 1, as many as there is room for, below n: their nodes come to the host, their
 * leaves say what they do, and rows left out are added up. */
ct_status ct_forest_batch_answer(ct_hist_batch *batch, uint32_t from, uint32_t n, uint32_t *end);

/* Then: copies from the device, of arrays that are as long. */
ct_status ct_forest_batch_fetch(const ct_hist_batch *batch, void *to, const void *from,
                                size_t bytes);

#endif
