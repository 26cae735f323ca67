/* A query in the form that a device is sent: the nodes of the tree that it is about; which cells
 * larger than a tile lie within its leaves; and which tiles a test cuts, whose cells and rows the
 * device looks at. */
#ifndef CT_EVOLVE_OFFLOAD_PLAN_H
#define CT_EVOLVE_OFFLOAD_PLAN_H

#include "evolve/kd_walk.h"
#include "evolve/offload/views.h"

/* A summand of a leaf, as in ct_batch_view; pieces are counted from 0 in the query. */
typedef struct {
    uint32_t summand;
    int32_t leaf;
} ct_leaf_summand;

/* Owned; begins as zeros, and is reused. */
typedef struct {
    uint32_t n_nodes, n_leaves, n_pieces, n_summands;
    ct_query_node *nodes;           /* [room of the tree] in preorder */
    int32_t leaves[CT_TREE_LEAVES]; /* the nodes of the tree that are its leaves */
    ct_tile_piece *pieces;          /* `nodes` is to be filled in */
    ct_leaf_summand *summands;      /* in the order of cells */
    uint32_t piece_room, summand_room, node_room;
    int complete; /* 0: there was not enough memory */
} ct_query_plan;

void ct_gmt_query_plan_free(ct_query_plan *plan);
void ct_gmt_query_plan_make(ct_query_plan *plan, const ct_kd_tree *kd, const ct_kd_query *query);

#endif
