/* Whether a device computes what its host twin computes. */
#ifndef SELF_TEST_H
#define SELF_TEST_H

#include <string.h>

#include "exact/offload/device.h"
#include "gpu/played.h"

/* Rows beyond a warp's, in part of their last word. Two classes have a scan of their own, one for
 * candidates of the whole row set and one for those of parts. */
enum {
    N_ROWS = 101,
    N_COLS = 3,
    N_WORDS = 2,
    N_CANDIDATES = 40,
    N_WANTED = (N_CANDIDATES + 31) / 32 * 2 * N_COLS,
    N_ERRORS = N_CANDIDATES * 4 * N_COLS
};

typedef struct {
    uint32_t order[N_COLS][N_ROWS], n_values[N_COLS];
    uint64_t ties[N_COLS][N_WORDS];
    int32_t classes[N_ROWS];
    ct_offload_candidate candidates[N_CANDIDATES];
    uint32_t n_classes, wanted[N_WANTED];
} problem;

/* Column g goes through the rows in steps of its own and changes its value every g + 1 of them; of
 * the first 32 candidates every third wants the last column on its left side; with parts every
 * fourth is of one. */
static void fill(problem *p, uint32_t n_classes, int parts)
{
    static const uint32_t step[N_COLS] = {1, 37, 58};
    memset(p, 0, sizeof *p);
    p->n_classes = n_classes;
    memset(p->wanted, 0xff, sizeof p->wanted);
    p->wanted[N_COLS - 1] = 0x24924924;
    for (uint32_t i = 0; i < N_ROWS; i++) p->classes[i] = (int32_t) (i * i % 7 % n_classes);
    for (uint32_t g = 0; g < N_COLS; g++) {
        p->n_values[g] = 1;
        for (uint32_t i = 0; i < N_ROWS; i++) {
            p->order[g][i] = i * step[g] % N_ROWS;
            if (i + 1 == N_ROWS || i % (g + 1)) continue;
            p->ties[g][i / 64] |= UINT64_C(1) << i % 64;
            p->n_values[g]++;
        }
    }
    for (uint32_t i = 0; i < N_CANDIDATES; i++) {
        uint32_t f = i % N_COLS, all = !parts || i % 4,
                 threshold = 1 + i * 5 % (p->n_values[f] - 1);
        p->candidates[i] =
            (ct_offload_candidate){all ? 0 : 3, all ? CT_OFFLOAD_ALL : 20,    f,
                               threshold,   {N_ROWS, i % 5 ? N_ROWS : 0}, {1, 1 + i % 9}};
    }
}

/* errors[]: what device `number` answers to all candidates, of the rows with all but the highest
 * values of the second column. */
static ct_status answer(int number, problem *p, int32_t *errors, ct_error *error)
{
    uint32_t *order[N_COLS];
    uint64_t *ties[N_COLS];
    const ct_offload_conditions conditions = {1, {2}, {p->n_values[1] - 5}};
    for (uint32_t g = 0; g < N_COLS; g++) order[g] = p->order[g], ties[g] = p->ties[g];
    const ct_offload_table table = {N_ROWS, N_COLS,  p->n_classes, order,
                                    ties,   N_WORDS, p->n_values,  p->classes};
    ct_offload_device *device;
    CT_TRY(ct_offload_open(number, &table, 1, &device, error));
    ct_offload_queue *queue = ct_offload_queue_at(device, 0);
    const int32_t *found = NULL;
    uint32_t n_rows = 0;
    for (uint32_t i = 0, rank = 0; i < N_ROWS && rank < conditions.threshold[0]; i++, n_rows++)
        rank += (uint32_t) (p->ties[1][i / 64] >> i % 64 & 1);
    ct_status status = ct_offload_begin_rows(queue, &conditions, n_rows);
    if (status == CT_OK)
        status = ct_offload_submit(queue, 0, p->candidates, N_CANDIDATES, p->wanted);
    if (status == CT_OK) status = ct_offload_wait(queue, 0, &found);
    if (status == CT_OK) memcpy(errors, found, N_ERRORS * sizeof *errors);
    else (void) ct_fail(error, status, "device %d: %s", number, ct_offload_why(device));
    ct_offload_close(device);
    return status;
}

/* Runs the search's kernels on CUDA device `device`, with a tiny table, and compares the integers
 * with its host twin's. CT_OK; CT_NO_DEVICE when there is no such device or it does not work;
 * CT_INTERNAL when it answers wrongly. */
static ct_status self_test(int device, ct_error *error)
{
    problem p;
    int32_t expected[N_ERRORS], got[N_ERRORS];
    if (device < 0) return ct_fail(error, CT_NO_DEVICE, "there is no CUDA device %d", device);
    for (uint32_t kind = 0; kind < 4; kind++) {
        fill(&p, 2 + kind / 2, (int) (kind % 2));
        CT_TRY(answer(device, &p, got, error));
        CT_TRY(answer(TWIN, &p, expected, error));
        if (memcmp(got, expected, sizeof got) != 0)
            return ct_fail(error, CT_INTERNAL, "CUDA device %d counts differently from the CPU",
                           device);
    }
    return CT_OK;
}

#endif
