/* All trees within a budget, counted again: an independent check that a set of trees is complete.
 *
 * What a set claims is how many trees there are of each cost up to its budget. Here they are found
 * by another way, which needs nothing that the search has left: a threshold is looked at unless
 * those looked at on either side of it prove that no tree with it fits into the budget (the facts
 * are in proof.h), the middle one of those that are open first. Of each that fits both sides are
 * counted in turn, within what the other side leaves them. Trees are told apart as in
 * exact/sets/set.h. No code of the search is used; see certify.h for what is. */
#ifndef CT_CERTIFY_RECOUNT_H
#define CT_CERTIFY_RECOUNT_H

#include "certify/certify.h"
#include "certify/residues.h"

/* How many trees have a cost, in the integers of exact/cost/. */
typedef struct {
    int64_t cost;
    ct_residues n;
} ct_certify_cost_count;

typedef struct {
    int64_t budget;              /* no tree that costs this or less is missing */
    const ct_certify_cost_count *counts; /* [n_counts] those up to the budget, by cost */
    size_t n_counts;
    const uint32_t *groups; /* [n_cols] columns of one number lie side by side: what two of them
                             * split in the same way counts once */
    const uint8_t *roots;   /* [n_cols] whether the root may be split on it; NULL: on any */
    double within;          /* in the objective */
} ct_certify_set_claim;

typedef struct {
    int stopped;
    int same;            /* the counts are those claimed */
    int64_t differs;     /* else: the least cost of which there are more, or fewer */
    int covers;          /* of classes: no tree that costs at most `within` more than claim->best
                          * costs more than the budget */
    double bound;        /* of a response: no tree that costs so much or less, in the objective,
                          * costs more than the budget */
    uint64_t thresholds; /* looked at */
    uint64_t row_sets;   /* laid out */
} ct_certify_recount_result;

/* Errors: those of ct_certify. */
ct_status ct_certify_set(const ct_data *data, const ct_certify_claim *claim,
                         const ct_certify_set_claim *set, ct_certify_recount_result *result,
                         ct_error *error);

#endif
