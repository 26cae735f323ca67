/* Where labels are classes and right on their own rows alone, or all are counted: see active_body.h. */

CT_INLINE void FN(know_labels)(scan_job *job)
{
    if (job->all->rows->n_classes > 2) find_largest(job);
}

CT_INLINE void FN(choose)(scan_job *job) { choose_active(job); }
