/* The rows of a node part into those of its children. */
#ifndef CT_FOREST_PART_H
#define CT_FOREST_PART_H

#include "forest/split.h"

static inline const ct_view *ct_view_of(const ct_desk *desk, const ct_task *task)
{
    return &desk->views[task->place];
}

static inline uint32_t ct_table_row(const ct_view *view, uint32_t row)
{
    return view->rows ? view->rows[row] : row;
}

/* Run by run, so that each has runs again: those in desk->now become those in desk->left and
 * desk->right. */
void ct_part(ct_desk *desk, const ct_task *task, const ct_split *split, ct_task *left,
             ct_task *right);

/* The rows left out, of which there are some. */
void ct_part_out(ct_desk *desk, const ct_task *task, const ct_split *split, ct_task *left,
                 ct_task *right);

#endif
