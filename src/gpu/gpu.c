#include "base/compact.h"

#include "gpu/gpu.h"

#include <stdint.h>

#include "base/memory.h"
#include "base/threads.h"
#include "gpu/backend.h"
#include "gpu/device.h"

struct ct_gpu {
    const ct_backend *backend;
    void *device;
    int64_t lost; /* atomic: a call has failed */
    ct_lock lock; /* on what is said of it */
    ct_error why;
};

/* ---- failure ---- */

int ct_gpu_is_lost(const ct_gpu *gpu)
{
    return ct_atomic_read(&gpu->lost) != 0;
}

const char *ct_gpu_why(const ct_gpu *gpu)
{
    return gpu->why.message;
}

/* What a call has come to: the first failure is kept. */
static ct_status after(ct_gpu *gpu, ct_status status, const ct_error *why)
{
    if (status == CT_OK) return CT_OK;
    ct_lock_take(&gpu->lock);
    if (!gpu->lost) {
        gpu->why = *why;
        ct_atomic_write(&gpu->lost, 1);
    }
    ct_lock_leave(&gpu->lock);
    return CT_NO_DEVICE;
}

/* Returns what function `name` of the backend has come to, with the device and these arguments; a
 * lost device is not asked. */
#define CALL(gpu, name, ...)                                                              \
    do {                                                                                  \
        ct_error why_ = {CT_OK, ""};                                                      \
        if (ct_gpu_is_lost(gpu)) return CT_NO_DEVICE;                                     \
        return after(gpu, (gpu)->backend->name((gpu)->device, __VA_ARGS__, &why_), &why_); \
    } while (0)

/* ---- devices ---- */

static ct_status find_device(int number, ct_error *error)
{
    ct_device_list list;
    ct_device_query(&list);
    if (list.n_devices == 0) return ct_fail(error, CT_NO_DEVICE, "%s", list.reason);
    if (number < list.n_devices) return CT_OK;
    return ct_fail(error, CT_NO_DEVICE,
                   "there is no CUDA device %d, only %d of them, counted from 0", number,
                   list.n_devices);
}

static ct_status open_by(const ct_backend *backend, int number, ct_gpu **out, ct_error *error)
{
    ct_gpu *gpu = (ct_gpu *) ct_alloc_zeroed(1, sizeof *gpu);
    if (!gpu) return ct_fail(error, CT_NO_MEMORY, "not enough memory for a device");
    gpu->backend = backend;
    ct_status status = backend->open(number, &gpu->device, error);
    if (status != CT_OK) {
        ct_free(gpu);
        return status;
    }
    ct_lock_init(&gpu->lock);
    *out = gpu;
    return CT_OK;
}

ct_status ct_gpu_open(int number, ct_gpu **gpu, ct_error *error)
{
    CT_ASSERT(number >= -1);
    *gpu = NULL;
    if (number >= 0) CT_TRY(find_device(number, error));
    return open_by(number < 0 ? &ct_backend_twin : ct_backend_cuda(), number, gpu, error);
}

ct_status ct_gpu_open_driver(int number, ct_gpu **gpu, ct_error *error)
{
    CT_ASSERT(number >= 0);
    *gpu = NULL;
    return open_by(&ct_backend_driver, number, gpu, error);
}

void ct_gpu_close(ct_gpu *gpu)
{
    if (!gpu) return;
    gpu->backend->close(gpu->device);
    ct_lock_free(&gpu->lock);
    ct_free(gpu);
}

/* ---- memory ---- */

ct_status ct_gpu_room(ct_gpu *gpu, size_t *bytes)
{
    CT_ASSERT(bytes);
    CALL(gpu, room, bytes);
}

ct_status ct_gpu_take(ct_gpu *gpu, size_t bytes, ct_gpu_block *block)
{
    CT_ASSERT(gpu && bytes > 0);
    block->gpu = gpu;
    block->on_host = 0;
    CALL(gpu, take, bytes, 0, &block->memory);
}

ct_status ct_gpu_take_host(ct_gpu *gpu, size_t bytes, ct_gpu_block *block)
{
    CT_ASSERT(gpu && bytes > 0);
    block->gpu = gpu;
    block->on_host = 1;
    CALL(gpu, take, bytes, 1, &block->memory);
}

void ct_gpu_give(ct_gpu_block *block)
{
    if (!block->memory) return;
    CT_ASSERT(block->gpu);
    block->gpu->backend->give(block->gpu->device, block->on_host, block->memory);
    block->memory = NULL;
}

void *ct_gpu_cut(ct_gpu_cutter *cutter, size_t bytes)
{
    void *part = cutter->memory ? cutter->memory + cutter->used : NULL;
    CT_ASSERT(cutter->used % 256 == 0);
    cutter->used += (bytes + 255) / 256 * 256;
    return part;
}

/* ---- streams ---- */

ct_status ct_gpu_stream_open(ct_gpu *gpu, ct_gpu_stream *stream)
{
    CT_ASSERT(gpu);
    stream->gpu = gpu;
    CALL(gpu, stream_new, &stream->stream);
}

void ct_gpu_stream_close(ct_gpu_stream *stream)
{
    if (!stream->stream) return;
    CT_ASSERT(stream->gpu);
    stream->gpu->backend->stream_free(stream->gpu->device, stream->stream);
    stream->stream = NULL;
}

ct_status ct_gpu_send(const ct_gpu_stream *stream, const void *to, const void *from, size_t bytes)
{
    CT_ASSERT((to && from) || !bytes);
    if (!bytes) return CT_OK;
    CALL(stream->gpu, copy, stream->stream, (void *) (uintptr_t) to, from, bytes, 0);
}

ct_status ct_gpu_fetch(const ct_gpu_stream *stream, void *to, const void *from, size_t bytes)
{
    CT_ASSERT((to && from) || !bytes);
    if (!bytes) return CT_OK;
    CALL(stream->gpu, copy, stream->stream, to, from, bytes, 1);
}

ct_status ct_gpu_drain(const ct_gpu_stream *stream)
{
    CALL(stream->gpu, drain, stream->stream);
}

/* ---- functions ---- */

static ct_gpu_grid grid_of(size_t items, size_t threads)
{
    size_t blocks = (threads + CT_GPU_BLOCK - 1) / CT_GPU_BLOCK;
    return (ct_gpu_grid){items, (unsigned) blocks, CT_GPU_BLOCK, 0};
}

ct_gpu_grid ct_gpu_threads(size_t items)
{
    return grid_of(items, items);
}

ct_gpu_grid ct_gpu_warps(size_t items)
{
    return grid_of(items, items * CT_GPU_LANES);
}

ct_gpu_grid ct_gpu_blocks(size_t items, unsigned threads, size_t shared)
{
    CT_ASSERT(threads <= CT_GPU_BLOCK && shared <= CT_GPU_SHARED);
    return (ct_gpu_grid){items, (unsigned) items, threads, shared};
}

ct_status ct_gpu_launch(const ct_gpu_stream *stream, const ct_gpu_kernel *kernel, ct_gpu_grid grid,
                        const void *arguments)
{
    CT_ASSERT(kernel && arguments);
    CALL(stream->gpu, launch, stream->stream, kernel, &grid, arguments);
}

/* ---- events ---- */

ct_status ct_gpu_event_open(ct_gpu *gpu, ct_gpu_event *event)
{
    CT_ASSERT(gpu);
    event->gpu = gpu;
    CALL(gpu, event_new, &event->event);
}

void ct_gpu_event_close(ct_gpu_event *event)
{
    if (!event->event) return;
    CT_ASSERT(event->gpu);
    event->gpu->backend->event_free(event->gpu->device, event->event);
    event->event = NULL;
}

ct_status ct_gpu_mark(const ct_gpu_stream *stream, const ct_gpu_event *event)
{
    CT_ASSERT(event->gpu == stream->gpu);
    CALL(stream->gpu, mark, stream->stream, event->event);
}

ct_status ct_gpu_wait(const ct_gpu_event *event)
{
    CT_ASSERT(event->gpu);
    CALL(event->gpu, wait, event->event);
}

/* ---- code compiled at run time ---- */

int ct_gpu_capability(const ct_gpu *gpu)
{
    return gpu->backend->capability(gpu->device);
}

ct_status ct_gpu_load(ct_gpu *gpu, const void *code, ct_gpu_module *module)
{
    CT_ASSERT(gpu && code);
    module->gpu = gpu;
    CALL(gpu, load, code, &module->module);
}

void ct_gpu_unload(ct_gpu_module *module)
{
    if (!module->module) return;
    CT_ASSERT(module->gpu);
    module->gpu->backend->unload(module->gpu->device, module->module);
    module->module = NULL;
}

ct_status ct_gpu_find(const ct_gpu_module *module, const char *name, void **function)
{
    CT_ASSERT(name && function);
    CALL(module->gpu, find, module->module, name, function);
}

ct_status ct_gpu_call(const ct_gpu_stream *stream, void *function, const ct_gpu_shape *shape,
                      void **arguments)
{
    CT_ASSERT(shape->shared <= CT_GPU_SHARED);
    CALL(stream->gpu, call, stream->stream, function, shape, arguments);
}
