#include "base/optimised.h"
#include "base/unguarded.h"

#include "forest/grow/partition.h"

#include <string.h>

#include "forest/grow/nodes.h"
#include "forest/split/conditions.h"

/* Levels as bins of the task's rows, where the view has none. */
static const uint8_t *bins_of_levels(ct_hist_scratch *scratch, const ct_view *view,
                                     const ct_hist_task *task, uint32_t column)
{
    uint8_t *bins = scratch->partition.level_bins;
    if (view->bins) return view->bins + column * view->bin_stride;
    for (uint32_t i = 0; i < task->n + task->n_out; i++) {
        uint32_t row = i < task->n ? scratch->rows.items[task->begin + i].row
                                   : scratch->rows.out[task->out + i - task->n];
        bins[row] = (uint8_t) ct_view_code(view, column, row);
    }
    return bins;
}

/* The levels that go left. */
static ct_hist_test test_of_set(ct_hist_scratch *scratch, const ct_hist_task *task,
                                const ct_hist_split *split)
{
    uint8_t *sides = scratch->partition.sides;
    const ct_view *view = ct_view_of(scratch, task);
    const uint8_t *bins = bins_of_levels(scratch, view, task, split->column);
    ct_hist_test test = {NULL, NULL, bins, sides, 0, 0};
    memset(sides, 0, sizeof scratch->partition.sides);
    for (uint32_t code = 0; code < CT_HIST_SET_LEVELS; code++)
        sides[code] = split->cut >> code & 1 ? CT_TO_LEFT : 0;
    sides[CT_BIN_MISSING] = split->missing_left ? CT_TO_LEFT : 0;
    return test;
}

static ct_hist_test test_of(ct_hist_scratch *scratch, const ct_hist_task *task,
                            const ct_hist_split *split)
{
    const ct_view *view = ct_view_of(scratch, task);
    uint8_t *sides = scratch->partition.sides;
    if (split->is_set) return test_of_set(scratch, task, split);
    const ct_hist_code_column *column = &scratch->grower->codes->columns[split->column];
    uint32_t missing_left = (uint32_t) split->missing_left;
    ct_hist_test test = {view->codes + split->column * view->code_stride, view->code_rows, NULL,
                      sides, missing_left, split->cut + missing_left};
    if (!view->bins) return test;
    uint32_t bin = split->cut < column->n_codes ? ct_bin_of(column, (uint16_t) split->cut)
                                                : column->n_bins;
    test.bins = view->bins + split->column * view->bin_stride;
    memset(sides, 0, sizeof scratch->partition.sides);
    memset(sides, CT_TO_LEFT, bin);
    if (split->cut > column->first[bin]) sides[bin] = CT_TO_CODE;
    if (missing_left) sides[CT_BIN_MISSING] = CT_TO_LEFT;
    return test;
}

/* Rows left out, as ct_partition_from() does it with items. */
static uint32_t partition_out(const ct_hist_test *test, uint32_t *rows, uint32_t *spare, uint32_t n)
{
    uint32_t n_left = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = rows[i], left = ct_hist_goes_left(test, row);
        rows[n_left] = row;
        spare[i - n_left] = row;
        n_left += left;
    }
    memcpy(rows + n_left, spare, (n - n_left) * sizeof *rows);
    return n_left;
}

/* Partitions the items of the task: left ones go to its begin, right ones to the partition scratch,
 * which also gets what of each run goes left. */
static void partition_items(ct_hist_scratch *scratch, const ct_hist_task *task,
                            const ct_hist_split *split)
{
    const ct_scan *scan = scratch->grower->scan;
    ct_item *from = scratch->rows.items + task->begin, *left = from,
            *right = scratch->partition.items;
    if (split->codes) {
        CT_ASSERT(split->cut + (uint32_t) split->missing_left > 0);
        ct_hist_own_test own = {
            .codes = split->codes,
            .weights = split->weights,
            .raise = split->raise,
            .most = (uint16_t) (split->cut + (uint32_t) split->missing_left - 1)};
        scan->partition_own(&own, from, task->runs, task->n_runs, left, right,
                            scratch->partition.left_runs);
        return;
    }
    ct_hist_test test = test_of(scratch, task, split);
    for (uint32_t k = 0; k < task->n_runs; k++) {
        ct_hist_run run = task->runs[k], *left_runs = &scratch->partition.left_runs[k];
        left_runs->n = scan->part(&test, from, run.n, left, right, &left_runs->weight);
        from += run.n;
        left += left_runs->n;
        right += run.n - left_runs->n;
    }
}

void ct_hist_partition(ct_hist_scratch *scratch, const ct_hist_task *task,
                       const ct_hist_split *split, ct_hist_task *left, ct_hist_task *right)
{
    ct_task_is_sound(scratch->grower, task);
    ct_split_is_sound(scratch->grower, split);
    ct_runs to_left = {left->runs, 0, 0, 0}, to_right = {right->runs, 0, 0, 0};
    partition_items(scratch, task, split);
    for (uint32_t k = 0; k < task->n_runs; k++) {
        const ct_hist_run run = task->runs[k], left_runs = scratch->partition.left_runs[k];
        ct_add_run(&to_left, run.class_, left_runs.n, left_runs.weight);
        ct_add_run(&to_right, run.class_, run.n - left_runs.n, run.weight - left_runs.weight);
    }
    ct_put_runs(&to_left, left);
    ct_put_runs(&to_right, right);
    memcpy(scratch->rows.items + task->begin + left->n, scratch->partition.items,
           right->n * sizeof *scratch->rows.items);
    left->begin = task->begin;
    right->begin = task->begin + left->n;
    /* where the split was found with other rows a side may be empty */
    if (left->n) ct_task_is_sound(scratch->grower, left);
    if (right->n) ct_task_is_sound(scratch->grower, right);
}

void ct_forest_partition_out(ct_hist_scratch *scratch, const ct_hist_task *task,
                             const ct_hist_split *split, ct_hist_task *left, ct_hist_task *right)
{
    CT_ASSERT(split->column < scratch->grower->n_cols && task->n_out > 0);
    const ct_hist_test test = test_of(scratch, task, split);
    left->n_out = partition_out(&test, scratch->rows.out + task->out, scratch->left_out.spare,
                                task->n_out);
    right->out = task->out + left->n_out;
    right->n_out = task->n_out - left->n_out;
}
