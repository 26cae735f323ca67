/* An ensemble compiled for prediction: made by pack.h, used by run.h.
 *
 * Two forms lie side by side. Walks follow rows from node to node. Planes (bit slices: a plane has
 * a bit for each row of a block) compute each distinct test of the ensemble once for a block of
 * rows; a tree is then a network that turns planes of tests into the planes of the number of the
 * leaf, without branches or addresses that depend on data. Rows are lanes, so that each still adds
 * tree after tree, in the order that the ensemble defines.
 *
 * Of a tree with more leaves than planes can number, the nodes that most rows come to are such a
 * network, its top: planes give the number of the exit, a leaf or a node from which rows are
 * walked, by codes of 16 bits in place of values. Trees are in groups, whose tests and nodes below
 * tops stay in the cache while several blocks of rows go through them.
 *
 * Both implement only `x <= t`: x < t is x <= the number before t, and if there is none, never
 * true. */
#ifndef CT_FORGE_FORGED_H
#define CT_FORGE_FORGED_H

#include "base/arena.h"
#include "forge/ensemble.h"

enum {
    CT_FORGE_BLOCK_WORDS = 8, /* of 64 rows */
    CT_FORGE_BLOCK = 64 * CT_FORGE_BLOCK_WORDS,
    CT_FORGE_RANKS = 254, /* thresholds of one search at most: ranks are bytes, the last is NaN's */
    CT_FORGE_PLANE_LEAVES = 256,
    CT_FORGE_NETWORK_DEPTH = 8,
    CT_FORGE_SLICED_BITS = 6, /* terms of fewer leaves are looked up whole, not byte by byte */
    /* Of walks below tops: thresholds of a coded column, coded columns, nodes of a tree. */
    CT_FORGE_CODED_THRESHOLDS = 65533,
    CT_FORGE_CODED_COLUMNS = 4096,
    CT_FORGE_DEEP_NODES = 1 << 22
};

/* Which values a test sends right besides those above the threshold. */
typedef enum {
    CT_FORGE_NAN_RIGHT, CT_FORGE_NAN_LEFT, CT_FORGE_ZERO_LEFT, CT_FORGE_ZERO_RIGHT
} ct_forge_test_kind;

typedef struct {
    uint8_t rank, kind; /* right from that rank on */
} ct_forge_test;

/* Some thresholds of one feature. The rank of a value is how many of them are below it; NaN's is
 * 2^bits - 1, and no other value's. */
typedef struct {
    uint32_t column;        /* of `used` */
    uint32_t n, bits;       /* thresholds; n <= 2^bits - 2 */
    /* [2^bits, at least 16] a search tree, from 1: below i are 2 i, 2 i + 1 */
    float *pivots;
    double *exact;           /* [n] ascending where tests are of doubles, else NULL */
    float *rounded;          /* [2^bits] these as floats, then NaN */
    uint32_t first, n_tests; /* planes of its tests, one after the other */
    const ct_forge_test *tests;
    int any_zero;
} ct_forge_search;

/* A test of a code: plane `plane`, node of the ensemble. */
typedef struct {
    uint32_t column, node, plane;
} ct_forge_set_test;

/* A column, or some thresholds of it, as codes of 16 bits. The code of a value is one more than
 * how many thresholds are below it; that of a missing one, as the kind says, is 0 where it goes
 * left, else 65,535. Of a test of a code: 1 where a row goes right. */
typedef struct {
    uint32_t column;      /* of `used` */
    ct_forge_test_kind kind;
    uint32_t bits;
    const double *pivots; /* [2^bits] a search tree, from 1; NULL: a test of a code */
    uint32_t node;        /* that test's, of the ensemble */
} ct_forge_ranked_column;

typedef enum { CT_FORGE_NETWORK, CT_FORGE_SYMMETRIC, CT_FORGE_REACH } ct_forge_tree_kind;

/* CT_FORGE_NETWORK: `program` has the planes of the 2^bits - 1 tests of a perfect tree, level by
 * level. Leaf numbers have the root's answer as their highest bit.
 * CT_FORGE_SYMMETRIC: a network, too, whose levels have one test each: its answers are a bit of the
 * numbers.
 * CT_FORGE_REACH: pairs of (plane, source) of the n_inner tests, parents first: set 0 has all rows,
 * test i parts set `source` into 2 i + 1 (left) and 2 i + 2 (right). Then for each bit of the
 * leaf's number how many sets, and which, have the rows where it is 1. */
typedef struct {
    ct_forge_tree_kind kind;
    uint32_t bits, n_inner, output;
    const uint32_t *program;
    const void *terms; /* [leaf_width][2^bits] floats, or doubles, as sums are */
    /* [leaf_width][8][2^bits] byte after byte of all terms, the lowest first: of doubles of
     * CT_FORGE_SLICED_BITS or more; else NULL. */
    const uint8_t *slices;
    /* Of a tree with walks below its top, else NULL: by the number of an exit a multiple of
     * CT_FORGE_BLOCK, the place of its node times CT_FORGE_BLOCK, and 1 if that is a leaf. */
    const uint32_t *entry;
    /* A leaf has the bits of its term, or, of several terms, its number among `terms`, which are
     * [leaf][leaf_width] then. An inner node has, from the lowest bits, 16 of the coded column, 16
     * of the greatest code that goes left, and a word as those of `entry`, of the left child, which
     * the right one follows; its bit 1 says whether that one is a leaf. */
    const uint64_t *nodes;
} ct_forge_plane_tree;

/* Trees with their searches and tests of codes: those before these ends that are in no group
 * before. Numbers of planes begin at 1 in each. */
typedef struct {
    uint32_t tree_end, search_end, set_end;
} ct_forge_plane_group;

/* A node of a walk: 16 bytes. */
typedef struct {
    double threshold; /* in a leaf: its term, if there is one */
    uint32_t next;    /* the left child, which the right one follows; in a leaf, itself */
    uint32_t what;    /* column of `used`, and flags */
} ct_forged_node;

#define CT_FORGE_WALK_COLUMN UINT32_C(0x00ffffff)
#define CT_FORGE_WALK_INNER UINT32_C(0x01000000)
#define CT_FORGE_WALK_NAN_LEFT UINT32_C(0x02000000)
#define CT_FORGE_WALK_ZERO UINT32_C(0x04000000) /* zeros are missing */
#define CT_FORGE_WALK_SET UINT32_C(0x08000000)

typedef struct {
    const ct_forge_ensemble *ensemble; /* borrowed */
    ct_arena arena;                    /* of all below */
    ct_budget budget;                  /* the arena's: a ct_forged stays where it is */
    uint32_t n_used;
    uint32_t *used;              /* [n_used] features that some node or linear model asks for */
    uint32_t *term_column;       /* [n_terms] of linear models: which of `used` */
    /* walks */
    ct_forged_node *nodes;       /* [n_nodes] in order of depth, tree after tree */
    uint32_t *node_of;           /* [n_nodes] the ensemble's */
    int plain;                   /* no sets, and zeros are never missing */
    uint32_t deepest;            /* splits above a leaf */
    double mean_depth;           /* of leaves */
    /* planes */
    int has_planes;              /* there are no linear models, and codes are few enough */
    uint32_t n_planes;           /* of the largest group; plane 0 is empty */
    uint32_t n_tests;            /* distinct ones of the groups */
    uint32_t n_groups, n_coded;
    ct_forge_plane_group *groups;
    ct_forge_ranked_column *coded;      /* by column */
    uint32_t n_searches, n_set_tests;
    ct_forge_search *searches;
    ct_forge_set_test *set_tests;
    ct_forge_plane_tree *trees;        /* [n_trees] */
} ct_forged;

#endif
