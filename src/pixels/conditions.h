/* What must hold of pixels, levels, histograms and trees at the doors of this room: assertions, and
 * nothing without CT_DEBUG. */
#ifndef CT_PIXELS_CONDITIONS_H
#define CT_PIXELS_CONDITIONS_H

#include "base/status.h"
#include "pixels/level.h"

#ifdef CT_DEBUG

/* Blocks follow each other, and their runs add up. */
static inline void ct_tree_pixels_are_sound(const ct_pixel_tree_pixels *pixels)
{
    uint32_t n = 0;
    for (uint32_t b = 0; b < pixels->n_blocks; b++) {
        const ct_pixel_block *block = &pixels->blocks[b];
        uint32_t in_runs = 0;
        CT_ASSERT(block->first == n);
        for (uint32_t i = 0; i < block->pixels.n_runs; i++) {
            CT_ASSERT(block->pixels.runs[i].n > 0);
            in_runs += block->pixels.runs[i].n;
        }
        CT_ASSERT(in_runs == block->pixels.n);
        n += in_runs;
    }
    CT_ASSERT(n == pixels->n);
    CT_ASSERT(pixels->n_sample == (n < CT_PIXEL_SAMPLE ? n : CT_PIXEL_SAMPLE));
}

static inline void ct_pixel_level_is_sound(const ct_pixel_level *level)
{
    const ct_pixel_options *o = level->options;
    uint64_t open = 0, total = 0;
    CT_ASSERT(level->n_open > 0 && level->n_open <= level->n_nodes && level->threads > 0);
    CT_ASSERT(level->n_classes > 0 && level->n_classes <= CT_PIXEL_CLASSES);
    CT_ASSERT(o->features > 0 && o->bins >= 2 && o->bins <= CT_PIXEL_BINS);
    CT_ASSERT(level->room >= ct_pixel_level_least_cells(o, level->n_classes));
    for (uint32_t i = 0; i < level->pixels->n; i++) {
        CT_ASSERT(level->pixels->node_of[i] < level->n_nodes);
        CT_ASSERT(level->pixels->classes[i] < level->n_classes);
        open += level->open_of[level->pixels->node_of[i]] != CT_PIXEL_NONE;
    }
    for (size_t k = 0; k < (size_t) level->n_open * level->n_classes; k++)
        total += level->totals[k];
    CT_ASSERT(total == open);
}

static inline void ct_pixel_chunk_is_sound(const ct_pixel_level *level, const ct_pixel_chunk *chunk)
{
    CT_ASSERT(chunk->n > 0 && chunk->n % CT_PIXEL_AT_ONCE == 0 && chunk->n_leaves > 0);
    CT_ASSERT(chunk->first_leaf + chunk->n_leaves <= level->n_open);
    CT_ASSERT(chunk->first * chunk->per < level->options->features);
    CT_ASSERT(chunk->per == 1 || (chunk->per == CT_PIXEL_JOINT &&
                                  chunk->bins == CT_PIXEL_JOINT_BINS));
    CT_ASSERT(chunk->size >= ((size_t) chunk->n_leaves * level->n_classes + 1) * chunk->bins);
    CT_ASSERT(chunk->n * chunk->size <= level->room);
}

/* Each histogram of the leaf has all of its pixels. */
static inline void ct_pixel_cells_are_sound(const ct_pixel_level *level,
                                            const ct_pixel_chunk *chunk, const uint32_t *cells,
                                            uint32_t leaf)
{
    const uint32_t *totals = level->totals + (size_t) leaf * level->n_classes;
    CT_ASSERT(leaf >= chunk->first_leaf && leaf - chunk->first_leaf < chunk->n_leaves);
    for (uint32_t i = 0; i < chunk->n; i++) {
        if ((chunk->first + i) * chunk->per >= level->options->features) break;
        for (uint32_t k = 0; k < level->n_classes; k++) {
            uint64_t n = 0;
            for (uint32_t bin = 0; bin < chunk->bins; bin++)
                n += cells[i * chunk->size + k * (size_t) chunk->bins + bin];
            CT_ASSERT(n == totals[k]);
        }
    }
}

/* A walk down it ends in a leaf: children come later, and leaves lead to themselves. */
static inline void ct_pixel_tree_is_sound(const ct_pixel_tree *tree)
{
    uint32_t leaves = 0;
    CT_ASSERT(tree->n_nodes > 0 && tree->counts);
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        const ct_pixel_node *node = &tree->nodes[i];
        if (node->left == i) {
            CT_ASSERT(!node->length && (uint32_t) node->low < tree->n_leaves);
            leaves++;
        } else {
            CT_ASSERT(node->left > i && node->left + 1 < tree->n_nodes && node->length);
            CT_ASSERT(node->feature < tree->n_features);
        }
    }
    CT_ASSERT(leaves == tree->n_leaves && tree->n_nodes == 2 * leaves - 1);
}

#else

#define ct_tree_pixels_are_sound(pixels) ((void) (pixels))
#define ct_pixel_level_is_sound(level) ((void) (level))
#define ct_pixel_chunk_is_sound(level, chunk) ((void) (level), (void) (chunk))
#define ct_pixel_cells_are_sound(level, chunk, cells, leaf)                                        \
    ((void) (level), (void) (chunk), (void) (cells), (void) (leaf))
#define ct_pixel_tree_is_sound(tree) ((void) (tree))

#endif
#endif
