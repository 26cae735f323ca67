/* A device in use: memory, streams, events, and functions to run (kernel.h). It is a CUDA device,
 * or the host twin, which executes the same operations slowly on the CPU, for tests.
 *
 * Failure: each call returns CT_OK, or CT_NO_DEVICE if it failed. The device is then unusable:
 * pending work is void, all later calls fail at once, and ct_gpu_why describes the first failure.
 * Releasing memory and closing never fail.
 *
 * Ownership: memory, streams and events belong to those who took them, and are given back before
 * ct_gpu_close; memory after the streams that use it. They begin as zeros, which have nothing to
 * give back. Many threads may use a device at the same time, one at a time a stream. */
#ifndef CT_GPU_GPU_H
#define CT_GPU_GPU_H

#include <stddef.h>

#include "base/status.h"
#include "gpu/kernel.h"

typedef struct ct_gpu ct_gpu;

/* number: of the CUDA device; -1: the twin. CT_NO_DEVICE with a message if it cannot be used,
 * CT_NO_MEMORY if the host has none for it. */
ct_status ct_gpu_open(int number, ct_gpu **gpu, ct_error *error);
/* A CUDA device that runs code compiled at run time, and no functions of kernel.h. CUDA's driver is
 * opened for it, so that it is there in builds without CUDA too. */
ct_status ct_gpu_open_driver(int number, ct_gpu **gpu, ct_error *error);
void ct_gpu_close(ct_gpu *gpu); /* takes NULL */

int ct_gpu_is_lost(const ct_gpu *gpu);
const char *ct_gpu_why(const ct_gpu *gpu);

/* ---- memory ---- */

/* Bytes that can be taken on the device. Taking and giving may make a device wait: plan what is
 * needed at most, take it once, and cut it into parts. */
ct_status ct_gpu_room(ct_gpu *gpu, size_t *bytes);

typedef struct {
    ct_gpu *gpu;
    void *memory;
    int on_host;
} ct_gpu_block;

/* On the device; or on the host, pinned, which is what copies are fast from and to. Aligned to 256
 * bytes on the device. */
ct_status ct_gpu_take(ct_gpu *gpu, size_t bytes, ct_gpu_block *block);
ct_status ct_gpu_take_host(ct_gpu *gpu, size_t bytes, ct_gpu_block *block);
void ct_gpu_give(ct_gpu_block *block);

/* Cuts memory into parts, each aligned to 256 bytes; without memory it returns NULL and only adds
 * up. */
typedef struct {
    char *memory;
    size_t used;
} ct_gpu_cutter;

void *ct_gpu_cut(ct_gpu_cutter *cutter, size_t bytes);

/* ---- streams and events ---- */

/* Does what it is told one after the other. */
typedef struct {
    ct_gpu *gpu;
    void *stream;
} ct_gpu_stream;

ct_status ct_gpu_stream_open(ct_gpu *gpu, ct_gpu_stream *stream);
/* Waits until nothing in it reads or writes any memory. */
void ct_gpu_stream_close(ct_gpu_stream *stream);

/* The memory on the host must stay as it is until the copy is done. That on the device is `const`
 * since functions that read it have it so. */
ct_status ct_gpu_send(const ct_gpu_stream *stream, const void *to, const void *from, size_t bytes);
ct_status ct_gpu_fetch(const ct_gpu_stream *stream, void *to, const void *from, size_t bytes);
/* The arguments are copied at once. */
ct_status ct_gpu_launch(const ct_gpu_stream *stream, const ct_gpu_kernel *kernel, ct_gpu_grid grid,
                        const void *arguments);
ct_status ct_gpu_drain(const ct_gpu_stream *stream); /* waits until all is done */

/* A place in a stream, which can be waited for. */
typedef struct {
    ct_gpu *gpu;
    void *event;
} ct_gpu_event;

ct_status ct_gpu_event_open(ct_gpu *gpu, ct_gpu_event *event);
void ct_gpu_event_close(ct_gpu_event *event);
/* After what it has been told so far. */
ct_status ct_gpu_mark(const ct_gpu_stream *stream, const ct_gpu_event *event);
/* Until that is done; at once if it was never marked. */
ct_status ct_gpu_wait(const ct_gpu_event *event);

/* ---- code compiled at run time ---- */

/* The device's compute capability, as in 90 for 9.0. */
int ct_gpu_capability(const ct_gpu *gpu);

typedef struct {
    ct_gpu *gpu;
    void *module;
} ct_gpu_module;

/* code: PTX, with the zero at its end, or what was compiled for the device. */
ct_status ct_gpu_load(ct_gpu *gpu, const void *code, ct_gpu_module *module);
/* After the streams that run what is in it. */
void ct_gpu_unload(ct_gpu_module *module);
ct_status ct_gpu_find(const ct_gpu_module *module, const char *name, void **function);
/* arguments: where each is. They are copied at once. */
ct_status ct_gpu_call(const ct_gpu_stream *stream, void *function, const ct_gpu_shape *shape,
                      void **arguments);

#endif
