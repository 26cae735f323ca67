/* A question as a device is asked it: the nodes of the tree that it is about; which cells larger
 * than a tile lie within its leaves; and which tiles a test cuts, whose cells and rows the device
 * looks at. */
#ifndef CT_EVOLVE_OFFLOAD_PLAN_H
#define CT_EVOLVE_OFFLOAD_PLAN_H

#include "evolve/cell_walk.h"
#include "evolve/offload/views.h"

/* A part of a leaf; `part` as in ct_batch_view, pieces counted from 0 in the question. */
typedef struct {
    uint32_t part;
    int32_t leaf;
} ct_leaf_part;

/* Owned; begins as zeros, and is used again and again. */
typedef struct {
    uint32_t n_nodes, n_leaves, n_pieces, n_parts;
    ct_question_node *nodes;        /* [room of the tree] in preorder */
    int32_t leaves[CT_TREE_LEAVES]; /* the tree's nodes that its leaves are */
    ct_tile_piece *pieces;          /* `nodes` is to be filled in */
    ct_leaf_part *parts;            /* in the order of cells */
    uint32_t piece_room, part_room, node_room;
    int complete;                 /* 0: there was no memory for it */
} ct_question_plan;

void ct_gmt_question_plan_free(ct_question_plan *plan);
void ct_gmt_question_plan_make(ct_question_plan *plan, const ct_row_cells *cells,
                               const ct_cell_question *question);

#endif
