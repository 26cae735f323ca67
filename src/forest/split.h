/* The best split of one node. */
#ifndef CT_FOREST_SPLIT_H
#define CT_FOREST_SPLIT_H

#include "forest/grow.h"

typedef struct {
    uint32_t column;
    uint32_t cut; /* the first code on the right */
    int missing_left, knows_missing; /* rows of the node have missing values there */
} ct_split;

/* 0 if no candidate has a cut. desk->now has the runs of the node. */
int ct_find_split(ct_desk *desk, const ct_view *view, const ct_task *task, uint32_t tree,
                  ct_split *split);

#endif
