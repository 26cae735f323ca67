/* Rows in cells: halves of halves of the data along some splitters, each with the Gram matrix of
 * its rows. Where a cell lies within one leaf of a tree its matrix is added as a whole; only the
 * rows of the few cells that a threshold cuts are added one by one. So the time for the sums of a
 * tree is proportional to its borders, and a tree needs no row lists of its own. A test of another
 * splitter cuts all cells: its node takes time proportional to its rows.
 *
 * The order of sums is that of the cells, and the same for whoever makes them. A tile is a cell of
 * at most CT_TILE_ROWS rows within none that is. What a tile adds to a node is summed by itself,
 * from zero; then the sums of tiles and of larger cells are added, so that they can be made apart.
 */
#ifndef CT_EVOLVE_ROW_CELLS_H
#define CT_EVOLVE_ROW_CELLS_H

#include "evolve/model_tree.h"

enum { CT_TILE_ROWS = 2048 };

/* What has more rows than a tile has halves. */
typedef struct {
    uint32_t begin, end; /* its rows */
    uint32_t half;       /* its halves are the next cell and this one; 0: it has none */
    uint32_t after;      /* the first cell behind those within it */
} ct_cell;

/* Of the ranks of a splitter in a cell. */
typedef struct {
    uint32_t low, high;  /* of the rows that have a value; low above high: none has */
    int any_missing;
} ct_cell_range;

/* Owned; freed by ct_gmt_row_cells_free, also after a failure. */
typedef struct {
    ct_model_table table; /* the data, cell after cell */
    const ct_gram_kernels *kernels;
    uint8_t *along;       /* [n_splitters] whether cells are cut along it */
    uint32_t n, room;
    ct_cell *cells;        /* [n] each before those within it */
    ct_cell_range *ranges; /* [n][n_splitters] */
    double *grams;         /* [n][size] */
} ct_row_cells;

/* Cells along the splitters that `along` [n_splitters] marks: those that trees will ask for. */
ct_status ct_gmt_row_cells_init(ct_row_cells *cells, const ct_model_table *table,
                                const ct_gram_kernels *kernels, const uint8_t *along,
                                ct_error *error);
void ct_gmt_row_cells_free(ct_row_cells *cells);

#endif
