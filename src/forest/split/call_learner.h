/* Calls the learner for the splits of a level. */
#ifndef CT_FOREST_SPLIT_CALL_LEARNER_H
#define CT_FOREST_SPLIT_CALL_LEARNER_H

#include "forest/split/split.h"

typedef enum { CT_LEARNER_DONE, CT_LEARNER_STOPPED, CT_LEARNER_NO_MEMORY } ct_learner_end;

/* Nodes of one level, which look at the table. */
typedef struct {
    const ct_hist_task *tasks; /* [n] */
    uint32_t n, tree;
    const ct_view *view;
    const ct_item *items; /* of the tree */
} ct_split_level;

/* The splits of a level. found[i] is 0 where the learner wants none, or one that leaves a side
 * empty. */
ct_learner_end ct_forest_call_learner(const ct_grower *grower, ct_split_memory *memory,
                                      const ct_split_level *level, ct_hist_split *splits,
                                      uint8_t *found);

#endif
