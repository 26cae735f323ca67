/* What device.c and batch.c share of device.h: the questions of a batch, sent and answered. */
#ifndef CT_EVOLVE_OFFLOAD_BATCH_H
#define CT_EVOLVE_OFFLOAD_BATCH_H

#include "evolve/offload/device.h"
#include "evolve/offload/kernels.h"
#include "evolve/offload/plan.h"
#include "gpu/gpu.h"

/* Of a batch: pieces at most, by the room that there is, questions, and what else belongs to them;
 * one question has less of all of these but of pieces and parts. */
enum {
    CT_BATCH_LEAST_PIECES = 256,
    CT_BATCH_PIECES = 1 << 20,
    CT_BATCH_QUESTIONS = 256,
    CT_BATCH_NODES = 64 * CT_BATCH_QUESTIONS,
    CT_BATCH_LEAVES = 16 * CT_BATCH_QUESTIONS
};
/* It takes no more of the device. */
#define CT_BATCH_BYTES ((size_t) 1 << 28)

/* How much there is in a batch up to a question. */
typedef struct {
    uint32_t nodes, pieces, parts, leaves, rows;
} ct_batch_place;

struct ct_cell_device {
    const ct_row_cells *cells;
    unsigned threads;
    ct_gpu *gpu;
    ct_gpu_stream stream;
    ct_evolve_views views;        /* on the device */
    ct_gpu_block on_device;       /* the cells */
    uint32_t n_pieces;            /* of a batch at most */
    ct_gpu_block batch_on_device, on_host;
    ct_question_plan *plans;      /* [CT_BATCH_QUESTIONS] */
    ct_batch_place *places;       /* [CT_BATCH_QUESTIONS + 1] */
    int64_t n_answers, n_batches;
};

/* Bytes on the device, for so many pieces. */
size_t ct_cell_batch_bytes(const ct_cell_device *device, uint32_t n_pieces);
/* CT_NO_DEVICE, or CT_NO_MEMORY. */
ct_status ct_cell_batch_open(ct_cell_device *device);
void ct_cell_batch_close(ct_cell_device *device);

#endif
