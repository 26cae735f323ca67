/* Model trees: splits on one column each, a least-squares linear model in every leaf, searched
 * globally.
 *
 * The tree is a function of the data, the options and the seed only: the order of sums is fixed,
 * random numbers are keyed, and all limits except the time limit count rows, not seconds; so the
 * result does not depend on threads or instruction sets. The steps are:
 *
 *   1. The data become ranks and rows z (model_table.h).
 *   2. On at most `sample` rows, spread over the data, two starts, one of them grown greedily, are
 *      brought to a local optimum, and the better one is kicked out of it again and again
 *      (kicks.h).
 *   3. The tests are carried to all rows, where the local search goes on.
 *   4. A last local search opens every bin that pays: where it comes to its end, no change of one
 *      node (another test, the subtree of one side, or a leaf in its place, with all models below
 *      refitted) lowers SSE + lambda * size; that is `certified`.
 *   In the mode of the paper trees of all rows, which are in a k-d tree (kd_tree.h), are evolved
 *   instead of 2 to 4, and nothing is certified.
 *   With `prove`, the depth of the tree, all trees over bins of that depth are searched then
 *   (optimum.h): if one is better it takes the tree's place, and 4 is done again.
 *   5. The models of all nodes are fitted anew from the rows by QR (node_models.h). */
#ifndef CT_EVOLVE_GMT_H
#define CT_EVOLVE_GMT_H

#include "evolve/node_models.h"
#include "evolve/optimum.h"
#include "evolve/paper.h"
#include "gpu/choice.h"
#include "tree/forest.h"

enum { CT_GMT_LEAVES = 250, CT_GMT_DEPTH = 16 }; /* at most */

/* Iterated local search; the same with a population; evolution as published. */
typedef enum { CT_GMT_LOCAL, CT_GMT_MEMETIC, CT_GMT_PAPER } ct_gmt_mode;

typedef struct {
    ct_gmt_mode mode;
    uint32_t population; /* of MEMETIC and PAPER, 2 .. 10000 */
    ct_paper_options paper;
    ct_tree_limits limits;
    uint32_t bins;             /* of a splitter, 2 .. CT_MODEL_BINS */
    uint32_t effort, patience; /* kicks; generations */
    double max_rows;           /* that split searches look at before the search ends */
    uint32_t sample;           /* rows that kicks are made on */
    /* bins of a splitter that are opened before the last pass, at least 1 */
    uint32_t open_max;
    uint64_t seed;
    uint32_t without; /* CT_GMT_BOUND and others: short cuts not taken; the tree is the same */
    uint32_t prove;   /* 0, or 2 or 3, which is the depth_max then */
    uint32_t prove_without; /* CT_OPTIMUM_..., bit by bit */
    unsigned threads;
    ct_simd simd;
    ct_gpu_choice device; /* where evolution computes; other searches are the CPU's alone */
    double time_limit;   /* seconds */
    int (*stop)(void *); /* asked now and then on the calling thread; NULL: none */
    /* called now and then on the calling thread; NULL: none */
    void (*report)(void *, double seconds, uint32_t kicks, double bic);
    void *calls;
} ct_gmt_options;

typedef enum { CT_GMT_DONE, CT_GMT_ROWS, CT_GMT_INTERRUPTED, CT_GMT_TIME } ct_gmt_end;

/* A proof: no tree of the depth over that many bins of a splitter costs less than `bound` at this
 * lambda. `cost` is the tree's, which may be lower than any over bins. */
typedef struct {
    uint32_t depth, bins;
    int complete; /* the proof has come to its end */
    /* of the response as it is */
    double lambda, cost, bound;
    /* how much lower the cost could be at most, as a share of it; 0: by no more than rounding */
    double gap;
    uint32_t solved;         /* problems of depth two */
    double touched, seconds; /* rows of these */
} ct_gmt_proof;

/* Owned; freed by ct_gmt_free, also after a failure. */
typedef struct {
    ct_forest forest; /* one tree, nodes in preorder, columns those of the data */
    ct_gmt_node_models models;
    int32_t *where;         /* [n_rows] node of its leaf */
    uint8_t *learned;       /* [n_nodes] rows without a value have decided on default_left */
    uint8_t *dropped;       /* [n_nodes][p] coefficients that the search has left out */
    ct_gmt_moment *moments; /* [n_moments] of the search, BIC and SSE as of `bic` */
    uint32_t n_moments, kicks;
    int64_t touched;    /* rows that split searches looked at */
    double bic, lambda; /* of the tree, with the response as it is: deviance, not scaled */
    int certified;
    ct_gmt_proof proof; /* depth 0: there is none */
    ct_gmt_end end;
    double seconds;
    ct_gpu_used device;
    int64_t device_answers, device_batches; /* queries that it has answered */
} ct_gmt;

ct_status ct_gmt_fit(const ct_gmt_model_data *data, const ct_gmt_options *options, ct_gmt *gmt,
                     ct_error *error);
void ct_gmt_free(ct_gmt *gmt);

#endif
