/* Ensembles on a device, and on its host twin: the interpreter's bits, with a device that fails at
 * any call, and with little memory. */
#include "base/memory.h"
#include "ensemble_rows.h"
#include "forge/offload/offload.h"
#include "forge/offload/placing.h"
#include "forge/pack.h"
#include "gpu/played.h"
#include "schedule_random.h"

enum { ROWS = 300 };

static any_ensemble drawn;

/* An ensemble made ready, rows, and what is to come out. */
typedef struct {
    ct_forged forged;
    any_table rows;
    double *expected, *got;
    size_t n; /* of numbers */
    int any_order;
} case_of;

static int begin(case_of *c, ct_rng *r, uint32_t n_rows, int integers)
{
    if (!CHECK_INT(ct_forge(&drawn.ensemble, &c->forged, NULL), CT_OK)) return 0;
    c->rows = new_table(r, &drawn, n_rows, integers);
    c->n = (size_t) n_rows * drawn.ensemble.n_outputs;
    c->expected = (double *) malloc(c->n * sizeof *c->expected);
    c->got = (double *) malloc(c->n * sizeof *c->got);
    interpret_table(&c->rows, &drawn, c->expected, NULL);
    return 1;
}

static void end(case_of *c)
{
    free(c->expected);
    free(c->got);
    free_table(&c->rows);
    ct_forged_free(&c->forged);
}

static int draw(case_of *c, uint32_t seed, uint32_t n_rows)
{
    ct_rng r = ct_rng_of(seed, 31, 0);
    any_shape s = any_shape_of(&r);
    s.linear = 0;
    if (ct_rng_below(&r, 2)) s.most_depth = ct_rng_below(&r, CT_FORGE_NETWORK_DEPTH + 1);
    any_draw(&r, &s, &drawn);
    c->any_order = s.sum == CT_FORGE_F64 && ct_rng_below(&r, 2);
    if (c->any_order) any_grid(&r, &drawn);
    return begin(c, &r, n_rows, s.sets > 0);
}

/* Many trees, so that they are added in parts where they may. */
static int draw_large(case_of *c, uint32_t n_rows, int any_order)
{
    const any_shape s = {ANY_TREES, 5, 1, 256, 0, 6, 3, 0, 2, 1, CT_FORGE_LESS_EQUAL, CT_FORGE_F32,
                         any_order ? CT_FORGE_F64 : CT_FORGE_F32, 0};
    ct_rng r = ct_rng_of(7, 8, 9);
    any_draw(&r, &s, &drawn);
    if (any_order) any_grid(&r, &drawn);
    c->any_order = any_order;
    return begin(c, &r, n_rows, 1);
}

static ct_status predict(case_of *c, ct_forged_device *device, uint32_t n_rows, ct_error *error)
{
    /* without OpenMP where ThreadSanitizer is to see all of it */
    const ct_forge_run run = {CT_FORGE_WAY_AUTO, CUDA_ON_CPU() ? 1 : 2, CT_SIMD_SCALAR, NULL, NULL,
                              0};
    memset(c->got, 0xa5, c->n * sizeof *c->got);
    return ct_forged_device_predict(device, c->rows.columns, n_rows, &run, c->got, error);
}

/* Whether the first n_rows rows are as they should be. */
static int is_right(const case_of *c, uint32_t n_rows)
{
    int same = 1;
    for (uint32_t k = 0; k < drawn.ensemble.n_outputs; k++)
        same = same && same_bits(c->got + (size_t) k * n_rows,
                                 c->expected + (size_t) k * c->rows.n_rows, n_rows);
    return same;
}

/* All rows, and fewer, each way that there is; the worst status. */
static ct_status each_way(case_of *c, int number, ct_error *error)
{
    for (int way = CT_FORGE_WAY_AUTO; way <= CT_FORGE_WAY_WALK; way++) {
        const uint32_t sizes[] = {c->rows.n_rows, 1, c->rows.n_rows / 3, 0, 32, c->rows.n_rows};
        ct_forged_device *device;
        if (way == CT_FORGE_WAY_PLANES &&
            (!c->forged.has_planes || c->forged.deepest > CT_FORGE_NETWORK_DEPTH))
            continue;
        ct_status status = ct_forged_device_open(&c->forged, number, (ct_forge_way) way,
                                                 c->any_order, &device, error);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes && status == CT_OK; i++) {
            if (sizes[i] > c->rows.n_rows) continue;
            status = predict(c, device, sizes[i], error);
            if (status == CT_OK && !CHECK(is_right(c, sizes[i])))
                printf("    way %d, %u rows\n", way, sizes[i]);
        }
        ct_forged_device_close(device);
        CT_TRY(status);
    }
    return CT_OK;
}

static void random_ensembles(int number)
{
    const uint32_t n = number == TWIN  ? CHECK_QUICK() ? 30 : 250
                       : CUDA_ON_CPU() ? 24
                       : CHECK_QUICK() ? 50
                                       : 250;
    for (uint32_t seed = 0; seed < n; seed++) {
        case_of c;
        ct_error error = {CT_OK, ""};
        int failed = check_state.failed;
        if (!draw(&c, seed, 1 + seed * 37 % ROWS)) return;
        if (!CHECK_INT(each_way(&c, number, &error), CT_OK)) printf("    %s\n", error.message);
        if (check_state.failed > failed) printf("    seed %u\n", seed);
        end(&c);
    }
    CHECK_INT(blocks_left(number), 0);
}

static void in_parts(int number)
{
    for (int any_order = 0; any_order < 2; any_order++) {
        case_of c;
        ct_error error = {CT_OK, ""};
        if (!draw_large(&c, 70, any_order)) return;
        if (!CHECK_INT(each_way(&c, number, &error), CT_OK)) printf("    %s\n", error.message);
        end(&c);
    }
}

/* ---- memory ---- */

/* So many bytes: many passes, or a refusal that says how much there is. */
static ct_status with_memory(case_of *c, int number, size_t bytes, int walks)
{
    ct_error error = {CT_OK, ""};
    ct_forged_device *device;
    set_memory(number, bytes);
    ct_status status = ct_forged_device_open(&c->forged, number, walks ? CT_FORGE_WAY_WALK
                                             : CT_FORGE_WAY_AUTO, c->any_order, &device, &error);
    for (int round = 0; round < 2 && status == CT_OK; round++) {
        status = predict(c, device, c->rows.n_rows, &error);
        if (status == CT_OK) CHECK(is_right(c, c->rows.n_rows));
        else CHECK_INT(round, 0); /* what there was memory for once, there is again */
    }
    if (status != CT_OK)
        CHECK(status == CT_NO_MEMORY ? strstr(error.message, "GB are free") != NULL
                                     : strstr(error.message, "memory") != NULL);
    ct_forged_device_close(device);
    return status;
}

static void little_memory(int number)
{
    case_of c;
    if (!draw_large(&c, CUDA_ON_CPU() ? 200 : 2100, 0)) return;
    for (int walks = 0; walks < 2; walks++) {
        int n_fine = 0, n_refused = 0;
        for (size_t bytes = 1000; bytes < (size_t) 8 << 20; bytes += bytes / 2)
            if (with_memory(&c, number, bytes, walks) == CT_OK) n_fine++;
            else n_refused++;
        CHECK(n_fine > 2 && n_refused > 2);
    }
    end(&c);
    set_memory(number, SIZE_MAX);
    CHECK_INT(blocks_left(number), 0);
}

/* ---- failures ---- */

/* Several passes; at every call in turn, the first beyond the last one that is made. */
static ct_status passes_on(case_of *c, int number)
{
    ct_error error = {CT_OK, ""};
    ct_forged_device *device;
    ct_status status = ct_forged_device_open(&c->forged, number, CT_FORGE_WAY_AUTO, c->any_order,
                                             &device, &error);
    if (status == CT_OK) status = predict(c, device, c->rows.n_rows, &error);
    if (status == CT_OK) CHECK(is_right(c, c->rows.n_rows));
    else CHECK(status == CT_NO_DEVICE && error.status == status && error.message[0]);
    ct_forged_device_close(device);
    return status;
}

static void twin_that_fails(void)
{
    long k = 1;
    case_of c;
    if (!draw(&c, 3, 200)) return;
    for (ct_gpu_twin_fail_at(k); passes_on(&c, TWIN) != CT_OK; ct_gpu_twin_fail_at(k)) k++;
    ct_gpu_twin_fail_at(0);
    CHECK(k > 15);
    CHECK_INT(ct_gpu_twin_blocks(), 0);
    end(&c);
}

/* Each allocation of the host in turn, alone and with all that follow. */
static void no_memory_of_the_host(void)
{
    case_of c;
    if (!draw(&c, 3, 100)) return;
    for (long count = 1; count < 1000000; count += 999998) {
        long after = 0, n_failed = 0;
        for (ct_status status = CT_NO_MEMORY; status != CT_OK; after++) {
            ct_error error = {CT_OK, ""};
            ct_forged_device *device;
            ct_alloc_fail_for(after, count);
            status = ct_forged_device_open(&c.forged, TWIN, CT_FORGE_WAY_AUTO, c.any_order, &device,
                                           &error);
            if (status == CT_OK) status = predict(&c, device, c.rows.n_rows, &error);
            ct_alloc_fail_for(-1, 0);
            if (status == CT_OK) CHECK(is_right(&c, c.rows.n_rows));
            else CHECK((status == CT_NO_MEMORY || status == CT_NO_DEVICE) && error.message[0]);
            n_failed += status != CT_OK;
            ct_forged_device_close(device);
            CHECK_INT(ct_gpu_twin_blocks(), 0);
        }
        CHECK(n_failed > 8);
    }
    end(&c);
}

static void cuda_that_fails(void)
{
    if (!CUDA_ON_CPU()) SKIP("no CUDA on the CPU");
    case_of c;
    if (!draw(&c, 3, 40)) return;
    cuda_on_cpu_fail_at(0, CUDA_CALL_FAILS);
    CHECK_INT(passes_on(&c, 0), CT_OK);
    const long n_calls = cuda_on_cpu_fail_at(0, CUDA_CALL_FAILS);
    for (int failure = CUDA_CALL_FAILS; failure <= CUDA_KERNEL_FAILS; failure++)
        for (long k = 1; k <= n_calls; k++) {
            cuda_on_cpu_fail_at(k, (cuda_failure) failure);
            passes_on(&c, 0);
            cuda_on_cpu_fail_at(0, CUDA_CALL_FAILS);
            CHECK_INT(cuda_on_cpu_left(), 0);
        }
    end(&c);
}

/* ---- what is asked ---- */

static void refusals(void)
{
    ct_error error = {CT_OK, ""};
    ct_forged_device *device;
    ct_forged f;
    any_shape s = {3, 3, 0, 256, 0, 3, 1, 0, 0, 0, CT_FORGE_LESS_EQUAL, CT_FORGE_F64, CT_FORGE_F64,
                   1};
    ct_rng r = ct_rng_of(5, 5, 5);
    any_draw(&r, &s, &drawn);
    REQUIRE(ct_forge(&drawn.ensemble, &f, NULL) == CT_OK);
    CHECK_INT(ct_forged_device_open(&f, TWIN, CT_FORGE_WAY_AUTO, 0, &device, &error), CT_BAD_INPUT);
    CHECK(strstr(error.message, "linear models") && !device);
    ct_forged_free(&f);
    s.linear = 0;
    s.most_depth = CT_FORGE_NETWORK_DEPTH + 4;
    s.most_leaves = 5000;
    do any_draw(&r, &s, &drawn), ct_forge(&drawn.ensemble, &f, NULL);
    while (f.deepest <= CT_FORGE_NETWORK_DEPTH && (ct_forged_free(&f), 1));
    CHECK_INT(ct_forged_device_open(&f, TWIN, CT_FORGE_WAY_PLANES, 0, &device, &error),
              CT_BAD_INPUT);
    CHECK(strstr(error.message, "8 splits") && !device);
    CHECK_INT(ct_forged_device_open(&f, CT_DEVICE_MAX, CT_FORGE_WAY_AUTO, 0, &device, &error),
              CT_NO_DEVICE);
    CHECK(error.message[0] && !device);
    ct_forged_device_close(NULL);
    ct_forged_free(&f);
}

/* More rows are for a device sooner or later, and sooner where it is open; threads are for the
 * CPU. */
static void placing(void)
{
    case_of c;
    for (int walks = 0; walks < 2; walks++) {
        const any_shape s = {walks ? 10 : 60, walks ? 14 : 6, 1, 1500, 0, 6, 1, 0, 0, 0,
                             CT_FORGE_LESS,
                             CT_FORGE_F32, CT_FORGE_F32, 0};
        ct_rng r = ct_rng_of(6, 6, 6);
        any_draw(&r, &s, &drawn);
        if (!begin(&c, &r, 1, 0)) return;
        uint32_t first[2] = {0, 0};
        for (int open = 0; open < 2; open++)
            for (uint32_t n = 1; n < 1u << 31 && !first[open]; n *= 2)
                if (ct_forged_pays(&c.forged, n, 2, open)) first[open] = n;
        CHECK(first[0] > 100000 && first[1] > 0 && first[1] < first[0]);
        CHECK(!ct_forged_pays(&c.forged, first[0], 20, 0));
        ct_forged_seconds few = ct_forged_estimate(&c.forged, 1000, 1, 1),
                          many = ct_forged_estimate(&c.forged, 1000000, 4, 1);
        CHECK(few.cpu > 0 && many.cpu > 100 * few.cpu && many.device > 10 * few.device);
        end(&c);
    }
    const any_shape linear = {3, 3, 0, 256, 0, 3, 1, 0, 0, 0, CT_FORGE_LESS_EQUAL, CT_FORGE_F64,
                              CT_FORGE_F64, 1};
    ct_rng r = ct_rng_of(5, 5, 5);
    any_draw(&r, &linear, &drawn);
    if (!begin(&c, &r, 1, 0)) return;
    CHECK(!ct_forged_pays(&c.forged, UINT32_MAX, 1, 1));
    end(&c);
}

static int enough(void *data) { return --*(int *) data < 0; }

static void interruptions(void)
{
    case_of c;
    ct_forged_device *device;
    if (!draw_large(&c, 500, 0)) return;
    REQUIRE(ct_forged_device_open(&c.forged, TWIN, CT_FORGE_WAY_AUTO, 0, &device, NULL) == CT_OK);
    int left = 0;
    ct_halt stop = {enough, &left, 0, 0};
    ct_forge_run run = {CT_FORGE_WAY_AUTO, 1, CT_SIMD_SCALAR, &stop, NULL, 0};
    memset(c.got, 0xa5, c.n * sizeof *c.got);
    CHECK_INT(ct_forged_device_predict(device, c.rows.columns, 500, &run, c.got, NULL), CT_OK);
    CHECK(((unsigned char *) c.got)[0] == 0xa5);
    CHECK(predict(&c, device, 500, NULL) == CT_OK && is_right(&c, 500));
    ct_forged_device_close(device);
    end(&c);
}

static void times(void)
{
    case_of c;
    ct_forged_device *device;
    double taken = -1;
    const ct_forge_run run = {CT_FORGE_WAY_AUTO, 1, CT_SIMD_SCALAR, NULL, NULL, 0};
    if (!draw_large(&c, 100, 0)) return;
    REQUIRE(ct_forged_device_open(&c.forged, TWIN, CT_FORGE_WAY_AUTO, 0, &device, NULL) == CT_OK);
    CHECK_INT(ct_forged_device_time(device, c.rows.columns, 100, &run, 1e-3, &taken, NULL), CT_OK);
    CHECK(taken > 0 && taken < 10);
    CHECK(predict(&c, device, 100, NULL) == CT_OK && is_right(&c, 100));
    ct_forged_device_close(device);
    end(&c);
}

static const check_case cases[] = {
    {"random ensembles on the twin", ON_TWIN(random_ensembles)},
    {"random ensembles on every CUDA device", ON_EVERY_DEVICE(random_ensembles)},
    {"trees in parts on the twin", ON_TWIN(in_parts)},
    {"trees in parts on a CUDA device", ON_A_DEVICE(in_parts)},
    {"little memory of the twin", ON_TWIN(little_memory)},
    {"little memory of a CUDA device", ON_PLAYED_CUDA(little_memory)},
    {"a twin that fails at every call in turn", twin_that_fails},
    {"a host without memory", no_memory_of_the_host},
    {"CUDA that fails at every call in turn", cuda_that_fails},
    {"what a device does not do", refusals},
    {"whether a device pays", placing},
    {"a run that is to end", interruptions},
    {"times", times},
};
CHECK_MAIN(cases)
