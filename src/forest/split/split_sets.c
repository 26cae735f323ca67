/* Splits of columns whose codes are levels without an order: which levels go left. */
#include <string.h>

#include "base/bits.h"
#include "forest/split/many.h"

/* What a node has of each level, then of missing values. */
typedef struct {
    uint32_t *weights[CT_HIST_SET_LEVELS + 1]; /* of runs */
    double sums[CT_HIST_SET_LEVELS + 1]; /* numbers */
    double amounts[CT_HIST_SET_LEVELS + 1]; /* of them: weights, or exposures */
    uint32_t n_rows[CT_HIST_SET_LEVELS + 1];
    uint32_t present; /* bit of a level that rows have */
} level_counts;

static uint32_t level_of(const ct_hist_search *s, uint32_t column, uint32_t row)
{
    uint32_t code = s->view->bins ? s->view->bins[column * s->view->bin_stride + row]
                                  : ct_view_code(s->view, column, row);
    return code < CT_HIST_SET_LEVELS ? code : CT_HIST_SET_LEVELS;
}

static void count_levels(const ct_hist_search *s, uint32_t column, level_counts *l)
{
    const ct_item *item = s->items;
    for (uint32_t i = 0; i <= CT_HIST_SET_LEVELS; i++) {
        memset(l->weights[i], 0, s->task->n_runs * sizeof *l->weights[i]);
        l->sums[i] = l->amounts[i] = 0;
        l->n_rows[i] = 0;
    }
    for (uint32_t k = 0; k < s->task->n_runs; k++)
        for (const ct_item *end = item + s->runs[k].n; item < end; item++) {
            uint32_t level = level_of(s, column, item->row);
            l->weights[level][k] += item->weight;
            l->n_rows[level]++;
            if (s->grower->n_classes) continue;
            l->sums[level] += (double) s->view->quantised[item->row] * item->weight;
            l->amounts[level] += (s->view->exposure ? (double) s->view->exposure[item->row] : 1) *
                                 item->weight;
        }
    l->present = 0;
    for (uint32_t i = 0; i < CT_HIST_SET_LEVELS; i++)
        l->present |= (uint32_t) (l->n_rows[i] > 0) << i;
}

/* The score where the levels of `left` go left, as scan.h has it but in doubles; below 0 if a side
 * is empty. */
static double score_of(const ct_hist_search *s, const level_counts *l, uint32_t column,
                       uint32_t left)
{
    const uint32_t n_runs = s->task->n_runs, weight = s->task->weight;
    uint32_t on_stack[CT_HIST_CLASSES], *sides = ct_has_many_runs(s) ? s->memory->sides : on_stack;
    uint64_t size = 0, squares = 0, others = 0;
    double sum = 0, amount = 0;
    memset(sides, 0, n_runs * sizeof *sides);
    for (uint32_t i = 0; i <= CT_HIST_SET_LEVELS; i++) {
        if (!(left >> i & 1)) continue;
        for (uint32_t k = 0; k < n_runs; k++) sides[k] += l->weights[i][k];
        sum += l->sums[i];
        amount += l->amounts[i];
    }
    for (uint32_t k = 0; k < n_runs; k++) {
        uint64_t a = sides[k], b = s->runs[k].weight - a;
        size += a;
        squares += a * a;
        others += b * b;
    }
    if (!size || size == weight || ct_is_scarce(s->grower, (uint32_t) size, weight) ||
        ct_breaks_order(s, column, s->grower->n_classes ? sides[1] : sum, (uint32_t) size))
        return -1;
    if (s->grower->criterion->side) return ct_forest_plain_score(s, sides, (uint32_t) size);
    double a = (double) size, b = (double) (weight - size), rest = s->sum - sum;
    if (!s->grower->n_classes)
        return (sum * sum) / amount + (rest * rest) / (s->amount - amount);
    if (n_runs == 2 && weight <= CT_MIDDLE_WEIGHT && !s->grower->criterion->at_random) {
        double off = (double) sides[0] * s->runs[1].weight -
                     (double) sides[1] * s->runs[0].weight;
        return off * off / (a * b);
    }
    return (double) squares / a + (double) others / b;
}

static void take_set(ct_hist_search *s, const level_counts *l, uint32_t column, uint32_t left)
{
    double score = score_of(s, l, column, left);
    if (!(score > s->score)) return;
    s->score = score;
    *s->split = (ct_hist_split){.column = column,
                                .cut = left & CT_HIST_SET_ALL,
                                .missing_left = (int) (left >> CT_HIST_SET_LEVELS),
                                .knows_missing = l->n_rows[CT_HIST_SET_LEVELS] > 0,
                                .is_set = 1,
                                .absent = ~l->present & CT_HIST_SET_ALL};
}

void ct_forest_search_set(ct_hist_search *s, uint32_t column)
{
    CT_ASSERT(column < s->grower->n_cols && s->grower->codes->columns[column].is_set);
    level_counts l;
    uint32_t on_stack[(CT_HIST_SET_LEVELS + 1) * CT_HIST_CLASSES],
        *of_levels = ct_has_many_runs(s) ? s->memory->of_levels : on_stack;
    for (uint32_t i = 0; i <= CT_HIST_SET_LEVELS; i++)
        l.weights[i] = of_levels + (size_t) i * s->task->n_runs;
    count_levels(s, column, &l);
    const uint32_t top = l.present & (l.present - 1); /* without the lowest, which stays right */
    const uint32_t missing = l.n_rows[CT_HIST_SET_LEVELS] ? UINT32_C(1) << CT_HIST_SET_LEVELS : 0;
    uint32_t drawn = 0;
    if (s->grower->criterion->at_random) {
        uint32_t bits = ct_popcount(top);
        if (!bits) return;
        drawn = 1 + ct_rng_below(&s->cuts, (UINT32_C(1) << bits) - 1);
    }
    /* the subsets of `top` in rising order */
    for (uint32_t left = 0, i = 0;; i++) {
        if (!drawn || i == drawn)
            for (uint32_t side = 0; side <= missing; side += UINT32_C(1) << CT_HIST_SET_LEVELS)
                take_set(s, &l, column, left | side);
        if (left == top) return;
        left = (left - top) & top;
    }
}
