/* Pixels down trees on a device, without branching on the kind of a node (Sharp, ECCV 2008): one
 * item each, whatever thread takes it. First each pixel of a chunk goes down each tree, then the
 * shares of each class are added up over the trees, then each pixel's answer is written. */
#ifndef CT_FOREST_OFFLOAD_IMAGE_BODY_H
#define CT_FOREST_OFFLOAD_IMAGE_BODY_H

#include "pixels/forest.h"
#include "pixels/sums.h"

/* Where a tree's begin, of those of all trees. */
typedef struct {
    uint32_t node, feature, leaf, depth;
} ct_pixel_begin;

/* A forest and an image on the device. */
typedef struct {
    const ct_pixel_node *nodes; /* of all trees, as features and shares */
    const ct_pixel_feature *features;
    const uint32_t *shares;     /* [leaf][class] see ct_pixel_shares() */
    const ct_pixel_begin *trees;
    uint32_t n_trees, n_classes;
    ct_pixel_output what;
    ct_pixel_sums image;        /* of rectangles, or */
    const int32_t *columns;     /* [feature][pixel] numbers that are there; NULL: rectangles */
    uint32_t height;
    size_t n_pixels;
    size_t first;               /* pixel of a chunk, which has n */
    uint32_t n;
    uint32_t *leaves;           /* [tree][n] of those of all trees */
    uint64_t *sums;             /* [class][n] */
    void *out;                  /* as ct_pixel_output says, of all pixels */
} ct_pixel_view;

enum { CT_PIXEL_STEPS = 4 }; /* between two looks at whether the pixel has come to its leaf */

CT_HD int32_t ct_pixel_value_of(const ct_pixel_view *v, const ct_pixel_feature *feature,
                                size_t pixel)
{
    if (v->columns) return v->columns[(size_t) feature->words[0] * v->n_pixels + pixel];
    const uint32_t column = (uint32_t) (pixel / v->height), row = (uint32_t) (pixel % v->height);
    return ct_pixel_value(&v->image, feature->words, column * v->image.stride + row);
}

/* item: a pixel of the chunk, of a tree */
CT_HD void ct_pixel_walk_pixel(const ct_pixel_view *v, size_t item)
{
    CT_ASSERT(item / v->n < v->n_trees);
    const size_t tree = item / v->n, pixel = v->first + item % v->n;
    const ct_pixel_begin *begin = v->trees + tree;
    const ct_pixel_node *nodes = v->nodes + begin->node;
    uint32_t now = 0, before = 1;
    for (uint32_t step = 0; step < begin->depth; step++) {
        if (step % CT_PIXEL_STEPS == 0 && now == before) break;
        if (step % CT_PIXEL_STEPS == 0) before = now;
        const ct_pixel_node node = nodes[now];
        const ct_pixel_feature *feature = v->features + begin->feature + node.feature;
        now = ct_pixel_next(&node, ct_pixel_value_of(v, feature, pixel));
    }
    if (v->what == CT_PIXEL_LEAVES)
        ((int32_t *) v->out)[tree * v->n_pixels + pixel] = (int32_t) now + 1;
    else
        v->leaves[item] = begin->leaf + (uint32_t) nodes[now].low;
}

/* item: a class and a pixel of the chunk */
CT_HD void ct_pixel_add_shares(const ct_pixel_view *v, size_t item)
{
    CT_ASSERT(item / v->n < v->n_classes);
    const size_t k = item / v->n, i = item % v->n;
    uint64_t sum = 0;
    for (uint32_t tree = 0; tree < v->n_trees; tree++)
        sum += v->shares[(size_t) v->leaves[(size_t) tree * v->n + i] * v->n_classes + k];
    v->sums[item] = sum;
}

/* item: a pixel of the chunk */
CT_HD void ct_pixel_say(const ct_pixel_view *v, size_t item)
{
    CT_ASSERT(item < v->n);
    const size_t pixel = v->first + item;
    uint64_t all = 0, most = 0;
    uint32_t best = 0;
    for (uint32_t k = 0; k < v->n_classes; k++) {
        const uint64_t sum = v->sums[(size_t) k * v->n + item];
        all += sum;
        if (sum <= most) continue;
        most = sum;
        best = k;
    }
    if (v->what == CT_PIXEL_LABELS) ((int32_t *) v->out)[pixel] = (int32_t) best + 1;
    for (uint32_t k = 0; v->what != CT_PIXEL_LABELS && k < v->n_classes; k++) {
        const uint64_t sum = v->sums[(size_t) k * v->n + item];
        const size_t to = (size_t) k * v->n_pixels + pixel;
        if (v->what == CT_PIXEL_VOTES) ((int32_t *) v->out)[to] = (int32_t) sum;
        else ((double *) v->out)[to] = (double) sum / (double) all;
    }
}

#endif
