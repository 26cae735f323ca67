/* Calls the learner for the splits of a level. */
#ifndef CT_FOREST_SPLIT_CALL_LEARNER_H
#define CT_FOREST_SPLIT_CALL_LEARNER_H

#include "forest/split/split.h"

typedef enum { CT_ASK_DONE, CT_ASK_STOPPED, CT_ASK_NO_MEMORY } ct_asked;

/* The splits of tasks of one level, whose runs are runs[task][width], in views of the table.
 * found[i] is 0 where the learner wants none, or one that leaves a side empty. */
ct_asked ct_ask_learner(ct_hist_scratch *scratch, const ct_hist_task *tasks,
                        const ct_hist_run *runs, uint32_t width,
                        uint32_t n, uint32_t tree, ct_hist_split *splits, uint8_t *found);

#endif
