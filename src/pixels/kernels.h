/* The hot loops over pixels: differences of integral images, and values to codes. One table of
 * functions an instruction set; integers alone, so that all give the same. */
#ifndef CT_PIXELS_KERNELS_H
#define CT_PIXELS_KERNELS_H

#include <stdint.h>

#include "base/cpu.h"
#include "base/hd.h"

enum { CT_PIXEL_PAD = 16 }; /* buffers of codes end at a multiple of it */

/* Values from `low` on in bins of one width: ((value - low) >> shift) * times >> 16, after values
 * outside low .. high have been moved to these. */
typedef struct {
    int32_t low, high;
    uint32_t shift, times;
} ct_even_bins;

CT_HD uint32_t ct_pixel_even_code(const ct_even_bins *bins, int32_t value)
{
    const int32_t inside = value < bins->low ? bins->low : value > bins->high ? bins->high : value;
    return (((uint32_t) inside - (uint32_t) bins->low) >> bins->shift) * bins->times >> 16;
}

typedef struct {
    /* out[i] = a[i] - b[i] - c[i] + d[i] modulo 2^32 for the corners a, b, c, d of a rectangle,
     * less the same of a second one (n_corners 8). */
    void (*corners)(const uint32_t *const *corner, unsigned n_corners, uint32_t n, int32_t *out);
    /* codes[i] |= bin << place, for n rounded up to CT_PIXEL_PAD. */
    void (*even)(const int32_t *values, uint32_t n, const ct_even_bins *bins, unsigned place,
                 uint32_t *codes);
    /* codes[i] += times * (how many of first <= second are at most the value); n as above. */
    void (*between)(const int32_t *values, uint32_t n, int32_t first, int32_t second,
                    uint32_t times, uint32_t *codes);
} ct_pixel_kernels;

CT_DECLARE_KERNELS(const ct_pixel_kernels, ct_pixel_kernels)

#endif
