#include "forest/grow/survival.h"

enum { HAZARD_BITS = 40 };

static const ct_item *items_of(const ct_hist_scratch *scratch, const ct_hist_task *task)
{
    return scratch->rows.items + task->begin;
}

static uint32_t code_of(const ct_hist_scratch *scratch, const ct_view *view, const ct_item *item)
{
    return scratch->grower->data->survival[ct_table_row(view, item->row)];
}

int ct_forest_has_events(const ct_hist_scratch *scratch, const ct_hist_task *task)
{
    CT_ASSERT(scratch->grower->data->survival && task->n > 0);
    const ct_view *view = ct_view_of(scratch, task);
    const ct_item *items = items_of(scratch, task);
    uint32_t i = 0;
    while (i < task->n && ct_survival_censored(code_of(scratch, view, items + i))) i++;
    return i < task->n;
}

/* Rows of one time, from an item on: up to which item, and their weights. */
typedef struct {
    uint32_t end, time, events, weight;
} moment;

static moment moment_from(const ct_hist_scratch *scratch, const ct_hist_task *task, uint32_t begin)
{
    const ct_view *view = ct_view_of(scratch, task);
    const ct_item *items = items_of(scratch, task);
    moment m = {begin, ct_survival_time(code_of(scratch, view, items + begin)), 0, 0};
    for (; m.end < task->n; m.end++) {
        const uint32_t code = code_of(scratch, view, items + m.end);
        if (ct_survival_time(code) != m.time) break;
        m.weight += items[m.end].weight;
        if (!ct_survival_censored(code)) m.events += items[m.end].weight;
    }
    return m;
}

int ct_forest_score_survival(ct_hist_scratch *scratch, const ct_hist_task *task)
{
    const ct_view *view = ct_view_of(scratch, task);
    const ct_item *items = items_of(scratch, task);
    int32_t *quantised = ct_own_quantised(scratch, task->place);
    uint64_t hazard = 0;
    uint32_t at_risk = task->weight;
    int differ = 0;
    for (uint32_t i = 0; i < task->n;) {
        const moment m = moment_from(scratch, task, i);
        if (m.events)
            hazard += (((uint64_t) m.events << HAZARD_BITS) + at_risk / 2) / at_risk;
        at_risk -= m.weight;
        const uint64_t half = UINT64_C(1) << (HAZARD_BITS - CT_SCORE_BITS - 1);
        const int32_t expected = (int32_t) ((hazard + half) >> (HAZARD_BITS - CT_SCORE_BITS));
        for (; i < m.end; i++) {
            const uint32_t code = code_of(scratch, view, items + i);
            quantised[items[i].row] =
                (ct_survival_censored(code) ? 0 : 1 << CT_SCORE_BITS) - expected;
            differ |= quantised[items[i].row] != quantised[items[0].row];
        }
    }
    CT_ASSERT(!at_risk);
    return differ;
}

double ct_forest_mortality(const ct_hist_scratch *scratch, const ct_hist_task *task)
{
    CT_ASSERT(scratch->grower->data->survival && scratch->grower->data->n_times > 0);
    const double n_times = scratch->grower->data->n_times;
    uint32_t at_risk = task->weight;
    double sum = 0;
    for (uint32_t i = 0; i < task->n;) {
        const moment m = moment_from(scratch, task, i);
        /* from this time on */
        if (m.events) sum += (double) m.events / at_risk * ((n_times - m.time + 1) / n_times);
        at_risk -= m.weight;
        i = m.end;
    }
    return sum;
}
