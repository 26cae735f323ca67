/* What a row costs under each label and what a split costs, in 64-bit integers: nothing in the
 * search compares doubles.
 *
 * A row of class c and weight w costs w * loss[c][k] under label k; loss[c][c] = 0. What rows cost
 * is counted in `unit`s of the objective:
 *   - without weights and losses they are exact, and so are those that become whole numbers by a
 *     multiplication (see whole_multiple()), up to the last bits of the doubles;
 *   - others are rounded to multiples of a power of two such that all rows together cost between
 *     2^(58 - depth) and 2^(59 - depth). The cost of any tree is off by at most `rounding`, half a
 *     unit a row.
 *
 * A loss that is the same for all wrong labels (with two classes any is) is taken into the weights.
 * Weights and other losses beside them are exact where the sum of the weights times the largest
 * loss fits, each in units that its numbers have in common; else one of them is kept exact, or both
 * are rounded, sharing the bits so that either is off by as much, whichever is off by less.
 *
 * The search adds up and compares 2^-shift parts of a unit: a tree of e units and s splits costs
 *
 *     e * 2^shift + s * split.
 *
 * How these are chosen so that of equally good trees the smaller one costs less is in
 * exact/cost/penalty.h.
 *
 * Weights that are the same for all rows of a class are taken into its losses, and costs that are
 * then the same for all rows into the unit: such problems are searched as if they had none.
 *
 * With a numeric response leaves cost what exact/cost/response.h says. */
#ifndef CT_EXACT_COST_COSTS_H
#define CT_EXACT_COST_COSTS_H

#include <string.h>

#include "base/arena.h"
#include "data/data.h"
#include "exact/cost/full.h"

typedef struct ct_quantised ct_quantised;   /* exact/cost/quantised.h */
typedef struct ct_choices ct_choices; /* exact/cost/choices.h */
typedef struct ct_exact_response ct_exact_response; /* exact/cost/response.h */

typedef struct {
    uint32_t n_classes;
    int plain;                     /* a wrong row costs the same whatever it is */
    unsigned shift;                /* a unit is 2^shift of what the search adds up and compares */
    int64_t split;                 /* what a split costs there: see above */
    uint32_t most_splits;          /* of a tree in which each separates rows */
    /* [row] in units; NULL: 1 each. Plain: it is, and so are the four below */
    const int64_t *weights;
    const int64_t *most;           /* [class] the largest loss */
    const int64_t *least;          /* [class] the least loss under another label */
    /* [class][label]; NULL: that is `most` under all wrong labels, and with weights the same of all
     * classes */
    const int64_t *loss;
    /* [class][label] what the label spares beside the most costly one; NULL where `loss` is */
    const int64_t *gains;
    double unit;                   /* of the objective */
    double penalty;                /* of a split, in the objective */
    double rounding;               /* in the objective: see above */
    /* share of an objective by which it may differ from its units beside that, as weights, losses
     * and their sums are doubles; 0 where these are exact */
    double noise;
    /* of the rows' weights, in units of the objective: n_rows without weights */
    double total;
    const ct_quantised *quantised; /* NULL: plain, or with a response */
    const ct_choices *choices;     /* NULL: plain, or with a response */
    /* NULL: classes are predicted. Else all rows are of one class, `most` is what a row of weight 1
     * costs at most, and where scans round the response `weights` are NULL: see its own */
    const ct_exact_response *response;
} ct_exact_costs;

/* Splits of a tree in which each separates rows. */
static inline uint32_t ct_most_splits(uint32_t n_rows, unsigned depth)
{
    uint64_t leaves = UINT64_C(1) << depth;
    if (leaves > n_rows) leaves = n_rows;
    return leaves > 2 ? (uint32_t) leaves - 1 : 1;
}

/* Whether a wrong row's cost depends on its label. */
static inline int ct_costs_by_label(const ct_exact_costs *costs) { return costs->loss != NULL; }

/* What a row of class c that weighs 1 costs under a label, in units. */
static inline int64_t ct_loss_units(const ct_exact_costs *costs, size_t c, size_t label)
{
    if (costs->loss) return costs->loss[c * costs->n_classes + label];
    return c == label ? 0 : costs->plain ? 1 : costs->most[c];
}

/* Rows of each class, and their weights where rows have weights. */
typedef struct {
    uint32_t *rows;
    int64_t *masses;  /* NULL: 1 each */
    /* what they cost coarsely; NULL where that does not follow from the others */
    uint32_t *quantised;
    /* [2] with a response: its sum and the sum of its squares in scans, weighted; NULL: these would
     * not fit, */
    int64_t *moments;
    ct_full_sums *full; /* and where scans have rounded it, in full, always or where that was asked
                           for; else NULL */
} ct_totals;

/* From the arena, for trees of that depth whose splits cost that share of the rows. one_word: a
 * response is rounded to what scans count, see exact/cost/response.h. */
ct_status ct_exact_costs_init(ct_exact_costs *costs, const ct_data *data, unsigned depth,
                              double complexity, int one_word, ct_arena *arena, ct_error *error);

/* The number, in the objective, that the errors of all trees are multiples of; 0 if costs were
 * rounded. */
double ct_exact_cost_grain(const ct_exact_costs *costs);

/* By how much rounding may change what a tree costs, in the objective. */
double ct_exact_cost_rounding(const ct_exact_costs *costs);

/* Room for n_classes, all 0. */
ct_status ct_totals_new(ct_totals *totals, const ct_exact_costs *costs, ct_arena *arena);

/* part = whole - other. */
static inline void ct_totals_rest(ct_totals *part, const ct_totals *whole, const ct_totals *other,
                                  uint32_t n_classes)
{
    for (uint32_t c = 0; c < n_classes; c++) part->rows[c] = whole->rows[c] - other->rows[c];
    for (uint32_t c = 0; part->masses && c < n_classes; c++)
        part->masses[c] = whole->masses[c] - other->masses[c];
    for (uint32_t c = 0; part->quantised && c < n_classes; c++)
        part->quantised[c] = whole->quantised[c] - other->quantised[c];
    for (uint32_t i = 0; part->moments && i < 2; i++)
        part->moments[i] = whole->moments[i] - other->moments[i];
    CT_ASSERT(!part->full || (whole->full && other->full));
    if (part->full) *part->full = ct_full_rest(whole->full, other->full);
}

/* into = from. */
static inline void ct_totals_copy(ct_totals *into, const ct_totals *from, uint32_t n_classes)
{
    CT_ASSERT(!from->quantised || into->quantised);
    CT_ASSERT((!from->moments || into->moments) && (!from->full || into->full));
    memcpy(into->rows, from->rows, n_classes * sizeof *from->rows);
    if (from->masses) memcpy(into->masses, from->masses, n_classes * sizeof *from->masses);
    if (from->quantised)
        memcpy(into->quantised, from->quantised, n_classes * sizeof *from->quantised);
    if (from->moments) memcpy(into->moments, from->moments, 2 * sizeof *from->moments);
    if (from->full) *into->full = *from->full;
}

static inline int64_t ct_mass(const ct_totals *totals, uint32_t c)
{
    return totals->masses ? totals->masses[c] : (int64_t) totals->rows[c];
}

/* The cost of a number of units. */
static inline int64_t ct_cost_of_units(const ct_exact_costs *costs, int64_t units)
{
    return units * ((int64_t) 1 << costs->shift);
}

/* What the rows cost under the best label, and the first such label. */
int64_t ct_best_label(const ct_exact_costs *costs, const ct_totals *totals, uint32_t *label);

static inline int64_t ct_leaf_cost(const ct_exact_costs *costs, const ct_totals *totals)
{
    uint32_t largest = 0, sum = 0, label;
    if (!costs->plain) return ct_best_label(costs, totals, &label);
    for (uint32_t c = 0; c < costs->n_classes; c++) {
        sum += totals->rows[c];
        if (totals->rows[c] > largest) largest = totals->rows[c];
    }
    return ct_cost_of_units(costs, sum - largest);
}

/* No more than that, of a response whose sums in full were not asked for. */
int64_t ct_leaf_bound(const ct_exact_costs *costs, const ct_totals *totals);

/* What n_rows rows cost at most. */
int64_t ct_dearest_of(const ct_exact_costs *costs, const ct_totals *totals);

static inline int64_t ct_maximum_cost(const ct_exact_costs *costs, const ct_totals *totals,
                                      uint32_t n_rows)
{
    return costs->plain ? ct_cost_of_units(costs, n_rows) : ct_dearest_of(costs, totals);
}

#endif
