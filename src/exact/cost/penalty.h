/* What a split costs in the search, and from its integers back to the objective.
 *
 * A tree of e units and s splits has the objective e * unit + s * penalty. The search minimises
 *
 *     e * 2^shift + s * split,
 *
 * which is in exactly this order: a lower objective first, and of the same objective fewer splits.
 * To be so, split / 2^shift is a fraction just above p = penalty / unit:
 *   - two trees change places between p and p' only if some fraction of a difference in units over
 *     a difference in splits lies between, or is one of them. Such fractions have a denominator of
 *     at most `most_splits`; between p and split / 2^shift there is none.
 *   - split / 2^shift is none itself, so no two trees of different size cost the same; where p is
 *     one, trees that are equal at p are in the order of their splits, since the other is above it.
 * Without a penalty that is 1 / 2^shift with 2^shift > most_splits: leaves are a second digit. What
 * p lacks to such a fraction by the last bits of doubles does not count: a complexity of 0.29 with
 * 100 rows is 29 errors. Where units themselves are rounded, p is rounded to whole ones.
 *
 * A bound is turned into the objective by looking for the least objective among all (e, s) that
 * cost as much: what is proven of the integers is then proven of the objective, as doubles add it
 * up. */
#ifndef CT_EXACT_COST_PENALTY_H
#define CT_EXACT_COST_PENALTY_H

#include "exact/cost/costs.h"

/* Bits of the shift that trees of most_splits splits need at least, with and without a penalty. */
unsigned ct_penalty_bits(uint32_t most_splits, int penalised);

/* Sets shift, split and penalty of costs whose other members are there. All rows cost `most` units
 * at most; the shift leaves CT_COST_BITS bits together. */
void ct_penalty_set(ct_exact_costs *costs, double complexity, double most);

/* The penalty of a split is so many units over so many splits, exactly: of costs that are counted,
 * with a shift for about that penalty. */
void ct_penalty_fraction(ct_exact_costs *costs, int64_t units, uint32_t splits);

/* Splits cost nothing: of trees of the same objective none is preferred for its size. Without a
 * penalty. */
void ct_penalty_none(ct_exact_costs *costs);

enum {
    CT_COST_BITS = 59
}; /* of what all rows cost, in the search: three such sums and splits can be added */

/* The least objective of a tree that costs so much or more, but for rounding and noise; of a tree
 * that is known, its own. */
double ct_objective_value(const ct_exact_costs *costs, int64_t cost);
/* ct_objective_value() less rounding and noise. */
double ct_objective_bound(const ct_exact_costs *costs, int64_t cost);
/* Rounding may hide a tree that costs less than the best in integers, by more than the last digits
 * of sums of doubles, where that costs less than this: INFINITY, or 0 if never. */
double ct_exact_cost_hidden(const ct_exact_costs *costs);
/* The largest cost below which all trees have an objective of `most` or less, and all that surely
 * do; INT64_MAX if all do. */
int64_t ct_objective_above(const ct_exact_costs *costs, double most);
/* By how much the costs of a tree and of a bound may differ so that the objective of the tree, at
 * most `most`, is surely not more than `gap` above ct_objective_bound() of the bound. */
int64_t ct_objective_gap(const ct_exact_costs *costs, double gap, double most);

#endif
