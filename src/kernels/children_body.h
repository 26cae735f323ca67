/* One root threshold against every child feature: see ct_children.
 *
 * A scan of one child: pass 1 counts each class in each block, sums the counts up along the order of g, and takes from
 * the sums at a block's two ends an upper bound of the rows that any split inside the block gets right ("score"). A
 * side whose best block bound leaves at least `need` errors is done: that is its lower bound. Pass 2 looks at scores
 * that are known exactly (at block ends where the value of g changes), then into those blocks whose bound still exceeds
 * the best score, in order. Blocks within which the value of g never changes hold no split and are passed over. */

/* Likewise over the splits that keep to min_rows, where `error` is the answer over all of them. */
static int64_t FN(refine_allowed)(scan_job *job, int side, int derived, int64_t error)
{
    const uint64_t *ties = job->ties;
    if (job->all->min_rows[side] <= 1 || (error >= job->need[side] && !job->all->refine_all)) return error;
    confine(job, side);
    job->confined |= 1U << side;
    int64_t allowed = FN(refine)(job, side, derived);
    job->ties = ties;
    return allowed;
}

/* Scans the child that `job` points at for the sides with a need above 0. */
static void FN(scan)(scan_job *job, int64_t error[2], int64_t allowed[2])
{
    int sides = job->need[0] <= 0 ? RIGHT : job->need[1] <= 0 ? LEFT : BOTH;
    FN(first_pass)(job, sides, error);
    for (int side = 0; side < 2; side++) {
        if (job->need[side] <= 0) continue;
        int derived = side && sides == BOTH;
        if (error[side] < job->need[side] || job->all->refine_all) error[side] = FN(refine)(job, side, derived);
        allowed[side] = FN(refine_allowed)(job, side, derived, error[side]);
        if (error[side] >= job->need[side] && error[side] > job->dropped[side]) error[side] = job->dropped[side];
        if (allowed[side] >= job->need[side] && allowed[side] > job->dropped[side]) allowed[side] = job->dropped[side];
    }
}

/* Points the job at child g for the sides that can still gain from it, with needs in its own numbers. */
static void FN(aim)(scan_job *job, uint32_t g, const int64_t need[2])
{
    const ct_children *c = job->all;
    const ct_rows *rows = c->rows;
    size_t set = (size_t) g * rows->n_classes * rows->words;
    job->planes = c->planes + (size_t) g * c->threshold.end * rows->words;
    job->sets = rows->sets + set;
    job->lanes = rows->lanes + set;
    job->ties = rows->ties + g * rows->words;
    job->weights = rows->weights ? rows->weights + (size_t) g * rows->words * 64 : NULL;
    job->coarse_planes = rows->coarse_planes ? rows->coarse_planes + g * (rows->coarse->n_planes * rows->words) : NULL;
    job->coarse_bytes = rows->coarse_bytes ? rows->coarse_bytes + (size_t) g * rows->words * 64 : NULL;
    job->begin = rows->begin[g];
    job->end = rows->end[g];
    job->scanned += job->end - job->begin;
    if (need[0] == job->need[0] && need[1] == job->need[1]) return;
    job->need[0] = need[0];
    job->need[1] = need[1];
    if (rows->n_classes > 2) choose_active(job);
}

/* Scans child g for the sides that can still gain from it. */
static void FN(child)(ct_children *c, scan_job *job, uint32_t g)
{
    int64_t need[2], own[2], error[2], allowed[2];
    for (int side = 0; side < 2; side++) {
        need[side] = c->errors[side][g] < c->need[side] || c->scan_all ? c->need[side] : 0;
        own[side] = FN(own)(job, need[side]);
    }
    FN(aim)(job, g, own);
    for (int side = 0; side < 2; side++) error[side] = allowed[side] = job->dropped[side];
    if (job->n_active > 1) FN(scan)(job, error, allowed);
    FN(settle)(job, need, error, allowed);
    for (int side = 0; side < 2; side++) {
        if (need[side] <= 0) continue;
        c->done[g] = (uint8_t) (c->done[g] | SCANNED << side);
        if (allowed[side] < need[side]) {
            c->need[side] = allowed[side];
            c->best[side] = (int32_t) g;
        }
        c->errors[side][g] = ct_larger64(c->errors[side][g], error[side]);
        if (allowed[side] < c->least_allowed[side]) c->least_allowed[side] = allowed[side];
    }
    c->scans++;
}

static void FN(children)(ct_children *c)
{
    scan_job job;
    job.all = c;
    job.words = c->rows->words;
    job.need[0] = job.need[1] = -1;
    job.refined = 0;
    job.scanned = 0;
    FN(begin)(&job);
    if (c->rows->n_classes > 2) find_largest(&job);
    choose_active(&job);
    bound_children(c);
    for (int i = 0; i < 4; i++) {
        uint32_t g = (uint32_t) c->first[i];
        if (c->first[i] >= 0 && !c->done[g] && can_gain(c, g)) FN(child)(c, &job, g);
    }
    for (uint32_t g = 0; g < c->rows->n_cols; g++) {
        if (c->done[g]) continue;
        if (can_gain(c, g)) FN(child)(c, &job, g);
        else c->skipped++;
    }
    sum_up(c);
    c->refined += job.refined;
    c->blocks += job.scanned * (64 / CT_LANE);
    c->dropped_classes += c->rows->n_classes - job.n_active;
}
