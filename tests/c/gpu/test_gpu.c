/* A device at work for a system that is none: any function with any arguments, on the host twin and
 * on every device there is, which may be the CPU with CUDA's runtime played (cuda_on_cpu/). */
#include "gpu/gpu.h"
#include "gpu_functions.h"
#include "played.h"

#ifndef CT_TEST_CUDA
const ct_gpu_kernel gpu_functions[N_FUNCTIONS] = {
    {scale_on_host, NULL}, {sum_on_host, NULL}, {reverse_on_host, NULL}};
#endif

enum { ROWS = 7, N = ROWS * REVERSED, WIDTH = 33, FACTOR = 3 };

/* What functions write has one value more, which they must leave alone. */
enum { SCALED_BYTES = (N + 1) * sizeof(uint32_t), SUMS_BYTES = (ROWS + 1) * sizeof(uint32_t) };
#define UNTOUCHED 0xc0ffee11u

/* A device with two streams; the values, what becomes of them, and the sums. */
typedef struct {
    ct_gpu *gpu;
    ct_gpu_block on_device, on_host;
    ct_gpu_stream stream[2];
    ct_gpu_event event[2];
    uint32_t *values, *scaled, *sums, *host_values, *host_scaled, *host_sums;
} work;

static size_t cut(char *memory, uint32_t **values, uint32_t **scaled, uint32_t **sums)
{
    ct_gpu_cutter c = {memory, 0};
    *values = (uint32_t *) ct_gpu_cut(&c, N * sizeof **values);
    *scaled = (uint32_t *) ct_gpu_cut(&c, SCALED_BYTES);
    *sums = (uint32_t *) ct_gpu_cut(&c, SUMS_BYTES);
    return c.used;
}

static ct_status begin(work *w, int number, ct_error *error)
{
    size_t bytes;
    memset(w, 0, sizeof *w);
    CT_TRY(ct_gpu_open(number, &w->gpu, error));
    CT_TRY(ct_gpu_room(w->gpu, &bytes));
    for (int i = 0; i < 2; i++) {
        CT_TRY(ct_gpu_stream_open(w->gpu, &w->stream[i]));
        CT_TRY(ct_gpu_event_open(w->gpu, &w->event[i]));
    }
    bytes = cut(NULL, &w->values, &w->scaled, &w->sums);
    CT_TRY(ct_gpu_take(w->gpu, bytes, &w->on_device));
    CT_TRY(ct_gpu_take_host(w->gpu, bytes, &w->on_host));
    CHECK_INT(cut((char *) w->on_device.memory, &w->values, &w->scaled, &w->sums), bytes);
    CHECK_INT(cut((char *) w->on_host.memory, &w->host_values, &w->host_scaled, &w->host_sums),
              bytes);
    for (uint32_t i = 0; i < N; i++) w->host_values[i] = i * i + 1;
    for (uint32_t i = 0; i <= N; i++) w->host_scaled[i] = UNTOUCHED;
    for (uint32_t i = 0; i <= ROWS; i++) w->host_sums[i] = UNTOUCHED;
    return CT_OK;
}

static void end(work *w)
{
    for (int i = 0; i < 2; i++) {
        ct_gpu_stream_close(&w->stream[i]);
        ct_gpu_event_close(&w->event[i]);
    }
    ct_gpu_give(&w->on_device);
    ct_gpu_give(&w->on_host);
    ct_gpu_close(w->gpu);
}

/* The sums in one stream, the values scaled and reversed in the other. */
static ct_status run(const work *w)
{
    const sum_arguments sums = {WIDTH, w->values, w->sums};
    const scale_arguments scaled = {w->values, w->scaled, FACTOR};
    const reverse_arguments reversed = {w->scaled};
    const ct_gpu_stream *first = &w->stream[0], *second = &w->stream[1];
    CT_TRY(ct_gpu_send(first, w->values, w->host_values, N * sizeof *w->values));
    CT_TRY(ct_gpu_send(first, w->scaled, w->host_scaled, SCALED_BYTES));
    CT_TRY(ct_gpu_send(first, w->sums, w->host_sums, SUMS_BYTES));
    CT_TRY(ct_gpu_drain(first));
    CT_TRY(ct_gpu_launch(first, &gpu_functions[SUM], ct_gpu_warps(ROWS), &sums));
    CT_TRY(ct_gpu_fetch(first, w->host_sums, w->sums, SUMS_BYTES));
    CT_TRY(ct_gpu_mark(first, &w->event[0]));
    CT_TRY(ct_gpu_launch(second, &gpu_functions[SCALE], ct_gpu_threads(N), &scaled));
    ct_gpu_grid blocks = ct_gpu_blocks(N / REVERSED, REVERSED, REVERSED * sizeof(uint32_t));
    CT_TRY(ct_gpu_launch(second, &gpu_functions[REVERSE], blocks, &reversed));
    CT_TRY(ct_gpu_fetch(second, w->host_scaled, w->scaled, SCALED_BYTES));
    CT_TRY(ct_gpu_mark(second, &w->event[1]));
    CT_TRY(ct_gpu_wait(&w->event[1]));
    return ct_gpu_wait(&w->event[0]);
}

static void check_answer(const work *w)
{
    CHECK(w->host_scaled[N] == UNTOUCHED && w->host_sums[ROWS] == UNTOUCHED);
    for (uint32_t row = 0; row < ROWS; row++) {
        uint32_t total = 0;
        for (uint32_t i = row * WIDTH; i < (row + 1) * WIDTH; i++) total += w->host_values[i];
        CHECK_INT(w->host_sums[row], total);
        for (uint32_t i = 0; i < REVERSED; i++)
            CHECK_INT(w->host_scaled[row * REVERSED + i],
                      FACTOR * w->host_values[(row + 1) * REVERSED - 1 - i]);
    }
}

/* All calls of a lost device fail, without asking it again, and it says what the first one was. */
static void check_lost(const work *w, int number)
{
    char why[256];
    size_t bytes;
    snprintf(why, sizeof why, "%s", ct_gpu_why(w->gpu));
    CHECK(ct_gpu_is_lost(w->gpu) && why[0] != '\0');
    if (number == TWIN) (void) ct_gpu_twin_fail_at(0);
    CHECK_INT(ct_gpu_room(w->gpu, &bytes), CT_NO_DEVICE);
    if (w->on_host.memory)
        CHECK(run(w) == CT_NO_DEVICE && ct_gpu_wait(&w->event[0]) == CT_NO_DEVICE);
    if (number == TWIN) CHECK_INT(ct_gpu_twin_fail_at(0), 0);
    CHECK(strcmp(why, ct_gpu_why(w->gpu)) == 0);
}

/* 1 if all went well and is right. */
static int works(int number)
{
    work w;
    reason = NO_REASON;
    ct_status status = begin(&w, number, &reason);
    if (status == CT_OK) status = run(&w);
    if (status == CT_OK) {
        check_answer(&w);
        CHECK(!ct_gpu_is_lost(w.gpu) && ct_gpu_why(w.gpu)[0] == '\0');
    } else {
        CHECK_INT(status, CT_NO_DEVICE);
        if (w.gpu) check_lost(&w, number);
        else CHECK(reason.status == CT_NO_DEVICE && reason.message[0] != '\0');
    }
    end(&w);
    CHECK_INT(blocks_left(number), 0);
    return status == CT_OK;
}

/* ---- the cases ---- */

static void functions(int number)
{
    for (int round = 0; round < (number == TWIN ? 1 : 20); round++) CHECK(works(number));
}

static void twin_that_fails(void) { fail_twin_in_turn(works, 18); }
static void cuda_that_fails(void) { fail_cuda_in_turn(works, 0, 1); }

static void one_of_two_devices(void)
{
    if (!CUDA_ON_CPU()) SKIP("no CUDA on the CPU");
    cuda_on_cpu_devices(2);
    for (int round = 0; round < 10; round++) CHECK(works(1));
    CHECK_INT(cuda_on_cpu_current(), 0);
    cuda_on_cpu_devices(1);
}

/* What is given back can be taken again; more than there is loses the device. */
static void memory_that_ends(void)
{
    ct_gpu *gpu;
    ct_gpu_block block = {0}, more = {0};
    ct_gpu_twin_memory(1000);
    REQUIRE_OK(ct_gpu_open(TWIN, &gpu, NULL));
    for (int i = 0; i < 3; i++) {
        size_t room;
        CHECK_OK(ct_gpu_take(gpu, 700, &block));
        CHECK_OK(ct_gpu_room(gpu, &room));
        CHECK_INT(room, 300);
        ct_gpu_give(&block);
        ct_gpu_give(&block); /* there is nothing left to give */
    }
    CHECK_OK(ct_gpu_take(gpu, 700, &block));
    CHECK_INT(ct_gpu_take(gpu, 301, &more), CT_NO_DEVICE);
    CHECK(ct_gpu_is_lost(gpu) && strstr(ct_gpu_why(gpu), "no memory") != NULL && !more.memory);
    ct_gpu_give(&more);
    ct_gpu_give(&block);
    ct_gpu_close(gpu);
    ct_gpu_twin_memory(SIZE_MAX);
    CHECK_INT(ct_gpu_twin_blocks(), 0);
}

/* As many threads as there are items, and less than a block more. */
static void grids(void)
{
    const size_t items[] = {1, 255, 256, 257, 100000};
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        ct_gpu_grid each = ct_gpu_threads(items[i]), warps = ct_gpu_warps(items[i]);
        size_t threads = (size_t) each.blocks * each.threads,
               lanes = (size_t) warps.blocks * warps.threads;
        CHECK(threads >= items[i] && threads < items[i] + each.threads && each.items == items[i]);
        CHECK(lanes >= 32 * items[i] && lanes < 32 * items[i] + warps.threads &&
              warps.items == items[i]);
        CHECK(each.shared == 0 && warps.shared == 0 && warps.threads % 32 == 0);
    }
}

static void parts_do_not_overlap(void)
{
    static char memory[4096];
    const size_t bytes[] = {1, 256, 0, 257, 700};
    ct_gpu_cutter planned = {NULL, 0}, c = {memory, 0};
    char *part = memory;
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        char *next = (char *) ct_gpu_cut(&c, bytes[i]);
        CHECK(ct_gpu_cut(&planned, bytes[i]) == NULL);
        CHECK(next == part && (next - memory) % 256 == 0);
        CHECK(memory + c.used >= next + bytes[i] && c.used == planned.used);
        part = memory + c.used;
    }
}

static void devices_that_are_not_there(void)
{
    ct_gpu *gpu;
    CHECK_FAILS(ct_gpu_open(CT_DEVICE_MAX, &gpu, &reason), CT_NO_DEVICE);
    CHECK(gpu == NULL && reason.status == CT_NO_DEVICE);
    ct_gpu_close(NULL);
}

static const check_case cases[] = {
    {"functions on the twin", ON_TWIN(functions)},
    {"functions on every CUDA device", ON_EVERY_DEVICE(functions)},
    {"a twin that fails at every call in turn", twin_that_fails},
    {"CUDA that fails at every call in turn", cuda_that_fails},
    {"one of two CUDA devices", one_of_two_devices},
    {"memory that ends", memory_that_ends},
    {"grids", grids},
    {"parts do not overlap", parts_do_not_overlap},
    {"devices that are not there", devices_that_are_not_there},
};
CHECK_MAIN(cases)
