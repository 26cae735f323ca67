/* A k-d tree of the rows on a device: how its memory is planned, and what is sent. */
#include "base/compact.h"

#include "evolve/offload/device.h"

#include "base/memory.h"
#include "evolve/offload/batch.h"

int ct_gmt_kd_device_is_lost(const ct_kd_device *device) { return ct_gpu_is_lost(device->gpu); }
const char *ct_gmt_kd_device_why(const ct_kd_device *device) { return ct_gpu_why(device->gpu); }
int64_t ct_gmt_kd_device_answers(const ct_kd_device *device) { return device->n_answers; }
int64_t ct_gmt_kd_device_batches(const ct_kd_device *device) { return device->n_batches; }

/* ---- memory on the device ---- */

static size_t cut_cells(ct_kd_view *view, uint32_t n_cells, char *memory)
{
    ct_gpu_cutter c = {memory, 0};
    const size_t n_rows = view->n_rows, n = view->n_splitters;
    view->z = (const double *) ct_gpu_cut(&c, n_rows * view->width * sizeof *view->z);
    view->rank = (const uint32_t *) ct_gpu_cut(&c, n * n_rows * sizeof *view->rank);
    view->n_levels = (const uint32_t *) ct_gpu_cut(&c, n * sizeof *view->n_levels);
    view->along = (const uint8_t *) ct_gpu_cut(&c, n);
    view->cells = (const ct_cell *) ct_gpu_cut(&c, n_cells * sizeof *view->cells);
    view->ranges = (const ct_rank_range *) ct_gpu_cut(&c, n_cells * n * sizeof *view->ranges);
    view->grams = (const double *) ct_gpu_cut(&c, n_cells * view->size * sizeof *view->grams);
    view->entries =
        (const uint32_t *) ct_gpu_cut(&c, view->n_entries * sizeof *view->entries);
    return c.used;
}

/* Plans memory for the cells, and for batches in what is left. */
static ct_status plan_memory(ct_kd_device *device, ct_error *error)
{
    CT_ASSERT(device->gpu);
    size_t room;
    if (ct_gpu_room(device->gpu, &room) != CT_OK)
        return ct_fail(error, CT_NO_DEVICE, "%s", ct_gmt_kd_device_why(device));
    const size_t cells = cut_cells(&device->views.kd, device->kd->n, NULL);
    if (room < CT_BATCH_LEAST || cells > room - CT_BATCH_LEAST)
        return ct_fail(error, CT_NO_DEVICE,
                       "the rows take %.3g GB on the device, and %.3g GB are free",
                       (double) (cells + CT_BATCH_LEAST) / 1e9, (double) room / 1e9);
    device->bytes_on_device = room - cells < CT_BATCH_MOST ? (room - cells) / 256 * 256
                                                           : CT_BATCH_MOST;
    device->bytes_on_host = device->bytes_on_device < CT_BATCH_ON_HOST ? device->bytes_on_device
                                                                       : CT_BATCH_ON_HOST;
    return CT_OK;
}

/* ---- what is sent ---- */

/* What is sent but not stored like that in the k-d tree. */
typedef struct {
    uint32_t *n_levels, *entries;
} made_to_send;

static ct_status make_to_send(const ct_kd_device *device, made_to_send *made)
{
    const ct_kd_view *view = &device->views.kd;
    const ct_splitter *splitters = device->kd->table.splitters;
    made->n_levels = (uint32_t *) ct_alloc((view->n_splitters + 1) * sizeof *made->n_levels);
    made->entries = (uint32_t *) ct_alloc(view->n_entries * sizeof *made->entries);
    if (!made->n_levels || !made->entries) return CT_NO_MEMORY;
    for (uint32_t s = 0; s < view->n_splitters; s++) made->n_levels[s] = splitters[s].n_levels;
    for (uint32_t i = 0, e = 0; i < view->p; i++)
        for (uint32_t k = 0; k <= i; k++) made->entries[e++] = i << 16 | k;
    return CT_OK;
}

/* `made` must stay until this returns CT_OK or, if it fails, until the stream is closed. */
static ct_status send_cells(ct_kd_device *device, const made_to_send *made)
{
    const ct_kd_tree *kd = device->kd;
    ct_kd_view *view = &device->views.kd;
    const size_t n = view->n_splitters, n_rows = view->n_rows, n_cells = kd->n;
    CT_TRY(ct_gpu_take(device->gpu, cut_cells(view, kd->n, NULL), &device->on_device));
    (void) cut_cells(view, kd->n, (char *) device->on_device.memory);
    CT_TRY(ct_gpu_stream_open(device->gpu, &device->stream));
    CT_TRY(ct_gpu_send(&device->stream, view->z, kd->table.z,
                       n_rows * view->width * sizeof *view->z));
    for (size_t s = 0; s < n; s++)
        CT_TRY(ct_gpu_send(&device->stream, view->rank + s * n_rows, kd->table.splitters[s].rank,
                           n_rows * sizeof *view->rank));
    CT_TRY(ct_gpu_send(&device->stream, view->n_levels, made->n_levels,
                       n * sizeof *view->n_levels));
    CT_TRY(ct_gpu_send(&device->stream, view->along, kd->along, n));
    CT_TRY(ct_gpu_send(&device->stream, view->cells, kd->cells, n_cells * sizeof *view->cells));
    CT_TRY(ct_gpu_send(&device->stream, view->ranges, kd->ranges,
                       n_cells * n * sizeof *view->ranges));
    CT_TRY(ct_gpu_send(&device->stream, view->grams, kd->grams,
                       n_cells * view->size * sizeof *view->grams));
    CT_TRY(ct_gpu_send(&device->stream, view->entries, made->entries,
                       view->n_entries * sizeof *view->entries));
    return ct_gpu_drain(&device->stream);
}

/* ---- opening and closing ---- */

static ct_status start(ct_kd_device *device, ct_error *error)
{
    made_to_send made = {NULL, NULL};
    CT_TRY(plan_memory(device, error));
    ct_status status = make_to_send(device, &made);
    if (status == CT_OK) {
        status = send_cells(device, &made);
        if (status != CT_OK) ct_gpu_stream_close(&device->stream);
    }
    ct_free(made.n_levels), ct_free(made.entries);
    if (status == CT_OK) status = ct_gmt_kd_batch_open(device);
    if (status == CT_NO_MEMORY)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for a device");
    return status == CT_OK ? CT_OK
                           : ct_fail(error, CT_NO_DEVICE, "%s", ct_gmt_kd_device_why(device));
}

static void set_view(ct_kd_view *view, const ct_model_table *table)
{
    view->n_rows = table->n_rows;
    view->n_splitters = table->n_splitters;
    view->p = table->p;
    view->n_entries = table->p * (table->p + 1) / 2;
    view->width = table->width;
    view->size = table->size;
}

ct_status ct_gmt_kd_device_open(int number, const ct_kd_tree *kd, unsigned threads,
                                ct_kd_device **out, ct_error *error)
{
    ct_gpu *gpu;
    *out = NULL;
    if (kd->n >= CT_PIECE_FLAG)
        return ct_fail(error, CT_NO_DEVICE, "this many rows are left to the CPU");
    CT_TRY(ct_gpu_open(number, &gpu, error));
    ct_kd_device *device = (ct_kd_device *) ct_alloc_zeroed(1, sizeof *device);
    if (!device) {
        ct_gpu_close(gpu);
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for a device");
    }
    device->gpu = gpu;
    device->kd = kd;
    device->threads = threads;
    set_view(&device->views.kd, &kd->table);
    ct_status status = start(device, error);
    if (status == CT_OK) *out = device;
    else
        ct_gmt_kd_device_close(device);
    return status;
}

void ct_gmt_kd_device_close(ct_kd_device *device)
{
    if (!device) return;
    ct_gpu_stream_close(&device->stream);
    ct_gmt_kd_batch_close(device);
    ct_gpu_give(&device->on_device);
    ct_gpu_close(device->gpu);
    ct_free(device);
}
