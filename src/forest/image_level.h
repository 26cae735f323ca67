/* A tree that is being grown: its pixels, and the level that is being split. */
#ifndef CT_FOREST_IMAGE_LEVEL_H
#define CT_FOREST_IMAGE_LEVEL_H

#include "forest/image_forest.h"
#include "forest/image_kernels.h"

enum {
    CT_IMAGE_NONE = 0xffffffff,
    CT_IMAGE_JOINT = 5,         /* features of two thresholds, three codes each, in a byte: */
    CT_IMAGE_JOINT_BINS = 243,  /* 3^5 */
    CT_IMAGE_AT_ONCE = 4        /* histograms whose codes are bytes of one word */
};

/* Pixels looked at together, all of one image; those before it in the tree. */
typedef struct {
    ct_pixels pixels;
    uint32_t first;
} ct_image_block;

/* The pixels of a tree. Owns its arrays. */
typedef struct {
    uint32_t n, n_blocks;
    ct_image_block *blocks;
    ct_pixel_run *runs;
    uint8_t *classes;      /* [n] */
    uint32_t *node_of;     /* [n] */
    uint32_t n_sample;
    ct_pixels *sample;     /* [n_sample] of one pixel each */
    ct_pixel_run *sample_runs;
} ct_tree_pixels;

/* The pixels of tree `number`, at its root. Freed by ct_tree_pixels_free, also after
 * CT_NO_MEMORY. */
ct_status ct_tree_pixels_init(ct_tree_pixels *pixels, const ct_source *source,
                              const int16_t *const *labels, const ct_image_options *options,
                              uint32_t number);
void ct_tree_pixels_free(ct_tree_pixels *pixels);

typedef struct {
    ct_feature feature;
    ct_even_bins even;      /* CT_IMAGE_BEST */
    int32_t first, second;  /* CT_IMAGE_RANDOM */
} ct_image_candidate;

/* The best test of a leaf so far: CT_IMAGE_NONE, or which candidate's and which of its tests. */
typedef struct {
    double score;
    uint32_t candidate, test;
} ct_image_split;

/* What a thread needs. */
typedef struct {
    uint32_t *cells;        /* [histogram][leaf][class][bin], and of each a last row for pixels of
                               other leaves */
    int32_t *values;        /* [block] */
    uint32_t *codes, *slots;
} ct_image_desk;

/* The open leaves of one level. `splits` and `inside` are filled by ct_level_search. */
typedef struct {
    const ct_source *source;
    const ct_image_options *options;
    const ct_tree_pixels *pixels;
    const ct_image_candidate *candidates; /* [options->features] */
    const uint32_t *open_of; /* [node] its number among the open leaves, or CT_IMAGE_NONE */
    uint32_t n_open, n_classes;
    const uint32_t *totals;  /* [n_open][n_classes] pixels */
    ct_image_split *splits;  /* [n_open] */
    uint32_t *inside;        /* [n_open][n_classes] pixels right of the split */
    ct_image_desk *desks;    /* [threads] */
    unsigned threads;
    size_t room;             /* cells of a desk */
    ct_halt *stop;
} ct_image_level;

/* Histograms that are there at a time: of `n` features for each of some leaves. */
typedef struct {
    uint32_t first, n;           /* histograms */
    uint32_t first_leaf, n_leaves;
    uint32_t per, bins;          /* features of a histogram, and its bins */
    size_t size;                 /* cells of a histogram */
} ct_image_chunk;

/* Cells that a desk must have room for at least. */
size_t ct_level_least_cells(const ct_image_options *options, uint32_t n_classes);

/* The best split of each open leaf. */
void ct_level_search(ct_image_level *level);

/* Looks at the splits of an open leaf by the features in the chunk; cells: of its first leaf's. */
void ct_image_search_leaf(const ct_image_level *level, const ct_image_chunk *chunk,
                          const uint32_t *cells, uint32_t leaf);

/* The node of a split, but for its place and feature. */
ct_image_node ct_image_test(const ct_image_candidate *candidate, ct_image_policy policy,
                            uint32_t test);

/* Even bins from low to high, at least equal. */
ct_even_bins ct_even_bins_of(int32_t low, int32_t high, uint32_t n_bins);

#endif
