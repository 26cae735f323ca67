/* Costs of all ways to split a set of rows by two tests: Gram matrices of the rows by pairs of
 * bins, one of each splitter, and sums of these for all pairs of candidates (candidate_splits.h).
 * Two tests divide the rows into four quarters. Two of these together are what is below one side of
 * a split: for the first test below the second as for the second below the first, so that a pair of
 * splitters is looked at once.
 *
 * The memory of depth_two.h, which goes through the pairs. */
#ifndef CT_EVOLVE_PAIRS_H
#define CT_EVOLVE_PAIRS_H

#include "evolve/candidate_splits.h"

enum { CT_PAIRS_BLOCK = 256 }; /* rows that are copied and added at a time */

/* The best model, or the best split with two models, for the rows on one side of a candidate of the
 * root. `bound`: the cost if leaves may have any number of rows. */
typedef struct {
    double cost, bound;
    int32_t splitter; /* of the split; -1: a leaf */
    uint32_t candidate;
} ct_side_best;

/* What one thread works on. The quarter of the rows that are on side `first` of the first test and
 * on side `second` of the second one has number 2 * first + second. */
typedef struct {
    double *z;             /* [CT_PAIRS_BLOCK][width] rows that are added */
    uint8_t *codes;        /* [CT_PAIRS_BLOCK][n_splitters] */
    double *run;           /* [groups][size] running sums over the candidates of the second test */
    double *lanes;         /* [groups][size][CT_GRAM_LANES] some of these, side by side */
    double *sum, *scratch; /* [size][CT_GRAM_LANES] running sums over those of the first test */
    uint32_t *run_count, *lane_count; /* rows in `run` and in `lanes` */
    double *cost[4];     /* [candidates][candidates] SSE + lambda * coefficients of a quarter */
    uint8_t *too_few[4]; /* [candidates][candidates] it has fewer than minbucket rows */
} ct_pair_scratch;

typedef struct {
    const ct_model_table *table;
    const ct_gram_kernels *kernels;
    unsigned threads;
    uint32_t most_groups, most_candidates; /* of a splitter, below `groups` and `candidates` */
    uint8_t *codes;                        /* [n_rows][n_splitters] bins */
    ct_gmt_candidates *splits;             /* [n_splitters] */
    uint32_t *sorted;                      /* [n_rows] rows by group of the first splitter */
    uint32_t first[CT_CANDIDATE_GROUPS + 1];
    uint32_t room;        /* second splitters there is memory for at a time */
    double *cells;        /* [room][groups][groups][size] the cross tables of two splitters */
    uint32_t *cell_count; /* [room][groups][groups] */
    double *margin;       /* [groups][size] by group of the first splitter */
    double *intervals;    /* [2][groups + 1][groups + 1], see depth_two.c */
    /* [room][4][candidates] left and right of the first split, then of the second one */
    ct_side_best *found;
    ct_side_best *best;         /* [n_splitters][candidates][2] */
    ct_pair_scratch *scratches; /* [threads] */
    /* the problem that is being solved */
    double lambda;
    uint32_t minbucket, min_n;
    uint32_t splitter; /* the first one */
    uint32_t from, to; /* the second ones */
    const uint32_t *rows;
    uint32_t n;
} ct_pairs;

/* Owned; NULL if there is not enough memory. At most `most` bytes are for cells, if they suffice
 * for one pair. */
ct_pairs *ct_gmt_pairs_new(const ct_model_table *table, const ct_gram_kernels *kernels,
                           unsigned threads, size_t most);
void ct_gmt_pairs_free(ct_pairs *pairs);

/* Takes a leaf (splitter -1), or a split with two, if it is better than what was found before. */
static inline void ct_offer_below(ct_side_best *best, double cost, int too_few, int32_t splitter,
                                  uint32_t candidate)
{
    if (cost < best->bound) best->bound = cost;
    if (too_few || !(cost < best->cost)) return;
    best->cost = cost;
    best->splitter = splitter;
    best->candidate = candidate;
}

/* A loop over groups of the first splitter: sums the cells of each with all second splitters. */
void ct_gmt_pairs_add(void *pairs, unsigned worker, uint64_t begin, uint64_t end);

/* A loop over second splitters, counted from `from`: what is best below each side. */
void ct_gmt_pairs_solve(void *pairs, unsigned worker, uint64_t begin, uint64_t end);

#endif
