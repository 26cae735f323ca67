/* Schedules as CUDA texts on a device: compiled by NVRTC, loaded and launched by CUDA's driver.
 * Where there is none, both are stand-ins that do so on the CPU (cuda_on_cpu/stand_ins.sh). The
 * interpreter's bits, with a driver that fails at any call, and with little memory. */
#include <dlfcn.h>
#include <unistd.h>

#include "base/memory.h"
#include "check.h"
#include "cuda_on_cpu/cuda_on_cpu.h"
#include "ensemble_rows.h"
#include "forge/offload/offload.h"
#include "schedule_random.h"

enum { SOME_ROWS = 90 };

/* ThreadSanitizer does not follow the contexts of the played runtime. */
#ifdef __has_feature
#define TSAN() __has_feature(thread_sanitizer)
#else
#define TSAN() 0
#endif

static any_ensemble drawn;

/* A forest, rows, and what is to come out. */
static struct {
    ct_forged forged;
    any_table rows;
    double expected[SOME_ROWS * ANY_OUTPUTS], got[SOME_ROWS * ANY_OUTPUTS];
    ct_forge_scheduled scheduled;
} now;

/* ---- the driver ---- */

/* What the stand-in is told; ISO C knows no pointer that is both an object's and a function's. */
typedef union {
    void *as_object;
    long (*fail_at)(long, cuda_failure);
    void (*memory)(size_t);
    long (*left)(void);
    int (*contexts_left)(void);
} told;

static struct {
    int looked, real, ready;
    told fail_at, memory, left, contexts_left;
} driver;

static told find(void *library, const char *name)
{
    told found;
    found.as_object = dlsym(library, name);
    CHECK(found.as_object != NULL);
    return found;
}

static void load_stand_ins(void)
{
    char folder[] = "/tmp/contree-XXXXXX", line[200];
    if (!mkdtemp(folder)) return;
    snprintf(line, sizeof line, "sh cuda_on_cpu/stand_ins.sh %s", folder);
    if (!CHECK(system(line) == 0)) return;
    snprintf(line, sizeof line, "%s/libcuda.so.1", folder);
    void *library = dlopen(line, RTLD_NOW | RTLD_LOCAL);
    snprintf(line, sizeof line, "%s/libnvrtc.so", folder);
    driver.ready = library && CHECK(dlopen(line, RTLD_NOW | RTLD_LOCAL) != NULL);
    if (!driver.ready) return;
    driver.fail_at = find(library, "cuda_on_cpu_fail_at");
    driver.memory = find(library, "cuda_on_cpu_memory");
    driver.left = find(library, "cuda_on_cpu_left");
    driver.contexts_left = find(library, "driver_on_cpu_left");
}

/* NVIDIA's, or else the stand-in: loaded once, it is the one of that name. */
static int has_driver(void)
{
    if (driver.looked) return driver.ready;
    driver.looked = 1;
    driver.real = driver.ready = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL) != NULL;
    if (!driver.real && !TSAN() && !CHECK_SLOW()) load_stand_ins();
    return driver.ready;
}

static int has_stand_in(void) { return has_driver() && !driver.real; }

static void check_nothing_left(void)
{
    if (driver.real) return;
    CHECK_INT(driver.left.left(), 0);
    CHECK_INT(driver.contexts_left.contexts_left(), 0);
}

/* ---- cases ---- */

static int begin(ct_rng *r, uint32_t n_rows)
{
    if (!CHECK_INT(ct_forge(&drawn.ensemble, &now.forged, NULL), CT_OK)) return 0;
    now.rows = new_table(r, &drawn, n_rows, 1);
    interpret_table(&now.rows, &drawn, now.expected, NULL);
    return 1;
}

static void end(void)
{
    free_table(&now.rows);
    ct_forged_free(&now.forged);
}

/* A forest and a schedule of it for a GPU; 0: the seed gives none. */
static int draw(uint32_t seed)
{
    ct_rng r = ct_rng_of(seed, 41, 0);
    ct_forge_nest nest;
    ct_forge_text text = {NULL, 0, 0, 0};
    const int any_order = ct_rng_below(&r, 3) > 0;
    any_forest(&r, &drawn, any_order);
    if (!begin(&r, 1 + ct_rng_below(&r, SOME_ROWS))) return 0;
    any_schedule(&r, ct_forge_shape_of(&now.forged, any_order, &now.forged.arena), &nest);
    ct_forge_nest_print(&nest, &text);
    int made = ct_forge_scheduled_new(&now.forged, text.at, any_order, &now.forged.arena,
                                      &now.scheduled, NULL) == CT_OK;
    ct_forge_text_free(&text);
    if (made && now.scheduled.ir->on_gpu) return 1;
    end();
    return 0;
}

/* One of many rows a block, with all that a text can have: a cache, sums in shared memory. */
static int draw_kept(uint32_t n_rows, ct_forge_number number)
{
    static const char text[] =
        "schedule 1\ntile(batch, b0, b1, 64)\ntile(tree, t0, t1, 4)\nreorder(b0, b1, t1, t0)\n"
        "gpuDimension(b0, grid.x)\ngpuDimension(b1, block.x)\ngpuDimension(t1, block.y)\n"
        "cache(b0)\nsharedReduce(t1)\n";
    const any_shape s = {7, 4, 2, 64, 0, 5, 2, 0, 3, 1, CT_FORGE_LESS, number, CT_FORGE_F64, 0};
    ct_rng r = ct_rng_of(1, 42, 0);
    any_draw(&r, &s, &drawn);
    any_grid(&r, &drawn);
    return begin(&r, n_rows) && CHECK_INT(ct_forge_scheduled_new(&now.forged, text, 1,
                                                                 &now.forged.arena,
                                                                 &now.scheduled, NULL), CT_OK);
}

static ct_status predict(ct_forged_device *device, ct_error *error)
{
    const ct_forge_run run = {CT_FORGE_WAY_AUTO, 1, CT_SIMD_SCALAR, NULL, NULL, 0};
    memset(now.got, 0xa5, sizeof now.got);
    ct_status status = ct_forged_device_predict(device, now.rows.columns, now.rows.n_rows, &run,
                                                now.got, error);
    if (status == CT_OK)
        CHECK(same_bits(now.got, now.expected,
                        (size_t) now.rows.n_rows * drawn.ensemble.n_outputs));
    return status;
}

/* Opened, asked twice, closed. */
static ct_status device_says(ct_error *error)
{
    ct_forged_device *device;
    ct_status status = ct_forged_device_open_text(&now.scheduled, 0, &device, error);
    CHECK((status == CT_OK) == (device != NULL));
    for (int i = 0; i < 2 && status == CT_OK; i++) status = predict(device, error);
    ct_forged_device_close(device);
    return status;
}

static void random_schedules(void)
{
    uint32_t wanted = CHECK_QUICK() ? 3 : 12;
    if (!has_driver()) SKIP("no driver, and no stand-in for one");
    for (uint32_t seed = 0; seed < 1000 && wanted; seed++) {
        ct_error error = {CT_OK, ""};
        int failed = check_state.failed;
        if (!draw(seed)) continue;
        if (!CHECK_INT(device_says(&error), CT_OK)) printf("    %s\n", error.message);
        if (check_state.failed > failed) printf("    seed %u\n", seed);
        end();
        wanted--;
    }
    CHECK_INT(wanted, 0);
    check_nothing_left();
}

/* At every call in turn; those of closing may fail without harm. */
static void driver_that_fails(void)
{
    if (!has_stand_in()) SKIP("no stand-in for a driver");
    if (!draw_kept(70, CT_FORGE_F32)) return;
    ct_error error = {CT_OK, ""};
    CHECK_INT(device_says(&error), CT_OK); /* it is compiled once */
    driver.fail_at.fail_at(0, CUDA_CALL_FAILS);
    CHECK_INT(device_says(&error), CT_OK);
    const long n_calls = driver.fail_at.fail_at(0, CUDA_CALL_FAILS);
    long n_failed = 0;
    for (int failure = CUDA_CALL_FAILS; failure <= CUDA_KERNEL_FAILS; failure++)
        for (long k = 1; k <= n_calls; k++) {
            driver.fail_at.fail_at(k, (cuda_failure) failure);
            error = (ct_error){CT_OK, ""};
            ct_status status = device_says(&error);
            if (status != CT_OK)
                CHECK(status == CT_NO_DEVICE && error.status == status && error.message[0]);
            n_failed += status != CT_OK;
            driver.fail_at.fail_at(0, CUDA_CALL_FAILS);
            check_nothing_left();
        }
    CHECK(n_failed > n_calls);
    end();
}

/* Each allocation of the host in turn. */
static void no_memory_of_the_host(void)
{
    long n_failed = 0;
    if (!has_stand_in()) SKIP("no stand-in for a driver");
    if (!draw_kept(70, CT_FORGE_F32)) return;
    for (ct_status status = CT_NO_MEMORY; status != CT_OK && n_failed < 10000;) {
        ct_error error = {CT_OK, ""};
        ct_alloc_fail_after(n_failed);
        status = device_says(&error);
        ct_alloc_fail_after(-1);
        if (status != CT_OK)
            CHECK((status == CT_NO_MEMORY || status == CT_NO_DEVICE) && error.message[0]);
        n_failed += status != CT_OK;
        check_nothing_left();
    }
    CHECK(n_failed > 5 && n_failed < 10000);
    end();
}

static void little_memory(void)
{
    int n_fine = 0, n_refused = 0;
    if (!has_stand_in()) SKIP("no stand-in for a driver");
    if (!draw_kept(90, CT_FORGE_F64)) return;
    for (size_t bytes = 1000; bytes < (size_t) 1 << 20; bytes += bytes / 8) {
        ct_error error = {CT_OK, ""};
        driver.memory.memory(bytes);
        if (device_says(&error) == CT_OK) n_fine++;
        else n_refused += strstr(error.message, "GB are free") != NULL;
    }
    driver.memory.memory(SIZE_MAX);
    CHECK(n_fine > 5 && n_refused > 5);
    check_nothing_left();
    end();
}

static void refusals(void)
{
    ct_error error = {CT_OK, ""};
    ct_forged_device *device;
    ct_forge_scheduled on_cpu;
    if (!has_driver()) SKIP("no driver, and no stand-in for one");
    if (!draw_kept(10, CT_FORGE_F64)) return;
    CHECK_INT(ct_forged_device_open_text(&now.scheduled, 999, &device, &error), CT_NO_DEVICE);
    CHECK(strstr(error.message, "no CUDA device 999") && !device);
    REQUIRE(ct_forge_scheduled_new(&now.forged, "schedule 1\nparallel(batch)\n", 0,
                                   &now.forged.arena, &on_cpu, NULL) == CT_OK);
    CHECK_INT(ct_forged_device_open_text(&on_cpu, 0, &device, &error), CT_BAD_INPUT);
    CHECK(strstr(error.message, "no loop of the schedule") && !device);
    end();
}

/* It takes PTX then. */
static void compiler_that_is_older(void)
{
    ct_error error = {CT_OK, ""};
    if (!has_stand_in()) SKIP("no stand-in for a driver");
    if (!draw_kept(10, CT_FORGE_F64)) return;
    setenv("NVRTC_ON_CPU_KNOWS", "compute_75", 1);
    CHECK_INT(device_says(&error), CT_OK);
    setenv("NVRTC_ON_CPU_KNOWS", "compute_30", 1);
    CHECK_INT(device_says(&error), CT_BAD_INPUT);
    CHECK(strstr(error.message, "NVRTC: invalid architecture") != NULL);
    unsetenv("NVRTC_ON_CPU_KNOWS");
    end();
}

static void times(void)
{
    ct_error error = {CT_OK, ""};
    ct_forged_device *device;
    double taken = -1;
    const ct_forge_run run = {CT_FORGE_WAY_AUTO, 1, CT_SIMD_SCALAR, NULL, NULL, 0};
    if (!has_driver()) SKIP("no driver, and no stand-in for one");
    if (!draw_kept(50, CT_FORGE_F64)) return;
    REQUIRE(ct_forged_device_open_text(&now.scheduled, 0, &device, &error) == CT_OK);
    CHECK_INT(ct_forged_device_time(device, now.rows.columns, 50, &run, 1e-3, &taken, &error),
              CT_OK);
    CHECK(taken > 0 && taken < 60);
    CHECK_INT(predict(device, &error), CT_OK);
    ct_forged_device_close(device);
    end();
}

static const check_case cases[] = {
    {"random schedules by CUDA's driver", random_schedules},
    {"CUDA's driver fails at every call in turn", driver_that_fails},
    {"a host without memory for CUDA's driver", no_memory_of_the_host},
    {"little memory of CUDA's driver", little_memory},
    {"what CUDA's driver is not asked for", refusals},
    {"NVRTC that does not know the CUDA device", compiler_that_is_older},
    {"times by CUDA's driver", times},
};
CHECK_MAIN(cases)
