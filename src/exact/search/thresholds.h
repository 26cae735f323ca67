/* The thresholds of a root feature: which are still open, which is evaluated next, and what follows
 * from its evaluation. An interval of them is closed by bounds, or split at a candidate, whose
 * evaluation leaves two smaller ones.
 *
 * These are the steps of the search over root splits (roots.h): one worker takes them one after the
 * other; on a device many candidates are under way at a time. All but ct_thresholds_count_sides()
 * hold the team's lock where there is a team. */
#ifndef CT_EXACT_SEARCH_THRESHOLDS_H
#define CT_EXACT_SEARCH_THRESHOLDS_H

#include "exact/search/roots.h"

/* Costs of trees with this root that need not be told apart. */
int64_t ct_thresholds_target(const ct_roots *roots, uint32_t feature, uint32_t t);
/* What is proven of all trees with that root feature before the search. */
int64_t ct_thresholds_known(const ct_worker *worker, const ct_roots *roots, uint32_t feature);

/* The cap follows the best tree that others have found; or it falls by a known amount. */
void ct_thresholds_refresh(const ct_worker *worker, ct_roots *roots);
void ct_thresholds_lower_cap(const ct_worker *worker, ct_roots *roots, int64_t by);

/* 1 if the interval needs no further look; its bound is then noted. Else evaluator->target is that
 * of its thresholds. */
int ct_thresholds_close(ct_evaluator *evaluator, uint32_t feature, const ct_interval *i);
/* Shrinks the interval to the thresholds that can beat the target; 1 if some are left. */
int ct_thresholds_window(ct_evaluator *evaluator, uint32_t feature, const ct_interval *i,
                         uint32_t *first, uint32_t *last);

/* Takes the next interval off its stack, of feature *f; NULL if none is open but those that are put
 * off. */
ct_interval *ct_thresholds_take(ct_evaluator *evaluator, uint32_t *f);
/* Closes an interval that came off its stack, or splits it at a new candidate. If memory ends, a
 * stop is asked for. */
void ct_thresholds_work_on(ct_evaluator *evaluator, uint32_t feature, ct_interval *i);

/* ct_thresholds_work_on() in parts. A candidate to evaluate, or NULL if the interval is closed (or
 * memory ended, and a stop was asked for); evaluator->target and evaluator->seen are then set. */
ct_candidate *ct_thresholds_begin(ct_evaluator *evaluator, uint32_t feature, ct_interval *i);
/* Evaluates it, without the team's lock, and opens both parts of the interval; not if that is
 * closed by now. */
void ct_thresholds_evaluate_late(ct_evaluator *evaluator, uint32_t feature, const ct_interval *i,
                                 ct_candidate *m);
/* The totals of both sides of m, and how many rows lie to its left. */
void ct_thresholds_count_sides(ct_evaluator *evaluator, uint32_t feature, ct_candidate *m);
/* Takes in what its evaluation has found and returned, and opens both parts of the interval; or
 * takes in that alone. */
void ct_thresholds_end(ct_evaluator *evaluator, uint32_t feature, const ct_interval *i,
                       ct_candidate *m, int64_t upper);
void ct_thresholds_settle(ct_evaluator *evaluator, uint32_t feature, ct_candidate *m,
                          int64_t upper);

/* Evaluates the root of the best tree afresh, at which the task of evaluator->roots may be another,
 * and counts what it costs if that is not known exactly. 1 if the tree was found again. Holding the
 * team's lock. */
int ct_thresholds_best_again(ct_evaluator *evaluator, ct_roots *roots);

#endif
