/* What must hold of nodes and splits at the doors of the rooms that find splits and apply them:
 * assertions, and nothing without CT_DEBUG. */
#ifndef CT_FOREST_SPLIT_CONDITIONS_H
#define CT_FOREST_SPLIT_CONDITIONS_H

#include "base/status.h"
#include "forest/split/split.h"

#ifdef CT_DEBUG

/* The node has rows, and its runs add up. */
static inline void ct_task_is_sound(const ct_grower *grower, const ct_hist_task *task)
{
    uint32_t n = 0, weight = 0;
    CT_ASSERT(task->n > 0 && task->begin + task->n <= grower->n_rows);
    CT_ASSERT(task->out + task->n_out <= grower->n_rows && task->place < CT_VIEWS);
    CT_ASSERT(task->n_runs > 0 && task->n_runs <= (grower->n_classes ? grower->n_classes : 1));
    for (uint32_t k = 0; k < task->n_runs; k++) {
        const ct_hist_run *run = &task->runs[k];
        CT_ASSERT(run->n > 0 && run->weight >= run->n);
        CT_ASSERT(k == 0 || run[-1].class_ < run->class_);
        n += run->n;
        weight += run->weight;
    }
    CT_ASSERT(n == task->n && weight == task->weight);
}

/* A split is a test that codes of its column can answer in two ways. */
static inline void ct_split_is_sound(const ct_grower *grower, const ct_hist_split *split)
{
    CT_ASSERT(split->column < grower->n_cols);
    const ct_hist_code_column *column = &grower->codes->columns[split->column];
    CT_ASSERT(!split->is_set == !column->is_set);
    CT_ASSERT(!split->knows_missing || column->has_missing);
    CT_ASSERT(split->missing_left == 0 || split->missing_left == 1);
    CT_ASSERT(split->is_set ? split->cut <= CT_HIST_SET_ALL : split->cut <= column->n_codes);
    CT_ASSERT(split->is_set || split->cut > 0 || split->missing_left);
}

#else

#define ct_task_is_sound(grower, task) ((void) (grower), (void) (task))
#define ct_split_is_sound(grower, split) ((void) (grower), (void) (split))

#endif
#endif
