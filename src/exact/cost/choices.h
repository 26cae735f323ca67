/* What rows cost at least where all of them get one of few labels: a tree of depth k has at most
 * 2^k leaves.
 *
 * Where costs depend on the wrong label, the least cost of a row that gets one of `few` labels is
 * that under the best of these. Over all sets of `few` labels, the least sum over the rows is a
 * lower bound of every such tree (sets of fewer labels lie within these). */
#ifndef CT_EXACT_COST_CHOICES_H
#define CT_EXACT_COST_CHOICES_H

#include "exact/cost/costs.h"

enum { CT_CHOICE_DEPTHS = 4 }; /* from 1 on */

struct ct_choices {
    uint32_t n[CT_CHOICE_DEPTHS];           /* by depth: ct_exact_choices_sets */
    const int64_t *costs[CT_CHOICE_DEPTHS]; /* [set][class] under the best label of the set */
};

/* Sets costs->choices; leaves it NULL where costs do not depend on the wrong label. From the arena.
 */
ct_status ct_choices_init(ct_exact_costs *costs, ct_arena *arena, ct_error *error);

/* How many sets of 2^depth of n labels there are; 0 if that is too many to look at all, or if these
 * are all labels. */
uint32_t ct_exact_choices_sets(uint32_t n, unsigned depth);

static inline int ct_choices_known(const ct_exact_costs *costs, unsigned depth)
{
    return costs->choices && depth < CT_CHOICE_DEPTHS && costs->choices->n[depth];
}

/* What rows cost at least in a tree of that depth, if ct_choices_known(). */
int64_t ct_choices_least(const ct_exact_costs *costs, const ct_totals *totals, unsigned depth);

#endif
