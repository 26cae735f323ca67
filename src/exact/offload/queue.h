/* What device.c and queue.c share of device.h. */
#ifndef CT_EXACT_OFFLOAD_QUEUE_H
#define CT_EXACT_OFFLOAD_QUEUE_H

#include "exact/offload/kernels.h"
#include "gpu/gpu.h"

/* The memory of a batch, on the host and on the device, and its end in the stream. */
typedef struct {
    ct_offload_candidate *candidates; /* then `wanted`, at once after the batch's last one */
    int32_t *errors;
    ct_offload_batch_view on_device;
    ct_gpu_event end;
} ct_offload_slot;

struct ct_offload_queue {
    ct_offload_device *device;
    ct_gpu_stream stream;
    ct_gpu_block on_device, on_host; /* all that it ever needs, cut into what follows */
    ct_offload_views views;
    char *rows; /* on the device: of the row set, whichever it is */
    ct_offload_slot slots[CT_OFFLOAD_SLOTS];
    int open;
};

struct ct_offload_device {
    ct_gpu *gpu;
    ct_gpu_block block;         /* of the table */
    ct_offload_table source;    /* borrowed */
    ct_offload_table_view view; /* n_window: of all windows but the last */
    size_t sides_bytes;         /* in one slot */
    unsigned n_queues;
    ct_offload_queue *queues;
};

/* A queue is opened when it is first used: not every thread comes to that. */
ct_status ct_offload_queue_open(ct_offload_queue *queue);
void ct_offload_queue_close(ct_offload_queue *queue);
/* Bytes that one takes on the device, with views of the table and slots as they are planned. */
size_t ct_offload_queue_bytes(const ct_offload_device *device);

ct_status ct_offload_launch(const ct_offload_queue *queue, ct_offload_kernel kernel,
                            ct_gpu_grid grid);
/* The views are read-only for all but this. */
ct_status ct_offload_send(const ct_offload_queue *queue, const void *to, const void *from,
                          size_t bytes);
/* The orders of the columns from `first` on, in place of those that were there. */
ct_status ct_offload_send_window(ct_offload_queue *queue, uint32_t first);

#endif
