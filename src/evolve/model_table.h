/* The data as the search of model trees sees them: regressors and response as rows z (gram.h),
 * centred (with an intercept) and scaled once, each splitter ranked once, and divided into bins of
 * about equally many rows.
 *
 * From here on a threshold is a rank: a row goes left iff its rank is below. A table owns its
 * arrays; ct_gmt_model_table_free frees them, also after a failure. */
#ifndef CT_EVOLVE_MODEL_TABLE_H
#define CT_EVOLVE_MODEL_TABLE_H

#include <stddef.h>

#include "base/parallel.h"
#include "data/data.h"

enum {
    CT_MODEL_BINS = 254,      /* bins of a splitter at most, and levels of a factor */
    CT_MODEL_REGRESSORS = 250 /* at most */
};
#define CT_RANK_MISSING UINT32_MAX

/* The caller's data, borrowed. */
typedef struct {
    uint32_t n_rows, n_cols;
    const ct_column *columns; /* [n_cols] NaN, and the smallest integer, are missing */
    uint32_t n_regressors;
    const uint32_t *regressors; /* [n_regressors] columns, without missing values */
    uint32_t n_splitters;
    const uint32_t *splitters; /* [n_splitters] columns */
    const uint32_t *n_levels;  /* [n_splitters] 0: ordered; else values are 1 .. n_levels */
    const double *response;    /* [n_rows] finite */
    const double *weights;     /* [n_rows] above 0; NULL: 1 each */
    int no_intercept;          /* models are 0 where all regressors are */
    /* [n_regressors] as model.matrix() has it: columns with the same number enter a model together;
     * NULL: each by itself */
    const uint32_t *assign;
} ct_gmt_model_data;

typedef struct {
    uint32_t n_levels, n_bins, n_ranks;
    uint32_t *rank; /* [n_rows] from 0; a factor's is the code of its level - 1 */
    uint8_t *bin;   /* [n_rows] rows without a value are in bin n_bins */
    /* the first rank of each bin, then n_ranks */
    uint32_t first_rank[CT_MODEL_BINS + 1];
    /* [n_rows] rows by rank, equal ones rising, those without a value last; not for a factor */
    uint32_t *order;
    /* where each bin begins in `order`; the last one has the rows without a value */
    uint32_t bin_begin[CT_MODEL_BINS + 1];
} ct_splitter;

typedef struct {
    uint32_t n_rows, n_splitters;
    /* numbers of a row z: 1, or 0 without an intercept, regressors, response */
    uint32_t p;
    /* the first of these that is not always 0: 0, or 1 without an intercept */
    uint32_t first;
    size_t width, size;     /* of a row z and of a Gram matrix in doubles, padded */
    double *z;              /* [n_rows][width] */
    ct_splitter *splitters; /* [n_splitters] */
    double total;           /* weighted sum of squares of the centred and scaled response */
    /* mean square of the response before it was scaled; 1 if it is constant */
    double unit;
    const uint32_t *assign; /* of the data, borrowed */
    int borrows;            /* z, ranks and orders belong to another table */
} ct_model_table;

/* CT_BAD_INPUT if sizes are out of range or a value is not as it must be. */
ct_status ct_gmt_model_data_check(const ct_gmt_model_data *data, ct_error *error);
ct_status ct_gmt_model_table_init(ct_model_table *table, const ct_gmt_model_data *data,
                                  uint32_t n_bins, unsigned threads, ct_error *error);
/* A table of some rows of another table, with its ranks, and its bins joined to at most n_bins. */
ct_status ct_gmt_model_table_take(ct_model_table *table, const ct_model_table *from,
                                  const uint32_t *rows, uint32_t n_rows, uint32_t n_bins,
                                  ct_error *error);
/* Another table with its bins joined to at most n_bins. `of` must outlive it. */
ct_status ct_gmt_model_table_join(ct_model_table *table, const ct_model_table *of, uint32_t n_bins,
                                  ct_error *error);
void ct_gmt_model_table_free(ct_model_table *table);

#endif
