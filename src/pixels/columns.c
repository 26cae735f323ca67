/* Features that are there as numbers for each pixel. */
#include <string.h>

#include "pixels/source.h"

static ct_pixel_feature draw(const void *self, ct_rng *rng)
{
    const ct_pixel_value_columns *all = (const ct_pixel_value_columns *) self;
    ct_pixel_feature feature = {{(int32_t) ct_rng_below(rng, all->n_columns)}};
    return feature;
}

static const int32_t *column_at(const void *self, const ct_pixel_feature *feature, uint32_t image)
{
    return ((const ct_pixel_value_columns *) self)->values[feature->words[0]][image];
}

static void values(const void *self, const ct_pixel_feature *feature, const ct_pixels *pixels,
                   int32_t *out)
{
    const int32_t *from = column_at(self, feature, pixels->image);
    for (uint32_t run = 0; run < pixels->n_runs; out += pixels->runs[run++].n)
        memcpy(out, from + pixels->runs[run].at, pixels->runs[run].n * sizeof *out);
}

static void walk(const void *self, const ct_pixel_node *nodes, const ct_pixel_feature *features,
                 const ct_pixels *pixels, uint32_t steps, uint32_t *node_of)
{
    for (uint32_t run = 0; run < pixels->n_runs; node_of += pixels->runs[run++].n)
        for (uint32_t i = 0; i < pixels->runs[run].n; i++)
            for (uint32_t step = 0; step < steps; step++) {
                const ct_pixel_node *node = &nodes[node_of[i]];
                const int32_t *from = column_at(self, &features[node->feature], pixels->image);
                node_of[i] = ct_pixel_next(node, from[pixels->runs[run].at + i]);
            }
}

ct_pixel_source ct_pixel_column_source(const ct_pixel_value_columns *columns)
{
    return (ct_pixel_source){.n_images = columns->n_images, .shapes = columns->shapes,
                             .kind = CT_VALUE_COLUMNS, .self = columns, .draw = draw,
                             .values = values, .walk = walk};
}
