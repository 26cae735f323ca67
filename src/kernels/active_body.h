/* Which classes a scan has to count: see scan_job and ct_children.
 *
 * A split labels its two leaves with two classes, and is wrong on all rows of the others. So class c can be one of them
 * in a split with fewer than `need` errors only if T_c + (the largest other) > size - need. The classes that can, in a
 * wanted side, are counted; what the others can do at best (`dropped`) bounds every answer from above, since it is no
 * longer known to be a bound of theirs. */

/* Rows of the largest class other than c. */
static uint32_t largest_other(const uint32_t *totals, uint32_t n_classes, uint32_t c)
{
    uint32_t largest = 0;
    for (uint32_t i = 0; i < n_classes; i++)
        if (i != c && totals[i] > largest) largest = totals[i];
    return largest;
}

/* 1 if class c is counted; otherwise the errors it cannot stay below are noted in job->dropped. */
static int is_active(scan_job *job, uint32_t c)
{
    const ct_children *all = job->all;
    int64_t reach[2];
    int wanted = all->count_all;
    for (int side = 0; side < 2; side++) {
        reach[side] = (int64_t) all->size[side] - all->totals[side][c] -
                      largest_other(all->totals[side], all->rows->n_classes, c);
        wanted |= reach[side] < job->need[side];
    }
    for (int side = 0; side < 2 && !wanted; side++)
        if (reach[side] < job->dropped[side]) job->dropped[side] = (int32_t) reach[side];
    return wanted;
}

static void choose_active(scan_job *job)
{
    uint32_t n_classes = job->all->rows->n_classes;
    job->dropped[0] = job->dropped[1] = INT32_MAX;
    job->n_active = 0;
    for (uint32_t c = 0; c < n_classes; c++)
        if (n_classes == 2 || is_active(job, c)) job->all->active[job->n_active++] = c;
}
