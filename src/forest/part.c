#include "base/optimised.h"
#include "base/unguarded.h"

#include "forest/part.h"

#include <string.h>

#include "forest/nodes.h"

/* Levels as bins of the task's rows, where the view has none. */
static const uint8_t *bins_of_levels(ct_desk *desk, const ct_view *view, const ct_task *task,
                                     uint32_t column)
{
    uint8_t *bins = desk->level_bins;
    if (view->bins) return view->bins + column * view->bin_stride;
    for (uint32_t i = 0; i < task->n + task->n_out; i++) {
        uint32_t row = i < task->n ? desk->items[task->begin + i].row
                                   : desk->out[task->out + i - task->n];
        bins[row] = (uint8_t) ct_view_code(view, column, row);
    }
    return bins;
}

/* Which levels go left. */
static ct_question set_question(ct_desk *desk, const ct_task *task, const ct_split *split)
{
    const ct_view *view = ct_view_of(desk, task);
    const uint8_t *bins = bins_of_levels(desk, view, task, split->column);
    ct_question q = {NULL, NULL, bins, desk->turns, 0, 0};
    memset(desk->turns, 0, sizeof desk->turns);
    for (uint32_t code = 0; code < CT_SET_LEVELS; code++)
        desk->turns[code] = split->cut >> code & 1 ? CT_TURN_LEFT : 0;
    desk->turns[CT_BIN_MISSING] = split->missing_left ? CT_TURN_LEFT : 0;
    return q;
}

static ct_question question_of(ct_desk *desk, const ct_task *task, const ct_split *split)
{
    const ct_view *view = ct_view_of(desk, task);
    if (split->is_set) return set_question(desk, task, split);
    const ct_code_column *column = &desk->grower->codes->columns[split->column];
    uint32_t missing_left = (uint32_t) split->missing_left;
    ct_question q = {view->codes + split->column * view->code_stride, view->code_rows, NULL,
                     desk->turns, missing_left, split->cut + missing_left};
    if (!view->bins) return q;
    uint32_t bin = split->cut < column->n_codes ? ct_bin_of(column, (uint16_t) split->cut)
                                                : column->n_bins;
    q.bins = view->bins + split->column * view->bin_stride;
    memset(desk->turns, 0, sizeof desk->turns);
    memset(desk->turns, CT_TURN_LEFT, bin);
    if (split->cut > column->first[bin]) desk->turns[bin] = CT_TURN_ASK;
    if (missing_left) desk->turns[CT_BIN_MISSING] = CT_TURN_LEFT;
    return q;
}

/* Rows left out, as ct_part_from() does it with items. */
static uint32_t part_out(const ct_question *q, uint32_t *rows, uint32_t *spare, uint32_t n)
{
    uint32_t n_left = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = rows[i], left = ct_goes_left(q, row);
        rows[n_left] = row;
        spare[i - n_left] = row;
        n_left += left;
    }
    memcpy(rows + n_left, spare, (n - n_left) * sizeof *rows);
    return n_left;
}

/* Items of the task part into those at its begin and spare ones; desk->went has what of each run
 * went left. */
static void part_items(ct_desk *desk, const ct_task *task, const ct_split *split)
{
    const ct_scan *scan = desk->grower->scan;
    ct_item *from = desk->items + task->begin, *left = from, *right = desk->spare_items;
    if (split->codes) {
        CT_ASSERT(split->cut + (uint32_t) split->missing_left > 0);
        int small = task->n <= CT_SMALL_ROWS && task->weight <= CT_SMALL_WEIGHT;
        ct_own_question own = {split->codes, small ? desk->small_weights : NULL, split->raise,
                               (uint16_t) (split->cut + (uint32_t) split->missing_left - 1)};
        scan->part_own(&own, from, desk->now, task->n_runs, left, right, desk->went);
        return;
    }
    ct_question q = question_of(desk, task, split);
    for (uint32_t k = 0; k < task->n_runs; k++) {
        ct_run run = desk->now[k], *went = &desk->went[k];
        went->n = scan->part(&q, from, run.n, left, right, &went->weight);
        from += run.n;
        left += went->n;
        right += run.n - went->n;
    }
}

void ct_part(ct_desk *desk, const ct_task *task, const ct_split *split, ct_task *left,
             ct_task *right)
{
    ct_runs to_left = {desk->left, 0, 0, 0}, to_right = {desk->right, 0, 0, 0};
    part_items(desk, task, split);
    for (uint32_t k = 0; k < task->n_runs; k++) {
        const ct_run run = desk->now[k], went = desk->went[k];
        ct_add_run(&to_left, run.class_, went.n, went.weight);
        ct_add_run(&to_right, run.class_, run.n - went.n, run.weight - went.weight);
    }
    ct_put_runs(&to_left, left);
    ct_put_runs(&to_right, right);
    memcpy(desk->items + task->begin + left->n, desk->spare_items, right->n * sizeof *desk->items);
    left->begin = task->begin;
    right->begin = task->begin + left->n;
}

void ct_part_out(ct_desk *desk, const ct_task *task, const ct_split *split, ct_task *left,
                 ct_task *right)
{
    const ct_question q = question_of(desk, task, split);
    left->n_out = part_out(&q, desk->out + task->out, desk->spare_out, task->n_out);
    right->out = task->out + left->n_out;
    right->n_out = task->n_out - left->n_out;
}
