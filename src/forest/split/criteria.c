#include "base/optimised.h"

#include "forest/split/criteria.h"

#include <math.h>
#include <stddef.h>

double ct_forest_squares_side(const double *logs, const uint32_t *counts, uint32_t n_runs,
                              uint32_t size)
{
    CT_ASSERT(counts && size > 0);
    uint64_t squares = 0;
    (void) logs;
    for (uint32_t k = 0; k < n_runs; k++) squares += (uint64_t) counts[k] * counts[k];
    return (double) squares / size;
}

static double error_side(const double *logs, const uint32_t *counts, uint32_t n_runs, uint32_t size)
{
    double most = 0;
    (void) logs, (void) size;
    for (uint32_t k = 0; k < n_runs; k++) most = counts[k] > most ? counts[k] : most;
    return most;
}

static double entropy_side(const double *logs, const uint32_t *counts, uint32_t n_runs,
                           uint32_t size)
{
    double sum = 0;
    for (uint32_t k = 0; k < n_runs; k++) sum += logs[counts[k]];
    return sum - logs[size];
}

void ct_forest_entropy_logs(double *logs, uint32_t most, double lift)
{
    CT_ASSERT(logs && most > 0 && lift > 0);
    const double highest = most * (log((double) most + 1) + lift);
    const int digits = 51 - ilogb(highest); /* after the point, of 53 in all and a sign */
    logs[0] = 0;
    for (uint32_t k = 1; k <= most; k++)
        logs[k] = ldexp(nearbyint(ldexp(k * log((double) k), digits)), -digits);
}

/* rule, in R, of what, at random, score, side */
const ct_criterion ct_criteria[] = {
    {CT_SPLIT_GINI, "gini", CT_OF_CLASSES, 0, CT_SCORE_SQUARES, NULL},
    {CT_SPLIT_GINI, "gini", CT_OF_NUMBERS, 0, CT_SCORE_SUMS, NULL},
    {CT_SPLIT_ENTROPY, "entropy", CT_OF_CLASSES, 0, CT_SCORE_ENTROPY, entropy_side},
    {CT_SPLIT_ERROR, "error", CT_OF_CLASSES, 0, CT_SCORE_ERROR, error_side},
    {CT_SPLIT_RANDOM, "random", CT_OF_CLASSES, 1, CT_SCORE_SQUARES, NULL},
    {CT_SPLIT_RANDOM, "random", CT_OF_NUMBERS, 1, CT_SCORE_SUMS, NULL},
};
const unsigned ct_n_criteria = sizeof ct_criteria / sizeof *ct_criteria;

const ct_criterion *ct_forest_find_criterion(ct_forest_split_rule rule, ct_forest_criterion_of of)
{
    for (unsigned i = 0; i < ct_n_criteria; i++)
        if (ct_criteria[i].rule == rule && ct_criteria[i].of == of) return &ct_criteria[i];
    return NULL;
}
