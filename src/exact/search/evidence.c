#include "exact/search/evidence.h"
#include "exact/rows/ranks.h"

void ct_evidence_write(ct_worker *worker, uint64_t number)
{
    CT_ASSERT(worker->evidence != NULL);
    ct_bytes_put(worker->evidence, number);
    if (worker->evidence->lost) ct_worker_stop(worker, CT_END_MEMORY);
}

void ct_evidence_write_candidate(ct_worker *worker, const ct_layout *layout, uint32_t f, uint32_t t,
                                 int by_counts)
{
    CT_ASSERT(f < layout->n_cols && t > 0);
    ct_evidence_write(worker, 2 * ((uint64_t) f + 1) + (by_counts != 0));
    ct_evidence_write(worker, ct_layout_to_global(layout, f, t));
}
