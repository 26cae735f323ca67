#include "base/optimised.h"
#include "base/unguarded.h"

#include "forest/nodes.h"

#include <math.h>
#include <string.h>

#include "base/hd.h"
#include "base/memory.h"

/* ---- leaves ---- */

int ct_enlarge(void *place, size_t bytes, size_t more)
{
    void *old, *memory = ct_alloc(bytes + more);
    if (!memory) return 0;
    memcpy(&old, place, sizeof old);
    if (bytes) memcpy(memory, old, bytes);
    ct_free(old);
    memcpy(place, &memory, sizeof memory);
    return 1;
}

int ct_more_nodes(ct_desk *desk)
{
    uint32_t room = desk->room_nodes ? 2 * desk->room_nodes : 1024;
    if (!ct_enlarge(&desk->nodes, desk->n_nodes * sizeof *desk->nodes,
                    (room - desk->n_nodes) * sizeof *desk->nodes))
        return 0;
    desk->room_nodes = room;
    return 1;
}

static int room_for_leaf(ct_desk *desk)
{
    if (desk->n_leaves < desk->room_leaves) return 1;
    size_t width = ct_runs_of(desk->grower), n = desk->n_leaves, room = n ? 2 * n : 256,
           more = room - n;
    if (!ct_enlarge(&desk->leaf_counts, n * width * sizeof *desk->leaf_counts,
                    more * width * sizeof *desk->leaf_counts) ||
        (!desk->grower->n_classes &&
         !ct_enlarge(&desk->means, n * sizeof *desk->means, more * sizeof *desk->means)))
        return 0;
    desk->room_leaves = (uint32_t) room;
    return 1;
}

static double mean_of(const ct_desk *desk, const ct_task *task)
{
    const ct_view *view = ct_view_of(desk, task);
    double sum = 0;
    for (uint32_t i = task->begin; i < task->begin + task->n; i++)
        sum += ct_hd_product(desk->grower->data->numbers[ct_table_row(view, desk->items[i].row)],
                             desk->items[i].weight);
    return sum / task->weight;
}

int ct_make_leaf(ct_desk *desk, const ct_task *task, const ct_run *runs)
{
    ct_hist_node *node = &desk->nodes[task->node];
    const ct_view *view = ct_view_of(desk, task);
    uint32_t width = ct_runs_of(desk->grower);
    for (uint32_t i = task->out; i < task->out + task->n_out; i++) {
        desk->out_row[desk->n_settled] = ct_table_row(view, desk->out[i]);
        desk->out_leaf[desk->n_settled++] = task->node;
    }
    node->feature = CT_HIST_LEAF;
    node->cut = 0;
    if (task->depth > desk->depth) desk->depth = task->depth;
    if (desk->grower->n_classes && task->n_runs == 1 && task->weight < CT_HIST_PURE_WEIGHT) {
        node->next = runs[0].class_ + CT_HIST_CLASSES * task->weight;
        return 1;
    }
    if (!room_for_leaf(desk)) return 0;
    uint32_t *counts = desk->leaf_counts + (size_t) desk->n_leaves * width;
    memset(counts, 0, width * sizeof *counts);
    for (uint32_t k = 0; k < task->n_runs; k++) counts[runs[k].class_] = runs[k].weight;
    if (!desk->grower->n_classes) desk->means[desk->n_leaves] = mean_of(desk, task);
    node->next = desk->n_leaves++ | (desk->grower->n_classes ? CT_HIST_MIXED : 0);
    return 1;
}

/* Wide: numbers that differ may be equal as whole ones. */
static int equal_numbers(const ct_desk *desk, const ct_view *view, const ct_item *items, uint32_t n)
{
    const double *numbers = desk->grower->data->numbers,
                 first = numbers[ct_table_row(view, items[0].row)];
    uint32_t i = 1;
    while (i < n && numbers[ct_table_row(view, items[i].row)] == first) i++;
    return i == n;
}

int ct_all_equal(const ct_desk *desk, const ct_task *task)
{
    const ct_view *view = ct_view_of(desk, task);
    const ct_item *items = desk->items + task->begin;
    uint32_t i = 1;
    if (desk->grower->is_wide) return equal_numbers(desk, view, items, task->n);
    while (i < task->n && view->whole[items[i].row] == view->whole[items[0].row]) i++;
    return i == task->n;
}

/* ---- gains ---- */

static double sum_of(const ct_desk *desk, const ct_task *task)
{
    const int32_t *whole = ct_view_of(desk, task)->whole;
    double sum = 0;
    for (uint32_t i = task->begin; i < task->begin + task->n; i++)
        sum += (double) whole[desk->items[i].row] * desk->items[i].weight;
    return sum;
}

double ct_purity(const ct_desk *desk, const ct_task *task, const ct_run *runs)
{
    double squares = 0;
    if (!desk->grower->n_classes) {
        const double sum = sum_of(desk, task);
        return sum * sum / task->weight;
    }
    for (uint32_t k = 0; k < task->n_runs; k++)
        squares += (double) runs[k].weight * runs[k].weight;
    return squares / task->weight;
}

void ct_note_gain(ct_desk *desk, const ct_task *task, const ct_side *left, const ct_side *right,
                  uint32_t column)
{
    left->task->purity = ct_purity(desk, left->task, left->runs);
    right->task->purity = ct_purity(desk, right->task, right->runs);
    double gain = left->task->purity + right->task->purity - task->purity;
    const ct_words *words = &desk->grower->gain_words;
    if (words->n == 1) desk->gains[column] += ct_rounded(gain * desk->grower->gain_scale);
    else ct_words_add(words, desk->gains + (size_t) column * words->n,
                      ldexp(gain, 2 * task->exponent));
}
