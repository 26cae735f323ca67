#include "policy/costs.h"

#include <math.h>

#include "policy/conditions.h"

/* The exact costs of all rows stay below 2^60, so that those of some trees can be added up. */
enum { SUM_BITS = 60, COARSE_BITS = 30 };

static uint32_t lanes_for(uint32_t n_actions)
{
    for (uint32_t lanes = 4; lanes <= 16; lanes *= 2)
        if (n_actions < lanes) return lanes;
    return n_actions / 32 * 32 + 32;
}

/* The largest absolute reward, and the sum over the rows of largest less smallest; -1 if a reward
 * is not a number, or too large. */
static double spans_of(const double *rewards, uint32_t n_rows, uint32_t n_actions, double *largest)
{
    double sum = 0;
    *largest = 0;
    for (uint32_t row = 0; row < n_rows; row++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t a = 0; a < n_actions; a++) {
            const double r = rewards[(size_t) a * n_rows + row];
            if (!(fabs(r) <= CT_POLICY_LARGEST)) return -1;
            low = fmin(low, r), high = fmax(high, r);
        }
        sum += high - low;
        *largest = fmax(*largest, fmax(high, -low));
    }
    return sum;
}

/* The least e for which x / 2^e is below 2^bits. */
static int exponent_for(double x, int bits)
{
    int exponent;
    if (x == 0) return -1022;
    (void) frexp(x, &exponent);
    return exponent - bits;
}

/* Writes the costs of a row; returns how much of a reward was rounded off at most. */
static double cost_row(ct_policy_costs *costs, const double *rewards, uint32_t row)
{
    int64_t *exact = costs->exact + (size_t) row * costs->n_actions, best = INT64_MIN, worst = 0;
    double off = 0;
    for (uint32_t a = 0; a < costs->n_actions; a++) {
        const double r = rewards[(size_t) a * costs->n_rows + row],
                     steps = nearbyint(ldexp(r, -costs->exponent));
        exact[a] = (int64_t) steps;
        off = fmax(off, fabs(r - ldexp(steps, costs->exponent)));
        if (exact[a] > best) best = exact[a];
    }
    for (uint32_t a = 0; a < costs->n_actions; a++) {
        exact[a] = (best - exact[a]) << costs->tie_bits;
        if (exact[a] > worst) worst = exact[a];
    }
    costs->span[row] = worst;
    return off;
}

static void coarsen(ct_policy_costs *costs, int64_t sum)
{
    costs->shift = 0;
    while (sum >> costs->shift >> COARSE_BITS) costs->shift++;
    for (uint32_t row = 0; row < costs->n_rows; row++) {
        int32_t *coarse = costs->coarse + (size_t) row * costs->lanes;
        const int64_t *exact = costs->exact + (size_t) row * costs->n_actions;
        for (uint32_t lane = 0; lane < costs->lanes; lane++)
            coarse[lane] = (int32_t) ((lane < costs->n_actions ? exact[lane] : costs->span[row]) >>
                                      costs->shift);
    }
}

/* A price that no split is worth need not be told apart from a larger one. */
static int64_t price_of(const ct_policy_costs *costs, double price, int64_t sum)
{
    const double steps = floor(ldexp(price, -costs->exponent));
    const int64_t most = (sum >> costs->tie_bits) + 1;
    return ((steps < (double) most ? (int64_t) steps : most) << costs->tie_bits) + 1;
}

ct_status ct_policy_costs_init(ct_policy_costs *costs, const double *rewards, uint32_t n_rows,
                               uint32_t n_actions, unsigned depth, double price, ct_arena *arena,
                               ct_error *error)
{
    CT_ASSERT(n_rows > 0 && n_actions > 0 && depth > 0 && depth <= CT_POLICY_DEPTH && price >= 0);
    double largest, spans = spans_of(rewards, n_rows, n_actions, &largest), off = 0;
    if (spans < 0)
        return ct_fail(error, CT_BAD_INPUT, "a reward is missing or not within +-1e100");
    *costs = (ct_policy_costs){.n_rows = n_rows, .n_actions = n_actions,
                               .lanes = lanes_for(n_actions), .tie_bits = depth};
    costs->exact = CT_ARENA_NEW(arena, int64_t, (size_t) n_rows * n_actions);
    costs->span = CT_ARENA_NEW(arena, int64_t, n_rows);
    costs->coarse = CT_ARENA_NEW(arena, int32_t, (size_t) n_rows * costs->lanes);
    if (!costs->exact || !costs->span || !costs->coarse)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for the rewards");
    /* a bit less for each sum of doubles, and for rounding up in each of 2^31 rows */
    const int by_sum = exponent_for(spans, SUM_BITS - 1 - (int) depth),
              by_size = exponent_for(largest, SUM_BITS + 1);
    costs->exponent = by_sum > by_size ? by_sum : by_size;
    int64_t sum = 0;
    for (uint32_t row = 0; row < n_rows; row++) {
        off += cost_row(costs, rewards, row);
        sum += costs->span[row];
    }
    costs->rounding = 2 * off / n_rows;
    coarsen(costs, sum);
    costs->price = price_of(costs, price, sum);
    ct_policy_costs_are_sound(costs);
    return CT_OK;
}

int64_t ct_policy_cost_of(const ct_policy_costs *costs, double reward)
{
    const double steps = floor(ldexp(reward, -costs->exponent)), most = 0x1p62;
    return (int64_t) (steps < ldexp(most, -(int) costs->tie_bits)
                          ? ldexp(steps, (int) costs->tie_bits)
                          : most);
}

double ct_policy_reward_of(const ct_policy_costs *costs, int64_t cost)
{
    return ldexp((double) (cost >> costs->tie_bits), costs->exponent);
}
