#include "base/optimised.h"
#include "base/unguarded.h"

#include "forest/split/search.h"

#include <string.h>

#include "forest/sample/paths.h"
#include "forest/split/conditions.h"

static double worst(void) { return -1; } /* no score is negative */

/* ---- cuts at random ---- */

/* Codes of a candidate that rows of the node have, from the lowest to the highest. 0 if they have
 * one, or none. */
static int code_range(const ct_hist_search *s, uint32_t column, uint32_t *low, uint32_t *high,
                      int *missing)
{
    *low = CT_CODE_MISSING, *high = 0, *missing = 0;
    for (uint32_t i = 0; i < s->task->n; i++) {
        uint32_t code = ct_view_code(s->view, column, s->items[i].row);
        if (code == CT_CODE_MISSING) {
            *missing = 1;
            continue;
        }
        if (code < *low) *low = code;
        if (code > *high) *high = code;
    }
    return *low < *high;
}

static double score_of_cut(const ct_hist_search *s, uint32_t column, uint32_t cut, int missing_left)
{
    uint64_t size = 0, squares = 0, others = 0, weight = s->task->weight;
    double sum = 0, exposure = 0, second = 0; /* what is left of the second of two classes */
    const ct_item *item = s->items;
    for (uint32_t k = 0; k < s->task->n_runs; k++) {
        uint64_t left = 0;
        for (const ct_item *end = item + s->runs[k].n; item < end; item++) {
            uint16_t code = ct_view_code(s->view, column, item->row);
            if ((uint16_t) (code + missing_left) >= cut + (uint32_t) missing_left) continue;
            left += item->weight;
            if (!s->grower->n_classes) sum += (double) s->view->quantised[item->row] * item->weight;
            if (s->view->exposure)
                exposure += (double) s->view->exposure[item->row] * item->weight;
        }
        uint64_t right = s->runs[k].weight - left;
        size += left;
        second = (double) left;
        squares += left * left;
        others += right * right;
    }
    double rest, a = s->view->exposure ? exposure : (double) size,
           b = s->view->exposure ? s->amount - exposure : (double) (weight - size);
    if (s->grower->data->monotone && s->grower->n_classes) sum = second;
    if (ct_is_scarce(s->grower, (uint32_t) size, (uint32_t) weight) ||
        ct_breaks_order(s, column, sum, (uint32_t) size))
        return worst();
    rest = s->sum - sum;
    if (!s->grower->n_classes) return (sum * sum) / a + (rest * rest) / b;
    return (double) squares / a + (double) others / b;
}

static void search_random(ct_hist_search *s)
{
    while (s->n_drawn < s->grower->options->mtry) {
        uint32_t column = ct_forest_draw_column(s), low, high;
        int missing;
        if (ct_has_sets(s, column)) {
            ct_forest_search_set(s, column);
            continue;
        }
        if (!code_range(s, column, &low, &high, &missing)) continue;
        uint32_t cut = low + 1 + ct_rng_below(&s->cuts, high - low);
        for (int left = 0; left <= missing; left++) {
            double score = score_of_cut(s, column, cut, left);
            if (!(score > s->score)) continue;
            s->score = score;
            *s->split = (ct_hist_split){.column = column, .cut = cut, .missing_left = left,
                                        .knows_missing = missing};
        }
    }
}

/* What the node's rows have, of numbers. */
static void sum_node(ct_hist_search *s)
{
    s->sum = 0;
    s->amount = s->view->exposure ? 0 : s->task->weight;
    if (s->grower->data->monotone && s->grower->n_classes) s->sum = s->runs[1].weight;
    for (uint32_t i = 0; !s->grower->n_classes && i < s->task->n; i++)
        s->sum += (double) s->view->quantised[s->items[i].row] * s->items[i].weight;
    for (uint32_t i = 0; s->view->exposure && i < s->task->n; i++)
        s->amount += (double) s->view->exposure[s->items[i].row] * s->items[i].weight;
}

int ct_forest_find_split(const ct_grower *grower, ct_split_memory *memory,
                         const ct_split_node *node, ct_hist_split *split)
{
    ct_task_is_sound(grower, node->task);
    const ct_hist_options *options = grower->options;
    const ct_hist_task *task = node->task;
    const int at_random = grower->criterion->at_random;
    ct_hist_search s;
    s.grower = grower;
    s.memory = memory;
    s.view = node->view;
    s.task = task;
    s.items = node->items;
    s.runs = task->runs;
    s.rng = options->pool_by_level ? ct_forest_pool_rng(grower, node->tree, task->depth)
                                   : ct_rng_of(options->seed, node->tree, task->path);
    if (at_random)
        s.cuts = ct_rng_of(options->seed, node->tree, ct_rng_path(task->path, CT_CUTS_PATH));
    s.n_drawn = 0;
    s.score = worst();
    s.split = split;
    s.half = 0;
    sum_node(&s);
    if (at_random) search_random(&s);
    else if (task->n <= CT_SMALL_ROWS && task->weight <= CT_SMALL_WEIGHT)
        ct_forest_search_small(&s);
    else ct_forest_search_bins(&s);
    ct_forest_put_back(memory, s.n_drawn);
    return s.score > worst();
}
