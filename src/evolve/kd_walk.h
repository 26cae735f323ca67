/* Sums and row lists of the nodes of a model tree, from a k-d tree of the rows. */
#ifndef CT_EVOLVE_KD_WALK_H
#define CT_EVOLVE_KD_WALK_H

#include "evolve/kd_sides.h"

/* A tree without splits that keeps sums but no list of rows, for the calls below. */
ct_status ct_gmt_kd_model_tree(const ct_kd_tree *kd, ct_model_tree *tree, uint32_t leaves_max,
                               ct_error *error);

/* Does what ct_gmt_model_tree_refresh does; the rows of each node count from 0. */
void ct_gmt_kd_refresh(const ct_kd_tree *kd, ct_model_tree *tree, int32_t node,
                       const ct_tree_limits *limits);

/* ---- the same, step by step, where many trees are asked about at once ---- */

enum { CT_QUERY_ROWS = 65 };

/* A query about a node of a tree: which of its rows have these numbers; or, without numbers, how
 * many rows the leaves below it have and their models, written to `end`, `sse` and `terms`. */
typedef struct {
    ct_model_tree *tree;
    int32_t node; /* CT_NO_NODE: there is no query */
    uint32_t n_numbers;
    uint32_t numbers[CT_QUERY_ROWS]; /* [n_numbers] */
    uint32_t rows[CT_QUERY_ROWS];    /* the answer: the row of each number */
} ct_kd_query;

typedef struct ct_node_rows ct_node_rows;

/* Answers a query; `rows` is working memory. */
void ct_gmt_kd_answer(const ct_kd_tree *kd, ct_kd_query *query, ct_node_rows *rows);

/* A node that was changed, while what is below it is brought up to date. */
typedef struct {
    int32_t top; /* the node changed */
    /* below this node the models are not yet those of its rows; or CT_NO_NODE */
    int32_t stale;
} ct_refreshing;

/* The next step of bringing a tree up to date, when the leaves below r->top are known but for those
 * below r->stale. Lifts small branches and cuts off deep ones. Returns the node to query next, or
 * CT_NO_NODE when the tree is up to date. */
int32_t ct_gmt_refresh_next(ct_refreshing *r, ct_model_tree *tree, const ct_tree_limits *limits);
/* Numbers of rows of the splits below a node, from those of the leaves. */
void ct_gmt_count_below(ct_model_tree *tree, int32_t node);

/* The path to a node: rows that are neither on it nor below the node are of no interest. */
typedef struct {
    /* [node] whether it is a child that the path does not go to */
    uint8_t off_path[2 * CT_TREE_LEAVES];
    int32_t target; /* where cells are wanted; CT_NO_NODE: in the leaves below the node */
} ct_kd_path;

void ct_gmt_kd_path_to(ct_kd_path *path, const ct_model_tree *tree, int32_t node);

static inline int ct_path_ends(const ct_kd_path *path, const ct_model_tree *tree, int32_t node)
{
    return path->off_path[node] || node == path->target || ct_gmt_is_leaf(tree, node);
}

/* Sends a cell down from a node until the path ends or a test cuts the cell. */
static inline int32_t ct_cell_descends(const ct_kd_tree *kd, const ct_kd_path *path,
                                       const ct_model_tree *tree, uint32_t cell, int32_t node)
{
    const ct_splitter *splitters = kd->table.splitters;
    const ct_rank_range *ranges = kd->ranges + cell * (size_t) kd->table.n_splitters;
    while (!ct_path_ends(path, tree, node)) {
        const ct_model_node *split = &tree->nodes[node];
        const int32_t s = split->test.splitter;
        ct_kd_side side = ct_side_of_range(&split->test, splitters[s].n_levels, &ranges[s]);
        if (side == CT_SIDE_BOTH) break;
        node = side == CT_SIDE_LEFT ? split->left : split->right;
    }
    return node;
}

/* ---- the rows of a node ---- */

/* The rows of a node, as ranges of rows of the table. Owned by its maker. */
struct ct_node_rows {
    uint32_t n, n_rows;
    uint32_t *first;  /* [n_rows of the table] where a range begins */
    uint32_t *before; /* [n_rows of the table] how many rows are in the ranges before it */
};

ct_status ct_gmt_node_rows_init(ct_node_rows *rows, uint32_t n_rows, ct_error *error);
void ct_gmt_node_rows_free(ct_node_rows *rows);
void ct_gmt_node_rows_find(ct_node_rows *rows, const ct_kd_tree *kd, const ct_model_tree *tree,
                           int32_t node);
/* The row with a number below n_rows. */
uint32_t ct_gmt_node_rows_at(const ct_node_rows *rows, uint32_t number);

#endif
