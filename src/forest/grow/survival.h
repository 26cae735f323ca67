/* Survival forests: nodes are split by their log-rank scores.
 *
 * Rows are in order of time, those with an event at it before those censored at it, and nodes keep
 * this order. The score of a row is its event (1 or 0) less the Nelson-Aalen hazard of the node at
 * its time; the sum of the scores of a side of a cut is the numerator of the log-rank test between
 * the sides (events less expected events), and S^2 / L + T^2 / R, by which numbers are split, is in
 * proportion to the statistic with the variance of permutations (Hothorn, Lausen: On the exact
 * distribution of maximally selected rank statistics, 2003). So scores are whole numbers of the
 * node's own, in units of 2^-19, from hazards in units of 2^-40; all else is as with numbers. */
#ifndef CT_FOREST_GROW_SURVIVAL_H
#define CT_FOREST_GROW_SURVIVAL_H

#include "forest/grow/scratch.h"

enum { CT_SCORE_BITS = 19 };

/* Whether a row of the task has an event. */
int ct_forest_has_events(const ct_hist_scratch *scratch, const ct_hist_task *task);

/* Makes scores of the task's whole numbers. Returns whether they differ. */
int ct_forest_score_survival(ct_hist_scratch *scratch, const ct_hist_task *task);

/* The cumulative hazard of the task's rows, in the mean of all event times. */
double ct_forest_mortality(const ct_hist_scratch *scratch, const ct_hist_task *task);

#endif
