/* Batches of thresholds on the first device: the bytes and integer operations that they must take
 * by the kernels' text, the times that these would take at the card's rates, and the time measured.
 * The table of bench/notes/exact-gpu.md.
 *
 *     time_batches [BYTES_PER_SECOND INTEGER_OPERATIONS_PER_SECOND]      default: one H200
 *
 * Without a device the last columns stay open. CT_QUICK: small tables alone, once each. */
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "random.h"

#include "base/clock.h"
#include "data/table.h"
#include "exact/offload/device.h"
#include "gpu/device.h"

/* Instructions a word of 32 rows and lane, of two classes, as nvcc compiles them for sm_90
 * (bench/notes/exact-gpu.md): a population count is worth four. Of SIDES once; of COUNT and SCAN
 * for each column. Words that are looked into come on top. */
static double operations(double n, double n_cols, double candidates, double n_sides)
{
    double sides = n_sides > 1 ? 752 : 456, count = n_sides > 1 ? 62 : 37,
           scan = n_sides > 1 ? 131 : 122;
    return n / 32 * candidates * (sides + n_cols * (count + scan));
}

/* Of each row and quad of candidates, twice: its place in the order and their sides; of each word
 * the classes twice and the ties. The sides themselves are made from ranks of two bytes. */
static double bytes(double n, double n_cols, double candidates, double n_sides)
{
    double groups = ceil(candidates / 32), quads = ceil(candidates / 128);
    return quads * n_cols * n * (2 * (4 + 16 * n_sides) + (2 * 2 + 1) * 4.0 / 32) +
           groups * n * (4 + n_sides * (4 + 32 * 2));
}

static double measure(ct_offload_queue *queue, const ct_offload_candidate *candidates,
                      uint32_t n_candidates)
{
    const int32_t *errors;
    double least = INFINITY;
    for (int i = 0; i < (CHECK_QUICK() ? 1 : 20); i++) {
        double start = ct_seconds();
        if (ct_offload_submit(queue, 0, candidates, n_candidates, NULL) != CT_OK ||
            ct_offload_wait(queue, 0, &errors) != CT_OK)
            return NAN;
        double seconds = ct_seconds() - start;
        if (seconds < least) least = seconds;
    }
    return least;
}

/* Thresholds all over, and needs as a search has them: below the leaf's errors, above what the best
 * split makes. */
static void fill_candidates(ct_offload_candidate *candidates, uint32_t n_candidates, uint32_t n,
                        uint32_t n_cols, int parts)
{
    for (uint32_t i = 0; i < n_candidates; i++) {
        uint32_t t = (uint32_t) ((uint64_t) n * (i / n_cols + 1) / (n_candidates / n_cols + 2)) + 1;
        candidates[i] = (ct_offload_candidate){
            0, CT_OFFLOAD_ALL, i % n_cols, t, {(int32_t) (t / 4), (int32_t) ((n - t) / 4)}, {1, 1}};
        if (!parts) continue;
        /* As schedulers have them: a problem's candidates are neighbours. */
        candidates[i].part_line = i / 32 % (2 * n_cols);
        candidates[i].part_threshold = n / 2;
        for (int side = 0; side < 2; side++) candidates[i].need[side] /= 2;
    }
}

static void time_table(int there, uint32_t n, double byte_rate, double operation_rate)
{
    enum { COLS = 20, CLASSES = 2 };
    const uint32_t sizes[] = {32, 128, 512, 1024}; /* the last of parts */
    rng r = {1};
    random_table table = table_random(&r, n, COLS, CLASSES, 0);
    ct_budget budget = {SIZE_MAX, 0};
    ct_arena arena;
    ct_table ranked;
    ct_offload_device *device = NULL;
    ct_offload_candidate candidates[1024];
    ct_arena_init(&arena, &budget);
    if (there && ct_table_init(&ranked, &table.data, &arena, NULL) == CT_OK) {
        int capped;
        for (uint32_t col = 0; col < COLS; col++)
            (void) ct_table_rank(&ranked, col, 0, &arena, &capped);
        ct_offload_table sent = {n,           COLS,         CLASSES,         ranked.order,
                                 ranked.ties, ranked.words, ranked.n_values, table.classes};
        if (ct_offload_open(0, &sent, 1, &device, NULL) == CT_OK)
            (void) ct_offload_begin_rows(ct_offload_queue_at(device, 0),
                                         &(ct_offload_conditions){0, {0}, {0}}, n);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int parts = i == 3;
        double b = bytes(n, COLS, sizes[i], 1 + parts),
               o = operations(n, COLS, sizes[i], 1 + parts);
        fill_candidates(candidates, sizes[i], n, COLS, parts);
        printf("| %u | %u%s | %.3g | %.3g | %.3g | %.3g |", n, sizes[i], parts ? " of parts" : "",
               b, o, b / byte_rate * 1e6, o / operation_rate * 1e6);
        double seconds = device ? measure(ct_offload_queue_at(device, 0), candidates, sizes[i])
                                : NAN;
        if (seconds > 0)
            printf(" %.4g | %.3g |\n", seconds * 1e6,
                   seconds / fmax(b / byte_rate, o / operation_rate));
        else printf(" not measured | |\n");
    }
    ct_offload_close(device);
    ct_arena_free(&arena);
    table_free(&table);
}

int main(int argc, char **argv)
{
    const uint32_t rows[] = {2000, 20000, 250000};
    double byte_rate = argc > 2 ? atof(argv[1]) : 4.8e12,
           operation_rate = argc > 2 ? atof(argv[2]) : 1.48e13;
    ct_device_list list;
    ct_device_query(&list);
    printf("20 columns, 2 classes; %.3g bytes/s, %.3g integer operations/s; %s\n\n", byte_rate,
           operation_rate, list.n_devices ? list.device[0].name : list.reason);
    printf("| rows | candidates | bytes | operations | us by bytes | us by operations "
           "| us measured | measured / floor |\n");
    printf("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < (CHECK_QUICK() ? 1 : sizeof rows / sizeof *rows); i++)
        time_table(list.n_devices > 0, rows[i], byte_rate, operation_rate);
    return 0;
}
