/* What a set is made of. */
#ifndef CT_EXACT_SETS_PARTS_H
#define CT_EXACT_SETS_PARTS_H

#include "exact/begin.h"
#include "exact/bound/kept.h"
#include "exact/run/history.h"
#include "exact/sets/place.h"
#include "exact/sets/set.h"
#include "exact/sets/stumps.h"
#include "tree/forest.h"

struct ct_set {
    ct_exact_options options; /* without what belongs to one call */
    ct_exact_search search;
    ct_exact_costs costs;
    ct_history history;
    ct_exact_kept kept;
    ct_stop stop;
    ct_worker worker;
    ct_data data;
    ct_column *columns;       /* copies, owned, as those below */
    ct_coded_column *coded;
    int32_t *classes;         /* or the response */
    double *response;
    uint8_t *roots;
    uint32_t *groups;
    ct_place place;           /* all rows */
    ct_set_graph graph;
    int64_t budget;
    ct_exact_end end;
    double seconds;
};

static inline const ct_set_node *ct_set_root(const ct_set *set)
{
    return &set->graph.nodes[set->graph.root];
}

/* Fills in the graph. */
ct_status ct_set_build(ct_set *set, ct_error *error);

/* The rows of either side of an option, with their keys. The caller releases the arena. */
ct_status ct_set_side(ct_set *set, const ct_place *place, const ct_set_option *option, int side,
                      ct_place *child);

/* Finishes a tree as a search one level deeper would: none of its splits is of the lowest level,
 * whose thresholds are found by what is best. codes: a heap with one level more than the trees
 * have. */
ct_status ct_set_finish(ct_set *set, const ct_split_code *codes, int64_t cost,
                        ct_exact_result *result, uint32_t *leaf_of_row, ct_error *error);

/* Before a call that walks the set again: no limits of time, nothing has been stopped. */
void ct_set_resume(ct_set *set);

/* The threshold between two rows of the table. */
static inline double ct_set_cut(const ct_set *set, uint32_t f, const uint32_t around[2])
{
    return ct_threshold_between(ct_column_value(&set->columns[f], around[0]),
                                ct_column_value(&set->columns[f], around[1]));
}

/* Whether their leaves predict the same. */
static inline int ct_set_is_idle(const ct_set_node *left, const ct_set_node *right)
{
    return ct_same_leaf(&left->value, &right->value);
}

#endif
