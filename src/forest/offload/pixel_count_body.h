/* Histograms of one level of a forest over pixels, counted on a device: a block takes a slice of
 * the pixels for one histogram. It counts into memory of its own where a histogram is small enough,
 * some copies of it so that warps do not wait for each other, and adds what it has counted to the
 * histogram of all blocks. */
#ifndef CT_FOREST_OFFLOAD_PIXEL_COUNT_BODY_H
#define CT_FOREST_OFFLOAD_PIXEL_COUNT_BODY_H

#include "forest/offload/group.h"
#include "pixels/level.h"
#include "pixels/sums.h"

enum {
    CT_PIXEL_OWN_CELLS = 8192, /* of a block, in all copies */
    CT_PIXEL_COPIES = 8
};

/* On the device. */
typedef struct {
    const ct_pixel_sums *images; /* integral images, or numbers of pixels, plane after plane */
    int columns;                 /* whether they are numbers */
    ct_pixel_policy policy;
    uint32_t n_pixels;           /* of the tree */
    const uint32_t *at, *image;  /* [pixel] see ct_pixel_run */
    const uint8_t *classes;      /* [pixel] */
    uint32_t *node_of;           /* [pixel] */
    uint32_t *open_of;           /* [node] see ct_pixel_level */
    ct_pixel_candidate *candidates;
    uint32_t n_features, n_classes;
    ct_pixel_chunk chunk;
    uint32_t slice, n_slices;    /* pixels */
    uint32_t copies;             /* in memory of a block; 0: there is none */
    uint32_t *cells;             /* as ct_pixel_counter fills them */
} ct_pixel_count_view;

CT_HD int32_t ct_pixel_counted_value(const ct_pixel_count_view *v, const ct_pixel_feature *feature,
                                     uint32_t pixel)
{
    const ct_pixel_sums *image = v->images + v->image[pixel];
    if (!v->columns) return ct_pixel_value(image, feature->words, v->at[pixel]);
    return (int32_t) image->sums[(uint32_t) feature->words[0] * (size_t) image->plane +
                                 v->at[pixel]];
}

/* The code of a pixel in a histogram; `first`: its first candidate. */
CT_HD uint32_t ct_pixel_code(const ct_pixel_count_view *v, uint32_t first, uint32_t pixel)
{
    uint32_t code = 0, times = 1;
    for (uint32_t i = first; i < first + v->chunk.per && i < v->n_features; i++, times *= 3) {
        const ct_pixel_candidate *c = v->candidates + i;
        const int32_t value = ct_pixel_counted_value(v, &c->feature, pixel);
        if (v->policy == CT_PIXEL_BEST) return ct_pixel_even_code(&c->even, value);
        code += times * ((uint32_t) (value >= c->first) + (uint32_t) (value >= c->second));
    }
    return code;
}

/* Adds what the block has counted. */
CT_HD void ct_pixel_add_own(ct_group g, const uint32_t *own, uint32_t copies, uint32_t size,
                            uint32_t *cells)
{
    CT_ASSERT(copies > 0);
    for (uint32_t i = g.thread; i < size; i += g.width) {
        uint32_t n = 0;
        for (uint32_t copy = 0; copy < copies; copy++) n += own[copy * size + i];
        if (n) (void) ct_shared_add(cells + i, n);
    }
}

/* item: a histogram of the chunk and a slice */
CT_HD void ct_pixel_count(ct_group g, const ct_pixel_count_view *v, size_t item, void *memory)
{
    const ct_pixel_chunk *chunk = &v->chunk;
    const uint32_t histogram = (uint32_t) (item / v->n_slices),
                   begin = (uint32_t) (item % v->n_slices) * v->slice,
                   end = v->n_pixels - begin < v->slice ? v->n_pixels : begin + v->slice,
                   size = chunk->n_leaves * v->n_classes * chunk->bins;
    uint32_t *cells = v->cells + histogram * chunk->size, *to = cells;
    if (v->copies) {
        uint32_t *own = (uint32_t *) memory;
        for (uint32_t i = g.thread; i < v->copies * size; i += g.width) own[i] = 0;
        to = own + g.warp % v->copies * size;
        ct_group_sync(g);
    }
    for (uint32_t i = begin + g.thread; i < end; i += g.width) {
        const uint32_t leaf = v->open_of[v->node_of[i]] - chunk->first_leaf;
        if (leaf >= chunk->n_leaves) continue;
        const uint32_t code = ct_pixel_code(v, (chunk->first + histogram) * chunk->per, i);
        (void) ct_shared_add(to + (leaf * v->n_classes + v->classes[i]) * chunk->bins + code, 1);
    }
    if (!v->copies) return;
    ct_group_sync(g);
    ct_pixel_add_own(g, (const uint32_t *) memory, v->copies, size, cells);
}

/* item: a cell of the chunk */
CT_HD void ct_pixel_clear(const ct_pixel_count_view *v, size_t item) { v->cells[item] = 0; }

#endif
