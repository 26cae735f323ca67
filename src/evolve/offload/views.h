/* What the kernels are handed: where on the device the k-d tree of the rows is, and a batch of
 * queries about it. All of it goes to every kernel, by value. */
#ifndef CT_EVOLVE_OFFLOAD_VIEWS_H
#define CT_EVOLVE_OFFLOAD_VIEWS_H

#include "evolve/kd_sides.h"

/* The k-d tree, sent once. */
typedef struct {
    uint32_t n_rows, n_splitters, p, n_entries;
    size_t width, size;
    const double *z;          /* [n_rows][width] */
    const uint32_t *rank;     /* [n_splitters][n_rows] */
    const uint32_t *n_levels; /* [n_splitters] */
    const uint8_t *along;     /* [n_splitters] */
    const ct_cell *cells;
    const ct_rank_range *ranges; /* [cell][n_splitters] */
    const double *grams;         /* [cell][size] */
    const uint32_t *entries;     /* [n_entries] of the triangle of a matrix: row * 65536 + column */
} ct_kd_view;

/* A node of a tree, as far as a query is about it; its children are numbers in the query's
 * array. */
typedef struct {
    ct_gmt_test test; /* the test of a split; splitter -1: an end */
    uint32_t left, right;
    int32_t leaf; /* of an end: its number in the query; -1: of no interest */
} ct_query_node;

/* What a tile that a test cuts adds to a leaf. */
typedef struct {
    uint32_t cell;  /* the tile */
    uint32_t nodes; /* where the nodes of the query begin */
    uint32_t node;  /* the one of these whose test cuts the tile */
    int32_t leaf;
} ct_tile_piece;

enum { CT_PIECE_FLAG = 1u << 31 }; /* set in a summand that is a piece, not a cell */

/* The summands of a leaf, in their order: cells and pieces. */
typedef struct {
    uint32_t first, n;
} ct_summands;

/* A row that a query asks for: the one with this number among those of the summands. */
typedef struct {
    ct_summands of;
    uint32_t number;
} ct_nth_row;

/* A batch of queries. Pieces whose sums are wanted come first; of the others only the rows are
 * counted. */
typedef struct {
    uint32_t n_summed, n_pieces, n_leaves, n_rows;
    const ct_query_node *nodes;
    const ct_tile_piece *pieces;
    const uint32_t *summands;
    const ct_summands *leaves;  /* [n_leaves] */
    const uint64_t *omitted;    /* [n_leaves][CT_OMITTED_WORDS] as of the tree's nodes */
    const ct_nth_row *nth_rows; /* [n_rows] */
    double *sums;               /* [n_summed][size] */
    uint32_t *counts;           /* [n_pieces] rows */
    double *models;             /* [n_leaves][size + p] scratch */
    double *sse, *terms;        /* [n_leaves] the answers */
    uint32_t *n, *rows;         /* [n_leaves] [n_rows] */
} ct_batch_view;

typedef struct {
    ct_kd_view kd;
    ct_batch_view batch;
} ct_evolve_views;

#endif
