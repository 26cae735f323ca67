/* One tree: from a sample of rows down to its leaves. */
#ifndef CT_FOREST_GROW_H
#define CT_FOREST_GROW_H

#include "base/rng.h"
#include "forest/hist_forest.h"
#include "forest/sample.h"
#include "forest/scan.h"

/* A row of the sample: where its codes are in the view of its node, and how often it was drawn. */
typedef struct {
    uint32_t row, weight;
} ct_item;

/* Columns that nodes look at: those of the table, or copies of a block's rows that lie together. */
typedef struct {
    const uint16_t *codes; /* [col][stride] */
    const uint8_t *bins;
    const int32_t *whole;  /* [row] numbers as whole ones */
    size_t stride;
    const uint32_t *rows;  /* [row] of the table; NULL: as they are */
} ct_view;

/* What all trees share; nothing of it changes while they grow. */
typedef struct {
    const ct_hist_data *data;
    const ct_hist_options *options;
    const ct_codes *codes;
    const ct_scan *scan;
    uint32_t n_rows, n_cols, n_classes, block;
    ct_sampler sampler;  /* owned, as all below */
    uint32_t *order;     /* [n_rows] rows by class, then by number */
    uint32_t *class_end; /* [n_classes] in it; numbers: one for all */
    int32_t *whole;      /* [n_rows] numbers, in units from the centre; NULL: classes */
    double centre, unit; /* of these */
    double gain_scale;   /* from gains to their whole units */
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
    int in_block;
} ct_task;

enum { CT_TASKS = 72 }; /* the smaller child is always done first, so that few wait */

/* What a thread needs to grow trees, kept from tree to tree; and the tree under way. */
typedef struct {
    const ct_grower *grower;
    unsigned number;      /* the worker's */
    ct_halt *stop;
    ct_item *items, *spare_items; /* [n_rows] */
    uint32_t *counts;     /* [n_rows] of the sample */
    uint32_t *out, *spare_out;     /* [n_rows] rows left out, in the view of their node */
    uint32_t *out_row,
        *out_leaf; /* [n_rows] those that have come to a leaf: which row, which node */
    uint32_t n_settled;
    ct_view table, block;
    uint16_t *block_codes;
    uint8_t *block_bins;
    int32_t *block_whole;
    uint32_t *block_rows;
    uint32_t *columns;    /* [n_cols] a permutation, from which candidates are drawn, */
    uint32_t *places;     /* and where those drawn were */
    ct_run *runs;         /* [CT_TASKS][n_classes] of the tasks that wait */
    ct_run *now;          /* [n_classes] of the node under way */
    ct_run *left, *right; /* and of its children */
    ct_task tasks[CT_TASKS];
    uint32_t n_tasks;
    uint32_t *histograms; /* [n_classes][CT_BIN_ROWS][CT_LANES] */
    int64_t *packed;      /* numbers: [CT_BIN_ROWS][CT_LANES] */
    double *sums;
    int32_t *weights;
    ct_hist_node *nodes;  /* of the tree, in the order in which they came */
    uint32_t n_nodes, room_nodes;
    uint32_t *leaf_counts; /* mixed leaves */
    double *means;
    uint32_t n_leaves, room_leaves, depth;
    int64_t *gains;       /* [n_cols] of the tree */
} ct_desk;

int ct_desk_init(ct_desk *desk, const ct_grower *grower, unsigned number, ct_halt *stop);
void ct_desk_free(ct_desk *desk);

/* Bytes that a desk takes at the beginning. */
double ct_desk_bytes(const ct_grower *grower);

/* Grows tree `number`; 0 if it was stopped, or memory ended. Then ct_desk_tree takes it out. */
int ct_grow_tree(ct_desk *desk, uint32_t number);

/* The tree, breadth first, in memory of its size; out_leaf then has the leaf's node of each row
 * left out. 0 if memory ended. */
int ct_desk_tree(ct_desk *desk, ct_hist_tree *tree);
void ct_hist_tree_free(ct_hist_tree *tree);

#endif
