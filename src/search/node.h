/* A row set within a container: bit sets of its members in the order of each feature, and their counts.
 *
 * Made by ct_node_whole or ct_node_side in the worker's arena; read-only afterwards. */
#ifndef CT_SEARCH_NODE_H
#define CT_SEARCH_NODE_H

#include "search/container.h"

typedef struct {
    ct_container *box;     /* borrowed */
    uint32_t n_rows;
    uint32_t *totals;      /* [class] */
    uint32_t leaf_errors;  /* n_rows - the largest of totals */
    int wide;              /* lanes have 32 bits instead of 16 */
    ct_rows rows;          /* sets and lanes are written in begin .. end only */
    uint32_t *counts;      /* [f][words + 1][class] members of a class before a word, begin[f] .. end[f] */
    uint32_t *members;     /* [f][words + 1] members before a word, likewise */
} ct_node;

/* All rows of the container, in its own bit sets. 0 and worker->stopped if memory ends. */
int ct_node_whole(ct_worker *worker, ct_container *box, ct_node *node);

/* The rows of the parent left (side 0) or right (side 1) of threshold t of f; `totals` are its class counts. */
int ct_node_side(ct_worker *worker, const ct_node *parent, uint32_t f, uint32_t t, int side, const uint32_t *totals,
                 ct_node *node);

/* Class counts left of threshold t of f into totals[class]; returns their sum. */
uint32_t ct_node_counts(const ct_worker *worker, const ct_node *node, uint32_t f, uint32_t t, uint32_t *totals);

/* The thresholds of f that put at least `low` and at most `high` rows to the left: *first .. *last, none if *first is
 * the larger. low >= 1, high <= n_rows - 1. */
void ct_node_window(const ct_worker *worker, const ct_node *node, uint32_t f, uint32_t low, uint32_t high,
                    uint32_t *first, uint32_t *last);

static inline const uint64_t *ct_node_sets(const ct_node *node, uint32_t f)
{
    return node->rows.sets + (size_t) f * node->box->n_classes * node->box->words;
}

/* The sum of the `count` largest of totals[n]. */
uint64_t ct_largest_sum(const uint32_t *totals, uint32_t n, uint32_t count);

static inline uint32_t ct_leaf_errors(const uint32_t *totals, uint32_t n_classes, uint32_t n_rows)
{
    uint32_t largest = 0;
    for (uint32_t c = 0; c < n_classes; c++)
        if (totals[c] > largest) largest = totals[c];
    return n_rows - largest;
}

#endif
