/* What the kernels that grow trees are handed: where on the device the table and a batch of trees
 * are. All of it goes to every kernel, by value. */
#ifndef CT_FOREST_OFFLOAD_GROW_VIEWS_H
#define CT_FOREST_OFFLOAD_GROW_VIEWS_H

#include "base/rng.h"
#include "forest/split/criteria.h"

enum {
    CT_GROW_CHUNK = 1024, /* items that a block partitions */
    CT_GROW_WORDS = CT_GROW_CHUNK / 32,
    CT_GROW_MEDIUM = CT_MEDIUM_ROWS, /* nodes of so few items are grown to their end by one block */
    CT_GROW_MTRY = 1024,             /* candidates at most */
    CT_GROW_WEIGHT_BITS = 24         /* of an item; that of a tree has at most two more */
};

/* A row of a tree's sample. Numbers have class 0. */
typedef struct {
    uint32_t row;
    uint32_t class_weight; /* class << CT_GROW_WEIGHT_BITS | weight */
} __attribute__((aligned(8))) ct_grow_item;

CT_HD uint32_t ct_item_weight(ct_grow_item item)
{
    return item.class_weight & ((1u << CT_GROW_WEIGHT_BITS) - 1);
}

CT_HD uint32_t ct_item_class(ct_grow_item item)
{
    return item.class_weight >> CT_GROW_WEIGHT_BITS;
}

/* As ct_hist_node, in the order in which they came; a leaf's place is one of the tree's `placed`.
 * Where its items were last: one of two sides, and from where on. */
typedef struct {
    uint32_t next;
    uint16_t feature, cut;
    uint32_t side_begin, n; /* side << 31 | begin */
} ct_grow_node;

/* A node that waits to be split. */
typedef struct {
    uint64_t path;
    uint32_t tree, node; /* of the batch; of the tree */
    uint32_t begin, n, weight, depth;
} ct_grow_task;

typedef struct {
    uint32_t n_codes, n_bins;
    uint32_t has_missing, is_set;
} ct_grow_column;

/* What is known of a large node besides; of its children in turn. */
typedef struct {
    uint32_t n, weight;
} ct_grow_count;

/* The best border of bins of a candidate, with missing values right [0] and left [1]; of levels
 * without an order the best set [0]. */
typedef struct {
    double score[2];         /* -1: none */
    uint16_t cut[2];         /* at random: 0 if there is none */
    uint16_t levels, absent; /* of a set, levels with CT_HIST_SET_LEVELS for missing values */
    uint16_t low, high;      /* of a cut at random: the node's codes */
    uint16_t missing;        /* whether rows of the node have missing values */
} ct_grow_border;

/* The split of a large node. */
typedef struct {
    uint32_t found;
    uint16_t column, cut;
    uint8_t missing_left, knows_missing, is_set;
    uint16_t absent;
    uint8_t equal; /* there is none, and none was looked for: all numbers are equal */
} ct_grow_split;

/* The table, and what is wanted of all trees. */
typedef struct {
    uint32_t n_rows, n_cols, n_classes;
    size_t stride;
    const uint8_t *bins;    /* [col][row] */
    const uint16_t *codes;  /* [row][stride] */
    const ct_grow_column *columns;
    const uint16_t *first;  /* [col][CT_BINS + 1] as in ct_hist_code_column */
    const uint8_t *classes; /* [row], or */
    const int32_t *quantised; /* [row] quantised numbers, and */
    const double *numbers;  /* [row] themselves */
    const uint32_t *order;  /* [row] rows by class */
    const uint32_t *upto;   /* [row] as in ct_hist_sampler; NULL: all rows alike */
    const double *logs;     /* [sample + 1] see ct_tally_node */
    uint64_t seed;
    uint32_t sample, mtry, depth, min_n, pool_by_level;
    ct_score score; /* of the criterion, as the next */
    int at_random;
    double gain_scale, centre, unit;
} ct_grow_table;

/* Sizes that the device comes to, and the host fetches. */
typedef struct {
    uint32_t n_large, n_chunks; /* of the level to come */
    uint32_t n_medium;          /* tasks that wait for a block of their own */
    uint32_t heavy;             /* an item's weight has too many bits */
} ct_grow_sizes;

/* Large nodes of one level. */
typedef struct {
    ct_grow_task *tasks;
    ct_grow_count *classes; /* [task][class] */
    int64_t *sums;          /* [task] of numbers */
    uint32_t *first_chunk;  /* [task] */
    uint32_t *task_of;      /* [chunk] */
} ct_grow_level;

/* Trees that are grown together. */
typedef struct {
    uint32_t n_trees, first_tree; /* the number of the first */
    uint32_t capacity;            /* items of a tree at most */
    uint32_t node_capacity;       /* nodes */
    uint32_t *counts;             /* [tree][row] how often drawn */
    ct_grow_item *items[2];       /* [tree][capacity] */
    ct_grow_node *nodes;          /* [tree][node_capacity] */
    uint32_t *placed;             /* [tree][node_capacity / 2 + 1] leaves that have a place */
    /* [tree] */
    uint32_t *n_nodes, *n_placed, *depths;
    int64_t *gains;               /* [tree][col] */
    ct_grow_sizes *sizes;
    /* Sampling, in chunks of the draws, then of rows. */
    uint32_t n_draw_chunks, n_row_chunks;
    uint32_t *accepted;             /* [tree][chunk] */
    ct_grow_count *class_counts;    /* [tree][class] of the root; numbers: one */
    int64_t *root_sums;             /* [tree] */
    /* A level. */
    uint32_t n_large, side;         /* where its items are */
    ct_grow_level now, next;
    uint16_t *candidates;               /* [task][3][mtry] */
    ct_grow_border *borders;            /* [task][mtry] */
    ct_grow_split *splits;              /* [task] */
    ct_grow_count *left, *left_classes; /* [task], [task][class] */
    int64_t *left_sums;                 /* [task] */
    uint32_t *flags;                    /* [chunk][CT_GROW_WORDS] items that go left */
    uint32_t *chunk_left;               /* [chunk] how many, then how many in those before */
    /* Tasks that wait for a block; `side` of the items in the highest bit of `begin`. */
    ct_grow_task *medium;
    /* Leaves that have a place, of some trees: their counts, or weights and means. */
    uint32_t tree_from, tree_end;
    uint32_t *leaf_begins;          /* [tree] in what follows */
    uint32_t *leaf_counts;          /* [leaf][class], or [leaf] */
    double *leaf_means;             /* [leaf] */
    /* Rows that are not part of trees. */
    int64_t *oob_sums;              /* [row][class], or [row]; of all batches. NULL: not wanted */
    uint32_t *oob_trees;            /* [row] */
    /* [tree][row] the node; UINT32_MAX: in the sample. NULL: not wanted */
    uint32_t *oob_leaves;
} ct_grow_batch;

typedef struct {
    ct_grow_table table;
    ct_grow_batch batch;
} ct_grow_view;

CT_HD ct_grow_item *ct_grow_items(const ct_grow_view *v, uint32_t tree, uint32_t side)
{
    CT_ASSERT(side < 2 && tree < v->batch.n_trees);
    return v->batch.items[side] + (size_t) tree * v->batch.capacity;
}

CT_HD ct_grow_node *ct_grow_nodes(const ct_grow_view *v, uint32_t tree)
{
    CT_ASSERT(tree < v->batch.n_trees);
    return v->batch.nodes + (size_t) tree * v->batch.node_capacity;
}

CT_HD uint16_t ct_grow_code(const ct_grow_view *v, uint32_t row, uint32_t column)
{
    CT_ASSERT(row < v->table.n_rows && column < v->table.n_cols);
    return v->table.codes[row * v->table.stride + column];
}

#endif
