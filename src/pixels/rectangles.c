/* Features that are sums over rectangles, from integral images: four look-ups each, eight for a
 * difference. */
#include "pixels/kernels.h"
#include "pixels/sums.h"

enum {
    CHANNEL = CT_RECT_CHANNEL,
    TOP = CT_RECT_TOP,
    BOTTOM = CT_RECT_BOTTOM,
    LEFT = CT_RECT_LEFT,
    RIGHT = CT_RECT_RIGHT,
    RECTANGLE = CT_RECT_WORDS
};

/* Sides in any order are as likely as those that are drawn. */
static void draw_sides(ct_rng *rng, int32_t radius, int32_t *low, int32_t *high)
{
    int32_t a = (int32_t) ct_rng_below(rng, 2 * (uint32_t) radius + 1) - radius;
    int32_t b = (int32_t) ct_rng_below(rng, 2 * (uint32_t) radius + 1) - radius;
    *low = a < b ? a : b;
    *high = a < b ? b : a;
}

static void draw_rectangle(const ct_pixel_integrals *all, ct_rng *rng, int32_t *words)
{
    words[CHANNEL] = (int32_t) ct_rng_below(rng, all->n_channels);
    draw_sides(rng, (int32_t) all->radius, &words[TOP], &words[BOTTOM]);
    draw_sides(rng, (int32_t) all->radius, &words[LEFT], &words[RIGHT]);
}

static int is_empty(const int32_t *words) { return words[BOTTOM] < words[TOP]; }

static ct_pixel_feature draw(const void *self, ct_rng *rng)
{
    const ct_pixel_integrals *all = (const ct_pixel_integrals *) self;
    ct_pixel_feature feature = {{0}};
    draw_rectangle(all, rng, feature.words);
    if (ct_rng_below(rng, 2)) draw_rectangle(all, rng, feature.words + RECTANGLE);
    else feature.words[RECTANGLE + BOTTOM] = -1;
    return feature;
}

static int side_valid(int32_t low, int32_t high, int32_t radius)
{
    return low >= -radius && high <= radius && low <= high;
}

int ct_pixel_rectangle_valid(const ct_pixel_integrals *all, const ct_pixel_feature *feature)
{
    int32_t radius = (int32_t) all->radius;
    for (unsigned i = 0; i < 2; i++) {
        const int32_t *words = feature->words + i * RECTANGLE;
        if (i && is_empty(words))
            return !words[CHANNEL] && !words[TOP] && words[BOTTOM] == -1 && !words[LEFT] &&
                   !words[RIGHT];
        if (words[CHANNEL] < 0 || words[CHANNEL] >= (int32_t) all->n_channels ||
            !side_valid(words[TOP], words[BOTTOM], radius) ||
            !side_valid(words[LEFT], words[RIGHT], radius))
            return 0;
    }
    return 1;
}

static ct_pixel_sums sums_of(const ct_pixel_integrals *all, uint32_t image)
{
    return ct_pixel_sums_of(all->sums[image], &all->shapes[image], all->radius);
}

static void corners_of(const ct_pixel_sums *v, const int32_t *words, const uint32_t **corner)
{
    uint32_t before = ct_pixel_column(v, words, words[LEFT]),
             behind = ct_pixel_column(v, words, words[RIGHT] + 1);
    uint32_t above = (uint32_t) words[TOP], below = (uint32_t) words[BOTTOM] + 1;
    corner[0] = v->sums + (uint32_t) (behind + below);
    corner[1] = v->sums + (uint32_t) (behind + above);
    corner[2] = v->sums + (uint32_t) (before + below);
    corner[3] = v->sums + (uint32_t) (before + above);
}

static void values(const void *self, const ct_pixel_feature *feature, const ct_pixels *pixels,
                   int32_t *out)
{
    const ct_pixel_integrals *all = (const ct_pixel_integrals *) self;
    const ct_pixel_kernels *kernels = ct_pixel_kernels_at(all->simd);
    const ct_pixel_sums v = sums_of(all, pixels->image);
    unsigned n_corners = is_empty(feature->words + RECTANGLE) ? 4 : 8;
    const uint32_t *corner[8], *here[8];
    corners_of(&v, feature->words, corner);
    corners_of(&v, feature->words + RECTANGLE, corner + 4);
    for (uint32_t run = 0; run < pixels->n_runs; out += pixels->runs[run++].n) {
        for (unsigned i = 0; i < n_corners; i++) here[i] = corner[i] + pixels->runs[run].at;
        kernels->corners(here, n_corners, pixels->runs[run].n, out);
    }
}

/* No branch depends on a pixel: an absent second rectangle is one without rows, and leaves go round
 * in themselves. */
static void walk(const void *self, const ct_pixel_node *nodes, const ct_pixel_feature *features,
                 const ct_pixels *pixels, uint32_t steps, uint32_t *node_of)
{
    const ct_pixel_integrals *all = (const ct_pixel_integrals *) self;
    const ct_pixel_sums v = sums_of(all, pixels->image);
    for (uint32_t run = 0; run < pixels->n_runs; node_of += pixels->runs[run++].n)
        for (uint32_t step = 0; step < steps; step++)
            for (uint32_t i = 0; i < pixels->runs[run].n; i++) {
                const ct_pixel_node *node = &nodes[node_of[i]];
                node_of[i] = ct_pixel_next(
                    node, ct_pixel_value(&v, features[node->feature].words,
                                         pixels->runs[run].at + i));
            }
}

ct_pixel_source ct_pixel_rectangle_source(const ct_pixel_integrals *integrals)
{
    return (ct_pixel_source){.n_images = integrals->n_images, .shapes = integrals->shapes,
                             .kind = CT_RECTANGLES, .self = integrals, .draw = draw,
                             .values = values, .walk = walk};
}
