/* A template, see lane.h: one threshold of the root feature against every child feature. See
 * ct_children.
 *
 * A scan of one child: pass 1 counts each class in each block, sums the counts up along the order
 * of the child, and takes from the sums at a block's two ends an upper bound of what any split
 * inside the block spares ("score"). A side whose best block bound leaves at least `need` errors is
 * done: that is its lower bound. Pass 2 looks at scores that are known exactly (at block ends where
 * the value of the child changes), then into those blocks whose bound still exceeds the best score,
 * in order. Blocks within which the value never changes hold no split and are passed over.
 *
 * Of a kind this asks for
 *
 *   start(job)          what all scans of the threshold share
 *   choose(job)         which labels can be in a split below job->need: n_active, active[], dropped
 *   aim_costs(job, g)   before the scan of child g: the costs of its rows
 *   own_cost(job, side, cost)  a cost of a side in the numbers that the scan counts in, rounded up
 *   first_pass(job, sides, error)     lower bounds of the wanted sides' errors
 *   second_pass(job, side, derived)   the least errors if below the need, else a lower bound that
 *                       is not below it
 *   in_full(job, need, error, allowed)  the answers to a scan, from its own numbers to costs */

#ifndef CT_KIND
#include "exact/kernels/classes.h" /* this file among its parts */
#else

/* Pass 2 over the splits within a window: see keep_window(). */
static int64_t FN(within)(scan_job *job, int side, int derived, int outer)
{
    const uint64_t *ties = job->ties;
    keep_window(job, side, outer);
    job->narrowed |= 1U << side;
    int64_t error = FN(second_pass)(job, side, derived);
    job->ties = ties;
    return error;
}

/* The answer over the splits that keep to min_rows, where `error` is that over all of them. */
CT_INLINE int64_t FN(allowed_error)(scan_job *job, int side, int derived, int64_t error)
{
    const ct_children *c = job->all;
    if (c->min_rows[side] <= 1 || (error >= job->need[side] && !c->refine_all)) return error;
    job->windowed |= 1U << side;
    return FN(within)(job, side, derived, 0);
}

/* Pass 2 for one side, if pass 1 leaves a chance to stay below its need: over all splits or those
 * that leave enough rows of the outer set, then over those that keep to min_rows. */
CT_INLINE void FN(look_into)(scan_job *job, int side, int derived, int64_t *error,
                             int64_t *allowed)
{
    const ct_children *c = job->all;
    int64_t need = job->need[side], dropped = job->dropped[side];
    if (*error < need || c->refine_all)
        *error = c->outer_rows ? FN(within)(job, side, derived, 1)
                               : FN(second_pass)(job, side, derived);
    *allowed = FN(allowed_error)(job, side, derived, *error);
    if (*error >= need && *error > dropped) *error = dropped;
    if (*allowed >= need && *allowed > dropped) *allowed = dropped;
}

/* Points the job at child g. */
CT_INLINE void FN(aim)(scan_job *job, uint32_t g)
{
    const ct_children *c = job->all;
    const ct_rows *rows = c->rows;
    size_t set = (size_t) g * rows->n_classes * rows->words;
    job->planes = c->planes + (size_t) g * c->threshold.end * rows->words;
    job->sets = rows->sets + set;
    job->lanes = rows->lanes + set;
    job->ties = rows->ties + g * rows->words;
    job->begin = rows->begin[g];
    job->end = rows->end[g];
    job->scanned += job->end - job->begin;
    FN(aim_costs)(job, g);
}

/* What the sides need, in the scan's own numbers. */
CT_INLINE void FN(set_needs)(scan_job *job, const int64_t need[2])
{
    int64_t left = FN(own_cost)(job, 0, need[0]), right = FN(own_cost)(job, 1, need[1]);
    if (left == job->need[0] && right == job->need[1]) return;
    job->need[0] = left;
    job->need[1] = right;
    if (job->all->rows->n_classes > 2) FN(choose)(job);
}

/* Takes in what was found of one side of child g. */
CT_INLINE void FN(take)(ct_children *c, uint32_t g, int side, int64_t error, int64_t allowed)
{
    c->done[g] = (uint8_t) (c->done[g] | SCANNED << side);
    if (allowed < c->need[side]) {
        c->need[side] = allowed;
        c->best[side] = (int32_t) g;
    }
    c->errors[side][g] = ct_larger64(c->errors[side][g], error);
    allowed = ct_larger64(allowed, c->errors[side][g]); /* the neighbours may know more */
    if (allowed < c->least_allowed[side]) c->least_allowed[side] = allowed;
}

/* The answers of child g for the sides that can still gain from it. */
CT_INLINE void FN(scan)(const ct_children *c, scan_job *job, uint32_t g, int sides,
                        int64_t error[2], int64_t allowed[2])
{
    int64_t need[2] = {sides == RIGHT ? 0 : c->need[0], sides == LEFT ? 0 : c->need[1]};
    FN(set_needs)(job, need);
    FN(aim)(job, g);
    for (int side = 0; side < 2; side++) error[side] = allowed[side] = job->dropped[side];
    if (job->n_active > 1) {
        FN(first_pass)(job, sides, error);
        if (sides != RIGHT) FN(look_into)(job, 0, 0, &error[0], &allowed[0]);
        if (sides != LEFT) FN(look_into)(job, 1, sides == BOTH, &error[1], &allowed[1]);
    }
    FN(in_full)(job, need, error, allowed);
}

static void FN(child)(ct_children *c, scan_job *job, uint32_t g, int sides)
{
    int64_t error[2], allowed[2];
    FN(scan)(c, job, g, sides, error, allowed);
    if (sides != RIGHT) FN(take)(c, g, 0, error[0], allowed[0]);
    if (sides != LEFT) FN(take)(c, g, 1, error[1], allowed[1]);
    c->scans++;
}

/* Before any scan. */
CT_INLINE void FN(begin)(ct_children *c, scan_job *job)
{
    job->all = c;
    c->best[0] = c->best[1] = -1;
    c->least_allowed[0] = c->least_allowed[1] = INT64_MAX;
    job->words = c->rows->words;
    job->need[0] = job->need[1] = -1;
    job->refined = 0;
    job->scanned = 0;
    FN(start)(job);
    FN(choose)(job);
    bound(c);
}

/* Scans children one by one, those that are not done, and sums up. */
CT_INLINE void FN(each)(ct_children *c, scan_job *job,
                        void (*scan)(ct_children *, scan_job *, uint32_t, int))
{
    int sides;
    for (int i = 0; i < 4; i++) {
        uint32_t g = (uint32_t) c->first[i];
        if (c->first[i] < 0 || c->done[g]) continue;
        if ((sides = wanted_sides(c, g)) != NONE) scan(c, job, g, sides);
    }
    for (uint32_t g = 0; g < c->rows->n_cols; g++) {
        if (c->done[g]) continue;
        if ((sides = wanted_sides(c, g)) != NONE) scan(c, job, g, sides);
        else c->skipped++;
    }
    sum_up(c);
    c->refined += job->refined;
    c->blocks += job->scanned * (64 / CT_LANE);
    if (!c->rows->response) c->dropped_classes += c->rows->n_classes - job->n_active;
}

static void FN(children)(ct_children *c)
{
    scan_job job;
    FN(begin)(c, &job);
    FN(each)(c, &job, FN(child));
}
#endif
