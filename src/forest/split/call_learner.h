/* Calls the learner for the splits of a level. */
#ifndef CT_FOREST_SPLIT_CALL_LEARNER_H
#define CT_FOREST_SPLIT_CALL_LEARNER_H

#include "forest/split/split.h"

typedef enum { CT_ASK_DONE, CT_ASK_STOPPED, CT_ASK_NO_MEMORY } ct_asked;

/* Nodes of one level, which look at the table. */
typedef struct {
    const ct_hist_task *tasks; /* [n] */
    uint32_t n, tree;
    const ct_view *view;
    const ct_item *items; /* of the tree */
} ct_split_level;

/* The splits of a level. found[i] is 0 where the learner wants none, or one that leaves a side
 * empty. */
ct_asked ct_forest_ask_learner(const ct_grower *grower, ct_split_memory *memory,
                               const ct_split_level *level, ct_hist_split *splits, uint8_t *found);

#endif
