/* gpu/backend.h by CUDA's driver, for code compiled at run time. Its library is opened when a
 * device is first asked for: nothing is linked against CUDA. A device's context is the one that
 * CUDA's runtime, and other packages, use as well; each call puts it before whatever the thread
 * had, and takes it away again. */
#include "base/compact.h"

#include <string.h>

#include "gpu/backend.h"

#ifdef _WIN32

static ct_status driver_open(int number, void **device, ct_error *why)
{
    (void) number, (void) device;
    return ct_fail(why, CT_NO_DEVICE, "CUDA's driver is not looked for on Windows");
}

const ct_backend ct_backend_driver = {.open = driver_open};

#else

#include <dlfcn.h>
#include <stdint.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/threads.h"

/* As cuda.h declares them: handles are pointers, addresses on the device numbers of 64 bits, 0 is
 * success. X(member, function, arguments). */
typedef unsigned long long address;
#define FUNCTIONS(X)                                                                               \
    X(init, cuInit, (unsigned))                                                                    \
    X(count, cuDeviceGetCount, (int *))                                                            \
    X(device, cuDeviceGet, (int *, int))                                                           \
    X(attribute, cuDeviceGetAttribute, (int *, int, int))                                          \
    X(retain, cuDevicePrimaryCtxRetain, (void **, int))                                            \
    X(release, cuDevicePrimaryCtxRelease_v2, (int))                                                \
    X(push, cuCtxPushCurrent_v2, (void *))                                                         \
    X(pop, cuCtxPopCurrent_v2, (void **))                                                          \
    X(room, cuMemGetInfo_v2, (size_t *, size_t *))                                                 \
    X(take, cuMemAlloc_v2, (address *, size_t))                                                    \
    X(give, cuMemFree_v2, (address))                                                               \
    X(take_host, cuMemAllocHost_v2, (void **, size_t))                                             \
    X(give_host, cuMemFreeHost, (void *))                                                          \
    X(send, cuMemcpyHtoDAsync_v2, (address, const void *, size_t, void *))                         \
    X(fetch, cuMemcpyDtoHAsync_v2, (void *, address, size_t, void *))                              \
    X(stream_new, cuStreamCreate, (void **, unsigned))                                             \
    X(stream_free, cuStreamDestroy_v2, (void *))                                                   \
    X(drain, cuStreamSynchronize, (void *))                                                        \
    X(event_new, cuEventCreate, (void **, unsigned))                                               \
    X(event_free, cuEventDestroy_v2, (void *))                                                     \
    X(mark, cuEventRecord, (void *, void *))                                                       \
    X(wait, cuEventSynchronize, (void *))                                                          \
    X(load, cuModuleLoadData, (void **, const void *))                                             \
    X(unload, cuModuleUnload, (void *))                                                            \
    X(find, cuModuleGetFunction, (void **, void *, const char *))                                  \
    X(call, cuLaunchKernel, (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,   \
                             unsigned, void *, void **, void **))                                  \
    X(say, cuGetErrorString, (int, const char **))

enum { NON_BLOCKING = 1, NO_TIMING = 2, MAJOR = 75, MINOR = 76 }; /* of cuda.h */

typedef struct {
    void *library, *context;
    int number, capability;
#define MEMBER(member, function, arguments) int (*member) arguments;
    FUNCTIONS(MEMBER)
#undef MEMBER
} driver;

/* ISO C knows no pointer that is both an object's and a function's. */
static int find_function(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static int find_all(driver *d)
{
#define FIND(member, function, arguments)                                        \
    if (!find_function(d->library, #function, (void *) &d->member)) return 0;
    FUNCTIONS(FIND)
#undef FIND
    return 1;
}

static ct_status failed(const driver *d, int code, ct_error *why)
{
    const char *said = NULL;
    if (d->say(code, &said) || !said) said = "unknown error";
    return ct_fail(why, CT_NO_DEVICE, "CUDA: %s", said);
}

/* A whole call: the device's context becomes this thread's, `expr` is done, and it is taken
 * away. */
#define DRIVER_CALL(device, expr)                         \
    do {                                                  \
        const driver *d = (const driver *) (device);      \
        void *was;                                        \
        int code_ = d->push(d->context);                  \
        if (code_) return failed(d, code_, why);          \
        code_ = (expr);                                   \
        d->pop(&was);                                     \
        return code_ ? failed(d, code_, why) : CT_OK;     \
    } while (0)

/* A call that cannot fail, or whose failure has no consequence. */
#define DRIVER_DO(device, expr)                           \
    do {                                                  \
        const driver *d = (const driver *) (device);      \
        void *was;                                        \
        int code_ = d->push(d->context);                  \
        (void) (expr);                                    \
        if (!code_) d->pop(&was);                         \
    } while (0)

/* ---- opening ---- */

/* What the driver has set up in a process is of no use to one forked from it, and its calls may
 * hang there. */
static int is_forked(void)
{
    static int64_t first; /* atomic */
    const int64_t mine = (int64_t) getpid();
    if (!ct_atomic_read(&first)) ct_atomic_write(&first, mine);
    return ct_atomic_read(&first) != mine;
}

static ct_status find_device(driver *d, int number, int *device, ct_error *why)
{
    int n = 0, major = 0, minor = 0, code = d->init(0);
    if (!code) code = d->count(&n);
    if (code) return failed(d, code, why);
    if (number >= n)
        return ct_fail(why, CT_NO_DEVICE,
                       "there is no CUDA device %d, only %d of them, counted from 0", number, n);
    code = d->device(device, number);
    if (!code) code = d->attribute(&major, MAJOR, *device);
    if (!code) code = d->attribute(&minor, MINOR, *device);
    if (!code) code = d->retain(&d->context, *device);
    d->capability = 10 * major + minor;
    return code ? failed(d, code, why) : CT_OK;
}

static ct_status open_driver(driver *d, int number, ct_error *why)
{
    if (is_forked())
        return ct_fail(why, CT_NO_DEVICE,
                       "this process was forked from one that has looked for a GPU; "
                       "use workers that start afresh (PSOCK clusters)");
    d->library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!d->library) return ct_fail(why, CT_NO_DEVICE, "no NVIDIA driver found");
    if (!find_all(d)) return ct_fail(why, CT_NO_DEVICE, "the NVIDIA driver is too old");
    return find_device(d, number, &d->number, why);
}

static ct_status driver_open(int number, void **device, ct_error *why)
{
    driver *d = (driver *) ct_alloc_zeroed(1, sizeof *d);
    if (!d) return ct_fail(why, CT_NO_DEVICE, "not enough memory for CUDA's driver");
    ct_status status = open_driver(d, number, why);
    if (status == CT_OK) {
        *device = d;
        return CT_OK;
    }
    if (d->library) dlclose(d->library);
    ct_free(d);
    return status;
}

static void driver_close(void *device)
{
    driver *d = (driver *) device;
    (void) d->release(d->number);
    dlclose(d->library);
    ct_free(d);
}

static int driver_capability(const void *device)
{
    return ((const driver *) device)->capability;
}

/* ---- memory ---- */

/* Somewhat less than is free: some is lost between blocks, and other programs may take some. */
static int find_room(const driver *d, size_t *bytes)
{
    size_t free = 0, all = 0;
    int code = d->room(&free, &all);
    *bytes = free / 16 * 15;
    return code;
}

static ct_status driver_room(void *device, size_t *bytes, ct_error *why)
{
    DRIVER_CALL(device, find_room(d, bytes));
}

static int take_on_device(const driver *d, size_t bytes, void **memory)
{
    address at = 0;
    int code = d->take(&at, bytes);
    *memory = (void *) (uintptr_t) at;
    return code;
}

static ct_status driver_take(void *device, size_t bytes, int on_host, void **memory, ct_error *why)
{
    DRIVER_CALL(device, on_host ? d->take_host(memory, bytes) : take_on_device(d, bytes, memory));
}

static void driver_give(void *device, int on_host, void *memory)
{
    if (!memory) return;
    DRIVER_DO(device, on_host ? d->give_host(memory) : d->give((uintptr_t) memory));
}

/* ---- streams ---- */

static ct_status driver_stream_new(void *device, void **stream, ct_error *why)
{
    DRIVER_CALL(device, d->stream_new(stream, NON_BLOCKING));
}

static void driver_stream_free(void *device, void *stream)
{
    if (!stream) return;
    DRIVER_DO(device, (d->drain(stream), d->stream_free(stream)));
}

static ct_status driver_copy(void *device, void *stream, void *to, const void *from, size_t bytes,
                             int to_host, ct_error *why)
{
    DRIVER_CALL(device, to_host ? d->fetch(to, (uintptr_t) from, bytes, stream)
                                : d->send((uintptr_t) to, from, bytes, stream));
}

static ct_status driver_drain(void *device, void *stream, ct_error *why)
{
    DRIVER_CALL(device, d->drain(stream));
}

/* ---- events ---- */

static ct_status driver_event_new(void *device, void **event, ct_error *why)
{
    DRIVER_CALL(device, d->event_new(event, NO_TIMING));
}

static void driver_event_free(void *device, void *event)
{
    if (!event) return;
    DRIVER_DO(device, d->event_free(event));
}

static ct_status driver_mark(void *device, void *stream, void *event, ct_error *why)
{
    DRIVER_CALL(device, d->mark(event, stream));
}

static ct_status driver_wait(void *device, void *event, ct_error *why)
{
    DRIVER_CALL(device, d->wait(event));
}

/* ---- code compiled at run time ---- */

static ct_status driver_load(void *device, const void *code, void **module, ct_error *why)
{
    DRIVER_CALL(device, d->load(module, code));
}

static void driver_unload(void *device, void *module)
{
    if (!module) return;
    DRIVER_DO(device, d->unload(module));
}

static ct_status driver_find(void *device, void *module, const char *name, void **function,
                             ct_error *why)
{
    DRIVER_CALL(device, d->find(function, module, name));
}

static ct_status driver_call(void *device, void *stream, void *function, const ct_gpu_shape *shape,
                             void **arguments, ct_error *why)
{
    const unsigned *b = shape->blocks, *t = shape->threads;
    DRIVER_CALL(device, d->call(function, b[0], b[1], b[2], t[0], t[1], t[2], shape->shared, stream,
                                arguments, NULL));
}

const ct_backend ct_backend_driver = {
    .open = driver_open,
    .close = driver_close,
    .room = driver_room,
    .take = driver_take,
    .give = driver_give,
    .stream_new = driver_stream_new,
    .stream_free = driver_stream_free,
    .copy = driver_copy,
    .drain = driver_drain,
    .event_new = driver_event_new,
    .event_free = driver_event_free,
    .mark = driver_mark,
    .wait = driver_wait,
    .capability = driver_capability,
    .load = driver_load,
    .unload = driver_unload,
    .find = driver_find,
    .call = driver_call};

#endif
