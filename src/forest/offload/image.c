#include "base/compact.h"

#include "forest/offload/image.h"

#include "base/memory.h"
#include "forest/offload/cost.h"
#include "forest/offload/kernels.h"
#include "gpu/gpu.h"

enum { MOST_LEAVES = 1 << 24, FEWEST_PIXELS = 1024 }; /* of a chunk, those of all trees */

typedef struct {
    const ct_pixel_forest *forest;
    const ct_pixel_source *source;
    uint32_t image;
    ct_pixel_output what;
    ct_halt *stop;
    void *out;
    ct_gpu *gpu;
    ct_gpu_stream stream;
    ct_gpu_block block;
    size_t n_pixels, n_nodes, n_features, n_leaves;
    uint32_t chunk;          /* pixels */
    ct_pixel_begin *trees;   /* [tree] as they are sent, as both below */
    uint32_t *shares;
    ct_pixel_view view;
} walker;

/* ---- memory ---- */

/* Values on the device: the image's sums, or columns. */
static size_t value_count(const walker *w)
{
    if (w->source->kind == CT_VALUE_COLUMNS)
        return ((const ct_pixel_value_columns *) w->source->self)->n_columns * w->n_pixels;
    const ct_pixel_integrals *all = (const ct_pixel_integrals *) w->source->self;
    const ct_pixel_shape *shape = &w->source->shapes[w->image];
    return ct_pixel_sums_of(NULL, shape, all->radius).plane * (size_t) all->n_channels;
}

size_t ct_pixel_output_bytes(const ct_pixel_forest *forest, size_t n_pixels, ct_pixel_output what)
{
    switch (what) {
    case CT_PIXEL_LEAVES: return n_pixels * forest->n_trees * sizeof(int32_t);
    case CT_PIXEL_VOTES: return n_pixels * forest->n_classes * sizeof(int32_t);
    case CT_PIXEL_SHARES: return n_pixels * forest->n_classes * sizeof(double);
    default: return n_pixels * sizeof(int32_t);
    }
}

static size_t cut(ct_pixel_view *v, const walker *w, char *memory)
{
    ct_gpu_cutter c = {memory, 0};
    const ct_pixel_forest *f = w->forest;
    v->nodes = (const ct_pixel_node *) ct_gpu_cut(&c, w->n_nodes * sizeof *v->nodes);
    v->features = (const ct_pixel_feature *) ct_gpu_cut(&c, w->n_features * sizeof *v->features);
    v->shares = (const uint32_t *) ct_gpu_cut(&c, w->n_leaves * f->n_classes * sizeof *v->shares);
    v->trees = (const ct_pixel_begin *) ct_gpu_cut(&c, f->n_trees * sizeof *v->trees);
    const void *values = ct_gpu_cut(&c, value_count(w) * sizeof(uint32_t));
    v->columns = w->source->kind == CT_VALUE_COLUMNS ? (const int32_t *) values : NULL;
    v->image.sums = (const uint32_t *) values;
    v->leaves = (uint32_t *) ct_gpu_cut(&c, (size_t) w->chunk * f->n_trees * sizeof *v->leaves);
    v->sums = (uint64_t *) ct_gpu_cut(&c, (size_t) w->chunk * f->n_classes * sizeof *v->sums);
    v->out = ct_gpu_cut(&c, ct_pixel_output_bytes(f, w->n_pixels, w->what));
    return c.used;
}

static ct_status plan_memory(walker *w, ct_error *error)
{
    ct_pixel_view planned;
    size_t room, needed, most = MOST_LEAVES / w->forest->n_trees;
    if (ct_gpu_room(w->gpu, &room) != CT_OK)
        return ct_fail(error, CT_NO_DEVICE, "%s", ct_gpu_why(w->gpu));
    if (most < FEWEST_PIXELS) most = FEWEST_PIXELS;
    for (w->chunk = (uint32_t) (most < w->n_pixels ? most : w->n_pixels);; w->chunk /= 2) {
        needed = cut(&planned, w, NULL);
        if (needed <= room) return CT_OK;
        if (w->chunk <= FEWEST_PIXELS) break;
    }
    return ct_fail(error, CT_NO_DEVICE,
                   "the image takes %.3g GB on the device even with few pixels at a time, and %.3g "
                   "GB are free",
                   (double) needed / 1e9, (double) room / 1e9);
}

/* ---- forest and image go to the device ---- */

/* 0 if memory ends. */
static int make_trees(walker *w)
{
    const ct_pixel_forest *f = w->forest;
    w->trees = (ct_pixel_begin *) ct_alloc(f->n_trees * sizeof *w->trees);
    if (!w->trees) return 0;
    for (uint32_t i = 0; i < f->n_trees; i++) {
        const ct_pixel_tree *tree = &f->trees[i];
        w->trees[i] = (ct_pixel_begin){(uint32_t) w->n_nodes, (uint32_t) w->n_features,
                                       (uint32_t) w->n_leaves, tree->depth};
        w->n_nodes += tree->n_nodes;
        w->n_features += tree->n_features;
        w->n_leaves += tree->n_leaves;
    }
    w->shares = (uint32_t *) ct_alloc(w->n_leaves * f->n_classes * sizeof *w->shares);
    for (uint32_t i = 0; w->shares && i < f->n_trees; i++)
        ct_pixel_shares(&f->trees[i], f->n_classes, w->what == CT_PIXEL_VOTES,
                        w->shares + (size_t) w->trees[i].leaf * f->n_classes);
    return w->shares != NULL;
}

static ct_status send_trees(const walker *w)
{
    const ct_pixel_view *v = &w->view;
    for (uint32_t i = 0; i < w->forest->n_trees; i++) {
        const ct_pixel_tree *tree = &w->forest->trees[i];
        CT_TRY(ct_gpu_send(&w->stream, v->nodes + w->trees[i].node, tree->nodes,
                           tree->n_nodes * sizeof *tree->nodes));
        CT_TRY(ct_gpu_send(&w->stream, v->features + w->trees[i].feature, tree->features,
                           tree->n_features * sizeof *tree->features));
    }
    CT_TRY(ct_gpu_send(&w->stream, v->shares, w->shares,
                       w->n_leaves * v->n_classes * sizeof *w->shares));
    return ct_gpu_send(&w->stream, v->trees, w->trees, w->forest->n_trees * sizeof *w->trees);
}

static ct_status send_image(const walker *w)
{
    const ct_pixel_view *v = &w->view;
    if (!v->columns) {
        const ct_pixel_integrals *all = (const ct_pixel_integrals *) w->source->self;
        return ct_gpu_send(&w->stream, v->image.sums, all->sums[w->image],
                           value_count(w) * sizeof(uint32_t));
    }
    const ct_pixel_value_columns *columns = (const ct_pixel_value_columns *) w->source->self;
    for (uint32_t k = 0; k < columns->n_columns; k++)
        CT_TRY(ct_gpu_send(&w->stream, v->columns + k * w->n_pixels, columns->values[k][w->image],
                           w->n_pixels * sizeof(int32_t)));
    return CT_OK;
}

/* ---- the walk ---- */

static ct_status launch(const walker *w, ct_forest_kernel kernel, size_t items)
{
    return ct_gpu_launch(&w->stream, &ct_forest_kernels[kernel], ct_gpu_threads(items), &w->view);
}

static ct_status walk_all(walker *w)
{
    ct_pixel_view *v = &w->view;
    for (v->first = 0; v->first < w->n_pixels && !ct_halt_now(w->stop, 0); v->first += w->chunk) {
        size_t left = w->n_pixels - v->first;
        v->n = left < w->chunk ? (uint32_t) left : w->chunk;
        CT_TRY(launch(w, CT_FOREST_IMAGE_WALK, (size_t) v->n * v->n_trees));
        if (w->what == CT_PIXEL_LEAVES) continue;
        CT_TRY(launch(w, CT_FOREST_IMAGE_SUMS, (size_t) v->n * v->n_classes));
        CT_TRY(launch(w, CT_FOREST_IMAGE_SAY, v->n));
    }
    CT_TRY(ct_gpu_fetch(&w->stream, w->out, v->out,
                        ct_pixel_output_bytes(w->forest, w->n_pixels, w->what)));
    return ct_gpu_drain(&w->stream);
}

static ct_status send_and_walk(walker *w)
{
    CT_TRY(ct_gpu_take(w->gpu, cut(&w->view, w, NULL), &w->block));
    (void) cut(&w->view, w, (char *) w->block.memory);
    CT_TRY(ct_gpu_stream_open(w->gpu, &w->stream));
    CT_TRY(send_trees(w));
    CT_TRY(send_image(w));
    return walk_all(w);
}

static ct_status walk_on(int number, walker *w, ct_error *error)
{
    const ct_pixel_shape *shape = &w->source->shapes[w->image];
    CT_TRY(ct_gpu_open(number, &w->gpu, error));
    w->n_pixels = (size_t) shape->height * shape->width;
    if (!make_trees(w)) return ct_fail(error, CT_NO_MEMORY, "no memory to walk an image");
    CT_TRY(plan_memory(w, error));
    if (w->source->kind == CT_RECTANGLES)
        w->view.image = ct_pixel_sums_of(NULL, shape,
                                         ((const ct_pixel_integrals *) w->source->self)->radius);
    w->view.n_trees = w->forest->n_trees;
    w->view.n_classes = w->forest->n_classes;
    w->view.what = w->what;
    w->view.height = shape->height;
    w->view.n_pixels = w->n_pixels;
    if (send_and_walk(w) == CT_OK) return CT_OK;
    return ct_fail(error, CT_NO_DEVICE, "%s", ct_gpu_why(w->gpu));
}

ct_status ct_pixel_predict_at(const ct_gpu_choice *device, const ct_pixel_forest *forest,
                              const ct_pixel_source *source, uint32_t image, ct_pixel_output what,
                              unsigned threads, ct_halt *stop, void *out, ct_gpu_used *used,
                              ct_error *error)
{
    CT_ASSERT(image < source->n_images && out);
    const ct_pixel_shape *shape = &source->shapes[image];
    const ct_gpu_cost cost =
        ct_pixel_walk_cost(forest, (double) shape->height * shape->width, threads);
    ct_error why = {CT_OK, ""};
    if (ct_gpu_wants(device, &cost, used) && forest->n_trees) {
        walker w = {.forest = forest, .source = source, .image = image, .what = what,
                    .stop = stop, .out = out};
        ct_status status = walk_on(ct_gpu_number(device), &w, &why);
        ct_gpu_stream_close(&w.stream);
        ct_gpu_give(&w.block);
        ct_gpu_close(w.gpu);
        ct_free(w.trees);
        ct_free(w.shares);
        if (status == CT_OK) ct_gpu_done(device, used);
        else CT_TRY(ct_gpu_without(device, &why, used, error));
        if (status == CT_OK) return CT_OK;
    }
    return ct_pixel_predict(forest, source, image, what, threads, stop, out, error);
}
