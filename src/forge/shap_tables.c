#include "base/optimised.h"

#include "forge/shap_tables.h"

#include <string.h>

#include "base/simd/rounded.h"

ct_status ct_forge_table_scratch_make(ct_forge_table_scratch *scratch, uint32_t deepest,
                                      int interactions, ct_arena *arena)
{
    const uint32_t bits = CT_FORGE_PATTERN_BITS;
    size_t n = (size_t) 1 << bits, width = interactions ? ct_forge_pair_count(bits) : bits;
    scratch->interactions = interactions;
    scratch->counts = CT_ARENA_NEW(arena, double, n);
    scratch->sums = CT_ARENA_NEW(arena, double, n * (CT_FORGE_PATTERN_BITS + 1));
    scratch->shares = CT_ARENA_NEW(arena, double, n * width);
    scratch->edges = CT_ARENA_NEW(arena, uint32_t, (size_t) deepest + 1);
    scratch->slots = CT_ARENA_NEW(arena, uint32_t, (size_t) deepest + 1);
    return scratch->counts && scratch->sums && scratch->shares && scratch->edges && scratch->slots
        ? CT_OK : CT_NO_MEMORY;
}

static uint32_t size_of(uint32_t set)
{
    uint32_t n = 0;
    for (; set; set &= set - 1) n++;
    return n;
}

/* (a - 1)! b! / (a + b)! */
static double weight_of(uint32_t a, uint32_t b)
{
    double weight = 1.0 / a;
    for (uint32_t i = 1; i <= b; i++) weight *= (double) i / (a + i);
    return weight;
}

/* A leaf's path has the features 0 .. k - 1. A row that meets the tests of the set c gets there,
 * with a row of the background in place of it for some features, if that row meets the tests of
 * all others. Let a be the features of c whose tests the latter fails: the leaf is reached when all
 * of a and none outside c come from the row. This counts such rows of the background by the size of
 * a: sums[c][size], over all subsets of c. */
static void count_subsets(ct_forge_table_scratch *scratch, uint32_t k)
{
    uint32_t n = UINT32_C(1) << k, width = k + 1;
    memset(scratch->sums, 0, (size_t) n * width * sizeof *scratch->sums);
    for (uint32_t a = 0; a < n; a++)
        scratch->sums[(size_t) a * width + size_of(a)] = scratch->counts[n - 1 - a];
    for (uint32_t bit = 1; bit < n; bit *= 2)
        for (uint32_t c = 0; c < n; c++) {
            if (!(c & bit)) continue;
            double *to = scratch->sums + (size_t) c * width;
            const double *from = scratch->sums + (size_t) (c - bit) * width;
            for (uint32_t m = 0; m <= k; m++) to[m] += from[m];
        }
}

/* sum of x[m] weights[m] */
static double product(const double *x, const double *weights, uint32_t n)
{
    double sum = 0;
    for (uint32_t m = 0; m < n; m++) {
        double term = x[m] * weights[m];
        ROUNDED(term);
        sum += term;
    }
    return sum;
}

/* shares[c][feature]: counts are whole numbers, so that differences are exact. */
static void share_leaf(ct_forge_table_scratch *scratch, uint32_t k, double value)
{
    uint32_t n = UINT32_C(1) << k, width = k + 1;
    enum { SIZES = CT_FORGE_PATTERN_BITS + 1 };
    double with[SIZES], without[SIZES], own[SIZES];
    for (uint32_t c = 0; c < n; c++) {
        uint32_t size = size_of(c), b = k - size;
        const double *sums = scratch->sums + (size_t) c * width;
        for (uint32_t m = 0; m <= size; m++) {
            with[m] = m ? weight_of(m, b) : 0;
            without[m] = b ? weight_of(b, m) : 0;
        }
        double outside = -value * product(sums, without, size + 1);
        for (uint32_t i = 0; i < k; i++) {
            double *share = scratch->shares + (size_t) c * k + i;
            *share = outside;
            if (!(c >> i & 1)) continue;
            const double *others = scratch->sums + (size_t) (c - (UINT32_C(1) << i)) * width;
            for (uint32_t m = 0; m <= size; m++) own[m] = sums[m] - others[m];
            *share = value * product(own, with, size + 1);
        }
    }
}

/* The sum of weights[size of a] over the rows of the background whose a is within c and has all of
 * `pair`, features of c. */
static double counted_with(const ct_forge_table_scratch *scratch, uint32_t k, uint32_t c,
                           uint32_t pair, const double *weights)
{
    double own[CT_FORGE_PATTERN_BITS + 1];
    uint32_t width = k + 1, size = size_of(c), one = pair & (0 - pair), other = pair - one;
    const double *sums = scratch->sums;
    for (uint32_t m = 0; m <= size; m++) {
        own[m] = sums[(size_t) c * width + m];
        if (one) own[m] -= sums[(size_t) (c - one) * width + m];
        if (other) own[m] -= sums[(size_t) (c - other) * width + m];
        if (other) own[m] += sums[(size_t) (c - pair) * width + m];
    }
    return product(own, weights, size + 1);
}

/* shares[c][pair of features]: Shapley interaction values. Of a leaf that is reached when the a are
 * the row's and the b outside c the background's, that of two of a is (a - 2)! b! / (a + b - 1)!,
 * of two outside a! (b - 2)! / (a + b - 1)!, and of one and one -(a - 1)! (b - 1)! / (a + b - 1)!.
 */
static void share_leaf_pairs(ct_forge_table_scratch *scratch, uint32_t k, double value)
{
    uint32_t n = UINT32_C(1) << k, n_pairs = ct_forge_pair_count(k);
    double weights[3][CT_FORGE_PATTERN_BITS + 1]; /* by how many of the pair are in c */
    for (uint32_t c = 0; c < n; c++) {
        uint32_t size = size_of(c), b = k - size;
        for (uint32_t m = 0; m <= size; m++) {
            weights[0][m] = b > 1 ? weight_of(b - 1, m) : 0;
            weights[1][m] = b && m ? -weight_of(m, b - 1) : 0;
            weights[2][m] = m > 1 ? weight_of(m - 1, b) : 0;
        }
        double *share = scratch->shares + (size_t) c * n_pairs;
        for (uint32_t j = 1; j < k; j++)
            for (uint32_t i = 0; i < j; i++) {
                uint32_t within = c & (UINT32_C(1) << i | UINT32_C(1) << j);
                *share++ = value * counted_with(scratch, k, c, within, weights[size_of(within)]);
            }
    }
}

/* Adds a leaf, with the path of n_path edges below the unit's node. */
static void add_leaf(const ct_forge_patterns *p, ct_forge_pattern_unit *unit,
                     const uint32_t *counts, uint32_t k, uint32_t n_path, double value,
                     ct_forge_table_scratch *scratch, double *table)
{
    uint32_t n = UINT32_C(1) << unit->bits,
 wide = scratch->interactions ? ct_forge_pair_count(k) : k;
    memset(scratch->counts, 0, ((size_t) 1 << k) * sizeof *scratch->counts);
    for (uint32_t i = 0; i < n; i++)
        scratch->counts[ct_forge_pattern_at_leaf(p, unit, scratch->edges, n_path, i)] += counts[i];
    double reached = value * scratch->counts[(UINT32_C(1) << k) - 1];
    ROUNDED(reached);
    unit->expected += reached;
    count_subsets(scratch, k);
    if (scratch->interactions) share_leaf_pairs(scratch, k, value);
    else share_leaf(scratch, k, value);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t pattern = ct_forge_pattern_at_leaf(p, unit, scratch->edges, n_path, i);
        const double *share = scratch->shares + (size_t) pattern * wide;
        double *to = table + (size_t) i * unit->width;
        if (scratch->interactions) {
            for (uint32_t j = 1; j < k; j++)
                for (uint32_t h = 0; h < j; h++)
                    to[ct_forge_pair_slot(scratch->slots[h], scratch->slots[j])] += *share++;
        } else {
            for (uint32_t j = 0; j < k; j++) to[scratch->slots[j]] += share[j];
        }
    }
}

static uint32_t slot_of(const ct_forge_pattern_unit *unit, uint32_t player)
{
    uint32_t slot = 0;
    while (unit->players[slot] != player) slot++;
    return slot;
}

void ct_forge_unit_table(const ct_forge_patterns *p, ct_forge_pattern_unit *unit,
                         const uint32_t *counts, double n_background,
                         ct_forge_table_scratch *scratch, double *table)
{
    CT_ASSERT(unit->bits <= CT_FORGE_PATTERN_BITS && unit->n_features <= unit->bits &&
              n_background > 0);
    memset(table, 0, ((size_t) unit->width << unit->bits) * sizeof *table);
    for (uint32_t i = 0; i < unit->n_features; i++) scratch->slots[i] = i;
    unit->expected = 0;
    if (unit->first == unit->end)
        add_leaf(p, unit, counts, unit->n_features, 0, unit->leaf / n_background, scratch, table);
    uint32_t top = unit->first < unit->end ? p->edges[unit->first].depth : 0;
    for (uint32_t i = unit->first; i < unit->end; i++) {
        const ct_forge_shap_edge *edge = &p->edges[i];
        scratch->edges[edge->depth - top] = i;
        scratch->slots[p->feature_bit[i]] = slot_of(unit, edge->player);
        if (!edge->leaf) continue;
        uint32_t k = unit->n_features;
        for (uint32_t j = 0; j <= edge->depth - top; j++)
            if (!p->edges[scratch->edges[j]].above) k++;
        add_leaf(p, unit, counts, k, edge->depth - top + 1, edge->term / n_background, scratch,
                 table);
    }
}
