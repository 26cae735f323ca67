#include "forest/search.h"

#include <math.h>
#include <string.h>

static double worst(void) { return -1; } /* no score is negative */

/* ---- candidates ---- */

enum { POOL_PATH = 3, CUTS_PATH = 4 };

uint32_t ct_draw_next(ct_desk *desk, ct_rng *rng, uint32_t n_drawn)
{
    uint32_t *columns = desk->columns, rest = desk->grower->n_cols - n_drawn;
    uint32_t place = n_drawn + ct_rng_below(rng, rest), column = columns[place];
    columns[place] = columns[n_drawn];
    columns[n_drawn] = column;
    desk->places[n_drawn] = place;
    return column;
}

void ct_put_back(ct_desk *desk, uint32_t n_drawn)
{
    uint32_t *columns = desk->columns;
    while (n_drawn > 0) {
        uint32_t i = --n_drawn, column = columns[i];
        columns[i] = columns[desk->places[i]];
        columns[desk->places[i]] = column;
    }
}

ct_rng ct_pool_rng(const ct_grower *grower, uint32_t tree, uint32_t depth)
{
    return ct_rng_of(grower->options->seed, tree, ct_rng_path(POOL_PATH, depth));
}

uint32_t ct_draw_column(ct_search *s) { return ct_draw_next(s->desk, &s->rng, s->n_drawn++); }

/* ---- scores of other rules, in plain C ---- */

/* Larger is better: the errors of the best label spared, or minus the entropy, in both sides. */
static double side_score(const ct_search *s, const uint32_t *counts, uint32_t size)
{
    double sum = 0, logs;
    if (s->grower->options->rule == CT_SPLIT_ERROR) {
        for (uint32_t k = 0; k < s->task->n_runs; k++) sum = counts[k] > sum ? counts[k] : sum;
        return sum;
    }
    for (uint32_t k = 0; k < s->task->n_runs; k++) {
        logs = counts[k] > 1 ? counts[k] * log(counts[k]) : 0;
        sum += logs;
    }
    logs = size > 1 ? size * log(size) : 0;
    return sum - logs;
}

double ct_plain_score(const ct_search *s, const uint32_t *left, uint32_t size)
{
    uint32_t right[CT_HIST_CLASSES];
    for (uint32_t k = 0; k < s->task->n_runs; k++) right[k] = s->desk->now[k].weight - left[k];
    double score = side_score(s, left, size) + side_score(s, right, s->task->weight - size);
    return s->grower->options->rule == CT_SPLIT_ENTROPY ? score + s->task->weight * 6.0 : score;
}

/* ---- cuts at random ---- */

/* Codes of a candidate that rows of the node have, from the lowest to the highest. 0 if they have
 * one, or none. */
static int code_range(const ct_search *s, uint32_t column, uint32_t *low, uint32_t *high,
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

static double score_of_cut(const ct_search *s, uint32_t column, uint32_t cut, int missing_left)
{
    uint64_t size = 0, squares = 0, others = 0, weight = s->task->weight;
    double sum = 0;
    const ct_item *item = s->items;
    for (uint32_t k = 0; k < s->task->n_runs; k++) {
        uint64_t left = 0;
        for (const ct_item *end = item + s->desk->now[k].n; item < end; item++) {
            uint16_t code = ct_view_code(s->view, column, item->row);
            if ((uint16_t) (code + missing_left) >= cut + (uint32_t) missing_left) continue;
            left += item->weight;
            if (!s->grower->n_classes) sum += (double) s->view->whole[item->row] * item->weight;
        }
        uint64_t right = s->desk->now[k].weight - left;
        size += left;
        squares += left * left;
        others += right * right;
    }
    double rest = s->sum - sum, a = (double) size, b = (double) (weight - size);
    if (!s->grower->n_classes) return (sum * sum) / a + (rest * rest) / b;
    return (double) squares / a + (double) others / b;
}

static void search_random(ct_search *s)
{
    while (s->n_drawn < s->grower->options->mtry) {
        uint32_t column = ct_draw_column(s), low, high;
        int missing;
        if (!code_range(s, column, &low, &high, &missing)) continue;
        uint32_t cut = low + 1 + ct_rng_below(&s->cuts, high - low);
        for (int left = 0; left <= missing; left++) {
            double score = score_of_cut(s, column, cut, left);
            if (!(score > s->score)) continue;
            s->score = score;
            *s->split = (ct_split){column, cut, left, missing};
        }
    }
}

int ct_find_split(ct_desk *desk, const ct_view *view, const ct_task *task, uint32_t tree,
                  ct_split *split)
{
    const ct_grower *grower = desk->grower;
    const ct_hist_options *options = grower->options;
    ct_search s = {desk,
                   grower,
                   view,
                   task,
                   desk->items + task->begin,
                   options->pool_by_level ? ct_pool_rng(grower, tree, task->depth)
                                          : ct_rng_of(options->seed, tree, task->path),
                   ct_rng_of(options->seed, tree, ct_rng_path(task->path, CUTS_PATH)),
                   0,
                   worst(),
                   split,
                   0};
    for (uint32_t i = 0; !grower->n_classes && i < task->n; i++)
        s.sum += (double) view->whole[s.items[i].row] * s.items[i].weight;
    if (options->rule == CT_SPLIT_RANDOM) search_random(&s);
    else if (task->n <= CT_SMALL_ROWS && task->weight <= CT_SMALL_WEIGHT) ct_search_small(&s);
    else ct_search_bins(&s);
    ct_put_back(desk, s.n_drawn);
    return s.score > worst();
}
