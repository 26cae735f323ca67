#include "exact/finish/counted.h"

#include <math.h>

#include "base/memory.h"
#include "exact/cost/response.h"

/* Bits of a penalty that count, as in exact/cost/penalty.c, and of what a cost may be. */
enum { LAST_BITS = 50, MOST_BITS = 60 };

/* A tree of s splits may have as many units more as `within` and the splits that it saves pay for.
 * Costs are in the order of the objective: all trees up to the dearest of these may be had. */
int64_t ct_cost_beyond(const ct_exact_costs *costs, int64_t units, uint32_t n_splits, double within)
{
    double more = within / costs->unit, price = costs->penalty / costs->unit,
           room = ldexp(1, MOST_BITS - (int) costs->shift);
    int64_t most = -1;
    CT_ASSERT(ct_is_counted(costs) && units >= 0 && within >= 0);
    for (uint32_t s = 0; s <= costs->most_splits; s++) {
        double saved = price * ((double) n_splits - s),
               spare = floor(more + saved + ldexp(more + fabs(saved), -LAST_BITS));
        if (!(spare + (double) units < room) ||
            (double) costs->split * s > ldexp(1, MOST_BITS))
            return INT64_MAX;
        if (spare + (double) units < 0) break;
        int64_t cost = ct_cost_of_units(costs, units + (int64_t) spare) + costs->split * s;
        if (cost > most) most = cost;
    }
    return most + 1;
}

/* Not above x. */
static double rounded_down(int64_t x)
{
    double value = (double) x;
    return value > 0x1p53 && (int64_t) value > x ? nextafter(value, 0) : value;
}

/* What is left of a cost without the price of its splits: in units, or in the objective with all
 * taken off that rounding may have added. */
static double least_errors(const ct_exact_costs *costs, int64_t cost)
{
    if (costs->response) return ct_response_bound(costs, cost);
    int64_t unit = ct_cost_of_units(costs, 1), units = cost > 0 ? (cost - 1) / unit + 1 : 0;
    double least = rounded_down(units);
    if (ct_is_counted(costs)) return least;
    return fmax(least * costs->unit * (1 - costs->noise) - costs->rounding, 0);
}

ct_status ct_counted_set(ct_exact_counted *counted, const ct_exact_costs *costs,
                         const int64_t *leaf_cost, uint32_t n_nodes, int64_t proven,
                         ct_error *error)
{
    counted->unit = ct_exact_cost_grain(costs);
    counted->n_least = costs->most_splits + 1;
    counted->least = (double *) ct_alloc(counted->n_least * sizeof(double));
    if (ct_is_counted(costs)) counted->nodes = (double *) ct_alloc(n_nodes * sizeof(double));
    if (!counted->least || (ct_is_counted(costs) && !counted->nodes))
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for what is proven of %lu splits",
                       (unsigned long) costs->most_splits);
    for (uint32_t s = 0; s < counted->n_least; s++) {
        counted->least[s] = least_errors(costs, proven);
        proven = proven > costs->split ? proven - costs->split : 0;
    }
    for (uint32_t i = 0; counted->nodes && i < n_nodes; i++)
        counted->nodes[i] = (double) (leaf_cost[i] >> costs->shift);
    return CT_OK;
}

void ct_counted_free(ct_exact_counted *counted)
{
    ct_free(counted->nodes);
    ct_free(counted->least);
    counted->nodes = counted->least = NULL;
}
