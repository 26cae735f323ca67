/* Rows to a device and their sums back, some rows at a time: two passes are under way in turn, so
 * that the host reads columns for one while the device predicts the other. How it predicts is
 * another's work. */
#ifndef CT_FORGE_OFFLOAD_PASSES_H
#define CT_FORGE_OFFLOAD_PASSES_H

#include "forge/forged.h"
#include "forge/run.h"
#include "gpu/gpu.h"

/* A pass: its memory for `capacity` rows, and the rows that are under way, if any. */
typedef struct {
    ct_gpu_stream stream;
    ct_gpu_event end;
    ct_gpu_block on_device, on_host;
    uint32_t capacity, first, n;
    void *host_x;
    double *host_out;
    void *x;       /* on the device: [used column][n], floats or doubles */
    double *out;   /* [output][n] */
    char *scratch; /* what the work has asked for */
} ct_forge_pass;

typedef struct {
    const void *of;
    int wide;           /* values as doubles, else as floats */
    uint32_t most_rows; /* of a pass; at least 32 */
    /* Bytes of scratch memory for n rows. */
    size_t (*scratch)(const void *of, uint32_t n_rows);
    /* Starts, in the stream of the pass, what makes `out` of `x`. */
    ct_status (*predict)(const void *of, const ct_forge_pass *pass);
} ct_forge_pass_work;

enum { CT_FORGE_PASSES = 2 };

typedef struct {
    ct_gpu *gpu;
    const ct_forged *forged; /* borrowed */
    ct_forge_pass_work work;
    ct_forge_pass slots[CT_FORGE_PASSES];
} ct_forge_passes;

/* Begins as zeros but for gpu, forged and work. */
void ct_forge_passes_close(ct_forge_passes *passes);

/* As ct_forged_predict. CT_NO_DEVICE where the device was lost, CT_NO_MEMORY where it has none for
 * a pass. */
ct_status ct_forge_passes_run(ct_forge_passes *passes, const ct_column *columns, uint32_t n_rows,
                              const ct_forge_run *run, double *out, ct_error *error);

/* Seconds that predicting n_rows >= 1 rows that are on the device takes: the least of three times,
 * of as many predictions each as take `seconds`. Fails as ct_forge_passes_run; CT_BAD_INPUT where
 * they are more than a pass. */
ct_status ct_forge_passes_time(ct_forge_passes *passes, const ct_column *columns, uint32_t n_rows,
                               const ct_forge_run *run, double seconds, double *taken,
                               ct_error *error);

#endif
