/* What device.c and batch.c share of device.h: the queries of a batch, sent and answered. */
#ifndef CT_EVOLVE_OFFLOAD_BATCH_H
#define CT_EVOLVE_OFFLOAD_BATCH_H

#include "evolve/offload/device.h"
#include "evolve/offload/kernels.h"
#include "evolve/offload/plan.h"
#include "gpu/gpu.h"

enum { CT_BATCH_QUERIES = 256 };
/* Bytes of a batch: as many as there is room for on the device between these limits, and at most
 * CT_BATCH_ON_HOST on the host. */
#define CT_BATCH_LEAST ((size_t) 1 << 16)
#define CT_BATCH_MOST ((size_t) 1 << 28)
#define CT_BATCH_ON_HOST ((size_t) 1 << 25)

/* Where what belongs to a query begins in the arrays of its batch. */
typedef struct {
    uint32_t nodes, pieces, summands, leaves, rows;
} ct_batch_offsets;

struct ct_kd_device {
    const ct_kd_tree *kd;
    unsigned threads;
    ct_gpu *gpu;
    ct_gpu_stream stream;
    ct_evolve_views views;                 /* on the device */
    ct_gpu_block on_device;                /* the cells */
    size_t bytes_on_device, bytes_on_host; /* that a batch may take */
    ct_gpu_block batch_on_device, on_host;
    ct_query_plan *plans;      /* [CT_BATCH_QUERIES] */
    ct_batch_offsets *offsets; /* [CT_BATCH_QUERIES + 1] */
    int64_t n_answers, n_batches;
};

/* Takes the memory for batches: the bytes that the device's members say. CT_NO_DEVICE, or
 * CT_NO_MEMORY. */
ct_status ct_gmt_kd_batch_open(ct_kd_device *device);
void ct_gmt_kd_batch_close(ct_kd_device *device);

#endif
