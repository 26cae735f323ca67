/* The scans in portable C: what the other sets are held against. */
#include <math.h>

#include "forest/scan_wide.h"

static void gini_middle(const uint32_t *histograms, const uint32_t *totals, uint32_t n_runs,
                        uint32_t weight, uint32_t n_bins, int missing_left, unsigned lane,
                        ct_bin_cut *cut)
{
    uint32_t left[256] = {0};
    cut->score = NAN;
    cut->bin = 0;
    for (uint32_t step = missing_left ? 0 : 1; step <= n_bins; step++) {
        uint32_t bin = step ? step - 1 : CT_BIN_ROWS - 1, size = 0, squares = 0, others = 0;
        for (uint32_t k = 0; k < n_runs; k++) {
            left[k] += histograms[((size_t) k * CT_BIN_ROWS + bin) * CT_LANES + lane];
            size += left[k];
            squares += left[k] * left[k];
            others += (totals[k] - left[k]) * (totals[k] - left[k]);
        }
        if (!step || !size || size == weight) continue;
        uint32_t rest = weight - size;
        double score = (double) ((uint64_t) size * others + (uint64_t) rest * squares) /
                       (double) (size * rest);
        if (!(score <= cut->score)) cut->score = score, cut->bin = bin;
    }
}

static void gini(const uint32_t *histograms, const uint32_t *totals, uint32_t n_runs,
                 uint32_t weight, uint32_t n_bins, int missing_left, unsigned lanes,
                 ct_bin_cut *cuts)
{
    for (unsigned lane = 0; lane < lanes; lane++)
        (weight <= CT_MIDDLE_WEIGHT ? gini_middle : ct_gini_wide)(
            histograms, totals, n_runs, weight, n_bins, missing_left, lane, &cuts[lane]);
}

static void variance(const double *sums, const int32_t *weights, double sum, uint32_t weight,
                     uint32_t n_bins, int missing_left, unsigned lanes, ct_bin_cut *cuts)
{
    for (unsigned lane = 0; lane < lanes; lane++) {
        double s = 0, score = NAN;
        uint32_t size = 0, best = 0;
        for (uint32_t step = missing_left ? 0 : 1; step <= n_bins; step++) {
            uint32_t bin = step ? step - 1 : CT_BIN_ROWS - 1;
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

static float small_score(const ct_small *node, int16_t code)
{
    uint32_t row = 0, size = 0, squares = 0, others = 0;
    for (uint32_t k = 0; k < node->n_runs; k++) {
        uint32_t left = 0, right;
        for (uint32_t end = row + node->runs[k].n; row < end; row++)
            left += node->codes[row] <= code ? node->weights[row] : 0;
        right = node->runs[k].weight - left;
        size += left;
        squares += left * left;
        others += right * right;
    }
    uint32_t rest = node->weight - size;
    return rest ? (float) (size * others + rest * squares) / (float) (size * rest) : NAN;
}

static int small_gini(const ct_small *node, float *best, int16_t *code)
{
    int found = 0;
    for (uint32_t row = 0; row < node->n; row++) {
        float score = small_score(node, node->codes[row]);
        if (score > *best || (found && score == *best && node->codes[row] < *code)) {
            found = 1;
            *best = score;
            *code = node->codes[row];
        }
    }
    return found;
}

static void ranks(const int16_t *codes, uint32_t n, uint16_t *below)
{
    for (uint32_t i = 0; i < n; i++) {
        below[i] = 0;
        for (uint32_t k = 0; k < n; k++) below[i] = (uint16_t) (below[i] + (codes[k] < codes[i]));
    }
}

const ct_scan ct_scan_scalar = {gini, variance, small_gini, ranks};
