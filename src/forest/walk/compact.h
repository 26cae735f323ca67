/* Trees whose nodes are walked without branching on their kind. For many rows, their codes are
 * those of the cuts that occur in the trees, which are fewer than those that the trees were grown
 * from. */
#ifndef CT_FOREST_WALK_COMPACT_H
#define CT_FOREST_WALK_COMPACT_H

#include "forest/hist_forest.h"

/* A code above `last` goes to the node behind `left`. Above a leaf's last there is none, and its
 * left is itself. */
typedef struct {
    uint32_t left;
    uint16_t feature, last;
} ct_compact_node;

/* A test of levels without an order, whose answer, 0 left and 1 right, is a code of a column behind
 * those of the table. */
typedef struct {
    uint16_t column, levels; /* a bit for each that goes left */
} ct_compact_set;

typedef struct {
    /* owned, as all below; NULL: tests of levels are too many for columns */
    ct_compact_node *nodes;
    size_t *begins;       /* [tree] in nodes */
    uint8_t *steps;       /* [tree] that most rows take */
    ct_compact_set *sets; /* [n_sets] */
    uint32_t n_sets;
    uint16_t *code_of;            /* [column][cut] of the cuts; NULL: as they are */
    size_t *first_code;           /* [column] in it */
    double *edges;                /* of all columns that cuts have codes of */
    ct_hist_code_column *columns; /* [n_cols] what rows are coded by: n_codes and edges */
} ct_compact;

enum { CT_COMPACT_ROWS = 2048 }; /* at a time, at most */

/* For the prediction of n_rows rows. Freed by ct_forest_compact_free, also after a failure: 0 if
 * memory ends. */
int ct_forest_compact_init(ct_compact *compact, const ct_hist_forest *forest,
                           const ct_hist_code_column *columns, uint32_t n_rows);
void ct_forest_compact_free(ct_compact *compact);

/* Writes the answers of all tests of levels behind the n_cols codes of each row. */
void ct_forest_compact_answer(const ct_compact *compact, uint32_t n_cols, uint32_t n,
                              uint16_t *by_row, size_t stride);

/* leaves[row]: the node that each of n rows without missing values comes to; rows has room for
 * CT_COMPACT_PAD more, and is changed. */
enum { CT_COMPACT_PAD = 8 };
void ct_forest_compact_walk(const ct_compact *compact, uint32_t tree, const uint16_t *by_row,
                            size_t stride, uint16_t *rows, uint32_t n, uint32_t *leaves);

/* The leaf of one row, with or without. */
uint32_t ct_forest_compact_leaf(const ct_compact *compact, const ct_hist_forest *forest,
                                uint32_t tree, const uint16_t *codes);

#endif
