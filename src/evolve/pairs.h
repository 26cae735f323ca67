/* Costs of all ways to part a set of rows by two tests: Gram matrices of the rows by pairs of bins,
 * one of each splitter, and sums of these for all pairs of options (axis.h). Of the four parts that
 * two tests make, two together are what is below one side of a split: for the first test below the
 * second as for the second below the first, so that a pair of splitters is looked at once.
 *
 * The memory of depth_two.h, which goes through the pairs. */
#ifndef CT_EVOLVE_PAIRS_H
#define CT_EVOLVE_PAIRS_H

#include "evolve/axis.h"

enum { CT_PAIRS_BLOCK = 256 }; /* rows that are copied and added at a time */

/* The best model, or the best split with two, for the rows of one side of a root's option. `bound`:
 * of leaves that may have any number of rows. */
typedef struct {
    double cost, bound;
    int32_t splitter;      /* of the split; -1: a leaf */
    uint32_t option;
} ct_side_best;

/* What one thread works on. Leaves of the parts (left or right by the first test, and by the
 * second) are at [2 * first + second]. */
typedef struct {
    double *z;                        /* [CT_PAIRS_BLOCK][width] rows that are added */
    uint8_t *codes;                   /* [CT_PAIRS_BLOCK][n_splitters] */
    double *run;                      /* [places][size] sums on the walk of the second test, */
    double *lanes;                    /* [places][size][CT_GRAM_LANES] put beside each other, */
    double *sum, *scratch;            /* [size][CT_GRAM_LANES] and on the walk of the first */
    uint32_t *run_count, *lane_count; /* rows of both */
    double *cost[4];                  /* [options][options] SSE + lambda * coefficients */
    uint8_t *few[4];                  /* fewer than minbucket rows */
} ct_pair_scratch;

typedef struct {
    const ct_model_table *table;
    const ct_gram_kernels *kernels;
    unsigned threads;
    uint32_t places, options; /* of an axis at most */
    uint8_t *codes;           /* [n_rows][n_splitters] bins */
    ct_gmt_axis *axes;        /* [n_splitters] */
    uint32_t *sorted;         /* [n_rows] rows by place of the first splitter */
    uint32_t first[CT_AXIS_PLACES + 1];
    uint32_t room;              /* second splitters there is memory for at a time */
    double *cells;              /* [room][places][places][size] */
    uint32_t *cell_count;       /* [room][places][places] */
    double *margin;             /* [places][size] by place of the first splitter */
    double *intervals;          /* [2][places + 1][places + 1], see depth_two.c */
    ct_side_best *found;        /* [room][4][options] sides of the first split, and of the second */
    ct_side_best *best;         /* [n_splitters][options][2] */
    ct_pair_scratch *scratches; /* [threads] */
    double lambda;              /* of the problem at work, as is the rest */
    /* the first splitter, the second ones */
    uint32_t minbucket, min_n, splitter, from, to;
    const uint32_t *rows;
    uint32_t n;
} ct_pairs;

/* Owned; NULL if memory ends. At most `most` bytes are for cells, if they suffice for one pair. */
ct_pairs *ct_gmt_pairs_new(const ct_model_table *table, const ct_gram_kernels *kernels,
                           unsigned threads, size_t most);
void ct_gmt_pairs_free(ct_pairs *pairs);

/* Loops: places of the first splitter, each with the cells of all second ones; second splitters
 * from `from` on. */
void ct_gmt_pairs_add(void *pairs, unsigned worker, uint64_t begin, uint64_t end);
void ct_gmt_pairs_solve(void *pairs, unsigned worker, uint64_t begin, uint64_t end);

#endif
