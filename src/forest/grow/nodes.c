#include "base/optimised.h"
#include "base/unguarded.h"

#include "forest/grow/nodes.h"

#include <math.h>
#include <string.h>

#include "base/hd.h"
#include "base/memory.h"
#include "forest/grow/members.h"
#include "forest/grow/survival.h"

/* ---- leaves ---- */

int ct_forest_more_nodes(ct_new_tree *tree)
{
    CT_ASSERT(tree->n_nodes <= tree->room_nodes);
    uint32_t room = tree->room_nodes ? 2 * tree->room_nodes : 1024;
    if (!ct_enlarge(&tree->nodes, tree->n_nodes * sizeof *tree->nodes,
                    (room - tree->n_nodes) * sizeof *tree->nodes))
        return 0;
    tree->room_nodes = room;
    return 1;
}

/* Room for `places` more. */
static int room_for_leaf(ct_hist_scratch *scratch, uint32_t places)
{
    ct_new_tree *tree = &scratch->tree;
    if (places <= tree->room_leaves - tree->n_leaves) return 1;
    const size_t width = ct_forest_leaf_width(scratch->grower->n_classes), n = tree->n_leaves,
                 more = n + places < 256 ? 256 - n : n + places, room = n + more;
    if (!ct_enlarge(&tree->leaf_counts, n * width * sizeof *tree->leaf_counts,
                    more * width * sizeof *tree->leaf_counts) ||
        (!scratch->grower->n_classes &&
         !ct_enlarge(&tree->means, n * sizeof *tree->means, more * sizeof *tree->means)) ||
        (scratch->grower->data->ranks &&
         !ct_enlarge(&tree->ends, n * sizeof *tree->ends, more * sizeof *tree->ends)))
        return 0;
    tree->room_leaves = (uint32_t) room;
    return 1;
}

double ct_forest_rate_of(const ct_hist_scratch *scratch, const ct_hist_task *task, double prior)
{
    CT_ASSERT(scratch->grower->data->exposure && task->n > 0);
    const ct_grower *g = scratch->grower;
    const ct_view *view = ct_view_of(scratch, task);
    const ct_item *items = scratch->rows.items + task->begin;
    double sum = prior, exposure = 0;
    if (sum > 0) exposure = sum / g->rate;
    for (uint32_t i = 0; i < task->n; i++) {
        const uint32_t row = ct_table_row(view, items[i].row);
        sum += ct_hd_product(g->data->numbers[row], items[i].weight);
        exposure += ct_hd_product(g->data->exposure[row], items[i].weight);
    }
    return sum / exposure;
}

static double mean_of(const ct_hist_scratch *scratch, const ct_hist_task *task)
{
    const ct_view *view = ct_view_of(scratch, task);
    const double *numbers = scratch->grower->data->numbers;
    const ct_item *items = scratch->rows.items + task->begin;
    double sum = 0;
    if (scratch->grower->data->survival) return ct_forest_mortality(scratch, task);
    if (scratch->grower->data->exposure)
        return ct_forest_rate_of(scratch, task, scratch->grower->options->prior);
    for (uint32_t i = 0; i < task->n; i++)
        sum += ct_hd_product(numbers[ct_table_row(view, items[i].row)], items[i].weight);
    return sum / task->weight;
}

/* Means of the numbers may be outside of bounds that those of whole numbers keep, by rounding. */
static double within(const ct_grower *g, const ct_hist_task *task, double mean)
{
    if (!g->data->monotone) return mean;
    const double low = g->centre + ct_hd_product(g->unit, task->low),
                 high = g->centre + ct_hd_product(g->unit, task->high);
    return mean < low ? low : mean > high ? high : mean;
}

/* Rows left out have come to their leaf. */
static void arrive(ct_hist_scratch *scratch, const ct_hist_task *task)
{
    const ct_view *view = ct_view_of(scratch, task);
    ct_left_out *out = &scratch->left_out;
    for (uint32_t i = task->out; i < task->out + task->n_out; i++) {
        out->row[out->n] = ct_table_row(view, scratch->rows.out[i]);
        out->leaf[out->n++] = task->node;
    }
}

/* The weights of its classes, in a place that it has. */
static void put_counts(ct_hist_scratch *scratch, const ct_hist_task *task)
{
    const uint32_t n_classes = scratch->grower->n_classes, width = ct_forest_leaf_width(n_classes);
    uint32_t *counts = scratch->tree.leaf_counts + (size_t) scratch->tree.n_leaves * width;
    if (ct_hist_is_many(n_classes)) {
        *counts++ = task->n_runs;
        for (uint32_t k = 0; k < task->n_runs; k++, counts += 2)
            counts[0] = task->runs[k].class_, counts[1] = task->runs[k].weight;
        return;
    }
    memset(counts, 0, width * sizeof *counts);
    for (uint32_t k = 0; k < task->n_runs; k++) counts[task->runs[k].class_] = task->runs[k].weight;
}

int ct_forest_make_leaf(ct_hist_scratch *scratch, const ct_hist_task *task)
{
    CT_ASSERT(task->n > 0 && task->weight >= task->n && task->node < scratch->tree.n_nodes);
    ct_new_tree *tree = &scratch->tree;
    ct_hist_node *node = &tree->nodes[task->node];
    const uint32_t n_classes = scratch->grower->n_classes,
                   places = ct_hist_is_many(n_classes) ? 1 + 2 * task->n_runs : 1;
    if (task->n_out) arrive(scratch, task);
    node->feature = CT_HIST_LEAF;
    node->cut = 0;
    if (task->depth > tree->depth) tree->depth = task->depth;
    if (n_classes && task->n_runs == 1 && task->weight < ct_pure_below(n_classes)) {
        node->next = ct_pure_leaf(task->runs[0].class_, task->weight, n_classes);
        return 1;
    }
    if (!room_for_leaf(scratch, places)) return 0;
    if (scratch->grower->data->ranks && !ct_forest_keep_members(scratch, task)) return 0;
    put_counts(scratch, task);
    if (!n_classes) tree->means[tree->n_leaves] = within(scratch->grower, task,
                                                         mean_of(scratch, task));
    node->next = tree->n_leaves | (n_classes ? CT_HIST_MIXED : 0);
    tree->n_leaves += places;
    return 1;
}

/* In wide forests numbers that differ may be equal when quantised. */
static int equal_numbers(const ct_hist_scratch *scratch, const ct_view *view, const ct_item *items,
                         uint32_t n)
{
    const double *numbers = scratch->grower->data->numbers,
                 first = numbers[ct_table_row(view, items[0].row)];
    uint32_t i = 1;
    while (i < n && numbers[ct_table_row(view, items[i].row)] == first) i++;
    return i == n;
}

static int equal_rates(const ct_hist_scratch *scratch, const ct_view *view, const ct_item *items,
                       uint32_t n)
{
    const ct_hist_data *data = scratch->grower->data;
    double first = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t row = ct_table_row(view, items[i].row);
        const double rate = data->numbers[row] / data->exposure[row];
        if (i && rate != first) return 0;
        first = rate;
    }
    return 1;
}

int ct_forest_all_equal(const ct_hist_scratch *scratch, const ct_hist_task *task)
{
    CT_ASSERT(!scratch->grower->n_classes && task->n > 0);
    const ct_view *view = ct_view_of(scratch, task);
    const ct_item *items = scratch->rows.items + task->begin;
    uint32_t i = 1;
    if (scratch->grower->data->survival) return !ct_forest_has_events(scratch, task);
    if (scratch->grower->exposure) return equal_rates(scratch, view, items, task->n);
    if (scratch->grower->is_wide) return equal_numbers(scratch, view, items, task->n);
    while (i < task->n && view->quantised[items[i].row] == view->quantised[items[0].row]) i++;
    return i == task->n;
}

/* ---- gains ---- */

static double sum_of(const ct_hist_scratch *scratch, const ct_hist_task *task)
{
    const int32_t *quantised = ct_view_of(scratch, task)->quantised;
    double sum = 0;
    for (uint32_t i = task->begin; i < task->begin + task->n; i++)
        sum += (double) quantised[scratch->rows.items[i].row] * scratch->rows.items[i].weight;
    return sum;
}

static double mean_quantised(const ct_hist_scratch *scratch, const ct_hist_task *task)
{
    double sum = 0;
    if (!scratch->grower->n_classes) return sum_of(scratch, task) / task->weight;
    for (uint32_t k = 0; k < task->n_runs; k++)
        sum += task->runs[k].class_ == 1 ? task->runs[k].weight : 0;
    return sum / task->weight;
}

void ct_forest_bound_children(const ct_hist_scratch *scratch, uint32_t column, ct_hist_task *left,
                              ct_hist_task *right)
{
    CT_ASSERT(scratch->grower->data->monotone && column < scratch->grower->n_cols);
    CT_ASSERT(left->n > 0 && right->n > 0);
    const int32_t way = scratch->grower->data->monotone[column];
    if (!way) return;
    const double middle = (mean_quantised(scratch, left) + mean_quantised(scratch, right)) / 2;
    (way > 0 ? left : right)->high = middle;
    (way > 0 ? right : left)->low = middle;
}

static double amount_of(const ct_hist_scratch *scratch, const ct_hist_task *task)
{
    const int32_t *exposure = ct_view_of(scratch, task)->exposure;
    double amount = exposure ? 0 : task->weight;
    for (uint32_t i = task->begin; exposure && i < task->begin + task->n; i++)
        amount += (double) exposure[scratch->rows.items[i].row] * scratch->rows.items[i].weight;
    return amount;
}

double ct_forest_purity(const ct_hist_scratch *scratch, const ct_hist_task *task)
{
    CT_ASSERT(task->n > 0 && task->weight >= task->n);
    double squares = 0;
    if (!scratch->grower->n_classes) {
        const double sum = sum_of(scratch, task);
        return sum * sum / amount_of(scratch, task);
    }
    for (uint32_t k = 0; k < task->n_runs; k++)
        squares += (double) task->runs[k].weight * task->runs[k].weight;
    return squares / task->weight;
}

void ct_forest_note_gain(ct_hist_scratch *scratch, const ct_hist_task *task, ct_hist_task *left,
                         ct_hist_task *right, uint32_t column)
{
    CT_ASSERT(column < scratch->grower->n_cols);
    left->purity = ct_forest_purity(scratch, left);
    right->purity = ct_forest_purity(scratch, right);
    double gain = left->purity + right->purity - task->purity;
    const ct_words *words = &scratch->grower->gain_words;
    int64_t *sum = scratch->tree.gains + (size_t) column * words->n;
    if (words->n == 1) *sum += ct_rounded(gain * scratch->grower->gain_scale);
    else ct_words_add(words, sum, ldexp(gain, 2 * task->exponent));
}
