#include "base/compact.h"

#include "forest/offload/cost.h"

#include <math.h>

/* To set a device up, which a process pays once: seconds on an H200 (bench/notes/forest.md). */
static const double DEVICE_OPEN = 0.15;
/* ESTIMATED, on the side of the CPU: bytes a second to and from it; steps of rows down trees, by
 * the bytes of a node and a code in the second-level cache. */
static const double DEVICE_COPY = 5e9;
static const double DEVICE_STEP = 1e-10;
static const double DEVICE_PIXEL_STEP = 3e-10;
static const double DEVICE_PIXEL_VALUE = 5e-11; /* of a candidate at a pixel, counted */
/* An item of a node and candidate; a tree that comes to the host and is put in order there. */
static const double DEVICE_ITEM = 1.5e-11;
static const double DEVICE_TREE = 2e-4;

/* Measured on one core with AVX-512 (bench/notes/forest.md): seconds that a step of a row down a
 * tree takes, between 1.7e-9 and 4.6e-9 with the size of the trees, and one of a pixel. */
static const double CPU_STEP = 2.5e-9;
static const double CPU_PIXEL_STEP = 8e-9;
static const double CPU_PIXEL_VALUE = 1e-9;
/* ... an item of a node and candidate, up to 1.1e-9 with classes, 3.6e-9 with numbers; a row of a
 * tree that is told what the tree says of it if it is left out, up to 3.2e-8. */
static const double CPU_CLASS_ITEM = 1e-9;
static const double CPU_NUMBER_ITEM = 3e-9;
static const double CPU_ROW = 1.5e-8;

/* Steps that rows take, about. */
static double steps_of(const ct_hist_forest *forest, double *bytes)
{
    double steps = 0;
    *bytes = 0;
    for (uint32_t i = 0; i < forest->n_trees; i++) {
        const ct_hist_tree *tree = &forest->trees[i];
        steps += 1 + 1.3 * log2(1.0 + tree->n_nodes);
        *bytes += 12.0 * tree->n_nodes +
                  (forest->n_classes ? 4.0 * forest->n_classes : 8.0) * tree->n_leaves;
    }
    return steps;
}

ct_gpu_cost ct_forest_walk_cost(const ct_hist_forest *forest, uint32_t n_rows, unsigned threads)
{
    double bytes, steps = n_rows * steps_of(forest, &bytes);
    bytes += 2.0 * n_rows * forest->n_cols;
    return (ct_gpu_cost){steps * CPU_STEP / (threads ? threads : 1),
                            DEVICE_OPEN + steps * DEVICE_STEP + bytes / DEVICE_COPY};
}

ct_gpu_cost ct_pixel_grow_cost(const ct_pixel_source *source, const ct_pixel_options *o)
{
    CT_ASSERT(source->shapes || !source->n_images);
    double pixels = 0, drawn = 0;
    for (uint32_t i = 0; i < source->n_images; i++) {
        const double own = (double) source->shapes[i].height * source->shapes[i].width;
        pixels += own;
        drawn += o->pixels && o->pixels < own ? o->pixels : own;
    }
    const double levels = fmin(o->depth, 1 + log2(1 + drawn)) * o->n_trees,
                 values = drawn * o->features * levels;
    return (ct_gpu_cost){values * CPU_PIXEL_VALUE / (o->threads ? o->threads : 1),
                            DEVICE_OPEN + values * DEVICE_PIXEL_VALUE +
                                (8 * pixels + 8 * drawn * levels) / DEVICE_COPY};
}

ct_gpu_cost ct_pixel_walk_cost(const ct_pixel_forest *forest, double n_pixels, unsigned threads)
{
    double steps = 0, bytes = 8 * n_pixels * forest->n_classes;
    for (uint32_t i = 0; i < forest->n_trees; i++) {
        steps += n_pixels * forest->trees[i].depth;
        bytes += 16.0 * forest->trees[i].n_nodes + 40.0 * forest->trees[i].n_features +
                 4.0 * forest->trees[i].n_leaves * forest->n_classes;
    }
    return (ct_gpu_cost){steps * CPU_PIXEL_STEP / (threads ? threads : 1),
                            DEVICE_OPEN + steps * DEVICE_PIXEL_STEP + bytes / DEVICE_COPY};
}

/* Levels of a tree, about. */
static double levels_of(const ct_hist_options *o)
{
    const double most = 1 + 1.3 * log2(1 + (double) o->sample / (1 + o->min_n));
    return most < o->depth ? most : o->depth;
}

ct_gpu_cost ct_forest_grow_cost(const ct_hist_data *data, const ct_hist_options *o)
{
    const double rows = data->codes->n_rows, values = rows * data->codes->n_cols,
                 threads = o->threads ? o->threads : 1,
                 item = data->n_classes ? CPU_CLASS_ITEM : CPU_NUMBER_ITEM,
                 items = 0.63 * o->sample * o->n_trees * levels_of(o) * (1 + o->mtry),
                 told = o->oob ? o->n_trees * rows : 0;
    return (ct_gpu_cost){(items * item + told * CPU_ROW) / threads,
                            DEVICE_OPEN + 3 * values / DEVICE_COPY + items * DEVICE_ITEM +
                                o->n_trees * DEVICE_TREE / threads};
}
