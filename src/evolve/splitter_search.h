/* The search of one splitter (split_search.h): Gram matrices summed by bin and leaf, and what the
 * leaves cost with the first bins on the left. */
#ifndef CT_EVOLVE_SPLITTER_SEARCH_H
#define CT_EVOLVE_SPLITTER_SEARCH_H

#include "evolve/split_scratch.h"

/* The leaves below a split, as they are numbered on its side of the node. */
typedef struct {
    uint32_t begin, end;
} ct_leaf_range;

/* The node that is searched; shared by all threads, which only read it. */
typedef struct {
    const ct_model_tree *tree;
    const ct_model_table *table;
    const ct_gmt_split_options *options;
    const uint32_t *rows; /* [n] rows of the node */
    uint32_t n;
    uint32_t n_leaves[2]; /* of each subtree */
    uint32_t n_splits[2]; /* splits of each that may have too few rows */
    ct_leaf_range split[2][CT_TREE_LEAVES];
    /* the slot of the first leaf of each side; both 0 where each side has one leaf */
    uint32_t slot[2];
    uint32_t n_slots;
    const uint8_t *leaf[2]; /* [row] leaf */
    uint32_t first;         /* the first splitter that is searched */
    double limit, splits;   /* the number of splits there would be, with the node's */
    ct_split_scratch *const *scratch;
    ct_gmt_split *best; /* [n_splitters] */
    ct_gmt_split *kept;
} ct_node_search;

/* The search of one splitter. */
typedef struct {
    const ct_node_search *of;
    ct_split_scratch *scratch;
    const ct_splitter *splitter;
    int32_t number;
    int missing_left;
    double least; /* penalised cost to be beaten */
    ct_gmt_split best;
} ct_splitter_search;

/* Matrices that are to be solved together, and where their costs are to be added. */
typedef struct {
    ct_splitter_search *search;
    ct_bin_level *level;
    int side;
    unsigned n;
    uint32_t at[CT_GRAM_LANES];
} ct_leaf_batch;

void ct_gmt_leaf_batch_solve(ct_leaf_batch *batch);

/* A leaf with the `count` rows of `gram`, whose cost is added at index `at`. */
void ct_gmt_leaf_batch_add(ct_leaf_batch *batch, const double *gram, uint32_t count, uint32_t at);

void ct_gmt_add_gram(double *sum, const double *more, size_t size);

void ct_gmt_clear_costs(ct_bin_level *level, uint32_t n);

/* Adds the costs of a side with the first k of n bins on the left, for k from `first` to `last`. */
void ct_gmt_scan_side(ct_splitter_search *s, ct_bin_level *level, uint32_t n, int side,
                      uint32_t first, uint32_t last);

/* The rows that the leaves of a split have together: of the base of a side, and of a bin. */
uint32_t ct_gmt_base_rows(const ct_bin_level *level, int side, ct_leaf_range split);
uint32_t ct_gmt_bin_rows(const ct_splitter_search *s, const ct_bin_level *level, int side,
                         uint32_t bin, ct_leaf_range split);

/* Finds the cuts that leave all leaves and splits enough rows, and the costs of both sides as far
 * as these cuts, or thresholds within the bins beside them, need them. */
void ct_gmt_scan_cuts(ct_splitter_search *s, ct_bin_level *level, uint32_t n);

/* The penalised cost with the bins before `left` on the left and those from `right` on the
 * right. */
double ct_gmt_cut_cost(const ct_splitter_search *s, const ct_bin_level *level, uint32_t left,
                       uint32_t right);

/* Takes the cut `k` if it costs less than the best; returns whether it does. */
int ct_gmt_offer_cut(ct_splitter_search *s, const ct_bin_level *level, uint32_t k);

/* Sets the sums of n bins to 0. */
void ct_gmt_clear_sums(const ct_splitter_search *s, ct_bin_level *level, uint32_t n);
void ct_gmt_add_rows(const ct_splitter_search *s, ct_bin_level *level, const uint32_t *rows,
                     const uint32_t *bin, uint32_t n);

#endif
