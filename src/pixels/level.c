/* One level of a tree: the histogram leaf x class x feature x bin, counted by all threads. */
#include "pixels/level.h"

#include <string.h>

#include "base/bits.h"
#include "pixels/conditions.h"

/* ---- codes and counts ---- */

ct_even_bins ct_pixel_even_bins_of(int32_t low, int32_t high, uint32_t n_bins)
{
    uint32_t span = (uint32_t) high - (uint32_t) low;
    unsigned width = ct_bit_width(span), shift = width > 15 ? width - 15 : 0;
    CT_ASSERT(low <= high && n_bins <= CT_PIXEL_BINS);
    return (ct_even_bins){low, high, shift, (n_bins << 16) / ((span >> shift) + 1)};
}

static uint32_t power_of_3(uint32_t n)
{
    static const uint32_t powers[CT_PIXEL_JOINT] = {1, 3, 9, 27, 81};
    return powers[n];
}

/* Codes of up to four histograms from `first` on, a byte each. */
static void fill_codes(const ct_pixel_level *level, const ct_pixel_scratch *scratch,
                       const ct_pixel_block *block, uint32_t per, uint32_t first)
{
    const ct_pixel_kernels *kernels = ct_pixel_kernels_at(level->options->simd);
    uint32_t n = block->pixels.n, end = (first + CT_PIXEL_AT_ONCE) * per;
    if (end > level->options->features) end = level->options->features;
    memset(scratch->codes, 0, n * sizeof *scratch->codes);
    for (uint32_t i = first * per; i < end; i++) {
        const ct_pixel_candidate *c = &level->candidates[i];
        unsigned place = 8 * (i / per - first);
        level->source->values(level->source->self, &c->feature, &block->pixels, scratch->values);
        if (per == 1) kernels->even(scratch->values, n, &c->even, place, scratch->codes);
        else
            kernels->between(scratch->values, n, c->first, c->second, power_of_3(i % per) << place,
                             scratch->codes);
    }
}

/* Four increments that do not wait for each other. */
static void add_codes(const uint32_t *codes, const uint32_t *slots, uint32_t n, uint32_t *cells,
                      size_t size)
{
    uint32_t *a = cells, *b = a + size, *c = b + size, *d = c + size;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t word = codes[i];
        size_t slot = slots[i];
        a[slot + (word & 255)]++;
        b[slot + (word >> 8 & 255)]++;
        c[slot + (word >> 16 & 255)]++;
        d[slot + (word >> 24)]++;
    }
}

/* Rows of cells; that of pixels in other leaves is the last. */
static void fill_slots(const ct_pixel_level *level, const ct_pixel_chunk *chunk,
                       const ct_pixel_block *block, uint32_t *slots)
{
    const uint32_t *node = level->pixels->node_of + block->first;
    const uint8_t *class_ = level->pixels->classes + block->first;
    for (uint32_t i = 0; i < block->pixels.n; i++) {
        uint32_t leaf = level->open_of[node[i]] - chunk->first_leaf;
        uint32_t row = leaf * level->n_classes + class_[i];
        slots[i] = (leaf < chunk->n_leaves ? row : chunk->n_leaves * level->n_classes) *
                   chunk->bins;
    }
}

typedef struct {
    ct_pixel_level *level;
    const ct_pixel_chunk *chunk;
    ct_pixel_group group;
} counting;

static void count_blocks(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const counting *c = (const counting *) data;
    const ct_pixel_scratch *scratch = &c->level->scratches[worker];
    for (uint64_t i = begin; i < end; i++) {
        const ct_pixel_block *block = &c->level->pixels->blocks[c->group.first + i];
        fill_slots(c->level, c->chunk, block, scratch->slots);
        for (uint32_t h = 0; h < c->chunk->n; h += CT_PIXEL_AT_ONCE) {
            fill_codes(c->level, scratch, block, c->chunk->per, c->chunk->first + h);
            add_codes(scratch->codes, scratch->slots, block->pixels.n,
                      scratch->cells + h * c->chunk->size, c->chunk->size);
        }
    }
}

/* ---- from counts to splits ---- */

enum { SUM_STEP = 1 << 14, LEAF_STEP = 4 };

static void add_scratches(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const ct_pixel_level *level = ((const counting *) data)->level;
    (void) worker;
    for (unsigned other = 1; other < level->threads; other++)
        for (uint64_t i = begin; i < end; i++)
            level->scratches[0].cells[i] += level->scratches[other].cells[i];
}

static void search_leaves(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const counting *c = (const counting *) data;
    const size_t leaf_cells = (size_t) c->level->n_classes * c->chunk->bins;
    (void) worker;
    for (uint64_t i = begin; i < end; i++)
        ct_pixel_search_leaf(c->level, c->chunk, c->level->scratches[0].cells + i * leaf_cells,
                             c->chunk->first_leaf + (uint32_t) i);
}

static void count_by_threads(counting *c)
{
    const ct_pixel_level *level = c->level;
    uint64_t n_cells = c->chunk->n * c->chunk->size;
    ct_loop sum = {n_cells, SUM_STEP, CT_STATIC, level->threads, add_scratches, c, level->stop};
    for (unsigned i = 0; i < level->threads; i++)
        memset(level->scratches[i].cells, 0, n_cells * sizeof *level->scratches[i].cells);
    while (ct_pixel_next_group(level->source, level->pixels, level->stop, &c->group)) {
        ct_loop count = {c->group.n, 1, CT_DYNAMIC, level->threads, count_blocks, c, level->stop};
        ct_parallel_for(&count);
    }
    if (level->threads > 1) ct_parallel_for(&sum);
}

/* 0 if memory ends. */
static int search_chunk(ct_pixel_level *level, const ct_pixel_chunk *chunk)
{
    counting c = {level, chunk, {0, 0}};
    const struct ct_pixel_counter *counter = level->counter;
    ct_pixel_chunk_is_sound(level, chunk);
    ct_loop search = {chunk->n_leaves, LEAF_STEP, CT_DYNAMIC, level->threads, search_leaves, &c,
                      level->stop};
    if (counter && !counter->count(counter->self, level, chunk, level->scratches[0].cells))
        counter = level->counter = NULL;
    if (!counter) count_by_threads(&c);
    if (level->options->learn)
        return ct_halt_now(level->stop, 0) ||
               ct_pixel_call_learner(level, chunk, level->scratches[0].cells);
    ct_parallel_for(&search);
    return 1;
}

/* ---- as many cells as there is room for ---- */

static uint32_t per_histogram(const ct_pixel_options *o)
{
    return o->policy == CT_PIXEL_BEST ? 1 : CT_PIXEL_JOINT;
}

static uint32_t bins_of(const ct_pixel_options *o)
{
    return o->policy == CT_PIXEL_BEST ? o->bins : CT_PIXEL_JOINT_BINS;
}

static size_t cells_of(const ct_pixel_options *o, uint32_t n_classes, uint32_t n_leaves)
{
    return ((size_t) n_leaves * n_classes + 1) * bins_of(o);
}

/* Histograms of a leaf that must be there together: a learner is shown all. */
static size_t least_histograms(const ct_pixel_options *o)
{
    size_t all = ((size_t) o->features + CT_PIXEL_AT_ONCE - 1) / CT_PIXEL_AT_ONCE;
    return CT_PIXEL_AT_ONCE * (o->learn ? all : 1);
}

size_t ct_pixel_level_least_cells(const ct_pixel_options *o, uint32_t n_classes)
{
    return least_histograms(o) * cells_of(o, n_classes, 1);
}

static uint32_t leaves_at_once(const ct_pixel_level *level)
{
    size_t rows = level->room / least_histograms(level->options) / bins_of(level->options) - 1;
    size_t leaves = rows / level->n_classes;
    return leaves < level->n_open ? (uint32_t) leaves : level->n_open;
}

int ct_pixel_level_search(ct_pixel_level *level)
{
    const ct_pixel_options *o = level->options;
    ct_pixel_level_is_sound(level);
    uint32_t leaves = leaves_at_once(level), per = per_histogram(o),
             n = (o->features + per - 1) / per;
    size_t size = cells_of(o, level->n_classes, leaves);
    uint32_t at_once = (uint32_t) (level->room / size / CT_PIXEL_AT_ONCE) * CT_PIXEL_AT_ONCE;
    CT_ASSERT(leaves > 0 && at_once > 0);
    for (uint32_t i = 0; i < level->n_open; i++)
        level->splits[i] = (ct_pixel_split){ct_pixel_worth_of_leaf(level, i), CT_PIXEL_NONE, 0};
    for (uint32_t first = 0; first < n; first += at_once)
        for (uint32_t leaf = 0; leaf < level->n_open && !ct_halt_now(level->stop, 0);
             leaf += leaves) {
            uint32_t rest = level->n_open - leaf,
                     some = n - first < at_once ? n - first : at_once;
            some = (some + CT_PIXEL_AT_ONCE - 1) / CT_PIXEL_AT_ONCE * CT_PIXEL_AT_ONCE;
            ct_pixel_chunk chunk = {.first = first, .n = some, .first_leaf = leaf,
                                    .n_leaves = rest < leaves ? rest : leaves, .per = per,
                                    .bins = bins_of(o), .size = size};
            if (!search_chunk(level, &chunk)) return 0;
        }
    return 1;
}
