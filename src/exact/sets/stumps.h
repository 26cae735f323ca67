/* The splits of a row set into two leaves that do not predict the same, up to a cost. */
#ifndef CT_EXACT_SETS_STUMPS_H
#define CT_EXACT_SETS_STUMPS_H

#include "exact/sets/place.h"

typedef struct {
    int64_t cost;
    uint32_t feature, threshold; /* in the table's ranks */
    uint32_t around[2];          /* the rows of the table next to it */
    uint32_t n_left, label[2];
    ct_leaf_value value[2];
    ct_rows_key key;             /* of either side, where columns are grouped */
} ct_set_stump;

typedef struct {
    ct_set_stump *of; /* [n] owned: ct_alloc; by feature and threshold */
    size_t n, room;
    ct_totals left, right; /* scratch memory, in the worker's arena */
} ct_set_stumps;

ct_status ct_set_stumps_init(ct_set_stumps *stumps, ct_worker *worker);
void ct_set_stumps_free(ct_set_stumps *stumps);

/* Lists those that cost `budget` at most. groups[n_cols]: columns of one number lie side by side
 * and are the same to the user: what both split in the same way counts once. CT_NO_MEMORY, and a
 * stop is asked for, if memory ends. */
ct_status ct_set_stumps_list(ct_set_stumps *stumps, ct_worker *worker, const ct_place *place,
                         const uint32_t *groups, int64_t budget);

/* Lists costs of stumps alone, each once: n_left says how many stumps have it. Takes memory of the
 * worker's arena. */
ct_status ct_set_stumps_count(ct_set_stumps *stumps, ct_worker *worker, const ct_place *place,
                              const uint32_t *groups, int64_t budget);

ct_status ct_set_stumps_push(ct_set_stumps *stumps, ct_worker *worker, const ct_set_stump *stump);

/* Wrong rows at most of a split within the budget, where rows cost all the same; negative: there is
 * none. */
int64_t ct_set_stumps_wrong(const ct_worker *worker, const ct_node *node, int64_t budget);

/* Whether column f is one of several of its group. */
static inline int ct_is_grouped(const uint32_t *groups, uint32_t n_cols, uint32_t f)
{
    return (f && groups[f - 1] == groups[f]) || (f + 1 < n_cols && groups[f + 1] == groups[f]);
}

/* What the rows cost under their best label, the first of equals. */
int64_t ct_side_cost(const ct_exact_costs *costs, const ct_totals *totals, uint32_t *label);

/* What their leaf predicts, if that is its label. */
ct_leaf_value ct_leaf_value_of(const ct_exact_costs *costs, const ct_totals *totals,
                               uint32_t label);

#endif
