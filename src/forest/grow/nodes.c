#include "base/optimised.h"
#include "base/unguarded.h"

#include "forest/grow/nodes.h"

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

int ct_more_nodes(ct_hist_scratch *scratch)
{
    uint32_t room = scratch->room_nodes ? 2 * scratch->room_nodes : 1024;
    if (!ct_enlarge(&scratch->nodes, scratch->n_nodes * sizeof *scratch->nodes,
                    (room - scratch->n_nodes) * sizeof *scratch->nodes))
        return 0;
    scratch->room_nodes = room;
    return 1;
}

static int room_for_leaf(ct_hist_scratch *scratch)
{
    if (scratch->n_leaves < scratch->room_leaves) return 1;
    size_t width = ct_runs_of(scratch->grower), n = scratch->n_leaves, room = n ? 2 * n : 256,
           more = room - n;
    if (!ct_enlarge(&scratch->leaf_counts, n * width * sizeof *scratch->leaf_counts,
                    more * width * sizeof *scratch->leaf_counts) ||
        (!scratch->grower->n_classes &&
         !ct_enlarge(&scratch->means, n * sizeof *scratch->means, more * sizeof *scratch->means)))
        return 0;
    scratch->room_leaves = (uint32_t) room;
    return 1;
}

static double mean_of(const ct_hist_scratch *scratch, const ct_hist_task *task)
{
    const ct_view *view = ct_view_of(scratch, task);
    double sum = 0;
    for (uint32_t i = task->begin; i < task->begin + task->n; i++)
        sum += ct_hd_product(scratch->grower->data->numbers[ct_table_row(view,
                                                                         scratch->items[i].row)],
                             scratch->items[i].weight);
    return sum / task->weight;
}

int ct_make_leaf(ct_hist_scratch *scratch, const ct_hist_task *task, const ct_hist_run *runs)
{
    ct_hist_node *node = &scratch->nodes[task->node];
    const ct_view *view = ct_view_of(scratch, task);
    uint32_t width = ct_runs_of(scratch->grower);
    for (uint32_t i = task->out; i < task->out + task->n_out; i++) {
        scratch->out_row[scratch->n_out] = ct_table_row(view, scratch->out[i]);
        scratch->out_leaf[scratch->n_out++] = task->node;
    }
    node->feature = CT_HIST_LEAF;
    node->cut = 0;
    if (task->depth > scratch->depth) scratch->depth = task->depth;
    if (scratch->grower->n_classes && task->n_runs == 1 && task->weight < CT_HIST_PURE_WEIGHT) {
        node->next = runs[0].class_ + CT_HIST_CLASSES * task->weight;
        return 1;
    }
    if (!room_for_leaf(scratch)) return 0;
    uint32_t *counts = scratch->leaf_counts + (size_t) scratch->n_leaves * width;
    memset(counts, 0, width * sizeof *counts);
    for (uint32_t k = 0; k < task->n_runs; k++) counts[runs[k].class_] = runs[k].weight;
    if (!scratch->grower->n_classes) scratch->means[scratch->n_leaves] = mean_of(scratch, task);
    node->next = scratch->n_leaves++ | (scratch->grower->n_classes ? CT_HIST_MIXED : 0);
    return 1;
}

/* Wide: numbers that differ may be equal as whole ones. */
static int equal_numbers(const ct_hist_scratch *scratch, const ct_view *view, const ct_item *items,
                         uint32_t n)
{
    const double *numbers = scratch->grower->data->numbers,
                 first = numbers[ct_table_row(view, items[0].row)];
    uint32_t i = 1;
    while (i < n && numbers[ct_table_row(view, items[i].row)] == first) i++;
    return i == n;
}

int ct_all_equal(const ct_hist_scratch *scratch, const ct_hist_task *task)
{
    const ct_view *view = ct_view_of(scratch, task);
    const ct_item *items = scratch->items + task->begin;
    uint32_t i = 1;
    if (scratch->grower->is_wide) return equal_numbers(scratch, view, items, task->n);
    while (i < task->n && view->whole[items[i].row] == view->whole[items[0].row]) i++;
    return i == task->n;
}

/* ---- gains ---- */

static double sum_of(const ct_hist_scratch *scratch, const ct_hist_task *task)
{
    const int32_t *whole = ct_view_of(scratch, task)->whole;
    double sum = 0;
    for (uint32_t i = task->begin; i < task->begin + task->n; i++)
        sum += (double) whole[scratch->items[i].row] * scratch->items[i].weight;
    return sum;
}

double ct_purity(const ct_hist_scratch *scratch, const ct_hist_task *task, const ct_hist_run *runs)
{
    double squares = 0;
    if (!scratch->grower->n_classes) {
        const double sum = sum_of(scratch, task);
        return sum * sum / task->weight;
    }
    for (uint32_t k = 0; k < task->n_runs; k++)
        squares += (double) runs[k].weight * runs[k].weight;
    return squares / task->weight;
}

void ct_note_gain(ct_hist_scratch *scratch, const ct_hist_task *task, const ct_side *left,
                  const ct_side *right, uint32_t column)
{
    left->task->purity = ct_purity(scratch, left->task, left->runs);
    right->task->purity = ct_purity(scratch, right->task, right->runs);
    double gain = left->task->purity + right->task->purity - task->purity;
    const ct_words *words = &scratch->grower->gain_words;
    if (words->n == 1) scratch->gains[column] += ct_rounded(gain * scratch->grower->gain_scale);
    else ct_words_add(words, scratch->gains + (size_t) column * words->n,
                      ldexp(gain, 2 * task->exponent));
}
