/* Separable convolutions of one channel. */
#ifndef CT_PIXELS_FILTERS_H
#define CT_PIXELS_FILTERS_H

#include <stdint.h>

/* Weights from -radius to radius. */
typedef struct {
    const double *weights; /* [2 radius + 1] borrowed */
    uint32_t radius;
} ct_pixel_weights;

/* out[column][row] = sum over i, j of rows.weights[i] columns.weights[j] from[column + j][row + i],
 * by rows first; beyond the border the nearest pixel counts. `scratch`: height * width doubles.
 * The sums have one order, whatever the threads. */
void ct_pixel_filter(const double *from, uint32_t height, uint32_t width,
                     const ct_pixel_weights *rows, const ct_pixel_weights *columns,
                     unsigned threads, double *scratch, double *out);

#endif
