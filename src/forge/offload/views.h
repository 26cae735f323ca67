/* What functions on a device are handed, all of it by value: a forest that was laid out for them,
 * and the rows of a pass, few enough that no function has 2^32 items. There a word has a bit for
 * each of 32 rows. */
#ifndef CT_FORGE_OFFLOAD_VIEWS_H
#define CT_FORGE_OFFLOAD_VIEWS_H

#include "forge/forged.h"

enum {
    CT_FORGE_RANK_PLANES = 9, /* the bits of a rank, and which rows are zero */
    CT_FORGE_LEAF_WORDS = 8,  /* of the numbers of 32 leaves, a byte each */
    CT_FORGE_MOST_SLICES = 2048 /* times CT_FORGE_MOST_TREES are less than 2^32 */
};

/* Thresholds are unsigned keys in the order of numbers: -0 is 0, and below all others is that of
 * NaN, which no number is at most. (Comparing doubles is slow on most cards.)
 *
 * Those of one column: */
typedef struct {
    uint32_t column, bits, zero; /* zero: tests ask which rows are zero */
    uint32_t keys;               /* where its 2^bits - 1 begin, ascending; the last are padding */
} ct_forge_key_search;

/* A node of a walk, as in forge/forged.h. */
typedef struct {
    uint64_t key;
    uint32_t next, what;
} ct_forge_key_node;

/* Tests of a search of one kind with ranks from 16 * high on: one for each bit of `ranks`. Their
 * planes lie one after the other. */
typedef struct {
    uint32_t search, high, kind, ranks, first;
} ct_forge_test_group;

typedef struct {
    uint32_t column, node, plane, nan_left;
} ct_forge_code_test;

/* A perfect tree: where among the programs the planes of its 2^bits - 1 tests begin, level by
 * level, and where among the terms what its leaves add, [leaf_width][2^bits]. Below a leaf all
 * places are that leaf's, and the tests are any. */
typedef struct {
    uint32_t bits, program, terms;
} ct_forge_device_network;

/* The forest as networks or, without any, as walks. */
typedef struct {
    uint32_t n_trees, n_used, n_outputs, leaf_width, n_planes;
    int wide, wide_sums; /* values and keys; sums and terms: 1: of 64 bits, 0: of 32 */
    const void *keys;
    const ct_forge_key_search *searches;
    const ct_forge_test_group *groups;
    const ct_forge_code_test *code_tests;
    uint32_t n_searches, n_groups, n_code_tests;
    const ct_forge_device_network *networks; /* [n_trees] NULL: walks */
    const uint32_t *programs;
    const ct_forge_key_node *nodes;
    const uint32_t *node_of, *roots; /* as in forge/forged.h */
    const void *terms;               /* walks: [node of a walk][leaf_width] */
    const double *base;
    double divisor;
    /* Which trees add to an output, in their order: of `adders` those from its `from` to its `to`,
     * which is no more one of them. */
    const uint32_t *adders, *from, *to; /* [...], [n_outputs] */
    int any_order;                      /* sums are the same in any order */
    ct_forge_ensemble sets;             /* on the device it has the sets of codes alone */
} ct_forged_view;

typedef struct {
    uint32_t n_rows, words;
    uint32_t n_slices; /* in which an output's trees are added up, and these then */
    const void *x;     /* [column][n_rows] */
    uint32_t *ranks;   /* [search][CT_FORGE_RANK_PLANES][words] */
    uint32_t *tests;   /* [plane][words] 1: to the right */
    /* Networks: [tree][CT_FORGE_LEAF_WORDS][words], byte g of word i is the leaf of row 8 g + i.
     * Walks: [tree][n_rows], the node. */
    uint32_t *leaves;
    void *sums;       /* [slice][output][row of a word][words] */
    double *out;      /* [output][n_rows] */
} ct_forge_rows_view;

typedef struct {
    ct_forged_view forest;
    ct_forge_rows_view rows;
} ct_forged_views;

#endif
