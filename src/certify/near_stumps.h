/* Splits of a row set into two leaves that predict otherwise, up to a cost, counted one by one. */
#ifndef CT_CERTIFY_NEAR_STUMPS_H
#define CT_CERTIFY_NEAR_STUMPS_H

#include "certify/cost_counts.h"
#include "certify/problem.h"

/* Sums of two random words of the rows on one side of a split, the lower of both sides'. */
typedef struct {
    uint64_t of[2];
} ct_side_key;

/* What a leaf predicts: a label, or a mean on the grid, as a fraction. */
typedef struct {
    int64_t of, by;
} ct_near_told;

/* A split of columns that are of a group. */
typedef struct {
    ct_side_key key;
    int64_t cost;
} ct_near_stump;

typedef struct {
    const ct_problem *problem;
    const ct_certify_set_claim *claim;
    ct_side_key *words;    /* [row] */
    int64_t *left, *right; /* [n_sums] */
    ct_near_stump *of;     /* [n] of the group of columns that is looked at; owned: ct_alloc */
    size_t n, room;
} ct_near_stumps;

ct_status ct_certify_near_stumps_init(ct_near_stumps *stumps, const ct_problem *problem,
                                      const ct_certify_set_claim *claim);
void ct_certify_near_stumps_free(ct_near_stumps *stumps);

/* What rows of these sums cost under the best label, the first of equals, or beside their mean. */
int64_t ct_certify_near_leaf(const ct_problem *problem, const int64_t *sums, ct_near_told *told);

int ct_certify_near_same(const ct_near_told *a, const ct_near_told *b);

/* Whether column col is one of several of its group. */
static inline int ct_near_grouped(const ct_certify_set_claim *claim, uint32_t n_cols, uint32_t col)
{
    const uint32_t *groups = claim->groups;
    return (col && groups[col - 1] == groups[col]) ||
           (col + 1 < n_cols && groups[col + 1] == groups[col]);
}

/* Whether a split of n rows, n_left of them left, is allowed. */
static inline int ct_near_allowed(const ct_problem *p, uint32_t n, uint32_t n_left)
{
    return n >= p->min_split && n_left >= p->min_bucket && n - n_left >= p->min_bucket;
}

/* A key of the first n_left rows in the order of a column. */
ct_side_key ct_certify_near_key(const ct_near_stumps *stumps, const ct_row_set *set, uint32_t col,
                                uint32_t n_left);

/* Adds those that cost `budget` at most; is_table: of all rows. 0 if memory ends. */
int ct_certify_near_stumps_count(ct_near_stumps *stumps, const ct_row_set *set, int is_table,
                                 int64_t budget, ct_cost_counts *counts);

#endif
