/* The rows of a node part into those of its children. */
#ifndef CT_FOREST_GROW_PARTITION_H
#define CT_FOREST_GROW_PARTITION_H

#include "forest/grow/scratch.h"
#include "forest/split/split.h"

/* Run by run, so that each has runs again. */
void ct_hist_partition(ct_hist_scratch *scratch, const ct_hist_task *task,
                       const ct_hist_split *split, ct_hist_task *left, ct_hist_task *right);

/* The rows left out, of which there are some. */
void ct_forest_partition_out(ct_hist_scratch *scratch, const ct_hist_task *task,
                             const ct_hist_split *split, ct_hist_task *left, ct_hist_task *right);

#endif
