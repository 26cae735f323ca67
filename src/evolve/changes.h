/* Random changes of trees: random nodes, tests that separate two rows, subtrees copied from another
 * tree. */
#ifndef CT_EVOLVE_CHANGES_H
#define CT_EVOLVE_CHANGES_H

#include "base/rng.h"
#include "evolve/model_tree.h"

typedef int (*ct_node_filter)(const ct_model_tree *tree, int32_t node);
int ct_gmt_any_split(const ct_model_tree *tree, int32_t node);
int ct_gmt_any_leaf(const ct_model_tree *tree, int32_t node);

/* A random node of those that the filter accepts, or CT_NO_NODE. */
int32_t ct_gmt_random_node(const ct_model_tree *tree, ct_node_filter fits, ct_rng *rng);

/* A test of a random splitter that separates these rows; 0 if none was found. */
int ct_gmt_test_between(const ct_model_table *table, uint32_t a, uint32_t b, ct_rng *rng,
                        ct_gmt_test *test);
/* A random test that separates two random rows of a node; 0 if none was found. */
int ct_gmt_random_test(const ct_model_tree *tree, const ct_model_node *node, ct_rng *rng,
                       ct_gmt_test *test);

/* Replaces the subtree at `node` by a copy of the subtree `from` of another tree; returns 0, and
 * changes nothing, if that has too many leaves. The rows are to be refreshed. */
int ct_gmt_take_subtree(ct_model_tree *tree, int32_t node, const ct_model_tree *other, int32_t from,
                        uint32_t leaves_max);

#endif
