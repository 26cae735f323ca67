/* Policy trees: which of some actions is best for a row, by the tree of at most a depth whose
 * actions have the largest sum of rewards, less a price for each split; all thresholds of all
 * columns, proven. Zhou, Athey and Wager (2023) try all trees.
 *
 * Sums are integers (costs.h). The tree is the same for any number of threads and instruction set:
 * of equally good ones the smallest, of these that whose root splits on the first column, there at
 * the lowest threshold, and so on down. The library keeps no state between calls. */
#ifndef CT_POLICY_POLICY_H
#define CT_POLICY_POLICY_H

#include <stddef.h>

#include "base/cpu.h"
#include "data/data.h"
#include "policy/search.h"
#include "tree/forest.h"

typedef struct {
    const ct_column *columns; /* n_cols of them, without missing values */
    uint32_t n_rows, n_cols;
    const double *rewards;    /* [action][row], finite and within +-1e100 */
    uint32_t n_actions;       /* 1 .. CT_POLICY_MOST_ACTIONS */
} ct_policy_data;

/* A tree to begin with, the root first; of no use beyond the depth, or if leaves are too small. */
typedef struct {
    uint32_t n_nodes;
    const int32_t *feature; /* -1: a leaf */
    const double *threshold;
    const uint32_t *left, *right;
} ct_policy_start;

/* How far a search is. */
typedef struct {
    double seconds, cost, bound;
    double closed; /* share of the columns that are of no more use at the root */
} ct_policy_progress;

typedef struct {
    unsigned depth;      /* 0 .. CT_POLICY_DEPTH */
    uint32_t min_bucket; /* least rows of a leaf; 0 and 1: any */
    double price;        /* of a split, >= 0, as a sum of rewards */
    double time_limit;   /* seconds; infinite: none */
    size_t memory_limit; /* bytes */
    unsigned threads;
    ct_simd simd;        /* one that ct_cpu_has() */
    uint32_t off;        /* bit i: shortcut i is not used */
    int (*stop)(void *); /* asked now and then from the calling thread; not 0: stop. May be NULL */
    void *stop_data;
    uint32_t max_leaves;  /* 0: any number */
    const uint8_t *roots; /* [n_cols] whether the root may be split on it; NULL: on any */
    const ct_policy_start *start; /* NULL: none */
    void (*report)(void *, const ct_policy_progress *); /* from the calling thread; or NULL */
    void *report_data;
} ct_policy_options;

typedef enum {
    CT_POLICY_OPTIMAL,
    CT_POLICY_TIME,
    CT_POLICY_MEMORY,
    CT_POLICY_INTERRUPT
} ct_policy_end;

typedef struct {
    ct_forest tree;      /* a forest of one, owned: ct_policy_result_free. Values of a node are the
                            mean rewards of its rows by action */
    uint32_t *action;    /* [n_nodes] the best for all rows of the node, from 0; owned */
    uint32_t *n;         /* [n_nodes] rows; owned */
    double *regret;      /* [n_nodes] best reward of each row less that of the action, summed;
                            owned */
    double cost;         /* the regret of all leaves, and the prices of the splits */
    double bound;        /* no tree costs less; the same as cost if it is optimal */
    int64_t units;       /* the cost as the search counts it: of two trees of the same data the one
                            with less is better, or the first by tie rule */
    double price;        /* of a split, as it was counted */
    double rounding;     /* mean rewards of trees were compared to within this */
    ct_policy_end end;
    ct_policy_counts counts;
    const char *simd;    /* static text */
    unsigned threads;
    double seconds;
} ct_policy_result;

/* Solves, and recounts the tree from the data. leaf_of_row[n_rows] receives the node of each row's
 * leaf. On CT_OK the caller frees *result; on a failure nothing is left to free. */
ct_status ct_policy_solve(const ct_policy_data *data, const ct_policy_options *options,
                          ct_policy_result *result, uint32_t *leaf_of_row, ct_error *error);
void ct_policy_result_free(ct_policy_result *result);

/* "optimal", "time limit", "memory limit" or "interrupted". */
const char *ct_policy_end_name(ct_policy_end end);

#endif
