/* What a forest says of the pixels of an image. */
#include <string.h>

#include "base/memory.h"
#include "pixels/conditions.h"

enum { CHUNK = 256 };

typedef struct {
    const ct_pixel_forest *forest;
    const ct_pixel_source *source;
    uint32_t image;
    const ct_pixel_shape *shape;
    size_t n;           /* pixels */
    ct_pixel_output what;
    uint32_t **shares;  /* [tree][leaf][class] */
    uint64_t *sums;     /* [thread][CHUNK][class] */
    void *out;
} walk;

/* ---- leaves ---- */

static uint32_t largest(const uint32_t *values, uint32_t n)
{
    uint32_t best = 0;
    for (uint32_t k = 1; k < n; k++)
        if (values[k] > values[best]) best = k;
    return best;
}

static void fill_shares(const uint32_t *counts, uint32_t n_classes, int votes, uint32_t *shares)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < n_classes; k++) n += counts[k];
    for (uint32_t k = 0; k < n_classes; k++)
        shares[k] = votes || !n ? 0 : (uint32_t) (((uint64_t) counts[k] << 31) / n);
    if (votes) shares[largest(counts, n_classes)] = 1;
}

void ct_pixel_shares(const ct_pixel_tree *tree, uint32_t n_classes, int votes, uint32_t *shares)
{
    for (size_t k = 0; k < (size_t) tree->n_leaves * n_classes; k += n_classes)
        fill_shares(tree->counts + k, n_classes, votes, shares + k);
}

static int make_shares(walk *w, unsigned threads)
{
    const ct_pixel_forest *f = w->forest;
    w->shares = (uint32_t **) ct_alloc_zeroed(f->n_trees + 1, sizeof *w->shares);
    w->sums = (uint64_t *) ct_alloc((size_t) threads * CHUNK * f->n_classes * sizeof *w->sums);
    if (!w->shares || !w->sums) return 0;
    for (uint32_t i = 0; i < f->n_trees; i++) {
        const ct_pixel_tree *tree = &f->trees[i];
        ct_pixel_tree_is_sound(tree);
        size_t cells = (size_t) tree->n_leaves * f->n_classes;
        w->shares[i] = (uint32_t *) ct_alloc(cells * sizeof **w->shares);
        if (!w->shares[i]) return 0;
        ct_pixel_shares(tree, f->n_classes, w->what == CT_PIXEL_VOTES, w->shares[i]);
    }
    return 1;
}

/* ---- pixels ---- */

/* Up to CHUNK pixels from number `begin` on. */
typedef struct {
    size_t begin;
    ct_pixels pixels;
    ct_pixel_run runs[CHUNK];
    uint32_t node_of[CHUNK];
} chunk;

static void fill_chunk(const walk *w, size_t begin, chunk *c)
{
    const ct_pixel_shape *shape = w->shape;
    size_t end = begin + CHUNK < w->n ? begin + CHUNK : w->n;
    c->begin = begin;
    c->pixels = (ct_pixels){w->image, (uint32_t) (end - begin), 0, c->runs};
    while (begin < end) {
        uint32_t col = (uint32_t) (begin / shape->height), row = (uint32_t) (begin % shape->height);
        uint32_t n = shape->height - row;
        if (n > end - begin) n = (uint32_t) (end - begin);
        c->runs[c->pixels.n_runs++] = (ct_pixel_run){col * shape->stride + row, n};
        begin += n;
    }
}

static void walk_tree(const walk *w, uint32_t number, chunk *c)
{
    const ct_pixel_tree *tree = &w->forest->trees[number];
    memset(c->node_of, 0, sizeof c->node_of);
    w->source->walk(w->source->self, tree->nodes, tree->features, &c->pixels, tree->depth,
                    c->node_of);
}

static void add_shares(const walk *w, uint32_t number, const chunk *c, uint64_t *sums)
{
    uint32_t n_classes = w->forest->n_classes;
    for (uint32_t i = 0; i < c->pixels.n; i++, sums += n_classes) {
        uint32_t leaf = (uint32_t) w->forest->trees[number].nodes[c->node_of[i]].low;
        const uint32_t *shares = w->shares[number] + (size_t) leaf * n_classes;
        for (uint32_t k = 0; k < n_classes; k++) sums[k] += shares[k];
    }
}

static uint32_t most_probable(const uint64_t *sums, uint32_t n)
{
    uint32_t best = 0;
    for (uint32_t k = 1; k < n; k++)
        if (sums[k] > sums[best]) best = k;
    return best;
}

/* Shares are rounded down in leaves, so that their sum is a little less than that of trees. */
static void write_sums(const walk *w, const chunk *c, const uint64_t *sums)
{
    uint32_t n_classes = w->forest->n_classes;
    for (uint32_t i = 0; i < c->pixels.n; i++, sums += n_classes) {
        size_t to = c->begin + i;
        uint64_t all = 0;
        for (uint32_t k = 0; k < n_classes; k++) all += sums[k];
        if (w->what == CT_PIXEL_LABELS)
            ((int32_t *) w->out)[to] = (int32_t) most_probable(sums, n_classes) + 1;
        for (uint32_t k = 0; k < n_classes; k++) {
            if (w->what == CT_PIXEL_VOTES) ((int32_t *) w->out)[to + k * w->n] = (int32_t) sums[k];
            if (w->what == CT_PIXEL_SHARES)
                ((double *) w->out)[to + k * w->n] = (double) sums[k] / (double) all;
        }
    }
}

static void walk_chunks(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const walk *w = (const walk *) data;
    size_t cells = (size_t) CHUNK * w->forest->n_classes;
    uint64_t *sums = w->sums + worker * cells;
    chunk c;
    for (uint64_t i = begin; i < end; i++) {
        fill_chunk(w, (size_t) i * CHUNK, &c);
        memset(sums, 0, cells * sizeof *sums);
        for (uint32_t tree = 0; tree < w->forest->n_trees; tree++) {
            walk_tree(w, tree, &c);
            if (w->what != CT_PIXEL_LEAVES) {
                add_shares(w, tree, &c, sums);
                continue;
            }
            for (uint32_t k = 0; k < c.pixels.n; k++)
                ((int32_t *) w->out)[tree * w->n + c.begin + k] = (int32_t) c.node_of[k] + 1;
        }
        if (w->what != CT_PIXEL_LEAVES) write_sums(w, &c, sums);
    }
}

ct_status ct_pixel_predict(const ct_pixel_forest *forest, const ct_pixel_source *source,
                           uint32_t image, ct_pixel_output what, unsigned threads, ct_halt *stop,
                           void *out, ct_error *error)
{
    CT_ASSERT(image < source->n_images && forest->n_classes > 0 && out);
    const ct_pixel_shape *shape = &source->shapes[image];
    walk w = {.forest = forest, .source = source, .image = image, .shape = shape,
              .n = (size_t) shape->height * shape->width, .what = what, .out = out};
    if (!threads) threads = 1;
    int fine = make_shares(&w, threads);
    ct_loop loop = {(w.n + CHUNK - 1) / CHUNK, 16, CT_DYNAMIC, threads, walk_chunks, &w, stop};
    if (fine) ct_parallel_for(&loop);
    for (uint32_t i = 0; w.shares && i < forest->n_trees; i++) ct_free(w.shares[i]);
    ct_free(w.shares);
    ct_free(w.sums);
    return fine ? CT_OK : ct_fail(error, CT_NO_MEMORY, "no memory to walk an image");
}
