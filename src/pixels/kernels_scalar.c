/* The kernels in portable C: what the other sets are held against. */
#include "pixels/kernels.h"

static void corners(const uint32_t *const *corner, unsigned n_corners, uint32_t n, int32_t *out)
{
    const uint32_t *const *c = corner;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t sum = c[0][i] - c[1][i] - c[2][i] + c[3][i];
        if (n_corners == 8) sum -= c[4][i] - c[5][i] - c[6][i] + c[7][i];
        out[i] = (int32_t) sum;
    }
}

static void even(const int32_t *values, uint32_t n, const ct_even_bins *bins, unsigned place,
                 uint32_t *codes)
{
    for (uint32_t i = 0; i < n; i++) codes[i] |= ct_pixel_even_code(bins, values[i]) << place;
}

static void between(const int32_t *values, uint32_t n, int32_t first, int32_t second,
                    uint32_t times, uint32_t *codes)
{
    for (uint32_t i = 0; i < n; i++)
        codes[i] += times * (uint32_t) ((values[i] >= first) + (values[i] >= second));
}

const ct_pixel_kernels ct_pixel_kernels_scalar = {corners, even, between};
