/* Splits chosen by the caller: a tree grows level by level, and for the leaves of a level a learner
 * gets the histogram leaf x feature x class x bin (Sharp, ECCV 2008, section 3) and answers with a
 * split for each leaf. */
#ifndef CT_BASE_LEARNER_H
#define CT_BASE_LEARNER_H

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

#endif
