/* Part of the template children.h for a response: one threshold of the root feature against all
 * child features, by scans of many at once where many can gain. See response/abreast.h. */

#ifndef CT_KIND
#define CT_LANE 16
#define CT_KIND response
#include "exact/kernels/response/response.h"
#include "exact/kernels/children.h"
#endif

/* Scans that cost as much as one of all children of a block. Measured, see
 * bench/notes/regression.md. */
enum { SINGLE_SCANS = 4 };

/* Aims the job at child g, for one side. */
CT_INLINE void aim_at_side(scan_job *job, uint32_t g, int side)
{
    int64_t need[2] = {0, 0};
    need[side] = job->all->need[side];
    set_needs_response(job, need);
    aim_response(job, g);
    job->windowed = job->narrowed = job->listed = 0;
    job->noted = 0;
}

/* Makes *error, a lower bound of the cost of the child that the job is aimed at, exact; *allowed:
 * the same over splits that keep to leaf sizes. rows NULL: to be listed. */
static void look_closer(scan_job *job, int side, const listed *s, side_rows *rows, float most,
                        int64_t *error, int64_t *allowed)
{
    side_rows listed_now;
    if (job->all->outer_rows) {
        *error = within_response(job, side, 0, 1);
    } else if (most >= 0) {
        if (!rows) list_side(job, side, &listed_now);
        int64_t best = best_of_side(s, rows ? rows : &listed_now, most);
        CT_ASSERT(best >= *error && best < INT64_MAX);
        *error = best;
    }
    *allowed = allowed_error_response(job, side, 0, *error);
}

/* A lower bound of what a split costs, of the largest quotient. */
static int64_t bound_of(const listed *s, float most)
{
    return most < 0 ? cost_of_leaf(s) : cost_of_quotient(s, most);
}

/* One child, in the sides that can gain from it. */
static void scan_alone(ct_children *c, scan_job *job, uint32_t g, int sides)
{
    for (int side = 0; side < 2; side++) {
        if (side == 0 ? sides == RIGHT : sides == LEFT) continue;
        const listed *s = &job->of_sides[side];
        side_rows rows;
        aim_at_side(job, g, side);
        list_side(job, side, &rows);
        float most = most_of_side(s, &rows);
        int64_t error = bound_of(s, most), allowed = error;
        if (error < job->need[side] || c->refine_all)
            look_closer(job, side, s, &rows, most, &error, &allowed);
        take_response(c, g, side, surely(c, side, error), surely(c, side, allowed));
    }
    c->scans++;
}

/* Takes in the largest quotients of one side of a block's children, those of the least bounds
 * first: with the need that they leave few of the others are looked at closely. Of children as good
 * any may be taken. */
static void take_block(ct_children *c, scan_job *job, size_t block, int side,
                       const float most[CT_BESIDE])
{
    const listed *s = &job->of_sides[side];
    uint32_t first = (uint32_t) block * CT_BESIDE, n = c->rows->n_cols - first, rest;
    int64_t error[CT_BESIDE], allowed;
    if (n > CT_BESIDE) n = CT_BESIDE;
    for (uint32_t i = 0; i < n; i++) error[i] = bound_of(s, most[i]);
    for (rest = (UINT32_C(1) << n) - 1; rest;) {
        uint32_t best = ct_trailing_zeros(rest);
        for (uint32_t others = rest & (rest - 1); others; others &= others - 1)
            if (error[ct_trailing_zeros(others)] < error[best]) best = ct_trailing_zeros(others);
        if (error[best] >= own_cost_response(job, side, c->need[side]) && !c->refine_all) break;
        rest &= ~(UINT32_C(1) << best);
        aim_at_side(job, first + best, side);
        look_closer(job, side, s, NULL, most[best], &error[best], &allowed);
        take_response(c, first + best, side, surely(c, side, error[best]),
                      surely(c, side, allowed));
    }
    for (; rest; rest &= rest - 1) {
        uint32_t i = ct_trailing_zeros(rest);
        error[i] = surely(c, side, error[i]);
        take_response(c, first + i, side, error[i], error[i]);
    }
}

/* Children of a block that some side can gain from. */
static uint32_t n_wanted(const ct_children *c, size_t block)
{
    uint32_t n = 0;
    for (size_t g = block * CT_BESIDE; g < (block + 1) * CT_BESIDE && g < c->rows->n_cols; g++)
        n += wanted_sides(c, (uint32_t) g) != NONE;
    return n;
}

static void children_abreast(ct_children *c)
{
    scan_job job;
    begin_response(c, &job);
    mark_cuts(c);
    const listed s[2] = {side_by_quotients(&job, 0), side_by_quotients(&job, 1)};
    job.of_sides = s;
    for (size_t block = 0; !c->in_order && block < blocks_of(c->rows); block++) {
        uint32_t n = n_wanted(c, block);
        float most[2][CT_BESIDE];
        if (n <= SINGLE_SCANS) continue;
        scan_block(c, block, s, most);
        for (int side = 0; side < 2; side++) take_block(c, &job, block, side, most[side]);
        c->scans += n;
        job.scanned += n * c->rows->words;
    }
    each_response(c, &job, scan_alone);
}
