/* The interface of features for forests over pixels: a feature is drawn by a key, has an integer
 * value at each pixel, and sends pixels down a tree by comparing it. The grower and the walk depend
 * on nothing else of images; `ct_pixel_rectangle_source` and `ct_pixel_column_source` are two
 * implementations.
 */
#ifndef CT_PIXELS_SOURCE_H
#define CT_PIXELS_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "base/hd.h"
#include "base/rng.h"

enum { CT_FEATURE_WORDS = 10 };

/* What the words are is known to the source alone. */
typedef struct {
    int32_t words[CT_FEATURE_WORDS];
} ct_pixel_feature;

/* Pixel (row, column), from 0, of an image lies at column * stride + row. */
typedef struct {
    uint32_t height, width, stride;
} ct_pixel_shape;

/* Pixels of one column of an image, one below the other: at, at + 1, ... */
typedef struct {
    uint32_t at, n;
} ct_pixel_run;

/* Pixels of one image. */
typedef struct {
    uint32_t image, n, n_runs; /* n: of all runs */
    const ct_pixel_run *runs;
} ct_pixels;

/* A pixel goes right where low <= value < low + length, modulo 2^32: a test with two thresholds, or
 * with one where `length` reaches the largest number. A leaf sends pixels to itself: `left` is its
 * own number, `length` 0, and `low` its place among the leaves. */
typedef struct {
    uint32_t left; /* the right child follows it */
    int32_t low;
    uint32_t length, feature;
} ct_pixel_node;

CT_HD uint32_t ct_pixel_next(const ct_pixel_node *node, int32_t value)
{
    return node->left + ((uint32_t) value - (uint32_t) node->low < node->length);
}

/* What `self` of a source is: a device can call none of its functions. */
typedef enum { CT_RECTANGLES, CT_VALUE_COLUMNS } ct_source_kind;

/* Images that come one at a time, as often as they are asked for and the same each time, on the
 * calling thread. */
typedef struct {
    void *self;
    /* Makes this the image whose features have values. 0: growing is to end. */
    int (*open)(void *self, uint32_t image);
    /* Classes of its pixels, until the next call. NULL: growing is to end. */
    const int16_t *(*labels)(void *self, uint32_t image);
} ct_pixel_stream;

typedef struct {
    uint32_t n_images;
    const ct_pixel_shape *shapes; /* [n_images] borrowed */
    ct_source_kind kind;
    const void *self;             /* borrowed */
    /* Draws a feature, the same for the same numbers to come. */
    ct_pixel_feature (*draw)(const void *self, ct_rng *rng);
    /* The value of a feature at each pixel, in order. */
    void (*values)(const void *self, const ct_pixel_feature *feature, const ct_pixels *pixels,
                   int32_t *out);
    /* `steps` down a tree: node_of[i] is where the i-th pixel is. */
    void (*walk)(const void *self, const ct_pixel_node *nodes, const ct_pixel_feature *features,
                 const ct_pixels *pixels, uint32_t steps, uint32_t *node_of);
    const ct_pixel_stream *stream; /* borrowed; NULL: all images are there */
} ct_pixel_source;

/* ---- sums of channels over rectangles, less sums over second ones ---- */

/* Integral images (Viola, Jones 2001) in whole numbers modulo 2^32: a sum that has 32 bits is exact
 * whatever overflowed on the way. Around each image are `radius` places more, so that no rectangle
 * reaches beyond; what is outside counts as 0. Owns its arrays. */
typedef struct {
    uint32_t n_images, n_channels, radius;
    ct_pixel_shape *shapes;
    uint32_t **sums; /* [n_images][channel][column][row] */
    ct_simd simd;
} ct_pixel_integrals;

/* An image: doubles [channel][column][row], all finite; borrowed. */
typedef struct {
    const double *values;
    uint32_t height, width;
} ct_pixel;

enum { CT_RADIUS = 1000 }; /* at most */

/* Values are multiplied by `scale`, a power of two, and rounded; those that then are beyond
 * ct_pixel_channel_limit() are set to it, so that differences of sums have 31 bits and a sign.
 * Freed by ct_pixel_integrals_free, also after a failure. CT_BAD_INPUT: an image is too large. */
ct_status ct_pixel_integrals_init(ct_pixel_integrals *integrals, const ct_pixel *images,
                                  uint32_t n_images, uint32_t n_channels, uint32_t radius,
                                  double scale, ct_simd simd, ct_error *error);
/* The same for images that come one at a time, of which only the shapes are known (but for the
 * strides): none has sums until it is opened, whereupon that before has none. */
ct_status ct_pixel_integrals_begin(ct_pixel_integrals *integrals, const ct_pixel_shape *shapes,
                                   uint32_t n_images, uint32_t n_channels, uint32_t radius,
                                   ct_simd simd, ct_error *error);
ct_status ct_pixel_integrals_open(ct_pixel_integrals *integrals, uint32_t image,
                                  const double *values, double scale, ct_error *error);
void ct_pixel_integrals_free(ct_pixel_integrals *integrals);
int32_t ct_pixel_channel_limit(uint32_t radius);

/* Words of a rectangle feature: channel, top, bottom, left, right, offsets from the pixel with both
 * ends included, and the same of the second rectangle; its bottom is above its top if there is
 * none. */
ct_pixel_source ct_pixel_rectangle_source(const ct_pixel_integrals *integrals);

/* 1 if such words are those of a feature that may be looked up. */
int ct_pixel_rectangle_valid(const ct_pixel_integrals *integrals, const ct_pixel_feature *feature);

/* ---- columns of numbers that are there already ---- */

/* Borrowed. The first word of a feature is the column. */
typedef struct {
    uint32_t n_columns, n_images;
    const ct_pixel_shape *shapes;        /* [n_images] with strides that are the heights */
    const int32_t *const *const *values; /* [column][image][pixel] */
} ct_pixel_value_columns;

ct_pixel_source ct_pixel_column_source(const ct_pixel_value_columns *columns);

#endif
