/* A device at work, whatever it is (backend.h): the table on it, row sets, batches. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "gpu/backend.h"
#include "gpu/scan_body.h"

/* The sides of a batch's points take at most so much, and there is room for at least so many points of the whole table. */
static const size_t SIDES_BYTES = (size_t) 1 << 30;
enum { LEAST_GROUPS = 4 };

/* Memory that grows when more is asked for; its content is lost then. */
typedef struct {
    void *memory;
    size_t bytes;
} buffer;

/* What is cut out of one buffer, part by part; without memory it only adds up. */
typedef struct {
    char *memory;
    size_t used;
} cutter;

typedef struct {
    ct_gpu_point *points; /* on the host */
    int32_t *errors;
    buffer on_host, on_device;
} batch_slot;

struct ct_gpu_queue {
    ct_gpu *gpu;
    void *stream;
    ct_gpu_views views;
    buffer scratch, rows;
    batch_slot slots[CT_GPU_SLOTS];
};

struct ct_gpu {
    const ct_backend *backend;
    void *device;
    buffer table;
    ct_gpu_table source;    /* borrowed */
    ct_gpu_table_view view; /* n_window: of all windows but the last */
    size_t sides_bytes;     /* in one slot, at most */
    unsigned n_queues;
    ct_gpu_queue *queues;
    int64_t lost; /* atomic: a call has failed */
    ct_lock lock; /* on what is said of it */
    char why[200];
};

/* ---- failure ---- */

/* Returns 1 if the call went well. */
static int went_well(ct_gpu *gpu, int code)
{
    if (!code) return 1;
    ct_lock_take(&gpu->lock);
    if (!gpu->lost) {
        gpu->backend->why(code, gpu->why, sizeof gpu->why);
        ct_atomic_write(&gpu->lost, 1);
    }
    ct_lock_leave(&gpu->lock);
    return 0;
}

int ct_gpu_is_lost(const ct_gpu *gpu)
{
    return ct_atomic_read(&gpu->lost) != 0;
}

const char *ct_gpu_why(const ct_gpu *gpu)
{
    return gpu->why;
}

/* ---- memory ---- */

static void *cut(cutter *c, size_t bytes)
{
    void *part = c->memory ? c->memory + c->used : NULL;
    CT_ASSERT(c->used % 256 == 0);
    c->used += (bytes + 255) / 256 * 256;
    return part;
}

static int grow(ct_gpu *gpu, buffer *b, size_t bytes, int on_host)
{
    const ct_backend *backend = gpu->backend;
    if (bytes <= b->bytes) return 1;
    CT_ASSERT((b->memory != NULL) == (b->bytes > 0));
    (on_host ? backend->give_host : backend->give)(gpu->device, b->memory);
    b->memory = NULL;
    b->bytes = 0;
    if (!went_well(gpu, (on_host ? backend->take_host : backend->take)(gpu->device, bytes, &b->memory))) return 0;
    b->bytes = bytes;
    return 1;
}

static size_t cut_table(ct_gpu_table_view *view, char *memory, size_t rank_bytes)
{
    cutter c = {memory, 0};
    size_t n_cols = view->n_cols, n_window = view->n_window, n_rows = view->n_rows;
    view->order = (const uint32_t *) cut(&c, n_window * n_rows * sizeof *view->order);
    view->ties = (const uint64_t *) cut(&c, n_window * view->tie_words * sizeof *view->ties);
    view->rank_at = (const uint64_t *) cut(&c, n_cols * sizeof *view->rank_at);
    view->rank_bytes = (const uint8_t *) cut(&c, n_cols);
    view->classes = (const uint8_t *) cut(&c, n_rows);
    view->ranks = (uint8_t *) cut(&c, rank_bytes);
    return c.used;
}

static size_t cut_scratch(ct_gpu_scratch_view *view, const ct_gpu_table_view *table, char *memory)
{
    cutter c = {memory, 0};
    size_t all = ((size_t) table->n_window + 1) * table->words * sizeof(uint32_t);
    view->flags = (uint32_t *) cut(&c, table->words * sizeof(uint32_t));
    view->members = (uint32_t *) cut(&c, all);
    view->starts = (uint32_t *) cut(&c, all);
    return c.used;
}

static size_t cut_rows(ct_gpu_rows_view *view, const ct_gpu_table_view *table, char *memory)
{
    cutter c = {memory, 0};
    size_t n_window = table->n_window;
    view->rows = (uint32_t *) cut(&c, view->n_rows * sizeof(uint32_t));
    view->order = (uint32_t *) cut(&c, n_window * view->n_rows * sizeof(uint32_t));
    view->codes = (uint8_t *) cut(&c, n_window * view->n_rows);
    view->ties = (uint32_t *) cut(&c, n_window * view->words * sizeof(uint32_t));
    view->sets = (uint32_t *) cut(&c, n_window * view->words * table->n_classes * sizeof(uint32_t));
    return c.used;
}

/* ---- the table ---- */

static int launch(ct_gpu_queue *queue, ct_gpu_kernel kernel, size_t items)
{
    ct_gpu *gpu = queue->gpu;
    return went_well(gpu, gpu->backend->launch(gpu->device, queue->stream, kernel, &queue->views, items));
}

static int send(ct_gpu_queue *queue, const void *to, const void *from, size_t bytes)
{
    ct_gpu *gpu = queue->gpu;
    /* the views are read-only for all but this */
    return went_well(gpu, gpu->backend->send(gpu->device, queue->stream, (void *) (uintptr_t) to, from, bytes));
}

static int drain(ct_gpu_queue *queue)
{
    ct_gpu *gpu = queue->gpu;
    return went_well(gpu, gpu->backend->mark(gpu->device, queue->stream, 0)) &&
           went_well(gpu, gpu->backend->wait(gpu->device, queue->stream, 0));
}

static uint8_t rank_bytes_of(uint32_t n_values)
{
    CT_ASSERT(n_values > 0 /* the column is ranked */);
    return n_values <= 0x100 ? 1 : n_values <= 0x10000 ? 2 : 4;
}

/* Where the ranks of each column go; returns their bytes altogether. */
static size_t place_ranks(const ct_gpu_table *table, uint64_t *at, uint8_t *bytes)
{
    size_t used = 0;
    for (uint32_t col = 0; col < table->n_cols; col++) {
        bytes[col] = rank_bytes_of(table->n_values[col]);
        at[col] = used;
        used += ((size_t) table->n_rows * bytes[col] + 255) / 256 * 256;
    }
    return used;
}

/* The orders of the columns from `first` on, in place of those that were there. */
static int send_window(ct_gpu_queue *queue, uint32_t first)
{
    const ct_gpu *gpu = queue->gpu;
    ct_gpu_table_view *view = &queue->views.table;
    uint32_t left = view->n_cols - first;
    CT_ASSERT(first < view->n_cols && gpu->view.n_window > 0);
    view->first_col = first;
    view->n_window = left < gpu->view.n_window ? left : gpu->view.n_window;
    for (uint32_t g = 0; g < view->n_window; g++) {
        const uint32_t *order = view->order + (size_t) g * view->n_rows;
        const uint64_t *ties = view->ties + (size_t) g * view->tie_words;
        if (!send(queue, order, gpu->source.order[first + g], view->n_rows * sizeof *order)) return 0;
        if (!send(queue, ties, gpu->source.ties[first + g], view->tie_words * sizeof *ties)) return 0;
    }
    return 1;
}

/* Sends each window, the first one last, and makes the ranks. */
static int send_columns(ct_gpu_queue *queue)
{
    const ct_gpu_table_view *view = &queue->views.table;
    uint32_t width = queue->gpu->view.n_window;
    for (uint32_t first = (view->n_cols - 1) / width * width;; first -= width) {
        size_t words = (size_t) width * view->words;
        if (!send_window(queue, first)) return 0;
        if (view->n_window < width) words = (size_t) view->n_window * view->words;
        if (!launch(queue, CT_GPU_TIES, words) || !launch(queue, CT_GPU_STARTS, view->n_window) ||
            !launch(queue, CT_GPU_RANKS, words))
            return 0;
        if (!first) return 1;
    }
}

/* `host`: what place_ranks has written, and room for a byte a row, until the queue has drained. */
static int send_table(ct_gpu_queue *queue, const uint64_t *rank_at, const uint8_t *rank_bytes, uint8_t *classes,
                      size_t bytes)
{
    ct_gpu *gpu = queue->gpu;
    ct_gpu_table_view *view = &gpu->view;
    for (uint32_t row = 0; row < view->n_rows; row++) classes[row] = (uint8_t) gpu->source.classes[row];
    if (!grow(gpu, &gpu->table, cut_table(view, NULL, bytes), 0)) return 0;
    (void) cut_table(view, (char *) gpu->table.memory, bytes);
    queue->views.table = *view;
    return send(queue, view->rank_at, rank_at, view->n_cols * sizeof *rank_at) &&
           send(queue, view->rank_bytes, rank_bytes, view->n_cols) && send(queue, view->classes, classes, view->n_rows) &&
           send_columns(queue) && drain(queue);
}

/* ---- memory on the device ---- */

/* What one queue takes at most but for the sides of more points; row sets are at most the whole table. */
static size_t queue_bytes(const ct_gpu_table_view *table)
{
    ct_gpu_scratch_view scratch;
    ct_gpu_rows_view rows = {0};
    rows.n_rows = table->n_rows;
    rows.words = table->words;
    size_t points = CT_GPU_POINTS * (sizeof(ct_gpu_point) + 4 * sizeof(int32_t) * (size_t) table->n_cols) + 1024;
    return cut_scratch(&scratch, table, NULL) + cut_rows(&rows, table, NULL) +
           CT_GPU_SLOTS * (points + LEAST_GROUPS * 2 * sizeof(uint32_t) * (size_t) table->n_rows);
}

/* All columns and as many queues as there is room for; or else one queue, and as many columns at a time as there is room
 * for. 0 if there is none even for one. */
static int plan_memory(ct_gpu *gpu, size_t rank_bytes, size_t room, size_t *needed)
{
    ct_gpu_table_view *view = &gpu->view;
    size_t table, queue;
    for (uint32_t n_windows = 1;; n_windows++) {
        view->n_window = (view->n_cols + n_windows - 1) / n_windows;
        table = cut_table(view, NULL, rank_bytes);
        queue = queue_bytes(view);
        *needed = table + queue;
        if (*needed <= room) break;
        if (view->n_window == 1) return 0;
    }
    size_t most = view->n_window < view->n_cols ? 1 : (room - table) / queue;
    CT_ASSERT(most > 0);
    if (most < gpu->n_queues) gpu->n_queues = (unsigned) most;
    size_t spare = ((room - table) / gpu->n_queues - queue) / CT_GPU_SLOTS;
    gpu->sides_bytes = LEAST_GROUPS * 2 * sizeof(uint32_t) * (size_t) view->n_rows + spare;
    if (gpu->sides_bytes > SIDES_BYTES) gpu->sides_bytes = SIDES_BYTES;
    return 1;
}

/* Once this is done, nothing reads or writes what belongs to the queue, or the host's memory. */
static void end_stream(ct_gpu_queue *queue)
{
    ct_gpu *gpu = queue->gpu;
    gpu->backend->stream_free(gpu->device, queue->stream);
    queue->stream = NULL;
}

/* Done when a queue is first used: not every thread comes to that. */
static int open_queue(ct_gpu_queue *queue)
{
    ct_gpu *gpu = queue->gpu;
    if (queue->scratch.memory) return 1;
    queue->views.table = gpu->view;
    if (!queue->stream && !went_well(gpu, gpu->backend->stream_new(gpu->device, &queue->stream))) return 0;
    if (!grow(gpu, &queue->scratch, cut_scratch(&queue->views.scratch, &gpu->view, NULL), 0)) return 0;
    (void) cut_scratch(&queue->views.scratch, &gpu->view, (char *) queue->scratch.memory);
    return 1;
}

static void set_up(ct_gpu *gpu, const ct_gpu_table *table, unsigned n_queues)
{
    gpu->source = *table;
    gpu->view.n_rows = table->n_rows;
    gpu->view.n_cols = table->n_cols;
    gpu->view.n_classes = table->n_classes;
    gpu->view.words = (table->n_rows + 31) / 32;
    gpu->view.tie_words = table->tie_words;
    gpu->n_queues = n_queues;
    memset(gpu->queues, 0, n_queues * sizeof *gpu->queues);
    for (unsigned i = 0; i < n_queues; i++) gpu->queues[i].gpu = gpu;
}

static ct_status start(ct_gpu *gpu, const ct_gpu_table *table, ct_error *error)
{
    size_t room, needed, n_cols = table->n_cols;
    uint64_t *rank_at = (uint64_t *) ct_alloc(n_cols * (sizeof *rank_at + 1) + table->n_rows);
    if (!rank_at) return ct_fail(error, CT_NO_MEMORY, "not enough memory for the classes of %u rows", table->n_rows);
    uint8_t *rank_bytes = (uint8_t *) (rank_at + n_cols);
    size_t bytes = place_ranks(table, rank_at, rank_bytes);
    ct_status status = CT_OK;
    if (!went_well(gpu, gpu->backend->room(gpu->device, &room)))
        status = ct_fail(error, CT_NO_DEVICE, "%s", gpu->why);
    else if (!plan_memory(gpu, bytes, room, &needed))
        status = ct_fail(error, CT_NO_DEVICE,
                         "the table takes %.3g GB on the device even one column at a time, and %.3g GB are free",
                         (double) needed / 1e9, (double) room / 1e9);
    else if (!open_queue(&gpu->queues[0]) || !send_table(&gpu->queues[0], rank_at, rank_bytes, rank_bytes + n_cols, bytes))
        status = ct_fail(error, CT_NO_DEVICE, "%s", gpu->why);
    if (status != CT_OK) end_stream(&gpu->queues[0]);
    ct_free(rank_at);
    return status;
}

static ct_status find_device(int number, ct_error *error)
{
    ct_device_list list;
    ct_device_query(&list);
    if (list.n_devices == 0) return ct_fail(error, CT_NO_DEVICE, "%s", list.reason);
    if (number < list.n_devices) return CT_OK;
    return ct_fail(error, CT_NO_DEVICE, "there is no CUDA device %d, only %d of them, counted from 0", number,
                   list.n_devices);
}

ct_status ct_gpu_open(int number, const ct_gpu_table *table, unsigned n_queues, ct_gpu **out, ct_error *error)
{
    const ct_backend *backend = number < 0 ? &ct_backend_twin : ct_backend_cuda();
    CT_ASSERT(n_queues > 0 && table->n_rows > 0 && table->n_cols > 0);
    *out = NULL;
    if (table->n_classes > CT_GPU_CLASSES)
        return ct_fail(error, CT_NO_DEVICE, "more than %d classes are left to the CPU", CT_GPU_CLASSES);
    if (table->n_rows > INT32_MAX) return ct_fail(error, CT_NO_DEVICE, "so many rows are left to the CPU");
    if (number >= 0) CT_TRY(find_device(number, error));
    ct_gpu *gpu = (ct_gpu *) ct_alloc(sizeof *gpu);
    ct_gpu_queue *queues = (ct_gpu_queue *) ct_alloc(n_queues * sizeof *queues);
    if (!gpu || !queues) {
        ct_free(gpu);
        ct_free(queues);
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for %u queues", n_queues);
    }
    memset(gpu, 0, sizeof *gpu);
    gpu->backend = backend;
    gpu->queues = queues;
    ct_lock_init(&gpu->lock);
    set_up(gpu, table, n_queues);
    int opened = went_well(gpu, backend->open(number, &gpu->device));
    ct_status status = opened ? start(gpu, table, error) : ct_fail(error, CT_NO_DEVICE, "%s", gpu->why);
    if (status == CT_OK) {
        *out = gpu;
        return CT_OK;
    }
    if (!opened) gpu->backend = NULL;
    ct_gpu_close(gpu);
    return status;
}

static void close_queue(ct_gpu *gpu, ct_gpu_queue *queue)
{
    const ct_backend *backend = gpu->backend;
    end_stream(queue);
    for (unsigned slot = 0; slot < CT_GPU_SLOTS; slot++) {
        backend->give_host(gpu->device, queue->slots[slot].on_host.memory);
        backend->give(gpu->device, queue->slots[slot].on_device.memory);
    }
    backend->give(gpu->device, queue->scratch.memory);
    backend->give(gpu->device, queue->rows.memory);
}

void ct_gpu_close(ct_gpu *gpu)
{
    if (!gpu) return;
    if (gpu->backend) {
        for (unsigned i = 0; i < gpu->n_queues; i++) close_queue(gpu, &gpu->queues[i]);
        gpu->backend->give(gpu->device, gpu->table.memory);
        gpu->backend->close(gpu->device);
    }
    ct_lock_free(&gpu->lock);
    ct_free(gpu->queues);
    ct_free(gpu);
}

ct_gpu_queue *ct_gpu_queue_at(ct_gpu *gpu, unsigned i)
{
    return i < gpu->n_queues ? &gpu->queues[i] : NULL;
}

uint32_t ct_gpu_window(const ct_gpu *gpu)
{
    return gpu->view.n_window;
}

/* ---- a row set ---- */

static int make_room_for_rows(ct_gpu_queue *queue, uint32_t n_rows)
{
    ct_gpu_rows_view *rows = &queue->views.rows;
    const ct_gpu_table_view *table = &queue->gpu->view;
    rows->n_rows = n_rows;
    rows->words = (n_rows + 31) / 32;
    size_t bytes = cut_rows(rows, table, NULL);
    /* the row set before may still be laid out, if nothing was asked of it */
    if (queue->rows.memory && bytes > queue->rows.bytes && !drain(queue)) return 0;
    if (!grow(queue->gpu, &queue->rows, bytes, 0)) return 0;
    (void) cut_rows(rows, table, (char *) queue->rows.memory);
    return 1;
}

/* The orders of the window, filtered by the flags. */
static int lay_out(ct_gpu_queue *queue)
{
    const ct_gpu_table_view *table = &queue->views.table;
    size_t orders = (size_t) table->n_window + 1;
    return launch(queue, CT_GPU_MEMBERS, orders * table->words) && launch(queue, CT_GPU_STARTS, orders) &&
           launch(queue, CT_GPU_PLACE, orders * table->words) &&
           launch(queue, CT_GPU_LAY, (size_t) table->n_window * queue->views.rows.words);
}

int ct_gpu_begin_rows(ct_gpu_queue *queue, const ct_gpu_conditions *conditions, uint32_t n_rows)
{
    const ct_gpu_table_view *table = &queue->views.table;
    if (ct_gpu_is_lost(queue->gpu) || !open_queue(queue) || !make_room_for_rows(queue, n_rows)) return 0;
    queue->views.conditions = *conditions;
    return launch(queue, CT_GPU_FLAGS, table->words) && lay_out(queue);
}

/* ---- batches ---- */

uint32_t ct_gpu_room(const ct_gpu_queue *queue)
{
    size_t group = 2 * (size_t) queue->views.rows.n_rows * sizeof(uint32_t), groups = queue->gpu->sides_bytes / group;
    size_t points = (groups ? groups : 1) * CT_GPU_LANES;
    return points < CT_GPU_POINTS ? (uint32_t) points : CT_GPU_POINTS;
}

static size_t errors_bytes(const ct_gpu_queue *queue, uint32_t n_points)
{
    return (size_t) n_points * 4 * queue->views.table.n_cols * sizeof(int32_t);
}

/* Room in the slot for a batch. The view is of the memory on the device. */
static int make_room_for_batch(ct_gpu_queue *queue, batch_slot *slot, ct_gpu_batch_view *view)
{
    size_t points_bytes = view->n_points * sizeof *slot->points, errors = errors_bytes(queue, view->n_points);
    size_t sides = (size_t) view->n_groups * view->n_sides * queue->views.rows.n_rows * sizeof(uint32_t);
    cutter host = {NULL, 0}, device = {NULL, 0};
    for (int pass = 0; pass < 2; pass++) {
        slot->points = (ct_gpu_point *) cut(&host, points_bytes);
        slot->errors = (int32_t *) cut(&host, errors);
        view->points = (const ct_gpu_point *) cut(&device, points_bytes);
        view->errors = (int32_t *) cut(&device, errors);
        view->sides = (uint32_t *) cut(&device, sides);
        if (pass) break;
        if (!grow(queue->gpu, &slot->on_host, host.used, 1) || !grow(queue->gpu, &slot->on_device, device.used, 0)) return 0;
        host = (cutter){(char *) slot->on_host.memory, 0};
        device = (cutter){(char *) slot->on_device.memory, 0};
    }
    return 1;
}

/* Every column against the batch: those that are on the device, then the other windows in turn. */
static int scan(ct_gpu_queue *queue)
{
    const ct_gpu_table_view *table = &queue->views.table;
    uint32_t width = queue->gpu->view.n_window, n_windows = (table->n_cols + width - 1) / width;
    uint32_t current = table->first_col / width;
    for (uint32_t k = 0; k < n_windows; k++) {
        if (k && (!send_window(queue, (current + k) % n_windows * width) || !lay_out(queue))) return 0;
        if (!launch(queue, CT_GPU_SCAN, (size_t) queue->views.batch.n_groups * table->n_window)) return 0;
    }
    return 1;
}

int ct_gpu_submit(ct_gpu_queue *queue, unsigned slot_number, const ct_gpu_point *points, uint32_t n_points)
{
    ct_gpu *gpu = queue->gpu;
    batch_slot *slot = &queue->slots[slot_number];
    ct_gpu_batch_view *view = &queue->views.batch;
    if (ct_gpu_is_lost(gpu)) return 0;
    CT_ASSERT(n_points && n_points <= ct_gpu_room(queue));
    view->n_points = n_points;
    view->n_groups = (n_points + CT_GPU_LANES - 1) / CT_GPU_LANES;
    view->n_sides = 1;
    for (uint32_t i = 0; i < n_points; i++)
        if (points[i].part_threshold != CT_GPU_ALL) view->n_sides = 2;
    if (!make_room_for_batch(queue, slot, view)) return 0;
    memcpy(slot->points, points, n_points * sizeof *points);
    return send(queue, view->points, slot->points, n_points * sizeof *points) &&
           launch(queue, CT_GPU_SIDES, (size_t) view->n_groups * view->n_sides * queue->views.rows.n_rows) &&
           scan(queue) &&
           went_well(gpu, gpu->backend->fetch(gpu->device, queue->stream, slot->errors, view->errors,
                                              errors_bytes(queue, n_points))) &&
           went_well(gpu, gpu->backend->mark(gpu->device, queue->stream, slot_number));
}

const int32_t *ct_gpu_wait(ct_gpu_queue *queue, unsigned slot_number)
{
    ct_gpu *gpu = queue->gpu;
    if (ct_gpu_is_lost(gpu)) return NULL;
    if (!went_well(gpu, gpu->backend->wait(gpu->device, queue->stream, slot_number))) return NULL;
    return queue->slots[slot_number].errors;
}
