/* The kernels in the vectors of base/simd/vec.h, included once by each kernels_*.c for its
 * instruction set. See pixels/kernels.h for what they do. */
#include "base/simd/vec.h"

typedef uint32_t vec_u32 __attribute__((vector_size(8 * VEC_WORDS), aligned(4)));
typedef int32_t vec_s32 __attribute__((vector_size(8 * VEC_WORDS), aligned(4)));
enum { N32 = 2 * VEC_WORDS };

CT_INLINE vec_u32 load_u32(const uint32_t *from) { return *(const vec_u32 *) (const void *) from; }
CT_INLINE vec_s32 load_s32(const int32_t *from) { return *(const vec_s32 *) (const void *) from; }

CT_INLINE vec_u32 of_four(const uint32_t *const *corner, uint32_t i)
{
    return (load_u32(corner[0] + i) - load_u32(corner[1] + i)) -
           (load_u32(corner[2] + i) - load_u32(corner[3] + i));
}

CT_INLINE void all_corners(const uint32_t *const *corner, int second, uint32_t n, int32_t *out)
{
    for (uint32_t i = 0; i < n; i += N32) {
        if (i + N32 > n) i = n - N32; /* the last vector looks back */
        vec_u32 sum = of_four(corner, i);
        if (second) sum -= of_four(corner + 4, i);
        *(vec_u32 *) (void *) (out + i) = sum;
    }
}

static void corners(const uint32_t *const *corner, unsigned n_corners, uint32_t n, int32_t *out)
{
    if (n < N32) ct_pixel_kernels_scalar.corners(corner, n_corners, n, out);
    else if (n_corners == 8) all_corners(corner, 1, n, out);
    else all_corners(corner, 0, n, out);
}

static void even(const int32_t *values, uint32_t n, const ct_even_bins *bins, unsigned place,
                 uint32_t *codes)
{
    const vec low = l32_set(bins->low), high = l32_set(bins->high);
    const uint32_t shift = bins->shift, times = bins->times;
    for (uint32_t i = 0; i < n; i += N32) {
        vec value = l32_min(l32_max((vec) load_s32(values + i), low), high);
        vec_u32 above = (vec_u32) value - (vec_u32) low;
        *(vec_u32 *) (void *) (codes + i) |= ((above >> shift) * times >> 16) << place;
    }
}

static void between(const int32_t *values, uint32_t n, int32_t first, int32_t second,
                    uint32_t times, uint32_t *codes)
{
    for (uint32_t i = 0; i < n; i += N32) {
        vec_s32 value = load_s32(values + i);
        vec_u32 one = (vec_u32) (value >= first) & times, two = (vec_u32) (value >= second) & times;
        *(vec_u32 *) (void *) (codes + i) += one + two;
    }
}
