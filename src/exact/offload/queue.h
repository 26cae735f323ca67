/* What device.c and queue.c share of device.h. */
#ifndef CT_EXACT_OFFLOAD_QUEUE_H
#define CT_EXACT_OFFLOAD_QUEUE_H

#include "exact/offload/kernels.h"
#include "exact/offload/scan_body.h"
#include "gpu/gpu.h"

enum { CT_OFFLOAD_QUADS = CT_OFFLOAD_CANDIDATES / CT_SCAN_QUAD / CT_GPU_LANES };

/* The memory of a batch on the host, and its end in the stream. On the device the batches of a
 * queue use the same memory, one after the other. */
typedef struct {
    ct_offload_candidate *candidates; /* then `wanted`, at once after the batch's last one */
    int32_t *errors;
    ct_gpu_event end;
} ct_offload_slot;

struct ct_offload_queue {
    ct_offload_device *device;
    ct_gpu_stream stream;
    ct_gpu_block on_device, on_host; /* all that it ever needs, cut into what follows */
    ct_offload_views views;
    char *rows, *work; /* on the device: of the row set, whichever it is; of its batches */
    ct_offload_slot slots[CT_OFFLOAD_SLOTS];
    int open;
};

struct ct_offload_device {
    ct_gpu *gpu;
    ct_gpu_block block;         /* of the table */
    ct_offload_table source;    /* borrowed */
    ct_offload_table_view view; /* n_window: of all windows but the last */
    size_t work_bytes;          /* for the batches of a queue */
    unsigned n_queues;
    ct_offload_queue *queues;
};

/* A queue is opened when it is first used: not every thread comes to that. */
ct_status ct_offload_queue_open(ct_offload_queue *queue);
void ct_offload_queue_close(ct_offload_queue *queue);
/* Bytes that one takes on the device, with views of the table and slots as they are planned. */
size_t ct_offload_queue_bytes(const ct_offload_device *device);
/* What batches of n_quads quads of candidates (views.h) take, of a row set of n_rows. */
size_t ct_offload_work_bytes(const ct_offload_table_view *table, uint32_t n_rows, uint32_t n_quads);

ct_status ct_offload_launch(const ct_offload_queue *queue, ct_offload_kernel kernel,
                            ct_gpu_grid grid);
/* The views are read-only for all but this. */
ct_status ct_offload_send(const ct_offload_queue *queue, const void *to, const void *from,
                          size_t bytes);
/* Sums over the members of n_orders orders: see ct_offload_scratch_view. */
ct_status ct_offload_sum_orders(const ct_offload_queue *queue, size_t n_orders);
/* The orders of the columns from `first` on, in place of those that were there. */
ct_status ct_offload_send_window(ct_offload_queue *queue, uint32_t first);

#endif
