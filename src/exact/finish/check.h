/* A check of every result: sends each row of the raw data down the finished tree and recounts.
 * Shares only the types of data and tree with the search. */
#ifndef CT_EXACT_FINISH_CHECK_H
#define CT_EXACT_FINISH_CHECK_H

#include "data/data.h"
#include "tree/forest.h"

/* What a tree must keep to. */
typedef struct {
    unsigned max_depth;
    uint32_t min_bucket; /* least rows of a leaf under a split */
    uint32_t min_split;  /* least rows of a node that is split */
    uint32_t max_leaves; /* 0: any number */
} ct_tree_rules;

/* Adds up what the rows cost (misclassified rows, or their weights and losses) and counts the
 * splits of a forest of one. Writes each row's leaf to leaf_of_row[n_rows] unless that is NULL.
 * CT_INTERNAL if the tree is malformed, breaks a rule, holds a node that no row reaches, or its
 * class counts or labels are not those of the rows. */
ct_status ct_check(const ct_data *data, const ct_forest *tree, const ct_tree_rules *rules,
                   uint32_t *leaf_of_row, double *objective, uint32_t *splits, ct_error *error);

#endif
