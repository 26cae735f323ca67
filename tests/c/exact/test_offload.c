/* Batches on a device against naive counts: always on the host twin, and on every device there is,
 * which may be the CPU with CUDA's runtime played (cuda_on_cpu/). */
#include "check.h"
#include "random.h"

#include "data/table.h"
#include "exact/offload/device.h"
#include "exact/offload/scan_body.h"
#include "gpu/device.h"
#include "gpu/played.h"

enum { MOST_WANTED = 64 };

/* A ranked table and an open device. */
typedef struct {
    random_table table;
    ct_table ranked;
    ct_arena arena;
    ct_budget budget;
    uint32_t *ranks; /* [col][row] */
    ct_offload_device *device;
} bench;

static ct_status bench_begin(bench *b, int device, uint32_t max_thresholds, unsigned n_queues,
                             ct_error *error)
{
    const ct_data *data = &b->table.data;
    int capped;
    b->budget = (ct_budget){SIZE_MAX, 0};
    ct_arena_init(&b->arena, &b->budget);
    CHECK_OK(ct_table_init(&b->ranked, data, &b->arena, error));
    b->ranks = (uint32_t *) calloc((size_t) data->n_rows * data->n_cols, sizeof *b->ranks);
    for (uint32_t col = 0; col < data->n_cols; col++) {
        CHECK_OK(ct_table_rank(&b->ranked, col, max_thresholds, &b->arena, &capped));
        uint32_t rank = 0;
        for (uint32_t j = 0; j < data->n_rows; j++) {
            b->ranks[(size_t) col * data->n_rows + b->ranked.order[col][j]] = rank;
            rank += (uint32_t) ct_bit(b->ranked.ties[col], j);
        }
    }
    ct_offload_table table = {data->n_rows,   data->n_cols,    data->n_classes,    b->ranked.order,
                              b->ranked.ties, b->ranked.words, b->ranked.n_values, data->classes};
    return ct_offload_open(device, &table, n_queues, &b->device, error);
}

static int bench_open(bench *b, int device, uint32_t max_thresholds)
{
    return CHECK_OK(bench_begin(b, device, max_thresholds, 1, &reason));
}

static void bench_close(bench *b)
{
    ct_offload_close(b->device);
    free(b->ranks);
    ct_arena_free(&b->arena);
    table_free(&b->table);
}

static int is_in(const bench *b, const ct_offload_conditions *conditions, uint32_t row)
{
    for (uint32_t i = 0; i < conditions->n; i++) {
        uint32_t rank = b->ranks[(size_t) (conditions->line[i] / 2) * b->table.data.n_rows + row];
        if ((rank >= conditions->threshold[i]) != (conditions->line[i] & 1)) return 0;
    }
    return 1;
}

static int64_t wrong_in(const uint32_t *counts, uint32_t n_classes)
{
    int64_t sum = 0, most = 0;
    for (uint32_t c = 0; c < n_classes; c++) {
        sum += counts[c];
        if (counts[c] > most) most = counts[c];
    }
    return sum - most;
}

/* The errors of a split with two different labels. */
static int64_t wrong_of_split(const uint32_t *left, const uint32_t *right, uint32_t n_classes,
                              int64_t size)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < n_classes; i++)
        for (uint32_t j = 0; j < n_classes; j++)
            if (i != j && (int64_t) left[i] + right[j] > most) most = (int64_t) left[i] + right[j];
    return size - most;
}

/* The least errors of a split on `col` in the rows of the side (marked 2), by trying every
 * threshold that parts the row set (marked 1 or 2); all rows if there is none. */
static int64_t naive(const bench *b, const uint8_t *marked, uint32_t col, uint32_t min_rows)
{
    const ct_data *data = &b->table.data;
    uint32_t counts[2][CT_OFFLOAD_CLASSES] = {{0}}, n[2] = {0, 0}, set[2] = {0, 0};
    for (uint32_t row = 0; row < data->n_rows; row++) {
        set[1] += marked[row] > 0;
        if (marked[row] > 1) counts[1][data->classes[row]]++, n[1]++;
    }
    int64_t least = n[1];
    for (uint32_t j = 0; j < data->n_rows; j++) {
        uint32_t row = b->ranked.order[col][j], c = (uint32_t) data->classes[row];
        if (marked[row]) set[0]++, set[1]--;
        if (marked[row] > 1) counts[0][c]++, counts[1][c]--, n[0]++, n[1]--;
        if (!ct_bit(b->ranked.ties[col], j) || !set[0] || !set[1] || n[0] < min_rows ||
            n[1] < min_rows)
            continue;
        int64_t wrong =
            wrong_of_split(counts[0], counts[1], data->n_classes, (int64_t) n[0] + n[1]);
        if (wrong < least) least = wrong;
    }
    return least;
}

/* Exact if below the need, else a bound that lies between them; 0 where nothing is wanted. */
static void compare(int64_t got, int64_t expected, int64_t need)
{
    if (need <= 0) CHECK_INT(got, 0);
    else if (expected < need) CHECK_INT(got, expected);
    else CHECK(got >= need && got <= (expected > need ? expected : need));
}

static int is_in_part(const bench *b, const ct_offload_candidate *candidate, uint32_t row)
{
    if (candidate->part_threshold == CT_OFFLOAD_ALL) return 1;
    ct_offload_conditions part = {1, {candidate->part_line}, {candidate->part_threshold}};
    return is_in(b, &part, row);
}

/* Which columns are wanted. In every other batch all are, NULL; else the first one by nobody, the
 * others by all, none or some candidates of each side. */
static const uint32_t *wanted_of(uint32_t *wanted, uint32_t n_cols, uint32_t n_candidates, rng *r)
{
    size_t words = ct_offload_wanted_words(n_cols, n_candidates);
    if (rng_below(r, 2)) return NULL;
    if (!CHECK(words <= MOST_WANTED)) return NULL;
    for (size_t i = 0; i < words; i++) {
        uint32_t kind = i % n_cols ? rng_below(r, 4) : 0;
        wanted[i] = kind == 0 ? 0 : kind == 1 ? UINT32_MAX : (uint32_t) rng_next(r);
    }
    return wanted;
}

static int wants(const uint32_t *wanted, uint32_t n_cols, uint32_t p, uint32_t side, uint32_t col)
{
    return !wanted || wanted[((size_t) p / 32 * 2 + side) * n_cols + col] >> p % 32 & 1;
}

static void check_candidate(const bench *b, const ct_offload_conditions *conditions,
                        const ct_offload_candidate *candidate, const uint32_t *wanted,
                            uint32_t p, const int32_t *errors)
{
    uint32_t n_rows = b->table.data.n_rows, n_cols = b->table.data.n_cols;
    uint8_t *marked = (uint8_t *) calloc(n_rows, 1);
    for (uint32_t side = 0; side < 2; side++) {
        for (uint32_t row = 0; row < n_rows; row++) {
            int right = b->ranks[(size_t) candidate->feature * n_rows + row] >=
                        candidate->threshold;
            int in = is_in(b, conditions, row) && is_in_part(b, candidate, row);
            marked[row] = (uint8_t) (!in ? 0 : right == (int) side ? 2 : 1);
        }
        for (uint32_t col = 0; col < n_cols; col++) {
            const int32_t *got = errors + (size_t) side * 2 * n_cols + col;
            int32_t need = wants(wanted, n_cols, p, side, col) ? candidate->need[side] : 0;
            compare(got[0], naive(b, marked, col, 0), need);
            compare(got[n_cols], naive(b, marked, col, candidate->min_rows[side]), need);
        }
    }
    free(marked);
}

/* A need is what a leaf costs at most: see ct_children. */
static ct_offload_candidate random_candidate(const bench *b, rng *r,
                                     const ct_offload_conditions *conditions, int parts)
{
    const ct_data *data = &b->table.data;
    ct_offload_candidate p = {0, CT_OFFLOAD_ALL, rng_below(r, data->n_cols), 0, {0, 0}, {1, 1}};
    if (parts && rng_below(r, 4)) {
        p.part_line = rng_below(r, 2 * data->n_cols);
        p.part_threshold = rng_below(r, b->ranked.n_values[p.part_line / 2] + 1);
    }
    p.threshold = rng_below(r, b->ranked.n_values[p.feature] + 1);
    uint32_t kind = rng_below(r, 3), least = 1 + rng_below(r, 2) * rng_below(r, 9);
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t counts[CT_OFFLOAD_CLASSES] = {0};
        for (uint32_t row = 0; row < data->n_rows; row++) {
            int right = b->ranks[(size_t) p.feature * data->n_rows + row] >= p.threshold;
            if (is_in(b, conditions, row) && is_in_part(b, &p, row) && right == (int) side)
                counts[data->classes[row]]++;
        }
        int32_t leaf = (int32_t) wrong_in(counts, data->n_classes);
        p.need[side] = kind == 0 ? leaf : (int32_t) rng_below(r, (uint32_t) leaf + 1);
        p.min_rows[side] = least;
    }
    return p;
}

static void check_rows(bench *b, rng *r, const ct_offload_conditions *conditions,
                       uint32_t n_candidates)
{
    ct_offload_queue *queue = ct_offload_queue_at(b->device, 0);
    ct_offload_candidate candidates[2][CT_OFFLOAD_CANDIDATES];
    uint32_t memory[2][MOST_WANTED];
    const uint32_t *wanted[2];
    uint32_t n_rows = 0, n_cols = b->table.data.n_cols;
    for (uint32_t row = 0; row < b->table.data.n_rows; row++)
        n_rows += (uint32_t) is_in(b, conditions, row);
    if (!n_rows) return;
    REQUIRE_OK(ct_offload_begin_rows(queue, conditions, n_rows));
    for (unsigned slot = 0; slot < CT_OFFLOAD_SLOTS; slot++) {
        int parts = rng_below(r, 2) == 1;
        for (uint32_t i = 0; i < n_candidates; i++)
            candidates[slot][i] = random_candidate(b, r, conditions, parts);
        wanted[slot] = wanted_of(memory[slot], n_cols, n_candidates, r);
        REQUIRE_OK(ct_offload_submit(queue, slot, candidates[slot], n_candidates, wanted[slot]));
    }
    for (unsigned i = 0, first = rng_below(r, CT_OFFLOAD_SLOTS); i < CT_OFFLOAD_SLOTS; i++) {
        unsigned slot = (first + i) % CT_OFFLOAD_SLOTS; /* in any order */
        const int32_t *errors;
        REQUIRE_OK(ct_offload_wait(queue, slot, &errors));
        for (uint32_t p = 0; p < n_candidates; p++)
            check_candidate(b, conditions, &candidates[slot][p], wanted[slot], p,
                            errors + (size_t) p * 4 * n_cols);
    }
    /* One that nothing is asked of, under way when the next begins. */
    REQUIRE_OK(ct_offload_begin_rows(queue, conditions, n_rows));
}

static void check_table(int device, rng *r, random_table table, uint32_t n_sets,
                        uint32_t most_candidates)
{
    bench b;
    b.table = table;
    if (bench_open(&b, device, rng_below(r, 4) ? 0 : 1 + rng_below(r, 8))) {
        for (uint32_t set = n_sets; set-- > 0;) { /* larger ones later */
            ct_offload_conditions conditions = {set, {0}, {0}};
            for (uint32_t i = 0; i < set; i++) {
                uint32_t col = rng_below(r, table.data.n_cols);
                conditions.line[i] = 2 * col + rng_below(r, 2);
                conditions.threshold[i] = rng_below(r, b.ranked.n_values[col] + 1);
            }
            check_rows(&b, r, &conditions, 1 + rng_below(r, most_candidates));
        }
    }
    bench_close(&b);
}

/* A device that the CPU plays takes its time. */
static int is_played(int device) { return device != TWIN && CUDA_ON_CPU(); }

static void small_tables(int device)
{
    rng r = {1};
    for (int round = 0; round < (CHECK_QUICK() ? 10 : is_played(device) ? 40 : 150); round++) {
        uint32_t n_classes = rng_below(&r, 3) ? 2 + rng_below(&r, 3)
                                               : 2 + rng_below(&r, CT_OFFLOAD_CLASSES - 1);
        uint32_t n_rows = 1 + rng_below(&r, round % 8 ? 70 : 900), n_cols = 1 + rng_below(&r, 6);
        random_table table = table_random(&r, n_rows, n_cols, n_classes, round % 2);
        check_table(device, &r, table, 3, 40);
    }
}

static void tables_of_many_rows(int device)
{
    rng r = {2};
    const uint32_t n_classes[] = {2, 3, 17, 30, 2}, n_rows[] = {100000, 70000, 9000, 3000, 2500};
    for (size_t i = CHECK_QUICK() || is_played(device) ? 3 : 0; i < 5; i++)
        check_table(device, &r, table_random(&r, n_rows[i], 3, n_classes[i], (int) i % 2), 2, 4);
}

/* More than a quad of groups of them. */
static void many_candidates(int device)
{
    rng r = {7};
    for (int round = 0; round < (CHECK_QUICK() || is_played(device) ? 2 : 8); round++) {
        random_table table = table_random(&r, 20 + rng_below(&r, 80), 3, 2 + (uint32_t) round % 2,
                                          round % 3 == 0);
        check_table(device, &r, table, 2, 300);
    }
}

static void sides_of_one_class(int device)
{
    rng r = {3};
    random_table table = table_random(&r, 300, 3, 3, 0);
    for (uint32_t row = 0; row < 300; row++)
        table.classes[row] = table_column(&table, 0)[row] > 0.5;
    check_table(device, &r, table, 4, 60);
}

static void all_tables(int device)
{
    small_tables(device);
    tables_of_many_rows(device);
    sides_of_one_class(device);
    many_candidates(device);
}

/* More than twice the words of an order that a block sums at a time. */
static void a_long_order(int device)
{
    rng r = {8};
    check_table(device, &r, table_random(&r, 70000, 1, 2, 0), 2, 2);
}

/* The answer to the second one; NULL if the device is lost. */
static const int32_t *two_batches(ct_offload_queue *queue, const ct_offload_conditions *conditions,
                                  const ct_offload_candidate *candidate)
{
    const int32_t *errors;
    if (ct_offload_begin_rows(queue, conditions, 50) != CT_OK) return NULL;
    for (unsigned slot = 0; slot < 2; slot++)
        if (ct_offload_submit(queue, slot, candidate, 1, NULL) != CT_OK) return NULL;
    for (unsigned slot = 0; slot < 2; slot++)
        if (ct_offload_wait(queue, slot, &errors) != CT_OK) return NULL;
    return errors;
}

/* Two batches by the second queue of a device that may fail: 1 if all went well and is right, or
 * else it has been told. */
static int works(int device)
{
    rng r = {4};
    bench b;
    ct_offload_conditions all = {0, {0}, {0}};
    ct_offload_candidate candidate = {0, CT_OFFLOAD_ALL, 0, 25, {1, 1}, {1, 1}};
    const int32_t *errors = NULL;
    b.table = table_random(&r, 50, 3, 3, 0);
    reason = NO_REASON;
    if (bench_begin(&b, device, 0, 2, &reason) == CT_OK) {
        ct_offload_queue *queue = ct_offload_queue_at(b.device, 1);
        errors = two_batches(queue, &all, &candidate);
        CHECK_INT(ct_offload_is_lost(b.device), !errors);
        CHECK((ct_offload_why(b.device)[0] == '\0') == (errors != NULL));
        if (errors) check_candidate(&b, &all, &candidate, NULL, 0, errors);
        else CHECK(ct_offload_begin_rows(queue, &all, 50) == CT_NO_DEVICE);
        if (!errors) CHECK(ct_offload_submit(queue, 0, &candidate, 1, NULL) == CT_NO_DEVICE);
        if (!errors) CHECK(ct_offload_wait(queue, 0, &errors) == CT_NO_DEVICE && !errors);
    } else {
        CHECK_INT(reason.status, CT_NO_DEVICE);
        CHECK(reason.message[0] != '\0' && b.device == NULL);
    }
    bench_close(&b);
    CHECK_INT(blocks_left(device), 0);
    return errors != NULL;
}

static void twin_that_fails(void) { fail_twin_in_turn(works, 30); }
static void cuda_that_fails(void) { fail_cuda_in_turn(works, 60, 1); }

/* The calling thread has another device, and keeps it. Closed with work under way, a device has all
 * back. */
static void one_of_two_devices(void)
{
    rng r = {6};
    bench b;
    ct_offload_conditions all = {0, {0}, {0}};
    ct_offload_candidate candidate = {0, CT_OFFLOAD_ALL, 0, 7, {90, 90}, {1, 1}};
    if (!CUDA_ON_CPU()) SKIP("no CUDA on the CPU");
    cuda_on_cpu_devices(2);
    check_table(1, &r, table_random(&r, 300, 3, 3, 1), 3, 40);
    CHECK_INT(cuda_on_cpu_current(), 0);
    for (int round = 0; round < 20; round++) {
        b.table = table_random(&r, 600, 3, 2, 0);
        if (bench_open(&b, 1, 0)) {
            ct_offload_queue *queue = ct_offload_queue_at(b.device, 0);
            cuda_on_cpu_disturb(0);
            REQUIRE_OK(ct_offload_begin_rows(queue, &all, 600));
            REQUIRE_OK(ct_offload_submit(queue, 0, &candidate, 1, NULL));
            CHECK(round % 2 || ct_offload_submit(queue, 1, &candidate, 1, NULL) == CT_OK);
        }
        bench_close(&b);
        CHECK_INT(blocks_left(1), 0);
        CHECK_INT(cuda_on_cpu_current(), 0);
    }
    cuda_on_cpu_devices(1);
}

/* The less memory the device has, the fewer columns are there at a time; at last it is refused, by
 * its numbers. */
static void columns_at_a_time(int device)
{
    rng r = {5};
    uint32_t widths = 0;
    ct_status status = CT_OK;
    const size_t step = !CHECK_QUICK() ? 9000 : device == TWIN && !CHECK_SLOW() ? 200000 : 300000;
    for (size_t limit = 1200000; status == CT_OK; limit -= step) {
        bench b;
        b.table = table_random(&r, 2000, 7, 3, 0);
        set_memory(device, limit);
        status = bench_begin(&b, device, 0, 1, &reason);
        if (status == CT_OK) {
            ct_offload_conditions all = {0, {0}, {0}}, some = {1, {3}, {700}};
            widths |= 1u << ct_offload_window(b.device);
            check_rows(&b, &r, &all, 3);
            check_rows(&b, &r, &some, 40 / (1 + rng_below(&r, 20)));
            CHECK(!ct_offload_is_lost(b.device) && ct_offload_queue_at(b.device, 1) == NULL);
        } else {
            CHECK_INT(status, CT_NO_DEVICE);
            CHECK(strstr(reason.message, "GB are free") != NULL);
        }
        bench_close(&b);
        CHECK_INT(blocks_left(device), 0);
    }
    set_memory(device, SIZE_MAX);
    if (!CHECK_QUICK()) CHECK_INT(widths, 1u << 7 | 1u << 4 | 1u << 3 | 1u << 2 | 1u << 1);
}

/* What every CUDA device grants a block without being asked. */
static void memory_of_a_block(void)
{
    for (uint32_t n_classes = 1; n_classes <= CT_OFFLOAD_CLASSES; n_classes++) {
        const size_t bytes = ct_scan_bytes(n_classes);
        CHECK(bytes <= 48 * 1024);
        CHECK(n_classes == 2 || bytes == 2 * n_classes * 32 * sizeof(uint32_t));
    }
}

static void devices_that_are_not_there(void)
{
    ct_offload_device *device;
    ct_offload_table none = {.n_rows = 1, .n_cols = 1, .n_classes = 2};
    CHECK_FAILS(ct_offload_open(CT_DEVICE_MAX, &none, 1, &device, &reason), CT_NO_DEVICE);
    CHECK(device == NULL);
    none.n_classes = CT_OFFLOAD_CLASSES + 1;
    CHECK_FAILS(ct_offload_open(TWIN, &none, 1, &device, &reason), CT_NO_DEVICE);
    ct_offload_close(NULL);
}

static const check_case cases[] = {
    {"small tables on the twin", ON_TWIN(small_tables)},
    {"tables of many rows on the twin", ON_TWIN(tables_of_many_rows)},
    {"sides of one class on the twin", ON_TWIN(sides_of_one_class)},
    {"many candidates on the twin", ON_TWIN(many_candidates)},
    {"batches on every CUDA device", ON_EVERY_DEVICE(all_tables)},
    {"a long order with CUDA", ON_A_DEVICE(a_long_order)},
    {"a twin that fails at every call in turn", twin_that_fails},
    {"CUDA that fails at every call in turn", cuda_that_fails},
    {"one of two CUDA devices", one_of_two_devices},
    {"a twin with little memory", ON_TWIN(columns_at_a_time)},
    {"a CUDA device with little memory", ON_PLAYED_CUDA(columns_at_a_time)},
    {"memory of a block", memory_of_a_block},
    {"devices that are not there", devices_that_are_not_there},
};
CHECK_MAIN(cases)
