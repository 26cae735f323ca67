/* Splits chosen by the caller: a tree grows level by level, and for the leaves of a level a learner
 * gets the histogram leaf x feature x class x bin (Sharp, ECCV 2008, section 3) and answers with a
 * split for each leaf. */
#ifndef CT_BASE_LEARNER_H
#define CT_BASE_LEARNER_H

#include <stddef.h>
#include <stdint.h>

enum {
    CT_LEARNER_BINS = 256,        /* of a histogram; the last has missing values */
    CT_LEARNER_CELLS = 1 << 24    /* of the histogram of several leaves, 64 MB */
};

/* Some leaves of one level, which have the same candidates. */
typedef struct {
    uint32_t tree, depth;
    uint32_t n_leaves, n_features, n_classes;
    const uint32_t *features; /* [n_features] columns of a table, or candidates, in order */
    const uint32_t *n_bins;   /* [n_features] */
    const uint32_t *rows;     /* [n_leaves] distinct rows, or pixels, */
    const uint32_t *weights;  /* [n_leaves] and with repetitions */
    /* [leaf][feature][class][CT_LEARNER_BINS] weights */
    int32_t *histogram;
} ct_learner_round;

typedef struct {
    int32_t feature;          /* of the round's, from 0; -1: none, the leaf stays one */
    uint32_t bin;             /* the last on the left side */
    int missing_left;
} ct_learner_answer;

/* Fills answers[n_leaves]. 0: growing is to end. */
typedef int (*ct_learner)(void *calls, const ct_learner_round *round, ct_learner_answer *answers);

/* What the rounds of a level are made of. Owns its arrays, which its maker fills. */
typedef struct {
    uint32_t n_features, n_classes, most; /* leaves of a round */
    uint32_t *features, *n_bins;          /* [n_features] */
    uint32_t *rows, *weights;             /* [most] */
    int32_t *histogram;                   /* [most][n_features][n_classes][CT_LEARNER_BINS] */
    ct_learner_answer *answers;           /* [most] */
} ct_learner_pool;

static inline size_t ct_learner_leaf_cells(const ct_learner_pool *pool)
{
    return (size_t) pool->n_features * pool->n_classes * CT_LEARNER_BINS;
}

/* For rounds of n_leaves at most. 0 if memory ends; freed by ct_learner_pool_free, then too. */
int ct_learner_pool_init(ct_learner_pool *pool, uint32_t n_features, uint32_t n_classes,
                         uint32_t n_leaves);
/* Calls the learner for the first n leaves; 0: growing is to end. */
int ct_learner_pool_call(const ct_learner_pool *pool, ct_learner learn, void *calls, uint32_t tree,
                         uint32_t depth, uint32_t n);
void ct_learner_pool_free(ct_learner_pool *pool);

#endif
