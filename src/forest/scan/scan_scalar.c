/* The scans in portable C: what the other sets are held against. */
#include "base/unguarded.h"

#include <math.h>

#include "base/rng.h"

#include "forest/scan/scan_wide.h"
#include "forest/scan/small_sums.h"

/* NaN where a side is empty. */
static double score_of(const uint32_t *left, const uint32_t *totals, uint32_t n_runs,
                       uint32_t weight, uint32_t size)
{
    uint32_t squares = 0, others = 0, rest = weight - size;
    const int light = weight <= CT_LIGHT_WEIGHT;
    if (n_runs == 2) {
        double off = (double) left[0] * totals[1] - (double) left[1] * totals[0],
               sides = (double) size * rest;
        return light ? (double) ((float) (off * off) / (float) sides) : off * off / sides;
    }
    for (uint32_t k = 0; k < n_runs; k++) {
        squares += left[k] * left[k];
        others += (totals[k] - left[k]) * (totals[k] - left[k]);
    }
    if (light) return (float) squares / (float) size + (float) others / (float) rest;
    return (double) squares / size + (double) others / rest;
}

/* Adds a bin to the left weights; returns how much it is. */
static uint32_t add_bin(const uint32_t *histograms, uint32_t n_runs, size_t at, uint32_t *left)
{
    uint32_t size = 0;
    for (uint32_t k = 0; k < n_runs; k++) {
        const uint32_t own = histograms[k / 2 * CT_HISTOGRAM_STRIDE + at] >> k % 2 * 16 & 65535;
        left[k] += own;
        size += own;
    }
    return size;
}

static void gini_middle(const uint32_t *histograms, const uint32_t *totals, uint32_t n_runs,
                        uint32_t weight, uint32_t n_bins, int missing_left, unsigned width,
                        unsigned lane, ct_bin_cut *cut)
{
    uint32_t left[256] = {0}, size = 0;
    *cut = (ct_bin_cut){NAN, 0};
    if (missing_left)
        size = add_bin(histograms, n_runs, (size_t) (CT_HIST_BIN_ROWS - 1) * width + lane, left);
    for (uint32_t bin = 0; bin < n_bins; bin++) {
        size += add_bin(histograms, n_runs, (size_t) bin * width + lane, left);
        if (!size || size == weight) continue;
        double score = score_of(left, totals, n_runs, weight, size);
        if (!(score <= cut->score)) *cut = (ct_bin_cut){score, bin};
    }
}

static void gini(const uint32_t *histograms, const uint32_t *totals, uint32_t n_runs,
                 uint32_t weight, uint32_t n_bins, int missing_left, unsigned lanes,
                 ct_bin_cut *cuts)
{
    CT_ASSERT(n_runs > 0 && lanes <= CT_LANES && n_bins < CT_HIST_BIN_ROWS);
    const unsigned width = ct_bin_width(weight, lanes);
    for (unsigned lane = 0; lane < lanes; lane++)
        if (ct_has_pairs(weight))
            gini_middle(histograms, totals, n_runs, weight, n_bins, missing_left, width, lane,
                        &cuts[lane]);
        else
            ct_gini_wide(histograms, totals, n_runs, weight, n_bins, missing_left, lane,
                         &cuts[lane]);
}

static void variance(const double *sums, const int32_t *weights, double sum, uint32_t weight,
                     uint32_t n_bins, int missing_left, unsigned lanes, ct_bin_cut *cuts)
{
    CT_ASSERT(lanes > 0 && lanes <= CT_LANES && n_bins < CT_HIST_BIN_ROWS);
    for (unsigned lane = 0; lane < lanes; lane++) {
        double s = 0, score = NAN;
        uint32_t size = 0, best = 0;
        for (uint32_t step = missing_left ? 0 : 1; step <= n_bins; step++) {
            uint32_t bin = step ? step - 1 : CT_HIST_BIN_ROWS - 1;
            s += sums[bin * CT_LANES + lane];
            size += (uint32_t) weights[bin * CT_LANES + lane];
            if (!step || !size || size == weight) continue;
            double t = sum - s, now = (s * s) / (double) size + (t * t) / (double) (weight - size);
            if (!(now <= score)) score = now, best = bin;
        }
        cuts[lane].score = score;
        cuts[lane].bin = best;
    }
}

/* Sides of a cut at a node: weight on the left, of the first run there, and squares
 * of both. */
typedef struct {
    uint32_t size, first, squares, others;
} sides;

static void add_side(sides *all, uint32_t k, uint32_t left, uint32_t weight)
{
    const uint32_t right = weight - left;
    if (!k) all->first = left;
    all->size += left;
    all->squares += left * left;
    all->others += right * right;
}

static float score_of_sides(const sides *all, const ct_hist_run *runs, uint32_t n_runs,
                            uint32_t weight)
{
    const uint32_t size = all->size, rest = weight - size;
    if (!rest) return NAN;
    if (n_runs == 2) {
        int32_t off = (int32_t) (all->first * runs[1].weight) -
                      (int32_t) ((size - all->first) * runs[0].weight);
        return (float) (off * off) / (float) (size * rest);
    }
    return (float) (size * all->others + rest * all->squares) / (float) (size * rest);
}

static float small_score(const ct_small *node, const int16_t *codes, int16_t code)
{
    sides all = {0, 0, 0, 0};
    for (uint32_t k = 0, row = 0; k < node->n_runs; k++) {
        uint32_t left = 0;
        for (uint32_t end = row + node->runs[k].n; row < end; row++)
            left += codes[row] <= code ? node->weights[row] : 0;
        add_side(&all, k, left, node->runs[k].weight);
    }
    return score_of_sides(&all, node->runs, node->n_runs, node->weight);
}

static int16_t above(const int16_t *codes, uint32_t n, int16_t code)
{
    int16_t lowest = 32767;
    for (uint32_t i = 0; i < n; i++)
        if (codes[i] > code && codes[i] < lowest) lowest = codes[i];
    return lowest;
}

/* A cut of a candidate whose best one so far, if it has one, is above another code. */
static int is_better(float score, int16_t code, float best, int16_t best_code, int has_one)
{
    return score > best || (has_one && score == best && code < best_code);
}

static int small_gini(const ct_small *node, ct_small_cut *best)
{
    CT_ASSERT(node->n > 0 && node->n <= CT_SMALL_ROWS && node->n_candidates <= CT_LANES);
    int found = 0;
    for (uint32_t k = 0; k < node->n_candidates; k++)
        for (uint32_t row = 0; row < node->n; row++) {
            int16_t code = node->codes[k][row];
            float score = small_score(node, node->codes[k], code);
            if (!is_better(score, code, best->score, best->code, found && best->candidate == k))
                continue;
            *best = (ct_small_cut){score, k, code, 0};
            found = 1;
        }
    if (found) best->next = above(node->codes[best->candidate], node->n, best->code);
    return found;
}

/* ---- subsets ---- */

/* Of some rows those whose codes are at most that. */
static uint32_t rows_upto(const int16_t *codes, uint32_t rows, int16_t code)
{
    uint32_t upto = 0;
    for (unsigned row = 0; row < CT_SUBSET_ROWS; row++)
        if (rows >> row & 1 && codes[row] <= code) upto |= UINT32_C(1) << row;
    return upto;
}

static uint32_t weight_of(const ct_subset *node, uint32_t rows)
{
    uint32_t weight = 0;
    for (unsigned row = 0; row < CT_SUBSET_ROWS; row++)
        weight += rows >> row & 1 ? node->weights[row] : 0;
    return weight;
}

static float subset_score(const ct_subset *node, uint32_t left)
{
    sides all = {0, 0, 0, 0};
    for (uint32_t k = 0; k < node->n_runs; k++)
        add_side(&all, k, weight_of(node, left & node->of_run[k]), node->runs[k].weight);
    return score_of_sides(&all, node->runs, node->n_runs, node->weight);
}

static void take_subset_cut(const ct_subset *node, ct_subset_cut *best)
{
    const int16_t *codes = node->codes[best->candidate];
    const uint32_t right = node->rows & ~best->left;
    best->next = INT16_MAX;
    for (unsigned row = 0; row < CT_SUBSET_ROWS; row++)
        if (right >> row & 1 && codes[row] < best->next) best->next = codes[row];
    best->right = weight_of(node, right & node->of_run[0]) +
                  256 * weight_of(node, right & node->of_run[1]);
}

static int subset_gini(const ct_subset *node, ct_subset_cut *best)
{
    CT_ASSERT(node->n_runs > 0 && node->rows < 1u << CT_SUBSET_ROWS);
    int found = 0;
    for (uint32_t k = 0; k < node->n_candidates; k++)
        for (unsigned row = 0; row < CT_SUBSET_ROWS; row++) {
            const int16_t code = node->codes[k][row];
            if (!(node->rows >> row & 1)) continue;
            const uint32_t left = rows_upto(node->codes[k], node->rows, code);
            const float score = subset_score(node, left);
            if (!is_better(score, code, best->score, best->code, found && best->candidate == k))
                continue;
            *best = (ct_subset_cut){score, k, code, 0, left, 0};
            found = 1;
        }
    if (found) take_subset_cut(node, best);
    return found;
}

static void spread(const uint16_t *codes, uint32_t n, const ct_medium_bins *by, uint8_t *bins)
{
    CT_ASSERT(codes && bins && n <= CT_MEDIUM_ROWS);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = (uint16_t) (codes[i] - by->low) * by->scale >> 16,
                       until = at < by->last ? at : by->last,
                       shared = at > by->first ? until - by->first : 0;
        bins[i] = (uint8_t) (at - shared + (shared >> CT_MEDIUM_SHIFT));
    }
}

static void draws(const uint32_t counter[4], const uint32_t key[2], uint32_t n_blocks,
                  uint32_t *words)
{
    CT_ASSERT(n_blocks % 8 == 0);
    for (uint32_t block = 0; block < n_blocks; block++) {
        const uint32_t own[4] = {counter[0] + block, counter[1], counter[2], counter[3]};
        ct_philox(own, key, words + 4 * (size_t) block);
    }
}

static int below(uint32_t *words, uint32_t n, uint32_t bound)
{
    CT_ASSERT(n % 32 == 0 && bound > 0);
    const uint32_t rest = (uint32_t) -bound % bound;
    for (uint32_t i = 0; i < n; i++)
        if ((uint32_t) ((uint64_t) words[i] * bound) < rest) return 0;
    for (uint32_t i = 0; i < n; i++) words[i] = (uint32_t) ((uint64_t) words[i] * bound >> 32);
    return 1;
}

static void ranks(const int16_t *codes, uint32_t n, uint16_t *below)
{
    CT_ASSERT(n <= CT_SMALL_ROWS);
    for (uint32_t i = 0; i < n; i++) {
        below[i] = 0;
        for (uint32_t k = 0; k < n; k++) below[i] = (uint16_t) (below[i] + (codes[k] < codes[i]));
    }
}

static int small_variance(const ct_small_numbers *node, double *score, int16_t *code)
{
    CT_ASSERT(node->n > 0 && node->n <= CT_SMALL_ROWS);
    uint16_t lower[CT_SMALL_ROWS];
    ct_small_sums sums;
    int found = 0;
    ranks(node->codes, node->n, lower);
    ct_add_small(node, lower, &sums);
    for (uint32_t place = 0; place < node->n; place++) {
        const int64_t upto = sums.upto[place], left = upto & 65535, right = node->weight - left;
        if (!right) break;
        const double sum = (double) ((upto - left) / 65536), rest = node->sum - sum,
                     now = (sum * sum) / (double) left + (rest * rest) / (double) right;
        if (!(now > *score)) continue;
        *score = now;
        *code = node->codes[sums.row[place]];
        found = 1;
    }
    return found;
}

const ct_scan ct_scan_scalar = {gini,
                                variance,
                                small_gini,
                                small_variance,
                                subset_gini,
                                above,
                                ct_range_plain,
                                spread,
                                ct_beside_plain,
                                ranks,
                                draws,
                                below,
                                ct_drawn_plain,
                                ct_weights_plain,
                                ct_partition_plain,
                                ct_partition_own_plain,
                                ct_transpose_plain};
