/* The value of a rectangle feature at a pixel, from the integral images, for host and device. */
#ifndef CT_PIXELS_SUMS_H
#define CT_PIXELS_SUMS_H

#include "base/hd.h"
#include "pixels/source.h"

/* Words of a feature: its rectangle, then the second one; see ct_pixel_rectangle_source(). */
enum { CT_RECT_CHANNEL, CT_RECT_TOP, CT_RECT_BOTTOM, CT_RECT_LEFT, CT_RECT_RIGHT, CT_RECT_WORDS };

/* The sums of one image, borrowed, and what leads to a place in them. */
typedef struct {
    const uint32_t *sums;
    uint32_t stride, plane, centre; /* centre: from a pixel's place without border to that with */
} ct_pixel_sums;

CT_HD ct_pixel_sums ct_pixel_sums_of(const uint32_t *sums, const ct_pixel_shape *shape,
                                     uint32_t radius)
{
    ct_pixel_sums v;
    v.sums = sums;
    v.stride = shape->stride;
    v.plane = shape->stride * (shape->width + 2 * radius + 1);
    v.centre = radius * shape->stride + radius;
    return v;
}

/* Offsets are below 2^31 and the place is inside the image's sums, so that they add up to one that
 * is there, modulo 2^32. */
CT_HD uint32_t ct_pixel_column(const ct_pixel_sums *v, const int32_t *words, int32_t column)
{
    return v->centre + (uint32_t) words[CT_RECT_CHANNEL] * v->plane +
           (uint32_t) column * v->stride;
}

CT_HD uint32_t ct_pixel_sum_at(const ct_pixel_sums *v, const int32_t *words, uint32_t at)
{
    uint32_t before = at + ct_pixel_column(v, words, words[CT_RECT_LEFT]),
             behind = at + ct_pixel_column(v, words, words[CT_RECT_RIGHT] + 1);
    uint32_t above = (uint32_t) words[CT_RECT_TOP], below = (uint32_t) words[CT_RECT_BOTTOM] + 1;
    return v->sums[(uint32_t) (behind + below)] - v->sums[(uint32_t) (behind + above)] -
           v->sums[(uint32_t) (before + below)] + v->sums[(uint32_t) (before + above)];
}

/* No branch depends on the feature: an absent second rectangle is one without rows. */
CT_HD int32_t ct_pixel_value(const ct_pixel_sums *v, const int32_t *words, uint32_t at)
{
    return (int32_t) (ct_pixel_sum_at(v, words, at) -
                      ct_pixel_sum_at(v, words + CT_RECT_WORDS, at));
}

#endif
