/* The search for the best split of one node: declarations shared by the files that implement it. */
#ifndef CT_FOREST_SPLIT_SEARCH_H
#define CT_FOREST_SPLIT_SEARCH_H

#include "forest/split/split.h"

/* The best so far. */
typedef struct {
    const ct_grower *grower;
    ct_split_memory *memory;
    const ct_view *view;
    const ct_hist_task *task;
    const ct_item *items;
    const ct_hist_run *runs; /* of the task */
    ct_rng rng;              /* of candidates */
    ct_rng cuts;             /* of cuts at random; a pool's candidates must not depend on these */
    uint32_t n_drawn;
    double score;
    ct_hist_split *split;
    double sum;    /* numbers: of the node; of monotone forests with classes: of the second */
    double amount; /* numbers: its weight, or exposure */
    /* Which of the memory's medium_codes the group under way has; the best one's codes, of a group
     * before, are in the other. */
    unsigned half;
} ct_hist_search;

static inline uint16_t *ct_medium_codes(const ct_hist_search *s, unsigned lane)
{
    return s->memory->medium_codes +
           (size_t) (s->half * CT_LANES + lane) * (CT_MEDIUM_ROWS + CT_MEDIUM_PAD);
}

/* Codes of the items in some columns, in the order of the items and with these bits turned, become
 * the medium ones. */
void ct_forest_read_codes(const ct_hist_search *s, const uint32_t *columns, unsigned lanes,
                          uint16_t flip);

/* Columns are drawn without repetition, one after another. */
uint32_t ct_forest_draw_column(ct_hist_search *s);

/* The score of a criterion in plain C, where left[run] is what of each run goes left, in all
 * `size`. */
double ct_forest_plain_score(const ct_hist_search *s, const uint32_t *left, uint32_t size);

/* Of monotone forests: whether a cut that leaves so much of the sum, and of the weight, on the left
 * would part it the wrong way, or make a child that is not within the bounds of the node. That of
 * all children on the way keeps them all between those of either side of each such cut. */
static inline int ct_breaks_order(const ct_hist_search *s, uint32_t column, double sum,
                                  uint32_t size)
{
    const int32_t *monotone = s->grower->data->monotone;
    if (!monotone) return 0;
    const double left = sum / size, right = (s->sum - sum) / (s->task->weight - size);
    return (monotone[column] > 0 && left > right) || (monotone[column] < 0 && left < right) ||
           left < s->task->low || left > s->task->high || right < s->task->low ||
           right > s->task->high;
}

/* Whether the column's codes are levels without an order. */
static inline int ct_has_sets(const ct_hist_search *s, uint32_t column)
{
    return s->grower->codes->columns[column].is_set;
}

/* Of such a column all subsets of the node's levels, or one at random; the best becomes the split
 * if it is better than all before. Levels that no row of the node has are right. */
void ct_forest_search_set(ct_hist_search *s, uint32_t column);

/* Small nodes: all cuts of all candidates. */
void ct_forest_search_small(ct_hist_search *s);

/* Others: the best border of two bins, which are the table's, or, at nodes of at most
 * CT_MEDIUM_ROWS, of the node's own range of codes. */
void ct_forest_search_bins(ct_hist_search *s);

#endif
