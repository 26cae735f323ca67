/* Which workers search a row set: one worker, the team that it starts, and workers that are idle
 * elsewhere. */
#ifndef CT_EXACT_SEARCH_EVALUATORS_H
#define CT_EXACT_SEARCH_EVALUATORS_H

#include "exact/search/roots.h"

struct ct_scheduler;

/* How work at a row set is given to a device; in ct_exact_search, NULL: it is not. Asked by
 * workers that
 * have a queue. */
typedef struct ct_offload {
    /* A depth-two problem by itself: whether it is for the device; all of it, but for what a lost
     * device leaves open. */
    int (*wants_row_set)(const ct_evaluator *evaluator);
    void (*search)(ct_evaluator *evaluator);
    /* The depth-two problems below one row set, many at a time: whether they are for the device;
     * their scheduler, NULL if it cannot be had; one batch of it, with the team's lock where there
     * is a team. See offload/scheduler.h. */
    int (*wants_problems)(const ct_evaluator *evaluator);
    struct ct_scheduler *(*begin)(ct_evaluator *evaluator);
    int (*step)(struct ct_scheduler *scheduler, int admit);
} ct_offload;

/* Searches all root features. Leaves the root bounds of all features in roots->known.root_bounds.
 * The tree is that of the upper bound if this is below the cap; else the upper bound is the leaf's
 * and the tree only a hint for similar row sets. */
ct_bounds ct_evaluators_search(ct_roots *roots, ct_worker *worker);

#endif
