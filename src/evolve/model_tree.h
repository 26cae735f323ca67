/* The tree that is searched. Every node has the Gram matrix of its rows and what one model of them
 * leaves; rows lie in one array, those of a node next to each other and in rising order.
 *
 * Nodes are numbers in an array; node 0 is the root. A tree borrows its table and owns its arrays,
 * ct_gmt_model_tree_free frees them. Moves: set a test or a leaf, then ct_gmt_model_tree_refresh
 * the node, which brings rows, matrices and sums up to date. */
#ifndef CT_EVOLVE_MODEL_TREE_H
#define CT_EVOLVE_MODEL_TREE_H

#include "base/hd.h"
#include "evolve/gram.h"
#include "evolve/model_table.h"

enum {
    CT_NO_NODE = -1,
    CT_LEVEL_WORDS = (CT_MODEL_BINS + 63) / 64,
    CT_OMITTED_WORDS = CT_GRAM_COLUMNS / 64,
    CT_SPARE_LEAVES = 2, /* beyond the limit of a tree, for a move */
    CT_TREE_LEAVES = 256 /* with these, at most */
};

typedef struct {
    int32_t splitter;                /* -1: a leaf */
    uint32_t cut;                    /* ordered: ranks below go left */
    uint64_t levels[CT_LEVEL_WORDS]; /* factors: bits of the levels that go left */
    int missing_left;
} ct_gmt_test;

typedef struct {
    ct_gmt_test test;
    int32_t parent, left, right;
    uint32_t begin, end; /* its rows in `rows` */
    uint32_t depth;      /* of the root 0 */
    int used, dirty;
    double sse, terms; /* of one model of its rows: sum of squares left, coefficients */
    /* of a leaf: bits of the columns of z that its model does without; of a split none */
    uint64_t omitted[CT_OMITTED_WORDS];
} ct_model_node;

typedef struct {
    const ct_model_table *table;
    const ct_gram_kernels *kernels;
    uint32_t room; /* nodes */
    uint32_t n_leaves;
    ct_model_node *nodes;
    double *grams; /* [room][size] */
    /* [room][size] zeros, for the sums of a tile (kd_tree.h); NULL if there are rows */
    double *tile;
    uint32_t *rows, *spare; /* [n_rows] */
    uint64_t *bits;         /* scratch: one a row */
    double *lanes;          /* scratch of the pivots */
    double *pieces;         /* scratch: [CT_PIECES][size], NULL for few rows */
    unsigned threads;       /* that share its rows if there are many */
    double sse, terms;      /* summed over the leaves */
} ct_model_tree;

/* What a tree costs: SSE + lambda * (coefficients + splits). */
static inline double ct_penalised(double sse, double terms, uint32_t n_leaves, double lambda)
{
    return sse + lambda * (terms + (double) n_leaves - 1);
}

/* A tree without splits. Many rows are shared by `threads`, here and in the functions below. */
ct_status ct_gmt_model_tree_init(ct_model_tree *tree, const ct_model_table *table,
                                 const ct_gram_kernels *kernels, uint32_t leaves_max,
                                 unsigned threads, ct_error *error);
/* A copy of a tree that has rows; for one thread. */
ct_status ct_gmt_model_tree_init_as(ct_model_tree *tree, const ct_model_tree *from,
                                    ct_error *error);
/* A tree without lists of rows, whose sums kd_walk.h computes. */
ct_status ct_gmt_model_tree_init_without_rows(ct_model_tree *tree, const ct_model_table *table,
                                              const ct_gram_kernels *kernels, uint32_t leaves_max,
                                              ct_error *error);
/* Computes models and sums from the matrices of the leaves below `node`. */
void ct_gmt_model_tree_solve(ct_model_tree *tree, int32_t node);
/* Computes the model of one node from its matrix. */
void ct_gmt_model_tree_solve_one(ct_model_tree *tree, int32_t node);
/* Adds up SSE and terms of the leaves, and counts these. */
void ct_gmt_model_tree_add_up(ct_model_tree *tree);
void ct_gmt_model_tree_free(ct_model_tree *tree);
/* Copies a tree to one of the same table and room, both with rows or both without; matrices only
 * with the rows. */
void ct_gmt_model_tree_copy(ct_model_tree *to, const ct_model_tree *from);

static inline int ct_gmt_is_leaf(const ct_model_tree *tree, int32_t node)
{
    return tree->nodes[node].test.splitter < 0;
}

CT_HD int ct_has_level(const ct_gmt_test *test, uint32_t level)
{
    return (int) (test->levels[level / 64] >> (level % 64) & 1);
}

/* Whether a row of that rank goes left; n_levels: of the splitter. */
CT_HD int ct_rank_goes_left(const ct_gmt_test *test, uint32_t n_levels, uint32_t rank)
{
    if (rank == CT_RANK_MISSING) return test->missing_left;
    return n_levels ? ct_has_level(test, rank) : rank < test->cut;
}

static inline int ct_gmt_goes_left(const ct_model_table *table, const ct_gmt_test *test,
                                   uint32_t row)
{
    const ct_splitter *s = &table->splitters[test->splitter];
    return ct_rank_goes_left(test, s->n_levels, s->rank[row]);
}

CT_HD int ct_is_omitted(const uint64_t *omitted, uint32_t column)
{
    return (int) (omitted[column / 64] >> (column % 64) & 1);
}

/* A leaf becomes a split with two leaves, whose models have the same columns; 0 if there is no
 * room. */
int ct_gmt_model_tree_expand(ct_model_tree *tree, int32_t node, const ct_gmt_test *test);
/* Removes all below `node`; the model of the leaf has all columns. */
void ct_gmt_model_tree_collapse(ct_model_tree *tree, int32_t node);
/* Puts the child `kept` in the place of `node`, and removes the other child. */
void ct_gmt_model_tree_lift(ct_model_tree *tree, int32_t node, int32_t kept);
/* Copies the subtree `from` of `of`, another tree, to the leaf `node`; 0 if there is no room. */
int ct_gmt_model_tree_graft(ct_model_tree *tree, int32_t node, const ct_model_tree *of,
                            int32_t from);

typedef struct {
    uint32_t leaves_max; /* 1 .. CT_TREE_LEAVES - CT_SPARE_LEAVES */
    uint32_t depth_max;  /* splits above a leaf at most */
    uint32_t minbucket;  /* rows of a leaf at least */
    double complexity;   /* what log(n) is multiplied by in BIC */
    uint32_t min_n;      /* rows of a split at least */
} ct_tree_limits;

/* Sends the rows of `node` down again and computes all below and the sums; `node` itself has its
 * rows. Branches with fewer than minbucket rows are lifted away, splits of fewer than min_n become
 * leaves, and what is deeper than depth_max is cut off, until there are none. */
void ct_gmt_model_tree_refresh(ct_model_tree *tree, int32_t node, const ct_tree_limits *limits);

/* The leaves below `node`, from left to right; returns how many. */
uint32_t ct_gmt_model_tree_leaves(const ct_model_tree *tree, int32_t node, int32_t *leaves);

void ct_gmt_mark_all(ct_model_tree *tree);
/* Marks `node`, all below and all above it as dirty. */
void ct_gmt_mark_around(ct_model_tree *tree, int32_t node);

#endif
