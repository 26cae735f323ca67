#include "exact/run/history.h"

#include "base/clock.h"
#include "base/status.h"

/* Seconds between two looks, and their least share of the time gone by. */
static const double STEP = 0.1, SHARE = 0.005;

void ct_history_add(ct_history *history, ct_exact_progress *moment)
{
    const ct_exact_progress *last = history->n ? &history->moments[history->n - 1] : NULL;
    if (last && last->upper < moment->upper) moment->upper = last->upper;
    if (last && last->lower > moment->lower) moment->lower = last->lower;
    if (history->n == CT_HISTORY_ROOM) {
        history->n = 0;
        for (uint32_t i = 0; i < CT_HISTORY_ROOM; i += 2)
            history->moments[history->n++] = history->moments[i];
    }
    CT_ASSERT(history->n < CT_HISTORY_ROOM && moment->lower <= moment->upper);
    CT_ASSERT(moment->closed >= 0 && moment->closed <= 1);
    history->moments[history->n++] = *moment;
}

void ct_history_look(ct_history *history, ct_exact_progress *moment)
{
    *moment = history->before;
    if (history->look) history->look(history->search, moment);
    moment->seconds = ct_seconds() - history->start;
    ct_history_add(history, moment);
}

void ct_history_before(ct_history *history, double upper, double lower)
{
    ct_exact_progress moment;
    history->before = (ct_exact_progress){0, upper, lower, 0};
    ct_history_look(history, &moment);
}

void ct_history_poll(ct_history *history, double now)
{
    if (now < history->next) return;
    double step = SHARE * (now - history->start);
    history->next = now + (step > STEP ? step : STEP);
    ct_exact_progress moment;
    if (history->lock) ct_lock_take(history->lock);
    ct_history_look(history, &moment);
    if (history->lock) ct_lock_leave(history->lock);
    if (history->options->report) history->options->report(history->options->report_data, &moment);
}
