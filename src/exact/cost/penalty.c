#include "base/compact.h"

#include "exact/cost/penalty.h"

#include <float.h>
#include <math.h>

#include "base/bits.h"
#include "exact/cost/response.h"

/* Parts of a unit to which a penalty is rounded where it may lie anywhere, and of a penalty that
 * its last bits may be off. */
enum { FINE_BITS = 30, LAST_BITS = 50 };

unsigned ct_penalty_bits(uint32_t most_splits, int penalised)
{
    CT_ASSERT(most_splits > 0);
    return ct_bit_width(most_splits) * (penalised ? 2 : 1);
}

/* The fractions next to x in 0 .. 1, with denominators of at most `most`: the largest that is not
 * above x, or above it by no more than `off`, and the one behind it. */
typedef struct {
    uint64_t over[2], under[2];
} fractions;

static fractions fractions_near(double x, uint64_t most, double off)
{
    fractions near = {{0, 1}, {1, 1}};
    CT_ASSERT(x >= 0 && most > 0 && off >= 0);
    while (near.under[0] + near.under[1] <= most) {
        uint64_t over = near.over[0] + near.over[1], under = near.under[0] + near.under[1];
        int side = (double) over / (double) under > x + off;
        near.over[side] = over;
        near.under[side] = under;
    }
    return near;
}

/* The multiple of 2^-shift that is nearest to x among those between the two fractions, in such
 * parts. There is one: the fractions are 1 / (their denominators) apart. */
static int64_t between(const fractions *near, double x, unsigned shift)
{
    int64_t first = (int64_t) ((near->over[0] << shift) / near->under[0]) + 1;
    int64_t last = (int64_t) (((near->over[1] << shift) - 1) / near->under[1]),
            part = llround(ldexp(x, (int) shift));
    return part < first ? first : part > last ? last : part;
}

/* What the fractions need, more where there is a penalty, and never more than there is room for. */
static unsigned choose_shift(const ct_exact_costs *costs, int room)
{
    int fine = costs->penalty > 0 && costs->rounding == 0,
        least = (int) ct_penalty_bits(costs->most_splits, fine);
    int shift = fine && least < FINE_BITS ? FINE_BITS : least;
    return (unsigned) (shift < room ? shift : room > 0 ? room : 0);
}

void ct_penalty_set(ct_exact_costs *costs, double complexity, double most)
{
    costs->penalty = fmin(complexity * costs->total, DBL_MAX); /* times no splits it is 0 */
    costs->shift = choose_shift(costs, CT_COST_BITS - (most < 1 ? 1 : ilogb(most) + 1));
    double units = costs->penalty / costs->unit, off = ldexp(units, -LAST_BITS);
    if (!(units <= most)) { /* no split pays */
        costs->split = ct_cost_of_units(costs, (int64_t) most + 1);
        return;
    }
    if (costs->rounding > 0) units = nearbyint(units);
    double whole = floor(units + off), x = fmax(units - whole, 0);
    fractions near = fractions_near(x, costs->most_splits, off);
    costs->split = ct_cost_of_units(costs, (int64_t) whole) + between(&near, x, costs->shift);
    CT_ASSERT(costs->split > 0);
}

void ct_penalty_fraction(ct_exact_costs *costs, int64_t units, uint32_t splits)
{
    CT_ASSERT(costs->penalty > 0 && costs->rounding == 0);
    CT_ASSERT(units > 0 && splits > 0 && splits <= costs->most_splits);
    double x = (double) (units % splits) / splits;
    fractions near = fractions_near(x, costs->most_splits, ldexp(x, -LAST_BITS));
    costs->split = ct_cost_of_units(costs, units / splits) + between(&near, x, costs->shift);
    costs->penalty = costs->unit * ((double) units / splits);
}

void ct_penalty_none(ct_exact_costs *costs)
{
    CT_ASSERT(costs->penalty == 0);
    costs->split = 0;
}

double ct_objective_value(const ct_exact_costs *costs, int64_t cost)
{
    if (costs->response) return (double) cost * costs->unit;
    double least = INFINITY;
    int64_t unit = (int64_t) 1 << costs->shift;
    for (uint32_t splits = 0; splits <= costs->most_splits; splits++, cost -= costs->split) {
        int64_t units = cost > 0 ? (cost - 1) / unit + 1 : 0;
        least = fmin(least, (double) units * costs->unit + costs->penalty * splits);
        if (cost <= 0) break;
    }
    CT_ASSERT(least >= 0);
    return least;
}

double ct_objective_bound(const ct_exact_costs *costs, int64_t cost)
{
    if (costs->response) return ct_response_bound(costs, cost);
    double value = ct_objective_value(costs, cost),
           surely = value - value * costs->noise - costs->rounding;
    return surely > 0 ? surely : 0;
}

double ct_exact_cost_hidden(const ct_exact_costs *costs)
{
    return costs->response ? ct_response_hidden(costs) : costs->rounding > 0 ? INFINITY : 0;
}

/* The least cost that some (units, splits) have, from `cost` on. */
static int64_t next_cost(const ct_exact_costs *costs, int64_t cost)
{
    int64_t least = INT64_MAX, unit = ct_cost_of_units(costs, 1), of_splits = 0;
    for (uint32_t splits = 0; splits <= costs->most_splits; splits++, of_splits += costs->split) {
        int64_t units = cost > of_splits ? (cost - of_splits - 1) / unit + 1 : 0,
                next = units * unit + of_splits;
        if (next < least) least = next;
        if (of_splits >= cost) break;
    }
    CT_ASSERT(least >= cost);
    return least;
}

int64_t ct_objective_above(const ct_exact_costs *costs, double most)
{
    if (costs->response) return ct_response_above(costs, most);
    int64_t low = 0, high = (int64_t) 1 << 61;
    if (ct_objective_bound(costs, high) <= most) return INT64_MAX;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (ct_objective_bound(costs, middle) > most) high = middle;
        else low = middle + 1;
    }
    return next_cost(costs, low);
}

int64_t ct_objective_gap(const ct_exact_costs *costs, double gap, double most)
{
    gap -= (costs->noise + (costs->penalty > 0 ? 4 * DBL_EPSILON : 0)) * most;
    if (costs->response) return ct_response_gap(costs, gap);
    double unit = ldexp(1, (int) costs->shift),
           units = fmax(gap - 2 * costs->rounding, 0) / costs->unit;
    if (!(units * unit < 4e18)) return INT64_MAX / 4;
    if (costs->penalty == 0) return ct_cost_of_units(costs, (int64_t) units);
    double off = ceil(fabs((double) costs->split - costs->penalty / costs->unit * unit)) *
                 costs->most_splits;
    return units * unit > off ? (int64_t) (units * unit - off) : 0;
}
