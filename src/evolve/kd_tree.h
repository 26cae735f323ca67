/* A k-d tree of the rows (Bentley: Multidimensional binary search trees, 1975): cells are halves of
 * halves of the data along some splitters, each with the Gram matrix of its rows. Where a cell lies
 * within one leaf of a model tree its matrix is added at once; only the rows of the few cells that
 * a threshold cuts are added one by one. So the time for the sums of a model tree is proportional
 * to the borders of its leaves, and it needs no row lists of its own. A test of another splitter
 * cuts all cells: its node takes time proportional to its rows.
 *
 * The order of sums is that of the cells, on any device. A tile is a cell of at most CT_TILE_ROWS
 * rows that lies within no other tile. What a tile adds to a node is summed by itself, from zero;
 * then the sums of tiles and of larger cells are added, so that tiles can be summed in parallel. */
#ifndef CT_EVOLVE_KD_TREE_H
#define CT_EVOLVE_KD_TREE_H

#include "evolve/model_tree.h"

enum { CT_TILE_ROWS = 2048 };

/* A cell with more rows than a tile has halves. */
typedef struct {
    uint32_t begin, end; /* its rows */
    uint32_t half;       /* the second half, the first being the next cell; 0: it has no halves */
    uint32_t after;      /* the first cell that is not within it */
} ct_cell;

/* The ranks of a splitter in a cell. */
typedef struct {
    uint32_t low, high; /* of rows with a value; low above high: there are none */
    int any_missing;
} ct_rank_range;

/* Owned; freed by ct_gmt_kd_free, also after a failure. */
typedef struct {
    ct_model_table table; /* the data, its rows in the order of the cells */
    const ct_gram_kernels *kernels;
    uint8_t *along; /* [n_splitters] whether cells are cut along it */
    uint32_t n, room;
    ct_cell *cells;        /* [n] each before the cells within it */
    ct_rank_range *ranges; /* [n][n_splitters] */
    double *grams;         /* [n][size] */
} ct_kd_tree;

/* A k-d tree along the splitters that `along` [n_splitters] marks: those that trees will use. */
ct_status ct_gmt_kd_init(ct_kd_tree *kd, const ct_model_table *table,
                         const ct_gram_kernels *kernels, const uint8_t *along, ct_error *error);
void ct_gmt_kd_free(ct_kd_tree *kd);

#endif
