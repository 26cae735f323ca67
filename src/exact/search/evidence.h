/* A record of a proof, written during the search: which thresholds were evaluated, in this order.
 *
 *     row set    =  candidate... 0
 *     candidate  =  kind threshold side side
 *     side       =  0 if it was not searched, or 1 and the row set
 *
 * The kind is 2 (f + 1) for a threshold of feature f, in the table's ranks; one more if the class
 * counts and the neighbouring candidates closed it, without a look at its sides. Sides are left out
 * then and at depth two. No bounds are written: src/certify finds them again. It knows the facts of
 * interval.h and the class counts; the bound cache and root features must be off, the search alone
 * and without a tree to begin with. */
#ifndef CT_EXACT_SEARCH_EVIDENCE_H
#define CT_EXACT_SEARCH_EVIDENCE_H

#include "exact/rows/layout.h"

/* Threshold t of a node in `layout`. */
void ct_evidence_write_candidate(ct_worker *worker, const ct_layout *layout, uint32_t f, uint32_t t,
                                 int by_counts);
void ct_evidence_write(ct_worker *worker, uint64_t number);

static inline void ct_evidence_candidate(ct_worker *worker, const ct_layout *layout, uint32_t f,
                                         uint32_t t, int by_counts)
{
    if (worker->evidence) ct_evidence_write_candidate(worker, layout, f, t, by_counts);
}

/* Around what is written of the row set of a side; an end alone is for a side that was not
 * searched. */
static inline void ct_evidence_begin(ct_worker *worker)
{
    if (worker->evidence) ct_evidence_write(worker, 1);
}

static inline void ct_evidence_end(ct_worker *worker)
{
    if (worker->evidence) ct_evidence_write(worker, 0);
}

#endif
