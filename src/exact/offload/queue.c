/* A queue of a device that holds a table: its memory, row sets, batches. */
#include "base/compact.h"

#include "exact/offload/queue.h"

#include <string.h>

/* ---- memory ---- */

static void cut_scratch(ct_gpu_cutter *c, ct_offload_scratch_view *view,
                        const ct_offload_table_view *table)
{
    size_t all = ((size_t) table->n_window + 1) * table->words * sizeof(uint32_t);
    view->flags = (uint32_t *) ct_gpu_cut(c, table->words * sizeof(uint32_t));
    view->members = (uint32_t *) ct_gpu_cut(c, all);
    view->starts = (uint32_t *) ct_gpu_cut(c, all);
}

/* A row set of n_rows. */
static size_t cut_rows(ct_offload_rows_view *view, const ct_offload_table_view *table, char *memory,
                       uint32_t n_rows)
{
    ct_gpu_cutter c = {memory, 0};
    size_t n_window = table->n_window;
    view->n_rows = n_rows;
    view->words = (n_rows + 31) / 32;
    view->rows = (uint32_t *) ct_gpu_cut(&c, n_rows * sizeof(uint32_t));
    view->order = (uint32_t *) ct_gpu_cut(&c, n_window * n_rows * sizeof(uint32_t));
    view->ties = (uint32_t *) ct_gpu_cut(&c, n_window * view->words * sizeof(uint32_t));
    view->sets =
        (uint32_t *) ct_gpu_cut(&c, n_window * view->words * table->n_classes * sizeof(uint32_t));
    return c.used;
}

static size_t errors_bytes(const ct_offload_table_view *table, uint32_t n_candidates)
{
    return (size_t) n_candidates * 4 * table->n_cols * sizeof(int32_t);
}

size_t ct_offload_wanted_words(uint32_t n_cols, uint32_t n_candidates)
{
    return (size_t) (n_candidates + CT_GPU_LANES - 1) / CT_GPU_LANES * 2 * n_cols;
}

/* The candidates of a batch, and what they want. */
static size_t asked_bytes(const ct_offload_table_view *table, uint32_t n_candidates)
{
    return n_candidates * sizeof(ct_offload_candidate) +
           ct_offload_wanted_words(table->n_cols, n_candidates) * sizeof(uint32_t);
}

/* The work of a batch; n_sides is 2 while that is planned. */
static size_t cut_work(ct_offload_batch_view *view, const ct_offload_table_view *table,
                       char *memory, uint32_t n_rows)
{
    ct_gpu_cutter c = {memory, 0};
    size_t n_groups = (size_t) view->n_quads * CT_SCAN_QUAD,
           numbers = n_groups * ct_scan_numbers(table->n_classes) * sizeof(uint32_t);
    view->sides = (uint32_t *) ct_gpu_cut(&c, n_rows * view->n_sides * n_groups * sizeof(uint32_t));
    view->counts = (uint32_t *) ct_gpu_cut(&c, table->n_window * ct_scan_parts(table->n_classes) *
                                                   numbers);
    view->totals = (uint32_t *) ct_gpu_cut(&c, numbers);
    return c.used;
}

size_t ct_offload_work_bytes(const ct_offload_table_view *table, uint32_t n_rows, uint32_t n_quads)
{
    ct_offload_batch_view planned = {.n_quads = n_quads, .n_sides = 2};
    return cut_work(&planned, table, NULL, n_rows);
}

/* All that the queue has on the device; row sets are at most the whole table. */
static size_t cut_device(ct_offload_queue *queue, const ct_offload_device *device, char *memory)
{
    ct_gpu_cutter c = {memory, 0};
    const ct_offload_table_view *table = &device->view;
    ct_offload_batch_view *batch = &queue->views.batch;
    cut_scratch(&c, &queue->views.scratch, table);
    queue->rows = (char *) ct_gpu_cut(&c, cut_rows(&queue->views.rows, table, NULL, table->n_rows));
    batch->candidates = (const ct_offload_candidate *) ct_gpu_cut(
        &c, asked_bytes(table, CT_OFFLOAD_CANDIDATES));
    batch->errors = (int32_t *) ct_gpu_cut(&c, errors_bytes(table, CT_OFFLOAD_CANDIDATES));
    queue->work = (char *) ct_gpu_cut(&c, device->work_bytes);
    return c.used;
}

/* ... and on the host. */
static size_t cut_host(ct_offload_queue *queue, const ct_offload_device *device, char *memory)
{
    ct_gpu_cutter c = {memory, 0};
    for (unsigned i = 0; i < CT_OFFLOAD_SLOTS; i++) {
        ct_offload_slot *slot = &queue->slots[i];
        slot->candidates = (ct_offload_candidate *) ct_gpu_cut(
            &c, asked_bytes(&device->view, CT_OFFLOAD_CANDIDATES));
        slot->errors = (int32_t *) ct_gpu_cut(&c,
                                              errors_bytes(&device->view, CT_OFFLOAD_CANDIDATES));
    }
    return c.used;
}

size_t ct_offload_queue_bytes(const ct_offload_device *device)
{
    ct_offload_queue planned;
    return cut_device(&planned, device, NULL);
}

ct_status ct_offload_queue_open(ct_offload_queue *queue)
{
    const ct_offload_device *device = queue->device;
    ct_gpu *gpu = device->gpu;
    if (queue->open) return CT_OK;
    queue->views.table = device->view;
    CT_TRY(ct_gpu_stream_open(gpu, &queue->stream));
    for (unsigned i = 0; i < CT_OFFLOAD_SLOTS; i++)
        CT_TRY(ct_gpu_event_open(gpu, &queue->slots[i].end));
    CT_TRY(ct_gpu_take(gpu, cut_device(queue, device, NULL), &queue->on_device));
    (void) cut_device(queue, device, (char *) queue->on_device.memory);
    CT_TRY(ct_gpu_take_host(gpu, cut_host(queue, device, NULL), &queue->on_host));
    (void) cut_host(queue, device, (char *) queue->on_host.memory);
    queue->open = 1;
    return CT_OK;
}

void ct_offload_queue_close(ct_offload_queue *queue)
{
    ct_gpu_stream_close(&queue->stream);
    for (unsigned i = 0; i < CT_OFFLOAD_SLOTS; i++) ct_gpu_event_close(&queue->slots[i].end);
    ct_gpu_give(&queue->on_device);
    ct_gpu_give(&queue->on_host);
}

/* ---- the stream ---- */

ct_status ct_offload_launch(const ct_offload_queue *queue, ct_offload_kernel kernel,
                            ct_gpu_grid grid)
{
    return ct_gpu_launch(&queue->stream, &ct_offload_kernels[kernel], grid, &queue->views);
}

ct_status ct_offload_send(const ct_offload_queue *queue, const void *to, const void *from,
                          size_t bytes)
{
    return ct_gpu_send(&queue->stream, (void *) (uintptr_t) to, from, bytes);
}

ct_status ct_offload_sum_orders(const ct_offload_queue *queue, size_t n_orders)
{
    const size_t sums = 2 * CT_OFFLOAD_SUMMERS / CT_GPU_LANES * sizeof(uint32_t);
    return ct_offload_launch(queue, CT_OFFLOAD_STARTS,
                             ct_gpu_blocks(n_orders, CT_OFFLOAD_SUMMERS, sums));
}

ct_status ct_offload_send_window(ct_offload_queue *queue, uint32_t first)
{
    const ct_offload_device *device = queue->device;
    ct_offload_table_view *view = &queue->views.table;
    uint32_t left = view->n_cols - first;
    CT_ASSERT(first < view->n_cols && device->view.n_window > 0);
    view->first_col = first;
    view->n_window = left < device->view.n_window ? left : device->view.n_window;
    for (uint32_t g = 0; g < view->n_window; g++) {
        const uint32_t *order = view->order + (size_t) g * view->n_rows;
        const uint64_t *ties = view->ties + (size_t) g * view->tie_words;
        CT_TRY(ct_offload_send(queue, order, device->source.order[first + g],
                               view->n_rows * sizeof *order));
        CT_TRY(ct_offload_send(queue, ties, device->source.ties[first + g],
                               view->tie_words * sizeof *ties));
    }
    return CT_OK;
}

/* ---- a row set ---- */

/* The orders of the window, filtered by the flags. */
static ct_status lay_out(const ct_offload_queue *queue)
{
    const ct_offload_table_view *table = &queue->views.table;
    size_t orders = (size_t) table->n_window + 1;
    CT_TRY(ct_offload_launch(queue, CT_OFFLOAD_MEMBERS, ct_gpu_warps(orders * table->words)));
    CT_TRY(ct_offload_sum_orders(queue, orders));
    CT_TRY(ct_offload_launch(queue, CT_OFFLOAD_PLACE, ct_gpu_warps(orders * table->words)));
    return ct_offload_launch(queue, CT_OFFLOAD_LAY,
                             ct_gpu_warps((size_t) table->n_window * queue->views.rows.words));
}

ct_status ct_offload_begin_rows(ct_offload_queue *queue, const ct_offload_conditions *conditions,
                                uint32_t n_rows)
{
    if (ct_gpu_is_lost(queue->device->gpu)) return CT_NO_DEVICE;
    CT_TRY(ct_offload_queue_open(queue));
    (void) cut_rows(&queue->views.rows, &queue->device->view, queue->rows, n_rows);
    queue->views.conditions = *conditions;
    CT_TRY(ct_offload_launch(queue, CT_OFFLOAD_FLAGS, ct_gpu_warps(queue->views.table.words)));
    return lay_out(queue);
}

/* ---- batches ---- */

uint32_t ct_offload_room(const ct_offload_queue *queue)
{
    const ct_offload_device *device = queue->device;
    uint32_t n_quads = CT_OFFLOAD_QUADS;
    while (n_quads > 1 && ct_offload_work_bytes(&device->view, queue->views.rows.n_rows, n_quads) >
                              device->work_bytes)
        n_quads--;
    return n_quads * CT_SCAN_QUAD * CT_GPU_LANES;
}

/* Every column against the batch: those that are on the device, then the other windows in turn. */
static ct_status scan(ct_offload_queue *queue)
{
    const ct_offload_table_view *table = &queue->views.table;
    uint32_t width = queue->device->view.n_window, n_windows = (table->n_cols + width - 1) / width;
    uint32_t current = table->first_col / width;
    for (uint32_t k = 0; k < n_windows; k++) {
        if (k) {
            CT_TRY(ct_offload_send_window(queue, (current + k) % n_windows * width));
            CT_TRY(lay_out(queue));
        }
        const ct_gpu_grid warps = ct_gpu_blocks(ct_scan_items(&queue->views), CT_GPU_LANES,
                                                ct_scan_bytes(table->n_classes));
        CT_TRY(ct_offload_launch(queue, CT_OFFLOAD_COUNT, warps));
        CT_TRY(ct_offload_launch(queue, CT_OFFLOAD_SCAN, warps));
    }
    return CT_OK;
}

/* The batch as the kernels are to see it; its memory is that of the one before. */
static void begin_batch(ct_offload_queue *queue, const ct_offload_candidate *candidates,
                        uint32_t n_candidates)
{
    ct_offload_batch_view *view = &queue->views.batch;
    view->n_candidates = n_candidates;
    view->wanted = (const uint32_t *) (const void *) (view->candidates + n_candidates);
    view->n_groups = (n_candidates + CT_GPU_LANES - 1) / CT_GPU_LANES;
    view->n_quads = (view->n_groups + CT_SCAN_QUAD - 1) / CT_SCAN_QUAD;
    view->totals_col = queue->views.table.first_col;
    view->n_sides = 1;
    for (uint32_t i = 0; i < n_candidates; i++)
        if (candidates[i].part_threshold != CT_OFFLOAD_ALL) view->n_sides = 2;
    (void) cut_work(view, &queue->device->view, queue->work, queue->views.rows.n_rows);
}

/* Sends the candidates and, after the last one, what they want. */
static ct_status send_asked(const ct_offload_queue *queue, const ct_offload_slot *slot,
                            const ct_offload_candidate *candidates, uint32_t n_candidates,
                            const uint32_t *wanted)
{
    const ct_offload_table_view *table = &queue->views.table;
    size_t bytes = ct_offload_wanted_words(table->n_cols, n_candidates) * sizeof *wanted;
    memcpy(slot->candidates, candidates, n_candidates * sizeof *candidates);
    if (wanted) memcpy(slot->candidates + n_candidates, wanted, bytes);
    else memset(slot->candidates + n_candidates, 0xff, bytes);
    return ct_offload_send(queue, queue->views.batch.candidates, slot->candidates,
                           asked_bytes(table, n_candidates));
}

ct_status ct_offload_submit(ct_offload_queue *queue, unsigned slot_number,
                            const ct_offload_candidate *candidates, uint32_t n_candidates,
                            const uint32_t *wanted)
{
    ct_offload_slot *slot = &queue->slots[slot_number];
    const ct_offload_batch_view *view = &queue->views.batch;
    if (ct_gpu_is_lost(queue->device->gpu)) return CT_NO_DEVICE;
    CT_ASSERT(n_candidates && n_candidates <= ct_offload_room(queue));
    begin_batch(queue, candidates, n_candidates);
    CT_TRY(send_asked(queue, slot, candidates, n_candidates, wanted));
    size_t words = (size_t) view->n_quads * CT_SCAN_QUAD * queue->views.rows.words;
    CT_TRY(ct_offload_launch(queue, CT_OFFLOAD_SIDES, ct_gpu_warps(words)));
    CT_TRY(scan(queue));
    CT_TRY(ct_gpu_fetch(&queue->stream, slot->errors, view->errors,
                        errors_bytes(&queue->views.table, n_candidates)));
    return ct_gpu_mark(&queue->stream, &slot->end);
}

ct_status ct_offload_wait(ct_offload_queue *queue, unsigned slot, const int32_t **errors)
{
    *errors = NULL;
    /* Perhaps before this queue was opened. */
    if (ct_gpu_is_lost(queue->device->gpu)) return CT_NO_DEVICE;
    CT_TRY(ct_gpu_wait(&queue->slots[slot].end));
    *errors = queue->slots[slot].errors;
    return CT_OK;
}
