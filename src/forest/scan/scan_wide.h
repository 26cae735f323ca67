/* Histograms of heavy nodes, in plain C for all instruction sets: there are few such nodes. */
#ifndef CT_FOREST_SCAN_SCAN_WIDE_H
#define CT_FOREST_SCAN_SCAN_WIDE_H

#include <math.h>
#include <stddef.h>

#include "forest/scan/scan.h"

static inline void ct_gini_wide(const uint32_t *histograms, const uint32_t *totals, uint32_t n_runs,
                                uint32_t weight, uint32_t n_bins, int missing_left, unsigned lane,
                                ct_bin_cut *cut)
{
    CT_ASSERT(n_runs > 0 && weight > 0);
    uint32_t left[256] = {0};
    cut->score = NAN;
    cut->bin = 0;
    for (uint32_t step = missing_left ? 0 : 1; step <= n_bins; step++) {
        uint32_t bin = step ? step - 1 : CT_HIST_BIN_ROWS - 1;
        uint64_t size = 0, squares = 0, others = 0;
        for (uint32_t k = 0; k < n_runs; k++) {
            left[k] += histograms[((size_t) k * CT_HIST_BIN_ROWS + bin) * CT_LANES + lane];
            uint64_t a = left[k], b = totals[k] - left[k];
            size += a;
            squares += a * a;
            others += b * b;
        }
        if (!step || !size || size == weight) continue;
        double score = (double) squares / (double) size +
                       (double) others / (double) (weight - size);
        if (!(score <= cut->score)) cut->score = score, cut->bin = bin;
    }
}

#endif
