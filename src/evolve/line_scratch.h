/* What a thread needs for a line search, reused from one to the next. */
#ifndef CT_EVOLVE_LINE_SCRATCH_H
#define CT_EVOLVE_LINE_SCRATCH_H

#include "evolve/line_search.h"

enum {
    CT_LINE_BLOCK = 256, /* rows that are added at a time */
    CT_LINE_OUTSIDE = 255,
    CT_LINE_PARTS = 64,                   /* of a bin that is opened */
    CT_LINE_LEVELS = 8,                   /* bins, parts, parts of these, ... */
    CT_LINE_ALL_BINS = CT_MODEL_BINS + 1, /* the rows without a value have one, too */
    CT_LINE_AT_A_TIME = 16,               /* splitters */
    CT_LINE_PIECE_ROOM = 1 << 22,         /* numbers of all pieces */
    CT_LINE_SUBSETS = 1 << CT_SUBSET_LEVELS
};

/* One bin after another, or the parts of a bin: sums by part and leaf, and what the leaves cost
 * with the first k parts on the left. */
typedef struct {
    uint32_t room;      /* parts there is memory for */
    double *sums;       /* [room][n_slots][size] */
    uint32_t *counts;   /* [room][n_slots] rows */
    double *base[2];    /* [leaves of the side][size] rows of the sides besides */
    uint32_t *base_n[2];
    double *sse[2], *terms[2]; /* [room + 1] by k */
    uint8_t *few[2];           /* [room + 1] a leaf or a split has too few rows */
    uint32_t *order;           /* [room] parts that have rows, from left to right */
    uint32_t *first;           /* [room + 1] of the sorted rows */
    /* the first and the end of the k with which none has too few rows */
    uint32_t cut, cut_end;
} ct_line_level;

struct ct_line_scratch {
    uint32_t n_levels;
    ct_line_level levels[CT_LINE_LEVELS];
    /* [n_rows] of each row of the node, in the subtrees; CT_LINE_OUTSIDE: none, as that is all
     * between searches */
    uint8_t *leaf[2];
    uint64_t *keys;         /* [n_rows] rank << 32 | row */
    double *lanes, *run;    /* [size][lanes], [size] */
    double *bound;          /* [ct_gmt_open_bound_scratch] */
    double *subsets;        /* [CT_LINE_SUBSETS][size] */
    /* numbers for sums of pieces, 0 for few rows; one that adds up is enough */
    size_t piece_room;
    double *piece_sums;     /* [pieces][bins][n_slots][size] */
    uint32_t *piece_counts; /* [pieces][bins][n_slots] */
};

#endif
