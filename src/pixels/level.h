/* A tree that is being grown: its pixels, and the level that is being split. */
#ifndef CT_PIXELS_LEVEL_H
#define CT_PIXELS_LEVEL_H

#include "pixels/forest.h"
#include "pixels/kernels.h"

enum {
    CT_PIXEL_NONE = 0xffffffff,
    CT_PIXEL_JOINT = 5,         /* features of two thresholds, three codes each, in a byte: */
    CT_PIXEL_JOINT_BINS = 243,  /* 3^5 */
    CT_PIXEL_AT_ONCE = 4        /* histograms whose codes are bytes of one word */
};

/* Pixels looked at together, all of one image; those before it in the tree. */
typedef struct {
    ct_pixels pixels;
    uint32_t first;
} ct_pixel_block;

/* The pixels of a tree. Owns its arrays. */
typedef struct {
    uint32_t n, n_blocks;
    ct_pixel_block *blocks;
    ct_pixel_run *runs;
    uint8_t *classes;      /* [n] */
    uint32_t *node_of;     /* [n] */
    uint32_t n_sample;
    ct_pixels *sample;     /* [n_sample] of one pixel each */
    ct_pixel_run *sample_runs;
} ct_pixel_tree_pixels;

/* How many have a label. */
uint32_t ct_pixel_known_pixels(const int16_t *labels, const ct_pixel_shape *shape);

/* The pixels of tree `number`, at its root; known: of each image. Freed by
 * ct_pixel_tree_pixels_free, also after CT_NO_MEMORY, or CT_BAD_INPUT: a stream has ended. */
ct_status ct_pixel_tree_pixels_init(ct_pixel_tree_pixels *pixels, const ct_pixel_source *source,
                                    const int16_t *const *labels, const uint32_t *known,
                                    const ct_pixel_options *options, uint32_t number);
void ct_pixel_tree_pixels_free(ct_pixel_tree_pixels *pixels);

/* Blocks whose features have values at a time: all, or, where images come one at a time, those of
 * one image. */
typedef struct {
    uint32_t first, n;
} ct_pixel_group;

/* From those of `group` to those that follow, the first ones if it has none; their image is opened.
 * 0: these were all, or growing is to end. */
int ct_pixel_next_group(const ct_pixel_source *source, const ct_pixel_tree_pixels *pixels,
                        ct_halt *stop, ct_pixel_group *group);

typedef struct {
    ct_pixel_feature feature;
    ct_even_bins even;      /* CT_PIXEL_BEST */
    int32_t first, second;  /* CT_PIXEL_RANDOM; at first their places in the sample */
} ct_pixel_candidate;

/* The best test of a leaf so far: CT_PIXEL_NONE, or which candidate's and which of its tests. */
typedef struct {
    double score;
    uint32_t candidate, test;
} ct_pixel_split;

struct ct_pixel_level;
struct ct_pixel_chunk;

/* Who counts in place of the threads, as a device. Each function returns 0 if it cannot: the
 * threads then count the rest of the level. */
struct ct_pixel_counter {
    void *self;
    int (*begin_tree)(void *self, const ct_pixel_tree_pixels *pixels);
    int (*begin_level)(void *self, const struct ct_pixel_level *level);
    /* Fills the histograms of the chunk, as ct_pixel_chunk says, but for their last rows. */
    int (*count)(void *self, const struct ct_pixel_level *level,
                 const struct ct_pixel_chunk *chunk, uint32_t *cells);
};

/* What a thread needs. */
typedef struct {
    /* [histogram][leaf][class][bin], and of each a last row for pixels of other leaves */
    uint32_t *cells;
    int32_t *values;        /* [block] */
    uint32_t *codes, *slots;
} ct_pixel_scratch;

/* The open leaves of one level. `splits` and `inside` are filled by ct_pixel_level_search. */
typedef struct ct_pixel_level {
    const ct_pixel_source *source;
    const ct_pixel_options *options;
    const ct_pixel_tree_pixels *pixels;
    const ct_pixel_candidate *candidates; /* [options->features] */
    /* [node] its number among the open leaves, or CT_PIXEL_NONE */
    const uint32_t *open_of;
    uint32_t n_nodes, n_open, n_classes;
    const uint32_t *totals;      /* [n_open][n_classes] pixels */
    ct_pixel_split *splits;      /* [n_open] */
    uint32_t *inside;            /* [n_open][n_classes] pixels right of the split */
    ct_pixel_scratch *scratches; /* [threads] */
    unsigned threads;
    size_t room;             /* cells of a scratch */
    const struct ct_pixel_counter *counter; /* NULL: the threads count */
    ct_halt *stop;
    uint32_t tree, depth;    /* numbers from 0 */
} ct_pixel_level;

/* Histograms that are there at a time: of `n` features for each of some leaves. */
typedef struct ct_pixel_chunk {
    uint32_t first, n;           /* histograms */
    uint32_t first_leaf, n_leaves;
    uint32_t per, bins;          /* features of a histogram, and its bins */
    size_t size;                 /* cells of a histogram */
} ct_pixel_chunk;

/* Cells that a scratch must have room for at least. */
size_t ct_pixel_level_least_cells(const ct_pixel_options *options, uint32_t n_classes);

/* The best split of each open leaf, or the learner's. 0 if memory ends. */
int ct_pixel_level_search(ct_pixel_level *level);

/* Splits the leaves of a chunk that has all candidates, whose counts these are, as the learner
 * answers; the level is stopped once that wants no more. 0 if memory ends. */
int ct_pixel_call_learner(const ct_pixel_level *level, const ct_pixel_chunk *chunk,
                          const uint32_t *cells);

/* What a split must be better than. */
double ct_pixel_worth_of_leaf(const ct_pixel_level *level, uint32_t leaf);

/* Looks at the splits of an open leaf by the features in the chunk; cells: of its first leaf's. */
void ct_pixel_search_leaf(const ct_pixel_level *level, const ct_pixel_chunk *chunk,
                          const uint32_t *cells, uint32_t leaf);

/* Pixels of each class that go right by the leaf's split, one in the chunk; cells: of this leaf. */
void ct_pixel_fill_inside(const ct_pixel_level *level, const ct_pixel_chunk *chunk,
                          const uint32_t *cells, uint32_t leaf);

/* The node of a split, but for its place and feature. */
ct_pixel_node ct_pixel_test(const ct_pixel_candidate *candidate, ct_pixel_policy policy,
                            uint32_t test);

/* Even bins from low to high, at least equal. */
ct_even_bins ct_pixel_even_bins_of(int32_t low, int32_t high, uint32_t n_bins);

#endif
