/* What forests call of R while they grow: reports, questions whether to end, and a learner that is
 * a function of R. */
#ifndef CT_R_GROWTH_H
#define CT_R_GROWTH_H

#include "base/learner.h"
#include "r/callbacks.h"

typedef struct {
    r_callbacks guard;
    SEXP learner; /* that checked_learner() of R has made, borrowed; R_NilValue: none */
} r_growth;

/* Callbacks of growth; `calls` is an r_growth. */
void r_growth_report(void *calls, uint32_t trees, double seconds);
int r_growth_stop(void *calls);
int r_growth_learn(void *calls, const ct_learner_round *round, ct_learner_answer *answers);

#endif
