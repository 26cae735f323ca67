/* gpu/device.h with CUDA: what devices there are, and whether one computes what its host twin computes.
 *
 * The runtime is linked statically and loads the driver itself at its first call, so the package loads where there is
 * no driver. Every call's status is checked, also that of work under way; a failure becomes a message. */
#include "gpu/device.h"

#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "exact/kernels/block_count_body.h"

#define CUDA_TRY(expr)                                 \
    do {                                               \
        cudaError_t cuda_try_status_ = (expr);         \
        if (cuda_try_status_ != cudaSuccess) return cuda_try_status_; \
    } while (0)

/* ---- query ---- */

/* The runtime reports a missing driver as one that is too old, so the driver's library is looked for first. It stays
 * open: the runtime is about to load the same one. */
static bool driver_found(void)
{
    static void *const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL); /* by one thread, if many come */
    return driver != NULL;
}

static void say_too_old(char *reason, size_t size)
{
    int driver = 0, runtime = CUDART_VERSION; /* that of CUDA 11 does not tell its own with such a driver */
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
        snprintf(reason, size, "the NVIDIA driver is too old for this build");
    else
        snprintf(reason, size, "the NVIDIA driver is too old: it is for CUDA %d.%d, this build for CUDA %d.%d", driver / 1000,
                 driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
}

static cudaError_t describe(ct_device *device, int number)
{
    cudaDeviceProp properties;
    CUDA_TRY(cudaGetDeviceProperties(&properties, number));
    snprintf(device->name, sizeof device->name, "%s", properties.name);
    device->memory = properties.totalGlobalMem;
    device->major = properties.major;
    device->minor = properties.minor;
    return cudaSuccess;
}

static cudaError_t list_devices(ct_device_list *list)
{
    int n = 0;
    CUDA_TRY(cudaGetDeviceCount(&n));
    if (n > CT_DEVICE_MAX) n = CT_DEVICE_MAX;
    for (int i = 0; i < n; i++) CUDA_TRY(describe(&list->device[i], i));
    list->n_devices = n;
    return n > 0 ? cudaSuccess : cudaErrorNoDevice;
}

/* What CUDA has set up in a process is of no use to one forked from it, and its calls may hang there. */
static bool forked(void)
{
    static const pid_t first = getpid();
    return first != getpid();
}

void ct_device_query(ct_device_list *list)
{
    memset(list, 0, sizeof *list);
    list->compiled = 1;
    if (forked()) {
        snprintf(list->reason, sizeof list->reason,
                 "this process was forked from one that has looked for a GPU; use workers that start afresh (PSOCK clusters)");
        return;
    }
    if (!driver_found()) {
        snprintf(list->reason, sizeof list->reason, "no NVIDIA driver found");
        return;
    }
    cudaError_t status = list_devices(list);
    if (status == cudaSuccess) return;
    (void) cudaGetLastError(); /* nobody after us shall find our error */
    if (status == cudaErrorInsufficientDriver)
        say_too_old(list->reason, sizeof list->reason);
    else if (status == cudaErrorNoDevice)
        snprintf(list->reason, sizeof list->reason, "there is an NVIDIA driver, but no CUDA device");
    else
        snprintf(list->reason, sizeof list->reason, "CUDA: %s", cudaGetErrorString(status));
}

/* ---- self test ---- */

/* Bit sets, one a warp; the last word is used in part, and the blocks are no multiple of the lanes. */
enum { N_SETS = 8, N_BLOCKS = 157, N_WORDS = (N_BLOCKS + 3) / 4 };

typedef struct {
    uint64_t mask[N_SETS][N_WORDS];
    uint64_t members[N_SETS][N_WORDS];
} test_input;

typedef struct {
    uint32_t before[N_SETS][N_BLOCKS];
    uint32_t total[N_SETS];
} test_output;

__global__ static void block_prefix_kernel(const test_input *in, test_output *out)
{
    unsigned set = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (set >= N_SETS) return; /* whole warps leave together */
    ct_team team = ct_team_warp();
    uint32_t total = ct_block_prefix(team, in->mask[set], in->members[set], N_BLOCKS, out->before[set]);
    if (team.lane == 0) out->total[set] = total;
}

static void block_prefix_twin(const test_input *in, test_output *out)
{
    for (int set = 0; set < N_SETS; set++)
        out->total[set] =
            ct_block_prefix(ct_team_alone(), in->mask[set], in->members[set], N_BLOCKS, out->before[set]);
}

/* Any bits will do, as long as they are the same each time (Knuth's linear congruence, high half). */
static void fill(test_input *in)
{
    uint64_t state = 1;
    uint64_t *word = &in->mask[0][0];
    for (size_t i = 0; i < sizeof *in / sizeof *word; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint64_t high = state >> 32;
        state = state * 6364136223846793005u + 1442695040888963407u;
        word[i] = high << 32 | state >> 32;
    }
}

static cudaError_t run_kernel(const test_input *in, test_output *out, test_input *device_in, test_output *device_out)
{
    CUDA_TRY(cudaMemcpy(device_in, in, sizeof *in, cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemset(device_out, 0xff, sizeof *device_out));
    (void) cudaGetLastError(); /* another library may have left its error behind */
    block_prefix_kernel<<<(N_SETS * 32 + 127) / 128, 128>>>(device_in, device_out);
    CUDA_TRY(cudaGetLastError());
    CUDA_TRY(cudaDeviceSynchronize());
    CUDA_TRY(cudaMemcpy(out, device_out, sizeof *out, cudaMemcpyDeviceToHost));
    return cudaSuccess;
}

static cudaError_t run_on_device(int device, const test_input *in, test_output *out)
{
    test_input *device_in = NULL;
    test_output *device_out = NULL;
    cudaError_t status = cudaSetDevice(device);
    if (status == cudaSuccess) status = cudaMalloc((void **) &device_in, sizeof *device_in);
    if (status == cudaSuccess) status = cudaMalloc((void **) &device_out, sizeof *device_out);
    if (status == cudaSuccess) status = run_kernel(in, out, device_in, device_out);
    cudaError_t freed_out = cudaFree(device_out), freed_in = cudaFree(device_in);
    if (status == cudaSuccess) status = freed_out;
    if (status == cudaSuccess) status = freed_in;
    return status;
}

ct_status ct_device_self_test(int device, ct_error *error)
{
    ct_device_list list;
    ct_device_query(&list);
    if (list.n_devices == 0) return ct_fail(error, CT_NO_DEVICE, "%s", list.reason);
    if (device < 0 || device >= list.n_devices)
        return ct_fail(error, CT_NO_DEVICE, "there is no CUDA device %d, only %d of them, counted from 0", device,
                       list.n_devices);

    test_input in;
    test_output expected, got;
    fill(&in);
    block_prefix_twin(&in, &expected);

    /* The caller's thread may be using another device by another library. */
    int before = device;
    (void) cudaGetDevice(&before);
    cudaError_t status = run_on_device(device, &in, &got);
    cudaError_t restored = before == device ? cudaSuccess : cudaSetDevice(before);
    if (status == cudaSuccess) status = restored;
    if (status != cudaSuccess) {
        (void) cudaGetLastError();
        return ct_fail(error, CT_NO_DEVICE, "CUDA device %d (%s): %s", device, list.device[device].name,
                       cudaGetErrorString(status));
    }
    if (memcmp(&expected, &got, sizeof got) != 0)
        return ct_fail(error, CT_INTERNAL, "CUDA device %d (%s) counts differently from the CPU", device,
                       list.device[device].name);
    return CT_OK;
}
