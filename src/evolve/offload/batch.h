/* What device.c and batch.c share of device.h: the questions of a batch, sent and answered. */
#ifndef CT_EVOLVE_OFFLOAD_BATCH_H
#define CT_EVOLVE_OFFLOAD_BATCH_H

#include "evolve/offload/device.h"
#include "evolve/offload/kernels.h"
#include "evolve/offload/plan.h"
#include "gpu/gpu.h"

enum { CT_BATCH_QUESTIONS = 256 };
/* Bytes of a batch: as many as there is room for, between these on the device, and no more on the
 * host. */
#define CT_BATCH_LEAST ((size_t) 1 << 16)
#define CT_BATCH_MOST ((size_t) 1 << 28)
#define CT_BATCH_ON_HOST ((size_t) 1 << 25)

/* How much there is in a batch up to a question. */
typedef struct {
    uint32_t nodes, pieces, parts, leaves, rows;
} ct_batch_place;

struct ct_cell_device {
    const ct_row_cells *cells;
    unsigned threads;
    ct_gpu *gpu;
    ct_gpu_stream stream;
    ct_evolve_views views;                 /* on the device */
    ct_gpu_block on_device;                /* the cells */
    size_t bytes_on_device, bytes_on_host; /* that a batch may take */
    ct_gpu_block batch_on_device, on_host;
    ct_question_plan *plans;      /* [CT_BATCH_QUESTIONS] */
    ct_batch_place *places;       /* [CT_BATCH_QUESTIONS + 1] */
    int64_t n_answers, n_batches;
};

/* Takes the memory for batches, as many bytes as the device's members say. CT_NO_DEVICE, or
 * CT_NO_MEMORY. */
ct_status ct_gmt_cell_batch_open(ct_cell_device *device);
void ct_gmt_cell_batch_close(ct_cell_device *device);

#endif
