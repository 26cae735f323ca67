/* Gram matrices of rows z = (1, regressors, response), each multiplied by the square root of its
 * weight: the sum of z z' determines the residual sum of squares of the least-squares model of
 * these rows without reading them again, and the matrix of the union of two row sets is the sum of
 * theirs.
 *
 * A Gram matrix is its lower triangle, row after row, each padded to a multiple of four numbers, so
 * that an addition is one loop over vectors; the padding may hold anything. Rows z are padded with
 * zeros. */
#ifndef CT_EVOLVE_GRAM_H
#define CT_EVOLVE_GRAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "base/hd.h"

enum {
    CT_GRAM_STEP = 4,     /* numbers to a multiple of which rows are padded */
    CT_GRAM_LANES = 8,    /* matrices that are solved at a time */
    CT_GRAM_COLUMNS = 256 /* of z, at most */
};

/* Numbers from the start of the triangle to that of its row i. */
CT_HD size_t ct_gram_row(size_t i)
{
    size_t block = i / CT_GRAM_STEP, rest = i % CT_GRAM_STEP;
    return CT_GRAM_STEP * (block + 1) * (2 * block + rest);
}

/* Numbers of a row z of p, padded; of the matrix of such rows. */
static inline size_t ct_gram_width(size_t p)
{
    return (p + CT_GRAM_STEP - 1) / CT_GRAM_STEP * CT_GRAM_STEP;
}
static inline size_t ct_gram_size(size_t p) { return ct_gram_row(p); }

/* What each instruction set has code of its own for; all give the same result to the last bit,
 * since no sum changes its order and no product is added before it is rounded. */
typedef struct {
    /* sums[bucket[i]] += z z' of row rows[i] of `z`, for the n rows in their order. */
    void (*add)(double *sums, const uint32_t *bucket, const double *z, const uint32_t *rows,
                uint32_t n, uint32_t p);
    /* Adds the rows, all to one matrix. */
    void (*sum)(double *sum, const double *z, const uint32_t *rows, uint32_t n, uint32_t p);
    /* For CT_GRAM_LANES matrices of p columns, numbers [entry][lane] in `s`, which is overwritten:
     * the sum of squares that the model of the first p - 1 columns leaves of the last one, and how
     * many of these columns are no linear combination of those before (to 1e-10 of their
     * squares). */
    void (*pivots)(double *s, uint32_t p, double *sse, double *terms);
    /* to += more, matrices of p columns. */
    void (*join)(double *to, const double *more, uint32_t p);
    /* Joins CT_GRAM_LANES matrices, numbers [entry][lane]; `copy` becomes the sum, too. */
    void (*join_lanes)(double *to, const double *more, double *copy, uint32_t p);
} ct_gram_kernels;

CT_DECLARE_KERNELS(const ct_gram_kernels, ct_gram)

#endif
