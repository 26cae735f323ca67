/* Copies of some rows' columns, so that all nodes below find them in the nearer caches. */
#ifndef CT_FOREST_GROW_COPY_H
#define CT_FOREST_GROW_COPY_H

#include "forest/grow/scratch.h"

/* From here on the task and all below it read columns of their own, if there is room for its rows
 * and the task is small enough to gain by it. */
void ct_forest_enter_copy(ct_hist_scratch *scratch, ct_hist_task *task);

#endif
