/* What the nodes of a tree have of the rows in cells: their sums, and which they are. */
#ifndef CT_EVOLVE_CELL_WALK_H
#define CT_EVOLVE_CELL_WALK_H

#include "evolve/cell_sides.h"

/* A root without splits that has no rows, only their sums: for the calls below. */
ct_status ct_gmt_row_cells_tree(const ct_row_cells *cells, ct_model_tree *tree, uint32_t leaves_max,
                                ct_error *error);

/* As ct_gmt_model_tree_refresh: nodes have 0 .. their number of rows as rows. */
void ct_gmt_row_cells_refresh(const ct_row_cells *cells, ct_model_tree *tree, int32_t node,
                              const ct_tree_limits *limits);

/* ---- the same, step by step, where many trees are asked about at once ---- */

enum { CT_ROWS_ASKED = 65 };

/* Of a tree, either which rows of the node have these numbers; or, without numbers, how many rows
 * the leaves below it have, and their models, for `end`, `sse` and `terms` there. */
typedef struct {
    ct_model_tree *tree;
    int32_t node;         /* CT_NO_NODE: nothing is asked */
    uint32_t n_numbers;
    uint32_t numbers[CT_ROWS_ASKED]; /* [n_numbers] */
    uint32_t rows[CT_ROWS_ASKED];    /* the answer: of that number each */
} ct_cell_question;

typedef struct ct_node_rows ct_node_rows;

/* `rows`: scratch. */
void ct_gmt_cell_answer(const ct_row_cells *cells, ct_cell_question *question, ct_node_rows *rows);

/* A node was changed, and what is below it is brought into order. */
typedef struct {
    int32_t top;          /* the node changed */
    int32_t stale;        /* below this one models are not those of its rows; or CT_NO_NODE */
} ct_refreshing;

/* What the leaves below r->top have is known, but for r->stale. Lifts small branches away and cuts
 * deep ones off. Returns the node to ask about next, or CT_NO_NODE when all is in order. */
int32_t ct_gmt_refresh_next(ct_refreshing *r, ct_model_tree *tree, const ct_tree_limits *limits);
/* Numbers of rows below a node, from those of the leaves. */
void ct_gmt_count_below(ct_model_tree *tree, int32_t node);

/* Who asks for the rows of a node wants nothing of those that are neither on the way to it nor
 * below it. */
typedef struct {
    /* [node] of a child where the way goes to the other one */
    uint8_t away[2 * CT_TREE_LEAVES];
    int32_t target; /* the cells are wanted there; CT_NO_NODE: in the leaves below */
} ct_cell_way;

void ct_gmt_cell_way_to(ct_cell_way *way, const ct_model_tree *tree, int32_t node);

static inline int ct_way_ends(const ct_cell_way *way, const ct_model_tree *tree, int32_t node)
{
    return way->away[node] || node == way->target || ct_gmt_is_leaf(tree, node);
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
struct ct_node_rows {
    uint32_t n, n_rows;
    uint32_t *first;      /* [n_rows of the table] where a stretch begins */
    uint32_t *before;     /* ... and how many rows are in those before it */
};

ct_status ct_gmt_node_rows_init(ct_node_rows *rows, uint32_t n_rows, ct_error *error);
void ct_gmt_node_rows_free(ct_node_rows *rows);
void ct_gmt_node_rows_find(ct_node_rows *rows, const ct_row_cells *cells, const ct_model_tree *tree,
                           int32_t node);
/* The row `number` of n_rows. */
uint32_t ct_gmt_node_rows_at(const ct_node_rows *rows, uint32_t number);

#endif
