/* Rows in cells: halves of halves of the data along some splitters, each with the Gram matrix of
 * its rows. Where a cell lies within one leaf of a tree its matrix is added as a whole; only the
 * rows of the few cells that a threshold cuts are added one by one. So the time for the sums of a
 * tree is proportional to its borders, and a tree needs no row lists of its own. A test of another
 * splitter cuts all cells: its node takes time proportional to its rows. */
#ifndef CT_EVOLVE_ROW_CELLS_H
#define CT_EVOLVE_ROW_CELLS_H

#include "evolve/model_tree.h"

typedef struct {
    uint32_t begin, end; /* its rows */
    uint32_t half;       /* its halves are the next cell and this one; 0: it has none */
} ct_cell;

/* Of the ranks of a splitter in a cell. */
typedef struct {
    uint32_t low, high;  /* of the rows that have a value; low above high: none has */
    int any_missing;
} ct_cell_range;

/* Owned; freed by ct_row_cells_free, also after a failure. */
typedef struct {
    ct_model_table table; /* the data, cell after cell */
    const ct_gram_kernels *kernels;
    uint8_t *along;       /* [n_splitters] whether cells are cut along it */
    uint32_t n, room;
    ct_cell *cells;       /* [n] each before those within it */
    ct_cell_range *ranges; /* [n][n_splitters] */
    double *grams;        /* [n][size] */
} ct_row_cells;

/* Cells along the splitters that `along` [n_splitters] marks: those that trees will ask for. */
ct_status ct_row_cells_init(ct_row_cells *cells, const ct_model_table *table,
                            const ct_gram_kernels *kernels, const uint8_t *along, ct_error *error);
void ct_row_cells_free(ct_row_cells *cells);

/* A root without splits that has no rows, only their sums: for the calls below. */
ct_status ct_row_cells_tree(const ct_row_cells *cells, ct_model_tree *tree, uint32_t leaves_max,
                            ct_error *error);

/* As ct_model_tree_refresh: nodes have 0 .. their number of rows as rows. */
void ct_row_cells_refresh(const ct_row_cells *cells, ct_model_tree *tree, int32_t node,
                          uint32_t minbucket, uint32_t depth_max);

/* The rows of a node, as stretches of the table. Owned by who made it. */
typedef struct {
    uint32_t n, n_rows;
    uint32_t *first;      /* [n_rows of the table] where a stretch begins */
    uint32_t *before;     /* ... and how many rows are in those before it */
} ct_node_rows;

ct_status ct_node_rows_init(ct_node_rows *rows, uint32_t n_rows, ct_error *error);
void ct_node_rows_free(ct_node_rows *rows);
void ct_node_rows_find(ct_node_rows *rows, const ct_row_cells *cells, const ct_model_tree *tree,
                       int32_t node);
/* The row `number` of n_rows. */
uint32_t ct_node_rows_at(const ct_node_rows *rows, uint32_t number);

#endif
