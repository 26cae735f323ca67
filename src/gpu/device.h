/* The one door to the GPU: plain C, no CUDA type and no CUDA header passes through it; batches go in, integers come out.
 *
 * device.cu answers where the package was built with CUDA, device_stub.c elsewhere, so that callers need no #ifdef.
 * Nothing here prints, exits or leaves an error behind in the CUDA runtime.
 *
 * What the search asks of a device is asked of its host twin in the same words: the twin runs the very bodies of the kernels
 * on the CPU, lane by lane, slowly, and returns the same integers. It is there for tests. */
#ifndef CT_GPU_DEVICE_H
#define CT_GPU_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CT_DEVICE_MAX = 16 }; /* devices beyond are not listed and not used */

typedef struct {
    char name[256];
    size_t memory;    /* bytes on the device */
    int major, minor; /* compute capability */
} ct_device;

typedef struct {
    int compiled;     /* 1: this build has CUDA code */
    int n_devices;    /* devices described below; 0 means that none can be used */
    char reason[256]; /* why there is no device; empty when there is one */
    ct_device device[CT_DEVICE_MAX];
} ct_device_list;

/* Fills the caller's *list. Never fails: whatever is wrong is told in `reason`. Asks the driver and nothing more, so
 * no memory is taken on a device. The first call takes as long as loading the driver takes. */
void ct_device_query(ct_device_list *list);

/* Runs the search's kernels on device number `device`, with a tiny table, and compares the integers with its host twin's.
 * CT_OK; CT_NO_DEVICE when there is no such device or it does not work; CT_INTERNAL when it answers wrongly. */
ct_status ct_device_self_test(int device, ct_error *error);

/* ---- a device at work ---- */

/* A device that holds a table, and one of its queues for each thread that has work for it. A call to a queue that returns 0
 * or NULL has lost the device for good: whatever was under way is void, all later calls fail at once, and ct_gpu_why says
 * why. Nothing else may fail. Queues are independent of each other; one is used by one thread at a time. */
typedef struct ct_gpu ct_gpu;
typedef struct ct_gpu_queue ct_gpu_queue;

enum {
    CT_GPU_CLASSES = 64,    /* more are left to the CPU */
    CT_GPU_CONDITIONS = 16, /* on the way to a row set */
    CT_GPU_SLOTS = 2,       /* batches under way in one queue */
    CT_GPU_POINTS = 1024    /* of a batch */
};

#define CT_GPU_ALL UINT32_MAX

/* As data/table.h has it. Borrowed until ct_gpu_close: a device whose memory is too small for all columns is sent them over
 * and over, some at a time. */
typedef struct {
    uint32_t n_rows, n_cols, n_classes;
    uint32_t *const *order;   /* [g][n_rows] */
    uint64_t *const *ties;    /* [g][tie_words] */
    size_t tie_words;
    const uint32_t *n_values; /* [g] */
    const int32_t *classes;   /* [row] */
} ct_gpu_table;

/* The rows whose rank in column line / 2 is below the threshold (line even) or not below it (odd), for all n. */
typedef struct {
    uint32_t n;
    uint32_t line[CT_GPU_CONDITIONS], threshold[CT_GPU_CONDITIONS];
} ct_gpu_conditions;

/* A split of the row set, or of a part of it: the rows that a condition leaves, as ct_gpu_conditions has them (line 0 and
 * threshold CT_GPU_ALL leave all). Rows whose rank in the column is below the threshold are the split's left side. */
typedef struct {
    uint32_t part_line, part_threshold;
    uint32_t feature, threshold;
    int32_t need[2];      /* by side: errors from here on need not be told apart; 0: the side is not wanted */
    uint32_t min_rows[2]; /* by side: the least rows of each part of an allowed split, at least 1 */
} ct_gpu_point;

/* number: of the CUDA device; -1: the twin. CT_NO_DEVICE with a message if it cannot be used (or has no memory even for one
 * column at a time), CT_NO_MEMORY if the host has none; n_queues >= 1. */
ct_status ct_gpu_open(int number, const ct_gpu_table *table, unsigned n_queues, ct_gpu **gpu, ct_error *error);
void ct_gpu_close(ct_gpu *gpu); /* takes NULL */
/* NULL if there is memory on the device for fewer queues. */
ct_gpu_queue *ct_gpu_queue_at(ct_gpu *gpu, unsigned i);
/* How many columns it has at a time. */
uint32_t ct_gpu_window(const ct_gpu *gpu);

int ct_gpu_is_lost(const ct_gpu *gpu);
/* What lost it, when it is. */
const char *ct_gpu_why(const ct_gpu *gpu);

/* Begins a row set, of n_rows >= 1 rows. The batches of the one before must have been waited for. */
int ct_gpu_begin_rows(ct_gpu_queue *queue, const ct_gpu_conditions *conditions, uint32_t n_rows);
/* How many points a batch of this row set may have, at most CT_GPU_POINTS. */
uint32_t ct_gpu_room(const ct_gpu_queue *queue);

/* Starts a batch in a slot that has none under way; the points are copied. */
int ct_gpu_submit(ct_gpu_queue *queue, unsigned slot, const ct_gpu_point *points, uint32_t n_points);
/* Waits for it. [point][side][any, allowed][column] the least errors of a split on the column in that side of the point,
 * over splits of any size and over allowed ones: exact if below the side's need, else a lower bound that is not below it. 0
 * for sides that are not wanted. Valid until the slot is used again. */
const int32_t *ct_gpu_wait(ct_gpu_queue *queue, unsigned slot);

/* For tests: the k-th call to the twin from now on fails, and all after it; 0: none. Returns how many calls were made since
 * this was last called. */
long ct_gpu_twin_fail_at(long k);
/* ... how much memory on the device it pretends to have; SIZE_MAX: any. */
void ct_gpu_twin_memory(size_t bytes);
/* ... and how many of its blocks of memory there are now. */
long ct_gpu_twin_blocks(void);

#ifdef __cplusplus
}
#endif

#endif
