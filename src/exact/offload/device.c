/* The table on a device: how its memory is planned, what is sent, its queues. */
#include "base/compact.h"

#include "exact/offload/device.h"

#include <string.h>

#include "base/memory.h"
#include "exact/offload/queue.h"

/* The work of a batch takes at most so much, unless one quad of candidates takes more. */
static const size_t WORK_BYTES = (size_t) 1 << 30;

int ct_offload_is_lost(const ct_offload_device *device)
{
    return ct_gpu_is_lost(device->gpu);
}

const char *ct_offload_why(const ct_offload_device *device)
{
    return ct_gpu_why(device->gpu);
}

ct_offload_queue *ct_offload_queue_at(ct_offload_device *device, unsigned i)
{
    return i < device->n_queues ? &device->queues[i] : NULL;
}

uint32_t ct_offload_window(const ct_offload_device *device)
{
    return device->view.n_window;
}

/* ---- memory on the device ---- */

static size_t cut_table(ct_offload_table_view *view, char *memory)
{
    ct_gpu_cutter c = {memory, 0};
    size_t n_cols = view->n_cols, n_window = view->n_window, n_rows = view->n_rows;
    view->order = (const uint32_t *) ct_gpu_cut(&c, n_window * n_rows * sizeof *view->order);
    view->ties = (const uint64_t *) ct_gpu_cut(&c, n_window * view->tie_words * sizeof *view->ties);
    view->classes = (const uint8_t *) ct_gpu_cut(&c, n_rows);
    view->ranks = ct_gpu_cut(&c, n_cols * n_rows * view->rank_bytes);
    return c.used;
}

/* What batches take with what is left of the memory that one queue may have besides one quad. */
static size_t plan_work(const ct_offload_table_view *view, size_t least, size_t spare)
{
    size_t most = ct_offload_work_bytes(view, view->n_rows, CT_OFFLOAD_QUADS);
    if (most > WORK_BYTES) most = WORK_BYTES > least ? WORK_BYTES : least;
    return least + spare < most ? least + spare / 256 * 256 : most;
}

/* All columns and as many queues as there is room for; or else one queue, and as many columns at a
 * time as there is room for. 0 if there is none even for one. */
static int plan_memory(ct_offload_device *device, size_t room, size_t *needed)
{
    ct_offload_table_view *view = &device->view;
    size_t table, queue;
    for (uint32_t n_windows = 1;; n_windows++) {
        view->n_window = (view->n_cols + n_windows - 1) / n_windows;
        table = cut_table(view, NULL);
        device->work_bytes = ct_offload_work_bytes(view, view->n_rows, 1);
        queue = ct_offload_queue_bytes(device);
        *needed = table + queue;
        if (*needed <= room) break;
        if (view->n_window == 1) return 0;
    }
    size_t most = view->n_window < view->n_cols ? 1 : (room - table) / queue;
    CT_ASSERT(most > 0);
    if (most < device->n_queues) device->n_queues = (unsigned) most;
    device->work_bytes = plan_work(view, device->work_bytes,
                                   (room - table) / device->n_queues - queue);
    return 1;
}

/* ---- the table ---- */

static uint32_t rank_bytes_of(const ct_offload_table *table)
{
    uint32_t most = 0;
    for (uint32_t col = 0; col < table->n_cols; col++) {
        CT_ASSERT(table->n_values[col] > 0 /* the column is ranked */);
        if (table->n_values[col] > most) most = table->n_values[col];
    }
    return most <= 0x10000 ? 2 : 4;
}

/* Sends each window, the first one last, and makes the ranks. */
static ct_status send_columns(ct_offload_queue *queue)
{
    const ct_offload_table_view *view = &queue->views.table;
    uint32_t width = queue->device->view.n_window;
    for (uint32_t first = (view->n_cols - 1) / width * width;; first -= width) {
        CT_TRY(ct_offload_send_window(queue, first));
        size_t words = (size_t) view->n_window * view->words;
        CT_TRY(ct_offload_launch(queue, CT_OFFLOAD_TIES, ct_gpu_threads(words)));
        CT_TRY(ct_offload_sum_orders(queue, view->n_window));
        CT_TRY(ct_offload_launch(queue, CT_OFFLOAD_RANKS, ct_gpu_warps(words)));
        if (!first) return CT_OK;
    }
}

/* classes: memory for those of all rows. It is no longer used when this returns CT_OK, and else
 * when the queue's stream is closed. */
static ct_status send_table(ct_offload_device *device, ct_offload_queue *queue, uint8_t *classes)
{
    ct_offload_table_view *view = &device->view;
    for (uint32_t row = 0; row < view->n_rows; row++)
        classes[row] = (uint8_t) device->source.classes[row];
    CT_TRY(ct_gpu_take(device->gpu, cut_table(view, NULL), &device->block));
    (void) cut_table(view, (char *) device->block.memory);
    CT_TRY(ct_offload_queue_open(queue));
    CT_TRY(ct_offload_send(queue, view->classes, classes, view->n_rows));
    CT_TRY(send_columns(queue));
    return ct_gpu_drain(&queue->stream);
}

static ct_status plan_and_send(ct_offload_device *device, uint8_t *classes, ct_error *error)
{
    size_t room, needed;
    if (ct_gpu_room(device->gpu, &room) != CT_OK)
        return ct_fail(error, CT_NO_DEVICE, "%s", ct_offload_why(device));
    if (!plan_memory(device, room, &needed))
        return ct_fail(
            error, CT_NO_DEVICE,
            "the table takes %.3g GB on the device even one column at a time, and %.3g GB are free",
            (double) needed / 1e9, (double) room / 1e9);
    if (send_table(device, &device->queues[0], classes) != CT_OK)
        return ct_fail(error, CT_NO_DEVICE, "%s", ct_offload_why(device));
    return CT_OK;
}

/* ---- opening and closing ---- */

static ct_status start(ct_offload_device *device, ct_error *error)
{
    uint8_t *classes = (uint8_t *) ct_alloc(device->view.n_rows);
    if (!classes)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for the classes of %lu rows",
                       (unsigned long) device->view.n_rows);
    ct_status status = plan_and_send(device, classes, error);
    if (status != CT_OK) ct_gpu_stream_close(&device->queues[0].stream);
    ct_free(classes);
    return status;
}

static ct_offload_device *device_new(const ct_offload_table *table, unsigned n_queues)
{
    ct_offload_device *device = (ct_offload_device *) ct_alloc(sizeof *device);
    ct_offload_queue *queues = (ct_offload_queue *) ct_alloc(n_queues * sizeof *queues);
    if (!device || !queues) {
        ct_free(device);
        ct_free(queues);
        return NULL;
    }
    memset(device, 0, sizeof *device);
    memset(queues, 0, n_queues * sizeof *queues);
    device->source = *table;
    device->view.n_rows = table->n_rows;
    device->view.n_cols = table->n_cols;
    device->view.n_classes = table->n_classes;
    device->view.words = (table->n_rows + 31) / 32;
    device->view.tie_words = table->tie_words;
    device->view.rank_bytes = rank_bytes_of(table);
    device->n_queues = n_queues;
    device->queues = queues;
    for (unsigned i = 0; i < n_queues; i++) queues[i].device = device;
    return device;
}

ct_status ct_offload_open(int number, const ct_offload_table *table, unsigned n_queues,
                          ct_offload_device **out, ct_error *error)
{
    CT_ASSERT(n_queues > 0 && table->n_rows > 0 && table->n_cols > 0);
    *out = NULL;
    if (table->n_classes > CT_OFFLOAD_CLASSES)
        return ct_fail(error, CT_NO_DEVICE, "more than %d classes are left to the CPU",
                       CT_OFFLOAD_CLASSES);
    if (table->n_rows > INT32_MAX)
        return ct_fail(error, CT_NO_DEVICE, "this many rows are left to the CPU");
    ct_gpu *gpu;
    CT_TRY(ct_gpu_open(number, &gpu, error));
    ct_offload_device *device = device_new(table, n_queues);
    if (!device) {
        ct_gpu_close(gpu);
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for %u queues", n_queues);
    }
    device->gpu = gpu;
    ct_status status = start(device, error);
    if (status == CT_OK) *out = device;
    else ct_offload_close(device);
    return status;
}

void ct_offload_close(ct_offload_device *device)
{
    if (!device) return;
    for (unsigned i = 0; i < device->n_queues; i++) ct_offload_queue_close(&device->queues[i]);
    ct_gpu_give(&device->block);
    ct_gpu_close(device->gpu);
    ct_free(device->queues);
    ct_free(device);
}
