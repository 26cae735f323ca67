/* Sums in the precision that the ensemble defines: floats or doubles, [n_outputs][stride]. */
#ifndef CT_FORGE_SUMS_H
#define CT_FORGE_SUMS_H

#include <stddef.h>

#include "forge/ensemble.h"

static inline void ct_sums_begin(const ct_ensemble *e, void *sums, size_t stride, uint32_t n)
{
    for (uint32_t k = 0; k < e->n_outputs; k++)
        for (uint32_t row = 0; row < n; row++) {
            if (e->sum == CT_F32) ((float *) sums)[k * stride + row] = (float) e->base[k];
            else ((double *) sums)[k * stride + row] = e->base[k];
        }
}

/* The quotient of two floats is the same, rounded once or by way of doubles. */
static inline void ct_sums_end(const ct_ensemble *e, const void *sums, size_t stride, uint32_t n,
                               double *out, size_t out_stride)
{
    for (uint32_t k = 0; k < e->n_outputs; k++)
        for (uint32_t row = 0; row < n; row++) {
            size_t at = k * stride + row;
            double sum = e->sum == CT_F32 ? (double) ((const float *) sums)[at]
                                          : ((const double *) sums)[at];
            if (e->divisor != 1) sum /= e->divisor;
            out[k * out_stride + row] = e->sum == CT_F32 ? (float) sum : sum;
        }
}

#endif
