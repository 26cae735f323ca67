/* A line search at one splitter (line_search.h): Gram matrices summed by part of the rows and leaf,
 * and what the leaves cost with the first parts on the left. */
#ifndef CT_EVOLVE_LINE_PARTS_H
#define CT_EVOLVE_LINE_PARTS_H

#include "evolve/line_scratch.h"

/* The leaves of a split below the node: as they are numbered on its side. */
typedef struct {
    uint32_t begin, end;
} ct_line_split;

/* What is searched, read by all threads. */
typedef struct {
    const ct_model_tree *tree;
    const ct_model_table *table;
    const ct_line_options *options;
    const uint32_t *rows;   /* [n] of the node */
    uint32_t n;
    uint32_t n_leaves[2];   /* of the subtrees */
    uint32_t n_splits[2];   /* of these that may have too few rows */
    ct_line_split split[2][CT_TREE_LEAVES];
    uint32_t slot[2];       /* where the leaves of a side begin; both at 0 where each has one */
    uint32_t n_slots;
    const uint8_t *leaf[2]; /* by row */
    uint32_t first;         /* of the splitters that are searched */
    double limit, splits;   /* splits there would be, the node's too */
    ct_line_scratch *const *scratch;
    ct_line_best *best;     /* [n_splitters] */
    ct_line_best *kept;
} ct_line_node;

/* One splitter at work. */
typedef struct {
    const ct_line_node *of;
    ct_line_scratch *scratch;
    const ct_splitter *splitter;
    int32_t number;
    int missing_left;
    double least;           /* penalised cost to be beaten */
    ct_line_best best;
} ct_line;

/* The next matrices to be solved, and where their costs are to be added. */
typedef struct {
    ct_line *l;
    ct_line_level *level;
    int side;
    unsigned n;
    uint32_t at[CT_GRAM_LANES];
} ct_line_batch;

void ct_gmt_line_solve(ct_line_batch *batch);

/* A leaf has the rows of `gram`, `count` of them, at place `at`. */
void ct_gmt_line_put(ct_line_batch *batch, const double *gram, uint32_t count, uint32_t at);

void ct_gmt_line_add(double *sum, const double *more, size_t size);

void ct_gmt_line_clear_costs(ct_line_level *level, uint32_t n);

/* Costs of a side with the first k of n parts on the left, k from `first` to `last`, added to what
 * is there. */
void ct_gmt_line_scan(ct_line *l, ct_line_level *level, uint32_t n, int side, uint32_t first,
                      uint32_t last);

/* Rows of leaves together: from the sides besides, and of a part. */
uint32_t ct_gmt_line_base_rows(const ct_line_level *level, int side, ct_line_split split);
uint32_t ct_gmt_line_part_rows(const ct_line *l, const ct_line_level *level, int side,
                               uint32_t part, ct_line_split split);

/* Finds the cuts with which all leaves and splits have enough rows; and the costs of both sides, as
 * far as these, or others within the parts, need them. */
void ct_gmt_line_scan_cuts(ct_line *l, ct_line_level *level, uint32_t n);

/* Penalised, with `left` parts on the left and those from `right` on the right. */
double ct_gmt_line_cost(const ct_line *l, const ct_line_level *level, uint32_t left,
                        uint32_t right);

/* Takes the split with costs at `k`, one of the cuts, if it is better; 1 if so. */
int ct_gmt_line_offer(ct_line *l, const ct_line_level *level, uint32_t k);

/* Sums of n parts; rows of the node are added, at most CT_LINE_BLOCK. */
void ct_gmt_line_clear(const ct_line *l, ct_line_level *level, uint32_t n);
void ct_gmt_line_add_rows(const ct_line *l, ct_line_level *level, const uint32_t *rows,
                          const uint32_t *part, uint32_t n);

#endif
