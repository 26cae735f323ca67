/* Forests grown from histograms of integers (Sharp: Implementing decision trees and forests on a
 * GPU, ECCV 2008; Breiman: Random forests, 2001).
 *
 * A forest is a function of the data, the options and the seed only: counts are integers, scores
 * have a fixed formula (scan.h), random numbers are keyed by (seed, number of the tree, path to the
 * node, draw), and sums over rows and trees are integers. It does not depend on the number of
 * threads, the size of blocks or the instruction set. */
#ifndef CT_FOREST_HIST_FOREST_H
#define CT_FOREST_HIST_FOREST_H

#include "base/cpu.h"
#include "base/hd.h"
#include "base/learner.h"
#include "base/parallel.h"
#include "forest/codes/codes.h"
#include "forest/scan/scan.h"

enum {
    CT_HIST_MOST_CLASSES = 65535, /* at most */
    /* Forests of more classes than that have lists of those that a mixed leaf has, and nodes of
     * more look at rows in order in place of a histogram of each class (many.h). */
    CT_HIST_CLASSES = 256,
    CT_HIST_COLUMNS = 65534,      /* at most */
    CT_HIST_LEAF = 65535,         /* the feature of a leaf */
    CT_HIST_MOST_DRAWN = 255      /* that a member tells */
};
#define CT_HIST_FLAG UINT32_C(0x80000000)  /* of `next`: missing values go left */
/* of `next`: the cut has a bit for each code, those set go left */
#define CT_HIST_SET UINT32_C(0x40000000)
#define CT_HIST_CHILD UINT32_C(0x3fffffff) /* of `next`: the left child */
/* of a leaf's `next`: the rest is its place in the counts */
#define CT_HIST_MIXED UINT32_C(0x40000000)

/* A row goes left where code < cut. `next` is the left child, which the right one follows, or, in a
 * leaf
 *   of classes    ct_pure_leaf() where all rows have one class, else CT_HIST_MIXED + place in
 *                 counts
 *   of numbers    place in means and counts */
typedef struct {
    uint32_t next;
    uint16_t feature, cut;
} ct_hist_node;

CT_HD int ct_hist_is_many(uint32_t n_classes) { return n_classes > CT_HIST_CLASSES; }

/* Leaves of one class have it in the lowest bits and their weight above, if it is below that. */
CT_HD unsigned ct_class_bits(uint32_t n_classes) { return ct_hist_is_many(n_classes) ? 16 : 8; }
CT_HD uint32_t ct_pure_below(uint32_t n_classes)
{
    return CT_HIST_MIXED >> ct_class_bits(n_classes);
}
CT_HD uint32_t ct_pure_leaf(uint32_t class_, uint32_t weight, uint32_t n_classes)
{
    return class_ | weight << ct_class_bits(n_classes);
}
CT_HD uint32_t ct_forest_pure_class(uint32_t next, uint32_t n_classes)
{
    return next & ((UINT32_C(1) << ct_class_bits(n_classes)) - 1);
}
CT_HD uint32_t ct_forest_pure_weight(uint32_t next, uint32_t n_classes)
{
    return next >> ct_class_bits(n_classes);
}

/* Counts of a place of mixed leaves. */
CT_HD uint32_t ct_forest_leaf_width(uint32_t n_classes)
{
    return n_classes && !ct_hist_is_many(n_classes) ? n_classes : 1;
}

/* A row of a leaf that keeps its rows: its place in the order of the response, and how often it was
 * drawn. One that was drawn more often than that has several. */
enum { CT_HIST_MEMBER_BITS = 24 }; /* of the place */

static inline uint32_t ct_hist_member(uint32_t rank, uint32_t drawn) { return rank << 8 | drawn; }
static inline uint32_t ct_hist_rank(uint32_t member) { return member >> 8; }
static inline uint32_t ct_hist_drawn(uint32_t member) { return member & CT_HIST_MOST_DRAWN; }

/* One tree, breadth first: a row's nodes get ever larger numbers. Owns its arrays. */
typedef struct {
    uint32_t number; /* from 0; its key */
    uint32_t n_nodes, n_leaves, depth; /* leaves that have a place */
    ct_hist_node *nodes;
    /* [n_leaves][n_classes] weights in mixed leaves; numbers: [n_leaves] weights; many classes:
     * lists, of as many places as they have elements: how many classes, then of each, in order, its
     * number and weight */
    uint32_t *counts;
    double *means; /* [n_leaves] of numbers, else NULL */
    /* where rows are kept, else NULL: of all leaves, one after the other, in each in order; and
     * where each leaf's end, [n_leaves] */
    uint32_t *members, *ends;
} ct_hist_tree;

typedef struct {
    uint32_t n_trees, n_classes, n_cols; /* n_classes 0: numbers */
    ct_hist_tree *trees;                 /* [n_trees] owned, by number */
} ct_hist_forest;

typedef enum { CT_SPLIT_GINI, CT_SPLIT_ENTROPY, CT_SPLIT_ERROR,
              CT_SPLIT_RANDOM } ct_forest_split_rule;

typedef struct {
    const ct_hist_codes *codes;
    uint32_t n_classes;      /* 0: numbers */
    const int32_t *classes;  /* [row] from 0, or NULL */
    const double *numbers;   /* [row] finite, or NULL */
    /* [row] of numbers that are amounts over an exposure, such as counts over a time: these, finite
     * and above 0, and leaves have rates; NULL: others */
    const double *exposure;
    /* [row] how likely rows are drawn, >= 0, sum finite and above 0; NULL: equally */
    const double *sampling;
    /* [row] numbers: their places in the order of the response, below 2^24, for leaves to keep;
     * NULL: they do not */
    const uint32_t *ranks;
    /* [row] of survival forests, whose rows are in order of it, so that their ranks are 0, 1, ...;
     * NULL: others. Twice how many of all n_times times of events are up to the row's, and 1 if it
     * was censored */
    const uint32_t *survival;
    uint32_t n_times;
    /* columns that each node tries, which are drawn first, different ones; and [col] how likely
     * others are drawn, >= 0, sum finite, NULL: equally */
    const uint32_t *always;
    uint32_t n_always;
    const double *column_weights;
    /* [col] 1 where predictions must not fall as the column rises, -1 where they must not rise, 0;
     * of numbers, or of the second of two classes. NULL: no column is so */
    const int32_t *monotone;
    /* [tree of those grown][row] how often each row is drawn, `sample` times at most; NULL: drawn
     * at random */
    const int32_t *const *drawn;
} ct_hist_data;

static inline uint32_t ct_survival_time(uint32_t code) { return code / 2; }
static inline int ct_survival_censored(uint32_t code) { return code % 2; }

typedef enum { CT_HIST_DONE, CT_HIST_INTERRUPTED, CT_HIST_TIME, CT_HIST_MEMORY } ct_hist_end;

typedef struct {
    uint32_t n_trees, first_tree; /* trees first_tree .. first_tree + n_trees - 1 */
    uint32_t mtry;                /* candidates at a node, all, n_always .. n_cols */
    uint32_t depth;               /* most splits above a leaf */
    uint32_t min_n;               /* nodes of so few rows, duplicates counted, are leaves */
    uint32_t min_bucket;          /* what nodes have at least, duplicates counted */
    uint32_t sample;              /* rows drawn for a tree */
    int replace;
    /* honest trees: the share of a tree's different rows that choose its splits, below 1, while the
     * others fill its leaves; 0: all do both */
    double honesty;
    /* with exposures: leaves have so much more, over the exposure for it at the rate of all */
    double prior;
    int holdout;                  /* rows that are never drawn are those left out, and no others */
    int pool_by_level;            /* all nodes of one depth have the same candidates */
    ct_forest_split_rule rule;           /* see split/criteria.h */
    uint64_t seed;
    unsigned threads;
    ct_simd simd;
    uint32_t block;               /* rows of nodes that get columns of their own; 0: chosen */
    int oob, gains, permutation;  /* what to compute besides */
    int local;                    /* permutation row by row */
    double time_limit;            /* seconds */
    size_t memory_limit;          /* bytes */
    int (*stop)(void *);          /* asked now and then on the calling thread; NULL: none */
    /* as often, there too; NULL: none */
    void (*report)(void *, uint32_t trees, double seconds);
    /* of classes, instead of a rule: candidates are pooled by level, and one thread, the caller's,
     * grows; NULL: none */
    ct_learner learn;
    void *calls;                  /* what all three are given */
} ct_hist_options;

/* What is known besides the trees. Sums are integers, in units of 2^-32 (classes) or `unit`
 * (numbers). Of numbers that are far from each other they have several words, of which each counts
 * 2^32 times the one before. */
typedef struct {
    ct_hist_end end;
    double seconds;
    /* summed over the trees that a row is not part of: [row][n_classes] shares of classes; numbers:
     * [row][out_words] deviations from `centre` */
    int64_t *oob_sums;
    uint32_t *oob_trees; /* [row] how many trees that are */
    uint32_t out_words, gain_words, harm_words;
    double centre, unit;
    /* [col][gain_words] what splits have gained, in units of 2^-20 rows (classes) or of
     * gain_unit */
    int64_t *gains;
    double gain_unit;
    /* [col][harm_words] what shuffling a column costs rows left out, summed over these and trees:
     * wrong ones more, or squared errors more, in units of harm_unit */
    int64_t *harm;
    double harm_unit;
    /* [row][col] the same of each row, in units of local_unit; NULL: not wanted */
    int64_t *local;
    double local_unit;
} ct_hist_extra;

/* Freed by ct_hist_forest_free and ct_hist_extra_free, also after a failure. Stopped early, the
 * forest has the trees that were complete. */
ct_status ct_hist_grow(const ct_hist_data *data, const ct_hist_options *options,
                       ct_hist_forest *forest, ct_hist_extra *extra, ct_error *error);
void ct_hist_tree_free(ct_hist_tree *tree);
void ct_hist_forest_free(ct_hist_forest *forest);
void ct_hist_extra_free(ct_hist_extra *extra);

#endif
