/* Queries about k-d trees of rows on a device, against the CPU to the last bit: always on the host
 * twin, and on every device there is, which may be the CPU with CUDA's runtime played
 * (cuda_on_cpu/). */
#include "evolve/changes.h"
#include "evolve/offload/cost.h"
#include "evolve/offload/device.h"
#include "evolve_data.h"
#include "gpu/played.h"

enum { LEAVES = 12 };

/* ---- what devices answer ---- */

/* Rows in kd, a device that has them. */
typedef struct {
    evolve_data *data;
    ct_model_table table;
    ct_kd_tree kd;
    ct_kd_device *device;
} bench;

/* Some threads: ThreadSanitizer sees more of CUDA on the CPU where there is one (tsan.sh). */
static unsigned threads_of(int kind) { return CUDA_ON_CPU() || kind % 2 == 0 ? 1 : 3; }

/* `kind`: ties, factors, missing values, cells that do not know a splitter, points of many rows. */
static ct_status bench_open(bench *b, int device, uint32_t kind, uint32_t n, uint32_t q,
                            ct_error *error)
{
    const uint32_t values = kind % 3 ? 0 : kind == 3 ? 2 : 30, levels = kind % 2 ? 70 : 0;
    const uint8_t along[MOST_COLUMNS + 1] = {1, kind % 4 == 0, kind != 3, 1, 0, 1, kind % 2};
    memset(b, 0, sizeof *b);
    b->data = new_data(kind, n, q, values, levels, kind % 5 == 2);
    CHECK_OK(ct_gmt_model_table_init(&b->table, &b->data->data, 16, 1, error));
    CHECK_OK(ct_gmt_kd_init(&b->kd, &b->table, ct_gram_at(CT_SIMD_SCALAR), along, error));
    return ct_gmt_kd_device_open(device, &b->kd, threads_of((int) kind), &b->device, error);
}

/* Many regressors, one of them aliased. */
enum { WIDE_ROWS = 5000, WIDE = 40 };
static ct_status bench_open_wide(bench *b, int device, uint32_t q, ct_error *error)
{
    static double x[WIDE][WIDE_ROWS], y[WIDE_ROWS];
    ct_column columns[WIDE];
    uint32_t all[WIDE], none[WIDE] = {0};
    const uint8_t along[WIDE] = {1, 1, 0, 1};
    ct_rng rng = ct_rng_of(5, 32, 0);
    memset(b, 0, sizeof *b);
    for (uint32_t k = 0; k < WIDE; k++) {
        for (uint32_t row = 0; row < WIDE_ROWS; row++) x[k][row] = uniform(&rng);
        columns[k] = (ct_column){x[k], CT_DOUBLE};
        all[k] = k;
    }
    memcpy(x[WIDE - 1], x[3], sizeof x[3]);
    for (uint32_t row = 0; row < WIDE_ROWS; row++)
        y[row] = x[0][row] < 0.4 ? x[1][row] : 2 * x[2][row];
    const ct_gmt_model_data data = {WIDE_ROWS, WIDE, columns, q, all, 4, all, none, y, NULL, 0,
                                    NULL};
    CHECK_OK(ct_gmt_model_table_init(&b->table, &data, 16, 1, error));
    CHECK_OK(ct_gmt_kd_init(&b->kd, &b->table, ct_gram_at(CT_SIMD_SCALAR), along, error));
    return ct_gmt_kd_device_open(device, &b->kd, 1, &b->device, error);
}

static void bench_close(bench *b)
{
    ct_gmt_kd_device_close(b->device);
    ct_gmt_kd_free(&b->kd);
    ct_gmt_model_table_free(&b->table);
    drop(b->data);
}

/* Splits a leaf, or changes a test, by two random rows; a leaf may get another model before. */
static int32_t change(ct_model_tree *tree, ct_rng *rng)
{
    const uint32_t n = tree->table->n_rows;
    int32_t node;
    ct_gmt_test test;
    do node = (int32_t) ct_rng_below(rng, tree->room);
    while (!tree->nodes[node].used);
    if (!ct_gmt_test_between(tree->table, ct_rng_below(rng, n), ct_rng_below(rng, n), rng, &test))
        return node;
    if (ct_gmt_is_leaf(tree, node) && tree->table->p > 2 && ct_rng_below(rng, 2)) {
        const uint32_t k = 1 + ct_rng_below(rng, tree->table->p - 2);
        tree->nodes[node].omitted[k / 64] ^= UINT64_C(1) << (k % 64);
    }
    if (!ct_gmt_is_leaf(tree, node)) tree->nodes[node].test = test;
    else if (tree->n_leaves < LEAVES && ct_gmt_model_tree_expand(tree, node, &test))
        tree->n_leaves++;
    return node;
}

/* Some queries about each of many trees, each of which the device and the CPU have alike. */
enum { TREES = 9 };
typedef struct {
    ct_model_tree trees[2][TREES];
    ct_kd_query queries[2][TREES], *asked[TREES];
    uint8_t answered[TREES];
    ct_node_rows rows;
} twins;

static void open_twins(twins *t, const bench *b)
{
    memset(t, 0, sizeof *t);
    CHECK_OK(ct_gmt_node_rows_init(&t->rows, b->kd.table.n_rows, &reason));
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < TREES; i++) {
            CHECK_OK(ct_gmt_kd_model_tree(&b->kd, &t->trees[k][i], LEAVES, &reason));
            t->queries[k][i].tree = &t->trees[k][i];
            t->asked[i] = &t->queries[0][i];
        }
}

static void close_twins(twins *t)
{
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < TREES; i++) ct_gmt_model_tree_free(&t->trees[k][i]);
    ct_gmt_node_rows_free(&t->rows);
}

/* About sums after a change, or about rows of a node that has some. */
static void pose(twins *t, uint32_t i, ct_rng *rng, int about_rows)
{
    ct_model_tree *tree = &t->trees[0][i];
    ct_kd_query *query = t->asked[i];
    query->n_numbers = 0;
    query->node = about_rows ? ct_gmt_random_node(tree, ct_gmt_any_leaf, rng) : change(tree, rng);
    const uint32_t n = tree->nodes[query->node].end;
    if (about_rows && n) query->n_numbers = 1 + ct_rng_below(rng, CT_QUERY_ROWS);
    for (uint32_t k = 0; k < query->n_numbers; k++)
        query->numbers[k] = k == 0 ? n - 1 : k == 1 ? 0 : ct_rng_below(rng, n);
    ct_gmt_model_tree_copy(&t->trees[1][i], tree);
    t->queries[1][i] = *query;
    t->queries[1][i].tree = &t->trees[1][i];
}

static void check_answer(const twins *t, uint32_t i)
{
    const ct_kd_query *device = &t->queries[0][i], *cpu = &t->queries[1][i];
    for (uint32_t k = 0; k < device->n_numbers; k++) CHECK_INT(device->rows[k], cpu->rows[k]);
    for (uint32_t k = 0; k < device->tree->room; k++) {
        const ct_model_node *a = &device->tree->nodes[k], *b = &cpu->tree->nodes[k];
        if (!a->used) continue;
        CHECK_INT(a->end, b->end);
        if (ct_gmt_is_leaf(device->tree, (int32_t) k))
            CHECK(!memcmp(&a->sse, &b->sse, sizeof a->sse) && a->terms == b->terms);
    }
}

/* Returns how many the device has answered. */
static uint32_t ask_and_compare(const bench *b, uint32_t seed, uint32_t rounds)
{
    twins *t = (twins *) keep_new(1, sizeof *t);
    ct_rng rng = ct_rng_of(seed, 31, 0);
    uint32_t n_answered = 0;
    open_twins(t, b);
    for (uint32_t round = 0; round < rounds; round++) {
        const uint32_t n = round == 0 ? 0 : 1 + ct_rng_below(&rng, TREES);
        for (uint32_t i = 0; i < n; i++) pose(t, i, &rng, round > 2 && (round + i) % 3 == 0);
        ct_gmt_kd_device_answer(b->device, t->asked, n, t->answered);
        for (uint32_t i = 0; i < n; i++) {
            n_answered += t->answered[i];
            ct_gmt_kd_answer(&b->kd, &t->queries[1][i], &t->rows);
            if (!t->answered[i]) ct_gmt_kd_answer(&b->kd, t->asked[i], &t->rows);
            check_answer(t, i);
        }
    }
    close_twins(t);
    drop(t);
    return n_answered;
}

static void compare(int device)
{
    static const uint32_t n_rows[] = {40, 700, CT_TILE_ROWS, 6000, CT_TILE_ROWS + 1, 5000};
    for (uint32_t kind = 0; kind < (CHECK_QUICK() ? 6 : 24); kind++) {
        bench b;
        const uint32_t q = 1 + kind % MOST_COLUMNS;
        if (CHECK_OK(bench_open(&b, device, kind, n_rows[(kind + kind / 6) % 6], q, &reason))) {
            uint32_t n = ask_and_compare(&b, kind, CHECK_QUICK() ? 8 : 20);
            CHECK_INT(ct_gmt_kd_device_answers(b.device), n);
            CHECK(n > 15 && ct_gmt_kd_device_batches(b.device) < n);
            CHECK(!ct_gmt_kd_device_is_lost(b.device));
        } else {
            printf("    %s\n", reason.message);
        }
        bench_close(&b);
    }
}

/* Matrices of more columns than a lane has entries at a time. */
static void many_columns(int device)
{
    for (uint32_t q = 5; q <= WIDE; q += q < 20 ? 7 : 21) {
        bench b;
        if (CHECK_OK(bench_open_wide(&b, device, q, &reason)))
            CHECK(ask_and_compare(&b, q, CHECK_QUICK() ? 4 : 9) > 5);
        bench_close(&b);
    }
}

/* ---- failure, and little memory ---- */

/* 1 if the device was there to the end; the answers are right in any case. */
static int works(int device)
{
    bench b;
    int fine = 0;
    reason = NO_REASON;
    ct_status status = bench_open(&b, device, 1, 2500, 2, &reason);
    if (status == CT_OK) {
        const uint32_t n = ask_and_compare(&b, 7, 4);
        fine = !ct_gmt_kd_device_is_lost(b.device);
        CHECK_INT(ct_gmt_kd_device_answers(b.device), n);
        CHECK((ct_gmt_kd_device_why(b.device)[0] == '\0') == fine);
    } else {
        CHECK_INT(reason.status, CT_NO_DEVICE);
        CHECK(reason.message[0] != '\0' && b.device == NULL);
    }
    bench_close(&b);
    CHECK_INT(blocks_left(device), 0);
    return fine;
}

static void twin_that_fails(void) { fail_twin_in_turn(works, 20); }
static void cuda_that_fails(void) { fail_cuda_in_turn(works, 40, CHECK_QUICK() ? 7 : 1); }

/* The less memory there is, the fewer queries a batch has; those that are too large for one are
 * the CPU's; and at last the device is refused, by its numbers. */
static void little_memory(int device)
{
    int64_t least = INT64_MAX, most = 0;   /* batches of the same queries */
    uint32_t fewest = UINT32_MAX, all = 0; /* queries answered */
    ct_status status = CT_OK;
    const size_t step = CHECK_QUICK() ? 120000 : 40000;
    for (size_t limit = 9900000; status == CT_OK; limit -= step) {
        bench b;
        set_memory(device, limit);
        status = bench_open_wide(&b, device, WIDE, &reason);
        if (status == CT_OK) {
            const uint32_t n = ask_and_compare(&b, 3, 9);
            const int64_t batches = ct_gmt_kd_device_batches(b.device);
            CHECK(!ct_gmt_kd_device_is_lost(b.device));
            if (batches > most) most = batches;
            if (batches < least) least = batches;
            if (n > all) all = n;
            if (n < fewest) fewest = n;
        } else {
            CHECK_INT(status, CT_NO_DEVICE);
            CHECK(strstr(reason.message, "GB are free") != NULL);
        }
        bench_close(&b);
        CHECK_INT(blocks_left(device), 0);
    }
    set_memory(device, SIZE_MAX);
    CHECK(most > least && fewest > 0 && fewest < all);
}

/* ---- optimum fits ---- */

static int same_course(const ct_gmt *a, const ct_gmt *b, uint32_t n_rows)
{
    int same = same_fit(a, b, n_rows) && a->n_moments == b->n_moments;
    for (uint32_t i = 0; same && i < a->n_moments; i++)
        same = a->moments[i].kick == b->moments[i].kick &&
               a->moments[i].touched == b->moments[i].touched &&
               !memcmp(&a->moments[i].sse, &b->moments[i].sse, sizeof(double)) &&
               !memcmp(&a->moments[i].bic, &b->moments[i].bic, sizeof(double));
    return same;
}

static ct_gmt_options paper_options(int kind)
{
    ct_gmt_options o = default_options();
    o.mode = CT_GMT_PAPER;
    o.population = 7;
    o.paper.fitness = kind % 2 ? CT_FITNESS_WEIGHTED : CT_FITNESS_BIC;
    o.paper.alpha = 1e-4;
    o.sample = kind % 3 ? 20000 : 200;
    o.effort = o.patience = CHECK_QUICK() ? 8 : 40;
    o.limits.leaves_max = 7;
    o.limits.minbucket = kind % 2 ? 5 : 60;
    o.seed = (uint64_t) kind;
    return o;
}

/* The tree and the course of the search are the CPU's. */
static void compare_fits(int number)
{
    for (int kind = 0; kind < (CHECK_QUICK() ? 3 : 6); kind++) {
        evolve_data *d = new_data(50 + (uint32_t) kind, kind % 3 ? 5000 : 400, 3, kind % 2 ? 0 : 25,
                                  kind % 2 ? 5 : 0, kind == 2);
        ct_gmt_options o = paper_options(kind);
        ct_gmt cpu, device;
        REQUIRE(fit(d, &o, &cpu));
        CHECK(cpu.forest.n_nodes > 1 && cpu.device_answers == 0 && !strcmp(cpu.device.name, "cpu"));
        o.device = number == TWIN ? (ct_gpu_choice){CT_ON_TWIN, 0}
                                  : (ct_gpu_choice){CT_ON_CUDA, number};
        o.threads = threads_of(kind);
        REQUIRE(fit(d, &o, &device));
        CHECK(same_course(&cpu, &device, d->data.n_rows));
        CHECK(device.device_answers > device.device_batches && device.device_batches > 8);
        CHECK(device.device.note[0] == '\0' && strcmp(device.device.name, "cpu") != 0);
    }
}

/* A twin that fails, or is too small, costs nothing but its work. */
static void fits_without_the_twin(void)
{
    evolve_data *d = new_data(60, 400, 2, 0, 3, 0);
    ct_gmt_options o = paper_options(1);
    ct_gmt cpu, other;
    o.effort = o.patience = 6;
    REQUIRE(fit(d, &o, &cpu));
    o.device.wish = CT_ON_TWIN;
    for (long k = 1; k < 60; k += 6) {
        ct_gpu_twin_fail_at(k);
        REQUIRE(fit(d, &o, &other));
        CHECK(same_course(&cpu, &other, 400) && strstr(other.device.note, "told to fail"));
    }
    ct_gpu_twin_fail_at(0);
    ct_gpu_twin_memory(1000);
    REQUIRE(fit(d, &o, &other));
    CHECK(same_course(&cpu, &other, 400) && strstr(other.device.note, "GB are free"));
    CHECK(!strcmp(other.device.name, "cpu") && !other.device_answers);
    ct_gpu_twin_memory(SIZE_MAX);
}

/* A CUDA device that was asked for and fails is an error; with AUTO, which takes it where there is
 * much to do, it is a note. */
static void fits_with_cuda_that_fails(void)
{
    if (!CUDA_ON_CPU()) SKIP("no CUDA on the CPU");
    evolve_data *d = new_data(60, 400, 2, 0, 3, 0);
    ct_gmt_options o = paper_options(1);
    ct_gmt gmt;
    o.effort = o.patience = 6;
    o.device.wish = CT_ON_CUDA;
    for (long k = 1; k < 100; k += 12) {
        cuda_on_cpu_fail_at(k, CUDA_DEVICE_FAILS);
        CHECK_FAILS(ct_gmt_fit(&d->data, &o, &gmt, &reason), CT_NO_DEVICE);
        ct_gmt_free(&gmt);
        CHECK_INT(blocks_left(0), 0);
    }
    cuda_on_cpu_fail_at(0, CUDA_CALL_FAILS);
}

static void backends_that_are_none(void)
{
    evolve_data *d = new_data(60, 400, 2, 0, 3, 0);
    ct_gmt_options o = paper_options(1);
    ct_gmt gmt;
    o.effort = o.patience = 2;
    o.device.wish = CT_ON_CUDA;
    o.device.number = CT_DEVICE_MAX;
    CHECK_FAILS(ct_gmt_fit(&d->data, &o, &gmt, &reason), CT_NO_DEVICE);
    ct_gmt_free(&gmt);
    o.device.wish = CT_ON_AUTO; /* too little to do */
    fit(d, &o, &gmt);
    CHECK(!strcmp(gmt.device.name, "cpu") && gmt.device.note[0] == '\0');
    o.mode = CT_GMT_LOCAL; /* the CPU's alone */
    fit(d, &o, &gmt);
    o.device.wish = CT_ON_TWIN;
    CHECK_FAILS(ct_gmt_fit(&d->data, &o, &gmt, &reason), CT_BAD_INPUT);
    ct_gmt_free(&gmt);
    ct_gmt_kd_device_close(NULL);
}

/* A device pays for much work, not for little; and less where there are threads. */
static void device_pays_for_much(void)
{
    const uint8_t along[5] = {1, 1};
    ct_kd_tree kd;
    memset(&kd, 0, sizeof kd);
    kd.along = (uint8_t *) along;
    kd.table.width = 8;
    kd.table.size = 10;
    for (uint32_t n = 2; n <= 5; n += 3) { /* all splitters known to the kd, and some */
        kd.table.n_splitters = n;
        kd.table.n_rows = kd.n = 10000;
        ct_gpu_cost little = ct_evolve_cost_of(&kd, 64, 100, 1);
        CHECK(little.cpu < little.device);
        kd.table.n_rows = kd.n = 1000000;
        ct_gpu_cost much = ct_evolve_cost_of(&kd, 64, 10000, 1),
                       shared = ct_evolve_cost_of(&kd, 64, 10000, 4);
        CHECK(much.device < much.cpu && 4 * shared.cpu == much.cpu);
        CHECK(shared.device < much.device && shared.device > much.device / 4);
    }
}

static void memory_ends(void)
{
    evolve_data *d = new_data(14, 300, 2, 0, 3, 0);
    ct_gmt_options o = paper_options(1);
    int fine = 0;
    o.population = 3;
    o.effort = 2;
    o.device.wish = CT_ON_TWIN;
    for (long after = 0; !fine && after < 3000; after += after < 80 ? 1 : 17) {
        ct_gmt gmt;
        ct_status status = MEMORY_FOR(after, ct_gmt_fit(&d->data, &o, &gmt, &reason));
        CHECK(status == CT_OK || status == CT_NO_MEMORY);
        fine = status == CT_OK && gmt.device_answers > 0 && gmt.device.note[0] == '\0';
        ct_gmt_free(&gmt);
        CHECK_INT(ct_gpu_twin_blocks(), 0);
    }
    CHECK(fine);
}

static const check_case cases[] = {
    {"answers of the twin", ON_TWIN(compare)},
    {"answers of every CUDA device", ON_EVERY_DEVICE(compare)},
    {"many columns on the twin", ON_TWIN(many_columns)},
    {"many columns with CUDA", ON_A_DEVICE(many_columns)},
    {"a twin that fails at every call in turn", twin_that_fails},
    {"CUDA that fails at every call in turn", cuda_that_fails},
    {"a twin with little memory", ON_TWIN(little_memory)},
    {"a CUDA device with little memory", ON_PLAYED_CUDA(little_memory)},
    {"fits on the twin", ON_TWIN(compare_fits)},
    {"fits with CUDA", ON_EVERY_DEVICE(compare_fits)},
    {"fits without the twin", fits_without_the_twin},
    {"fits with CUDA that fails", fits_with_cuda_that_fails},
    {"backends that are none", backends_that_are_none},
    {"a device pays for much", device_pays_for_much},
    {"memory ends", memory_ends},
};

CHECK_MAIN(cases)
