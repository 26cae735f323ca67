/* A row set within a layout: bit sets of its members in the order of each feature, and their
 * counts.
 *
 * Made by ct_node_whole or ct_node_side in an arena of the caller's; read-only afterwards. */
#ifndef CT_EXACT_ROWS_NODE_H
#define CT_EXACT_ROWS_NODE_H

#include "exact/rows/layout.h"

typedef struct {
    ct_layout *layout;     /* borrowed */
    uint32_t n_rows;
    ct_totals totals;
    int64_t leaf_cost;
    int64_t max_cost;      /* what the rows cost at most */
    ct_kind kind;          /* what its rows cost */
    ct_rows rows;          /* sets and lanes are written in begin .. end only */
    /* 1: bounds go by the sizes of leaves among these rows and rows.outer, see outer.h; 0: trees
     * have leaves of any size */
    int sized;
    uint32_t n_outer;      /* rows of rows.outer */
    /* [f][words + 1][class] members of a class before a word, begin[f] .. end[f] */
    uint32_t *counts;
    uint32_t *members;     /* [f][words + 1] members before a word */
    /* [f][words + 1][class] weights of the members of a class before a word, or NULL */
    int64_t *masses;
    uint32_t *sums;        /* [f][words + 1] quantised costs of those, as in ct_totals; or NULL */
    /* [f][words + 1][2] moments of the members before a word, as in ct_totals; NULL without a
     * response */
    int64_t *moments;
    ct_full_sums *full;    /* [f][words + 1] sums in full of those; NULL: scans do not go by them */
    /* [f][words + 1] what the members before a word cost at most, in units; NULL: all the same, or
     * nothing asks for them */
    int64_t *max_before;
} ct_node;

/* All rows of the layout's class sets, in these; not sized, as below. CT_NO_MEMORY, and a stop is
 * asked for, if memory ends. */
ct_status ct_node_whole(ct_worker *worker, ct_arena *arena, ct_layout *layout, ct_node *node);

/* The rows of the parent left (side 0) or right (side 1) of threshold t of f, of which `totals` are
 * known; as above. */
ct_status ct_node_side(ct_worker *worker, ct_arena *arena, const ct_node *parent, uint32_t f,
                       uint32_t t, int side, const ct_totals *totals, ct_node *node);

/* The totals of the rows left of threshold t of f; returns how many these are. */
uint32_t ct_node_counts(const ct_worker *worker, const ct_node *node, uint32_t f, uint32_t t,
                        ct_totals *totals);

/* Sums in full of the rows on the left of threshold t, of a response that scans have rounded. */
ct_full_sums ct_node_full(const ct_worker *worker, const ct_node *node, uint32_t f, uint32_t t);

/* The least number of rows that cost more than `cost` at most, taken in the order of f; n_rows + 1
 * if all of them do not. */
int64_t ct_node_rows_above(const ct_worker *worker, const ct_node *node, uint32_t f, int64_t cost);

/* Where rows cost all the same: how many may lie on the left at most (side 0) or must lie there at
 * least (side 1) for a leaf of that side to cost less than `cost` > 0. counts[n_classes] is scratch
 * memory. */
uint32_t ct_node_leaf_rows(const ct_worker *worker, const ct_node *node, uint32_t f, int side,
                           int64_t cost, uint32_t *counts);

/* The thresholds of f that put at least `low` and at most `high` rows to the left: *first .. *last,
 * none if *first is the larger. low >= 1, high <= n_rows - 1. */
void ct_node_window(const ct_worker *worker, const ct_node *node, uint32_t f, uint32_t low,
                    uint32_t high, uint32_t *first, uint32_t *last);

static inline const uint64_t *ct_node_sets(const ct_node *node, uint32_t f)
{
    return node->rows.sets + (size_t) f * node->layout->n_classes * node->layout->words;
}

#endif
