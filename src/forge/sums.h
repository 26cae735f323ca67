/* Sums in the precision that the ensemble defines: floats or doubles, [n_outputs][stride]. */
#ifndef CT_FORGE_SUMS_H
#define CT_FORGE_SUMS_H

#include <stddef.h>

#include "forge/ensemble.h"

static inline void ct_forge_sums_begin(const ct_forge_ensemble *e, void *sums, size_t stride,
                                       uint32_t n)
{
    CT_ASSERT(n <= stride);
    for (uint32_t k = 0; k < e->n_outputs; k++) {
        float base = (float) e->base[k], *narrow = (float *) sums + k * stride;
        double *wide = (double *) sums + k * stride;
        if (e->sum == CT_FORGE_F32)
            for (uint32_t row = 0; row < n; row++) narrow[row] = base;
        else
            for (uint32_t row = 0; row < n; row++) wide[row] = e->base[k];
    }
}

/* The quotient of two floats is the same, rounded once or by way of doubles. */
static inline void ct_forge_sums_end(const ct_forge_ensemble *e, const void *sums, size_t stride,
                                     uint32_t n, double *out, size_t out_stride)
{
    CT_ASSERT(n <= stride && n <= out_stride && e->divisor > 0);
    const double divisor = e->divisor;
    for (uint32_t k = 0; k < e->n_outputs; k++, out += out_stride) {
        const float *narrow = (const float *) sums + k * stride;
        const double *wide = (const double *) sums + k * stride;
        if (e->sum == CT_FORGE_F64)
            for (uint32_t row = 0; row < n; row++) out[row] = wide[row] / divisor;
        else if (divisor != 1)
            for (uint32_t row = 0; row < n; row++) out[row] = (float) (narrow[row] / divisor);
        else
            for (uint32_t row = 0; row < n; row++) out[row] = narrow[row];
    }
}

#endif
