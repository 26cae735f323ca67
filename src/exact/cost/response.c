#include "base/compact.h"

#include "exact/cost/response.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/sum.h"
#include "exact/cost/decimals.h"
#include "exact/cost/weighing.h"

enum {
    MOST_BITS = 23,      /* of z: sums of 64 rows fit into 32 bits, also beside their mean */
    COST_BITS = 59,      /* of Q; */
    ROUGH_BITS = 62,     /* of Q where that is of scans alone */
    FULL_BITS = 51,      /* of z in full: below those of doubles */
    WORD_BITS = 61,      /* of T in full, where rows have no weights: one word */
    MOST_OVERLAPS = 4,   /* see overlaps() */
    DEAREST_BITS = 61,   /* of what all rows cost at most, in the units of costs */
    LEAST_DECIMALS = -9, /* powers of ten that are tried as the step of y */
    MOST_DECIMALS = 12
};

/* Relative errors of doubles added up, generously. */
static const double NOISE = 1e-12;

/* Of the root of the sum of squares of all rows, what a grid in one word may lose: of the squares
 * of a tree four times as much at most. */
static const double LOST_SHARE = 0x1p-32;

/* Responses nearer to each other are the same: their squares would vanish. */
static const double LEAST_RANGE = 1e-140;

static ct_status no_memory(ct_error *error)
{
    return ct_fail(error, CT_NO_MEMORY, "not enough memory for the response");
}

/* The squares are those of y itself. Near the mean deviations have all their digits; what its own
 * rounding adds comes off. */
static ct_spread spread_of(const ct_data *data)
{
    ct_spread spread = {INFINITY, -INFINITY, 0};
    ct_sum weight = {0, 0}, sum = {0, 0}, squares = {0, 0}, rest = {0, 0};
    for (uint32_t row = 0; row < data->n_rows; row++) {
        if (!ct_data_counts(data, row)) continue;
        spread.low = fmin(spread.low, data->response[row]);
        spread.high = fmax(spread.high, data->response[row]);
    }
    CT_ASSERT(spread.low <= spread.high);
    const double centre = spread.low / 2 + spread.high / 2;
    for (uint32_t row = 0; row < data->n_rows; row++) {
        double w = data->weights ? data->weights[row] : 1;
        if (!ct_data_counts(data, row)) continue;
        ct_sum_add(&weight, w);
        ct_sum_add(&sum, w * (data->response[row] - centre));
    }
    double mean = centre + ct_sum_value(&sum) / ct_sum_value(&weight);
    for (uint32_t row = 0; row < data->n_rows; row++) {
        double w = data->weights ? data->weights[row] : 1, x = data->response[row] - mean;
        if (!ct_data_counts(data, row)) continue;
        ct_sum_add(&rest, w * x);
        ct_sum_add(&squares, w * x * x);
    }
    double off = ct_sum_value(&rest);
    spread.sse = fmax(ct_sum_value(&squares) - off / ct_sum_value(&weight) * off, 0);
    return spread;
}

/* ---- the grid ---- */

/* A grid of 2^bits steps to either side of its centre. */
typedef struct {
    const ct_data *data;
    double low, high; /* the range of the response */
    double own;       /* how far it is from its mean */
    int bits;
    int64_t *z;       /* [row] */
    double centre, step;
    double error, blur; /* see ct_exact_response */
    int loses;          /* that is more than a finer grid would lose */
} grid;

/* Rows that do not count are at the centre. */
static void put(const grid *g, uint32_t row, double z)
{
    CT_ASSERT(!ct_data_counts(g->data, row) || fabs(z) <= ldexp(1, g->bits));
    g->z[row] = ct_data_counts(g->data, row) ? (int64_t) z : 0;
}

/* All decimals of y, and as many binary places more as there is room for; 0 if there is none, or if
 * decimals that are near y, or the centre, are further away than a grid of equal steps would be. */
static int fit_decimals(grid *g)
{
    const double *y = g->data->response;
    double near = ldexp(g->high - g->low, -g->bits - 2);
    int decimals = ct_decimals_of(g->data, y, LEAST_DECIMALS, MOST_DECIMALS, near);
    if (decimals > MOST_DECIMALS) return 0;
    double first = nearbyint(ct_decimals_shift(g->low, decimals)),
           last = nearbyint(ct_decimals_shift(g->high, decimals)),
           middle = first + floor((last - first) / 2), most = fmax(last - middle, middle - first);
    if (most >= ldexp(1, g->bits)) return 0;
    g->centre = ct_decimals_shift(middle, -decimals);
    if (ct_decimals_off(g->centre, middle, decimals) > near) return 0;
    int places = g->bits - (int) ct_bit_width((uint64_t) most);
    for (uint32_t row = 0; row < g->data->n_rows; row++)
        put(g, row, ldexp(nearbyint(ct_decimals_shift(y[row], decimals)) - middle, places));
    g->step = ldexp(ct_decimals_shift(1, -decimals), -places);
    return 1;
}

/* Differences of y that are multiples of a power of two, all of them; 0 if they are none. */
static int fit_binary(grid *g)
{
    int exponent;
    (void) frexp(g->high - g->low, &exponent);
    double step = ldexp(1, exponent - g->bits - 1);
    if (!(step > 0)) return 0;
    g->step = step;
    g->centre = g->low + floor((g->high - g->low) / step / 2) * step;
    for (uint32_t row = 0; row < g->data->n_rows; row++) {
        double x = (g->data->response[row] - g->centre) / step;
        if (ct_data_counts(g->data, row) && (x != nearbyint(x) || fabs(x) > ldexp(1, g->bits)))
            return 0;
        put(g, row, nearbyint(x));
    }
    return 1;
}

/* Powers of two as steps. */
static void fit_range(grid *g)
{
    g->centre = g->low / 2 + g->high / 2;
    int exponent;
    (void) frexp(fmax(g->high - g->centre, g->centre - g->low), &exponent);
    g->step = ldexp(1, exponent - g->bits);
    for (uint32_t row = 0; row < g->data->n_rows; row++)
        put(g, row, nearbyint((g->data->response[row] - g->centre) / g->step));
}

/* What the centre and the step of a grid lost as doubles: it moves all of the grid, which changes
 * no cost, and all costs by the same share, which is nothing beside what doubles lose. */
typedef struct {
    double centre, step;
} last_bits;

/* How far y is from the grid, to a rounding of that. */
static double beside(const grid *g, const last_bits *lost, uint32_t row)
{
    double y = g->data->response[row], z = (double) g->z[row], x = y - g->centre, back = x - y,
           rest = (y - (x - back)) - (g->centre + back);
    return fma(-g->step, z, x) + (rest - (lost->centre + lost->step * z));
}

/* By the rows at both ends; of decimals. */
static last_bits last_bits_of(const grid *g)
{
    const last_bits none = {0, 0};
    uint32_t ends[2] = {0, 0}; /* rows that do not count are in the middle */
    for (uint32_t row = 1; row < g->data->n_rows; row++) {
        if (g->z[row] < g->z[ends[0]]) ends[0] = row;
        if (g->z[row] > g->z[ends[1]]) ends[1] = row;
    }
    if (!ct_data_counts(g->data, ends[0]) || !ct_data_counts(g->data, ends[1])) return none;
    double z = (double) g->z[ends[0]], steps = (double) g->z[ends[1]] - z,
           first = beside(g, &none, ends[0]),
           step = steps > 0 ? (beside(g, &none, ends[1]) - first) / steps : 0;
    if (!(fabs(step) <= DBL_EPSILON * g->step)) return none;
    return (last_bits){first - step * z, step};
}

/* How far y is from the grid. */
static double distance_of(const grid *g, const ct_weighing *w, const last_bits *lost)
{
    double sum = 0;
    for (uint32_t row = 0; row < g->data->n_rows; row++) {
        if (!ct_data_counts(g->data, row)) continue;
        double off = beside(g, lost, row);
        sum += (double) ct_weighing_at(w, row) * w->unit * off * off;
    }
    return sqrt(sum) * (1 + NOISE);
}

/* Sets z, centre, step, error and blur. Decimals have last bits of doubles that are none of
 * theirs; where these are more than what may be lost, doubles are what they are. */
static void fit(grid *g, const ct_weighing *w)
{
    last_bits lost = {0, 0};
    g->blur = 0;
    if (g->high / 2 - g->low / 2 < LEAST_RANGE) {
        g->centre = g->low;
        g->step = 1;
        memset(g->z, 0, g->data->n_rows * sizeof *g->z);
    } else if (fit_decimals(g)) {
        lost = last_bits_of(g);
        g->blur = distance_of(g, w, &lost);
        g->error = 4 * g->blur > NOISE * g->own ? g->blur : 0;
        g->loses = g->error > LOST_SHARE * g->own;
        return;
    } else if (!fit_binary(g)) {
        fit_range(g);
    }
    g->error = distance_of(g, w, &lost);
    g->loses = g->error > LOST_SHARE * g->own;
}

/* Writes z of scans, in `bits`: steps of the grid by 2^n, where it has n bits more. */
static void set_z(ct_exact_response *response, const grid *g, const ct_weighing *w, int bits,
                  int32_t *z)
{
    int shift = g->bits > bits ? g->bits - bits : 0;
    int64_t half = shift ? INT64_C(1) << (shift - 1) : 0, off = 0;
    int32_t least = INT32_MAX, most = INT32_MIN;
    double all = 0;
    for (uint32_t row = 0; row < g->data->n_rows; row++) {
        z[row] = (int32_t) ((g->z[row] + half) >> shift);
        int64_t away = g->z[row] - z[row] * (INT64_C(1) << shift);
        off = away > off ? away : -away > off ? -away : off;
        all += (double) ct_weighing_at(w, row) * ((double) away * (double) away);
        least = z[row] < least ? z[row] : least;
        most = z[row] > most ? z[row] : most;
    }
    response->z = z;
    response->range = most - least;
    response->off = (double) off * (double) off;
    response->off_all = all * (1 + NOISE) * (1 + g->data->n_rows * DBL_EPSILON);
    response->ratio = ldexp(1, 2 * shift);
}

/* Bits that are left of those of the dearest rows. */
static int room_for(double most)
{
    return DEAREST_BITS - (most > 0 ? ilogb(most) + 1 : DEAREST_BITS);
}

/* Costs in scans get as many bits as there is room for; see `fine`. */
static void set_fine(ct_exact_response *response, double weight)
{
    int room = room_for(weight * response->range * response->range);
    response->fine = room < 0 ? 0 : room < CT_FINE_BITS ? (unsigned) room : CT_FINE_BITS;
    response->scale = ldexp(1, (int) response->fine);
}

/* The furthest that two rows are from each other. */
static int64_t reach_of(const grid *g)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (uint32_t row = 0; row < g->data->n_rows; row++) {
        least = g->z[row] < least ? g->z[row] : least;
        most = g->z[row] > most ? g->z[row] : most;
    }
    return most - least;
}

/* Bits of a whole number; one more for 0. */
static int width_of(ct_wide x) { return ilogb(fmax((double) x, 1)) + 1; }

/* What sums of squares in two words leave of them; see ct_full. */
static unsigned low_bits_of(ct_wide weight, int64_t reach)
{
    int width = width_of(weight) + 2 * width_of(reach);
    return width > CT_FULL_BITS ? (unsigned) (width - CT_FULL_BITS) : 0;
}

/* What a row costs at most, in squares of steps: no further from any mean than rows are from each
 * other, and no more than all rows do. */
static double dearest_of(const ct_exact_response *response, const ct_full_sums *all,
                         uint32_t n_rows)
{
    const ct_full *full = &response->full;
    double reach = (double) response->reach, heaviest = 0;
    for (uint32_t row = 0; row < n_rows; row++)
        heaviest = fmax(heaviest, (double) ct_full_weight(full, row));
    ct_wide mean = all->weight ? ct_full_floor(all->sum, all->weight) : 0;
    return fmin(heaviest * reach * reach, ct_full_squares(all, mean, full->low_bits)) *
               (1 + 8 * DBL_EPSILON) + 1;
}

/* The unit of costs in full. Returns what a row costs at most. */
static int64_t set_units(ct_exact_response *response, const ct_full_sums *all, uint32_t n_rows)
{
    double dearest = dearest_of(response, all, n_rows);
    int down = -room_for(n_rows * dearest), low_bits = (int) response->full.low_bits;
    if (down < -CT_FINE_BITS) down = -CT_FINE_BITS;
    if (low_bits && down < low_bits) down = low_bits;
    response->full.down = down;
    response->ratio = ldexp(response->ratio, -down - (int) response->fine);
    response->off = ldexp(response->off, -down);
    response->off_all = ldexp(response->off_all, -down);
    return (int64_t) ceil(ldexp(dearest, -down));
}

static ct_full_sums sums_of_all(const ct_full *full, uint32_t n_rows)
{
    ct_full_sums sums = {0, 0, 0, 0};
    for (uint32_t row = 0; row < n_rows; row++) ct_full_add(full, row, &sums);
    return sums;
}

/* Sets the grid, in full and of scans: the same where nothing is rounded on the coarser one. *most:
 * what a row, or a weight of one where weights count, costs at most; *total: what all rows do. */
static ct_status fit_grid(const ct_data *data, ct_exact_response *response, const ct_weighing *w,
                          const ct_spread *spread, int one_word, int64_t *most, int64_t *total,
                          ct_arena *arena, ct_error *error)
{
    int32_t *z = CT_ARENA_NEW(arena, int32_t, data->n_rows);
    grid g = {.data = data, .low = spread->low, .high = spread->high, .own = sqrt(spread->sse)};
    g.z = CT_ARENA_NEW(arena, int64_t, data->n_rows);
    if (!z || !g.z) return no_memory(error);
    int width = width_of(w->sum), bits = (COST_BITS - width) / 2;
    g.bits = bits = bits < MOST_BITS ? bits : MOST_BITS;
    CT_ASSERT(g.bits > 8 || !(w->exact || one_word));
    if (w->exact || one_word) fit(&g, w);
    response->rounded = !one_word && (!w->exact || g.loses);
    if (response->rounded) {
        bits = w->whole ? MOST_BITS : (ROUGH_BITS - width) / 2;
        if (bits > MOST_BITS) bits = MOST_BITS;
        g.bits = w->whole || WORD_BITS - width > FULL_BITS ? FULL_BITS : WORD_BITS - width;
        fit(&g, w);
    }
    response->centre = g.centre;
    response->step = g.step;
    response->error = g.error;
    response->blur = g.blur;
    set_z(response, &g, w, bits, z);
    set_fine(response, (double) w->sum);
    response->reach = reach_of(&g);
    unsigned low_bits = response->rounded ? low_bits_of(w->sum, response->reach) : 0;
    response->full = (ct_full){g.z, w->whole, -(int) response->fine, low_bits};
    *most = (int64_t) response->range * response->range * ((int64_t) 1 << response->fine);
    const ct_full_sums all = sums_of_all(&response->full, data->n_rows);
    if (response->rounded) *most = set_units(response, &all, data->n_rows);
    *total = ct_full_cost(&response->full, &all);
    return CT_OK;
}

/* ---- the whole ---- */

static void set_split_cost(ct_exact_costs *costs, ct_exact_response *response, double complexity,
                           int64_t total, double sse)
{
    int64_t leaves = (int64_t) costs->most_splits + 1;
    double price = floor(complexity * (double) total);
    costs->split = (price < (double) total ? (int64_t) price : total + 1) + leaves;
    costs->penalty = fmin(complexity * sse, DBL_MAX); /* times no splits it is 0 */
    response->excess = fmax((double) costs->split * costs->unit - costs->penalty, 0);
}

/* The tables that scans look up. */
static ct_status set_tables(ct_exact_response *response, uint32_t n_rows, ct_arena *arena,
                            ct_error *error)
{
    size_t room = (size_t) n_rows + CT_INVERSE_PAD;
    float *inverse = CT_ARENA_ZEROED(arena, float, room),
          *falling = CT_ARENA_ZEROED(arena, float, room);
    float *shares = CT_ARENA_ZEROED(arena, float, 64);
    uint64_t *places = CT_ARENA_ZEROED(arena, uint64_t, 256);
    if (!inverse || !falling || !shares || !places) return no_memory(error);
    for (unsigned n = 4; n < 64; n *= 2)
        for (unsigned i = 1; i < n; i++) shares[n + i] = (float) n / (float) (i * (n - i));
    response->shares = shares;
    for (unsigned byte = 0; byte < 256; byte++)
        for (unsigned bit = 0, n = 0; bit < 8; bit++)
            if (byte >> bit & 1) places[byte] |= (uint64_t) bit << 8 * n++;
    response->places = places;
    for (uint32_t k = 1; k <= n_rows; k++) {
        inverse[k] = 1.0F / (float) k;
        falling[n_rows - k] = inverse[k];
    }
    for (size_t k = (size_t) n_rows + 1; k < room; k++) inverse[k] = 1.0F / (float) k;
    response->inverse = inverse;
    response->falling = falling;
    response->n_rows = n_rows;
    return CT_OK;
}

/* Whether scans in one word would tell too few trees apart, of as many as there are rows with costs
 * that lie evenly up to that of all rows: each of them is counted in full, in as many steps as
 * there are rows. */
static int overlaps(const ct_exact_response *response, uint32_t n_rows, int64_t total)
{
    double share = 2 * sqrt(response->off_all / fmax((double) total, 1));
    return share * n_rows > MOST_OVERLAPS;
}

ct_status ct_response_init(ct_exact_costs *costs, const ct_data *data, unsigned depth,
                           double complexity, int one_word, ct_arena *arena, ct_error *error)
{
    ct_weighing w;
    int64_t total = 0;
    memset(costs, 0, sizeof *costs);
    ct_exact_response *response = CT_ARENA_ZEROED(arena, ct_exact_response, 1);
    int64_t *most = CT_ARENA_NEW(arena, int64_t, 1);
    if (!response || !most) return no_memory(error);
    const ct_spread spread = spread_of(data);
    CT_TRY(ct_weighing_init(&w, data, &spread, one_word, arena, error));
    CT_TRY(fit_grid(data, response, &w, &spread, one_word, most, &total, arena, error));
    CT_TRY(set_tables(response, data->n_rows, arena, error));
    response->overlaps = response->rounded && (w.whole || overlaps(response, data->n_rows, total));
    costs->n_classes = 1;
    costs->response = response;
    costs->weights = response->rounded ? NULL : w.whole;
    costs->unit = ldexp(response->step, response->full.down) * response->step * w.unit;
    costs->most_splits = ct_most_splits(data->n_rows, depth);
    /* last bits of weights that are decimals count only beside what is rounded anyway */
    costs->rounding = w.exact && response->error == 0 ? 0 : w.rounding;
    costs->noise = NOISE;
    costs->most = costs->least = most;
    response->total = (double) total * costs->unit;
    costs->total = response->total;
    set_split_cost(costs, response, complexity, total, spread.sse);
    return CT_OK;
}

int64_t ct_response_of_tree(const ct_exact_costs *costs, uint32_t n_rows, const ct_outcome *tree,
                            ct_arena *arena)
{
    const ct_full *full = &costs->response->full;
    size_t n_leaves = (size_t) tree->n_splits + 1;
    ct_full_sums *sums = CT_ARENA_ZEROED(arena, ct_full_sums, n_leaves);
    int64_t cost = costs->split * tree->n_splits;
    if (!sums) return INT64_MAX;
    for (uint32_t row = 0; row < n_rows; row++) {
        CT_ASSERT((size_t) tree->labels[row] < n_leaves);
        ct_full_add(full, row, &sums[tree->labels[row]]);
    }
    for (size_t leaf = 0; leaf < n_leaves; leaf++) cost += ct_full_cost(full, &sums[leaf]);
    return cost;
}
