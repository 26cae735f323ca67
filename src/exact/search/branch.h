/* The evaluation of a root split above depth two: two smaller problems, one after the other
 * (solve.h). */
#ifndef CT_EXACT_SEARCH_BRANCH_H
#define CT_EXACT_SEARCH_BRANCH_H

#include "exact/search/roots.h"

/* Makes root splits above depth two what `roots` evaluates, as ct_depth2_init does at depth two. */
ct_status ct_branch_init(ct_roots *roots, ct_worker *worker);

/* ---- the evaluation of a candidate m in steps, for scheduler.c ---- */

/* evaluator->extra above depth two: what is asked of both sides of the threshold under evaluation.
 */
typedef struct {
    ct_exact_task task[2];
    ct_path path[2];
    int64_t *root_bounds[2]; /* [f] what the neighbours have proven */
    uint32_t around[2];      /* [side] thresholds of the outer sets, see outer.h */
} ct_branching;

/* Sets up both tasks, of candidate m between a and b; 0 if class counts and neighbours have closed
 * m, which is then filled in and allows no better tree. evaluator->target, evaluator->seen and the
 * totals are in place. */
int ct_branch_begin(ct_evaluator *evaluator, uint32_t f, const ct_candidate *a,
                    const ct_candidate *b, ct_candidate *m);
/* 0 if one side needs no search: *bounds are its answer. Else it is to be solved as its task says,
 * its root bounds and tree into m's, and the answer made known. */
int ct_branch_ask(ct_evaluator *evaluator, ct_candidate *m, int side, ct_bounds *bounds);
/* Lays the side out and solves it, here and now. */
ct_bounds ct_branch_solve(ct_evaluator *evaluator, uint32_t f, ct_candidate *m, int side);
void ct_branch_answer(ct_evaluator *evaluator, ct_candidate *m, int side, ct_bounds *bounds);
/* What ct_roots.evaluate does and returns, once both sides are known. */
int64_t ct_branch_end(ct_evaluator *evaluator, ct_candidate *m, const ct_bounds bounds[2]);

#endif
