/* Depth-two problems: the root split is searched by intervals, and one root threshold is evaluated
 * by scanning every child feature that can still matter, both sides at once (kernels.h). Nearly all
 * the time of a search is spent here. */
#ifndef CT_EXACT_SEARCH_DEPTH2_H
#define CT_EXACT_SEARCH_DEPTH2_H

#include "exact/search/roots.h"

/* Makes *roots a search of depth two, after ct_roots_init. */
ct_status ct_depth2_init(ct_roots *roots, ct_worker *worker);

/* The evaluation of candidate m between a and b in two halves, around scans that a device makes. */
typedef struct {
    int64_t leaf[2], need[2]; /* of each side: see ct_children */
    uint32_t min_rows[2];
    int allowed;
} ct_depth2_question;

/* 0 if m needs no scan: it is then filled in, and allows no better tree. evaluator->target and the
 * totals are in place. */
int ct_depth2_ask(ct_evaluator *evaluator, const ct_candidate *a, const ct_candidate *b,
                  ct_candidate *m, ct_depth2_question *question);

/* Takes in the errors, laid out as by ct_offload_wait for one candidate; does and returns what
 * ct_roots.evaluate does. */
int64_t ct_depth2_answer(ct_evaluator *evaluator, ct_candidate *m,
                         const ct_depth2_question *question, const int32_t *errors);

#endif
