#include "base/compact.h"

#include <limits.h>
#include <string.h>

#include "data/hash.h"
#include "r/image.h"

/* A call of an R function for one image. */
typedef struct {
    r_image_stream *s;
    uint32_t image;
} image_call;

static SEXP call_with_image(SEXP function, uint32_t image)
{
    SEXP call = PROTECT(Rf_lang2(function, Rf_ScalarInteger((int) image + 1)));
    SEXP value = Rf_eval(call, R_GlobalEnv);
    UNPROTECT(1);
    return value;
}

static void check_hash(uint64_t *seen, uint64_t hash, const char *what, uint32_t image)
{
    hash += !hash;
    if (!*seen) *seen = hash;
    if (*seen != hash)
        r_fail("the function '%s' does not give the same for image %lu each time", what,
               (unsigned long) image + 1);
}

static uint64_t hash_of(SEXP value)
{
    CT_ASSERT(TYPEOF(value) == REALSXP || TYPEOF(value) == INTSXP);
    uint64_t hash = 1;
    for (R_xlen_t i = 0; i < Rf_xlength(value); i++)
        hash = TYPEOF(value) == REALSXP ? ct_hash_double(hash, REAL_RO(value)[i])
                                        : ct_hash(hash, (uint32_t) INTEGER_RO(value)[i]);
    return hash;
}

/* ---- images ---- */

static SEXP open_in_r(void *data)
{
    const image_call *a = (const image_call *) data;
    CT_ASSERT(a->image < a->s->x->n_images);
    r_image_stream *s = a->s;
    const ct_pixel_shape *shape = &s->x->source.shapes[a->image];
    const int columns = s->x->source.kind == CT_VALUE_COLUMNS;
    SEXP value = PROTECT(call_with_image(s->image, a->image));
    const int *size = r_image_size(value, columns ? INTSXP : REALSXP);
    if ((uint32_t) size[0] != shape->height || (uint32_t) size[1] != shape->width ||
        (uint32_t) size[2] != s->channels)
        r_fail("the function 'images' gives image %lu another size than before",
               (unsigned long) a->image + 1);
    check_hash(&s->hashes[0][a->image], hash_of(value), "images", a->image);
    SET_VECTOR_ELT(s->values, 0, value);
    if (columns)
        for (uint32_t k = 0; k < s->channels; k++)
            s->columns[(size_t) k * s->x->n_images + a->image] =
                INTEGER_RO(value) + (size_t) k * shape->height * shape->width;
    else {
        ct_error error;
        r_check(ct_pixel_integrals_open(&s->owned->integrals, a->image, REAL_RO(value), s->scale,
                                        &error),
                &error);
    }
    UNPROTECT(1);
    return R_NilValue;
}

static int open_image(void *self, uint32_t image)
{
    r_image_stream *s = (r_image_stream *) self;
    image_call a = {s, image};
    return r_callbacks_call(&s->growth->guard, open_in_r, &a);
}

/* ---- labels ---- */

static SEXP label_in_r(void *data)
{
    const image_call *a = (const image_call *) data;
    CT_ASSERT(a->image < a->s->x->n_images);
    SEXP labels = PROTECT(call_with_image(a->s->labels, a->image));
    r_image_labels(labels, &a->s->x->source.shapes[a->image], a->s->classes);
    check_hash(&a->s->hashes[1][a->image], hash_of(labels), "labels", a->image);
    UNPROTECT(1);
    return R_NilValue;
}

static const int16_t *labels_of_image(void *self, uint32_t image)
{
    r_image_stream *s = (r_image_stream *) self;
    image_call a = {s, image};
    return r_callbacks_call(&s->growth->guard, label_in_r, &a) ? s->classes : NULL;
}

/* ---- before the first image ---- */

/* Memory of the call, in which the columns of an image are entered when it is opened. */
static void begin_columns(r_image_stream *s, const ct_pixel_shape *shapes)
{
    const size_t n = s->x->n_images;
    CT_ASSERT(n > 0 && s->channels > 0);
    const int32_t *const **values = (const int32_t *const **) R_alloc(s->channels, sizeof *values);
    s->columns = (const int32_t **) R_alloc(s->channels * n, sizeof *s->columns);
    memset(s->columns, 0, s->channels * n * sizeof *s->columns);
    for (uint32_t k = 0; k < s->channels; k++) values[k] = s->columns + k * n;
    s->x->columns = (ct_pixel_value_columns){s->channels, s->x->n_images, shapes, values};
    s->x->source = ct_pixel_column_source(&s->x->columns);
}

static void begin_rectangles(r_image_stream *s, const ct_pixel_shape *shapes, SEXP control)
{
    ct_error error;
    r_check(ct_pixel_integrals_begin(&s->owned->integrals, shapes, s->x->n_images, s->channels,
                                     r_count(control, "radius"), r_simd(control), &error),
            &error);
    s->x->source = ct_pixel_rectangle_source(&s->owned->integrals);
}

/* Reads sizes of images into memory of the call; returns the pixels of the largest. */
static size_t shapes_of(SEXP sizes, r_image_stream *s, ct_pixel_shape **shapes)
{
    size_t most = 0;
    const R_xlen_t n = TYPEOF(sizes) == INTSXP ? Rf_xlength(sizes) / 3 : 0;
    if (n < 1 || n > INT_MAX) Rf_error("there is no image");
    s->x->n_images = (uint32_t) n;
    *shapes = (ct_pixel_shape *) R_alloc((size_t) n, sizeof **shapes);
    for (R_xlen_t i = 0; i < n; i++) {
        const int *own = INTEGER_RO(sizes) + 3 * i;
        if (own[0] < 1 || own[1] < 1 || own[2] < 1 || own[2] != INTEGER_RO(sizes)[2] ||
            (double) own[0] * own[1] > INT_MAX)
            Rf_error("a size of an image is not valid");
        (*shapes)[i] = (ct_pixel_shape){(uint32_t) own[0], (uint32_t) own[1], (uint32_t) own[0]};
        const size_t pixels = (size_t) own[0] * (size_t) own[1];
        if (pixels > most) most = pixels;
    }
    s->channels = (uint32_t) INTEGER_RO(sizes)[2];
    return most;
}

SEXP r_image_stream_init(r_image_stream *s, SEXP list, SEXP control, r_growth *growth, r_images *x,
                         r_image_owned *owned)
{
    ct_pixel_shape *shapes;
    memset(s, 0, sizeof *s);
    s->stream = (ct_pixel_stream){s, open_image, labels_of_image};
    s->growth = growth;
    s->x = x;
    s->owned = owned;
    s->image = r_element(list, "image");
    s->labels = r_element(list, "labels");
    s->scale = r_number(control, "scale");
    const size_t most = shapes_of(r_element(list, "sizes"), s, &shapes);
    s->classes = (int16_t *) R_alloc(most, sizeof *s->classes);
    for (int i = 0; i < 2; i++) {
        s->hashes[i] = (uint64_t *) R_alloc(x->n_images, sizeof **s->hashes);
        memset(s->hashes[i], 0, x->n_images * sizeof **s->hashes);
    }
    if (r_number(control, "columns") != 0) begin_columns(s, shapes);
    else begin_rectangles(s, shapes, control);
    x->source.stream = &s->stream;
    return s->values = Rf_allocVector(VECSXP, 1);
}
