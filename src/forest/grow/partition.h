/* The rows of a node part into those of its children. */
#ifndef CT_FOREST_GROW_PARTITION_H
#define CT_FOREST_GROW_PARTITION_H

#include "forest/split/split.h"

static inline const ct_view *ct_view_of(const ct_hist_scratch *scratch, const ct_hist_task *task)
{
    return &scratch->views[task->place];
}

static inline uint32_t ct_table_row(const ct_view *view, uint32_t row)
{
    return view->rows ? view->rows[row] : row;
}

/* Run by run, so that each has runs again: those in scratch->now become those in scratch->left and
 * scratch->right. */
void ct_hist_partition(ct_hist_scratch *scratch, const ct_hist_task *task,
                       const ct_hist_split *split, ct_hist_task *left, ct_hist_task *right);

/* The rows left out, of which there are some. */
void ct_part_out(ct_hist_scratch *scratch, const ct_hist_task *task, const ct_hist_split *split,
                 ct_hist_task *left, ct_hist_task *right);

#endif
