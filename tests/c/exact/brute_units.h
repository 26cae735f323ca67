/* A second opinion in whole numbers: brute_force of brute.h's definition, with costs that the test
 * itself adds up as multiples of a power of two, in 128 bits, so that nothing is rounded and
 * nothing has to be allowed for. For tables of at most UNIT_ROWS rows whose weights, losses and
 * complexity are that wide. */
#ifndef CT_TEST_BRUTE_UNITS_H
#define CT_TEST_BRUTE_UNITS_H

#include <float.h>

#include "brute.h"

enum { UNIT_ROWS = 12, UNIT_BITS = 110 };

__extension__ typedef __int128 units;

typedef struct {
    const ct_data *data;
    const ct_exact_options *options;
    int exponent; /* a unit is 2^exponent of the objective */
    int bits;     /* all rows together cost less than 2^bits units */
    units split_cost;
    units costs[UNIT_ROWS][64]; /* [row][label] */
    units known[BRUTE_DEPTH + 1][1 << UNIT_ROWS]; /* -1: not yet */
} unit_brute;

/* The exponent of the lowest bit of x > 0. */
static inline int lowest_bit(double x)
{
    int exponent, shift = 0;
    uint64_t digits = (uint64_t) ldexp(frexp(x, &exponent), DBL_MANT_DIG);
    while (!(digits >> shift & 1)) shift++;
    return exponent - DBL_MANT_DIG + shift;
}

/* The exponents of the lowest and of the highest bit of all numbers above 0; 0 and 0 if there is
 * none. */
static inline void bits_of(const double *x, size_t n, int range[2])
{
    int any = 0;
    range[0] = range[1] = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(x[i] > 0)) continue;
        int low = lowest_bit(x[i]), high = ilogb(x[i]) + 1;
        if (!any || low < range[0]) range[0] = low;
        if (!any || high > range[1]) range[1] = high;
        any = 1;
    }
}

static inline units to_units(double x, int exponent) { return (units) ldexp(x, -exponent); }

/* 0 if the table is too large, or its numbers are too far apart. */
static inline int units_begin(unit_brute *b, const ct_data *data, const ct_exact_options *options)
{
    size_t n = data->n_classes;
    int weight[2] = {0, 1}, loss[2] = {0, 1}, split[2] = {0, 0};
    if (data->n_rows > UNIT_ROWS || n > 64 || options->depth > BRUTE_DEPTH) return 0;
    if (data->weights) bits_of(data->weights, data->n_rows, weight);
    if (data->loss) bits_of(data->loss, n * n, loss);
    bits_of(&options->complexity, 1, split);
    int low = loss[0] < split[0] ? loss[0] : split[0],
        high = loss[1] > split[1] ? loss[1] : split[1];
    if (weight[1] - weight[0] > 62 || high - low > 62) return 0;
    b->exponent = weight[0] + low;
    b->bits = weight[1] - weight[0] + high - low + 4; /* of up to 16 rows */
    if (b->bits > UNIT_BITS) return 0;
    b->data = data;
    b->options = options;
    units sum = 0;
    for (uint32_t row = 0; row < data->n_rows; row++) {
        units own = to_units(data->weights ? data->weights[row] : 1, weight[0]);
        sum += own;
        for (uint32_t k = 0; k < n; k++) {
            size_t c = (size_t) data->classes[row];
            b->costs[row][k] = own * to_units(data->loss ? data->loss[c * n + k] : c != k, low);
        }
    }
    b->split_cost = sum * to_units(options->complexity, low);
    for (unsigned d = 0; d <= options->depth; d++)
        for (uint32_t rows = 0; rows < UINT32_C(1) << data->n_rows; rows++) b->known[d][rows] = -1;
    return 1;
}

static inline units units_leaf(const unit_brute *b, uint32_t rows)
{
    units best = -1;
    for (uint32_t k = 0; k < b->data->n_classes; k++) {
        units cost = 0;
        for (uint32_t i = 0; i < b->data->n_rows; i++)
            if (rows >> i & 1) cost += b->costs[i][k];
        if (best < 0 || cost < best) best = cost;
    }
    return best;
}

static inline units units_cost(unit_brute *b, uint32_t rows, unsigned depth);

/* The least cost with a split on `col` at the root; -1 if there is none that may be. */
static inline units units_split(unit_brute *b, uint32_t rows, uint32_t col, unsigned depth)
{
    const ct_exact_options *options = b->options;
    uint32_t n = brute_count(rows), least = options->min_bucket ? options->min_bucket : 1;
    units best = -1;
    for (uint32_t at = 0; depth && at < b->data->n_rows && n >= options->min_split; at++) {
        if (!(rows >> at & 1)) continue;
        uint32_t left = brute_below(b->data, rows, col, at), n_left = brute_count(left);
        if (!left || n_left < least || n - n_left < least) continue;
        units cost = b->split_cost + units_cost(b, left, depth - 1) +
                     units_cost(b, rows & ~left, depth - 1);
        if (best < 0 || cost < best) best = cost;
    }
    return best;
}

static inline units units_cost(unit_brute *b, uint32_t rows, unsigned depth)
{
    units *known = &b->known[depth][rows];
    if (*known >= 0) return *known;
    units best = units_leaf(b, rows);
    for (uint32_t col = 0; depth && col < b->data->n_cols; col++) {
        units cost = units_split(b, rows, col, depth);
        if (cost >= 0 && cost < best) best = cost;
    }
    return *known = best;
}

/* The least cost of all trees that the options allow; least[col] (may be NULL): of those with that
 * root, -1 if there is none. */
static inline units units_optimum(unit_brute *b, units *least)
{
    uint32_t all = (UINT32_C(1) << b->data->n_rows) - 1;
    units best = units_leaf(b, all);
    for (uint32_t col = 0; col < b->data->n_cols; col++) {
        int may = !b->options->roots || b->options->roots[col];
        units cost = may ? units_split(b, all, col, b->options->depth) : -1;
        if (least) least[col] = cost;
        if (cost >= 0 && cost < best) best = cost;
    }
    return best;
}

/* What a tree costs, by walking the rows of `data` (which may have other values than those of the
 * brute force, in the same order) down it. */
static inline units units_of_tree(const unit_brute *b, const ct_data *data, const ct_forest *tree)
{
    units cost = 0;
    for (uint32_t node = 0; node < tree->n_nodes; node++)
        if (tree->feature[node] >= 0) cost += b->split_cost;
    for (uint32_t row = 0; row < data->n_rows; row++) {
        uint32_t node = tree->roots[0];
        while (tree->feature[node] >= 0) {
            double x = ct_column_value(&data->columns[tree->feature[node]], row);
            node = x < tree->threshold[node] ? tree->left[node] : tree->right[node];
        }
        cost += b->costs[row][tree->label[node]];
    }
    return cost;
}

/* In units, for printing and for bounds, which are doubles: exact up to 2^64. */
static inline long double in_units(const unit_brute *b, double objective)
{
    return ldexpl((long double) objective, -b->exponent);
}

#endif
