#include "exact/cost/quantised.h"
#include "exact/cost/penalty.h"

#include <math.h>
#include <string.h>

enum {
    MOST_MULTIPLE = 1000,
    MOST_DENOMINATOR = 1 << 24,
    LOSS_BITS = 24,
    DOUBLE_BITS = 53,
    FEW_BITS = 10
};

/* Numbers, and the last of them that was seen not to become whole: a failure is found at once the
 * next time. */
typedef struct {
    const double *values;
    size_t n, hard;
} numbers;

/* Whether x is whole, or so near a whole number that it may differ by the last bits of doubles
 * alone. */
static int is_whole(double x, int near)
{
    return near ? fabs(x - nearbyint(x)) <= ldexp(x, -50) : x == floor(x);
}

static int all_whole(numbers *all, double multiple, int near)
{
    if (!is_whole(all->values[all->hard] * multiple, near)) return 0;
    for (size_t i = 0; i < all->n; i++) {
        if (is_whole(all->values[i] * multiple, near)) continue;
        all->hard = i;
        return 0;
    }
    return 1;
}

/* The least value above 0, and the first other one; 0 where there is none. */
static void two_values(const double *values, size_t n, double pair[2])
{
    pair[0] = pair[1] = 0;
    for (size_t i = 0; i < n; i++)
        if (values[i] > 0 && (pair[0] == 0 || values[i] < pair[0])) pair[0] = values[i];
    for (size_t i = 0; i < n && pair[1] == 0; i++)
        if (values[i] > pair[0]) pair[1] = values[i];
}

/* The denominator, up to MOST_DENOMINATOR, of the fraction that `ratio` is but for its last bits,
 * by continued fractions; 0 if it is none. */
static double denominator_of(double ratio)
{
    double before = 0, now = 1, rest = ratio;
    for (int i = 0; i < 40 && now <= MOST_DENOMINATOR; i++) {
        if (is_whole(ratio * now, 1)) return now;
        rest = 1 / (rest - floor(rest));
        double next = floor(rest) * now + before;
        before = now;
        now = next;
    }
    return 0;
}

/* A number that makes whole numbers of all values: up to MOST_MULTIPLE, or such a number over the
 * least of them, or one that fits the two values that there are (class weights in inverse
 * proportion to the rows); 0 if none is found. */
static double whole_multiple(const double *values, size_t n)
{
    numbers all = {values, n, 0};
    double pair[2];
    for (unsigned m = 1; m <= MOST_MULTIPLE; m++)
        if (all_whole(&all, m, 0)) return m;
    two_values(values, n, pair);
    for (unsigned m = 1; m <= MOST_MULTIPLE; m++)
        if (all_whole(&all, m / pair[0], 1)) return m / pair[0];
    double m = pair[1] > 0 ? denominator_of(pair[1] / pair[0]) / pair[0] : 0;
    return m > 0 && all_whole(&all, m, 1) ? m : 0;
}

/* Numbers become integers by a multiplication and a division: exact ones, in which doubles that
 * stand for whole numbers lose nothing, or rounded ones. */
typedef struct {
    double multiple, divisor;
    int rounded;
} scaling;

static double scale_of(scaling s) { return s.multiple / s.divisor; }

static void round_all(const double *values, size_t n, scaling s, int64_t *out)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = (int64_t) llround(values[i] * s.multiple / s.divisor);
        CT_ASSERT(out[i] >= 0);
    }
}

static double largest(const double *values, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        if (values[i] > most) most = values[i];
    return most;
}

/* The scale that makes `most` nearly 2^bits. */
static double power_scale(double most, int bits)
{
    int up = most > 0 ? bits - 1 - ilogb(most) : 0;
    return ldexp(1, up < 1000 ? up : 1000);
}

static ct_status no_memory(ct_error *error)
{
    return ct_fail(error, CT_NO_MEMORY, "not enough memory for the costs of the rows");
}

/* Bits of the largest sum: of whole multiples, and of what is rounded. */
typedef struct {
    int whole, rounded;
} room;

/* Weights, or losses: what their units add up to, or reach, at most; and a multiple that makes them
 * whole, 0 if none is known. */
typedef struct {
    const double *values;
    size_t n;
    double most, whole;
} factor;

static factor factor_of(const double *values, size_t n, double most)
{
    return (factor){values, n, most, whole_multiple(values, n)};
}

static double units_of(const factor *f, scaling s) { return f->most * scale_of(s); }

/* The largest number that divides all values times `multiple`, which are whole. */
static double common_divisor(const factor *f)
{
    double common = 0;
    for (size_t i = 0; i < f->n && common != 1; i++) {
        double other = nearbyint(f->values[i] * f->whole);
        while (other > 0) {
            double rest = fmod(common, other);
            common = other;
            other = rest;
        }
    }
    return common > 0 ? common : 1;
}

/* Whole numbers, as small as it takes for their products with up to `other` to stay below 2^bits;
 * rounded if there are none. */
static scaling whole_scaling(const factor *f, double other, int bits)
{
    scaling s = {f->whole, 1, 0};
    int known = f->whole > 0 && isfinite(units_of(f, s));
    if (known && units_of(f, s) * other >= ldexp(1, bits)) s.divisor = common_divisor(f);
    s.rounded = !known || units_of(f, s) * other >= ldexp(1, bits);
    CT_ASSERT(s.divisor > 0 && bits > 0);
    return s;
}

static scaling scaling_of(const factor *f, double other, room bits)
{
    double least = other < 1 ? 1 : other;
    scaling s = whole_scaling(f, least, bits.whole);
    return s.rounded ? (scaling){power_scale(f->most * least, bits.rounded), 1, 1} : s;
}

/* Half a unit for each number that was rounded, times what it is multiplied with at most; in the
 * objective. */
static double rounding_of(const factor *weights, const factor *losses, scaling weight,
                          scaling loss)
{
    double n = (double) weights->n, of_weights = weight.rounded ? n * units_of(losses, loss) : 0,
           of_losses = loss.rounded ? units_of(weights, weight) + n : 0;
    return (of_weights + of_losses) / 2 / scale_of(weight) / scale_of(loss);
}

/* Shares the bits out between weights and losses: of a few ways the one that rounds least, which is
 * not at all where both are whole and their products fit. */
static void scale_both(const factor *weights, const factor *losses, room bits, scaling *weight,
                       scaling *loss)
{
    scaling whole = whole_scaling(losses, 1, bits.whole), small = {losses->whole, 1, 0};
    scaling pairs[4][2]; /* of weights and of losses */
    if (!whole.rounded) small.divisor = common_divisor(losses);
    pairs[0][1] = scaling_of(losses, 1, (room){LOSS_BITS, LOSS_BITS});
    pairs[1][1] = whole.rounded ? pairs[0][1] : whole;
    pairs[2][1] = whole.rounded ? pairs[0][1] : small;
    for (int i = 0; i < 3; i++)
        pairs[i][0] = scaling_of(weights, units_of(losses, pairs[i][1]), bits);
    pairs[3][0] = scaling_of(weights, 1, bits);
    pairs[3][1] = scaling_of(losses, units_of(weights, pairs[3][0]), bits);
    int best = 0;
    for (int i = 1; i < 4; i++)
        if (rounding_of(weights, losses, pairs[i][0], pairs[i][1]) <
            rounding_of(weights, losses, pairs[best][0], pairs[best][1]))
            best = i;
    CT_ASSERT(scale_of(pairs[best][0]) > 0 && scale_of(pairs[best][1]) > 0);
    *weight = pairs[best][0];
    *loss = pairs[best][1];
}

/* Losses and, from them, gains. NULL: all 1. */
static void set_losses(const double *given, size_t n, scaling scale, int64_t *loss, int64_t *gains,
                       int64_t *least)
{
    if (given) round_all(given, n * n, scale, loss);
    for (size_t c = 0; c < n; c++) {
        int64_t most = 0;
        least[c] = n > 1 ? INT64_MAX : 0;
        for (size_t k = 0; k < n; k++) {
            if (!given) loss[c * n + k] = c != k;
            if (loss[c * n + k] > most) most = loss[c * n + k];
            if (c != k && loss[c * n + k] < least[c]) least[c] = loss[c * n + k];
        }
        CT_ASSERT(least[c] >= 0 && least[c] <= most && loss[c * n + c] == 0);
        for (size_t k = 0; k < n; k++) gains[c * n + k] = most - loss[c * n + k];
    }
}

/* Whether every wrong label costs a class the same, as with two classes: then the loss is a weight
 * of the class. */
static int by_class(const double *loss, size_t n)
{
    for (size_t c = 0; c < n; c++)
        for (size_t k = 1; k < n; k++)
            if (k != c && loss[c * n + k] != loss[c * n + (c ? 0 : 1)]) return 0;
    return 1;
}

/* ---- what can be said more simply ---- */

/* Weights and losses as they are searched: rows of a class that all weigh the same have larger
 * losses instead, and rows that all cost the same cost `each`. */
typedef struct {
    const double *weights, *loss;
    double each;
} simpler;

/* Whether the product of two whole numbers is beyond what a double holds. */
static int loses_digits(double x, double y)
{
    return x == floor(x) && y == floor(y) && fma(x, y, -(x * y)) != 0;
}

/* [class] what each of its rows weighs (where it has none, as the first row); 0 if they differ
 * within a class. */
static int weigh_classes(const ct_data *data, double *weight)
{
    for (uint32_t c = 0; c < data->n_classes; c++) weight[c] = -1;
    for (uint32_t row = 0; row < data->n_rows; row++) {
        double *own = &weight[data->classes[row]];
        if (*own != data->weights[row] && *own >= 0) return 0;
        *own = data->weights[row];
    }
    for (uint32_t c = 0; c < data->n_classes; c++)
        if (weight[c] < 0)
            weight[c] = data->weights[0]; /* a number of its own could hide all others */
    return 1;
}

static int all_the_same(const double *loss, size_t n)
{
    for (size_t i = 1; i < n * n; i++)
        if (i % (n + 1) && loss[i] != loss[1]) return 0;
    return n > 1 && loss[1] > 0;
}

/* Weights that are the same for all rows of a class become losses. */
static ct_status weights_to_losses(const ct_data *data, ct_arena *arena, simpler *out,
                                   ct_error *error)
{
    size_t n = data->n_classes;
    double *weight = CT_ARENA_NEW(arena, double, n), *loss;
    if (!weight) return no_memory(error);
    if (!weigh_classes(data, weight)) return CT_OK;
    loss = CT_ARENA_NEW(arena, double, n * n);
    if (!loss) return no_memory(error);
    for (size_t i = 0; i < n * n; i++) {
        double own = data->loss ? data->loss[i] : (double) (i % (n + 1) != 0);
        if (loses_digits(weight[i / n], own)) return CT_OK;
        loss[i] = weight[i / n] * own;
    }
    out->weights = NULL;
    out->loss = loss;
    return CT_OK;
}

static int equal_weights(const ct_data *data)
{
    uint32_t row = 1;
    while (row < data->n_rows && data->weights[row] == data->weights[0]) row++;
    return row >= data->n_rows;
}

/* Nothing here may take memory by the square of the classes unless losses do: there may be very
 * many. */
static ct_status simplify(const ct_data *data, ct_arena *arena, simpler *out, ct_error *error)
{
    *out = (simpler){data->weights, data->loss, 1};
    if (data->weights && !data->loss && equal_weights(data)) {
        out->each = data->weights[0];
        out->weights = NULL;
    } else if (data->weights) {
        CT_TRY(weights_to_losses(data, arena, out, error));
    }
    if (out->weights || !out->loss || !all_the_same(out->loss, data->n_classes)) return CT_OK;
    out->each = out->loss[1];
    out->loss = NULL;
    return CT_OK;
}

/* ---- weights ---- */

/* When losses are taken into the weights: where they do not depend on the label, as doubles, or as
 * integers if doubles would lose digits of whole numbers. */
typedef enum { FOLD_NOT, FOLD_DOUBLES, FOLD_INTEGERS } folding;

static folding choose_folding(const ct_data *data, const simpler *from)
{
    size_t n = data->n_classes;
    if (!from->weights || !from->loss || n < 2 || !by_class(from->loss, n)) return FOLD_NOT;
    for (uint32_t row = 0; row < data->n_rows; row++) {
        size_t c = (size_t) data->classes[row];
        if (loses_digits(data->weights[row], from->loss[c * n + (c ? 0 : 1)]))
            return FOLD_INTEGERS;
    }
    return FOLD_DOUBLES;
}

/* Integer weights, times their class's loss. */
static void fold_integers(const ct_data *data, scaling loss, int64_t *weights)
{
    size_t n = data->n_classes;
    for (uint32_t row = 0; row < data->n_rows; row++) {
        size_t c = (size_t) data->classes[row];
        int64_t own;
        round_all(&data->loss[c * n + (c ? 0 : 1)], 1, loss, &own);
        weights[row] *= own;
    }
}

/* The rows' weights, times their class's loss if `fold`. */
static double *effective_weights(const ct_data *data, int fold, ct_arena *arena, double *sum)
{
    size_t n = data->n_classes;
    double *weights = CT_ARENA_NEW(arena, double, data->n_rows);
    *sum = 0;
    for (uint32_t row = 0; weights && row < data->n_rows; row++) {
        size_t c = (size_t) data->classes[row];
        weights[row] = data->weights[row] * (fold ? data->loss[c * n + (c ? 0 : 1)] : 1);
        *sum += weights[row];
    }
    return weights;
}

static double sum_of_weights(const ct_data *data)
{
    double sum = 0;
    if (!data->weights) return data->n_rows;
    for (uint32_t row = 0; row < data->n_rows; row++) sum += data->weights[row];
    return sum;
}

/* Sets the rows' weights, and how they and the losses (whose scaling is given where rows have no
 * weights beside them) are counted. */
static ct_status set_weights(ct_costs *costs, const ct_data *data, folding fold,
                             const factor *losses, room bits, scaling *weight, scaling *loss,
                             double *sum, ct_arena *arena, ct_error *error)
{
    int64_t *weights = CT_ARENA_NEW(arena, int64_t, data->n_rows);
    ct_arena_mark mark = ct_arena_here(arena);
    const double *given = effective_weights(data, fold == FOLD_DOUBLES, arena, sum);
    if (!weights || !given) return no_memory(error);
    factor own = factor_of(given, data->n_rows, *sum);
    if (losses->values) scale_both(&own, losses, bits, weight, loss);
    else *weight = scaling_of(&own, 1, bits);
    costs->rounding = rounding_of(&own, losses, *weight, *loss);
    round_all(given, data->n_rows, *weight, weights);
    if (fold == FOLD_INTEGERS) fold_integers(data, *loss, weights);
    ct_arena_release(arena, mark);
    CT_ASSERT(*sum >= 0 && costs->rounding >= 0);
    costs->weights = weights;
    return CT_OK;
}

/* ---- doubles ---- */

/* The least number of binary places that all values have, up to FEW_BITS; -1: they have more. */
static int binary_places(const double *values, size_t n)
{
    int places = 0;
    for (size_t i = 0; values && i < n; i++) {
        while (places <= FEW_BITS && !is_whole(ldexp(values[i], places), 0)) places++;
        if (places > FEW_BITS) return -1;
    }
    return places;
}

/* Nothing, if weights and losses have so few places that doubles add up their products exactly.
 * Else: two of them may be off by their last bits, see is_whole(), and so may each sum. */
static double noise_of(const ct_data *data, double total)
{
    size_t n = data->n_classes;
    int of_weights = binary_places(data->weights, data->n_rows),
        of_loss = binary_places(data->loss, n * n);
    double most = total * (data->loss ? largest(data->loss, n * n) : 1);
    if (of_weights >= 0 && of_loss >= 0 && most < ldexp(1, DOUBLE_BITS - of_weights - of_loss))
        return 0;
    return ldexp(1, -47) + ldexp(data->n_rows, -DOUBLE_BITS);
}

/* ---- the whole ---- */

/* What all rows cost at most under losses of at most `most`, in rows that cost that; at least one,
 * as that may be the loss of a class without rows. */
static double dearest_rows(const ct_data *data, const double *loss, double most)
{
    double sum = 0;
    size_t n = data->n_classes;
    for (uint32_t row = 0; row < data->n_rows; row++)
        sum += largest(loss + (size_t) data->classes[row] * n, n);
    return most > 0 && sum > most ? sum / most : 1;
}

/* Losses of rows that have no weights: whole, or of as many bits as doubles have. */
static scaling scale_losses(const factor *losses, room bits, double n_rows, double dearest)
{
    scaling s = whole_scaling(losses, dearest, bits.whole);
    int each = bits.rounded - ilogb(n_rows) - 1;
    if (!s.rounded) return s;
    return (scaling){power_scale(losses->most, each < DOUBLE_BITS ? each : DOUBLE_BITS), 1, 1};
}

/* Splits of a tree in which each separates rows. */
static uint32_t splits_at_most(const ct_data *data, unsigned depth)
{
    uint64_t leaves = UINT64_C(1) << depth;
    if (leaves > data->n_rows) leaves = data->n_rows;
    return leaves > 2 ? (uint32_t) leaves - 1 : 1;
}

ct_status ct_costs_init(ct_costs *costs, const ct_data *data, unsigned depth, double complexity,
                        ct_arena *arena, ct_error *error)
{
    size_t n = data->n_classes;
    simpler from = {NULL, NULL, 1};
    CT_TRY(simplify(data, arena, &from, error));
    folding fold = choose_folding(data, &from);
    const double *given = fold == FOLD_DOUBLES ? NULL : from.loss;
    scaling loss = {1, 1, 0}, weight = {1, 1, 0};
    factor losses = {NULL, 0, 1, 1};
    double sum = data->n_rows;
    memset(costs, 0, sizeof *costs);
    costs->n_classes = data->n_classes;
    costs->plain = !from.weights && !from.loss;
    costs->total = sum_of_weights(data);
    costs->noise = noise_of(data, costs->total);
    costs->most_splits = splits_at_most(data, depth);
    room bits = {CT_COST_BITS - (int) ct_penalty_bits(costs->most_splits, complexity > 0),
                 CT_COST_BITS - (int) ct_penalty_bits(costs->most_splits, 0)};
    if (given) losses = factor_of(given, n * n, largest(given, n * n));
    if (from.weights) {
        CT_TRY(set_weights(costs, data, fold, &losses, bits, &weight, &loss, &sum, arena, error));
    } else if (given) {
        const factor each = {NULL, data->n_rows, data->n_rows, 1};
        double dearest = dearest_rows(data, given, losses.most);
        loss = scale_losses(&losses, bits, sum, dearest);
        costs->rounding = rounding_of(&each, &losses, weight, loss);
        if (!loss.rounded) sum = dearest;
    }
    costs->unit = from.each * (weight.divisor * loss.divisor) / (weight.multiple * loss.multiple);
    CT_ASSERT(costs->unit > 0 && costs->rounding >= 0);
    ct_penalty_set(costs, complexity, units_of(&losses, loss) * sum * scale_of(weight));
    if (costs->plain) return CT_OK;
    int64_t *units = CT_ARENA_NEW(arena, int64_t, n * n),
            *gains = CT_ARENA_NEW(arena, int64_t, n * n);
    int64_t *least = CT_ARENA_NEW(arena, int64_t, n);
    if (!units || !gains || !least) return no_memory(error);
    set_losses(fold ? NULL : given, n, loss, units, gains, least);
    costs->loss = units;
    costs->gains = gains;
    costs->least = least;
    return CT_OK;
}

int ct_costs_by_label(const ct_costs *costs)
{
    size_t n = costs->n_classes;
    if (costs->plain) return 0;
    for (size_t c = 0; c < n; c++)
        for (size_t k = 0; k < n; k++)
            if (k != c && costs->gains[c * n + k] != 0) return 1;
    return 0;
}

double ct_cost_grain(const ct_costs *costs) { return costs->rounding > 0 ? 0 : costs->unit; }

ct_status ct_totals_new(ct_totals *totals, const ct_costs *costs, ct_arena *arena)
{
    totals->rows = CT_ARENA_ZEROED(arena, uint32_t, costs->n_classes);
    totals->masses = costs->weights ? CT_ARENA_ZEROED(arena, int64_t, costs->n_classes) : NULL;
    int rounded = costs->quantised && costs->quantised->rows && !costs->quantised->exact;
    totals->quantised = rounded ? CT_ARENA_ZEROED(arena, uint32_t, costs->n_classes) : NULL;
    int ready = totals->rows && (totals->masses || !costs->weights) &&
                (totals->quantised || !rounded);
    return ready ? CT_OK : CT_NO_MEMORY;
}

int64_t ct_best_label(const ct_costs *costs, const ct_totals *totals, uint32_t *label)
{
    uint32_t n = costs->n_classes;
    int64_t best = INT64_MAX;
    if (costs->plain) {
        *label = 0;
        for (uint32_t c = 1; c < n; c++)
            if (totals->rows[c] > totals->rows[*label]) *label = c;
        return ct_leaf_cost(costs, totals);
    }
    for (uint32_t k = 0; k < n; k++) {
        int64_t cost = 0;
        for (uint32_t c = 0; c < n; c++) cost += ct_mass(totals, c) * costs->loss[c * n + k];
        if (cost >= best) continue;
        best = cost;
        *label = k;
    }
    CT_ASSERT(best >= 0 && best < INT64_MAX && *label < n);
    return ct_cost_of_units(costs, best);
}

int64_t ct_dearest_of(const ct_costs *costs, const ct_totals *totals)
{
    int64_t sum = 0;
    for (uint32_t c = 0; c < costs->n_classes; c++)
        sum += ct_mass(totals, c) * costs->gains[c * (costs->n_classes + 1)];
    CT_ASSERT(sum >= 0);
    return ct_cost_of_units(costs, sum);
}
