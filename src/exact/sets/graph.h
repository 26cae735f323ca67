/* A set of trees as a graph, which says how many there are without listing them.
 *
 * A node is a row set with so many levels below it. Its trees are its leaf, and for each *option*,
 * a split of it, all pairs of a tree of the left and one of the right node; but no pair of leaves
 * that have the same label. For each exact cost within the node's budget it is known how many of
 * its trees have it. Nodes of level one do not keep their options, splits into two leaves, which
 * are found again where they are asked for (stumps.h).
 *
 * Nodes are shared: whoever comes to the same row set with as much left, or less, takes it as it
 * is. So a node may have trees that are too dear for some that point to it. */
#ifndef CT_EXACT_SETS_GRAPH_H
#define CT_EXACT_SETS_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* The sum of two random words of each row: no two sets of rows have the same. */
typedef struct {
    uint64_t of[2];
} ct_rows_key;

/* What a leaf predicts: a label, by 1, or the mean of the response on its grid (cost/response.h),
 * of / by in lowest terms, of rows without weight 0 / 0. */
typedef struct {
    int64_t of, by;
} ct_leaf_value;

static inline int ct_same_leaf(const ct_leaf_value *a, const ct_leaf_value *b)
{
    return a->of == b->of && a->by == b->by;
}

typedef struct {
    ct_rows_key key;
    int64_t leaf;          /* its cost */
    int64_t budget;
    int64_t open;          /* trees of this cost or more may be missing; INT64_MAX: none is */
    size_t first_option;
    size_t first_cost;     /* in costs[]; ... */
    size_t first_count;    /* ... and in counts[], count_words[level] words each */
    ct_leaf_value value;   /* of its leaf */
    uint32_t n_options, n_costs, n_rows, label;
    uint32_t level;
} ct_set_node;

typedef struct {
    uint32_t feature, threshold; /* in the table's ranks */
    uint32_t left, right;        /* nodes */
} ct_set_option;

typedef struct {
    ct_set_node *nodes;   /* [n_nodes] the root is `root`; owned, as all that follows */
    ct_set_option *options;
    int64_t *costs;       /* of each node ascending */
    uint64_t *counts;
    uint32_t *places;     /* [n_places] nodes by key, 1 more than their number; 0: free */
    size_t n_nodes, n_options, n_costs, n_counts, n_places;
    size_t room_nodes, room_options, room_costs, room_counts;
    size_t bytes, limit;  /* of all these */
    size_t reserve;       /* by which the limit may be raised, to put together what there is */
    size_t most_nodes;
    uint32_t root;
    unsigned count_words[17]; /* [level] */
} ct_set_graph;

void ct_set_graph_free(ct_set_graph *graph);

/* Room for `more`; 0 if memory or the limit ends. */
int ct_set_graph_options(ct_set_graph *graph, size_t more);
int ct_set_graph_costs(ct_set_graph *graph, size_t more, unsigned words);

/* The node of these rows and level, or SIZE_MAX. */
size_t ct_set_graph_find(const ct_set_graph *graph, const ct_rows_key *key, uint32_t level);
/* A new node with that key and level, or SIZE_MAX where memory ends. */
size_t ct_set_graph_add(ct_set_graph *graph, const ct_rows_key *key, uint32_t level);

static inline const int64_t *ct_set_costs(const ct_set_graph *graph, const ct_set_node *node)
{
    return graph->costs + node->first_cost;
}

static inline const uint64_t *ct_set_counts(const ct_set_graph *graph, const ct_set_node *node)
{
    return graph->counts + node->first_count;
}

/* The place of a cost among the node's; n_costs if it has none. */
uint32_t ct_set_find_cost(const ct_set_graph *graph, const ct_set_node *node, int64_t cost);

#endif
