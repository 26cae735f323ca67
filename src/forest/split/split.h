/* The best split of one node. */
#ifndef CT_FOREST_SPLIT_SPLIT_H
#define CT_FOREST_SPLIT_SPLIT_H

#include "forest/grow/grow.h"

typedef struct {
    uint32_t column;
    uint32_t cut; /* the first code on the right */
    int missing_left, knows_missing; /* rows of the node have missing values there */
    int is_set;      /* the cut has a bit for each code, those set go left */
    uint32_t absent; /* of such a cut: codes that no row of the node has */
    const uint16_t *codes; /* of the column, by item, until the next search; NULL: as in the view */
    uint16_t raise;        /* added to these, so that missing values are on their side */
} ct_hist_split;

/* Columns are drawn without repetition, one after another, from a permutation that ct_put_back
 * restores once `n_drawn` were drawn: a node's draws must not depend on those of others. */
uint32_t ct_draw_next(ct_hist_scratch *scratch, ct_rng *rng, uint32_t n_drawn);
void ct_put_back(ct_hist_scratch *scratch, uint32_t n_drawn);

/* The draws of the candidates that all nodes of one depth have in common. */
ct_rng ct_pool_rng(const ct_grower *grower, uint32_t tree, uint32_t depth);

/* 0 if no candidate has a cut. scratch->now has the runs of the node. */
int ct_find_split(ct_hist_scratch *scratch, const ct_view *view, const ct_hist_task *task,
                  uint32_t tree, ct_hist_split *split);

#endif
