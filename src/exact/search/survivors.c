#include "base/compact.h"

#include "exact/search/survivors.h"

#include "base/memory.h"

static int grow(ct_survivors *survivors)
{
    const uint32_t more = survivors->n ? survivors->n : 64;
    const size_t size = sizeof *survivors->of;
    if (!ct_enlarge(&survivors->of, survivors->n * size, more * size)) return 0;
    survivors->room += more;
    return 1;
}

/* What was evaluated as the search was stopped may not be known to the end. */
void ct_survivors_look(const ct_evaluator *evaluator, uint32_t feature, const ct_candidate *m,
                       int64_t upper)
{
    ct_roots *roots = evaluator->roots;
    ct_survivors *survivors = roots->survivors;
    int64_t total = ct_candidate_total(evaluator->worker, m);
    if (ct_is_halted(evaluator->worker)) {
        ct_survivors_leave(survivors, total);
        return;
    }
    if (upper >= roots->known.best) return;
    if (survivors->n == survivors->room && !grow(survivors)) {
        ct_survivors_leave(survivors, total);
        ct_worker_stop(evaluator->worker, CT_END_MEMORY);
        return;
    }
    survivors->of[survivors->n++] = (ct_survivor){feature, m->threshold, m->n_left,
                                                  {evaluator->upper[0], evaluator->upper[1]}};
}
