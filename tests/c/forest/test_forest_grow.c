/* Forests grown on a device against those of the CPU, bit for bit: always on the host twin, and on
 * every device there is, which may be the CPU with CUDA's runtime played (cuda_on_cpu/). */
#include "check.h"
#include "base/clock.h"
#include "forest/offload/cost.h"
#include "forest/offload/grow.h"
#include "forest/offload/kernels.h"
#include "forest/scan/scan.h"
#include "forest_data.h"
#include "gpu/device.h"
#include "gpu/played.h"

static ct_gpu_choice device_at(int number)
{
    return (ct_gpu_choice){number < 0 ? CT_ON_TWIN : CT_ON_CUDA, number};
}

typedef struct {
    ct_hist_forest forest;
    ct_hist_extra extra;
    ct_gpu_used used;
} grown;

static ct_status grow(const forest_table *t, const ct_hist_options *o,
                      const ct_gpu_choice *device, grown *g, ct_error *error)
{
    return ct_hist_grow_at(device, &t->data, o, &g->forest, &g->extra, &g->used, error);
}

static void grown_free(grown *g)
{
    ct_hist_forest_free(&g->forest);
    ct_hist_extra_free(&g->extra);
}

/* The first node that differs, for people. */
static void show_difference(const ct_hist_forest *a, const ct_hist_forest *b)
{
    for (uint32_t i = 0; i < a->n_trees && i < b->n_trees; i++) {
        const ct_hist_tree *x = &a->trees[i], *y = &b->trees[i];
        for (uint32_t k = 0; k < x->n_nodes && k < y->n_nodes; k++) {
            if (!memcmp(&x->nodes[k], &y->nodes[k], sizeof x->nodes[k])) continue;
            printf("    tree %u, node %u of %u: %x %u %u; of %u: %x %u %u\n", i, k, x->n_nodes,
                   x->nodes[k].next, x->nodes[k].feature, x->nodes[k].cut, y->n_nodes,
                   y->nodes[k].next, y->nodes[k].feature, y->nodes[k].cut);
            return;
        }
    }
}

static void check_same(const forest_table *t, const ct_hist_options *o, const grown *a,
                       const grown *b)
{
    const size_t cells = (size_t) t->n_rows * (t->n_classes ? t->n_classes : 1);
    CHECK_INT(a->forest.n_trees, b->forest.n_trees);
    if (!CHECK(hist_hash(&a->forest) == hist_hash(&b->forest)))
        show_difference(&a->forest, &b->forest);
    for (uint32_t i = 0; i < a->forest.n_trees && i < b->forest.n_trees; i++)
        CHECK_INT(b->forest.trees[i].depth, a->forest.trees[i].depth);
    CHECK(!memcmp(a->extra.gains, b->extra.gains, t->n_cols * sizeof(int64_t)));
    CHECK(a->extra.gain_unit == b->extra.gain_unit && a->extra.centre == b->extra.centre);
    if (o->oob) {
        CHECK(!memcmp(a->extra.oob_sums, b->extra.oob_sums, cells * sizeof(int64_t)));
        CHECK(!memcmp(a->extra.oob_trees, b->extra.oob_trees, t->n_rows * sizeof(uint32_t)));
    }
    if (o->permutation)
        CHECK(!memcmp(a->extra.harm, b->extra.harm, t->n_cols * sizeof(int64_t)));
    CHECK_INT(a->extra.end, b->extra.end);
}

/* Grows on the CPU and on the device. */
static void check_forest(const forest_table *t, const ct_hist_options *o, int number)
{
    grown a, b;
    ct_error error = {CT_OK, ""};
    const ct_gpu_choice cpu = {CT_ON_CPU, 0}, device = device_at(number);
    CHECK_INT(grow(t, o, &cpu, &a, &error), CT_OK);
    CHECK_INT(grow(t, o, &device, &b, &error), CT_OK);
    if (error.status != CT_OK || b.used.note[0]) printf("    %s %s\n", error.message, b.used.note);
    CHECK(!strcmp(b.used.name, number < 0 ? "twin" : "cuda:0") || number > 0);
    if (b.forest.trees) check_same(t, o, &a, &b);
    grown_free(&a);
    grown_free(&b);
    CHECK_INT(blocks_left(number), 0);
}

/* Each thread of a block is a context of the CPU's. */
static int is_slow(int device) { return CUDA_ON_CPU() && device != TWIN; }

/* By one thread where ThreadSanitizer may look, see cuda_on_cpu/tsan.sh. */
static ct_hist_options options_of(const forest_table *t, uint32_t trees, uint32_t mtry)
{
    ct_hist_options o = forest_options(t, trees);
    o.mtry = mtry;
    o.threads = CUDA_ON_CPU() ? 1 : 2;
    o.oob = o.permutation = 1;
    return o;
}

/* Tables of few and of many rows, classes and levels, with missing values. */
static void check_tables(int device)
{
    static const struct {
        uint32_t n_rows, n_cols, n_classes, levels;
        double missing;
        uint32_t mtry, min_n, trees;
    } cases[] = {
        {40, 3, 2, 0, 0, 2, 1, 5},       {60, 4, 3, 6, 0.2, 2, 1, 4},
        {300, 5, 2, 0, 0, 2, 1, 3},      {400, 5, 4, 30, 0.1, 3, 4, 3},
        {700, 12, 3, 0, 0.1, 11, 1, 2},  {900, 4, 30, 0, 0, 2, 2, 2},
        {2500, 4, 2, 0, 0.1, 2, 20, 2},  {2600, 3, 5, 200, 0, 2, 30, 2},
        {120, 4, 0, 0, 0.1, 2, 5, 4},    {1500, 4, 0, 40, 0.1, 2, 5, 2},
        {3000, 3, 0, 0, 0, 2, 50, 2},    {5000, 3, 2, 0, 0.05, 2, 300, 1},
        {1, 1, 2, 0, 0, 1, 1, 2},        {2000, 3, 200, 0, 0, 2, 10, 1},
        {900, 3, 70, 0, 0, 2, 10, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (is_slow(device) && cases[i].n_rows > 600 && i % 3 != 2) continue;
        forest_table t = forest_table_new(i, cases[i].n_rows, cases[i].n_cols, cases[i].n_classes,
                                          cases[i].levels, cases[i].missing, CT_HIST_CODES);
        ct_hist_options o = options_of(&t, cases[i].trees, cases[i].mtry);
        o.min_n = cases[i].min_n;
        o.first_tree = (uint32_t) i;
        check_forest(&t, &o, device);
        if (CHECK_FIRST() || check_state.failed) printf("    table %u\n", (unsigned) i);
        forest_table_free(&t);
    }
}

/* Numbers that are rather far from each other: their quantised ones have up to 31 bits. */
static void check_far_numbers(int device)
{
    for (uint32_t kind = 0; kind < 3; kind++) {
        if (is_slow(device) && kind) continue;
        forest_table t = forest_table_new(kind, kind ? 2500 : 400, 4, 0, 0, 0.1, CT_HIST_CODES);
        ct_hist_options o = options_of(&t, 2, 2);
        o.min_n = 5;
        o.rule = kind == 2 ? CT_SPLIT_RANDOM : CT_SPLIT_GINI;
        for (uint32_t i = 0; i < t.n_rows; i += 9) t.numbers[i] *= 20;
        check_forest(&t, &o, device);
        forest_table_free(&t);
    }
}

/* Rules, levels without an order, pools, samples of all kinds. */
static void check_settings(int device)
{
    static const ct_forest_split_rule rules[] = {CT_SPLIT_GINI, CT_SPLIT_ENTROPY, CT_SPLIT_ERROR,
                                                 CT_SPLIT_RANDOM};
    for (uint32_t kind = 0; kind < 24; kind++) {
        const uint32_t n_classes = kind % 6 == 5 ? 0 : 2 + kind % 3;
        const int sets = kind % 4 == 1 || kind % 8 == 7;
        if (is_slow(device) && (kind % 5 == 4 || kind % 8 == 6)) continue;
        const uint32_t n_rows = kind % 8 == 7 || kind % 2 == 0 ? 1300 : 250;
        forest_table t = forest_table_new(100 + kind, n_rows, 6, n_classes,
                                          sets ? 5 : kind % 3 ? 0 : 25, kind % 4 ? 0.1 : 0,
                                          kind % 7 ? CT_HIST_CODES : 40);
        ct_hist_options o = options_of(&t, 2, 4);
        double *weights = (double *) malloc(t.n_rows * sizeof *weights);
        o.rule = n_classes || kind % 4 == 3 ? rules[kind % 4] : CT_SPLIT_GINI;
        o.seed = 1000 + kind;
        o.min_n = 1 + kind % 4 * 3;
        o.pool_by_level = kind % 5 == 2;
        if (kind % 6 == 2) o.depth = kind / 6 + 1;
        if (kind % 8 == 3) o.replace = 0, o.sample = t.n_rows * 2 / 3;
        if (kind % 8 == 6) o.sample = t.n_rows * 3;
        for (uint32_t i = 0; i < t.n_rows; i++) weights[i] = i % 7 ? 1 + i % 3 : 0;
        if (kind % 8 == 5) t.data.sampling = weights;
        for (uint32_t col = 0; col < 6; col++) t.codes->columns[col].is_set = sets && col % 3 != 1;
        check_forest(&t, &o, device);
        if (CHECK_FIRST() || check_state.failed) printf("    kind %u\n", kind);
        free(weights);
        forest_table_free(&t);
    }
}

/* More candidates than are looked at together, some of them sets, which then come first. */
static void check_groups(int device)
{
    for (uint32_t kind = 0; kind < 3; kind++) {
        const uint32_t n_rows = kind == 1 ? 60 : is_slow(device) ? 600 : 900;
        forest_table t = forest_table_new(200 + kind, n_rows, 14, kind == 2 ? 0 : 2, 4, 0.1,
                                          CT_HIST_CODES);
        ct_hist_options o = options_of(&t, 2, 13);
        o.min_n = 20;
        for (uint32_t col = 0; col < 14; col++) t.codes->columns[col].is_set = col % 3 == 0;
        check_forest(&t, &o, device);
        forest_table_free(&t);
    }
}

/* Scores differ in form with the number of classes and the weight of a node, and searches with the
 * number of its rows. */
static void check_weights(int device)
{
    static const uint32_t classes[] = {2, 3, 7, 0}, rows[] = {500, 900, 2900},
                          drawn[] = {500, 6000, 40000};
    for (uint32_t kind = 0; kind < 72; kind++) {
        const uint32_t n_rows = rows[kind / 4 % 3], sample = drawn[kind / 12 % 3];
        if (is_slow(device) && (n_rows > 600 || kind % 4 > 1)) continue;
        forest_table t = forest_table_new(300 + kind, n_rows, 4, classes[kind % 4],
                                          kind % 5 ? 0 : 100, kind < 36 ? 0 : 0.1, CT_HIST_CODES);
        ct_hist_options o = options_of(&t, 1, 3);
        o.sample = sample < n_rows ? n_rows : sample;
        o.min_n = o.sample / 100;
        o.seed = kind;
        check_forest(&t, &o, device);
        if (CHECK_FIRST() || check_state.failed) printf("    kind %u\n", kind);
        forest_table_free(&t);
    }
}

/* Trees seldom show how a score is rounded. */
static void scores_of_cuts(void)
{
    static const uint32_t sizes[] = {300, 4095, 4096, 32767, 32768, 1 << 20}, classes[] = {2, 3, 7};
    static uint32_t cells[7 * CT_HISTOGRAM_STRIDE];
    rng r = {306};
    for (uint32_t i = 0; i < 1800; i++) {
        const uint32_t weight = sizes[i % 6], n_runs = classes[i / 6 % 3],
                       width = ct_bin_width(weight, 1), by = ct_has_pairs(weight) ? 2 : 1;
        uint32_t totals[8] = {0}, rest = weight;
        ct_tally_node node = {ct_tally_kind_of(CT_SCORE_SQUARES, n_runs, weight), weight,
                              {0, 0}, 0, NULL};
        ct_tally t;
        ct_bin_cut cut;
        for (uint32_t k = 0; k < n_runs; rest -= totals[k++])
            totals[k] = k + 1 < n_runs ? rng_below(&r, rest / 2 + 1) : rest;
        node.pair[0] = totals[0], node.pair[1] = totals[1];
        memset(cells, 0, sizeof cells);
        ct_tally_begin(&t);
        for (uint32_t k = 0; k < n_runs; k++) {
            const uint32_t left = rng_below(&r, totals[k] + 1);
            uint32_t *cell = cells + k / by * CT_HISTOGRAM_STRIDE;
            cell[0] += left << k % by * 16;
            cell[width] += (totals[k] - left) << k % by * 16;
            ct_tally_add(&node, &t, k, left, totals[k]);
        }
        ct_scan_scalar.gini(cells, totals, n_runs, weight, 2, 0, 1, &cut);
        CHECK(ct_tally_end(&node, &t) == (isnan(cut.score) ? -1 : cut.score));
    }
}

/* Devices in turn; in cases of their own, since the CPU takes its time where it plays CUDA. */
static void on_every_device(void (*check)(int))
{
    ct_device_list list;
    ct_device_query(&list);
    if (list.n_devices == 0) SKIP("no device");
    for (int i = 0; i < list.n_devices; i++) check(i);
}

static void tables_on_twin(void) { check_tables(TWIN); }
static void far_numbers_on_twin(void) { check_far_numbers(TWIN); }
static void settings_on_twin(void) { check_settings(TWIN); }
static void groups_on_twin(void) { check_groups(TWIN); }
static void weights_on_twin(void) { check_weights(TWIN); }
static void tables_with_cuda(void) { on_every_device(check_tables); }
static void far_numbers_with_cuda(void) { on_every_device(check_far_numbers); }
static void settings_with_cuda(void) { on_every_device(check_settings); }
static void groups_with_cuda(void) { on_every_device(check_groups); }
static void weights_with_cuda(void) { on_every_device(check_weights); }

/* ---- memory ---- */

/* The less memory, the fewer trees at a time; at last it is refused, by its numbers. */
static void little_memory(int number)
{
    forest_table t = forest_table_new(301, 800, 4, 3, 0, 0.1, CT_HIST_CODES);
    ct_hist_options o = options_of(&t, CUDA_ON_CPU() ? 5 : 12, 2);
    const ct_gpu_choice cpu = {CT_ON_CPU, 0}, device = device_at(number);
    grown a, b;
    ct_error error = {CT_OK, ""};
    ct_status status = CT_OK;
    uint32_t rounds = 0;
    o.min_n = 5;
    CHECK_INT(grow(&t, &o, &cpu, &a, &error), CT_OK);
    const size_t step = CUDA_ON_CPU() || CHECK_SLOW() ? 150000 : 50000;
    for (size_t limit = CUDA_ON_CPU() ? 600000 : 1500000; status == CT_OK;
         limit -= step, rounds++) {
        set_memory(number, limit);
        status = grow(&t, &o, &device, &b, &error);
        if (status == CT_OK && !b.used.note[0]) check_same(&t, &o, &a, &b);
        else status = CT_NO_DEVICE;
        if (status != CT_OK)
            CHECK(strstr(number == TWIN ? b.used.note : error.message, "GB are free"));
        grown_free(&b);
        CHECK_INT(blocks_left(number), 0);
    }
    CHECK(rounds > 2);
    set_memory(number, SIZE_MAX);
    grown_free(&a);
    forest_table_free(&t);
}

static void little_memory_on_twin(void) { little_memory(TWIN); }

static void little_memory_with_cuda(void)
{
    if (!CUDA_ON_CPU()) SKIP("no CUDA on the CPU");
    little_memory(0);
}

/* What every CUDA device grants a block without being asked. */
static void memory_of_blocks(void)
{
    ct_grow_view v;
    memset(&v, 0, sizeof v);
    for (uint32_t n_classes = 0; n_classes <= CT_HIST_CLASSES; n_classes++) {
        v.table.n_classes = n_classes;
        v.table.mtry = CT_GROW_MTRY;
        CHECK(ct_large_bytes(&v) <= CT_GPU_SHARED);
        CHECK(ct_large_bytes(&v) <= sizeof(ct_large_shared));
        CHECK(ct_medium_bytes(&v, 1) <= CT_GPU_SHARED);
        CHECK(ct_medium_bytes(&v, 2) - ct_medium_bytes(&v, 1) == ct_medium_warp_bytes(&v));
    }
    CHECK(sizeof(ct_partition_shared) <= CT_GPU_SHARED && sizeof(ct_root_shared) <= CT_GPU_SHARED);
}

/* ---- failure ---- */

/* The twin fails at every call in turn; the forest is that of the CPU in any case. */
static void twin_that_fails(void)
{
    forest_table t = forest_table_new(302, 700, 3, 2, 0, 0.1, CT_HIST_CODES);
    ct_hist_options o = options_of(&t, 3, 2);
    const ct_gpu_choice cpu = {CT_ON_CPU, 0}, device = device_at(TWIN);
    grown a, b;
    ct_error error;
    long n_calls = 1;
    o.threads = 1;
    CHECK_INT(grow(&t, &o, &cpu, &a, &error), CT_OK);
    for (long k = 1; k <= n_calls; k += 1 + k / 20) {
        ct_gpu_twin_fail_at(k);
        CHECK_INT(grow(&t, &o, &device, &b, &error), CT_OK);
        check_same(&t, &o, &a, &b);
        const int works = !strcmp(b.used.name, "twin");
        CHECK_INT(b.used.note[0] == '\0', works);
        if (!works) n_calls = k + 1 + k / 20;
        grown_free(&b);
        CHECK_INT(blocks_left(TWIN), 0);
    }
    ct_gpu_twin_fail_at(0);
    CHECK(n_calls > 40);
    grown_free(&a);
    forest_table_free(&t);
}

/* In each way that CUDA's calls have; some of them may fail without harm. */
static void cuda_that_fails(void)
{
    if (!CUDA_ON_CPU()) SKIP("no CUDA on the CPU");
    forest_table t = forest_table_new(303, 530, 3, 2, 6, 0, CT_HIST_CODES);
    ct_hist_options o = options_of(&t, 1, 1);
    const ct_gpu_choice cpu = {CT_ON_CPU, 0}, device = device_at(0);
    grown a, b;
    ct_error error;
    o.depth = 2;
    o.sample = 900; /* so that there is a large node */
    CHECK_INT(grow(&t, &o, &cpu, &a, &error), CT_OK);
    cuda_on_cpu_fail_at(0, CUDA_CALL_FAILS);
    CHECK_INT(grow(&t, &o, &device, &b, &error), CT_OK);
    const long n_calls = cuda_on_cpu_fail_at(0, CUDA_CALL_FAILS);
    grown_free(&b);
    CHECK(n_calls > 60);
    for (int failure = CUDA_CALL_FAILS; failure <= CUDA_KERNEL_FAILS; failure++) {
        long n_fine = 0, n_tried = 0;
        for (long k = 1 + failure; k <= n_calls; k += 3, n_tried++) {
            cuda_on_cpu_fail_at(k, (cuda_failure) failure);
            int fine = grow(&t, &o, &device, &b, &error) == CT_OK;
            if (fine) check_same(&t, &o, &a, &b);
            else CHECK(error.status == CT_NO_DEVICE && error.message[0] && !b.forest.trees);
            n_fine += fine;
            grown_free(&b);
            CHECK_INT(blocks_left(0), 0);
        }
        CHECK(n_fine > 0 && n_fine < n_tried / 2); /* those of closing */
    }
    cuda_on_cpu_fail_at(0, CUDA_CALL_FAILS);
    grown_free(&a);
    forest_table_free(&t);
}

/* ---- what ends early, and what is left to the CPU ---- */

static int stop_now(void *calls) { return ++*(int *) calls > 1; }

/* Trees that are there are those of the whole forest, and so is what is known besides. */
static void stops(void)
{
    forest_table t = forest_table_new(304, 900, 4, 3, 0, 0.1, CT_HIST_CODES);
    const ct_gpu_choice device = device_at(TWIN), cpu = {CT_ON_CPU, 0};
    for (int kind = 0; kind < 3; kind++) {
        ct_hist_options o = options_of(&t, kind == 1 ? 400 : 4000, 2);
        grown a, b;
        ct_error error;
        int asked = 0;
        o.threads = 1;
        o.permutation = 0;
        if (kind == 0) ct_clock_step(0.001), o.time_limit = CHECK_QUICK() ? 0.05 : 0.2;
        if (kind == 1) o.memory_limit = 1500000;
        if (kind == 2) o.stop = stop_now, o.calls = &asked;
        ct_gpu_twin_memory(2500000);
        CHECK_INT(grow(&t, &o, &device, &a, &error), CT_OK);
        ct_clock_step(0);
        CHECK(!a.used.note[0] && a.forest.n_trees < o.n_trees);
        CHECK_INT(a.extra.end, kind == 0   ? CT_HIST_TIME
                               : kind == 1 ? CT_HIST_MEMORY
                                           : CT_HIST_INTERRUPTED);
        CHECK(kind != 1 || a.forest.n_trees > 3);
        o.n_trees = a.forest.n_trees;
        o.time_limit = 1e9, o.stop = NULL, o.memory_limit = SIZE_MAX / 4;
        if (o.n_trees) {
            CHECK_INT(grow(&t, &o, &cpu, &b, &error), CT_OK);
            b.extra.end = a.extra.end;
            check_same(&t, &o, &a, &b);
            grown_free(&b);
        }
        grown_free(&a);
        ct_gpu_twin_memory(SIZE_MAX);
        CHECK_INT(blocks_left(TWIN), 0);
    }
    forest_table_free(&t);
}

static int never(void *calls, const ct_learner_round *round, ct_learner_answer *answers)
{
    (void) calls;
    for (uint32_t i = 0; i < round->n_leaves; i++) answers[i].feature = -1;
    return 1;
}

static void left_to_the_cpu(void)
{
    forest_table t = forest_table_new(305, 60, 3, 2, 0, 0, CT_HIST_CODES);
    const ct_gpu_choice device = device_at(TWIN), any = {CT_ON_AUTO, 0},
                           none = {CT_ON_CUDA, CT_DEVICE_MAX};
    double *weights = (double *) calloc(60, sizeof *weights);
    weights[3] = 1;
    for (int kind = 0; kind < 6; kind++) {
        static const char *const why[] = {"function", "many rows", "so often", "", "", "so far"};
        if (CHECK_SLOW() && (kind == 1 || kind == 2)) continue; /* many millions of draws */
        ct_hist_options o = options_of(&t, 2, 2);
        grown g;
        ct_error error = {CT_OK, ""};
        if (kind == 0) o.learn = never;
        if (kind == 1) o.sample = 1 << 26;
        if (kind == 2) o.sample = 1 << 25, t.data.sampling = weights;
        if (kind == 5) {
            t.numbers[3] = 1e12;
            t.data.numbers = t.numbers;
            t.data.classes = NULL;
            t.data.n_classes = 0;
        }
        ct_status status =
            grow(&t, &o, kind == 3 ? &any : kind == 4 ? &none : &device, &g, &error);
        CHECK_INT(status, kind == 4 ? CT_NO_DEVICE : CT_OK);
        if (kind != 4) CHECK(strstr(g.used.note, why[kind]) && !strcmp(g.used.name, "cpu"));
        if (kind == 3) CHECK(!g.used.note[0]); /* so little does not pay */
        if (kind != 4) CHECK_INT(g.forest.n_trees, 2);
        grown_free(&g);
        t.data.sampling = NULL;
        CHECK_INT(blocks_left(TWIN), 0);
    }
    free(weights);
    forest_table_free(&t);
}

/* A device does not pay where a core takes half a second, it does where it takes minutes. */
static void what_pays(void)
{
    static const struct {
        uint32_t n_rows, n_cols, n_trees, mtry;
        unsigned threads;
        int pays;
    } fits[] = {
        {150, 4, 500, 2, 1, 0},       {20000, 10, 20, 3, 1, 0},    {1000000, 50, 500, 7, 1, 1},
        {1000000, 50, 500, 7, 16, 1}, {1000000, 50, 1, 7, 16, 0},
    };
    const ct_gpu_choice any = {CT_ON_AUTO, 0};
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
        ct_hist_codes codes;
        ct_hist_data data;
        ct_hist_options o;
        ct_gpu_used used;
        memset(&codes, 0, sizeof codes);
        memset(&data, 0, sizeof data);
        memset(&o, 0, sizeof o);
        codes.n_rows = o.sample = fits[i].n_rows;
        codes.n_cols = fits[i].n_cols;
        data.codes = &codes;
        data.n_classes = 2;
        o.n_trees = fits[i].n_trees;
        o.mtry = fits[i].mtry;
        o.threads = fits[i].threads;
        o.depth = 1000;
        o.min_n = 1;
        const ct_gpu_cost cost = ct_forest_grow_cost(&data, &o);
        if (!CHECK_INT(ct_gpu_wants(&any, &cost, &used), fits[i].pays))
            printf("    fit %u: %g s, %g s on a device\n", (unsigned) i, cost.cpu, cost.device);
    }
}

static const check_case cases[] = {
    {"tables on the twin", tables_on_twin},
    {"far numbers on the twin", far_numbers_on_twin},
    {"settings on the twin", settings_on_twin},
    {"groups on the twin", groups_on_twin},
    {"weights on the twin", weights_on_twin},
    {"scores of cuts", scores_of_cuts},
    {"tables on every CUDA device", tables_with_cuda},
    {"far numbers on every CUDA device", far_numbers_with_cuda},
    {"settings on every CUDA device", settings_with_cuda},
    {"groups on every CUDA device", groups_with_cuda},
    {"weights on every CUDA device", weights_with_cuda},
    {"a twin with little memory", little_memory_on_twin},
    {"a CUDA device with little memory", little_memory_with_cuda},
    {"memory of blocks", memory_of_blocks},
    {"a twin that fails at every call in turn", twin_that_fails},
    {"CUDA that fails at every call in turn", cuda_that_fails},
    {"stops", stops},
    {"what is left to the CPU", left_to_the_cpu},
    {"what pays", what_pays},
};
CHECK_MAIN(cases)
