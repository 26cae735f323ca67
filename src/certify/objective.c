#include "certify/objective.h"

#include "certify/response.h"

#include <float.h>
#include <math.h>

/* By what share of itself a penalty may be off beside its own rounding: 0.29 of 100 rows is meant
 * to be 29. */
static const double NOISE = 0x1p-49;

static double below(double x) { return nextafter(x, -INFINITY); }

/* units * unit, rounded down. */
static double value_of(int64_t units, double unit)
{
    double near = (double) units;
    if (near > 0x1p53 && (int64_t) near > units) near = below(near);
    double value = near * unit;
    return fma(near, unit, -value) < 0 ? below(value) : value;
}

/* The units of a tree that counts `count` less its splits, at least. */
static int64_t units_for(const ct_problem *p, int64_t count)
{
    return count > 0 ? ((count - 1) >> p->shift) + 1 : 0;
}

/* ---- the bound ---- */

static void set_bound(const ct_problem *p, int64_t least, ct_certify_result *result)
{
    double unit = ldexp(p->unit, (int) p->shift), bound = INFINITY;
    for (uint32_t splits = 0; splits <= p->most_splits; splits++, least -= p->split_cost) {
        double value = value_of(units_for(p, least), unit);
        if (splits && p->penalty > 0)
            value = below(value + below(splits * below(p->penalty - p->penalty_off)));
        bound = fmin(bound, value);
        if (least <= 0) break;
    }
    result->rounding = p->rounding;
    result->last_bits = p->last_bits;
    if (p->rounding > 0) bound = below(bound - p->rounding);
    result->bound = bound > 0 ? bound : 0;
}

/* ---- a tree ---- */

/* What a tree of `units` and `splits` costs less than any other of `more` units and `less` splits
 * more and less than it has: that is at least `surely`, and in integers perhaps `maybe`. */
typedef struct {
    double surely, maybe;
} margin;

static margin margin_of(const ct_problem *p, int64_t more, double less)
{
    double rows = (double) more * ldexp(p->unit, (int) p->shift), splits = less * p->penalty;
    double off = fabs(less) * (p->penalty_off + p->penalty * NOISE), of_splits = 0;
    /* integers that were rounded are compared as they are, and what a split costs among them */
    if (p->rounding > 0)
        of_splits = fabs(less) * fabs((double) p->split_cost * p->unit - p->penalty);
    return (margin){rows - splits - off - 2 * p->rounding, rows - splits + off + of_splits};
}

/* Against the fewest units that a tree of each number of splits may have. */
static void compare(const ct_problem *p, int64_t least, const ct_outcome *tree,
                    ct_certify_result *result)
{
    int64_t units = ct_certify_units_of_tree(p, tree);
    result->attained = result->smallest = 1;
    for (uint32_t splits = 0; splits <= p->most_splits; splits++) {
        margin m = margin_of(p, units_for(p, least) - units, (double) tree->n_splits - splits);
        if (m.maybe < 0) result->attained = 0;
        if (splits < tree->n_splits && !(m.surely > 0)) result->smallest = 0;
        least = least > p->split_cost ? least - p->split_cost : 0;
    }
    result->smallest &= result->attained;
}

void ct_certify_objective_prove(const ct_problem *p, int64_t least, const ct_outcome *tree,
                                ct_certify_result *result)
{
    CT_ASSERT(least >= 0 && p->unit > 0);
    if (p->grid.z) {
        ct_certify_grid_prove(p, least, tree, result);
        return;
    }
    set_bound(p, least, result);
    if (tree) compare(p, least, tree, result);
}
