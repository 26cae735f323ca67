/* One tree: from a sample of rows down to its leaves. */
#ifndef CT_FOREST_GROW_GROW_H
#define CT_FOREST_GROW_GROW_H

#include "base/rng.h"
#include "forest/hist_forest.h"
#include "forest/sample/sample.h"
#include "forest/scan/scan.h"
#include "forest/words.h"

/* Columns that nodes look at: those of the table, or copies of some rows that lie together. Large
 * nodes ask bins first; where there are none, codes are the view's own. */
typedef struct {
    const uint16_t *codes; /* [col][code_stride] */
    size_t code_stride;
    const uint32_t *code_rows; /* [row] where its codes are; NULL: as rows are */
    const uint8_t *bins;       /* [col][bin_stride], or NULL */
    size_t bin_stride;
    const int32_t *whole; /* [row] numbers as whole ones */
    const uint32_t *rows; /* [row] of the table; NULL: as they are */
} ct_view;

static inline uint16_t ct_view_code(const ct_view *view, uint32_t column, uint32_t row)
{
    return view->codes[column * view->code_stride + (view->code_rows ? view->code_rows[row] : row)];
}

/* The table; a block of its bins that fits the nearer caches; a few rows with their codes. */
typedef enum { CT_IN_TABLE, CT_IN_BLOCK, CT_IN_PATCH, CT_VIEWS } ct_place;

/* What all trees share; nothing of it changes while they grow. */
typedef struct {
    const ct_hist_data *data;
    const ct_hist_options *options;
    const ct_hist_codes *codes;
    const ct_scan *scan;
    uint32_t n_rows, n_cols, n_classes, block;
    ct_hist_sampler sampler; /* owned, as all below */
    uint32_t *order;     /* [n_rows] rows by class, then by number */
    uint32_t *places;    /* [n_rows] where rows are in it; NULL: numbers, which are in order */
    uint32_t *class_end; /* [n_classes] in it; numbers: one for all */
    int32_t *whole;      /* [n_rows] numbers, in units from the centre; NULL: classes */
    double centre, unit; /* of these */
    int exponent, bits;  /* of the unit; of whole numbers, besides the sign */
    int is_wide;         /* nodes may have units of their own, see whole.h */
    double gain_scale;   /* from gains to their whole units, where these have one word */
    ct_words out_words, gain_words, harm_words; /* of sums over trees */
    int has_missing;     /* some column has */
    int has_subtrees;    /* small ones grow as subtree.h says */
    int need_out;        /* somebody asks where rows left out go */
} ct_grower;

ct_status ct_grower_init(ct_grower *grower, const ct_hist_data *data,
                         const ct_hist_options *options, ct_error *error);
void ct_grower_free(ct_grower *grower);

/* A node that waits to be split. */
typedef struct {
    uint64_t path;
    uint32_t begin, n;      /* its items */
    uint32_t out, n_out;    /* its rows left out */
    uint32_t n_runs, node, depth, weight;
    int exponent;  /* numbers: of the unit of the whole ones */
    double purity; /* sum of squares by weight: of classes, or of the sum of whole numbers */
    ct_place place;
} ct_hist_task;

enum {
    CT_MEDIUM_PAD = 64,
    CT_PATCH_ROWS = 4 * CT_MEDIUM_ROWS + 32 /* with those left out */
};

enum { CT_TASKS = 72 }; /* the smaller child is always done first, so that few wait; with the one
                           under way and its children */

/* What a thread needs to grow trees, kept from tree to tree; and the tree under way. */
typedef struct {
    const ct_grower *grower;
    unsigned number;      /* the worker's */
    ct_halt *stop;
    ct_item *items, *spare_items; /* [n_rows + CT_PART_PAD] */
    uint32_t *counts;     /* [n_rows] of the sample, in the grower's order */
    uint32_t *out, *spare_out;     /* [n_rows] rows left out, in the view of their node */
    uint32_t *out_row,
        *out_leaf; /* [n_rows] those that have come to a leaf: which row, which node */
    uint32_t n_out;
    ct_view views[CT_VIEWS];
    int32_t *table_whole; /* [n_rows] of wide forests */
    uint8_t *block_bins; /* [n_cols][rows of a block] */
    int32_t *block_whole;
    uint32_t *block_rows;
    uint16_t *patch_codes; /* [n_cols][CT_PATCH_ROWS] */
    int32_t *patch_whole;
    uint32_t *patch_rows;
    /* [2][CT_LANES][CT_MEDIUM_ROWS + CT_MEDIUM_PAD] of candidates, by item */
    uint16_t *medium_codes;
    uint8_t *medium_bins;
    uint8_t small_weights[CT_SMALL_ROWS]; /* of the items of a small node */
    uint32_t *columns;    /* [n_cols] a permutation, from which candidates are drawn, */
    uint32_t *places;     /* and where those drawn were */
    ct_hist_run *runs;    /* [CT_TASKS][n_classes] of the tasks */
    ct_hist_run *now;     /* of these, those of the node under way */
    ct_hist_run *left, *right; /* and of its children */
    ct_hist_run *left_runs; /* [n_classes] what of each run goes left */
    ct_hist_task tasks[CT_TASKS];
    uint8_t order[CT_TASKS]; /* of tasks: those that wait, the next one last; then free ones */
    uint32_t n_tasks;        /* that wait */
    uint32_t *histograms; /* [n_classes][CT_PART_CELLS], see scan.h */
    int64_t *packed;      /* numbers: [CT_HIST_BIN_ROWS][CT_LANES] */
    double *sums;
    int32_t *weights;
    ct_hist_node *nodes;  /* of the tree, in the order in which they came */
    uint32_t n_nodes, room_nodes;
    uint32_t *leaf_counts; /* mixed leaves */
    double *means;
    uint32_t n_leaves, room_leaves, depth;
    int64_t *gains;       /* [n_cols][words] of the tree */
    uint8_t sides[CT_HIST_BIN_ROWS]; /* of the test under way */
    uint8_t *level_bins;        /* [CT_PATCH_ROWS] by row: a column's levels as bins */
} ct_hist_scratch;

/* CT_NO_MEMORY; freed by ct_hist_scratch_free, then too. */
ct_status ct_hist_scratch_init(ct_hist_scratch *scratch, const ct_grower *grower, unsigned number,
                               ct_halt *stop);
void ct_hist_scratch_free(ct_hist_scratch *scratch);

/* Runs of a node's items: one a class; numbers: one. */
static inline uint32_t ct_runs_of(const ct_grower *grower)
{
    return grower->n_classes ? grower->n_classes : 1;
}

/* As llround(), without a call. */
static inline int64_t ct_rounded(double x)
{
    int64_t whole = (int64_t) x;
    double rest = x - (double) whole;
    return whole + (rest >= 0.5) - (rest <= -0.5);
}

/* Rows of a block at most. */
static inline uint32_t ct_block_rows(const ct_grower *grower)
{
    uint32_t rows = 2 * grower->block;
    return rows < grower->n_rows ? rows : grower->n_rows;
}

/* Bytes that a scratch takes at the beginning. */
double ct_hist_scratch_bytes(const ct_grower *grower);

/* From here on the task and all below it look at columns of their own, if they have room for its
 * rows and the task is small enough to gain by it. */
void ct_enter_copy(ct_hist_scratch *scratch, ct_hist_task *task);

/* Grows tree `number`. Whether it is whole, and ct_hist_scratch_tree may take it out: not if it was
 * stopped, and not if memory ended. */
int ct_grow_tree(ct_hist_scratch *scratch, uint32_t number);

/* The tree, breadth first, in memory of its size; out_leaf then has the leaf's node of each row
 * left out. Freed by ct_hist_tree_free, also after CT_NO_MEMORY. */
ct_status ct_hist_scratch_tree(ct_hist_scratch *scratch, ct_hist_tree *tree);
void ct_hist_tree_free(ct_hist_tree *tree);

#endif
