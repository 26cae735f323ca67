/* What the nodes of a tree have of the rows in cells: their sums, and which they are. */
#ifndef CT_EVOLVE_CELL_WALK_H
#define CT_EVOLVE_CELL_WALK_H

#include "evolve/cell_sides.h"

/* A root without splits that has no rows, only their sums: for the calls below. */
ct_status ct_row_cells_tree(const ct_row_cells *cells, ct_model_tree *tree, uint32_t leaves_max,
                            ct_error *error);

/* As ct_model_tree_refresh: nodes have 0 .. their number of rows as rows. */
void ct_row_cells_refresh(const ct_row_cells *cells, ct_model_tree *tree, int32_t node,
                          uint32_t minbucket, uint32_t depth_max);

/* ---- the same, step by step, if the sums are made elsewhere ---- */

/* A node is changed; then what is below it is counted and summed, and brought into order. */
typedef struct {
    int32_t top;          /* the node changed */
    int32_t stale;        /* below this one numbers of rows are known, and sums are not */
} ct_refreshing;

/* Numbers and sums below r->top are known, as far as r->stale says. Lifts small branches away and
 * cuts deep ones off. Returns the node below which they are to be made next, or CT_NO_NODE when
 * all is in order. */
int32_t ct_refresh_next(ct_refreshing *r, ct_model_tree *tree, uint32_t minbucket,
                        uint32_t depth_max);
/* The numbers of rows of the leaves below a node are known: those of the other nodes there. */
void ct_count_below(ct_model_tree *tree, int32_t node);

/* Who asks for the rows of a node wants nothing of those that are neither on the way to it nor
 * below it. */
typedef struct {
    uint8_t away[2 * CT_TREE_LEAVES]; /* [node] of a child where the way goes to the other one */
    int32_t target;       /* the cells are wanted there; CT_NO_NODE: in the leaves below */
} ct_cell_way;

void ct_cell_way_to(ct_cell_way *way, const ct_model_tree *tree, int32_t node);

static inline int ct_way_ends(const ct_cell_way *way, const ct_model_tree *tree, int32_t node)
{
    return way->away[node] || node == way->target || ct_is_leaf(tree, node);
}

/* Sends a cell down from a node on its way: to where that ends, or to a test that cuts it. */
static inline int32_t ct_cell_falls(const ct_row_cells *cells, const ct_cell_way *way,
                                    const ct_model_tree *tree, uint32_t cell, int32_t node)
{
    const ct_splitter *splitters = cells->table.splitters;
    const ct_cell_range *ranges = cells->ranges + cell * (size_t) cells->table.n_splitters;
    while (!ct_way_ends(way, tree, node)) {
        const ct_model_node *split = &tree->nodes[node];
        const int32_t s = split->test.splitter;
        ct_cell_side side = ct_side_of_range(&split->test, splitters[s].n_levels, &ranges[s]);
        if (side == CT_SIDE_BOTH) break;
        node = side == CT_SIDE_LEFT ? split->left : split->right;
    }
    return node;
}

/* ---- the rows of a node ---- */

/* As stretches of the table. Owned by who made it. */
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
