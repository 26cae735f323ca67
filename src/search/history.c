#include "search/history.h"

#include "core/clock.h"
#include "search/roots.h"

/* Seconds between two looks, and their least share of the time gone by. */
static const double STEP = 0.1, SHARE = 0.005;

void ct_history_add(ct_history *history, const ct_progress *moment)
{
    if (history->n == CT_HISTORY_ROOM) {
        history->n = 0;
        for (uint32_t i = 0; i < CT_HISTORY_ROOM; i += 2) history->moments[history->n++] = history->moments[i];
    }
    history->moments[history->n++] = *moment;
}

void ct_history_look(ct_history *history, ct_progress *moment)
{
    ct_roots_progress(history->top, moment);
    moment->seconds = ct_seconds() - history->start;
    ct_history_add(history, moment);
}

void ct_history_poll(ct_history *history, double now)
{
    if (!history->top || now < history->next) return;
    double step = SHARE * (now - history->start);
    history->next = now + (step > STEP ? step : STEP);
    ct_progress moment;
    ct_crew_lock(history->top->crew);
    ct_history_look(history, &moment);
    ct_crew_unlock(history->top->crew);
    if (history->options->report) history->options->report(history->options->report_data, &moment);
}
