/* The criteria by which forests split, a row each in the table of criteria.c. What a new one needs:
 * its row, on the CPU a function for one side of a cut (or kernels of scan.h), and on a device its
 * score in offload/tally.h. */
#ifndef CT_FOREST_SPLIT_CRITERIA_H
#define CT_FOREST_SPLIT_CRITERIA_H

#include <stdint.h>

#include "forest/hist_forest.h"

typedef enum { CT_OF_CLASSES, CT_OF_NUMBERS } ct_forest_criterion_of;

/* How good a cut is; larger is better. The forms that squares and sums have are in scan.h. */
typedef enum {
    CT_SCORE_SQUARES, /* classes: squares of their weights by the weight of the side */
    CT_SCORE_SUMS,    /* numbers: squares of their sums by the weight of the side */
    /* minus the entropy of the sides by weight, and ct_entropy_lift() by weight */
    CT_SCORE_ENTROPY,
    CT_SCORE_ERROR    /* weight of the most frequent class of either side */
} ct_score;

/* Scores are never negative: entropy is at most log(CT_HIST_CLASSES), which is 5.55, or
 * log(CT_HIST_MOST_CLASSES), which is 11.09. */
CT_HD double ct_entropy_lift(uint32_t n_classes)
{
    return ct_hist_is_many(n_classes) ? 12 : 6;
}

/* logs[most + 1] of entropy: k log(k), rounded such that all sums that scores of nodes of so much
 * weight are made of are exact, and so do not depend on their order. */
void ct_forest_entropy_logs(double *logs, uint32_t most, double lift);

/* What one side of a cut, of which so much weight is in each of n_runs classes, adds to a score. */
typedef double (*ct_side_score)(const double *logs, const uint32_t *counts, uint32_t n_runs,
                                uint32_t size);

/* Squares of weights by the weight of the side. */
double ct_forest_squares_side(const double *logs, const uint32_t *counts, uint32_t n_runs,
                              uint32_t size);

typedef struct {
    ct_forest_split_rule rule;
    const char *name; /* in R */
    ct_forest_criterion_of of;
    int at_random;      /* one cut a candidate, drawn; else all of them */
    ct_score score;     /* which is its name on a device */
    ct_side_score side; /* in plain C; NULL: kernels of scan.h, or ct_forest_squares_side() */
} ct_criterion;

extern const ct_criterion ct_criteria[];
extern const unsigned ct_n_criteria;

/* The criterion of a rule for such a response; NULL: there is none. */
const ct_criterion *ct_forest_find_criterion(ct_forest_split_rule rule, ct_forest_criterion_of of);

#endif
