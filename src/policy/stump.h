/* Trees of one split, in exact costs. */
#ifndef CT_POLICY_STUMP_H
#define CT_POLICY_STUMP_H

#include "policy/best.h"
#include "policy/rows.h"

/* A side of a cut of a row set. */
typedef struct {
    const ct_policy_rows *set;
    const uint32_t *place; /* [row] position in the order of the root's column; NULL: all rows */
    uint32_t cut;
    int left;              /* those whose place is below the cut, or the others */
    uint32_t n;
    int64_t leaf;
    int64_t *total;        /* [n_actions] */
    int64_t *sums;         /* [n_actions] scratch */
} ct_policy_part;

/* Fills in n, leaf and total. */
void ct_policy_part_sum(ct_policy_part *part);

/* Puts the best split of the part on that column, with leaves of min_bucket rows or more, into
 * *tree, of depth one, if it is better than what is there: cheaper, or as cheap and on an earlier
 * column. */
void ct_policy_stump(const ct_policy_part *part, uint32_t column, uint32_t min_bucket,
                     ct_policy_tree *tree);

#endif
