#include "base/compact.h"

#include "exact/finish/counted.h"

#include <float.h>
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

/* Above that doubles have not all digits of whole numbers: these are cut here. */
enum { WHOLE_BITS = 53, REST_BITS = 30 };

static ct_status numbers_new(ct_whole_numbers *numbers, uint32_t n, int in_two, ct_error *error)
{
    numbers->high = (double *) ct_alloc(n * sizeof(double));
    if (in_two) numbers->rest = (double *) ct_alloc(n * sizeof(double));
    if (!numbers->high || (in_two && !numbers->rest))
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for the costs of %lu nodes",
                       (unsigned long) n);
    return CT_OK;
}

static void numbers_put(ct_whole_numbers *numbers, uint32_t i, int64_t x)
{
    int64_t rest = numbers->rest ? x & (((int64_t) 1 << REST_BITS) - 1) : 0;
    CT_ASSERT(x >= 0 && (numbers->rest || x <= (int64_t) 1 << WHOLE_BITS));
    numbers->high[i] = (double) (x - rest);
    if (numbers->rest) numbers->rest[i] = (double) rest;
}

static void numbers_free(ct_whole_numbers *numbers)
{
    ct_free(numbers->high);
    ct_free(numbers->rest);
    *numbers = (ct_whole_numbers){NULL, NULL};
}

/* What is left of a cost without the price of its splits, in units. */
static int64_t least_units(const ct_exact_costs *costs, int64_t cost)
{
    return cost > 0 ? (cost - 1) / ct_cost_of_units(costs, 1) + 1 : 0;
}

/* The same in the objective, with all taken off that rounding may have added. */
static double least_errors(const ct_exact_costs *costs, int64_t cost)
{
    if (costs->response) return ct_response_bound(costs, cost);
    double least = (double) least_units(costs, cost) * costs->unit;
    return fmax(least * (1 - DBL_EPSILON) * (1 - costs->noise) - costs->rounding, 0);
}

ct_status ct_counted_set(ct_exact_counted *counted, const ct_exact_costs *costs,
                         const int64_t *leaf_cost, uint32_t n_nodes, int64_t proven,
                         ct_error *error)
{
    int in_two = leaf_cost[0] >> costs->shift > (int64_t) 1 << WHOLE_BITS;
    counted->unit = ct_exact_cost_grain(costs);
    counted->n_least = costs->most_splits + 1;
    counted->surely = (double *) ct_alloc(counted->n_least * sizeof(double));
    if (!counted->surely) return ct_fail(error, CT_NO_MEMORY, "not enough memory for bounds");
    CT_TRY(numbers_new(&counted->least, counted->n_least, in_two, error));
    for (uint32_t s = 0; s < counted->n_least; s++) {
        numbers_put(&counted->least, s, least_units(costs, proven));
        counted->surely[s] = least_errors(costs, proven);
        proven = proven > costs->split ? proven - costs->split : 0;
    }
    CT_TRY(numbers_new(&counted->nodes, n_nodes, in_two, error));
    for (uint32_t i = 0; i < n_nodes; i++)
        numbers_put(&counted->nodes, i, leaf_cost[i] >> costs->shift);
    return CT_OK;
}

void ct_counted_free(ct_exact_counted *counted)
{
    numbers_free(&counted->nodes);
    numbers_free(&counted->least);
    ct_free(counted->surely);
    counted->surely = NULL;
}
