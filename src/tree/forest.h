/* The common tree type: every grower produces it, and everything else starts from it. A tree is a
 * forest of one.
 *
 * Nodes lie in flat arrays, tree after tree, each in preorder (a node, its left subtree, its right
 * subtree). Indices of children are relative to the forest; 0 means none, since node 0 is a root. A
 * row goes left iff its value is below the threshold, and a missing value goes where default_left
 * says. A node with levels splits a column of codes from 1 instead: each goes where levels_left
 * says, and a code without a level where its last element says.
 *
 * What a node predicts is kept for every node, so that a tree may be cut anywhere, and in one way
 * for the whole forest: the payload of its leaves. A forest predicts the sum of what its trees
 * predict, see tree/predict.h. */
#ifndef CT_TREE_FOREST_H
#define CT_TREE_FOREST_H

#include <stdint.h>

#include "base/status.h"

typedef enum {
    CT_LEAF_COUNTS, /* classes: `counts` and `weights` of each, and the `label` */
    CT_LEAF_VALUES, /* `n_values` numbers: the one of a regression tree, or k */
    /* a linear model: `values` has the intercept, and terms are coefficients times columns */
    CT_LEAF_LINEAR
} ct_leaf;

typedef struct {
    uint32_t n_trees, n_nodes;
    uint32_t room;         /* nodes there is memory for */
    ct_leaf leaf;
    uint32_t n_classes;     /* 0 unless leaves are counts */
    uint32_t *roots;        /* [n_trees] */
    int32_t *feature;       /* [n_nodes] column, -1 in a leaf */
    double *threshold;      /* [n_nodes] */
    uint32_t *left, *right; /* [n_nodes] */
    uint8_t *default_left;  /* [n_nodes] */
    uint32_t *n_levels;     /* [n_nodes] 0: split by threshold; NULL if all are */
    uint8_t **levels_left;  /* [n_nodes][n_levels + 1], NULL where n_levels is 0 */
    /* CT_LEAF_COUNTS */
    int32_t *label;        /* [n_nodes] the largest class, the first of equal ones */
    uint32_t *counts;      /* [n_nodes][n_classes] rows of each class */
    double *weights;       /* [n_nodes][n_classes] what they weigh; NULL: 1 each */
    /* CT_LEAF_VALUES, CT_LEAF_LINEAR */
    uint32_t n_values;     /* 1 in a linear model */
    double *values;        /* [n_nodes][n_values] */
    /* CT_LEAF_LINEAR: the terms of a node are those from first_term[node] to first_term[node + 1] -
     * 1 */
    uint32_t n_terms;
    uint32_t *first_term;  /* [n_nodes + 1] */
    uint32_t *term_column; /* [n_terms] */
    double *coefficient;   /* [n_terms] */
} ct_forest;

/* Room for `n_trees` trees with `room` nodes together, whose leaves are counts of n_classes
 * classes; with 0 classes ct_forest_add_values says what they are. Freed by ct_forest_free, also
 * after a failure. */
ct_status ct_forest_init(ct_forest *forest, uint32_t n_trees, uint32_t room, uint32_t n_classes,
                         ct_error *error);
/* Room for weights, all 0. */
ct_status ct_forest_add_weights(ct_forest *forest, ct_error *error);
/* Room for splits by level, of which there are none yet; each is a ct_alloc of the forest's. */
ct_status ct_forest_add_levels(ct_forest *forest, ct_error *error);
/* Room for n_values numbers a node; leaves are CT_LEAF_VALUES then. */
ct_status ct_forest_add_values(ct_forest *forest, uint32_t n_values, ct_error *error);
/* Room for an intercept a node and n_terms terms of all nodes together; leaves are CT_LEAF_LINEAR
 * then. */
ct_status ct_forest_add_terms(ct_forest *forest, uint32_t n_terms, ct_error *error);
void ct_forest_free(ct_forest *forest);

/* A threshold between two neighbouring values a < b such that a < threshold <= b: their midpoint
 * where it is one. */
double ct_threshold_between(double a, double b);

#endif
