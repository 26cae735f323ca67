/* The proof of rewards.h, once rewards are integers. */
#ifndef CT_CERTIFY_REGRET_H
#define CT_CERTIFY_REGRET_H

#include "certify/problem.h"
#include "certify/rewards.h"

typedef struct {
    ct_problem rows;   /* orders alone */
    uint32_t n_actions, min_bucket;
    int64_t *cost;     /* [row][action] at least 0 */
    int64_t price;     /* of a split, at least 1 */
    int exponent;      /* of the unit, */
    unsigned tie_bits; /* how many bits are below it */
    double rounding;   /* by how much the regret of a tree may differ from what is counted, */
    double price_off;  /* and by how much a split is taken for less */
    int counts;        /* sums of costs fit into 64 bits */
} ct_regrets;

/* Sets result->verdict and counts and, if that is CT_CERTIFIED, *bound: no allowed tree costs
 * less. */
ct_status ct_certify_regrets_prove(const ct_regrets *regrets, const ct_certify_policy *claim,
                                   ct_bytes_reader *reader, ct_certify_result *result,
                                   int64_t *bound, ct_error *error);

#endif
