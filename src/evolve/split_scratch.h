/* The working memory of a thread for split searches, reused from one to the next. */
#ifndef CT_EVOLVE_SPLIT_SCRATCH_H
#define CT_EVOLVE_SPLIT_SCRATCH_H

#include "evolve/split_search.h"

enum {
    CT_SPLIT_BLOCK = 256, /* rows that are added at a time */
    CT_NOT_IN_NODE = 255,
    CT_SUB_BINS = 64,                /* smaller bins of a bin that is opened */
    CT_BIN_LEVELS = 8,               /* bins, smaller bins within these, ... */
    CT_ALL_BINS = CT_MODEL_BINS + 1, /* missing values have one, too */
    CT_SPLITTERS_AT_A_TIME = 16,
    CT_PIECE_ROOM = 1 << 22, /* numbers in all pieces together */
    CT_LEVEL_SUBSETS = 1 << CT_SUBSET_LEVELS
};

/* The bins of a splitter, or the smaller bins of one of these: sums by bin and leaf, and what the
 * leaves cost with the first k bins on the left. */
typedef struct {
    uint32_t room;    /* bins there is memory for */
    double *sums;     /* [room][n_slots][size] */
    uint32_t *counts; /* [room][n_slots] rows */
    double *base[2];  /* [leaves of the side][size] rows of a side that are in no bin */
    uint32_t *base_n[2];
    double *sse[2], *terms[2]; /* [room + 1] by k */
    uint8_t *too_few[2];       /* [room + 1] a leaf or a split has too few rows */
    uint32_t *order;           /* [room] bins that have rows, from left to right */
    uint32_t *first;           /* [room + 1] the first of the sorted rows of each bin */
    /* cuts that leave no side too few rows: k from `cut` to before `cut_end` */
    uint32_t cut, cut_end;
} ct_bin_level;

struct ct_split_scratch {
    uint32_t n_levels;
    ct_bin_level levels[CT_BIN_LEVELS];
    /* [n_rows] the leaf of each row of the node, in either subtree; CT_NOT_IN_NODE for other rows,
     * and for all between searches */
    uint8_t *leaf[2];
    uint64_t *keys;      /* [n_rows] rank << 32 | row */
    double *lanes, *run; /* [size][lanes], [size] */
    double *bound;       /* [ct_gmt_open_bound_scratch] */
    double *subsets;     /* [CT_LEVEL_SUBSETS][size] */
    /* numbers in piece_sums, 0 for few rows; only one thread that adds up needs them */
    size_t piece_room;
    double *piece_sums;     /* [pieces][bins][n_slots][size] */
    uint32_t *piece_counts; /* [pieces][bins][n_slots] */
};

#endif
