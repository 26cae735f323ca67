/* What a row costs under each label, in 64-bit integers: nothing in the search compares doubles.
 *
 * A row of class c and weight w costs w * loss[c][k] under label k; loss[c][c] = 0. Costs are `unit`s of the objective:
 *   - without weights and losses they are exact; likewise, up to the last bits of the doubles, with those that become whole
 *     numbers by a multiplication (see whole_multiple());
 *   - others are rounded to multiples of a power of two such that all rows together cost between 2^(58 - depth) and
 *     2^(59 - depth). The tree is optimal for the rounded costs; the cost of any tree is off by at most `rounding`, half a
 *     unit a row and so at most n_rows / 2^(59 - depth) of what all rows cost. A loss that is the same for all wrong labels
 *     (with two classes any is) is taken into the weights. Where rows have weights, other losses that have to be rounded
 *     have 24 bits and leave the weights 35 - depth.
 *
 * Weights that are the same for all rows of a class are taken into its losses, and costs that are then the same for all rows
 * into the unit: such problems are searched as if they had none. */
#ifndef CT_EXACT_COST_COSTS_H
#define CT_EXACT_COST_COSTS_H

#include "base/arena.h"
#include "data/data.h"

typedef struct ct_coarse ct_coarse;   /* exact/cost/coarse.h */
typedef struct ct_choices ct_choices; /* exact/cost/choices.h */

typedef struct {
    uint32_t n_classes;
    int plain;              /* a wrong row costs the same whatever it is */
    unsigned shift;         /* plain: it costs 2^shift, and the three below are NULL */
    const int64_t *weights; /* [row]; NULL: 1 each */
    const int64_t *loss;    /* [class][label] */
    const int64_t *gains;   /* [class][label] what the label spares beside the dearest one; with weights and losses that
                               do not depend on the label, the same of all classes */
    const int64_t *least;   /* [class] the least loss under another label */
    double unit;            /* of the objective */
    double rounding;        /* in units of the objective: see above */
    double total;           /* of the rows' weights, in units of the objective: n_rows without weights */
    const ct_coarse *coarse; /* NULL: none */
    const ct_choices *choices; /* likewise */
} ct_costs;

/* Whether a wrong row's cost depends on its label. */
int ct_costs_by_label(const ct_costs *costs);

/* Rows of each class, and their weights where rows have weights. */
typedef struct {
    uint32_t *rows;
    int64_t *masses;  /* NULL: 1 each */
    uint32_t *coarse; /* what they cost coarsely; NULL where that does not follow from the others */
} ct_totals;

/* From the arena. `depth` and `fine` (a split has a cost that is no whole number) say how much room costs must leave. */
ct_status ct_costs_init(ct_costs *costs, const ct_data *data, unsigned depth, int fine, ct_arena *arena, ct_error *error);

/* Of which the errors of all trees are multiples, in units of the objective; 0 if costs were rounded. */
double ct_cost_grain(const ct_costs *costs);

/* Room for n_classes, all 0; 0 if memory ends. */
int ct_totals_new(ct_totals *totals, const ct_costs *costs, ct_arena *arena);

/* part = whole - other. */
static inline void ct_totals_rest(ct_totals *part, const ct_totals *whole, const ct_totals *other, uint32_t n_classes)
{
    for (uint32_t c = 0; c < n_classes; c++) part->rows[c] = whole->rows[c] - other->rows[c];
    for (uint32_t c = 0; part->masses && c < n_classes; c++) part->masses[c] = whole->masses[c] - other->masses[c];
    for (uint32_t c = 0; part->coarse && c < n_classes; c++) part->coarse[c] = whole->coarse[c] - other->coarse[c];
}

static inline int64_t ct_mass(const ct_totals *totals, uint32_t c)
{
    return totals->masses ? totals->masses[c] : (int64_t) totals->rows[c];
}

/* What the rows cost under the best label, and the first such label. */
int64_t ct_best_label(const ct_costs *costs, const ct_totals *totals, uint32_t *label);

static inline int64_t ct_leaf_cost(const ct_costs *costs, const ct_totals *totals)
{
    uint32_t largest = 0, sum = 0, label;
    if (!costs->plain) return ct_best_label(costs, totals, &label);
    for (uint32_t c = 0; c < costs->n_classes; c++) {
        sum += totals->rows[c];
        if (totals->rows[c] > largest) largest = totals->rows[c];
    }
    return (int64_t) (sum - largest) * ((int64_t) 1 << costs->shift);
}

/* What n_rows rows cost at most. */
int64_t ct_dearest_of(const ct_costs *costs, const ct_totals *totals);

static inline int64_t ct_dearest(const ct_costs *costs, const ct_totals *totals, uint32_t n_rows)
{
    return costs->plain ? n_rows * ((int64_t) 1 << costs->shift) : ct_dearest_of(costs, totals);
}

#endif
