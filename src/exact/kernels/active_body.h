/* Which classes a scan has to count: see scan_job and ct_children.
 *
 * A split labels its two leaves with two classes, and is wrong on all rows of the others. So class c can be one of them
 * in a split with fewer than `need` errors only if T_c + (the largest other) > size - need. The classes that can, in a
 * wanted side, are counted; what the others can do at best (`dropped`) bounds every answer from above, since it is no
 * longer known to be a bound of theirs. */

/* The rows of the two largest classes of either side. */
static void find_largest(scan_job *job)
{
    for (int side = 0; side < 2; side++) {
        const uint32_t *totals = job->totals[side];
        uint32_t first = 0, second = 0;
        for (uint32_t c = 0; c < job->all->rows->n_classes; c++) {
            uint32_t rows = totals[c], lower = rows < first ? rows : first;
            if (rows > first) first = rows;
            if (lower > second) second = lower;
        }
        job->largest[side][0] = first;
        job->largest[side][1] = second;
    }
}

/* 1 if class c is counted; otherwise the errors it cannot stay below are noted in job->dropped. */
static int is_active(scan_job *job, uint32_t c)
{
    int64_t reach[2];
    int wanted = 0;
    for (int side = 0; side < 2; side++) {
        uint32_t rows = job->totals[side][c], other = job->largest[side][rows == job->largest[side][0]];
        reach[side] = (int64_t) job->size[side] - rows - other;
        wanted |= reach[side] < job->need[side];
    }
    for (int side = 0; side < 2 && !wanted; side++)
        if (reach[side] < job->dropped[side]) job->dropped[side] = reach[side];
    return wanted;
}

static void choose_active(scan_job *job)
{
    uint32_t n_classes = job->all->rows->n_classes;
    int every = n_classes == 2 || job->all->count_all;
    job->dropped[0] = job->dropped[1] = INT64_MAX;
    job->n_active = 0;
    for (uint32_t c = 0; c < n_classes; c++)
        if (every || is_active(job, c)) job->all->active[job->n_active++] = c;
}
