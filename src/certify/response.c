#include "certify/response.h"

#include <float.h>
#include <math.h>

#include "exact/cost/response.h"

__extension__ typedef __int128 wide;

/* What doubles lose in a product, beside what ct_certify_product_of() keeps. */
static const double LOST = 1e-300;

static const double MORE = 1 + 4 * DBL_EPSILON, LESS = 1 - 4 * DBL_EPSILON;

ct_product ct_certify_product_of(double x, double y)
{
    ct_product p = {x * y, 0};
    p.rest = fma(x, y, -p.value);
    return p;
}

double ct_certify_distance(int64_t cost, double unit, double w, double loss)
{
    CT_ASSERT(unit > 0 && w >= 0 && !(loss < 0));
    double near = (double) cost;
    ct_product counted = ct_certify_product_of(near, unit),
 true_cost = ct_certify_product_of(w, loss);
    double rest = counted.rest - true_cost.rest + (double) (cost - (int64_t) near) * unit;
    double off = fabs(counted.value - true_cost.value + rest) + 4 * DBL_EPSILON * fabs(rest);
    return off > 0 ? off * MORE + LOST : 0;
}

int64_t ct_certify_grid_cost(unsigned fine, int64_t weight, int64_t sum, int64_t squares)
{
    CT_ASSERT(weight >= 0);
    if (!weight) return squares * ((int64_t) 1 << fine);
    wide whole = ((wide) squares * weight - (wide) sum * sum) * ((wide) 1 << fine),
         cost = whole / weight;
    return (int64_t) (cost * weight > whole ? cost - 1 : cost); /* rounded down, also below 0 */
}

/* ---- the grid, held to the data ---- */

/* |y - centre - step * z|, or more. */
static double off_grid(double y, double centre, double step, int32_t z)
{
    double x = y - centre, back = x - y, lost = (y - (x - back)) - (centre + back);
    ct_product on = ct_certify_product_of(step, z);
    double most = x - on.value, off = fabs(most + (lost - on.rest)) + DBL_EPSILON * fabs(most);
    return off > 0 ? off * MORE + LOST : 0;
}

/* Sums of w z and w z^2 fit into 64 bits, and what rows cost at most into 61. */
static int fits(const ct_problem *p, int32_t least, int32_t most)
{
    double weight = 0, range = (double) most - least, scale = ldexp(1, (int) p->grid.fine),
           far = fmax(fabs((double) least), fabs((double) most));
    for (uint32_t row = 0; row < p->n_rows; row++) {
        if (p->mass[row] < 0) return 0;
        weight += (double) p->mass[row];
    }
    return weight > 0 && weight < 0x1p32 && p->grid.fine < 32 && far < 0x1p30 &&
           weight * far * far * scale < 0x1p61 && weight * range * range * scale < 0x1p61;
}

/* Whether a row makes a difference; others are not looked at, whatever their response is. */
static int counts(const ct_problem *p, uint32_t row)
{
    return !p->data->weights || p->data->weights[row] > 0 || p->mass[row] > 0;
}

/* Weights and responses that are decimals but for their last bits count as these, if those bits are
 * nothing beside how far responses are from each other. */
static const double LAST_BITS = 0x1p-49, NEAR = 1e-12;

/* By how much weights that are rounded change a sum of squares: means are within the range of y.
 * The same for how far y is from the grid. */
static void measure(ct_problem *p, const ct_exact_response *response)
{
    const ct_data *data = p->data;
    double low = INFINITY, high = -INFINITY, off = 0, squares = 0, all = 0, unit = p->unit,
           square = response->step * response->step / ldexp(1, (int) p->grid.fine);
    unit = data->weights ? unit / square : 1;
    for (uint32_t row = 0; row < p->n_rows; row++) {
        if (!counts(p, row)) continue;
        low = fmin(low, data->response[row]);
        high = fmax(high, data->response[row]);
    }
    p->last_bits = 1;
    for (uint32_t row = 0; row < p->n_rows; row++) {
        if (!counts(p, row)) continue;
        double w = data->weights ? data->weights[row] : 1, y = data->response[row],
               away = off_grid(y, response->centre, response->step, p->grid.z[row]),
               far = fmax(y - low, high - y),
                                                    changed = ct_certify_distance(p->mass[row],
                                                                                  unit, w, 1);
        off += changed * far * far;
        squares += (double) p->mass[row] * unit * away * away;
        all += w * (y - response->centre) * (y - response->centre);
        p->last_bits &= changed <= LAST_BITS * w &&
                        away <= LAST_BITS * (fabs(y) + fabs(response->centre));
    }
    p->last_bits &= squares <= NEAR * NEAR * all;
    double more = 1 + (p->n_rows + 8.0) * DBL_EPSILON;
    p->rounding = off * more;
    p->grid.error = squares > 0 ? sqrt(squares) * more + LOST : 0;
    p->unit = square * unit;
}

/* The sum of squares of all rows, times complexity. Two passes: doubles lose little. */
static void set_penalty(ct_problem *p, double complexity)
{
    const double *y = p->data->response, *w = p->data->weights;
    double weight = 0, sum = 0, squares = 0, size = 0, first = 0;
    for (uint32_t row = p->n_rows; row--;)
        if (counts(p, row)) first = y[row];
    for (uint32_t row = 0; row < p->n_rows; row++) {
        if (!counts(p, row)) continue;
        weight += w ? w[row] : 1;
        sum += (w ? w[row] : 1) * (y[row] - first);
        size += (w ? w[row] : 1) * fabs(y[row] - first);
    }
    for (uint32_t row = 0; row < p->n_rows; row++) {
        double x = y[row] - first - sum / weight;
        if (!counts(p, row)) continue;
        squares += (w ? w[row] : 1) * x * x;
    }
    /* a mean that is off adds the square of that */
    double few = (p->n_rows + 8.0) * DBL_EPSILON, off = 2 * few * size / weight;
    p->penalty = fmin(complexity * squares, DBL_MAX);
    p->penalty_off = complexity * (2 * few * squares + weight * off * off) + LOST;
    if (complexity == 0) p->penalty_off = 0;
}

ct_status ct_certify_grid_take(ct_problem *p, const ct_exact_costs *costs, double complexity,
                               ct_error *error)
{
    const ct_exact_response *response = costs->response;
    CT_ASSERT(response && p->data->response && p->n_rows > 0);
    p->grid.z = response->z;
    p->grid.step = response->step;
    p->grid.fine = response->fine;
    int32_t least = p->grid.z[0], most = least;
    for (uint32_t row = 0; row < p->n_rows; row++) {
        p->mass[row] = costs->weights ? costs->weights[row] : 1;
        if (p->grid.z[row] < least) least = p->grid.z[row];
        if (p->grid.z[row] > most) most = p->grid.z[row];
    }
    p->uniform = 1;
    p->split_cost = costs->split;
    p->unit = costs->unit;
    int fine = fits(p, least, most) && costs->split >= 0 && costs->split < INT64_C(1) << 61 &&
               p->unit > 0 && isfinite(p->unit) && response->step > 0 &&
               isfinite(response->step) && isfinite(response->centre);
    if (!fine) return ct_fail(error, CT_INTERNAL, "certify: the grid of the response is none");
    p->max_cost[0] = ((int64_t) most - least) * ((int64_t) most - least) *
                     ((int64_t) 1 << p->grid.fine);
    measure(p, response);
    set_penalty(p, complexity);
    return CT_OK;
}

int64_t ct_certify_grid_cost_of_tree(const ct_problem *p, const ct_outcome *tree)
{
    CT_ASSERT(p->grid.z && tree->labels && tree->n_splits < p->n_rows);
    ct_arena_mark mark = ct_arena_here(p->arena);
    int64_t *sums = CT_ARENA_ZEROED(p->arena, int64_t, 3 * ((size_t) tree->n_splits + 1)),
            cost = 0;
    if (!sums) return -1;
    for (uint32_t row = 0; row < p->n_rows; row++)
        ct_sums_add(p, row, sums + 3 * (size_t) tree->labels[row]);
    for (size_t leaf = 0; leaf <= tree->n_splits; leaf++)
        cost += ct_certify_grid_cost(p->grid.fine, sums[3 * leaf], sums[3 * leaf + 1],
                                     sums[3 * leaf + 2]);
    ct_arena_release(p->arena, mark);
    return cost;
}

/* ---- back to the response ---- */

/* What `cost` units on the grid are at least of the response; the roots of `plain` are those. */
static double of_response(const ct_problem *p, int64_t cost, double *plain)
{
    *plain = (double) cost * p->unit;
    double root = sqrt(*plain * (1 - 8 * DBL_EPSILON)) * LESS - p->grid.error;
    return root > 0 ? fmax(root * root * LESS - p->rounding, 0) : 0;
}

static void set_bound(const ct_problem *p, int64_t least, ct_certify_result *result)
{
    double bound = INFINITY, on_grid = INFINITY, plain;
    for (uint32_t splits = 0; splits <= p->most_splits; splits++, least -= p->split_cost) {
        double value = of_response(p, least > 0 ? least : 0, &plain),
               price = splits * fmax(p->penalty - p->penalty_off, 0) * LESS;
        bound = fmin(bound, (value + price) * LESS);
        on_grid = fmin(on_grid, plain + splits * (p->penalty + p->penalty_off) * MORE);
        if (least <= 0) break;
    }
    result->bound = bound;
    /* leaves are rounded down, and a split costs not quite the same */
    double steps = (p->most_splits + 1.0) * p->unit +
                   p->most_splits * fabs((double) p->split_cost * p->unit - p->penalty);
    result->rounding = fmax(on_grid - bound, 0) + steps;
    result->last_bits = p->last_bits && steps <= 2 * NEAR * on_grid;
}

void ct_certify_grid_prove(const ct_problem *p, int64_t least, const ct_outcome *tree,
                           ct_certify_result *result)
{
    CT_ASSERT(p->grid.z && p->unit > 0 && least >= 0);
    set_bound(p, least, result);
    if (!tree) return;
    int64_t cost = ct_certify_grid_cost_of_tree(p, tree), leaves = (int64_t) tree->n_splits + 1;
    result->attained = cost >= 0 && cost + p->split_cost * tree->n_splits <= least;
    result->smallest = result->attained && p->rounding == 0 && p->grid.error == 0;
    for (uint32_t splits = 0; splits < tree->n_splits; splits++) {
        /* the leaves of the tree were rounded down, by less than a unit each */
        int64_t more = least - splits * p->split_cost - cost - leaves;
        double dearer = (double) more * p->unit * LESS,
               saved = (tree->n_splits - splits) * (p->penalty + p->penalty_off) * MORE;
        if (more < 0 || dearer < saved) result->smallest = 0;
    }
}
