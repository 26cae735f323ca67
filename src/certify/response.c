#include "base/compact.h"

#include "certify/response.h"

#include <float.h>
#include <math.h>

#include "exact/cost/response.h"

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
    const ct_product counted = ct_certify_product_of(near, unit),
                     true_cost = ct_certify_product_of(w, loss);
    double rest = counted.rest - true_cost.rest + (double) (cost - (int64_t) near) * unit;
    double off = fabs(counted.value - true_cost.value + rest) + 4 * DBL_EPSILON * fabs(rest);
    return off > 0 ? off * MORE + LOST : 0;
}

/* Of sums of masses, in bits. */
enum { MASS_BITS = 72 };

/* 2^up x^2 / y, rounded up, of |x| < y: as in division by hand, a bit of x at a time. */
static ct_grid_sum square_over(ct_grid_sum x, ct_grid_sum y, int up)
{
    ct_grid_sum quotient = 0, rest = 0, size = x < 0 ? -x : x;
    CT_ASSERT(size < y && y < (ct_grid_sum) 1 << MASS_BITS);
    if (size < (ct_grid_sum) 1 << (62 - up / 2)) {
        ct_grid_sum square = size * size << up;
        return square / y + (square % y > 0);
    }
    for (int bit = MASS_BITS - 1; bit >= -up; bit--) {
        quotient *= 2;
        rest *= 2;
        if (bit >= 0 && size >> bit & 1) rest += size;
        for (; rest >= y; rest -= y) quotient++;
    }
    return quotient + (rest > 0);
}

/* With any whole number m near the mean, sum w (z - mean)^2 = sum w (z - m)^2 - (sum w (z - m))^2 /
 * sum w. */
int64_t ct_certify_grid_cost(int down, ct_grid_sum weight, ct_grid_sum sum, ct_grid_long squares)
{
    CT_ASSERT(weight >= 0 && squares.low >= 0 && squares.low <= UINT64_MAX);
    if (!weight) return 0;
    int64_t near = (int64_t) (sum / weight);
    ct_grid_sum off = sum - (ct_grid_sum) near * weight;
    ct_grid_long rest = ct_grid_long_less(squares, ct_grid_times(sum + off, near));
    if (down < 0) { /* costs are below 2^61 */
        CT_ASSERT(!rest.high);
        rest.low *= (ct_grid_sum) 1 << -down;
    }
    /* rounded down, also below 0 */
    rest = ct_grid_long_of(rest.high,
                           rest.low - square_over(off, weight, down < 0 ? -down : 0));
    if (down >= 64) return (int64_t) (rest.high >> (down - 64));
    return (int64_t) ((rest.high * ((ct_grid_sum) 1 << 64) + rest.low) >> (down > 0 ? down : 0));
}

int64_t ct_grid_cost_of_sums(const ct_problem *p, const int64_t *sums)
{
    return ct_certify_grid_cost(p->grid.down, ct_grid_mass(p, sums), ct_grid_z(p, sums),
                                ct_grid_squares(p, sums));
}

/* ---- the grid, held to the data ---- */

/* Whether a row makes a difference; others are not looked at, whatever their response is. */
static int counts(const ct_problem *p, uint32_t row)
{
    return !p->data->weights || p->data->weights[row] > 0 || p->mass[row] > 0;
}

/* Where z is: at centre + shift + (step + last) z. */
typedef struct {
    double centre, shift, step, last;
} grid_line;

/* How far y is from that, to 4 DBL_EPSILON of what follows the step and of itself. */
static double beside_grid(const grid_line *line, double y, int64_t z)
{
    double x = y - line->centre, back = x - y, lost = (y - (x - back)) - (line->centre + back);
    ct_product on = ct_certify_product_of(line->step, (double) z);
    return x - on.value + (lost - on.rest - (line->shift + line->last * (double) z));
}

/* Not below the size of that. */
static double off_grid(const grid_line *line, double y, int64_t z)
{
    double off = fabs(beside_grid(line, y, z)) +
                 4 * DBL_EPSILON * (fabs(line->shift) + fabs(line->last * (double) z));
    return off > 0 ? off * MORE + LOST : 0;
}

/* Decimals lose last bits as doubles, and so do the step and the centre of a grid of them. What
 * these lost, by the rows at its ends, changes no square, and all squares by the same share, which
 * is nothing beside what doubles lose. */
static grid_line line_of(const ct_problem *p, double centre, double step)
{
    grid_line line = {centre, 0, step, 0};
    int exponent;
    uint32_t low = 0, high = 0;
    if (frexp(step, &exponent) == 0.5) return line; /* a power of two */
    for (uint32_t row = 0; row < p->n_rows; row++) {
        if (!counts(p, row)) continue;
        if (!counts(p, low) || p->grid.z[row] < p->grid.z[low]) low = row;
        if (!counts(p, high) || p->grid.z[row] > p->grid.z[high]) high = row;
    }
    int64_t z = p->grid.z[low], steps = p->grid.z[high] - z;
    double first = beside_grid(&line, p->data->response[low], z),
           second = beside_grid(&line, p->data->response[high], p->grid.z[high]),
           last = steps ? (second - first) / (double) steps : 0;
    if (!(fabs(last) <= DBL_EPSILON * step)) return line;
    line.last = last;
    line.shift = first - last * (double) z;
    return line;
}

/* What all rows cost, nearly. */
static double total_about(const ct_problem *p, double weight, double sum)
{
    double squares = 0;
    for (uint32_t row = 0; row < p->n_rows; row++) {
        double x = (double) p->grid.z[row] - sum / weight;
        squares += (double) p->mass[row] * x * x;
    }
    return ldexp(squares, -p->grid.down);
}

/* Sets what any rows cost at most, and returns whether that of each of them, added up, fits. */
static int set_total(ct_problem *p)
{
    int64_t sums[CT_N_WIDE_SUMS] = {0};
    double all = 0;
    p->grid.total = 0;
    for (uint32_t row = 0; row < p->n_rows; row++) ct_sums_add(p, row, sums);
    p->grid.total = ct_grid_cost_of_sums(p, sums);
    for (uint32_t row = 0; row < p->n_rows; row++) all += (double) ct_most_of_row(p, row);
    return p->grid.total >= 0 && all < 0x1p62;
}

/* Whether sums of w z and w z^2 fit into two words and three, and what rows cost at most, with a
 * unit for each, into 62 bits; sets what the grid needs for these. */
static int fits(ct_problem *p, int64_t least, int64_t most)
{
    ct_grid *grid = &p->grid;
    double weight = 0, sum = 0, far = fmax(fabs((double) least), fabs((double) most));
    for (uint32_t row = 0; row < p->n_rows; row++) {
        if (p->mass[row] < 0) return 0;
        weight += (double) p->mass[row];
        sum += (double) p->mass[row] * (double) grid->z[row];
    }
    if (!(weight > 0 && weight < ldexp(1, MASS_BITS) && far < 0x1p52) || grid->down < -31 ||
        grid->down > 140 || !(total_about(p, weight, sum) < 0x1p61))
        return 0;
    double squares = weight * far * far, range = (double) most - (double) least;
    grid->wide = grid->down > 0 || ldexp(squares, -grid->down) > 0x1p61 || weight > 0x1p32;
    int spare = ilogb(range * range + 1) - 58, here = spare > 0 ? spare : 0;
    if (grid->down < here) here = grid->down;
    ct_grid_sum square = (ct_grid_sum) (most - least) * (most - least);
    if (here < 0) square *= (ct_grid_sum) 1 << -here;
    else if (here > 0) square = (square >> here) + 1;
    grid->square = (int64_t) square;
    grid->rest = here < 0 ? 0 : grid->down - here;
    return square < (ct_grid_sum) 1 << 62 && set_total(p);
}

/* The sum of squares of all rows, and by how much it may be off. Two passes: doubles lose little.
 */
static double sse_of(const ct_problem *p, double *sse_off)
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
    *sse_off = 2 * few * squares + weight * off * off;
    return squares;
}

/* The lowest and the highest response of rows that weigh something. */
static void range_of(const ct_problem *p, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (uint32_t row = 0; row < p->n_rows; row++) {
        if (!counts(p, row)) continue;
        *low = fmin(*low, p->data->response[row]);
        *high = fmax(*high, p->data->response[row]);
    }
}

/* Weights and responses that are decimals but for their last bits count as these, if those bits are
 * nothing beside how far responses are from each other. */
static const double LAST_BITS = 0x1p-49, NEAR = 1e-12;

/* Weights are told apart by the share of them that rounding changes: less than 2^-i of it, but not
 * of half of that. */
enum { N_SHARES = 100 };

/* By how much rounded weights change a sum of squares, which is no more than `sse`: where less than
 * a share of them changes, by that share of it; by those above, no more than `beyond` says. */
static double changed_by(const double beyond[N_SHARES], double sse)
{
    double all = 0, least = INFINITY;
    for (int share = 0; share < N_SHARES; share++) {
        if (share) least = fmin(least, all + ldexp(sse, -share));
        all += beyond[share];
    }
    return fmin(least, all);
}

/* How far a mass is from the weight it stands for; `last` is what the unit has lost as a double, if
 * it is a decimal. */
static double changed_weight(int64_t mass, double unit, double last, double w)
{
    double near = (double) mass;
    const ct_product counted = ct_certify_product_of(near, unit);
    double rest = counted.rest + (double) (mass - (int64_t) near) * unit + last * near,
           off = fabs(counted.value - w + rest) + 4 * DBL_EPSILON * fabs(rest);
    return off > 0 ? off * MORE + LOST : 0;
}

/* By the largest mass: as with the step of a grid, it changes all costs by the same share. */
static double last_of_unit(const ct_problem *p, double unit)
{
    uint32_t row = 0;
    for (uint32_t i = 1; p->data->weights && i < p->n_rows; i++)
        if (p->mass[i] > p->mass[row]) row = i;
    if (!p->data->weights || p->mass[row] == 0) return 0;
    double mass = (double) p->mass[row];
    const ct_product counted = ct_certify_product_of(mass, unit);
    double last = (p->data->weights[row] - counted.value - counted.rest) / mass;
    return fabs(last) <= 4 * DBL_EPSILON * unit ? last : 0;
}

/* The share of a row: larger ones than 1 count as that does, smaller ones as the least. */
static int share_of(double changed, double w)
{
    int exponent = 0;
    if (!(changed < w)) return 0;
    (void) frexp(fmin(changed / w * MORE, LESS), &exponent);
    return -exponent < N_SHARES - 1 ? -exponent : N_SHARES - 1;
}

/* By how much rounded weights change a sum of squares, which is no more than `sse`, as means are
 * within the range of y; and how far y is from the grid. */
static void measure(ct_problem *p, const ct_exact_response *response, double sse)
{
    const ct_data *data = p->data;
    double low, high, beyond[N_SHARES] = {0}, squares = 0, all = 0, unit = p->unit,
           square = ldexp(response->step * response->step, p->grid.down);
    const grid_line line = line_of(p, response->centre, response->step);
    unit = data->weights ? unit / square : 1;
    const double last = last_of_unit(p, unit);
    range_of(p, &low, &high);
    p->grid.last_bits = 1;
    for (uint32_t row = 0; row < p->n_rows; row++) {
        if (!counts(p, row)) continue;
        double w = data->weights ? data->weights[row] : 1, y = data->response[row],
               away = off_grid(&line, y, p->grid.z[row]),
               far = fmax(y - low, high - y),
               changed = changed_weight(p->mass[row], unit, last, w);
        beyond[share_of(changed, w)] += changed * far * far;
        squares += (double) p->mass[row] * unit * away * away;
        all += w * (y - response->centre) * (y - response->centre);
        p->grid.last_bits &= changed <= LAST_BITS * w &&
                        away <= LAST_BITS * (fabs(y) + fabs(response->centre));
    }
    p->grid.last_bits &= squares <= NEAR * NEAR * all;
    double more = 1 + (p->n_rows + 8.0) * DBL_EPSILON;
    p->rounding = changed_by(beyond, sse) * more;
    p->grid.error = squares > 0 ? sqrt(squares) * more + LOST : 0;
    p->unit = square * unit;
}

ct_status ct_certify_grid_take(ct_problem *p, const ct_exact_costs *costs, double complexity,
                               ct_error *error)
{
    const ct_exact_response *response = costs->response;
    CT_ASSERT(response && p->data->response && p->n_rows > 0);
    const ct_full *full = &response->full;
    p->grid.z = full->z;
    p->grid.step = response->step;
    p->grid.down = full->down;
    int64_t least = p->grid.z[0], most = least;
    for (uint32_t row = 0; row < p->n_rows; row++) {
        p->mass[row] = full->weights ? full->weights[row] : 1;
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
    p->n_sums = p->grid.wide ? CT_N_WIDE_SUMS : CT_N_NARROW_SUMS;
    double sse_off, sse = sse_of(p, &sse_off);
    measure(p, response, sse + sse_off);
    p->penalty = fmin(complexity * sse, DBL_MAX);
    p->penalty_off = complexity == 0 ? 0 : complexity * sse_off + LOST;
    return CT_OK;
}

int64_t ct_certify_grid_cost_of_tree(const ct_problem *p, const ct_outcome *tree)
{
    CT_ASSERT(p->grid.z && tree->labels && tree->n_splits < p->n_rows);
    ct_arena_mark mark = ct_arena_here(p->arena);
    const size_t n = p->n_sums;
    int64_t *sums = CT_ARENA_ZEROED(p->arena, int64_t, n * ((size_t) tree->n_splits + 1)), cost = 0;
    if (!sums) return -1;
    for (uint32_t row = 0; row < p->n_rows; row++)
        ct_sums_add(p, row, sums + n * (size_t) tree->labels[row]);
    for (size_t leaf = 0; leaf <= tree->n_splits; leaf++)
        cost += ct_grid_cost_of_sums(p, sums + n * leaf);
    ct_arena_release(p->arena, mark);
    return cost;
}

/* ---- back to the response ---- */

/* What `cost` units on the grid are at least of the response; the roots of `plain` are those. */
static double of_response(const ct_problem *p, int64_t cost, double *plain)
{
    *plain = (double) cost * p->unit;
    double root = sqrt(*plain * (1 - 16 * DBL_EPSILON)) * LESS - p->grid.error;
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
    double of_bits = fmax(on_grid - bound, 0);
    result->rounding = of_bits + steps;
    if (steps <= 2 * NEAR * on_grid) of_bits += steps;
    result->last_bits = p->grid.last_bits ? of_bits : 0;
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
