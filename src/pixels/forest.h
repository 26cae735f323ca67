/* Forests that label pixels, grown as in Sharp (Implementing decision trees and forests on a GPU,
 * ECCV 2008): a level at a time over all pixels, by a histogram leaf x class x feature x bin. All
 * leaves of one level of one tree have the same candidates, drawn with the key (seed, tree, level,
 * number).
 *
 * Two policies for thresholds:
 *   CT_PIXEL_BEST    value >= threshold, the best of the borders of `bins` even bins over the
 *                    interval of interest;
 *   CT_PIXEL_RANDOM  the values of two pixels of the sample are first <= second; the best of first
 *                    <= value < second, first <= value, second <= value.
 *
 * The sample: CT_PIXEL_SAMPLE pixels of the tree, evenly spaced, the i-th of them number
 * floor(i n / CT_PIXEL_SAMPLE) of n, or all if there are no more. The interval of interest, unless
 * the caller has one: from the value in place m / 64, from 0, of the m sorted values to that as far
 * from the other end.
 *
 * A split is as good as the sum of what its children are worth, of whose n pixels n_k have class k:
 *   CT_PIXEL_GINI      sum(n_k^2) / n, in doubles from whole numbers;
 *   CT_PIXEL_ENTROPY   sum(n_k log n_k) - n log n, in doubles;
 *   CT_PIXEL_ERROR     max(n_k).
 * It must be more than the leaf is worth, with entropy by more than 1e-9 a pixel, which no rounding
 * reaches; the largest wins, of equal ones the candidate drawn first, then the test named first. So
 * a forest is a function of images, options and seed alone: threads, blocks and instruction sets
 * change nothing. */
#ifndef CT_PIXELS_FOREST_H
#define CT_PIXELS_FOREST_H

#include <stddef.h>

#include "base/learner.h"
#include "base/parallel.h"
#include "pixels/source.h"

enum {
    CT_PIXEL_CLASSES = 256,
    CT_PIXEL_BINS = 256,
    CT_PIXEL_FEATURES = 100000, /* candidates of a level, at most */
    CT_PIXEL_SAMPLE = 256
};

/* Breadth first. Owns its arrays. */
typedef struct {
    uint32_t number; /* from 0; its key */
    uint32_t n_nodes, n_leaves, depth, n_features;
    ct_pixel_node *nodes;
    ct_pixel_feature *features; /* those of its splits */
    uint32_t *counts;           /* [n_leaves][n_classes] pixels */
} ct_pixel_tree;

typedef struct {
    uint32_t n_trees, n_classes;
    ct_pixel_tree *trees; /* owned, by number */
} ct_pixel_forest;

struct ct_pixel_counter; /* pixels/level.h */

typedef enum { CT_PIXEL_BEST, CT_PIXEL_RANDOM } ct_pixel_policy;
typedef enum { CT_PIXEL_GINI, CT_PIXEL_ENTROPY, CT_PIXEL_ERROR } ct_pixel_rule;
typedef enum { CT_PIXEL_DONE, CT_PIXEL_INTERRUPTED, CT_PIXEL_TIME } ct_pixel_end;

typedef struct {
    ct_pixel_policy policy;
    ct_pixel_rule rule;
    int has_interval;    /* of interest, low .. high, low < high; 0: each candidate's own */
    int32_t low, high;
    uint32_t n_trees, first_tree;
    uint32_t features;   /* candidates of a level */
    uint32_t bins;       /* of CT_PIXEL_BEST, 2 .. CT_PIXEL_BINS */
    uint32_t depth;      /* most splits above a leaf */
    uint32_t min_n;      /* nodes of so few pixels are leaves */
    uint32_t pixels;     /* drawn for a tree from each image, of those with a label; 0: all */
    uint64_t seed;
    unsigned threads;
    ct_simd simd;
    uint32_t block;      /* pixels looked at together; 0: chosen */
    size_t cells;        /* of the histograms of one thread, as far as one leaf allows; 0: chosen */
    double time_limit;   /* seconds */
    const struct ct_pixel_counter *counter; /* borrowed; NULL: the threads count */
    /* NULL: splits are found by `rule`. With CT_PIXEL_BEST and fewer than CT_LEARNER_BINS bins;
     * called on the calling thread. A split goes right from the bin behind that of the answer. */
    ct_learner learn;
    int (*stop)(void *); /* asked now and then on the calling thread; NULL: none */
    /* as often, there too; NULL: none */
    void (*report)(void *, uint32_t trees, double seconds);
    void *calls;         /* what all three are given */
} ct_pixel_options;

/* labels[image][column * height + row]: classes from 0, negative where unknown; not looked at if
 * the source has a stream, each image of which is opened once or more a level. Fewer than 2^31
 * pixels in all. The forest is freed by ct_pixel_forest_free, also after a failure. Stopped early,
 * it has the trees that were complete. */
ct_status ct_pixel_grow(const ct_pixel_source *source, const int16_t *const *labels,
                        uint32_t n_classes, const ct_pixel_options *options,
                        ct_pixel_forest *forest, ct_pixel_end *end, ct_error *error);
void ct_pixel_forest_free(ct_pixel_forest *forest);

/* The draws of a candidate: its feature, then for CT_PIXEL_RANDOM two places in the sample. */
ct_rng ct_pixel_rng(uint64_t seed, uint32_t tree, uint32_t level, uint32_t candidate);

/* The output modes of the paper. */
typedef enum {
    CT_PIXEL_LEAVES, /* TreeLeaf, ForestLeaves: int32_t [tree][pixel] the leaf's node, from 1 */
    CT_PIXEL_VOTES,  /* int32_t [class][pixel] trees whose leaf has that class most often */
    CT_PIXEL_SHARES, /* Distribution: double [class][pixel], the mean over trees */
    CT_PIXEL_LABELS  /* ArgMax: int32_t [pixel] the first of the most probable classes, from 1 */
} ct_pixel_output;

/* What the forest says of all pixels of one image, column after column. The features of the trees
 * must be valid for the source. CT_NO_MEMORY. Once `stop` says so, pixels may be missing. */
ct_status ct_pixel_predict(const ct_pixel_forest *forest, const ct_pixel_source *source,
                           uint32_t image, ct_pixel_output what, unsigned threads, ct_halt *stop,
                           void *out, ct_error *error);

/* shares[leaf][class] of a tree's leaves, in units of 2^-31; of votes 1 for the largest class. */
void ct_pixel_shares(const ct_pixel_tree *tree, uint32_t n_classes, int votes, uint32_t *shares);

#endif
