#include "base/compact.h"

#include "forest/offload/pixel_grow.h"

#include <string.h>

#include "base/memory.h"
#include "forest/offload/cost.h"
#include "forest/offload/kernels.h"
#include "gpu/gpu.h"

enum { SLICE = 1 << 14, CELLS = 1 << 23 };

/* What a device has of a forest that grows. */
typedef struct {
    const ct_pixel_source *source;
    const ct_pixel_options *options;
    ct_gpu *gpu;
    ct_gpu_stream stream;
    ct_gpu_block images, tree, level;
    uint32_t n_pixels, n_nodes; /* that `tree` and `level` have room for */
    ct_pixel_sums *tables;      /* [image] as they are sent */
    uint32_t *at;               /* [2][pixel] as it is sent, places and images */
    ct_pixel_count_view view;
    int lost;                   /* the CPU does the rest */
} grower;

/* ---- images ---- */

/* Numbers of an image. */
static size_t image_size(const ct_pixel_source *source, uint32_t image)
{
    CT_ASSERT(image < source->n_images);
    const ct_pixel_shape *shape = &source->shapes[image];
    if (source->kind == CT_VALUE_COLUMNS)
        return ((const ct_pixel_value_columns *) source->self)->n_columns *
               ((size_t) shape->height * shape->width);
    const ct_pixel_integrals *all = (const ct_pixel_integrals *) source->self;
    return ct_pixel_sums_of(NULL, shape, all->radius).plane * (size_t) all->n_channels;
}

static size_t cut_images(grower *g, char *memory)
{
    ct_gpu_cutter c = {memory, 0};
    const ct_pixel_source *source = g->source;
    g->view.images =
        (const ct_pixel_sums *) ct_gpu_cut(&c, source->n_images * sizeof *g->tables);
    for (uint32_t i = 0; i < source->n_images; i++) {
        const ct_pixel_shape *shape = &source->shapes[i];
        const uint32_t *sums =
            (const uint32_t *) ct_gpu_cut(&c, image_size(source, i) * sizeof *sums);
        if (source->kind == CT_VALUE_COLUMNS)
            g->tables[i] = (ct_pixel_sums){sums, 0, shape->height * shape->width, 0};
        else
            g->tables[i] = ct_pixel_sums_of(
                sums, shape, ((const ct_pixel_integrals *) source->self)->radius);
    }
    return c.used;
}

static ct_status send_image(const grower *g, uint32_t i)
{
    const uint32_t *to = g->tables[i].sums;
    if (g->source->kind == CT_RECTANGLES)
        return ct_gpu_send(&g->stream, to, ((const ct_pixel_integrals *) g->source->self)->sums[i],
                           image_size(g->source, i) * sizeof *to);
    const ct_pixel_value_columns *columns = (const ct_pixel_value_columns *) g->source->self;
    for (uint32_t k = 0; k < columns->n_columns; k++, to += g->tables[i].plane)
        CT_TRY(ct_gpu_send(&g->stream, to, columns->values[k][i], g->tables[i].plane * sizeof *to));
    return CT_OK;
}

static ct_status send_images(grower *g)
{
    CT_TRY(ct_gpu_take(g->gpu, cut_images(g, NULL), &g->images));
    (void) cut_images(g, (char *) g->images.memory);
    CT_TRY(ct_gpu_stream_open(g->gpu, &g->stream));
    for (uint32_t i = 0; i < g->source->n_images; i++) CT_TRY(send_image(g, i));
    CT_TRY(ct_gpu_send(&g->stream, g->view.images, g->tables,
                       g->source->n_images * sizeof *g->tables));
    return ct_gpu_drain(&g->stream);
}

/* ---- pixels of a tree ---- */

static size_t cut_tree(ct_pixel_count_view *v, uint32_t n, char *memory)
{
    ct_gpu_cutter c = {memory, 0};
    v->at = (const uint32_t *) ct_gpu_cut(&c, n * sizeof *v->at);
    v->image = (const uint32_t *) ct_gpu_cut(&c, n * sizeof *v->image);
    v->classes = (const uint8_t *) ct_gpu_cut(&c, n * sizeof *v->classes);
    v->node_of = (uint32_t *) ct_gpu_cut(&c, n * sizeof *v->node_of);
    return c.used;
}

static void fill_places(const ct_pixel_tree_pixels *pixels, uint32_t *at, uint32_t *image)
{
    for (uint32_t b = 0; b < pixels->n_blocks; b++) {
        const ct_pixels *block = &pixels->blocks[b].pixels;
        uint32_t to = pixels->blocks[b].first;
        for (uint32_t run = 0; run < block->n_runs; run++)
            for (uint32_t i = 0; i < block->runs[run].n; i++, to++) {
                at[to] = block->runs[run].at + i;
                image[to] = block->image;
            }
    }
}

static ct_status room_for_tree(grower *g, uint32_t n)
{
    if (n <= g->n_pixels) return CT_OK;
    ct_gpu_give(&g->tree);
    ct_free(g->at);
    g->n_pixels = 0;
    g->at = (uint32_t *) ct_alloc(2 * (size_t) n * sizeof *g->at);
    if (!g->at) return CT_NO_MEMORY;
    CT_TRY(ct_gpu_take(g->gpu, cut_tree(&g->view, n, NULL), &g->tree));
    g->n_pixels = n;
    return CT_OK;
}

static ct_status send_tree(grower *g, const ct_pixel_tree_pixels *pixels)
{
    const uint32_t n = pixels->n;
    CT_TRY(room_for_tree(g, n));
    (void) cut_tree(&g->view, g->n_pixels, (char *) g->tree.memory);
    g->view.n_pixels = n;
    fill_places(pixels, g->at, g->at + n);
    CT_TRY(ct_gpu_send(&g->stream, g->view.at, g->at, n * sizeof *g->at));
    CT_TRY(ct_gpu_send(&g->stream, g->view.image, g->at + n, n * sizeof *g->at));
    CT_TRY(ct_gpu_send(&g->stream, g->view.classes, pixels->classes, n * sizeof *pixels->classes));
    return ct_gpu_drain(&g->stream);
}

/* ---- a level ---- */

static size_t cut_level(ct_pixel_count_view *v, const grower *g, uint32_t n_nodes, size_t cells,
                        char *memory)
{
    ct_gpu_cutter c = {memory, 0};
    v->candidates = (ct_pixel_candidate *) ct_gpu_cut(
        &c, g->options->features * sizeof *v->candidates);
    v->open_of = (uint32_t *) ct_gpu_cut(&c, n_nodes * sizeof *v->open_of);
    v->cells = (uint32_t *) ct_gpu_cut(&c, cells * sizeof *v->cells);
    return c.used;
}

static ct_status send_level(grower *g, const ct_pixel_level *level)
{
    const uint32_t n_nodes = level->n_nodes;
    ct_pixel_count_view *v = &g->view;
    if (n_nodes > g->n_nodes) {
        ct_gpu_give(&g->level);
        g->n_nodes = 0;
        CT_TRY(ct_gpu_take(g->gpu, cut_level(v, g, 2 * n_nodes, level->room, NULL), &g->level));
        g->n_nodes = 2 * n_nodes;
    }
    (void) cut_level(v, g, g->n_nodes, level->room, (char *) g->level.memory);
    v->policy = g->options->policy;
    v->n_features = g->options->features;
    v->n_classes = level->n_classes;
    CT_TRY(ct_gpu_send(&g->stream, v->node_of, level->pixels->node_of,
                       v->n_pixels * sizeof *v->node_of));
    CT_TRY(ct_gpu_send(&g->stream, v->open_of, level->open_of, n_nodes * sizeof *v->open_of));
    CT_TRY(ct_gpu_send(&g->stream, v->candidates, level->candidates,
                       v->n_features * sizeof *v->candidates));
    return ct_gpu_drain(&g->stream);
}

/* As many copies as there is room for; slices that are long beside what is added up after each. */
static void plan_slices(ct_pixel_count_view *v)
{
    const size_t size = (size_t) v->chunk.n_leaves * v->n_classes * v->chunk.bins;
    v->copies = 0;
    while (v->copies < CT_PIXEL_COPIES && (v->copies + 1) * size <= CT_PIXEL_OWN_CELLS)
        v->copies++;
    v->slice = v->copies && 4 * size > SLICE ? (uint32_t) (4 * size) : SLICE;
    v->n_slices = (v->n_pixels + v->slice - 1) / v->slice;
}

static ct_status count(grower *g, const ct_pixel_chunk *chunk, uint32_t *cells)
{
    ct_pixel_count_view *v = &g->view;
    const uint32_t first = chunk->first * chunk->per,
                   all = (v->n_features - first + chunk->per - 1) / chunk->per,
                   n = all < chunk->n ? all : chunk->n;
    const size_t n_cells = n * chunk->size;
    v->chunk = *chunk;
    plan_slices(v);
    const size_t own = (size_t) v->copies * chunk->n_leaves * v->n_classes * chunk->bins;
    const ct_gpu_grid blocks = ct_gpu_blocks((size_t) n * v->n_slices, CT_GPU_BLOCK,
                                             own * sizeof *v->cells);
    CT_TRY(ct_gpu_launch(&g->stream, &ct_forest_kernels[CT_FOREST_PIXEL_CLEAR],
                         ct_gpu_threads(n_cells), v));
    CT_TRY(ct_gpu_launch(&g->stream, &ct_forest_kernels[CT_FOREST_PIXEL_COUNT], blocks, v));
    CT_TRY(ct_gpu_fetch(&g->stream, cells, v->cells, n_cells * sizeof *cells));
    return ct_gpu_drain(&g->stream);
}

/* ---- as a counter ---- */

static int succeeded(grower *g, ct_status status)
{
    if (status != CT_OK) g->lost = 1;
    return !g->lost;
}

static int begin_tree(void *self, const ct_pixel_tree_pixels *pixels)
{
    grower *g = (grower *) self;
    return !g->lost && succeeded(g, send_tree(g, pixels));
}

static int begin_level(void *self, const ct_pixel_level *level)
{
    grower *g = (grower *) self;
    return !g->lost && succeeded(g, send_level(g, level));
}

static int count_chunk(void *self, const ct_pixel_level *level, const ct_pixel_chunk *chunk,
                       uint32_t *cells)
{
    grower *g = (grower *) self;
    (void) level;
    return !g->lost && succeeded(g, count(g, chunk, cells));
}

/* ---- the forest ---- */

static ct_status open_grower(grower *g, int number, ct_error *why)
{
    if (g->source->stream) return ct_fail(why, CT_NO_DEVICE, "images come one at a time");
    CT_TRY(ct_gpu_open(number, &g->gpu, why));
    g->view.columns = g->source->kind == CT_VALUE_COLUMNS;
    g->tables = (ct_pixel_sums *) ct_alloc(g->source->n_images * sizeof *g->tables);
    if (!g->tables) return ct_fail(why, CT_NO_MEMORY, "no memory to send images");
    if (send_images(g) == CT_OK) return CT_OK;
    return ct_fail(why, CT_NO_DEVICE, "%s", ct_gpu_why(g->gpu));
}

static void close_grower(grower *g)
{
    ct_gpu_stream_close(&g->stream);
    ct_gpu_give(&g->level);
    ct_gpu_give(&g->tree);
    ct_gpu_give(&g->images);
    ct_gpu_close(g->gpu);
    ct_free(g->tables);
    ct_free(g->at);
}

/* 1: the forest has grown, or *status says why not; *why says what the device could not do. */
static int grow_with(grower *g, int number, const int16_t *const *labels, uint32_t n_classes,
                     ct_pixel_forest *forest, ct_pixel_end *end, ct_status *status, ct_error *why,
                     ct_error *error)
{
    const struct ct_pixel_counter counter = {g, begin_tree, begin_level, count_chunk};
    ct_pixel_options options = *g->options;
    if (open_grower(g, number, why) != CT_OK) return 0;
    options.counter = &counter;
    if (!options.cells) options.cells = CELLS;
    *status = ct_pixel_grow(g->source, labels, n_classes, &options, forest, end, error);
    if (g->lost)
        (void) ct_fail(why, CT_NO_DEVICE, "%s",
                       ct_gpu_is_lost(g->gpu) ? ct_gpu_why(g->gpu) : "no memory on the host");
    return 1;
}

ct_status ct_pixel_grow_at(const ct_gpu_choice *device, const ct_pixel_source *source,
                           const int16_t *const *labels, uint32_t n_classes,
                           const ct_pixel_options *options, ct_pixel_forest *forest,
                           ct_pixel_end *end, ct_gpu_used *used, ct_error *error)
{
    CT_ASSERT(source->n_images > 0 && forest && end && used);
    const ct_gpu_cost cost = ct_pixel_grow_cost(source, options);
    ct_error why = {CT_OK, ""};
    ct_status status = CT_OK;
    CT_ASSERT(!options->counter);
    memset(forest, 0, sizeof *forest);
    if (ct_gpu_wants(device, &cost, used)) {
        grower g = {.source = source, .options = options};
        const int grown = grow_with(&g, ct_gpu_number(device), labels, n_classes, forest, end,
                                    &status, &why, error);
        close_grower(&g);
        if (status != CT_OK) return status;
        if (why.status == CT_OK) ct_gpu_done(device, used);
        else status = ct_gpu_without(device, &why, used, error);
        if (status != CT_OK) ct_pixel_forest_free(forest);
        if (status != CT_OK || grown) return status;
    }
    return ct_pixel_grow(source, labels, n_classes, options, forest, end, error);
}
