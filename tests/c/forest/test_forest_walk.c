/* Predictions of forests on a device against those of the CPU, bit for bit: always on the host
 * twin, and on every device there is, which may be the CPU with CUDA's runtime played
 * (cuda_on_cpu/). */
#include "check.h"
#include "forest/offload/image.h"
#include "forest/offload/pixel_grow.h"
#include "forest/offload/walk.h"
#include "forest_data.h"
#include "gpu/device.h"
#include "gpu/played.h"

static ct_gpu_choice device_at(int number)
{
    return (ct_gpu_choice){number < 0 ? CT_ON_TWIN : CT_ON_CUDA, number};
}

/* A forest, and new rows for it. */
typedef struct {
    forest_table grown, rows;
    ct_hist_forest forest;
} bench;

/* sets: codes of the columns are levels without an order. */
static int bench_open(bench *b, uint64_t seed, uint32_t n_rows, uint32_t n_classes, uint32_t trees,
                      uint32_t levels, uint32_t min_n, int sets)
{
    ct_hist_extra extra;
    ct_error error;
    b->grown = forest_table_new(seed, 400, 5, n_classes, levels, 0.1, CT_HIST_CODES);
    b->rows = forest_table_new(seed + 1000, n_rows, 5, n_classes, levels, seed % 2 ? 0.2 : 0,
                               CT_HIST_CODES);
    ct_hist_options o = forest_options(&b->grown, trees);
    o.mtry = 2;
    o.min_n = min_n;
    o.seed = seed;
    for (uint32_t col = 0; col < 5; col++) b->grown.codes->columns[col].is_set = sets && col % 2;
    int fine = CHECK_INT(ct_hist_grow(&b->grown.data, &o, &b->forest, &extra, &error), CT_OK);
    ct_hist_extra_free(&extra);
    return fine;
}

static void bench_close(bench *b)
{
    ct_hist_forest_free(&b->forest);
    forest_table_free(&b->grown);
    forest_table_free(&b->rows);
}

/* By one thread where ThreadSanitizer may look, see cuda_on_cpu/tsan.sh. */
static ct_status walk(const bench *b, const ct_gpu_choice *device, ct_hist_output what,
                      ct_gpu_used *used, void *out, ct_error *error)
{
    return ct_hist_predict_at(device, &b->forest, b->grown.codes->columns, b->rows.columns,
                              b->rows.n_rows, what, CUDA_ON_CPU() ? 1 : 2, NULL, out, used, error);
}

/* All outputs are those of the CPU. */
static void check_outputs(const bench *b, int number)
{
    static const ct_hist_output all[] = {CT_HIST_SHARES, CT_HIST_LEAVES, CT_HIST_TREES,
                                         CT_HIST_VOTES, CT_HIST_LABELS};
    const ct_gpu_choice device = device_at(number), cpu = {CT_ON_CPU, 0};
    for (int i = 0; i < (b->forest.n_classes ? 5 : 3); i++) {
        size_t bytes = ct_hist_output_bytes(&b->forest, b->rows.n_rows, all[i]);
        char *expected = (char *) malloc(bytes + 1), *got = (char *) malloc(bytes + 1);
        ct_gpu_used used;
        ct_error error = {CT_OK, ""};
        memset(got, 0x55, bytes + 1);
        CHECK_INT(walk(b, &cpu, all[i], &used, expected, &error), CT_OK);
        CHECK(!strcmp(used.name, "cpu") && !used.note[0]);
        CHECK_INT(walk(b, &device, all[i], &used, got, &error), CT_OK);
        if (error.status != CT_OK || used.note[0]) printf("    %s %s\n", error.message, used.note);
        CHECK(!strcmp(used.name, number < 0 ? "twin" : "cuda:0") || number > 0);
        CHECK(memcmp(expected, got, bytes) == 0);
        CHECK_INT(got[bytes], 0x55);
        free(expected), free(got);
    }
    CHECK_INT(blocks_left(number), 0);
}

static void check_one(int device, uint64_t seed, uint32_t n_rows, uint32_t n_classes,
                      uint32_t trees, uint32_t levels, uint32_t min_n, int sets)
{
    bench b;
    if (bench_open(&b, seed, n_rows, n_classes, trees, levels, min_n, sets))
        check_outputs(&b, device);
    bench_close(&b);
}

static void check_all(int device)
{
    check_one(device, 1, 700, 3, 7, 0, 6, 0);
    check_one(device, 2, 700, 2, 5, 40, 1, 0);
    check_one(device, 3, 300, 30, 4, 0, 20, 0);
    check_one(device, 4, 1, 3, 1, 0, 1000, 0); /* a tree that is a leaf */
    check_one(device, 5, 500, 0, 6, 0, 5, 0);
    check_one(device, 6, 65, 0, 9, 300, 5, 0);
    check_one(device, 7, 600, 3, 5, 4, 3, 1);
    check_one(device, 8, 600, 0, 5, 6, 5, 1);
    check_one(device, 9, 10000, 2, 2, 0, 50, 0); /* several chunks of rows */
}

static void on_twin(void) { check_all(TWIN); }

static void on_every_device(void)
{
    ct_device_list list;
    ct_device_query(&list);
    if (list.n_devices == 0) SKIP("no device");
    for (int i = 0; i < list.n_devices; i++) check_all(i);
}

/* The less memory, the fewer rows at a time; at last it is refused, by its numbers. */
static void little_memory(int number)
{
    bench b;
    const ct_gpu_choice device = device_at(number);
    ct_status status = CT_OK;
    uint32_t rounds = 0;
    if (!bench_open(&b, 11, 600, 3, 5, 0, 10, 0)) return;
    for (size_t limit = 64000; status == CT_OK; limit -= 4000) {
        int64_t out[600 * 3];
        ct_gpu_used used;
        ct_error error = {CT_OK, ""};
        set_memory(number, limit);
        status = walk(&b, &device, CT_HIST_SHARES, &used, out, &error);
        if (status == CT_OK && !used.note[0]) {
            check_outputs(&b, number);
            rounds++;
            continue;
        }
        const char *why = number == TWIN ? used.note : error.message;
        CHECK(strstr(why, "GB are free") != NULL);
        CHECK_INT(status, number == TWIN ? CT_OK : CT_NO_DEVICE);
        status = CT_NO_DEVICE;
    }
    CHECK(rounds > 3);
    set_memory(number, SIZE_MAX);
    bench_close(&b);
}

static void little_memory_on_twin(void) { little_memory(TWIN); }

static void little_memory_with_cuda(void)
{
    if (!CUDA_ON_CPU()) SKIP("no CUDA on the CPU");
    little_memory(0);
}

/* Whether the twin did it; the answer is that of the CPU in any case, and why not is told. */
static int twin_works(const bench *b, const int64_t *expected)
{
    int64_t got[300 * 3];
    const ct_gpu_choice device = device_at(TWIN);
    ct_gpu_used used;
    ct_error error = {CT_OK, ""};
    CHECK_INT(walk(b, &device, CT_HIST_SHARES, &used, got, &error), CT_OK);
    CHECK(memcmp(expected, got, sizeof got) == 0);
    CHECK_INT(blocks_left(TWIN), 0);
    int works = !strcmp(used.name, "twin");
    CHECK_INT(used.note[0] == '\0', works);
    return works;
}

static void twin_that_fails(void)
{
    bench b;
    int64_t expected[300 * 3];
    const ct_gpu_choice cpu = {CT_ON_CPU, 0};
    ct_gpu_used used;
    ct_error error;
    long n_calls = 1;
    if (!bench_open(&b, 12, 300, 3, 3, 0, 10, 0)) return;
    CHECK_INT(walk(&b, &cpu, CT_HIST_SHARES, &used, expected, &error), CT_OK);
    for (long k = 1; k <= n_calls; k++) {
        ct_gpu_twin_fail_at(k);
        if (!twin_works(&b, expected)) n_calls = k + 1;
    }
    ct_gpu_twin_fail_at(0);
    CHECK(n_calls > 12);
    bench_close(&b);
}

/* In each way that CUDA's calls have; some of them may fail without harm. */
static void cuda_that_fails(void)
{
    bench b;
    int64_t expected[300 * 3], got[300 * 3];
    const ct_gpu_choice cpu = {CT_ON_CPU, 0}, device = device_at(0);
    ct_gpu_used used;
    ct_error error;
    if (!CUDA_ON_CPU()) SKIP("no CUDA on the CPU");
    if (!bench_open(&b, 13, 300, 3, 3, 0, 10, 0)) return;
    CHECK_INT(walk(&b, &cpu, CT_HIST_SHARES, &used, expected, &error), CT_OK);
    cuda_on_cpu_fail_at(0, CUDA_CALL_FAILS);
    CHECK_INT(walk(&b, &device, CT_HIST_SHARES, &used, got, &error), CT_OK);
    const long n_calls = cuda_on_cpu_fail_at(0, CUDA_CALL_FAILS);
    CHECK(n_calls > 20);
    for (int failure = CUDA_CALL_FAILS; failure <= CUDA_KERNEL_FAILS; failure++) {
        long n_fine = 0;
        for (long k = 1; k <= n_calls; k++) {
            cuda_on_cpu_fail_at(k, (cuda_failure) failure);
            int fine = walk(&b, &device, CT_HIST_SHARES, &used, got, &error) == CT_OK;
            if (fine) CHECK(memcmp(expected, got, sizeof got) == 0);
            else CHECK(error.status == CT_NO_DEVICE && error.message[0]);
            n_fine += fine;
            CHECK_INT(blocks_left(0), 0);
        }
        CHECK(n_fine > 0 && n_fine < n_calls / 2); /* those of closing */
    }
    cuda_on_cpu_fail_at(0, CUDA_CALL_FAILS);
    bench_close(&b);
}

static void devices_that_are_not_there(void)
{
    bench b;
    int64_t expected[100 * 2], got[100 * 2];
    const ct_gpu_choice none = {CT_ON_CUDA, CT_DEVICE_MAX}, cpu = {CT_ON_CPU, 0},
                           any = {CT_ON_AUTO, 0};
    ct_gpu_used used;
    ct_error error = {CT_OK, ""};
    if (!bench_open(&b, 14, 100, 2, 3, 0, 1, 0)) return;
    CHECK_INT(walk(&b, &none, CT_HIST_SHARES, &used, got, &error), CT_NO_DEVICE);
    CHECK(error.message[0] != '\0');
    CHECK_INT(walk(&b, &cpu, CT_HIST_SHARES, &used, expected, &error), CT_OK);
    CHECK_INT(walk(&b, &any, CT_HIST_SHARES, &used, got, &error), CT_OK);
    CHECK(memcmp(expected, got, sizeof got) == 0);
    CHECK(!strcmp(used.name, "cpu") && !used.note[0]); /* so little does not pay */
    bench_close(&b);
}

/* ---- pixels ---- */

enum { HEIGHT = 43, WIDTH = 61, PIXELS = HEIGHT * WIDTH, CHANNELS = 2, CLASSES = 3 };

/* Two images with stripes of classes, and a forest of rectangles, or of the channels as such. */
typedef struct {
    double values[2][CHANNELS * PIXELS];
    int32_t whole[2][CHANNELS][PIXELS];
    int16_t labels[2][PIXELS];
    const int32_t *columns[CHANNELS][2];
    const int32_t *const *by_channel[CHANNELS];
    ct_pixel_shape shapes[2];
    ct_pixel_value_columns value_columns;
    ct_pixel_integrals integrals;
    ct_pixel_source source;
    ct_pixel_forest forest;
} scenes;

static void paint(scenes *s, uint64_t seed)
{
    rng r = {seed};
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t p = 0; p < PIXELS; p++) {
            uint32_t k = (p / HEIGHT / 5 + p % HEIGHT / 7) % CLASSES;
            s->labels[i][p] = (int16_t) (p % 13 == 5 ? -1 : (int) k);
            for (uint32_t c = 0; c < CHANNELS; c++) {
                double x = (double) rng_below(&r, 40) + 30 * ((p + c) % (k + 2) == 0) - 25;
                s->values[i][c * PIXELS + p] = x;
                s->whole[i][c][p] = (int32_t) x;
            }
        }
}

static ct_pixel_options pixel_options(uint64_t seed)
{
    return (ct_pixel_options){.policy = seed % 2 ? CT_PIXEL_RANDOM : CT_PIXEL_BEST,
                              .n_trees = 3,
                              .features = 20,
                              .bins = 16,
                              .depth = 7,
                              .min_n = 3,
                              .seed = seed,
                              .simd = ct_cpu_find("auto"),
                              .time_limit = 1e9};
}

static scenes *scenes_new(uint64_t seed, int columns)
{
    scenes *s = (scenes *) calloc(1, sizeof *s);
    const int16_t *labels[2] = {s->labels[0], s->labels[1]};
    ct_pixel images[2] = {{s->values[0], HEIGHT, WIDTH}, {s->values[1], HEIGHT, WIDTH}};
    ct_pixel_options o = pixel_options(seed);
    ct_pixel_end end;
    ct_error error;
    paint(s, seed);
    if (ct_pixel_integrals_init(&s->integrals, images, 2, CHANNELS, 4, 1, o.simd, &error)) abort();
    for (uint32_t c = 0; c < CHANNELS; c++) {
        for (uint32_t i = 0; i < 2; i++) s->columns[c][i] = s->whole[i][c];
        s->by_channel[c] = s->columns[c];
    }
    for (uint32_t i = 0; i < 2; i++) s->shapes[i] = (ct_pixel_shape){HEIGHT, WIDTH, HEIGHT};
    s->value_columns = (ct_pixel_value_columns){CHANNELS, 2, s->shapes, s->by_channel};
    s->source = columns ? ct_pixel_column_source(&s->value_columns)
        : ct_pixel_rectangle_source(&s->integrals);
    if (ct_pixel_grow(&s->source, labels, CLASSES, &o, &s->forest, &end, &error)) abort();
    return s;
}

static void scenes_free(scenes *s)
{
    ct_pixel_forest_free(&s->forest);
    ct_pixel_integrals_free(&s->integrals);
    free(s);
}

static ct_status walk_image(const scenes *s, const ct_gpu_choice *device, ct_pixel_output what,
                            ct_gpu_used *used, void *out, ct_error *error)
{
    return ct_pixel_predict_at(device, &s->forest, &s->source, 1, what, 1, NULL, out, used, error);
}

static void check_image(const scenes *s, int number)
{
    static const ct_pixel_output all[] = {CT_PIXEL_LEAVES, CT_PIXEL_VOTES, CT_PIXEL_SHARES,
                                          CT_PIXEL_LABELS};
    const ct_gpu_choice device = device_at(number), cpu = {CT_ON_CPU, 0};
    for (int i = 0; i < 4; i++) {
        static double expected[PIXELS * 4], got[PIXELS * 4];
        size_t bytes = ct_pixel_output_bytes(&s->forest, PIXELS, all[i]);
        ct_gpu_used used;
        ct_error error = {CT_OK, ""};
        memset(got, 0x55, sizeof got);
        CHECK_INT(walk_image(s, &cpu, all[i], &used, expected, &error), CT_OK);
        CHECK_INT(walk_image(s, &device, all[i], &used, got, &error), CT_OK);
        if (error.status != CT_OK || used.note[0]) printf("    %s %s\n", error.message, used.note);
        CHECK(!strcmp(used.name, number < 0 ? "twin" : "cuda:0") || number > 0);
        CHECK(memcmp(expected, got, bytes) == 0);
        CHECK_INT(((char *) got)[bytes], 0x55);
    }
    CHECK_INT(blocks_left(number), 0);
}

static void check_images(int number)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        scenes *s = scenes_new(seed, seed > 2);
        ct_pixel_tree *tree = &s->forest.trees[1], whole = *tree;
        CHECK(tree->depth > 3);
        check_image(s, number);
        const ct_pixel_node root = tree->nodes[0]; /* all pixels stay there */
        tree->depth = 0;
        tree->n_nodes = tree->n_leaves = 1;
        tree->nodes[0] = (ct_pixel_node){0, 0, 0, UINT32_MAX};
        check_image(s, number);
        *tree = whole;
        tree->nodes[0] = root;
        scenes_free(s);
    }
}

/* The less memory, the fewer pixels at a time; at last it is refused, by its numbers. */
static void images_in_little_memory(int number)
{
    static double expected[PIXELS * CLASSES], got[PIXELS * CLASSES];
    const ct_gpu_choice device = device_at(number), cpu = {CT_ON_CPU, 0};
    scenes *s = scenes_new(6, 1);
    ct_gpu_used used;
    ct_error error = {CT_OK, ""};
    uint32_t rounds = 0;
    CHECK_INT(walk_image(s, &cpu, CT_PIXEL_SHARES, &used, expected, &error), CT_OK);
    for (size_t limit = 200000;; limit -= 5000, rounds++) {
        set_memory(number, limit);
        if (walk_image(s, &device, CT_PIXEL_SHARES, &used, got, &error) != CT_OK || used.note[0])
            break;
        CHECK(memcmp(expected, got, sizeof got) == 0);
        CHECK_INT(blocks_left(number), 0);
    }
    CHECK(rounds > 8 && strstr(number == TWIN ? used.note : error.message, "GB are free"));
    set_memory(number, SIZE_MAX);
    scenes_free(s);
}

static void images_on_twin(void)
{
    check_images(TWIN);
    images_in_little_memory(TWIN);
}

static void images_on_every_device(void)
{
    ct_device_list list;
    ct_device_query(&list);
    if (list.n_devices == 0) SKIP("no device");
    for (int i = 0; i < list.n_devices; i++) check_images(i);
    if (CUDA_ON_CPU()) images_in_little_memory(0);
}

/* The twin fails at every call in turn, then has too little memory. */
static void images_of_a_twin_that_fails(void)
{
    static int32_t expected[PIXELS], got[PIXELS];
    const ct_gpu_choice device = device_at(TWIN), cpu = {CT_ON_CPU, 0};
    scenes *s = scenes_new(5, 0);
    ct_gpu_used used;
    ct_error error;
    long n_calls = 1;
    CHECK_INT(walk_image(s, &cpu, CT_PIXEL_LABELS, &used, expected, &error), CT_OK);
    for (long k = 1; k <= n_calls + 1; k++) {
        ct_gpu_twin_fail_at(k <= n_calls ? k : 0);
        if (k > n_calls) ct_gpu_twin_memory(10000);
        CHECK_INT(walk_image(s, &device, CT_PIXEL_LABELS, &used, got, &error), CT_OK);
        CHECK(memcmp(expected, got, sizeof got) == 0);
        CHECK_INT(blocks_left(TWIN), 0);
        if (strcmp(used.name, "twin")) CHECK(used.note[0] != '\0');
        if (k == n_calls && strcmp(used.name, "twin")) n_calls++;
    }
    CHECK(n_calls > 12 && strstr(used.note, "GB are free"));
    ct_gpu_twin_memory(SIZE_MAX);
    ct_gpu_twin_fail_at(0);
    scenes_free(s);
}

/* ---- pixels counted on a device ---- */

static int same_forests(const ct_pixel_forest *a, const ct_pixel_forest *b)
{
    int same = a->n_trees == b->n_trees;
    for (uint32_t i = 0; same && i < a->n_trees; i++) {
        const ct_pixel_tree *s = &a->trees[i], *t = &b->trees[i];
        same = s->n_nodes == t->n_nodes && s->n_leaves == t->n_leaves && s->depth == t->depth &&
               s->n_features == t->n_features &&
               !memcmp(s->nodes, t->nodes, s->n_nodes * sizeof *s->nodes) &&
               !memcmp(s->features, t->features, s->n_features * sizeof *s->features) &&
               !memcmp(s->counts, t->counts, s->n_leaves * CLASSES * sizeof *s->counts);
    }
    return same;
}

static ct_status grow_scenes(const scenes *s, const ct_gpu_choice *device,
                             const ct_pixel_options *o, ct_pixel_forest *forest,
                             ct_gpu_used *used)
{
    const int16_t *labels[2] = {s->labels[0], s->labels[1]};
    ct_pixel_end end;
    ct_error error;
    return ct_pixel_grow_at(device, &s->source, labels, CLASSES, o, forest, &end, used, &error);
}

/* The forest of the device is that of the CPU; returns whether the device did all of it. */
static int check_growth(const scenes *s, int number, const ct_pixel_options *o,
                        ct_gpu_used *used)
{
    const ct_gpu_choice device = device_at(number), cpu = {CT_ON_CPU, 0};
    ct_pixel_forest expected, got;
    ct_gpu_used cpus;
    CHECK_INT(grow_scenes(s, &cpu, o, &expected, &cpus), CT_OK);
    CHECK(!strcmp(cpus.name, "cpu"));
    if (!CHECK_INT(grow_scenes(s, &device, o, &got, used), CT_OK)) return 0;
    CHECK(same_forests(&expected, &got));
    CHECK_INT(blocks_left(number), 0);
    ct_pixel_forest_free(&expected);
    ct_pixel_forest_free(&got);
    return strcmp(used->name, "cpu") != 0;
}

/* Histograms of all leaves at once, in memory of a block and without, or of a few leaves; all
 * pixels, or some of each image. */
static void check_growths(int number)
{
    for (uint64_t seed = 1; seed <= (CHECK_QUICK() ? 4 : 24); seed++) {
        scenes *s = scenes_new(seed, seed / 2 % 2);
        ct_pixel_options o = pixel_options(seed + 100);
        ct_gpu_used used;
        o.bins = seed % 3 ? 16 : 256;
        o.cells = seed % 4 ? 0 : 1;
        o.pixels = seed % 5 ? 0 : 700;
        /* one where ThreadSanitizer may look, see cuda_on_cpu/tsan.sh */
        o.threads = CUDA_ON_CPU() ? 1 : 1 + (unsigned) (seed % 2);
        o.n_trees = 2;
        CHECK(check_growth(s, number, &o, &used));
        CHECK(used.note[0] == '\0');
        scenes_free(s);
    }
}

static void growths_on_twin(void) { check_growths(TWIN); }

static void growths_on_every_device(void)
{
    ct_device_list list;
    ct_device_query(&list);
    if (list.n_devices == 0) SKIP("no device");
    for (int i = 0; i < list.n_devices; i++) check_growths(i);
}

/* Wherever the twin fails, the CPU goes on from there. */
static void growths_of_a_twin_that_fails(void)
{
    scenes *s = scenes_new(7, 0);
    ct_pixel_options o = pixel_options(8);
    ct_gpu_used used;
    int whole = 0;
    long k = 1;
    o.depth = 3;
    for (; !whole && k < 1000; k++) {
        ct_gpu_twin_fail_at(k);
        whole = check_growth(s, TWIN, &o, &used);
        CHECK(whole == (used.note[0] == '\0'));
    }
    CHECK(k > 30);
    ct_gpu_twin_fail_at(0);
    ct_gpu_twin_memory(10000);
    CHECK(!check_growth(s, TWIN, &o, &used) && used.note[0] != '\0');
    ct_gpu_twin_memory(SIZE_MAX);
    scenes_free(s);
}

static const check_case cases[] = {
    {"all outputs on the twin", on_twin},
    {"all outputs on every CUDA device", on_every_device},
    {"a twin with little memory", little_memory_on_twin},
    {"a CUDA device with little memory", little_memory_with_cuda},
    {"a twin that fails at every call in turn", twin_that_fails},
    {"CUDA that fails at every call in turn", cuda_that_fails},
    {"devices that are not there", devices_that_are_not_there},
    {"images on the twin", images_on_twin},
    {"images on every CUDA device", images_on_every_device},
    {"images of a twin that fails at every call in turn", images_of_a_twin_that_fails},
    {"forests over pixels on the twin", growths_on_twin},
    {"forests over pixels on every CUDA device", growths_on_every_device},
    {"forests over pixels of a twin that fails in turn", growths_of_a_twin_that_fails},
};
CHECK_MAIN(cases)
