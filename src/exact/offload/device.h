/* A device that holds a table, and counts on it for the search: batches of thresholds go in, errors
 * come out.
 *
 * What is asked of a GPU is asked of its host twin in the same words: the twin runs the very bodies
 * of the kernels on the CPU, lane by lane, and returns the same integers. */
#ifndef CT_EXACT_OFFLOAD_DEVICE_H
#define CT_EXACT_OFFLOAD_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The device with the table, and a queue for each thread that has work for it. Queues are
 * independent of each other; one is used by one thread at a time. A call that does not return CT_OK
 * has lost the device for good, for all queues, as gpu/gpu.h has it; nothing else may fail. */
typedef struct ct_offload_device ct_offload_device;
typedef struct ct_offload_queue ct_offload_queue;

enum {
    CT_OFFLOAD_CLASSES = 96,    /* that a scan has memory for; more are left to the CPU */
    CT_OFFLOAD_CONDITIONS = 16, /* on the way to a row set */
    CT_OFFLOAD_SLOTS = 2,       /* batches under way in one queue */
    CT_OFFLOAD_CANDIDATES = 1024    /* of a batch */
};

#define CT_OFFLOAD_ALL UINT32_MAX

/* A table (data/table.h). Borrowed until ct_offload_close: a device whose memory is too small for
 * all columns is sent them over and over, some at a time. */
typedef struct {
    uint32_t n_rows, n_cols, n_classes;
    uint32_t *const *order;   /* [g][n_rows] */
    uint64_t *const *ties;    /* [g][tie_words] */
    size_t tie_words;
    const uint32_t *n_values; /* [g] */
    const int32_t *classes;   /* [row] */
} ct_offload_table;

/* The rows whose rank in column line / 2 is below the threshold (line even) or not below it (odd),
 * for all n. */
typedef struct {
    uint32_t n;
    uint32_t line[CT_OFFLOAD_CONDITIONS], threshold[CT_OFFLOAD_CONDITIONS];
} ct_offload_conditions;

/* A split of the row set, or of a part of it: the rows that a condition leaves, as
 * ct_offload_conditions has them (line 0 and threshold CT_OFFLOAD_ALL leave all). Rows whose rank
 * in the column is below the threshold are the split's left side. */
typedef struct {
    uint32_t part_line, part_threshold;
    uint32_t feature, threshold;
    /* By side: errors from here on need not be told apart; 0: the side is not wanted. */
    int32_t need[2];
    uint32_t min_rows[2]; /* by side: the least rows of each part of an allowed split, at least 1 */
} ct_offload_candidate;

/* number: of the CUDA device; -1: the twin. CT_NO_DEVICE with a message if it cannot be used (or
 * has no memory even for one column at a time), CT_NO_MEMORY if the host has none; n_queues >=
 * 1. */
ct_status ct_offload_open(int number, const ct_offload_table *table, unsigned n_queues,
                          ct_offload_device **device, ct_error *error);
void ct_offload_close(ct_offload_device *device); /* takes NULL */
/* NULL if there is memory on the device for fewer queues. */
ct_offload_queue *ct_offload_queue_at(ct_offload_device *device, unsigned i);
/* How many columns it has at a time. */
uint32_t ct_offload_window(const ct_offload_device *device);

int ct_offload_is_lost(const ct_offload_device *device);
/* What lost it, when it is. */
const char *ct_offload_why(const ct_offload_device *device);

/* Begins a row set, of n_rows >= 1 rows. The batches of the one before must have been waited
 * for. */
ct_status ct_offload_begin_rows(ct_offload_queue *queue, const ct_offload_conditions *conditions,
                                uint32_t n_rows);
/* How many candidates a batch of this row set may have, at most CT_OFFLOAD_CANDIDATES. */
uint32_t ct_offload_room(const ct_offload_queue *queue);

/* The words of `wanted` below, for n candidates. */
size_t ct_offload_wanted_words(uint32_t n_cols, uint32_t n_candidates);

/* Starts a batch in a slot that has none under way; what is handed in is copied. Bit p of
 * wanted[group][side][column]: the column is wanted for that side of candidate 32 group + p; the
 * device spends less where neighbours in a batch want the same. NULL: all are. */
ct_status ct_offload_submit(ct_offload_queue *queue, unsigned slot,
                            const ct_offload_candidate *candidates, uint32_t n_candidates,
                            const uint32_t *wanted);
/* Waits for it. (*errors)[candidate][side][any, allowed][column] is the least errors of a split on
 * the column in that side of the candidate, over splits of any size and over allowed ones: exact if
 * below the side's need, else a lower bound that is not below it. 0 for sides and columns that are
 * not wanted. Valid until the slot is used again; NULL where the device is lost. */
ct_status ct_offload_wait(ct_offload_queue *queue, unsigned slot, const int32_t **errors);

#ifdef __cplusplus
}
#endif

#endif
