/* The least cost of at most one split, counted. */
#ifndef CT_CERTIFY_STUMP_H
#define CT_CERTIFY_STUMP_H

#include "certify/problem.h"

/* Lower bounds of the cost of a row set: with leaves of any size, and with those that are allowed.
 */
typedef struct {
    int64_t relaxed, allowed;
} ct_least;

/* With two classes: what a row adds, on either side, to the cost under label 1 less that under
 * label 0. */
typedef struct {
    int64_t part[2];
} ct_lean;

typedef struct {
    const ct_problem *problem;
    uint8_t *side;   /* [row] 0 left, 1 right of the threshold that is looked at */
    ct_lean *lean;   /* [row] */
    int64_t *left;   /* [side][label] costs up to some place; see stump.c */
    int64_t *all[2]; /* [label] those of a side */
    int64_t sum[2];  /* what a side costs at most */
} ct_stumps;

ct_status ct_certify_stumps_init(ct_stumps *stumps, const ct_problem *problem);

/* Marks the sides of the first n_left rows in the order of a column; writes the masses of both. */
void ct_certify_stumps_part(ct_stumps *stumps, const ct_row_set *set, uint32_t col, uint32_t n_left,
                            int64_t *const mass[2]);

/* The least cost of at most one split in each of the two sides of `set` (stumps->side), whose
 * masses by class and numbers of rows are given. A side without rows costs nothing. */
void ct_certify_stumps_count(ct_stumps *stumps, const ct_row_set *set, int64_t *const mass[2],
                             const uint32_t n[2], ct_least least[2]);

#endif
