/* Integral images of the channels in fixed point, and features that are sums over their rectangles.
 * */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "pixels/source.h"

int32_t ct_pixel_channel_limit(uint32_t radius)
{
    uint32_t side = 2 * radius + 1;
    return (int32_t) ((UINT32_C(1) << 30) / (side * side));
}

static int32_t quantise(double value, double scale, int32_t limit)
{
    double rounded = floor(value * scale + 0.5);
    return rounded > limit ? limit : rounded < -limit ? -limit : (int32_t) rounded;
}

/* One column of the sums below the column of pixels, from the one before. */
static void add_column(const double *pixels, uint32_t height, uint32_t radius, double scale,
                       const uint32_t *before, uint32_t *sums)
{
    int32_t limit = ct_pixel_channel_limit(radius);
    uint32_t sum = 0, row = radius + 1;
    memset(sums, 0, row * sizeof *sums);
    for (uint32_t i = 0; i < height; i++, row++) {
        sum += (uint32_t) quantise(pixels[i], scale, limit);
        sums[row] = before[row] + sum;
    }
    for (uint32_t i = 0; i < radius; i++, row++) sums[row] = sums[row - 1];
}

static void integrate(const double *pixels, uint32_t height, uint32_t width, uint32_t radius,
                      double scale, uint32_t *sums)
{
    size_t stride = height + 2 * (size_t) radius + 1;
    memset(sums, 0, (radius + 1) * stride * sizeof *sums);
    sums += (radius + 1) * stride;
    for (uint32_t col = 0; col < width; col++, sums += stride)
        add_column(pixels + (size_t) col * height, height, radius, scale, sums - stride, sums);
    for (uint32_t i = 0; i < radius; i++, sums += stride)
        memcpy(sums, sums - stride, stride * sizeof *sums);
}

static size_t plane_of(const ct_pixel_integrals *all, uint32_t image)
{
    return (size_t) all->shapes[image].stride * (all->shapes[image].width + 2 * all->radius + 1);
}

static ct_status add_shape(ct_pixel_integrals *all, uint32_t i, const ct_pixel_shape *shape,
                           ct_error *error)
{
    uint64_t around = 2 * (uint64_t) all->radius + 1, stride = shape->height + around,
             plane = stride * (shape->width + around);
    if (plane > INT32_MAX / 4 || plane * all->n_channels > INT32_MAX)
        return ct_fail(error, CT_BAD_INPUT, "image %lu is too large", (unsigned long) i + 1);
    all->shapes[i] = (ct_pixel_shape){shape->height, shape->width, (uint32_t) stride};
    all->sums[i] = NULL;
    all->n_images++;
    return CT_OK;
}

static ct_status add_sums(ct_pixel_integrals *all, uint32_t i, const double *values, double scale,
                          ct_error *error)
{
    const ct_pixel_shape *shape = &all->shapes[i];
    const size_t plane = plane_of(all, i);
    if (!(scale > 0 && scale <= 0x1p1000))
        return ct_fail(error, CT_BAD_INPUT, "no sums can be made of such images");
    all->sums[i] = (uint32_t *) ct_alloc(all->n_channels * plane * sizeof **all->sums);
    if (!all->sums[i]) return ct_fail(error, CT_NO_MEMORY, "no memory for the integral images");
    for (uint32_t channel = 0; channel < all->n_channels; channel++)
        integrate(values + (size_t) channel * shape->height * shape->width, shape->height,
                  shape->width, all->radius, scale, all->sums[i] + channel * plane);
    return CT_OK;
}

static ct_status begin(ct_pixel_integrals *all, uint32_t n_images, uint32_t n_channels,
                       uint32_t radius, ct_simd simd, ct_error *error)
{
    memset(all, 0, sizeof *all);
    if (!n_images || !n_channels || radius > CT_RADIUS)
        return ct_fail(error, CT_BAD_INPUT, "no sums can be made of such images");
    all->n_channels = n_channels;
    all->radius = radius;
    all->simd = simd;
    all->shapes = (ct_pixel_shape *) ct_alloc(n_images * sizeof *all->shapes);
    all->sums = (uint32_t **) ct_alloc(n_images * sizeof *all->sums);
    if (!all->shapes || !all->sums)
        return ct_fail(error, CT_NO_MEMORY, "no memory for the integral images");
    return CT_OK;
}

ct_status ct_pixel_integrals_init(ct_pixel_integrals *all, const ct_pixel *images,
                                  uint32_t n_images, uint32_t n_channels, uint32_t radius,
                                  double scale, ct_simd simd, ct_error *error)
{
    CT_TRY(begin(all, n_images, n_channels, radius, simd, error));
    for (uint32_t i = 0; i < n_images; i++) {
        const ct_pixel_shape shape = {images[i].height, images[i].width, 0};
        CT_TRY(add_shape(all, i, &shape, error));
        CT_TRY(add_sums(all, i, images[i].values, scale, error));
    }
    return CT_OK;
}

ct_status ct_pixel_integrals_begin(ct_pixel_integrals *all, const ct_pixel_shape *shapes,
                                   uint32_t n_images, uint32_t n_channels, uint32_t radius,
                                   ct_simd simd, ct_error *error)
{
    CT_TRY(begin(all, n_images, n_channels, radius, simd, error));
    for (uint32_t i = 0; i < n_images; i++) CT_TRY(add_shape(all, i, &shapes[i], error));
    return CT_OK;
}

ct_status ct_pixel_integrals_open(ct_pixel_integrals *all, uint32_t image, const double *values,
                                  double scale, ct_error *error)
{
    CT_ASSERT(image < all->n_images);
    for (uint32_t i = 0; i < all->n_images; i++) {
        ct_free(all->sums[i]);
        all->sums[i] = NULL;
    }
    return add_sums(all, image, values, scale, error);
}

void ct_pixel_integrals_free(ct_pixel_integrals *all)
{
    for (uint32_t i = 0; i < all->n_images; i++) ct_free(all->sums[i]);
    ct_free(all->sums);
    ct_free(all->shapes);
    memset(all, 0, sizeof *all);
}
