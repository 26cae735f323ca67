/* Part of the template children.h for a response: one threshold of the root feature against all
 * child features, by scans of many at once where many can gain. See response_abreast.h. */

#ifndef CT_KIND
#define CT_LANE 16
#define CT_KIND response
#include "exact/kernels/response.h"
#include "exact/kernels/children.h"
#endif

/* Scans that cost as much as one of all children of a block. Measured, see bench/NOTES. */
enum { SINGLE_SCANS = 3 };

/* The exact cost of child g in one side, and that of the splits that keep to its leaf sizes, if
 * below the need; `error` is a lower bound. */
static void look_closer(scan_job *job, uint32_t g, int side, const listed *s, double margin,
                        float most, int64_t *error, int64_t *allowed)
{
    int64_t need[2] = {0, 0}, best;
    need[side] = job->all->need[side];
    set_needs_response(job, need);
    aim_response(job, g);
    job->windowed = job->narrowed = job->listed = 0;
    job->noted = 0;
    if (job->all->outer_rows) {
        *error = outer_error_response(job, side, 0);
    } else if (most >= 0) {
        best = best_beside(job, side, s, most, margin);
        CT_ASSERT(best >= *error && best < INT64_MAX);
        *error = best;
    }
    *allowed = allowed_error_response(job, side, 0, *error);
}

/* Takes in the largest quotients of one side of a block's children, those of the least bounds
 * first: with the need that they leave few of the others are looked at closely. */
static void take_block(ct_children *c, scan_job *job, size_t block, int side, const listed *s,
                       const float most[CT_BESIDE])
{
    uint32_t first = (uint32_t) block * CT_BESIDE, n = c->rows->n_cols - first, rest;
    int64_t error[CT_BESIDE], allowed;
    double margin = margin_of_quotients(s);
    if (n > CT_BESIDE) n = CT_BESIDE;
    for (uint32_t i = 0; i < n; i++)
        error[i] = most[i] < 0 ? cost_of_leaf(s) : cost_of_quotient(s, margin, most[i]);
    for (rest = (UINT32_C(1) << n) - 1; rest;) {
        uint32_t best = ct_trailing_zeros(rest);
        for (uint32_t others = rest & (rest - 1); others; others &= others - 1)
            if (error[ct_trailing_zeros(others)] < error[best]) best = ct_trailing_zeros(others);
        if (error[best] >= c->need[side] && !c->refine_all) break;
        rest &= ~(UINT32_C(1) << best);
        look_closer(job, first + best, side, s, margin, most[best], &error[best], &allowed);
        take_response(c, first + best, side, error[best], allowed);
    }
    for (; rest; rest &= rest - 1) {
        uint32_t i = ct_trailing_zeros(rest);
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
    const listed s[2] = {list_of_side(&job, 0), list_of_side(&job, 1)};
    for (size_t block = 0; block < blocks_of(c->rows); block++) {
        uint32_t n = n_wanted(c, block);
        float most[2][CT_BESIDE];
        if (n <= SINGLE_SCANS) continue;
        scan_block(c, block, s, most);
        for (int side = 0; side < 2; side++)
            take_block(c, &job, block, side, &s[side], most[side]);
        c->scans += n;
        job.scanned += n * c->rows->words;
    }
    each_response(c, &job);
}
