/* gpu/backend.h with CUDA. Every call's status is checked, also that of work under way; a failure becomes a code, and the
 * search goes on without the device. */
#include "gpu/backend.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

#include <new>

#include "gpu/scan_body.h"

#define CUDA_TRY(expr)                                        \
    do {                                                      \
        cudaError_t cuda_try_status_ = (expr);                \
        if (cuda_try_status_ != cudaSuccess) return failed(cuda_try_status_); \
    } while (0)

namespace {

const unsigned THREADS = 256; /* of a block, but for the scan */

struct cuda_device {
    int number;
    int before; /* the calling thread's device when this one was opened */
};

struct cuda_stream {
    cudaStream_t stream;
    cudaEvent_t ends[CT_GPU_SLOTS];
};

/* Nobody after us shall find our error. */
int failed(cudaError_t status)
{
    (void) cudaGetLastError();
    return (int) status;
}

/* Any thread may come, and another library may have changed its device. */
cudaError_t use(const void *device)
{
    return cudaSetDevice(((const cuda_device *) device)->number);
}

int cuda_open(int number, void **out)
{
    cuda_device *device = new (std::nothrow) cuda_device;
    if (!device) return (int) cudaErrorMemoryAllocation;
    device->number = device->before = number;
    (void) cudaGetDevice(&device->before);
    cudaError_t status = cudaSetDevice(number);
    if (status == cudaSuccess) status = cudaFree(NULL); /* sets it up, if nobody has */
    if (status == cudaSuccess) {
        *out = device;
        return 0;
    }
    (void) cudaSetDevice(device->before);
    delete device;
    return failed(status);
}

void cuda_close(void *memory)
{
    cuda_device *device = (cuda_device *) memory;
    (void) cudaSetDevice(device->before);
    (void) cudaGetLastError();
    delete device;
}

/* ---- memory ---- */

/* Somewhat less than is free: some is lost between blocks, and other programs may take some. */
int cuda_room(void *device, size_t *bytes)
{
    size_t free = 0, all = 0;
    CUDA_TRY(use(device));
    CUDA_TRY(cudaMemGetInfo(&free, &all));
    *bytes = free / 16 * 15;
    return 0;
}

int cuda_take(void *device, size_t bytes, void **memory)
{
    CUDA_TRY(use(device));
    CUDA_TRY(cudaMalloc(memory, bytes));
    return 0;
}

void cuda_give(void *device, void *memory)
{
    if (!memory) return;
    (void) use(device);
    (void) cudaFree(memory);
    (void) cudaGetLastError();
}

int cuda_take_host(void *device, size_t bytes, void **memory)
{
    CUDA_TRY(use(device));
    CUDA_TRY(cudaMallocHost(memory, bytes));
    return 0;
}

void cuda_give_host(void *device, void *memory)
{
    if (!memory) return;
    (void) use(device);
    (void) cudaFreeHost(memory);
    (void) cudaGetLastError();
}

/* ---- streams ---- */

void cuda_stream_free(void *device, void *memory)
{
    cuda_stream *s = (cuda_stream *) memory;
    if (!s) return;
    (void) use(device);
    if (s->stream) (void) cudaStreamSynchronize(s->stream); /* which cudaStreamDestroy does not */
    for (unsigned slot = 0; slot < CT_GPU_SLOTS; slot++)
        if (s->ends[slot]) (void) cudaEventDestroy(s->ends[slot]);
    if (s->stream) (void) cudaStreamDestroy(s->stream);
    (void) cudaGetLastError();
    delete s;
}

int cuda_stream_new(void *device, void **out)
{
    cuda_stream *s = new (std::nothrow) cuda_stream;
    if (!s) return (int) cudaErrorMemoryAllocation;
    memset(s, 0, sizeof *s);
    cudaError_t status = use(device);
    if (status == cudaSuccess) status = cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking);
    for (unsigned slot = 0; slot < CT_GPU_SLOTS && status == cudaSuccess; slot++)
        status = cudaEventCreateWithFlags(&s->ends[slot], cudaEventDisableTiming);
    if (status == cudaSuccess) {
        *out = s;
        return 0;
    }
    cuda_stream_free(device, s);
    return failed(status);
}

int cuda_send(void *device, void *stream, void *to, const void *from, size_t bytes)
{
    CUDA_TRY(use(device));
    CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, ((cuda_stream *) stream)->stream));
    return 0;
}

int cuda_fetch(void *device, void *stream, void *to, const void *from, size_t bytes)
{
    CUDA_TRY(use(device));
    CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, ((cuda_stream *) stream)->stream));
    return 0;
}

int cuda_mark(void *device, void *stream, unsigned slot)
{
    cuda_stream *s = (cuda_stream *) stream;
    CUDA_TRY(use(device));
    CUDA_TRY(cudaEventRecord(s->ends[slot], s->stream));
    return 0;
}

int cuda_wait(void *device, void *stream, unsigned slot)
{
    CUDA_TRY(use(device));
    CUDA_TRY(cudaEventSynchronize(((cuda_stream *) stream)->ends[slot]));
    return 0;
}

/* ---- kernels ---- */

#define ITEM_KERNEL(id, body, text)                                       \
    __global__ void kernel_##id(const ct_gpu_views v, size_t items)       \
    {                                                                     \
        size_t item = (size_t) blockIdx.x * blockDim.x + threadIdx.x;     \
        if (item < items) body(&v, item);                                 \
    }
CT_GPU_ITEM_KERNELS(ITEM_KERNEL)
#undef ITEM_KERNEL

/* A warp an item; whole warps leave together. */
__global__ void kernel_starts(const ct_gpu_views v, size_t items)
{
    size_t item = ((size_t) blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (item < items) ct_gpu_sum_members(ct_team_warp(), &v, item);
}

/* The sides of the lane's point in a word. */
struct sides_of_point {
    uint32_t left, right;
};

__device__ sides_of_point find_sides(const ct_gpu_views &v, uint32_t col, uint32_t group, uint32_t w, ct_team team)
{
    sides_of_point in;
    in.left = ct_team_transpose(team, ct_scan_sides(&v, col, group, w, team.lane, 0));
    in.right = v.batch.n_sides == 2 ? ct_team_transpose(team, ct_scan_sides(&v, col, group, w, team.lane, 1))
                                    : ct_scan_valid(&v, w) & ~in.left;
    return in;
}

/* The second half of a scan: each warp through its part. The numbers of a class are `stride` apart. */
__device__ void scan_part(const ct_gpu_views &v, ct_scan_part part, uint32_t col, uint32_t group, ct_team team,
                          ct_scan_lane *lane)
{
    ct_gpu_point nothing = {0, 0, 0, 0, {0, 0}, {1, 1}};
    uint32_t p = group * CT_GPU_LANES + team.lane;
    ct_scan_begin(lane, p < v.batch.n_points ? v.batch.points + p : &nothing);
    for (uint32_t w = part.begin; w < part.end; w++) {
        sides_of_point in = find_sides(v, col, group, w, team);
        ct_scan_word(lane, &v, col, w, in.left, in.right);
    }
}

/* CLASSES 2: a lane's numbers are its own registers from the second half on. 0: any number, in the block's memory. */
template <int CLASSES> __global__ void kernel_scan(const ct_gpu_views v)
{
    extern __shared__ __align__(16) unsigned char memory[];
    const uint32_t n_classes = CLASSES ? CLASSES : v.table.n_classes, step = n_classes * CT_GPU_LANES;
    const uint32_t col = blockIdx.x % v.table.n_window, group = blockIdx.x / v.table.n_window, warp = threadIdx.x / 32;
    const ct_team team = ct_team_warp();
    const ct_scan_block block = ct_scan_block_at(memory, n_classes);
    const ct_scan_part part = ct_scan_part_of(v.rows.words, warp, block.n_warps);
    uint32_t *x = block.counts + warp * 2 * step + team.lane;

    for (uint32_t c = 0; c < 2 * n_classes; c++) x[c * CT_GPU_LANES] = 0;
    for (uint32_t w = part.begin; w < part.end; w++) {
        const uint32_t *sets = v.rows.sets + ((size_t) col * v.rows.words + w) * n_classes;
        sides_of_point in = find_sides(v, col, group, w, team);
        ct_scan_count(x, CT_GPU_LANES, sets, n_classes, in.left, in.right);
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < 2 * step; i += blockDim.x) ct_scan_sum_warps(&block, n_classes, i);
    __syncthreads();

    ct_scan_lane lane;
    lane.n_classes = n_classes;
    if (CLASSES) {
        uint32_t own_x[CLASSES ? 2 * CLASSES : 1], own_y[CLASSES ? CLASSES : 1], own_totals[CLASSES ? 2 * CLASSES : 1];
        for (uint32_t c = 0; c < 2 * n_classes; c++) {
            own_x[c] = x[c * CT_GPU_LANES];
            own_totals[c] = block.totals[c * CT_GPU_LANES + team.lane];
        }
        lane.stride = 1;
        lane.x = own_x;
        lane.y = own_y;
        lane.totals = own_totals;
        scan_part(v, part, col, group, team, &lane);
    } else {
        lane.stride = CT_GPU_LANES;
        lane.x = x;
        lane.y = block.scratch + warp * step + team.lane;
        lane.totals = block.totals + team.lane;
        scan_part(v, part, col, group, team, &lane);
    }
    block.found[warp * CT_GPU_LANES + team.lane] = lane.found;
    __syncthreads();
    if (warp == 0) ct_scan_end(&block, &v, col, group, team.lane);
}

int cuda_launch(void *device, void *stream, ct_gpu_kernel kernel, const ct_gpu_views *v, size_t items)
{
    cudaStream_t s = ((cuda_stream *) stream)->stream;
    const unsigned blocks = (unsigned) ((items + THREADS - 1) / THREADS);
    const unsigned warp_blocks = (unsigned) ((items * 32 + THREADS - 1) / THREADS);
    const size_t bytes = ct_scan_bytes(v->table.n_classes);
    CUDA_TRY(use(device));
    (void) cudaGetLastError(); /* another library may have left its error behind */
    switch (kernel) {
#define LAUNCH(id, body, text) \
    case CT_GPU_##id: kernel_##id<<<blocks, THREADS, 0, s>>>(*v, items); break;
        CT_GPU_ITEM_KERNELS(LAUNCH)
#undef LAUNCH
    case CT_GPU_STARTS: kernel_starts<<<warp_blocks, THREADS, 0, s>>>(*v, items); break;
    case CT_GPU_SCAN:
        if (v->table.n_classes == 2) kernel_scan<2><<<(unsigned) items, ct_scan_warps(2) * 32, bytes, s>>>(*v);
        else kernel_scan<0><<<(unsigned) items, ct_scan_warps(v->table.n_classes) * 32, bytes, s>>>(*v);
        break;
    }
    CUDA_TRY(cudaGetLastError());
    return 0;
}

void cuda_why(int code, char *text, size_t size)
{
    snprintf(text, size, "CUDA: %s", cudaGetErrorString((cudaError_t) code));
}

const ct_backend cuda_backend = {cuda_open,      cuda_close,      cuda_room,        cuda_take, cuda_give,  cuda_take_host,
                                 cuda_give_host, cuda_stream_new, cuda_stream_free, cuda_send, cuda_fetch, cuda_launch,
                                 cuda_mark,      cuda_wait,       cuda_why};

} /* namespace */

const ct_backend *ct_backend_cuda(void)
{
    return &cuda_backend;
}
