/* Which pixels a tree is grown from, and in which blocks they are looked at. */
#include <string.h>

#include "base/memory.h"
#include "pixels/conditions.h"

enum { PIXELS_PATH = 1, BLOCK = 4096 };

/* Draws `wanted` of `left` pixels one after another, in order (Knuth: The Art of Computer
 * Programming 2, 3.4.2, algorithm S). */
typedef struct {
    ct_rng rng;
    uint32_t wanted, left;
} chooser;

static int choose(chooser *c)
{
    if (c->wanted == c->left) return c->left--, c->wanted--, 1;
    if (ct_rng_below(&c->rng, c->left--) >= c->wanted) return 0;
    c->wanted--;
    return 1;
}

uint32_t ct_pixel_known_pixels(const int16_t *labels, const ct_pixel_shape *shape)
{
    uint32_t known = 0;
    for (size_t i = 0; i < (size_t) shape->height * shape->width; i++) known += labels[i] >= 0;
    return known;
}

static chooser chooser_of(const ct_pixel_options *o, uint32_t tree, uint32_t image, uint32_t known)
{
    uint64_t path = ct_rng_path(ct_rng_path(PIXELS_PATH, tree), image);
    return (chooser){ct_rng_of(o->seed, 0, path),
                     o->pixels && o->pixels < known ? o->pixels : known, known};
}

/* Where the next pixel goes. */
typedef struct {
    ct_pixel_tree_pixels *pixels;
    uint32_t block_size, n_runs;
} filler;

static void begin_block(filler *f, uint32_t image)
{
    ct_pixel_tree_pixels *p = f->pixels;
    p->blocks[p->n_blocks++] = (ct_pixel_block){{image, 0, 0, p->runs + f->n_runs}, p->n};
}

static void add_pixel(filler *f, uint32_t image, uint32_t at, uint8_t class_, int joins)
{
    ct_pixel_tree_pixels *p = f->pixels;
    ct_pixel_block *block = &p->blocks[p->n_blocks - 1];
    if (block->pixels.n == f->block_size) begin_block(f, image), block++, joins = 0;
    if (!joins) {
        p->runs[f->n_runs++] = (ct_pixel_run){at, 0};
        block->pixels.n_runs++;
    }
    p->runs[f->n_runs - 1].n++;
    block->pixels.n++;
    p->classes[p->n++] = class_;
}

static void add_image(filler *f, const ct_pixel_shape *shape, uint32_t image, const int16_t *labels,
                      chooser *c)
{
    if (!c->left) return;
    begin_block(f, image);
    for (uint32_t col = 0; col < shape->width; col++) {
        int joins = 0;
        for (uint32_t row = 0; row < shape->height; row++, labels++) {
            if (*labels < 0 || !c->left || !choose(c)) {
                joins = 0;
                continue;
            }
            add_pixel(f, image, col * shape->stride + row, (uint8_t) *labels, joins);
            joins = 1;
        }
    }
}

static ct_pixels pixel_at(const ct_pixel_tree_pixels *p, uint32_t i, uint32_t *block,
                          ct_pixel_run *run)
{
    while (i >= p->blocks[*block].first + p->blocks[*block].pixels.n) ++*block;
    const ct_pixels *all = &p->blocks[*block].pixels;
    uint32_t rest = i - p->blocks[*block].first;
    const ct_pixel_run *at = all->runs;
    while (rest >= at->n) rest -= at++->n;
    *run = (ct_pixel_run){at->at + rest, 1};
    return (ct_pixels){all->image, 1, 1, run};
}

static void draw_sample(ct_pixel_tree_pixels *p)
{
    uint32_t block = 0, n = p->n < CT_PIXEL_SAMPLE ? p->n : CT_PIXEL_SAMPLE;
    for (uint32_t i = 0; i < n; i++)
        p->sample[i] = pixel_at(p, (uint32_t) ((uint64_t) i * p->n / n), &block,
                                &p->sample_runs[i]);
    p->n_sample = n;
}

ct_status ct_pixel_tree_pixels_init(ct_pixel_tree_pixels *p, const ct_pixel_source *source,
                                    const int16_t *const *labels, const uint32_t *known,
                                    const ct_pixel_options *o, uint32_t number)
{
    filler f = {p, o->block ? o->block : BLOCK, 0};
    size_t n = 0, blocks = 0;
    memset(p, 0, sizeof *p);
    for (uint32_t i = 0; i < source->n_images; i++) {
        uint32_t wanted = chooser_of(o, number, i, known[i]).wanted;
        n += wanted;
        blocks += wanted / f.block_size + 1;
    }
    p->blocks = (ct_pixel_block *) ct_alloc(blocks * sizeof *p->blocks);
    p->runs = (ct_pixel_run *) ct_alloc((n + 1) * sizeof *p->runs);
    p->classes = (uint8_t *) ct_alloc(n + 1);
    p->node_of = (uint32_t *) ct_alloc_zeroed(n + 1, sizeof *p->node_of);
    p->sample = (ct_pixels *) ct_alloc(CT_PIXEL_SAMPLE * sizeof *p->sample);
    p->sample_runs = (ct_pixel_run *) ct_alloc(CT_PIXEL_SAMPLE * sizeof *p->sample_runs);
    if (!p->blocks || !p->runs || !p->classes || !p->node_of || !p->sample || !p->sample_runs)
        return CT_NO_MEMORY;
    for (uint32_t i = 0; i < source->n_images; i++) {
        chooser c = chooser_of(o, number, i, known[i]);
        const int16_t *own = !c.left          ? NULL
                             : source->stream ? source->stream->labels(source->stream->self, i)
                                              : labels[i];
        if (c.left && !own) return CT_BAD_INPUT;
        add_image(&f, &source->shapes[i], i, own, &c);
    }
    draw_sample(p);
    ct_tree_pixels_are_sound(p);
    return CT_OK;
}

int ct_pixel_next_group(const ct_pixel_source *source, const ct_pixel_tree_pixels *p, ct_halt *stop,
                        ct_pixel_group *group)
{
    const uint32_t first = group->first + group->n;
    uint32_t end = source->stream ? first : p->n_blocks;
    if (first == p->n_blocks || ct_halt_now(stop, 0)) return 0;
    while (end < p->n_blocks && p->blocks[end].pixels.image == p->blocks[first].pixels.image) end++;
    *group = (ct_pixel_group){first, end - first};
    if (!source->stream ||
        source->stream->open(source->stream->self, p->blocks[first].pixels.image))
        return 1;
    ct_halt_set(stop);
    return 0;
}

void ct_pixel_tree_pixels_free(ct_pixel_tree_pixels *p)
{
    ct_free(p->blocks);
    ct_free(p->runs);
    ct_free(p->classes);
    ct_free(p->node_of);
    ct_free(p->sample);
    ct_free(p->sample_runs);
    memset(p, 0, sizeof *p);
}
