/* Part of the template children.h for a response: child features with few values, scanned value by
 * value. See exact/rows/tallies.h.
 *
 * With n rows on a side and the sum T of their responses, k and t of those that have one of the
 * first values, splitting there gains
 *
 *   T^2 / n + u^2 / (n k (n - k)),  u = n t - k T.
 *
 * u is exact. u^2 and k (n - k) are rounded to double precision, and so are the products by which
 * two quotients are compared: all in all that is off by less than 2^-50 of the side's sum of
 * squares Q. What can be best is then counted in integers. */

#ifndef CT_KIND
#define CT_LANE 16
#define CT_KIND response
#include "exact/kernels/response/response.h"
#include "exact/kernels/children.h"
#include "exact/kernels/response/wide.h"
#endif

/* One side by the values of a child, */
typedef struct {
    const uint64_t *all, *left; /* [cell] as in ct_tallies, from the child's first cell on */
    uint32_t n;                 /* cells that a split may come behind: all but the last */
    int right;
} side_cells;

/* and which splits count: those with enough rows on either side. */
typedef struct {
    side_cells rows;      /* that are counted; all NULL: those of the side */
    uint32_t size, least; /* all of them; of a part at least */
} allowed_cells;

CT_INLINE uint64_t rows_of_cell(const side_cells *c, uint32_t i)
{
    return c->right ? c->all[i] - c->left[i] : c->left[i];
}

/* u^2 / (k (n - k)). */
typedef struct {
    double above, below;
} quotient;

/* The rows up to a cell. */
typedef struct {
    uint64_t packed, counted; /* of the side, and of those that count for leaf sizes */
    uint32_t k;
    int64_t t;
} up_to;

/* Goes on to cell i; 0 if no split may come behind it. */
CT_INLINE int next_cell(const ct_tallies *tallies, const listed *s, const side_cells *cells,
                        const allowed_cells *allowed, uint32_t i, up_to *at)
{
    at->packed += rows_of_cell(cells, i);
    at->k = (uint32_t) (at->packed >> tallies->shift);
    uint32_t counted = at->k;
    if (allowed->rows.all) {
        at->counted += rows_of_cell(&allowed->rows, i);
        counted = (uint32_t) (at->counted >> tallies->shift);
    }
    at->t = (int64_t) (at->packed & ((UINT64_C(1) << tallies->shift) - 1)) -
            (int64_t) at->k * (tallies->bias + s->middle);
    return at->k > 0 && at->k < s->n && counted >= allowed->least &&
           allowed->size - counted >= allowed->least;
}

CT_INLINE quotient quotient_of(const listed *s, const up_to *at)
{
    double u = (double) ((int64_t) s->n * at->t - (int64_t) at->k * s->sum);
    return (quotient){u * u, (double) ((uint64_t) at->k * (s->n - at->k))};
}

/* The largest; `below` is 0 where there is no split. */
CT_INLINE quotient most_of_cells(const ct_tallies *tallies, const listed *s,
                                 const side_cells *cells, const allowed_cells *allowed)
{
    quotient most = {0, 0};
    up_to at = {0, 0, 0, 0};
    for (uint32_t i = 0; i < cells->n; i++) {
        if (!next_cell(tallies, s, cells, allowed, i, &at)) continue;
        quotient q = quotient_of(s, &at);
        if (most.below == 0 || q.above * most.below > most.above * q.below) most = q;
    }
    return most;
}

/* The least cost of a split, of which none has a larger quotient than `most`. */
static int64_t best_of_cells(const ct_tallies *tallies, const listed *s, const side_cells *cells,
                             const allowed_cells *allowed, quotient most)
{
    /* two leaves are rounded by less than 2 */
    double limit = most.above / most.below * (1 - 0x1p-45) - 4 * (double) s->n;
    int64_t best = INT64_MAX;
    up_to at = {0, 0, 0, 0};
    for (uint32_t i = 0; i < cells->n; i++) {
        if (!next_cell(tallies, s, cells, allowed, i, &at)) continue;
        quotient q = quotient_of(s, &at);
        if (q.above < limit * q.below) continue;
        int64_t cost = cost_of_split(s, at.k, at.t);
        if (cost < best) best = cost;
    }
    CT_ASSERT(best < INT64_MAX);
    return best;
}

/* A cost that no split is below whose quotient is no larger. */
static int64_t cost_of_most(const listed *s, quotient most)
{
    double sum = (double) s->sum, n = (double) s->n,
           gain = sum * sum / n + most.above / most.below / n;
    return cost_of_units(s, (double) s->squares - gain - (double) s->squares * 0x1p-45 - 4);
}

/* One child in one side. */
CT_INLINE void scan_tallies(ct_children *c, const listed *s, uint32_t g, int side, int64_t need)
{
    const ct_tallies *tallies = &c->tallies;
    uint32_t first = tallies->first[g], n = tallies->first[g + 1] - first - 1;
    side_cells cells = {tallies->all + first, tallies->left + first, n, side};
    allowed_cells any = {{NULL, NULL, 0, 0}, s->n, 1}, kept = any;
    kept.least = c->min_rows[side];
    if (c->outer_rows) {
        const uint64_t *left = tallies->outer_left[side];
        any.rows = (side_cells){tallies->outer + first, (left ? left : tallies->outer) + first, n,
                                left && side};
        any.size = tallies->outer_size[side];
        any.least = c->outer_rows;
    }
    int64_t leaf = cost_of_leaf(s), error = leaf, allowed;
    quotient most = most_of_cells(tallies, s, &cells, &any);
    if (most.below > 0) error = cost_of_most(s, most);
    int closely = error < need || c->refine_all;
    if (closely && most.below > 0) error = best_of_cells(tallies, s, &cells, &any, most);
    allowed = error = error < leaf ? error : leaf;
    if (closely && c->min_rows[side] > 1 && (error < need || c->refine_all)) {
        most = most_of_cells(tallies, s, &cells, &kept);
        allowed = most.below > 0 ? best_of_cells(tallies, s, &cells, &kept, most) : leaf;
        if (allowed > leaf) allowed = leaf;
    }
    take_response(c, g, side, surely(c, side, error), surely(c, side, allowed));
}

static void child_by_tallies(ct_children *c, scan_job *job, uint32_t g, int sides)
{
    job->child = g;
    for (int side = 0; side < 2; side++) {
        if (side == 0 ? sides == RIGHT : sides == LEFT) continue;
        const listed s = list_of_side(job, side);
        scan_tallies(c, &s, g, side, own_cost_response(job, side, c->need[side]));
    }
    c->scans++;
}

static void children_of_response(ct_children *c)
{
    if (!c->tallies.first && !c->rows->wide) {
        children_response(c);
        return;
    }
    scan_job job;
    begin_response(c, &job);
    each_response(c, &job, c->rows->wide ? child_in_full : child_by_tallies);
}
