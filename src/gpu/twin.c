/* The host twin of a device: functions run on the CPU, item by item, and calls are done when they
 * return. */
#include "gpu/twin.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "gpu/backend.h"

/* Atomic: streams of several threads use the twin at the same time. */
static int64_t calls, fail_at, blocks, limit = INT64_MAX, used;

long ct_gpu_twin_fail_at(long k)
{
    CT_ASSERT(k >= 0);
    long before = (long) ct_atomic_read(&calls);
    ct_atomic_write(&calls, 0);
    ct_atomic_write(&fail_at, k);
    return before;
}

long ct_gpu_twin_blocks(void)
{
    return (long) ct_atomic_read(&blocks);
}

void ct_gpu_twin_memory(size_t bytes)
{
    ct_atomic_write(&limit, bytes < INT64_MAX ? (int64_t) bytes : INT64_MAX);
}

/* Counts a call, which may have been told to fail. */
static ct_status begin(ct_error *why)
{
    int64_t k = ct_atomic_add(&calls, 1), at = ct_atomic_read(&fail_at);
    return at && k >= at ? ct_fail(why, CT_NO_DEVICE, "the twin was told to fail") : CT_OK;
}

static ct_status no_memory(ct_error *why)
{
    return ct_fail(why, CT_NO_DEVICE, "the twin has no memory");
}

static ct_status twin_open(int number, void **device, ct_error *why)
{
    (void) number;
    *device = NULL;
    return begin(why);
}

static void twin_close(void *device)
{
    (void) device;
}

/* ---- memory ---- */

static ct_status take_block(size_t bytes, void **out, ct_error *why)
{
    CT_TRY(begin(why));
    *out = ct_alloc(bytes);
    if (!*out) return no_memory(why);
    ct_atomic_add(&blocks, 1);
    return CT_OK;
}

static void give_block(void *device, void *block)
{
    (void) device;
    if (block) ct_atomic_add(&blocks, -1);
    ct_free(block);
}

/* Memory "on the device" is counted: its size stands before it. */
enum { SIZE_BEFORE = 256 };

static ct_status twin_take(void *device, size_t bytes, int on_host, void **out, ct_error *why)
{
    (void) device;
    if (on_host) return take_block(bytes, out, why);
    void *block = NULL;
    int64_t now = ct_atomic_add(&used, (int64_t) bytes);
    ct_status status = now > ct_atomic_read(&limit)
                           ? no_memory(why)
                           : take_block(SIZE_BEFORE + bytes, &block, why);
    if (status != CT_OK || !block) {
        ct_atomic_add(&used, -(int64_t) bytes);
        return status;
    }
    memcpy(block, &bytes, sizeof bytes);
    *out = (char *) block + SIZE_BEFORE;
    return CT_OK;
}

static void twin_give(void *device, int on_host, void *out)
{
    size_t bytes;
    if (!out || on_host) {
        give_block(device, out);
        return;
    }
    char *block = (char *) out - SIZE_BEFORE;
    memcpy(&bytes, block, sizeof bytes);
    ct_atomic_add(&used, -(int64_t) bytes);
    give_block(device, block);
}

static ct_status twin_room(void *device, size_t *bytes, ct_error *why)
{
    (void) device;
    *bytes = (size_t) (ct_atomic_read(&limit) - ct_atomic_read(&used));
    return begin(why);
}

/* ---- streams and events: there is nothing to them but that they are given back ---- */

static ct_status twin_new(void *device, void **out, ct_error *why)
{
    (void) device;
    return take_block(1, out, why);
}

static ct_status twin_copy(void *device, void *stream, void *to, const void *from, size_t bytes,
                           int to_host, ct_error *why)
{
    (void) device, (void) stream, (void) to_host;
    CT_TRY(begin(why));
    memcpy(to, from, bytes);
    return CT_OK;
}

static ct_status twin_launch(void *device, void *stream, const ct_gpu_kernel *kernel,
                             const ct_gpu_grid *grid, const void *arguments, ct_error *why)
{
    (void) device, (void) stream;
    CT_TRY(begin(why));
    void *shared = grid->shared ? ct_alloc(grid->shared) : NULL;
    if (grid->shared && !shared) return no_memory(why);
    kernel->on_host(arguments, grid->items, shared);
    ct_free(shared);
    return CT_OK;
}

static ct_status twin_drain(void *device, void *stream, ct_error *why)
{
    (void) device, (void) stream;
    return begin(why);
}

static ct_status twin_mark(void *device, void *stream, void *event, ct_error *why)
{
    (void) device, (void) stream, (void) event;
    return begin(why);
}

static ct_status twin_wait(void *device, void *event, ct_error *why)
{
    (void) device, (void) event;
    return begin(why);
}

const ct_backend ct_backend_twin = {
    .open = twin_open,
    .close = twin_close,
    .room = twin_room,
    .take = twin_take,
    .give = twin_give,
    .stream_new = twin_new,
    .stream_free = give_block,
    .copy = twin_copy,
    .launch = twin_launch,
    .drain = twin_drain,
    .event_new = twin_new,
    .event_free = give_block,
    .mark = twin_mark,
    .wait = twin_wait};
