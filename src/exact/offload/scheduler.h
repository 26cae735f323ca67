/* Many depth-two problems on a device at a time: those below one row set of depth three.
 *
 * One such problem alone has too few thresholds open to fill a device. So several thresholds of
 * depth three are under evaluation at once, in intervals of all root features, and the sides of
 * each are depth-two problems that are open at the same time. Each sends a slice of candidates
 * (batches.h) as candidates of its part of the row set, which the device has laid out once; the
 * slices of all of them make one batch. Two halves of the scheduler take turns: while one's batch
 * is under way, the CPU takes in the other's, ends problems, follows the best tree of the row set
 * with their caps, begins others and gathers the next.
 *
 * Intervals, candidates, the team's lock are used as by the search one by one; several evaluators
 * search then that belong to one worker. More thresholds of depth three are evaluated than need be,
 * since each is begun without the answers of those under way; optimum, proof and tree are the same.
 */
#ifndef CT_EXACT_OFFLOAD_SCHEDULER_H
#define CT_EXACT_OFFLOAD_SCHEDULER_H

#include "exact/search/roots.h"

typedef struct ct_scheduler ct_scheduler;

/* Whether the row set is for it. The worker has a queue. */
int ct_scheduler_wanted(const ct_evaluator *evaluator);
/* The worker's scheduler, empty, for this search alone; NULL if it cannot be had. No lock is held.
 */
ct_scheduler *ct_scheduler_begin(ct_evaluator *evaluator);
/* Goes one batch on; admit: and begins further thresholds. 0 once it is empty and nothing was there
 * to begin with. If the device is lost, the CPU has then ended what was in it. With the team's lock
 * where there is a team. */
int ct_scheduler_step(ct_scheduler *scheduler, int admit);
void ct_scheduler_free(ct_scheduler *scheduler); /* takes NULL */

#endif
