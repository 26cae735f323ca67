/* Whole solves with depth-two work on a device against the CPU alone: the same cost, proof and
 * tree. On the host twin, which takes all of this work, and on the devices that are there, one of
 * which may be the CPU with CUDA's runtime played (cuda_on_cpu/). */
#include "solve.h"

#include "gpu/played.h"
#include "base/clock.h"
#include "exact/offload/device.h"
#include "exact/offload/placing.h"

static void check_same(const ct_exact_result *a, const ct_exact_result *b)
{
    CHECK(a->cost == b->cost && a->bound == b->bound);
    CHECK(same_tree(&a->tree, &b->tree));
}

/* Solves twice and compares; returns how many thresholds went to the device. */
static uint64_t compare(const ct_data *data, ct_exact_options options, ct_exact_device_wish device,
                        const char *name)
{
    ct_exact_result cpu, other;
    options.device = CT_EXACT_DEVICE_CPU;
    if (!solve(data, &options, &cpu)) return 0;
    options.device = device;
    if (!solve(data, &options, &other)) return 0;
    CHECK(strcmp(cpu.device, "cpu") == 0 && strcmp(other.device, name) == 0);
    CHECK(other.device_note[0] == '\0');
    CHECK(other.end == cpu.end && other.capped == cpu.capped);
    check_same(&other, &cpu);
    CHECK(cpu.statistics.batches == 0 && cpu.statistics.device_thresholds == 0);
    return other.statistics.device_thresholds;
}

static random_table any_table(rng *r, uint32_t most_rows)
{
    uint32_t n_classes = rng_below(r, 3) ? 2 + rng_below(r, 3) : 2 + rng_below(r, 40);
    uint32_t n_rows = 2 + rng_below(r, most_rows), n_cols = 1 + rng_below(r, 6);
    return rng_below(r, 8) ? table_random(r, n_rows, n_cols, n_classes, (int) rng_below(r, 2))
                           : table_patchy(r, n_rows + 4);
}

static ct_exact_options any_options(rng *r)
{
    ct_exact_options options = ct_exact_options_default();
    options.depth = 2 + rng_below(r, 5) / 3 + rng_below(r, 6) / 5;
    options.complexity = rng_below(r, 3) ? 0 : 0.002 * rng_below(r, 20);
    options.min_bucket = rng_below(r, 3) ? 1 : 1 + rng_below(r, 12);
    options.min_split = rng_below(r, 4) ? 2 : 2 + rng_below(r, 30);
    options.max_thresholds = rng_below(r, 4) ? 0 : 1 + rng_below(r, 12);
    options.threads = 1 + rng_below(r, 2);
    options.team_after = rng_below(r, 2) ? 0 : 1e8;
    options.off = rng_below(r, 3) ? 0 : rng_next(r) & ((1u << CT_EXACT_N_SHORTCUTS) - 1);
    options.plane_budget = rng_below(r, 5) ? options.plane_budget : 0;
    return options;
}

static void random_solves(ct_exact_device_wish device, const char *name, int rounds)
{
    rng r = {1};
    uint64_t candidates = 0;
    for (int round = 0; round < rounds; round++) {
        ct_exact_options options = any_options(&r);
        random_table table = any_table(&r, options.depth < 3 ? 400 : options.depth < 4 ? 120 : 50);
        candidates += compare(&table.data, options, device, name);
    }
    /* without a wish for all of it, little tables may be left to the CPU */
    CHECK(device == CT_EXACT_DEVICE_CUDA || candidates > (uint64_t) rounds);
}

static void random_solves_of_twin(int device)
{
    random_solves(CT_EXACT_DEVICE_TWIN, "twin", CHECK_QUICK() ? 12 : 120);
}

static void random_solves_with_cuda(int device)
{
    random_solves(CT_DEVICE_ALL, "cuda:0", CHECK_QUICK() ? 15 : 400);
    if (!CHECK_QUICK()) random_solves(CT_EXACT_DEVICE_CUDA, "cuda:0", 400);
}

static void many_rows_on_twin(void)
{
    rng r = {2};
    const uint32_t n_classes[] = {2, 5};
    if (CHECK_QUICK()) SKIP("too long here");
    for (int i = 0; i < 2; i++) {
        ct_exact_options options = ct_exact_options_default();
        random_table table = table_random(&r, 20000, 5, n_classes[i], 0);
        options.depth = 2;
        CHECK(compare(&table.data, options, CT_EXACT_DEVICE_TWIN, "twin") > 0);
    }
}

/* One that no small tree is right about. */
static random_table hard_table(rng *r, uint32_t n_rows, uint32_t n_cols, uint32_t n_classes,
                               int ties)
{
    random_table table = table_random(r, n_rows, n_cols, n_classes, ties);
    for (uint32_t i = 0; i < n_rows; i += 3) table.classes[i] = (int32_t) rng_below(r, n_classes);
    return table;
}

/* All work that can be a device's. */
static ct_exact_device_wish wish_for(int device)
{
    return device == TWIN ? CT_EXACT_DEVICE_TWIN : CT_DEVICE_ALL;
}

/* Below a row set of depth three: what comes of it, and that the batches are those of many
 * problems. */
static void pools_of_problems(int device)
{
    const char *name = device == TWIN ? "twin" : "cuda:0";
    rng r = {8};
    for (int round = 0; round < (CHECK_QUICK() ? 2 : 12); round++) {
        ct_exact_options options = ct_exact_options_default();
        random_table table = hard_table(&r, 60 + rng_below(&r, 100), 4, 2 + rng_below(&r, 3),
                                        round % 2);
        ct_exact_result result;
        options.depth = 3 + (unsigned) (round % 5 == 4);
        options.threads = 1 + (unsigned) (round % 3 == 2);
        options.team_after = 0;
        options.min_bucket = round % 4 == 3 ? 9 : 1;
        options.memory_limit = round % 6 == 5 ? (size_t) 20 << 20 : options.memory_limit;
        if (options.depth > 3) options.max_thresholds = 12;
        CHECK(compare(&table.data, options, wish_for(device), name) > 0);
        options.device = wish_for(device);
        if (round == 0) {
            REQUIRE(solve(&table.data, &options, &result));
            CHECK(result.statistics.device_thresholds > 200 * result.statistics.batches);
        }
    }
}

static void stopped_in_the_middle(int device)
{
    rng r = {9};
    random_table table = hard_table(&r, 1000, 6, 3, 0);
    ct_exact_options options = ct_exact_options_default();
    options.depth = 3;
    options.device = wish_for(device);
    options.team_after = 0;
    for (int polls = 0; polls < (CHECK_QUICK() ? 1 : 4); polls++) {
        ct_exact_result result;
        options.threads = 1 + (unsigned) (polls & 1);
        REQUIRE(solve_stopped(&table.data, options, polls, 0, &result));
        CHECK((result.end == CT_END_INTERRUPT || options.threads > 1) &&
              result.bound <= result.cost);
        CHECK_INT(blocks_left(device), 0);
    }
}

/* A solve whose device fails gives what the CPU gives; with one thread, the note says why. */
static void check_failed(const ct_data *data, const ct_exact_options *options,
                         const ct_exact_result *cpu, const char *why)
{
    ct_exact_result result;
    REQUIRE(solve(data, options, &result));
    check_same(&result, cpu);
    CHECK(strstr(result.device_note, why) != NULL || options->threads > 1);
}

/* In each way that CUDA's calls have, at calls all over a search: the CPU goes on. */
static void cuda_that_fails_in_the_middle(void)
{
    rng r = {12};
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result cpu, other;
    if (!CUDA_ON_CPU()) SKIP("no CUDA on the CPU");
    random_table table = hard_table(&r, 80, 3, 2, 0);
    options.depth = 3;
    options.max_thresholds = 8;
    options.team_after = 0;
    REQUIRE(solve(&table.data, &options, &cpu));
    cuda_on_cpu_fail_at(0, CUDA_CALL_FAILS);
    options.device = CT_DEVICE_ALL;
    REQUIRE(solve(&table.data, &options, &other));
    const long n_calls = cuda_on_cpu_fail_at(0, CUDA_CALL_FAILS);
    for (int i = 0; i < 12; i++) {
        options.threads = 1 + (unsigned) (i & 1);
        cuda_on_cpu_fail_at(1 + i * n_calls / 14, (cuda_failure) (i % 3));
        check_failed(&table.data, &options, &cpu, "CUDA: ");
        CHECK_INT(cuda_on_cpu_left(), 0);
    }
    cuda_on_cpu_fail_at(0, CUDA_CALL_FAILS);
}

/* The twin fails at every call in turn: the CPU goes on, and nothing is lost. */
static void failures_in_the_middle(void)
{
    rng r = {3};
    ct_exact_options options = ct_exact_options_default();
    random_table table = table_random(&r, 90, 3, 3, 0);
    ct_exact_result cpu, other;
    options.depth = 3;
    options.team_after = 0;
    REQUIRE(solve(&table.data, &options, &cpu));
    ct_gpu_twin_fail_at(0);
    options.device = CT_EXACT_DEVICE_TWIN;
    REQUIRE(solve(&table.data, &options, &other));
    long n_calls = ct_gpu_twin_fail_at(0),
         step = CHECK_QUICK() ? 1 + n_calls / 5 : 1 + n_calls / 150;
    CHECK(n_calls > 100);
    for (long k = 1; k <= n_calls; k += step) {
        options.threads = 1 + (unsigned) (k & 1);
        ct_gpu_twin_fail_at(k);
        check_failed(&table.data, &options, &cpu, "the twin was told to fail");
        CHECK_INT(ct_gpu_twin_blocks(), 0);
    }
    ct_gpu_twin_fail_at(0);
}

/* The twin in place of a CUDA device, number -1: lost at any call, it is an error, whatever was
 * found by then. The model of costs places the work here, so the table is larger. */
static void failures_of_a_device_asked_for(void)
{
    if (CHECK_SLOW()) SKIP("too long here");
    rng r = {7};
    ct_exact_options options = ct_exact_options_default();
    random_table table = table_random(&r, 80000, 8, 2, 0);
    ct_exact_result result;
    options.depth = 2;
    options.device = CT_EXACT_DEVICE_CUDA;
    options.device_number = -1;
    ct_gpu_twin_fail_at(0);
    REQUIRE(solve(&table.data, &options, &result));
    CHECK(result.statistics.device_thresholds > 0);
    long n_calls = ct_gpu_twin_fail_at(0);
    for (long k = 1; k <= n_calls; k += CHECK_QUICK() ? n_calls : 1 + n_calls / 5) {
        ct_gpu_twin_fail_at(k);
        CHECK_FAILS(ct_exact_solve(&table.data, &options, &result, NULL, &reason), CT_NO_DEVICE);
        CHECK(strstr(reason.message, "the twin was told to fail") != NULL);
        CHECK_INT(ct_gpu_twin_blocks(), 0);
    }
    ct_gpu_twin_fail_at(0);
}

/* The same with a scheduler, in which the model of costs leaves sides of few rows to the CPU. */
static void failures_of_a_pool_asked_for(void)
{
    rng r = {10};
    ct_exact_options options = ct_exact_options_default();
    random_table table = hard_table(&r, 20000, 6, 4, 0);
    ct_exact_result cpu, other;
    options.depth = 3;
    options.max_thresholds = 12;
    if (CHECK_QUICK()) SKIP("too long here");
    REQUIRE(solve(&table.data, &options, &cpu));
    options.device = CT_EXACT_DEVICE_CUDA;
    options.device_number = -1;
    ct_gpu_twin_fail_at(0);
    REQUIRE(solve(&table.data, &options, &other));
    check_same(&other, &cpu);
    CHECK(other.statistics.device_thresholds > 0 &&
          other.statistics.device_thresholds < other.statistics.thresholds2 * 4 / 5);
    long n_calls = ct_gpu_twin_fail_at(0);
    for (long k = n_calls / 3; k <= n_calls; k += 1 + n_calls / 3) {
        ct_gpu_twin_fail_at(k);
        CHECK_FAILS(ct_exact_solve(&table.data, &options, &other, NULL, &reason), CT_NO_DEVICE);
        CHECK_INT(ct_gpu_twin_blocks(), 0);
    }
    ct_gpu_twin_fail_at(0);
}

/* Columns at a time, fewer queues than threads, and no device at all: the same tree. */
static void little_memory_on_the_device(void)
{
    rng r = {11};
    int kinds = 0;
    for (size_t limit = 900000; limit > 80000; limit = CHECK_QUICK() ? limit / 3 : limit * 7 / 8) {
        ct_exact_options options = ct_exact_options_default();
        random_table table = hard_table(&r, 400, 6, 2, 0);
        ct_exact_result cpu, other;
        options.depth = 2 + rng_below(&r, 2);
        options.threads = 1 + rng_below(&r, 3);
        options.team_after = 0;
        options.max_thresholds = options.depth > 2 ? 20 : 0;
        REQUIRE(solve(&table.data, &options, &cpu));
        options.device = CT_EXACT_DEVICE_TWIN;
        ct_gpu_twin_memory(limit);
        REQUIRE(solve(&table.data, &options, &other));
        check_same(&other, &cpu);
        int refused = strstr(other.device_note, "GB are free") != NULL;
        CHECK(strcmp(other.device, refused ? "cpu" : "twin") == 0 &&
              (!refused || other.statistics.batches == 0));
        CHECK(refused || options.threads > 1 || other.statistics.batches > 0);
        CHECK(refused || other.device_note[0] == '\0');
        kinds |= 1 << refused;
        CHECK_INT(ct_gpu_twin_blocks(), 0);
    }
    ct_gpu_twin_memory(SIZE_MAX);
    CHECK_INT(kinds, 3);
}

static void limits_hold(void)
{
    if (CHECK_SLOW()) SKIP("too long here");
    rng r = {4};
    random_table table = table_random(&r, 3000, 6, 3, 0);
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result result;
    int solved = 0, refused = 0;
    options.device = CT_EXACT_DEVICE_TWIN;
    options.time_limit = 0.05;
    ct_clock_step(CHECK_QUICK() ? 0.005 : 0.001);
    REQUIRE(solve(&table.data, &options, &result));
    CHECK(result.end == CT_END_TIME && result.bound <= result.cost);
    for (size_t limit = 100000; limit < 4000000;
         limit += CHECK_QUICK() ? limit : limit / 4) {
        options.time_limit = 0.01;
        options.memory_limit = limit;
        ct_status status = ct_exact_solve(&table.data, &options, &result, NULL, &reason);
        CHECK(status == CT_OK || status == CT_NO_MEMORY);
        *(status == CT_OK ? &solved : &refused) += 1;
        CHECK(status != CT_OK || result.bound <= result.cost);
        if (status == CT_OK) ct_exact_result_free(&result);
        CHECK_INT(ct_gpu_twin_blocks(), 0);
    }
    CHECK(solved && refused);
    ct_clock_step(0);
}

static void what_is_left_to_the_cpu(void)
{
    rng r = {5};
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result result;
    random_table table = table_random(&r, 60, 3, 3, 0);
    options.depth = 2;
    options.device = CT_EXACT_DEVICE_TWIN;
    table_add_weights(&table, &r);
    REQUIRE(solve(&table.data, &options, &result));
    CHECK(strcmp(result.device, "cpu") == 0 &&
          strstr(result.device_note, "do not all cost the same") != NULL);

    table = table_random(&r, 300, 2, CT_OFFLOAD_CLASSES + 1, 0);
    REQUIRE(solve(&table.data, &options, &result));
    CHECK(strcmp(result.device, "cpu") == 0 && strstr(result.device_note, "classes") != NULL);
}

static void devices_that_are_not_there(void)
{
    rng r = {6};
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result result;
    random_table table = table_random(&r, 60, 3, 3, 0);
    options.device = CT_EXACT_DEVICE_CUDA;
    options.device_number = CT_DEVICE_MAX;
    CHECK_FAILS(ct_exact_solve(&table.data, &options, &result, NULL, &reason), CT_NO_DEVICE);
    options.device = CT_EXACT_DEVICE_AUTO;
    REQUIRE(solve(&table.data, &options, &result));
    CHECK(strcmp(result.device, "cpu") == 0 && result.device_note[0] == '\0');
}

/* Small problems stay on the CPU, large ones do not; and what is larger is never less for the
 * device. */
static void placing(void)
{
    CHECK(!ct_pays_to_open(150, 4, 3, 3) && !ct_pays_to_open(150, 4, 3, 4));
    CHECK(!ct_pays_to_open(20000, 5, 2, 2) && !ct_pays_to_open(100000000, 20, 2, 1));
    CHECK(ct_pays_to_open(5000000, 20, 2, 2) && ct_pays_to_open(250000, 20, 2, 3));
    for (uint32_t n_cols = 1; n_cols <= 100; n_cols *= 10) {
        int paid = 0, opened = 0;
        for (uint32_t n = 2; n <= 20000000; n *= 2) {
            ct_placing p = ct_placing_of(n, n_cols, 2, 20000000);
            CHECK(p.device < p.cpu || !paid);
            CHECK(ct_pays_to_open(n, n_cols, 2, 3) || !opened);
            paid = p.device < p.cpu;
            opened = ct_pays_to_open(n, n_cols, 2, 3);
        }
        CHECK(opened || n_cols == 1);
    }
}

static const check_case cases[] = {
    {"random solves on the twin", ON_TWIN(random_solves_of_twin)},
    {"many rows on the twin", many_rows_on_twin},
    {"schedulers of many problems", ON_TWIN(pools_of_problems)},
    {"stopped in the middle", ON_TWIN(stopped_in_the_middle)},
    {"random solves with CUDA", ON_A_DEVICE(random_solves_with_cuda)},
    {"schedulers of many problems with CUDA", ON_A_DEVICE(pools_of_problems)},
    {"stopped in the middle with CUDA", ON_A_DEVICE(stopped_in_the_middle)},
    {"CUDA that fails in the middle", cuda_that_fails_in_the_middle},
    {"a twin that fails in the middle", failures_in_the_middle},
    {"a device that was asked for and fails", failures_of_a_device_asked_for},
    {"a scheduler that was asked for and fails", failures_of_a_pool_asked_for},
    {"little memory on the device", little_memory_on_the_device},
    {"limits hold with a device", limits_hold},
    {"where work is placed", placing},
    {"what is left to the CPU", what_is_left_to_the_cpu},
    {"devices that are not there", devices_that_are_not_there},
};
CHECK_MAIN(cases)
