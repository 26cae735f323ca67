/* Images that the .Call entries of forests over pixels are given, all at once or one at a time. */
#ifndef CT_R_IMAGE_H
#define CT_R_IMAGE_H

#include "pixels/forest.h"
#include "r/growth.h"

/* What is owned while R may fail, and what leads to R's memory. */
typedef struct {
    ct_pixel_integrals integrals;
    ct_pixel_forest forest;
} r_image_owned;

typedef struct {
    ct_pixel_value_columns columns;
    ct_pixel_source source;
    uint32_t n_images;
} r_images;

/* Height, width and channels of an array of that type. */
const int *r_image_size(SEXP image, int type);

/* Classes of the pixels of an image of that shape, from 1 or NA, as those from 0 or -1. */
void r_image_labels(SEXP labels, const ct_pixel_shape *shape, int16_t *to);

/* Images that functions of R give, by number from 1: `image` an array as in a list of images,
 * `labels` the classes of its pixels. Either must be the same each time, which a hash tells. */
typedef struct {
    ct_pixel_stream stream;
    r_growth *growth;
    r_images *x;
    r_image_owned *owned;
    SEXP image, labels, values;  /* values: a list of the image that is open */
    double scale;
    uint32_t channels;
    uint64_t *hashes[2];         /* [image] of values and of labels; 0: not seen yet */
    const int32_t **columns;     /* [channel][image] */
    int16_t *classes;            /* of the largest image */
} r_image_stream;

/* From a list of `sizes` (of each image height, width and channels), `image` and `labels`. Protect
 * the result as long as growing runs. */
SEXP r_image_stream_init(r_image_stream *s, SEXP list, SEXP control, r_growth *growth, r_images *x,
                         r_image_owned *owned);

#endif
