/* What the kernels are handed: where on the device the rows in cells are, and a batch of questions
 * about them. All of it goes to every kernel, by value. */
#ifndef CT_EVOLVE_OFFLOAD_VIEWS_H
#define CT_EVOLVE_OFFLOAD_VIEWS_H

#include "evolve/cell_sides.h"

/* Sent once. */
typedef struct {
    uint32_t n_rows, n_splitters, p, n_entries;
    size_t width, size;
    const double *z;             /* [n_rows][width] */
    const uint32_t *rank;        /* [n_splitters][n_rows] */
    const uint32_t *n_levels;    /* [n_splitters] */
    const uint8_t *along;        /* [n_splitters] */
    const ct_cell *cells;
    const ct_cell_range *ranges; /* [cell][n_splitters] */
    const double *grams;         /* [cell][size] */
    const uint32_t *entries;     /* [n_entries] of the triangle of a matrix: row * 65536 + column */
} ct_cells_view;

/* Of a tree, as far as a question is about it; the others hang together in its array. */
typedef struct {
    ct_gmt_test test;     /* of a split; splitter -1: an end */
    uint32_t left, right;
    int32_t leaf;         /* of an end: its number in the question; -1: it is of no interest */
} ct_question_node;

/* What a tile, which a test cuts, adds to a leaf. */
typedef struct {
    uint32_t cell;        /* the tile */
    uint32_t nodes;       /* where those of the question begin */
    uint32_t node;        /* of these: the test that cuts it */
    int32_t leaf;
} ct_tile_piece;

enum { CT_PART_PIECE = 1u << 31 }; /* a piece, not a cell */

/* Parts of what a leaf has, in their order: cells, and pieces. */
typedef struct {
    uint32_t first, n;
} ct_parts_of;

/* A row that is asked for: that of this number in all that the parts have. */
typedef struct {
    ct_parts_of of;
    uint32_t number;
} ct_row_asked;

/* Pieces whose sums are wanted come first; of the others only the rows are counted. */
typedef struct {
    uint32_t n_summed, n_pieces, n_leaves, n_rows;
    const ct_question_node *nodes;
    const ct_tile_piece *pieces;
    const uint32_t *parts;
    const ct_parts_of *leaves;   /* [n_leaves] */
    const uint64_t *omitted;     /* [n_leaves][CT_OMITTED_WORDS] as of the tree's nodes */
    const ct_row_asked *asked;   /* [n_rows] */
    double *sums;                /* [n_summed][size] */
    uint32_t *counts;            /* [n_pieces] rows */
    double *models;              /* [n_leaves][size + p] scratch */
    double *sse, *terms;         /* [n_leaves] the answers */
    uint32_t *n, *rows;          /* [n_leaves] [n_rows] */
} ct_batch_view;

typedef struct {
    ct_cells_view cells;
    ct_batch_view batch;
} ct_evolve_views;

#endif
