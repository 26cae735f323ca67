/* CUDA's runtime on the CPU (cuda_runtime.h here): devices, memory, streams and blocks of threads,
 * for tests.
 *
 * What CUDA leaves open is decided by a seeded generator, so that what is wrong fails, and fails
 * again:
 * - What is put into a stream happens when somebody waits for it, or at any later call. A copy from
 *   memory that is not pinned reads it at once or later (the manual has it that such copies "might
 *   be synchronous").
 * - Nothing but a wait waits: memory given back may still be in use by what is under way. It is a
 *   block of malloc's, and so is the shared memory of a block, of just the bytes asked for and full
 *   of garbage: AddressSanitizer sees what goes beyond.
 * - Blocks come in any order. The threads of one take turns in any order, and change where they
 *   wait for each other. Threads that wait for some that never come are an error that ends the
 *   program.
 * Every thread of a block, and every stream, is one of ThreadSanitizer's fibers, whose accesses
 * race unless something orders them: the stream, an event that is waited for, a barrier. A shuffle
 * orders nothing, nor do the turns. This file is compiled without sanitizers, therefore, and says
 * itself what it reads and writes. */
#include "cuda_on_cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "cuda_runtime.h"

#ifdef CUDA_ON_CPU_TSAN
#include <sanitizer/tsan_interface.h>
extern "C" void __tsan_read_range(void *, unsigned long);
extern "C" void __tsan_write_range(void *, unsigned long);
static void *tsan_new(void) { return __tsan_create_fiber(0); }
static void *tsan_self(void) { return __tsan_get_current_fiber(); }
static void tsan_become(void *fiber)
{
    __tsan_switch_to_fiber(fiber, __tsan_switch_to_fiber_no_sync);
}
static void tsan_before(void *what) { __tsan_release(what); }
static void tsan_after(void *what) { __tsan_acquire(what); }
static void tsan_reads(const void *memory, size_t bytes)
{
    __tsan_read_range((void *) memory, bytes);
}
static void tsan_writes(void *memory, size_t bytes) { __tsan_write_range(memory, bytes); }
#else
static void *tsan_new(void) { return NULL; }
static void *tsan_self(void) { return NULL; }
static void tsan_become(void *) {}
static void tsan_before(void *) {}
static void tsan_after(void *) {}
static void tsan_reads(const void *, size_t) {}
static void tsan_writes(void *, size_t) {}
#endif

thread_local const cuda_place *cuda_here;

namespace {

enum {
    MAX_DEVICES = 2,
    MAX_THREADS = 1024,
    MAX_BYTES = 48 * 1024,
    MAX_STREAMS = 64,
    MAX_EVENTS = 128,
    MAX_BLOCKS = 4096
};

/* ---- the whole ---- */

int n_devices = 1, busy;
size_t limit = SIZE_MAX / 2, used;
uint64_t state;
long calls, fail_at;
cuda_failure failure;
cudaError_t broken; /* what all calls say */
bool next_fails;    /* what is next put into a stream */
thread_local int current;
thread_local cudaError_t last;

unsigned below(size_t n)
{
    if (!state)
        cuda_on_cpu_seed(getenv("CUDA_ON_CPU_SEED") ? (unsigned) atoi(getenv("CUDA_ON_CPU_SEED"))
                                                    : 1);
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned) ((state >> 33) % n);
}

[[noreturn]] void complain(const char *what)
{
    fflush(stdout);
    fprintf(stderr, "CUDA on the CPU: %s\n", what);
    _exit(70);
}

/* ---- threads of a block ---- */

struct lane {
    cuda_place place; /* first */
    ucontext_t context;
    void *fiber;
    uint32_t handed[2]; /* to the shuffle under way and to the one before */
    unsigned turn;
};

lane lanes[MAX_THREADS];
alignas(64) char stacks[MAX_THREADS][64 * 1024];
ucontext_t outside;
void *fiber_outside;

struct {
    unsigned threads, first, n_ready, n_done, n_waiting, phase;
    unsigned arrived[MAX_THREADS / 32];
    lane *ready[MAX_THREADS];
    void *shared;
    /* What ThreadSanitizer orders by; at `barrier` two places of 16 bytes for the block in turn,
     * and then for each warp. */
    char *launched, *done, *barrier;
    void (*call)(const void *);
    const void *closure;
} block;

/* Another block has other lanes for its threads: what two blocks do to the same place must not look
 * like one lane's. */
lane *lane_of(unsigned thread) { return &lanes[(thread + block.first) % block.threads]; }

/* A function by itself: where cuda_here lies changes with the thread of the host. */
__attribute__((noinline)) void change(ucontext_t *from, lane *to)
{
    cuda_here = to ? &to->place : NULL;
    tsan_become(to ? to->fiber : fiber_outside);
    swapcontext(from, to ? &to->context : &outside);
}

/* Until somebody makes it ready again. */
void rest(lane *me)
{
    lane *next = NULL;
    if (block.n_ready) {
        unsigned i = below(block.n_ready);
        next = block.ready[i];
        block.ready[i] = block.ready[--block.n_ready];
    } else if (block.n_done < block.threads) {
        complain("threads of a block wait for some that never come");
    }
    if (next != me) change(&me->context, next);
}

void make_ready(unsigned from, unsigned n)
{
    for (unsigned i = 0; i < n; i++) block.ready[block.n_ready++] = lane_of(from + i);
}

void live(unsigned number)
{
    for (lane *me = &lanes[number];;) {
        tsan_after(block.launched);
        block.call(block.closure);
        tsan_before(block.done);
        block.n_done++;
        rest(me);
    }
}

void prepare_lane(unsigned i)
{
    if (lanes[i].context.uc_stack.ss_sp) return;
    getcontext(&lanes[i].context);
    lanes[i].context.uc_stack.ss_sp = stacks[i];
    lanes[i].context.uc_stack.ss_size = sizeof stacks[i];
    lanes[i].fiber = tsan_new();
    makecontext(&lanes[i].context, (void (*)(void)) live, 1, i);
}

cuda_triple place_of(unsigned number, const cuda_triple &of)
{
    return {number % of.x, number / of.x % of.y, number / of.x / of.y};
}

void run_block(unsigned number, const cuda_grid &grid)
{
    const unsigned threads = grid.threads;
    block.n_ready = block.n_done = block.n_waiting = block.phase = 0;
    block.threads = threads;
    block.first = below(threads);
    memset(block.arrived, 0, sizeof block.arrived);
    for (unsigned i = 0; i < threads; i++) {
        lane *l = lane_of(i);
        l->place = {place_of(i, grid.of_threads), place_of(number, grid.of_blocks),
                    grid.of_threads, grid.of_blocks, i};
        l->turn = 0;
    }
    make_ready(0, threads);
    tsan_before(block.launched);
    change(&outside, block.ready[--block.n_ready]);
}

/* Blocks have memory of their own to the end, so that what they do may race. */
void run_kernel(const cuda_grid &grid, void (*call)(const void *), const void *closure)
{
    void **shared = grid.bytes ? (void **) malloc(grid.blocks * sizeof *shared) : NULL;
    const size_t places = 16 * (2 + 2 * (MAX_THREADS / 32));
    char *order = (char *) malloc(places * ((size_t) grid.blocks + 1));
    unsigned start = below(grid.blocks), backwards = below(2);
    fiber_outside = tsan_self();
    block.launched = order;
    block.done = order + 16;
    block.call = call;
    block.closure = closure;
    for (unsigned i = 0; i < grid.threads; i++) prepare_lane(i);
    for (unsigned i = 0; i < grid.blocks; i++) {
        if (shared) block.shared = memset(shared[i] = malloc(grid.bytes), 0xa7, grid.bytes);
        block.barrier = order + places * ((size_t) i + 1);
        run_block((unsigned) (((size_t) start + (backwards ? grid.blocks - i : i)) % grid.blocks),
                  grid);
    }
    tsan_after(block.done);
    for (unsigned i = 0; shared && i < grid.blocks; i++) free(shared[i]);
    free(shared);
    free(order);
}

/* ---- streams ---- */

enum op_kind { COPY, KERNEL, MARK };

struct op {
    op *next;
    long number;
    op_kind kind;
    bool fails;
    void *to; /* of a mark: the event's */
    const void *from;
    size_t bytes;
    cuda_grid grid;
    void (*call)(const void *);
    alignas(16) char memory[1]; /* a closure, or what was read at once */
};

} /* namespace */

struct cuda_on_cpu_stream {
    bool taken, destroyed;
    int device;
    op *first, **end;
    long begun, ended; /* numbers of the last one put in and of the last one done */
    void *fiber;
};

struct cuda_on_cpu_event {
    bool taken;
    int device;
    cudaStream_t stream;
    long number;
    char reached; /* for ThreadSanitizer */
};

namespace {

cuda_on_cpu_stream streams[MAX_STREAMS]; /* the first ones are the devices' own */
cuda_on_cpu_event events[MAX_EVENTS];

void perform(op *o)
{
    if (o->fails) broken = cudaErrorLaunchFailure;
    if (broken) return;
    if (o->kind == COPY) tsan_reads(o->from, o->bytes);
    if (o->kind == COPY) tsan_writes(o->to, o->bytes);
    if (o->kind == COPY) memcpy(o->to, o->from, o->bytes);
    if (o->kind == KERNEL) run_kernel(o->grid, o->call, o->memory);
    if (o->kind == MARK) tsan_before(o->to);
}

/* The next `n` of them. */
void run_stream(cudaStream_t s, long n)
{
    void *self = tsan_self();
    if (!s->first || n <= 0) return;
    if (!s->fiber) s->fiber = tsan_new();
    tsan_become(s->fiber);
    while (s->first && n-- > 0) {
        op *o = s->first;
        tsan_after(o);
        perform(o);
        s->first = o->next;
        s->ended = o->number;
        free(o);
    }
    if (!s->first && s->destroyed) s->taken = s->destroyed = false;
    tsan_before(s);
    tsan_become(self);
}

void wait_for(cudaStream_t s)
{
    run_stream(s, s->begun - s->ended);
    tsan_after(s);
}

op *put(cudaStream_t s, op_kind kind, size_t bytes)
{
    op *o = new (malloc(sizeof(op) + bytes)) op();
    o->kind = kind;
    o->fails = next_fails;
    next_fails = false;
    o->number = ++s->begun;
    if (!s->first) s->end = &s->first;
    *s->end = o;
    s->end = &o->next;
    return o;
}

/* ... what put() returned, once it is complete. */
void put_in(op *o) { tsan_before(o); }

cudaStream_t stream_or_own(cudaStream_t s)
{
    if (s) return s;
    s = &streams[current];
    s->taken = true;
    s->device = current;
    return s;
}

/* What nobody waits for any more. */
void finish_destroyed(void)
{
    for (cudaStream_t s = streams; s < streams + MAX_STREAMS; s++)
        if (s->destroyed) wait_for(s);
}

void sometimes_run_something(void)
{
    cudaStream_t s = &streams[below(MAX_STREAMS)];
    if (below(2)) s = &streams[MAX_DEVICES + below(4)];
    if (s->taken && below(2)) run_stream(s, below(4));
}

/* ---- calls ---- */

/* One call: nobody else is inside. The lock must order nothing for ThreadSanitizer. */
struct call {
    cudaError_t status;

    explicit call(bool may_fail = true)
    {
        while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE)) usleep(20);
        if (may_fail) begin();
        status = may_fail ? begun : cudaSuccess;
    }

    ~call()
    {
        if (status && !broken) last = status;
        __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
    }

    cudaError_t end(cudaError_t other)
    {
        if (!status) status = other;
        return status;
    }

private:
    cudaError_t begun = cudaSuccess;

    void begin(void)
    {
        if (++calls == fail_at) {
            if (failure == CUDA_CALL_FAILS) begun = cudaErrorMemoryAllocation;
            if (failure == CUDA_DEVICE_FAILS) broken = cudaErrorLaunchFailure;
            if (failure == CUDA_KERNEL_FAILS) next_fails = true;
        }
        sometimes_run_something();
        if (broken) begun = broken;
    }
};

/* ---- memory ---- */

struct piece {
    char *memory; /* NULL: none */
    size_t bytes;
    int device; /* -1: pinned memory of the host */
} pieces[MAX_BLOCKS];

piece *piece_at(const void *memory)
{
    for (piece *p = pieces; p < pieces + MAX_BLOCKS; p++)
        if (p->memory && (const char *) memory >= p->memory &&
            (const char *) memory < p->memory + p->bytes)
            return p;
    return NULL;
}

cudaError_t take(void **memory, size_t bytes, int device)
{
    piece *p = pieces;
    if (!bytes) return *memory = NULL, cudaSuccess;
    if (device >= 0 && bytes > limit - (used < limit ? used : limit))
        return cudaErrorMemoryAllocation;
    while (p < pieces + MAX_BLOCKS && p->memory) p++;
    if (p == pieces + MAX_BLOCKS) complain("too many blocks of memory");
    *p = {(char *) malloc(bytes), bytes, device};
    if (!p->memory) return cudaErrorMemoryAllocation;
    *memory = memset(p->memory, 0xa7, bytes);
    if (device >= 0) used += bytes;
    return cudaSuccess;
}

/* Also where the call fails: what a broken device had is gone. */
cudaError_t give(void *memory, bool pinned)
{
    piece *p = piece_at(memory);
    if (!memory) return cudaSuccess;
    if (!p || p->memory != memory || (p->device < 0) != pinned) return cudaErrorInvalidValue;
    if (!pinned) used -= p->bytes;
    free(p->memory);
    p->memory = NULL;
    return cudaSuccess;
}

void need_on_device(const void *memory, size_t bytes, int device)
{
    const piece *p = piece_at(memory);
    if (!p || p->device != device || (const char *) memory + bytes > p->memory + p->bytes)
        complain("what is to be written or read is not memory of this device");
}

cudaError_t copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t s)
{
    const bool down = kind == cudaMemcpyHostToDevice;
    const piece *host = piece_at(down ? from : to);
    const bool pinned = host && host->device < 0, staged = down && !pinned && below(2);
    if (pinned && (const char *) (down ? from : to) + bytes > host->memory + host->bytes)
        complain("a copy beyond pinned memory");
    if (host && !pinned) complain("a copy in the wrong direction");
    need_on_device(down ? to : from, bytes, s->device);
    op *o = put(s, COPY, staged ? bytes : 0);
    o->to = to;
    o->from = staged ? memcpy(o->memory, from, bytes) : from;
    o->bytes = bytes;
    put_in(o);
    if (!down && !pinned && below(2)) wait_for(s);
    return broken;
}

} /* namespace */

/* ---- what is called: devices ---- */

cudaError_t cudaGetDeviceCount(int *n)
{
    call c;
    if (!c.status) *n = n_devices;
    return c.end(n_devices ? cudaSuccess : cudaErrorNoDevice);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
    call c;
    memset(properties, 0, sizeof *properties);
    snprintf(properties->name, sizeof properties->name, "CPU %d", device);
    properties->totalGlobalMem = limit;
    properties->major = 7;
    return c.status;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    call c;
    *version = CUDART_VERSION;
    return c.status;
}

cudaError_t cudaGetDevice(int *device)
{
    call c;
    if (!c.status) *device = current;
    return c.status;
}

cudaError_t cudaSetDevice(int device)
{
    call c;
    if (!c.status && device >= 0 && device < n_devices) current = device;
    return c.end(device >= 0 && device < n_devices ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaGetLastError(void)
{
    call c(false);
    cudaError_t before = broken ? broken : last;
    last = cudaSuccess;
    return before;
}

const char *cudaGetErrorString(cudaError_t status)
{
    if (status == cudaErrorMemoryAllocation) return "out of memory";
    return status == cudaErrorLaunchFailure ? "launch failure" : "another error";
}

/* The driver's library, as it were. */
extern "C" void *cuda_on_cpu_dlopen(const char *, int) { return &busy; }

/* ---- memory ---- */

cudaError_t cudaMemGetInfo(size_t *available, size_t *all)
{
    call c;
    *available = limit - (used < limit ? used : limit);
    *all = limit;
    return c.status;
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    call c;
    return c.status ? c.status : c.end(take(memory, bytes, current));
}

cudaError_t cudaFree(void *memory)
{
    call c;
    return c.end(give(memory, false));
}

cudaError_t cudaMallocHost(void **memory, size_t bytes)
{
    call c;
    return c.status ? c.status : c.end(take(memory, bytes, -1));
}

cudaError_t cudaFreeHost(void *memory)
{
    call c;
    return c.end(give(memory, true));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    call c;
    return c.status ? c.status : c.end(copy(to, from, bytes, kind, stream_or_own(stream)));
}

/* ---- streams and events ---- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    call c;
    cudaStream_t s = streams + MAX_DEVICES;
    if (c.status) return c.status;
    while (s < streams + MAX_STREAMS && s->taken) s++;
    if (s == streams + MAX_STREAMS) complain("too many streams");
    s->taken = true;
    s->device = current;
    *stream = s;
    return c.status;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    call c;
    wait_for(stream_or_own(stream)); /* also where the call fails */
    return c.end(broken);
}

/* What is under way goes on. */
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    call c;
    stream->destroyed = stream->first != NULL;
    stream->taken = stream->destroyed;
    return c.status;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    call c;
    cudaEvent_t e = events;
    if (c.status) return c.status;
    while (e < events + MAX_EVENTS && e->taken) e++;
    if (e == events + MAX_EVENTS) complain("too many events");
    e->taken = true;
    e->device = current;
    e->stream = NULL;
    *event = e;
    return c.status;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    call c;
    if (c.status) return c.status;
    stream = stream_or_own(stream);
    if (event->device != stream->device) return c.end(cudaErrorInvalidResourceHandle);
    op *o = put(stream, MARK, 0);
    o->to = &event->reached;
    event->stream = stream;
    event->number = o->number;
    put_in(o);
    return c.status;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    call c;
    if (!event->stream) return c.status;
    run_stream(event->stream, event->number - event->stream->ended);
    tsan_after(&event->reached);
    return c.end(broken);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    call c;
    event->taken = false;
    return c.status;
}

/* ---- kernels ---- */

cudaError_t cuda_launch_copy(cuda_grid grid, void (*function)(const void *), const void *closure,
                             size_t bytes)
{
    call c;
    if (c.status) return c.status;
    grid.stream = stream_or_own(grid.stream);
    if (grid.stream->device != current) return c.end(cudaErrorInvalidResourceHandle);
    if (!grid.blocks || grid.blocks > INT32_MAX || !grid.threads || grid.threads > MAX_THREADS ||
        grid.bytes > MAX_BYTES)
        return c.end(cudaErrorInvalidConfiguration);
    op *o = put(grid.stream, KERNEL, bytes);
    o->grid = grid;
    o->call = function;
    memcpy(o->memory, closure, bytes);
    put_in(o);
    return c.status;
}

void *cuda_shared_memory(void) { return block.shared; }

void __syncthreads(void)
{
    lane *me = (lane *) cuda_here;
    char *barrier = block.barrier + 16 * (block.phase & 1);
    tsan_before(barrier);
    if (++block.n_waiting == block.threads) {
        block.n_waiting = 0;
        block.phase++;
        make_ready(0, block.threads);
    }
    rest(me);
    tsan_after(barrier);
}

/* The lanes of a warp hand in a value each and go on once all have; where they then are. */
static unsigned hand_in(uint32_t value)
{
    lane *me = (lane *) cuda_here;
    unsigned warp = me->place.number / 32, turn = me->turn++ & 1;
    me->handed[turn] = value;
    if (++block.arrived[warp] == 32) {
        block.arrived[warp] = 0;
        make_ready(warp * 32, 32);
    }
    rest(me);
    return turn;
}

void __syncwarp(unsigned all)
{
    lane *me = (lane *) cuda_here;
    if (!me) return;
    if (all != 0xffffffffu) complain("some lanes of a warp wait without the others");
    char *order = block.barrier + 16 * (2 + me->place.number / 32 * 2 + (me->turn & 1));
    tsan_before(order);
    (void) hand_in(0);
    tsan_after(order);
}

static uint32_t handed(unsigned from, unsigned turn)
{
    return lane_of(((lane *) cuda_here)->place.number / 32 * 32 + from)->handed[turn];
}

uint32_t cuda_shuffle(uint32_t value, unsigned from)
{
    if (!cuda_here) return value;
    unsigned turn = hand_in(value);
    return handed(from, turn);
}

uint32_t cuda_ballot(int set)
{
    if (!cuda_here) return set != 0;
    unsigned turn = hand_in(set != 0);
    uint32_t bits = 0;
    for (unsigned i = 0; i < 32; i++) bits |= handed(i, turn) << i;
    return bits;
}

uint32_t cuda_largest(uint32_t value)
{
    if (!cuda_here) return value;
    unsigned turn = hand_in(value);
    for (unsigned i = 0; i < 32; i++) value = handed(i, turn) > value ? handed(i, turn) : value;
    return value;
}

/* ---- what tests ask ---- */

long cuda_on_cpu_fail_at(long k, cuda_failure kind)
{
    call c(false);
    long before = calls;
    finish_destroyed();
    calls = 0;
    fail_at = k;
    failure = kind;
    broken = last = cudaSuccess;
    next_fails = false;
    return before;
}

void cuda_on_cpu_memory(size_t bytes) { limit = bytes < SIZE_MAX / 2 ? bytes : SIZE_MAX / 2; }
void cuda_on_cpu_devices(int n) { n_devices = n; }
int cuda_on_cpu_current(void) { return current; }
void cuda_on_cpu_disturb(int device) { current = device, last = cudaErrorInvalidValue; }
void cuda_on_cpu_seed(unsigned seed) { state = ((uint64_t) seed << 1 | 1) * 0x9e3779b97f4a7c15u; }

long cuda_on_cpu_left(void)
{
    call c(false);
    long n = last != cudaSuccess;
    finish_destroyed();
    for (const piece &p : pieces) n += p.memory != NULL;
    for (int i = MAX_DEVICES; i < MAX_STREAMS; i++) n += streams[i].taken;
    for (const cuda_on_cpu_event &e : events) n += e.taken;
    return n;
}
