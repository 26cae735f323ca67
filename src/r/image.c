/* .Call entries of forests over the pixels of images.
 *
 * In R a forest is a list: by tree `number`, `n_nodes`, `n_leaves`, `depth`, `n_features`; `nodes`
 * (four integers a node, as in ct_pixel_node), `features` (CT_FEATURE_WORDS integers each),
 * `counts` of leaves, `n_classes`. Images are arrays [height, width, channel], of doubles for
 * rectangles, of integers where each channel is a feature. */
#include "base/compact.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "pixels/filters.h"
#include "forest/offload/image.h"
#include "forest/offload/pixel_grow.h"
#include "r/forest.h"
#include "r/image.h"

/* ---- images ---- */

static void free_owned(void *memory)
{
    r_image_owned *all = (r_image_owned *) memory;
    ct_pixel_integrals_free(&all->integrals);
    ct_pixel_forest_free(&all->forest);
}

const int *r_image_size(SEXP image, int type)
{
    SEXP dim = Rf_getAttrib(image, R_DimSymbol);
    if (TYPEOF(image) != type || TYPEOF(dim) != INTSXP || Rf_xlength(dim) != 3)
        Rf_error("an image is not valid");
    for (int i = 0; i < 3; i++)
        if (INTEGER_RO(dim)[i] < 1) Rf_error("an image is empty");
    return INTEGER_RO(dim);
}

static uint32_t images_of(SEXP images, int type)
{
    R_xlen_t n = TYPEOF(images) == VECSXP ? Rf_xlength(images) : 0;
    if (n < 1 || n > INT_MAX) Rf_error("there is no image");
    for (R_xlen_t i = 0; i < n; i++)
        if (r_image_size(VECTOR_ELT(images, i), type)[2] !=
            r_image_size(VECTOR_ELT(images, 0), type)[2])
            Rf_error("images have different channels");
    return (uint32_t) n;
}

static void sum_images(SEXP images, SEXP control, r_images *x, ct_pixel_integrals *integrals)
{
    ct_error error;
    x->n_images = images_of(images, REALSXP);
    uint32_t channels = (uint32_t) r_image_size(VECTOR_ELT(images, 0), REALSXP)[2];
    ct_pixel *list = (ct_pixel *) R_alloc(x->n_images, sizeof *list);
    for (uint32_t i = 0; i < x->n_images; i++) {
        const int *size = r_image_size(VECTOR_ELT(images, i), REALSXP);
        list[i] = (ct_pixel){REAL(VECTOR_ELT(images, i)), (uint32_t) size[0], (uint32_t) size[1]};
    }
    r_check(ct_pixel_integrals_init(integrals, list, x->n_images, channels,
                                    r_count(control, "radius"),
                                    r_number(control, "scale"), r_simd(control), &error),
            &error);
    x->source = ct_pixel_rectangle_source(integrals);
}

/* Images whose channels are features, borrowed by columns; memory of the call. */
static void take_columns(SEXP images, r_images *x)
{
    x->n_images = images_of(images, INTSXP);
    uint32_t n = (uint32_t) r_image_size(VECTOR_ELT(images, 0), INTSXP)[2];
    ct_pixel_shape *shapes = (ct_pixel_shape *) R_alloc(x->n_images, sizeof *shapes);
    const int32_t *const **values = (const int32_t *const **) R_alloc(n, sizeof *values);
    for (uint32_t i = 0; i < x->n_images; i++) {
        const int *size = r_image_size(VECTOR_ELT(images, i), INTSXP);
        if ((double) size[0] * size[1] > INT_MAX) Rf_error("an image is too large");
        shapes[i] = (ct_pixel_shape){(uint32_t) size[0], (uint32_t) size[1], (uint32_t) size[0]};
    }
    for (uint32_t k = 0; k < n; k++) {
        const int32_t **own = (const int32_t **) R_alloc(x->n_images, sizeof *own);
        for (uint32_t i = 0; i < x->n_images; i++)
            own[i] = INTEGER_RO(VECTOR_ELT(images, i)) +
                     (size_t) k * shapes[i].height * shapes[i].width;
        values[k] = own;
    }
    x->columns = (ct_pixel_value_columns){n, x->n_images, shapes, values};
    x->source = ct_pixel_column_source(&x->columns);
}

static void take_images(SEXP images, SEXP control, r_images *x, r_image_owned *all)
{
    if (r_number(control, "columns") != 0) take_columns(images, x);
    else sum_images(images, control, x, &all->integrals);
}

/* ---- growing ---- */

/* Reads the two ends of an interval; there is none where the first is not below the second. */
static void take_interval(SEXP ends, ct_pixel_options *o)
{
    if (TYPEOF(ends) != REALSXP || Rf_xlength(ends) != 2 ||
        !(REAL_RO(ends)[0] >= INT32_MIN && REAL_RO(ends)[1] <= INT32_MAX))
        Rf_error("the interval must be two numbers of 32 bits");
    o->has_interval = REAL_RO(ends)[0] < REAL_RO(ends)[1];
    if (!o->has_interval) return;
    o->low = (int32_t) REAL_RO(ends)[0];
    o->high = (int32_t) REAL_RO(ends)[1];
}

static ct_pixel_options options_of(SEXP control)
{
    ct_pixel_options o = {.n_trees = r_count(control, "trees"),
                          .features = r_count(control, "features"),
                          .bins = r_count(control, "bins"),
                          .depth = r_count(control, "depth"),
                          .min_n = r_count(control, "min_n"),
                          .pixels = r_count(control, "pixels"),
                          .seed = r_seed(control),
                          .threads = r_threads(control),
                          .simd = r_simd(control),
                          .time_limit = r_number(control, "time_limit")};
    o.policy = r_number(control, "random") != 0 ? CT_PIXEL_RANDOM : CT_PIXEL_BEST;
    o.rule = (ct_pixel_rule) (r_count(control, "rule") % 3);
    take_interval(r_element(control, "interval"), &o);
    return o;
}

void r_image_labels(SEXP labels, const ct_pixel_shape *shape, int16_t *to)
{
    CT_ASSERT(to && shape->height > 0 && shape->width > 0);
    const R_xlen_t n = (R_xlen_t) shape->height * shape->width;
    const int *given = r_integers(labels, n, "labels");
    for (R_xlen_t k = 0; k < n; k++) {
        const int label = given[k];
        if (label != NA_INTEGER && (label < 1 || label > CT_PIXEL_CLASSES))
            Rf_error("a class is out of range");
        to[k] = (int16_t) (label == NA_INTEGER ? -1 : label - 1);
    }
}

/* Labels of all images; memory of the call. */
static const int16_t *const *labels_of(SEXP labels, const ct_pixel_source *source)
{
    const int16_t **all = (const int16_t **) R_alloc(source->n_images, sizeof *all);
    if (TYPEOF(labels) != VECSXP || (uint32_t) Rf_xlength(labels) != source->n_images)
        Rf_error("there must be labels of each image");
    for (uint32_t i = 0; i < source->n_images; i++) {
        const ct_pixel_shape *shape = &source->shapes[i];
        int16_t *to = (int16_t *) R_alloc((size_t) shape->height * shape->width, sizeof *to);
        r_image_labels(VECTOR_ELT(labels, i), shape, to);
        all[i] = to;
    }
    return all;
}

/* ---- a forest to R ---- */

static SEXP by_tree(const ct_pixel_forest *forest, size_t offset)
{
    SEXP out = Rf_allocVector(INTSXP, forest->n_trees);
    for (uint32_t i = 0; i < forest->n_trees; i++) {
        uint32_t value;
        memcpy(&value, (const char *) &forest->trees[i] + offset, sizeof value);
        INTEGER(out)[i] = (int) value;
    }
    return out;
}

/* Arrays of all trees, one behind the other, as integers: `array` and `number` say where a tree
 * keeps one and its length, in elements of `width` integers. */
static SEXP joined(const ct_pixel_forest *forest, size_t array, size_t number, uint32_t width)
{
    CT_ASSERT(array < sizeof(ct_pixel_tree) && number < sizeof(ct_pixel_tree) && width > 0);
    R_xlen_t n = 0;
    SEXP sizes = PROTECT(by_tree(forest, number));
    for (uint32_t i = 0; i < forest->n_trees; i++) n += (R_xlen_t) INTEGER(sizes)[i] * width;
    SEXP out = Rf_allocVector(INTSXP, n);
    int *to = INTEGER(out);
    for (uint32_t i = 0; i < forest->n_trees; i++) {
        const void *from;
        size_t own = (size_t) INTEGER(sizes)[i] * width;
        memcpy(&from, (const char *) &forest->trees[i] + array, sizeof from);
        CT_ASSERT(from || !own);
        if (own) memcpy(to, from, own * sizeof *to);
        to += own;
    }
    UNPROTECT(1);
    return out;
}

#define PLACE(member) offsetof(ct_pixel_tree, member)

static SEXP forest_list(const ct_pixel_forest *forest)
{
    static const char *const names[] = {"n_classes", "number", "n_nodes", "n_leaves", "depth",
                                        "n_features", "nodes", "features", "counts"};
    SEXP list = PROTECT(r_named_list(names, sizeof names / sizeof *names));
    int i = 0;
    SET_VECTOR_ELT(list, i++, Rf_ScalarInteger((int) forest->n_classes));
    SET_VECTOR_ELT(list, i++, by_tree(forest, PLACE(number)));
    SET_VECTOR_ELT(list, i++, by_tree(forest, PLACE(n_nodes)));
    SET_VECTOR_ELT(list, i++, by_tree(forest, PLACE(n_leaves)));
    SET_VECTOR_ELT(list, i++, by_tree(forest, PLACE(depth)));
    SET_VECTOR_ELT(list, i++, by_tree(forest, PLACE(n_features)));
    SET_VECTOR_ELT(list, i++, joined(forest, PLACE(nodes), PLACE(n_nodes), 4));
    SET_VECTOR_ELT(list, i++, joined(forest, PLACE(features), PLACE(n_features),
                                     CT_FEATURE_WORDS));
    SET_VECTOR_ELT(list, i++, joined(forest, PLACE(counts), PLACE(n_leaves), forest->n_classes));
    UNPROTECT(1);
    return list;
}

/* images: a list of them, whose labels are in one as well; or what r_image_stream_init() takes, and
 * labels are not looked at. */
SEXP ffi_image_grow(SEXP images, SEXP labels, SEXP n_classes, SEXP control)
{
    static const char *const names[] = {"forest", "status", "elapsed", "device", "device_note"};
    static const char *const ends[] = {"complete", "interrupted", "time limit"};
    ct_pixel_options options = options_of(control);
    r_growth growth;
    r_images x;
    r_image_stream stream;
    ct_error error;
    ct_pixel_end end;
    ct_gpu_used used;
    const ct_gpu_choice device = r_device(r_element(control, "device"));
    double start = ct_seconds();
    SEXP handle = PROTECT(r_owner(sizeof(r_image_owned), R_NilValue, free_owned));
    r_image_owned *all = (r_image_owned *) R_ExternalPtrAddr(handle);
    PROTECT(r_callbacks_init(&growth.guard, r_element(control, "report")));
    growth.learner = r_element(control, "learner");
    const int streams = r_number(control, "stream") != 0;
    SEXP kept = R_NilValue;
    if (streams) kept = r_image_stream_init(&stream, images, control, &growth, &x, all);
    else take_images(images, control, &x, all);
    PROTECT(kept);
    const int16_t *const *classes = streams ? NULL : labels_of(labels, &x.source);
    options.stop = r_growth_stop;
    options.report = r_growth_report;
    options.learn = growth.learner == R_NilValue ? NULL : r_growth_learn;
    options.calls = &growth;
    ct_status status = ct_pixel_grow_at(&device, &x.source, classes,
                                        (uint32_t) Rf_asInteger(n_classes), &options,
                                        &all->forest, &end, &used, &error);
    r_callbacks_jump_if(&growth.guard, handle);
    r_check(status, &error);
    SEXP list = PROTECT(r_named_list(names, sizeof names / sizeof *names));
    SET_VECTOR_ELT(list, 0, forest_list(&all->forest));
    CT_ASSERT((size_t) end < sizeof ends / sizeof *ends);
    SET_VECTOR_ELT(list, 1, Rf_mkString(ends[end]));
    SET_VECTOR_ELT(list, 2, Rf_ScalarReal(ct_seconds() - start));
    SET_VECTOR_ELT(list, 3, Rf_mkString(used.name));
    SET_VECTOR_ELT(list, 4, Rf_mkString(used.note));
    r_release(handle);
    UNPROTECT(4);
    return list;
}

/* ---- a forest from R, of which nothing is believed ---- */

static const int *integers_of(SEXP list, const char *name, double n)
{
    SEXP value = r_element(list, name);
    if (TYPEOF(value) != INTSXP || (double) Rf_xlength(value) != n)
        Rf_error("the forest's '%s' is not valid", name);
    return INTEGER_RO(value);
}

static int node_valid(const ct_pixel_tree *tree, uint32_t i, uint32_t *depths)
{
    const ct_pixel_node *node = &tree->nodes[i];
    if (depths[i] > tree->depth || (tree->depth && node->feature >= tree->n_features)) return 0;
    if (node->left == i) return !node->length && (uint32_t) node->low < tree->n_leaves;
    if (node->left <= i || node->left >= tree->n_nodes - 1) return 0;
    depths[node->left] = depths[node->left + 1] = depths[i] + 1;
    return depths[i] < tree->depth;
}

static int feature_valid(const r_images *x, const r_image_owned *all,
                         const ct_pixel_feature *feature)
{
    if (all->integrals.n_images) return ct_pixel_rectangle_valid(&all->integrals, feature);
    return feature->words[0] >= 0 && (uint32_t) feature->words[0] < x->columns.n_columns;
}

static void check_tree(const ct_pixel_tree *tree, const r_images *x, const r_image_owned *all)
{
    CT_ASSERT(tree->n_nodes > 0 && tree->n_leaves > 0);
    const void *top = vmaxget();
    uint32_t *depths = (uint32_t *) R_alloc(tree->n_nodes, sizeof *depths);
    memset(depths, 0, tree->n_nodes * sizeof *depths);
    for (uint32_t i = 0; i < tree->n_nodes; i++)
        if (!node_valid(tree, i, depths)) Rf_error("a node of the forest is not valid");
    for (uint32_t i = 0; i < tree->n_features; i++)
        if (!feature_valid(x, all, &tree->features[i]))
            Rf_error("a feature of the forest is not valid");
    vmaxset(top);
}

static double total(const int *sizes, uint32_t n, int least)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (sizes[i] < least) Rf_error("the forest's sizes are not valid");
        sum += sizes[i];
    }
    return sum;
}

/* The forest of an R list, checked: arrays are borrowed, the trees are memory of the call. */
static ct_pixel_forest forest_of(SEXP list, const r_images *x, const r_image_owned *all)
{
    ct_pixel_forest forest;
    R_xlen_t n = Rf_xlength(r_element(list, "number"));
    int n_classes = Rf_asInteger(r_element(list, "n_classes"));
    if (n < 1 || n > INT_MAX || n_classes < 1 || n_classes > CT_PIXEL_CLASSES)
        Rf_error("the forest is not valid");
    forest = (ct_pixel_forest){(uint32_t) n, (uint32_t) n_classes,
                               (ct_pixel_tree *) R_alloc((size_t) n, sizeof *forest.trees)};
    double trees = (double) n;
    const int *number = integers_of(list, "number", trees),
              *n_nodes = integers_of(list, "n_nodes", trees),
              *n_leaves = integers_of(list, "n_leaves", trees),
              *depth = integers_of(list, "depth", trees),
              *n_features = integers_of(list, "n_features", trees);
    const int *nodes = integers_of(list, "nodes", 4 * total(n_nodes, forest.n_trees, 1));
    const int *features = integers_of(list, "features", CT_FEATURE_WORDS *
                                                            total(n_features, forest.n_trees, 0));
    const int *counts = integers_of(list, "counts",
                                    n_classes * total(n_leaves, forest.n_trees, 1));
    total(depth, forest.n_trees, 0);
    for (uint32_t i = 0; i < forest.n_trees; i++) {
        forest.trees[i] = (ct_pixel_tree){(uint32_t) number[i], (uint32_t) n_nodes[i],
                                          (uint32_t) n_leaves[i], (uint32_t) depth[i],
                                          (uint32_t) n_features[i], (ct_pixel_node *) nodes,
                                          (ct_pixel_feature *) features, (uint32_t *) counts};
        check_tree(&forest.trees[i], x, all);
        nodes += 4 * (size_t) n_nodes[i];
        features += CT_FEATURE_WORDS * (size_t) n_features[i];
        counts += (size_t) n_leaves[i] * forest.n_classes;
    }
    return forest;
}

/* images: a list of one; what: a ct_pixel_output. A vector with a number for each pixel, or for
 * each pixel and class or tree, see r_answer_of(). */
SEXP ffi_image_predict(SEXP list, SEXP images, SEXP what_, SEXP control)
{
    r_images x;
    r_callbacks guard;
    ct_error error;
    ct_gpu_used used;
    const ct_gpu_choice device = r_device(r_element(control, "device"));
    SEXP handle = PROTECT(r_owner(sizeof(r_image_owned), R_NilValue, free_owned));
    r_image_owned *all = (r_image_owned *) R_ExternalPtrAddr(handle);
    PROTECT(r_callbacks_init(&guard, R_NilValue));
    take_images(images, control, &x, all);
    ct_pixel_forest forest = forest_of(list, &x, all);
    CT_ASSERT(x.source.n_images == x.n_images && x.n_images > 0);
    ct_pixel_output what = (ct_pixel_output) (Rf_asInteger(what_) & 3);
    R_xlen_t width = what == CT_PIXEL_LABELS   ? 1
                     : what == CT_PIXEL_LEAVES ? forest.n_trees
                                               : forest.n_classes;
    R_xlen_t n = (R_xlen_t) x.source.shapes[0].height * x.source.shapes[0].width * width;
    SEXP out = PROTECT(Rf_allocVector(what == CT_PIXEL_SHARES ? REALSXP : INTSXP, n));
    ct_halt stop = {r_callbacks_stop, &guard, 0, 0};
    ct_status status =
        ct_pixel_predict_at(&device, &forest, &x.source, 0, what, r_threads(control), &stop,
                            what == CT_PIXEL_SHARES ? (void *) REAL(out) : (void *) INTEGER(out),
                            &used, &error);
    r_release(handle);
    r_callbacks_end(&guard, status, &error);
    UNPROTECT(3);
    return r_answer_of(out, &used);
}

/* Candidates of a level, a column each: the words of the feature, then two places, from 1, in a
 * sample of pixels, whose size is `sample`. control: seed, tree and level (from 0), features,
 * radius, channels, sample. */
SEXP ffi_image_draw(SEXP control)
{
    ct_pixel_integrals all = {.radius = r_count(control, "radius"),
                              .n_channels = r_count(control, "channels")};
    uint32_t n = r_count(control, "features"), m = r_count(control, "sample");
    if (!all.n_channels || all.radius > CT_RADIUS || n > CT_PIXEL_FEATURES || !m)
        Rf_error("no such features can be drawn");
    ct_pixel_source source = ct_pixel_rectangle_source(&all);
    SEXP out = PROTECT(Rf_allocMatrix(INTSXP, CT_FEATURE_WORDS + 2, (int) n));
    for (uint32_t i = 0; i < n; i++) {
        int *to = INTEGER(out) + (size_t) i * (CT_FEATURE_WORDS + 2);
        ct_rng rng = ct_pixel_rng(r_seed(control), r_count(control, "tree"),
                                  r_count(control, "level"), i);
        ct_pixel_feature feature = source.draw(source.self, &rng);
        memcpy(to, feature.words, sizeof feature.words);
        for (int k = 0; k < 2; k++)
            to[CT_FEATURE_WORDS + k] = (int) ct_rng_below(&rng, m) + 1;
    }
    UNPROTECT(1);
    return out;
}

static ct_pixel_weights filter_of(SEXP weights)
{
    R_xlen_t n = TYPEOF(weights) == REALSXP ? Rf_xlength(weights) : 0;
    if (n % 2 != 1 || n > 1 << 20) Rf_error("a filter must have an odd number of weights");
    return (ct_pixel_weights){REAL_RO(weights), (uint32_t) (n / 2)};
}

/* Filters a channel, a matrix of doubles, by rows and columns: a matrix of its size. */
SEXP ffi_image_filter(SEXP channel, SEXP rows, SEXP columns, SEXP threads)
{
    if (TYPEOF(channel) != REALSXP || !Rf_isMatrix(channel) || !Rf_xlength(channel))
        Rf_error("a channel must be a matrix of numbers");
    const ct_pixel_weights first = filter_of(rows), second = filter_of(columns);
    const int height = Rf_nrows(channel), width = Rf_ncols(channel);
    double *scratch = (double *) R_alloc((size_t) Rf_xlength(channel), sizeof *scratch);
    SEXP out = PROTECT(Rf_allocMatrix(REALSXP, height, width));
    ct_pixel_filter(REAL_RO(channel), (uint32_t) height, (uint32_t) width, &first, &second,
                    r_threads_of(threads), scratch, REAL(out));
    UNPROTECT(1);
    return out;
}
