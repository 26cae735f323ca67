/* Predictions with a forged ensemble. All methods give what ensemble.h defines, bit for bit. */
#ifndef CT_FORGE_RUN_H
#define CT_FORGE_RUN_H

#include "base/cpu.h"
#include "base/parallel.h"
#include "data/data.h"
#include "forge/forged.h"

typedef enum {
    CT_FORGE_WAY_AUTO, /* planes where they pay */
    CT_FORGE_WAY_PLANES,
    CT_FORGE_WAY_WALK
} ct_forge_way;

/* Memory of workers by planes that is kept for the next run of the same ensemble: what lies where
 * it was is still in the caches of the processors. Zeros: none yet. For one run at a time. */
typedef struct {
    ct_budget budget;
    ct_arena arena;
    void **of; /* [n] of each worker */
    unsigned n;
} ct_forge_scratch_pool;

void ct_forge_scratch_pool_free(ct_forge_scratch_pool *scratches);

typedef struct {
    ct_forge_way way;
    unsigned threads;
    ct_simd simd;                /* of planes */
    ct_halt *stop;               /* NULL: none. Once it says so, rows may be missing */
    ct_forge_scratch_pool *kept; /* the caller's; NULL: memory is freed after the run */
    uint32_t block;              /* rows of a block of planes, at most CT_FORGE_BLOCK; 0: these */
} ct_forge_run;

/* The least number of rows for which AUTO takes planes; UINT32_MAX if there are none. */
uint32_t ct_forged_planes_from(const ct_forged *forged);

/* The sums of n_rows rows, out[n_outputs][n_rows]. columns: [n_features], read where a node asks
 * for them. CT_BAD_INPUT where planes are asked for and there are none, CT_NO_MEMORY. */
ct_status ct_forged_predict(const ct_forged *forged, const ct_column *columns, uint32_t n_rows,
                            const ct_forge_run *run, double *out, ct_error *error);

/* The maker's numbers of the leaves, out[n_trees][n_rows]. */
ct_status ct_forged_leaves(const ct_forged *forged, const ct_column *columns, uint32_t n_rows,
                           const ct_forge_run *run, int32_t *out, ct_error *error);

#endif
