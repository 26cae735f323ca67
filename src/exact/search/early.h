/* Lower bounds before a search has any.
 *
 * The search of a table knows a lower bound once each root feature has a candidate, which may take
 * long. That no tree costs less than a share of the best one is proven much sooner: by the same
 * search under a cap, which closes most intervals at once. Half of the optimum takes a twentieth of
 * the time, a quarter a hundredth. So where a search has worked for a while and knows clearly less
 * than such a share, one worker leaves it and proves that share, then twice as much, and so on up
 * to half, or to three quarters where a limit of time may end the search. How long it may do so is
 * counted in work. */
#ifndef CT_EXACT_SEARCH_EARLY_H
#define CT_EXACT_SEARCH_EARLY_H

#include "exact/search/roots.h"

/* State of early bounds in the search of the whole table, for worker 0. */
typedef struct ct_early {
    ct_roots *roots;
    /* ct_solve(), which is above this */
    ct_bounds (*solve)(ct_worker *worker, ct_team *team, const ct_node *node,
                       const ct_exact_task *task, int64_t *root_bounds, ct_split_code *tree);
    double at;        /* after how much work to look */
    double begun;     /* work before the search */
    double spent;     /* ... on these bounds */
    double expected;  /* ... that the next step takes */
    unsigned step;
} ct_early;

/* Makes it the worker's, where bounds may be looked for; roots and solve are set, all else is 0. */
void ct_early_begin(ct_early *early, ct_worker *worker);

/* solve(worker, data) by so much work and no more; alone, as nobody else knows when to give up.
 * Returns whether that was enough. */
int ct_early_aside(ct_worker *worker, double work, void (*solve)(ct_worker *, void *), void *data);

/* Not in the middle of a problem of depth two, which may keep something in its layout. */
static inline int ct_early_is_due(const ct_evaluator *evaluator)
{
    const ct_worker *worker = evaluator->worker;
    return worker->early && ct_work_done(worker) >= worker->early->at &&
           evaluator->roots->task->depth > 2;
}

/* Between two steps of a row set, with its team's lock. */
void ct_early_look(const ct_evaluator *evaluator);

#endif
