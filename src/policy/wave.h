/* A wave: some cuts of one column, by the columns of the children. See two.h. */
#ifndef CT_POLICY_WAVE_H
#define CT_POLICY_WAVE_H

#include "policy/rows.h"
#include "policy/search.h"

enum { CT_POLICY_WAVE = 96 };

/* A cut that is evaluated. Of both sides, left first: */
typedef struct {
    uint32_t cut;
    int is_confirmed;      /* its trees were computed in exact costs */
    int32_t floor[2];      /* coarse costs that they have at least */
    int32_t cap[2];        /* ... from which on they need not be known */
    int32_t best[2];       /* what they cost, up to the cap */
    int32_t winner[2];     /* split on this column; -1: as leaves, or not below the cap */
    const int32_t *of_subset[2]; /* [2][n_cols] of a cut with fewer rows on the side; NULL: none */
    int32_t *by_child;     /* [2][n_cols] costs of splits on that column at least, or as leaves;
                              known up to the cap, and where columns are within rounding */
    int32_t *total[2];     /* [lanes] */
} ct_policy_trial;

typedef struct ct_policy_scratch {
    uint32_t lanes, n_cols;
    uint32_t column;      /* of the root */
    uint32_t sorted_by;      /* 1 + the column in whose order the rows are; 0: none */
    int32_t *costs;       /* [n][lanes] in that order */
    uint32_t *place;      /* [row] in that order */
    int32_t *sums;        /* [most_blocks][lanes] rows on the left so far, by block of the child */
    int32_t *upto;        /* [most_blocks][lanes] and of all blocks before, too */
    ct_policy_side side;
    int32_t *lift, *walk; /* [lanes] */
    uint32_t *hints;      /* [n_cols] columns of the children, those first that were the best */
    uint32_t n_trials;
    ct_policy_trial trials[CT_POLICY_WAVE];
    int64_t *exact[2];    /* [n_actions] */
} ct_policy_scratch;

/* NULL without memory. */
ct_policy_scratch *ct_policy_scratch_new(const ct_policy_rows *set, ct_arena *arena);

/* Takes the rows in the order of a column, that of the root. */
void ct_policy_scratch_sort(ct_policy_scratch *scratch, const ct_policy_rows *set, uint32_t column);

/* Evaluates trials by increasing cut, whose cut, floor, cap, of_subset and by_child are given; 0
 * if it was stopped, and they are of no use. */
int ct_policy_wave_run(ct_policy_worker *worker, ct_policy_scratch *scratch,
                       const ct_policy_rows *set, ct_policy_trial *trials, uint32_t n_trials);

#endif
