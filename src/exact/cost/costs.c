#include "base/compact.h"

#include "base/sum.h"
#include "exact/cost/quantised.h"
#include "exact/cost/response.h"
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

/* Bits of rounded losses beside rounded weights: n weights are off by 2^-(bits of their sum) of it
 * each, the largest loss by 2^-(its bits), so these are as good as equal where the sum has the bits
 * of n more. */
static int balanced_bits(const factor *weights, room bits)
{
    return (bits.rounded - ilogb((double) weights->n)) / 2;
}

/* Shares the bits out between weights and losses: of a few ways the one that rounds least, which is
 * not at all where both are whole and their products fit. */
static void scale_both(const factor *weights, const factor *losses, room bits, scaling *weight,
                       scaling *loss)
{
    scaling whole = whole_scaling(losses, 1, bits.whole), small = {losses->whole, 1, 0};
    scaling pairs[4][2]; /* of weights and of losses */
    if (!whole.rounded) small.divisor = common_divisor(losses);
    pairs[0][1] = scaling_of(losses, 1, (room){LOSS_BITS, balanced_bits(weights, bits)});
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
 * losses instead, and rows that all cost the same cost `each`. Losses that do not depend on the
 * label are one number a class: memory by the square of the number of classes is taken only
 * where losses are given, which have that many. */
typedef struct {
    const double *weights; /* [row] NULL: 1 each */
    const double *price;   /* [class] what any wrong label costs; NULL: 1 each, or else */
    const double *loss;    /* [class][label] */
    double each;
} simpler;

static const double *losses_of(const simpler *from)
{
    return from->loss ? from->loss : from->price;
}

static size_t n_losses(const simpler *from, size_t n) { return from->loss ? n * n : n; }

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

static int all_the_same(const double *values, size_t n)
{
    size_t i = 1;
    while (i < n && values[i] == values[0]) i++;
    return i >= n && values[0] > 0;
}

/* Losses that do not depend on the label, as where there is but one wrong one or none. */
static ct_status losses_to_prices(const ct_data *data, ct_arena *arena, simpler *out,
                                  ct_error *error)
{
    size_t n = data->n_classes;
    if (!by_class(data->loss, n)) return CT_OK;
    out->loss = NULL;
    if (n < 2) return CT_OK;
    double *price = CT_ARENA_NEW(arena, double, n);
    if (!price) return no_memory(error);
    for (size_t c = 0; c < n; c++) price[c] = data->loss[c * n + (c ? 0 : 1)];
    out->price = price;
    return CT_OK;
}

/* Weights that are the same for all rows of a class become losses. */
static ct_status weights_to_losses(const ct_data *data, ct_arena *arena, simpler *out,
                                   ct_error *error)
{
    size_t n = data->n_classes, labels = out->loss ? n : 1;
    double *weight = CT_ARENA_NEW(arena, double, n), *product;
    if (!weight) return no_memory(error);
    if (!weigh_classes(data, weight)) return CT_OK;
    product = CT_ARENA_NEW(arena, double, n * labels);
    if (!product) return no_memory(error);
    for (size_t i = 0; i < n * labels; i++) {
        double own = losses_of(out) ? losses_of(out)[i] : 1;
        if (loses_digits(weight[i / labels], own)) return CT_OK;
        product[i] = weight[i / labels] * own;
    }
    out->weights = NULL;
    if (out->loss) out->loss = product;
    else out->price = product;
    return CT_OK;
}

static ct_status simplify(const ct_data *data, ct_arena *arena, simpler *out, ct_error *error)
{
    *out = (simpler){data->weights, NULL, data->loss, 1};
    if (data->loss) CT_TRY(losses_to_prices(data, arena, out, error));
    if (data->weights) CT_TRY(weights_to_losses(data, arena, out, error));
    if (out->weights || !out->price || !all_the_same(out->price, data->n_classes)) return CT_OK;
    out->each = out->price[0];
    out->price = NULL;
    return CT_OK;
}

/* ---- weights ---- */

/* When losses are taken into the weights: where they do not depend on the label, as doubles, or as
 * integers if doubles would lose digits of whole numbers. */
typedef enum { FOLD_NOT, FOLD_DOUBLES, FOLD_INTEGERS } folding;

static folding choose_folding(const ct_data *data, const simpler *from)
{
    if (!from->weights || !from->price) return FOLD_NOT;
    for (uint32_t row = 0; row < data->n_rows; row++)
        if (loses_digits(data->weights[row], from->price[data->classes[row]]))
            return FOLD_INTEGERS;
    return FOLD_DOUBLES;
}

/* Integer weights, times their class's loss. */
static void fold_integers(const ct_data *data, const double *price, scaling loss, int64_t *weights)
{
    for (uint32_t row = 0; row < data->n_rows; row++) {
        int64_t own;
        round_all(&price[data->classes[row]], 1, loss, &own);
        weights[row] *= own;
    }
}

/* The rows' weights, times their class's price if it is there. */
static double *effective_weights(const ct_data *data, const double *price, ct_arena *arena,
                                 double *sum)
{
    double *weights = CT_ARENA_NEW(arena, double, data->n_rows);
    *sum = 0;
    for (uint32_t row = 0; weights && row < data->n_rows; row++) {
        weights[row] = data->weights[row] * (price ? price[data->classes[row]] : 1);
        *sum += weights[row];
    }
    return weights;
}

static double sum_of_weights(const ct_data *data)
{
    ct_sum sum = {0, 0};
    if (!data->weights) return data->n_rows;
    for (uint32_t row = 0; row < data->n_rows; row++) ct_sum_add(&sum, data->weights[row]);
    return ct_sum_value(&sum);
}

/* Sets the rows' weights, and how they and the losses (whose scaling is given where rows have no
 * weights beside them) are counted. */
static ct_status set_weights(ct_exact_costs *costs, const ct_data *data, folding fold,
                             const double *price, const factor *losses, room bits,
                             scaling *weight, scaling *loss, double *sum, ct_arena *arena,
                             ct_error *error)
{
    int64_t *weights = CT_ARENA_NEW(arena, int64_t, data->n_rows);
    ct_arena_mark mark = ct_arena_here(arena);
    const double *given = effective_weights(data, fold == FOLD_DOUBLES ? price : NULL, arena, sum);
    if (!weights || !given) return no_memory(error);
    factor own = factor_of(given, data->n_rows, *sum);
    if (losses->values) scale_both(&own, losses, bits, weight, loss);
    else *weight = scaling_of(&own, 1, bits);
    costs->rounding = rounding_of(&own, losses, *weight, *loss);
    round_all(given, data->n_rows, *weight, weights);
    if (fold == FOLD_INTEGERS) fold_integers(data, price, *loss, weights);
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

/* What all rows cost at most, in rows that cost `most`, the largest loss; at least one, as that may
 * be the loss of a class without rows. */
static double dearest_rows(const ct_data *data, const simpler *from, double most)
{
    double sum = 0;
    size_t n = data->n_classes;
    for (uint32_t row = 0; row < data->n_rows; row++) {
        size_t c = (size_t) data->classes[row];
        sum += from->loss ? largest(from->loss + c * n, n) : from->price[c];
    }
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

/* [class] the same under any wrong label; NULL: 1 each. */
static ct_status set_prices(ct_exact_costs *costs, const double *price, scaling scale,
                            ct_arena *arena, ct_error *error)
{
    size_t n = costs->n_classes;
    int64_t *most = CT_ARENA_NEW(arena, int64_t, n);
    if (!most) return no_memory(error);
    for (size_t c = 0; c < n; c++) most[c] = 1;
    if (price) round_all(price, n, scale, most);
    costs->most = costs->least = most;
    return CT_OK;
}

/* [class][label], and from these gains. */
static ct_status set_losses(ct_exact_costs *costs, const double *given, scaling scale,
                            ct_arena *arena, ct_error *error)
{
    size_t n = costs->n_classes;
    int64_t *loss = CT_ARENA_NEW(arena, int64_t, n * n),
            *gains = CT_ARENA_NEW(arena, int64_t, n * n);
    int64_t *most = CT_ARENA_ZEROED(arena, int64_t, n), *least = CT_ARENA_NEW(arena, int64_t, n);
    if (!loss || !gains || !most || !least) return no_memory(error);
    round_all(given, n * n, scale, loss);
    for (size_t c = 0; c < n; c++) {
        least[c] = n > 1 ? INT64_MAX : 0;
        for (size_t k = 0; k < n; k++) {
            if (loss[c * n + k] > most[c]) most[c] = loss[c * n + k];
            if (c != k && loss[c * n + k] < least[c]) least[c] = loss[c * n + k];
        }
        CT_ASSERT(least[c] >= 0 && least[c] <= most[c] && loss[c * n + c] == 0);
        for (size_t k = 0; k < n; k++) gains[c * n + k] = most[c] - loss[c * n + k];
    }
    costs->most = most;
    costs->least = least;
    costs->loss = loss;
    costs->gains = gains;
    return CT_OK;
}

ct_status ct_exact_costs_init(ct_exact_costs *costs, const ct_data *data, unsigned depth,
                              double complexity, int one_word, ct_arena *arena, ct_error *error)
{
    if (data->response)
        return ct_response_init(costs, data, depth, complexity, one_word, arena, error);
    simpler from;
    CT_TRY(simplify(data, arena, &from, error));
    folding fold = choose_folding(data, &from);
    const double *given = fold == FOLD_DOUBLES ? NULL : losses_of(&from);
    size_t n_given = n_losses(&from, data->n_classes);
    scaling loss = {1, 1, 0}, weight = {1, 1, 0};
    factor losses = {NULL, 0, 1, 1};
    double sum = data->n_rows;
    memset(costs, 0, sizeof *costs);
    costs->n_classes = data->n_classes;
    costs->plain = !from.weights && !losses_of(&from);
    costs->total = sum_of_weights(data);
    costs->noise = noise_of(data, costs->total);
    costs->most_splits = ct_most_splits(data->n_rows, depth);
    room bits = {CT_COST_BITS - (int) ct_penalty_bits(costs->most_splits, complexity > 0),
                 CT_COST_BITS - (int) ct_penalty_bits(costs->most_splits, 0)};
    if (given) losses = factor_of(given, n_given, largest(given, n_given));
    if (from.weights) {
        CT_TRY(set_weights(costs, data, fold, from.price, &losses, bits, &weight, &loss, &sum,
                           arena, error));
    } else if (given) {
        const factor each = {NULL, data->n_rows, data->n_rows, 1};
        double dearest = dearest_rows(data, &from, losses.most);
        loss = scale_losses(&losses, bits, sum, dearest);
        costs->rounding = rounding_of(&each, &losses, weight, loss);
        if (!loss.rounded) sum = dearest;
    }
    costs->unit = from.each * (weight.divisor * loss.divisor) / (weight.multiple * loss.multiple);
    CT_ASSERT(costs->unit > 0 && costs->rounding >= 0);
    ct_penalty_set(costs, complexity, units_of(&losses, loss) * sum * scale_of(weight));
    if (costs->plain) return CT_OK;
    if (from.loss) return set_losses(costs, from.loss, loss, arena, error);
    return set_prices(costs, fold ? NULL : from.price, loss, arena, error);
}

double ct_exact_cost_grain(const ct_exact_costs *costs)
{
    return costs->rounding > 0 || costs->response ? 0 : costs->unit;
}

double ct_exact_cost_rounding(const ct_exact_costs *costs)
{
    return costs->response ? ct_response_rounding(costs) : costs->rounding;
}

ct_status ct_totals_new(ct_totals *totals, const ct_exact_costs *costs, ct_arena *arena)
{
    totals->rows = CT_ARENA_ZEROED(arena, uint32_t, costs->n_classes);
    totals->masses = costs->weights ? CT_ARENA_ZEROED(arena, int64_t, costs->n_classes) : NULL;
    const ct_quantised *quantised = costs->quantised;
    int rounded = quantised && quantised->rows && (quantised->by_label || !quantised->exact);
    totals->quantised = rounded ? CT_ARENA_ZEROED(arena, uint32_t, costs->n_classes) : NULL;
    int in_full = costs->response && costs->response->rounded,
        in_scans = costs->response && !(in_full && ct_response_weights(costs));
    totals->moments = in_scans ? CT_ARENA_ZEROED(arena, int64_t, 2) : NULL;
    totals->full = in_full ? CT_ARENA_ZEROED(arena, ct_full_sums, 1) : NULL;
    int ready = totals->rows && (totals->masses || !costs->weights) &&
                (totals->quantised || !rounded) && (totals->moments || !in_scans) &&
                (totals->full || !in_full);
    return ready ? CT_OK : CT_NO_MEMORY;
}

/* What a leaf costs in scans of a response. */
static int64_t cost_in_scans(const ct_exact_costs *costs, const ct_totals *totals)
{
    return ct_response_cost(costs->response->fine, ct_mass(totals, 0), totals->moments[0],
                            totals->moments[1]);
}

int64_t ct_leaf_bound(const ct_exact_costs *costs, const ct_totals *totals)
{
    if (!totals->full || !totals->moments) return ct_leaf_cost(costs, totals);
    return ct_response_surely(costs->response, cost_in_scans(costs, totals), ct_mass(totals, 0));
}

int64_t ct_best_label(const ct_exact_costs *costs, const ct_totals *totals, uint32_t *label)
{
    uint32_t n = costs->n_classes;
    int64_t best = INT64_MAX;
    if (costs->plain) {
        *label = 0;
        for (uint32_t c = 1; c < n; c++)
            if (totals->rows[c] > totals->rows[*label]) *label = c;
        return ct_leaf_cost(costs, totals);
    }
    if (costs->response) {
        *label = 0;
        if (totals->full) return ct_full_cost(&costs->response->full, totals->full);
        return cost_in_scans(costs, totals);
    }
    int64_t all = 0;
    for (uint32_t c = 0; !costs->loss && c < n; c++) all += ct_mass(totals, c) * costs->most[c];
    for (uint32_t k = 0; k < n; k++) {
        int64_t cost = costs->loss ? 0 : all - ct_mass(totals, k) * costs->most[k];
        for (uint32_t c = 0; costs->loss && c < n; c++)
            cost += ct_mass(totals, c) * costs->loss[c * n + k];
        if (cost >= best) continue;
        best = cost;
        *label = k;
    }
    CT_ASSERT(best >= 0 && best < INT64_MAX && *label < n);
    return ct_cost_of_units(costs, best);
}

int64_t ct_dearest_of(const ct_exact_costs *costs, const ct_totals *totals)
{
    int64_t sum = 0;
    for (uint32_t c = 0; c < costs->n_classes; c++)
        sum += ct_mass(totals, c) * costs->most[c];
    CT_ASSERT(sum >= 0);
    return ct_cost_of_units(costs, sum);
}
